//! Host DMA alone: transfers of one size, one after the other, without firmware or network (Yocum et al. 1997,
//! Figure 1; Figure 7 has a processor that copies at the same time).

use super::{RunningWorkload, copy};
use crate::engine::{Bytes, EndId, Journey, Metric, Outcome, Time};
use crate::host::Direction;
use crate::messaging::World;
use crate::ni::DriverExtensions;
use crate::part::{Part, PartInfo};
use crate::program::{FlowEndpoint, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of the DMA test.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct DmaTest {
    /// Name of the node; by default the first.
    pub node: Option<String>,
    /// Direction of the transfers: `read` from host memory (as in sending) or `write` to it.
    #[param(default = "read")]
    pub direction: Direction,
    /// Size of each transfer.
    #[param(min = "4 B", default = "8 KiB")]
    pub size: Bytes,
    /// Number of transfers; 0 lets only the processor copy.
    #[param(min = 0, max = 10_000_000, default = 100, meaning = Repetitions)]
    pub transfers: u64,
    /// Length of the run where there are no transfers.
    #[param(default = "1 ms", meaning = Load)]
    pub time: Time,
    /// Whether the processor copies blocks at the same time.
    #[param(default = false)]
    pub copying: bool,
}

struct Measurements {
    parameters: DmaTest,
    end_time: Rc<Cell<Time>>,
    copied: Option<Rc<Cell<Bytes>>>,
}

impl DmaTest {
    async fn transfer(self, world: World, id: EndId, end_time: Rc<Cell<Time>>) {
        let endpoint = world.endpoint(id);
        let engine = endpoint.driver().host_dma().expect("a checked description has host DMA to try");
        let page = endpoint.allocate(self.size);
        let journey = Journey::new(0, id, id, self.size, world.sim.now());
        if self.transfers == 0 {
            endpoint.until(endpoint.now() + self.time).await;
        }
        for _ in 0..self.transfers {
            engine.transfer(self.direction, page, self.size, journey.clone()).await;
        }
        end_time.set(world.sim.now());
    }
}

impl Part for DmaTest {
    const INFO: PartInfo =
        PartInfo::new("dma", "Host DMA of the interface alone").small_input("size = \"256 B\"\ntransfers = 2");
}

impl WorkloadSpec for DmaTest {
    fn needs(&self) -> WorkloadNeeds {
        let timed_memory = self.copying.then_some("copying");
        WorkloadNeeds { nodes: 1, host_dma: true, timed_memory, ..WorkloadNeeds::default() }
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        self.node.iter().map(|name| ("node".to_owned(), name.as_str())).collect()
    }

    fn buffer_max(&self) -> Option<(&'static str, Bytes)> {
        Some(("size", self.size))
    }

    fn local_buffers(&self) -> Vec<(FlowEndpoint<'_>, Bytes)> {
        let node = FlowEndpoint::named_or(self.node.as_deref(), 0);
        let copied = self.copying.then_some(Bytes(2 * copy::AREA));
        [self.size].into_iter().chain(copied).map(|bytes| (node, bytes)).collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let end_time = Rc::new(Cell::new(Time::ZERO));
        let node = self.node.as_ref().map_or_else(|| world.nodes[0].endpoint().id(), |name| world.id(name));
        let name = format!("{} DMA test", world.endpoint(node).name());
        world.sim.spawn(name, self.clone().transfer(world.clone(), node, end_time.clone()));
        let copied = self.copying.then(|| copy::start(world, node));
        Rc::new(Measurements { parameters: self.clone(), end_time, copied })
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        let (parameters, elapsed_us) = (&self.parameters, self.end_time.get().as_us());
        let moved = parameters.size.get() * parameters.transfers;
        let mut metrics =
            vec![Metric::rate("dma.bandwidth", super::value_if(elapsed_us > 0.0, moved as f64 / elapsed_us), "MB/s")];
        if let Some(copied) = &self.copied {
            metrics.push(Metric::rate(
                "copy.bandwidth",
                super::value_if(elapsed_us > 0.0, copied.get().get() as f64 / elapsed_us),
                "MB/s",
            ));
        }
        metrics
    }
}
