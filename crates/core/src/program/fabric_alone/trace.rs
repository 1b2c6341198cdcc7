//! The file of a packet trace: comma-separated values. The first line has the names of columns, and each further line a
//! packet.
//!
//! The columns are `generated_cycle`, `source`, `destination`, and optionally `arrived_cycle` (of the last flit) and
//! `flits`. Lines that begin with `#` are comments. Packets may be in any order; packets of the same source and cycle
//! leave in the order of the file. The module leaves out dependences between packets.

use csv::{ReaderBuilder, StringRecord, Trim};
use std::fmt;

/// A packet of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TracePacket {
    /// Cycle in which the packet joins the queue of its source.
    pub generation_cycle: u64,
    /// Number of the source node.
    pub source: u32,
    /// Number of the destination node.
    pub destination: u32,
    /// Length in flits, if the trace states it.
    pub flits: Option<u16>,
    /// Cycle in which the last flit of the packet arrived, if the trace states it.
    pub arrival_cycle: Option<u64>,
    /// Line of the file that describes the packet.
    pub line: u64,
}

/// An error in a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    /// Line of the file, counted from 1.
    pub line: u64,
    /// Description of the problem, and of the allowed values.
    pub message: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Largest number of flits of a packet.
pub const FLITS_MAX: u16 = 4096;

/// The indices of the columns.
struct ColumnIndices {
    generation_cycle: usize,
    source: usize,
    destination: usize,
    arrival_cycle: Option<usize>,
    flits: Option<usize>,
}

/// Reads a trace. Returns its packets in the order of their cycles.
pub fn read(text: &str) -> Result<Vec<TracePacket>, TraceError> {
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).trim(Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| csv_error(&error))?.clone();
    let columns = ColumnIndices::find(&header)?;
    let mut packets: Vec<TracePacket> = Vec::new();
    for record in reader.records() {
        packets.push(columns.packet(&record.map_err(|error| csv_error(&error))?)?);
    }
    packets.sort_by_key(|packet| packet.generation_cycle);
    Ok(packets)
}

fn csv_error(error: &csv::Error) -> TraceError {
    let line = error.position().map_or(1, csv::Position::line);
    TraceError { line, message: error.to_string() }
}

impl ColumnIndices {
    fn find(header: &StringRecord) -> Result<ColumnIndices, TraceError> {
        let column = |name: &str| header.iter().position(|header_name| header_name == name);
        let required_column = |name: &str| {
            let message =
                format!("there is no column `{name}` among `{}`", header.iter().collect::<Vec<_>>().join(","));
            column(name).ok_or(TraceError { line: header.position().map_or(1, csv::Position::line), message })
        };
        Ok(ColumnIndices {
            generation_cycle: required_column("generated_cycle")?,
            source: required_column("source")?,
            destination: required_column("destination")?,
            arrival_cycle: column("arrived_cycle"),
            flits: column("flits"),
        })
    }

    fn packet(&self, record: &StringRecord) -> Result<TracePacket, TraceError> {
        let line = record.position().map_or(0, csv::Position::line);
        let number = |column: usize, expected: &str, max: u64| {
            let text = &record[column];
            let number = text.parse().ok().filter(|number| *number <= max);
            let range = || if expected == NODE_NUMBER { "the fabric's last node".to_owned() } else { max.to_string() };
            number.ok_or_else(|| TraceError { line, message: format!("`{text}` is not {expected} (0 to {})", range()) })
        };
        let optional_number = |column: Option<usize>, expected: &str, max: u64| {
            let filled_column = column.filter(|column| !record[*column].is_empty());
            filled_column.map(|column| number(column, expected, max)).transpose()
        };
        let flits = optional_number(self.flits, "a number of flits", u64::from(FLITS_MAX))?;
        if flits == Some(0) {
            return Err(TraceError { line, message: "a packet has at least one flit".to_owned() });
        }
        Ok(TracePacket {
            generation_cycle: number(self.generation_cycle, "a cycle", CYCLE_MAX)?,
            source: number(self.source, NODE_NUMBER, u64::from(u32::MAX))? as u32,
            destination: number(self.destination, NODE_NUMBER, u64::from(u32::MAX))? as u32,
            arrival_cycle: optional_number(self.arrival_cycle, "a cycle", CYCLE_MAX)?,
            flits: flits.map(|flits| flits as u16),
            line,
        })
    }
}

/// Last cycle that a trace may state. Its time in picoseconds has to fit in 64 bits.
const CYCLE_MAX: u64 = 1_000_000_000_000;
/// The value of the columns `source` and `destination`. The parser does not know the number of nodes of the fabric.
const NODE_NUMBER: &str = "the number of a node";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn optional_columns_may_be_missing_or_empty() {
        let packets = read("# made by hand\ngenerated_cycle,source,destination,arrived_cycle\n3,1,2,9\n4, 0,3,\n");
        let packets = packets.expect("the trace is valid");
        let first = TracePacket {
            generation_cycle: 3,
            source: 1,
            destination: 2,
            flits: None,
            arrival_cycle: Some(9),
            line: 3,
        };
        assert_eq!(packets[0], first);
        assert_eq!(
            packets[1],
            TracePacket { generation_cycle: 4, source: 0, destination: 3, flits: None, arrival_cycle: None, line: 4 }
        );
        let later = read("generated_cycle,source,destination\n5,2,3\n4,1,3\n").expect("packets may be in any order");
        assert_eq!([later[0].source, later[1].source], [1, 2]);
        let bare = read("source,destination,generated_cycle,flits\n1,2,3,8\n").expect("columns may be in any order");
        assert_eq!((bare[0].generation_cycle, bare[0].flits, bare[0].arrival_cycle), (3, Some(8), None));
    }

    #[test]
    fn errors_name_their_line() {
        let error = |text| read(text).expect_err("the trace is invalid").to_string();
        assert_eq!(
            error("source,destination\n1,2\n"),
            "line 1: there is no column `generated_cycle` among `source,destination`"
        );
        assert_eq!(
            error("generated_cycle,source,destination\n1,2,x\n"),
            "line 2: `x` is not the number of a node (0 to the fabric's last node)"
        );
        assert_eq!(
            error("generated_cycle,source,destination,flits\n5,2,3,0\n"),
            "line 2: a packet has at least one flit"
        );
    }

    proptest! {
        #[test]
        fn read_does_not_panic_on_any_text(text in "\\PC*", table in "[0-9,\n#a-z_]*") {
            let _ = read(&text);
            let _ = read(&format!("generated_cycle,source,destination\n{table}"));
        }
    }
}
