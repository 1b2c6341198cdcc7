//! Host DMA alone: transfers of one size, one at a time, without firmware or network (Yocum et al. 1997, Figure 1). In
//! Figure 7, a processor copies at the same time.

use super::{RunningWorkload, copy};
use crate::engine::flow_series::FlowSeries;
use crate::engine::{Bytes, EndpointId, Journey, Metric, Outcome, Time};
use crate::host::Direction;
use crate::messaging::World;
use crate::ni::DriverExtensions;
use crate::part::{Part, PartInfo};
use crate::program::{FlowEndpoint, WARM_UP, WarmUpCheck, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::{Cell, OnceCell, RefCell};
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
    /// Number of transfers that are measured; with 0 only the processor works, if `copying` is true.
    #[param(min = 0, max = 10_000_000, default = 100, meaning = Repetitions)]
    pub transfers: u64,
    /// Number of transfers before anything is measured.
    #[param(max = 10_000_000, default = WARM_UP)]
    pub warm_up: u64,
    /// Length of the run if `transfers` is 0.
    #[param(default = "1 ms", meaning = Load)]
    pub time: Time,
    /// Whether the processor copies blocks of memory at the same time.
    #[param(default = false)]
    pub copying: bool,
}

struct Measurements {
    parameters: DmaTest,
    /// Time and bytes copied at the end of the warm-up.
    start: Cell<(Time, Bytes)>,
    end_time: Cell<Time>,
    copied: OnceCell<Rc<Cell<Bytes>>>,
    /// Durations of the measured transfers.
    series: RefCell<FlowSeries>,
}

impl DmaTest {
    async fn transfer(self, world: World, id: EndpointId, measured: Rc<Measurements>) {
        let endpoint = world.endpoint(id);
        let engine = endpoint.driver().host_dma().expect("a checked description has host DMA to try");
        let page = endpoint.allocate(self.size);
        let journey = Journey::new(0, id, id, self.size, world.sim.now());
        if self.transfers == 0 {
            endpoint.until(endpoint.now() + self.time).await;
            return measured.end_time.set(world.sim.now());
        }
        measured.series.borrow_mut().join();
        for number in 0..self.warm_up + self.transfers {
            if number == self.warm_up {
                measured.start.set((world.sim.now(), measured.copied()));
            }
            let start = world.sim.now();
            engine.transfer(self.direction, page, self.size, journey.clone()).await;
            if let Some(number) = number.checked_sub(self.warm_up) {
                let now = world.sim.now();
                measured.series.borrow_mut().add(number, now - start, now);
            }
        }
        measured.end_time.set(world.sim.now());
    }
}

impl Part for DmaTest {
    const INFO: PartInfo = PartInfo::new("dma", "DMA transfers between interface and host memory, without messages")
        .small_input("size = \"256 B\"\ntransfers = 2\nwarm-up = 0");
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
        let copied = self.copying.then_some(Bytes(2 * copy::AREA_BYTES));
        [self.size].into_iter().chain(copied).map(|bytes| (node, bytes)).collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let node = self.node.as_ref().map_or_else(|| world.nodes[0].endpoint().id(), |name| world.id(name));
        let name = format!("{} DMA test", world.endpoint(node).name());
        let (start, end_time, copied, series) = Default::default();
        let measured = Rc::new(Measurements { parameters: self.clone(), start, end_time, copied, series });
        world.sim.spawn(name, self.clone().transfer(world.clone(), node, measured.clone()));
        if self.copying {
            measured.copied.get_or_init(|| copy::start(world, node));
        }
        measured
    }
}

impl Measurements {
    /// Returns the bytes copied so far.
    fn copied(&self) -> Bytes {
        self.copied.get().map_or(Bytes::ZERO, |copied| copied.get())
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        let (start, copied_before) = self.start.get();
        let (parameters, elapsed_us) = (&self.parameters, self.end_time.get().since(start).as_us());
        let moved = parameters.size.get() * parameters.transfers;
        let mut metrics =
            vec![Metric::rate("dma.bandwidth", super::value_if(elapsed_us > 0.0, moved as f64 / elapsed_us), "MB/s")];
        if parameters.copying {
            let copied = (self.copied() - copied_before).get() as f64;
            let rate = super::value_if(elapsed_us > 0.0, copied / elapsed_us);
            metrics.push(Metric::rate("copy.bandwidth", rate, "MB/s"));
        }
        metrics
    }

    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (series, warm_up) = (&self.series.borrow(), ("workload.dma.warm-up", self.parameters.warm_up, "transfers"));
        let check = || WarmUpCheck::of_flows(world, series, warm_up, ("the time", "us", 1e6));
        (self.parameters.transfers > 0).then(check)
    }
}
