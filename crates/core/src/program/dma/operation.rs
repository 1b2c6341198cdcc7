//! The operation of a transfer, which one of two keys states.

use crate::host::Direction;
use crate::text::{ParameterChoice, ParameterSink, ParameterType, Table};

/// An operation of the DMA test, after those of pcie-bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum DmaTestOperation {
    /// Reads host memory.
    Read,
    /// Writes host memory. A write ends when its data have left the interface.
    Write,
    /// Writes host memory, and then reads the same bytes.
    WriteRead,
    /// Reads and writes in turn.
    Both,
}

impl DmaTestOperation {
    /// Returns the directions of the transfers of operation `number`, in order.
    pub(super) fn directions(self, number: u64) -> &'static [Direction] {
        match self {
            DmaTestOperation::Read => &[Direction::Read],
            DmaTestOperation::Write => &[Direction::Write],
            DmaTestOperation::WriteRead => &[Direction::Write, Direction::Read],
            DmaTestOperation::Both if number.is_multiple_of(2) => &[Direction::Read],
            DmaTestOperation::Both => &[Direction::Write],
        }
    }
}

/// The operation as the description states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatedOperation {
    /// A direction alone, by the key `direction`: only bandwidths are reported.
    Direction(Direction),
    /// An operation, by the key `operation`: latencies are reported, too.
    Operation(DmaTestOperation),
}

const DIRECTION_FIELD: (&str, &str) = (
    "direction",
    "Direction of the transfers: `read` from host memory (as in sending) or `write` to it; or use `operation`",
);
const OPERATION_FIELD: (&str, &str) = (
    "operation",
    "Operation whose latency and bandwidth are measured, in place of `direction`: `read`, `write`, `write-read` of the \
     same bytes, or `both`, reads and writes in turn",
);

impl StatedOperation {
    /// Reads whichever of the two keys is defined in the highest layer; `direction = "read"` is the default.
    pub(super) fn read(t: &mut Table<'_>) -> StatedOperation {
        let states_operation =
            !t.describing() && t.select_key(&[DIRECTION_FIELD.0, OPERATION_FIELD.0]) == Some(OPERATION_FIELD.0);
        if states_operation {
            Direction::field(t, DIRECTION_FIELD.0, DIRECTION_FIELD.1).report_overridden();
            return StatedOperation::Operation(
                DmaTestOperation::field(t, OPERATION_FIELD.0, OPERATION_FIELD.1).required(),
            );
        }
        let direction = Direction::field(t, DIRECTION_FIELD.0, DIRECTION_FIELD.1).or("read");
        DmaTestOperation::field(t, OPERATION_FIELD.0, OPERATION_FIELD.1).report_overridden();
        StatedOperation::Direction(direction)
    }

    /// Writes the key that applies.
    pub(super) fn write(self, to: &mut dyn ParameterSink) {
        match self {
            StatedOperation::Direction(direction) => to.value(DIRECTION_FIELD.0, direction.to_value()),
            StatedOperation::Operation(operation) => to.value(OPERATION_FIELD.0, operation.to_value()),
        }
    }

    /// Returns the operation.
    pub(super) fn operation(self) -> DmaTestOperation {
        match self {
            StatedOperation::Direction(Direction::Read) => DmaTestOperation::Read,
            StatedOperation::Direction(Direction::Write) => DmaTestOperation::Write,
            StatedOperation::Operation(operation) => operation,
        }
    }

    /// Returns whether latencies are reported.
    pub(super) fn reports_latency(self) -> bool {
        matches!(self, StatedOperation::Operation(_))
    }
}
