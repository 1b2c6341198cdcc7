//! The port by which the interface's engines transfer to and from memory over the link.
//!
//! A read is divided into requests of at most `read-max` bytes that cross no page of 4 KiB, and a write into parts that
//! cross no such page. Transfers advance whether they are awaited or not. The bytes of a read arrive in one beat for
//! each request, in the order of their addresses; the beat begins with the first packet. A read is rejected while no
//! tag is free, and a write is rejected while many writes wait for credits.

use super::link::{WriteOrdering, split_transfer};
use super::root_complex::{PostedPacket, ReadRequest, RootComplex, WriteRequest};
use crate::engine::{Signal, Time};
use crate::host::dma_port::{DmaCompletion, DmaOperation, DmaPort, DmaRequest, NoFreeTag};
use crate::host::link_transfer::{DmaStages, LinkTransfers};
use std::rc::Rc;

/// The port of a device at the end of the link.
pub(super) struct PciePort {
    complex: Rc<RootComplex>,
    transfers: LinkTransfers,
}

impl PciePort {
    /// Creates the port of the interface of the host `name`.
    pub fn new(name: &str, complex: &Rc<RootComplex>) -> PciePort {
        let transfers = LinkTransfers::new(&complex.sim, format!("{name}: data over PCIe"));
        PciePort { complex: complex.clone(), transfers }
    }
}

impl DmaPort for PciePort {
    fn submit(&self, request: DmaRequest) -> Result<DmaCompletion, NoFreeTag> {
        let complex = &self.complex;
        let (address, bytes) = (request.address, request.operation.bytes());
        let stages = DmaStages { submitted: complex.sim.now(), ..DmaStages::default() };
        let transfer = match request.operation {
            DmaOperation::Read(_) => {
                if !complex.accepts_read() {
                    return Err(NoFreeTag);
                }
                let part_max = complex.link.read_max.get();
                let transfer = self.transfers.begin(split_transfer(address, bytes, part_max).count(), false);
                complex.read(split_transfer(address, bytes, part_max).map(|(offset, bytes)| ReadRequest {
                    request_number: 0,
                    transfer: transfer.clone(),
                    address: address + offset,
                    bytes,
                    offset,
                    posted_before: 0,
                    data: Vec::new(),
                    stages,
                }));
                transfer
            }
            DmaOperation::Write(source) => {
                if !complex.accepts_write() {
                    return Err(NoFreeTag);
                }
                let part_max = complex.link.write_bytes_max();
                let transfer = self.transfers.begin(split_transfer(address, bytes, part_max).count(), true);
                complex.post(split_transfer(address, bytes, part_max).map(|(offset, bytes)| {
                    PostedPacket::Write(Box::new(WriteRequest {
                        request_number: 0,
                        transfer: transfer.clone(),
                        source: source.clone(),
                        address: address + offset,
                        bytes,
                        offset,
                        data: Vec::new(),
                        stages,
                        access_from: Time::ZERO,
                    }))
                }));
                transfer
            }
        };
        Ok(DmaCompletion::over_link(transfer))
    }

    fn freed(&self) -> &Signal {
        &self.complex.capacity_freed
    }

    fn tags(&self) -> u32 {
        self.complex.tags.total()
    }

    fn orders_writes(&self) -> bool {
        self.complex.link.ordering == WriteOrdering::Strict
    }
}
