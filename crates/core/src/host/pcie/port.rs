//! The port by which the interface's engines transfer to and from memory over the link.
//!
//! A read is divided into requests of at most `read-max` bytes that cross no page of 4 KiB, and a write into parts that
//! cross no such page. Transfers advance whether they are awaited or not. The bytes of a read arrive in one beat for
//! each request, in the order of their addresses; the beat begins with the first packet. A read is refused while no tag
//! is free, and a write while many writes wait for credits.

use super::link::{WriteOrdering, parts};
use super::root_complex::{Posted, ReadRequest, RootComplex, WriteRequest};
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
                let most = complex.link.read_max.get();
                let transfer = self.transfers.begin(parts(address, bytes, most).count(), false);
                complex.read(parts(address, bytes, most).map(|(offset, bytes)| ReadRequest {
                    order: 0,
                    transfer: transfer.clone(),
                    address: address + offset,
                    bytes,
                    offset,
                    after: 0,
                    data: Vec::new(),
                    stages,
                }));
                transfer
            }
            DmaOperation::Write(source) => {
                if !complex.accepts_write() {
                    return Err(NoFreeTag);
                }
                let most = complex.link.write_max();
                let transfer = self.transfers.begin(parts(address, bytes, most).count(), true);
                complex.post(parts(address, bytes, most).map(|(offset, bytes)| {
                    Posted::Write(Box::new(WriteRequest {
                        order: 0,
                        transfer: transfer.clone(),
                        source: source.clone(),
                        address: address + offset,
                        bytes,
                        offset,
                        data: Vec::new(),
                        stages,
                        access: Time::ZERO,
                    }))
                }));
                transfer
            }
        };
        Ok(DmaCompletion::of_link(transfer))
    }

    fn freed(&self) -> &Signal {
        &self.complex.freed
    }

    fn tags(&self) -> u32 {
        self.complex.tags.all()
    }

    fn orders_writes(&self) -> bool {
        self.complex.link.ordering == WriteOrdering::Strict
    }
}
