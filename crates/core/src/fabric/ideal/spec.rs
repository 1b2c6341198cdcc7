//! The ideal fabric as a part: its capabilities, its start, and its ports, which are streams.

use super::{CLASSES, Ideal, IdealParameters};
use crate::engine::{Class, NodeId, Sim};
use crate::fabric::any::{AnyStreamRx, AnyStreamTx};
use crate::fabric::capabilities::FabricCapabilities;
use crate::fabric::net::{FabricNet, NodePorts};
use crate::fabric::port::LinkUse;
use crate::fabric::spec::FabricSpec;
use crate::part::{Part, PartInfo};
use std::rc::Rc;

impl Part for IdealParameters {
    const INFO: PartInfo = PartInfo::new("ideal", "A fixed latency between any two nodes, without a topology");
}

impl FabricSpec for IdealParameters {
    fn capabilities(&self) -> FabricCapabilities {
        FabricCapabilities { classes: CLASSES, ..FabricCapabilities::new(self.rate) }
    }

    fn start(&self, sim: &Sim, nodes: &[String], _seed: u64) -> Rc<dyn FabricNet> {
        Rc::new(Ideal::new(sim, nodes, *self))
    }
}

impl FabricNet for Rc<Ideal> {
    fn ports(&self, node: NodeId) -> NodePorts {
        let streams = |class| (AnyStreamTx::Ideal(self.tx(node, class)), AnyStreamRx::Ideal(self.rx(node, class)));
        NodePorts::Streams(Class::all(CLASSES).map(streams).collect())
    }

    fn links(&self) -> Vec<LinkUse> {
        Ideal::links(self)
    }
}
