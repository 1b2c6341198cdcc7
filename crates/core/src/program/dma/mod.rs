//! Host DMA alone, without firmware or network: transfers of one size, one or many at a time.
//!
//! With `direction`, transfers use one buffer, one at a time (Yocum et al. 1997, Figure 1; in Figure 7, a processor
//! copies at the same time). With `operation`, the test is that of pcie-bench (Neugebauer et al., SIGCOMM 2018):
//! operations visit a window of memory in order or at random, any number of them is outstanding, and the window is warm
//! or cold in the caches before the run. One operation at a time measures a latency, and many measure a bandwidth.
//!
//! | file | holds |
//! |---|---|
//! | `operation.rs` | the operation, and the two keys that state it |
//! | `addresses.rs` | the addresses of successive transfers |
//! | `measurements.rs` | latencies and bandwidths |

mod addresses;
mod measurements;
mod operation;

use super::{RunningWorkload, copy};
use crate::engine::{Bytes, EndpointId, Journey, Time};
use crate::host::CacheWarmth;
use crate::messaging::World;
use crate::ni::DriverExtensions;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::{FlowEndpoint, WARM_UP, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use addresses::AddressGenerator;
use measurements::Measurements;
use std::cell::RefCell;
use std::rc::Rc;

pub use addresses::AccessOrder;
pub use operation::{DmaTestOperation, StatedOperation};

/// The parameters of the DMA test.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct DmaTest {
    /// Name of the node; by default the first.
    pub node: Option<String>,
    /// The operation, which the key `direction` or `operation` states.
    #[param(with(read = StatedOperation::read, write = |operation, to| operation.write(to)))]
    pub operation: StatedOperation,
    /// Size of each transfer.
    #[param(min = "4 B", default = "8 KiB")]
    pub size: Bytes,
    /// Number of transfers that are measured; with 0 only the processor works, if `copying` is true.
    #[param(min = 0, max = 10_000_000, default = 100, meaning = Repetitions)]
    pub transfers: u64,
    /// Number of transfers before anything is measured.
    #[param(max = 10_000_000, default = WARM_UP)]
    pub warm_up: u64,
    /// Number of operations that the test keeps outstanding; by default 1. Of these, the interface's engine carries out
    /// as many at once as it has slots.
    #[param(min = 1, max = 4096)]
    pub outstanding: Option<u64>,
    /// Memory over which the transfers are spread, in units of the size, rounded up to 64 B; by default one transfer.
    #[param(min = "4 B")]
    pub window: Option<Bytes>,
    /// Order in which transfers visit the window: `sequential`, the default, or `random`.
    pub access: Option<AccessOrder>,
    /// State of the window in the host's last-level cache before the first transfer: `host-warm`, a core has written
    /// the window; `device-warm`, the interface has; or `cold`. By default the cache is as the host starts.
    pub cache: Option<CacheWarmth>,
    /// Number of earlier writes of the interface to the window, in the same order, whose traces are in the last-level
    /// cache before the first transfer; they take no simulated time. The default is 0.
    ///
    /// A benchmark of millions of writes measures the cache as its own writes leave it.
    #[param(max = 10_000_000)]
    pub earlier_writes: Option<u64>,
    /// Length of the run if `transfers` is 0.
    #[param(default = "1 ms", meaning = Load)]
    pub time: Time,
    /// Whether the processor copies blocks of memory at the same time.
    #[param(default = false)]
    pub copying: bool,
}

impl DmaTest {
    /// Returns the number of operations, including the warm-up.
    fn total_operations(&self) -> u64 {
        self.warm_up + self.transfers
    }

    /// Returns the size of the window.
    fn window_bytes(&self) -> Bytes {
        self.window.unwrap_or(self.size)
    }

    fn outstanding_operations(&self) -> u64 {
        self.outstanding.unwrap_or(1)
    }

    /// Returns the bytes that the measured operations move, in both directions together.
    fn bytes_moved(&self) -> u64 {
        let moves_per_operation = if self.operation.operation() == DmaTestOperation::WriteRead { 2 } else { 1 };
        self.size.get() * self.transfers * moves_per_operation
    }

    /// Prepares the window, and then keeps operations outstanding until all of them have ended.
    async fn run(self, world: World, id: EndpointId, measurements: Rc<Measurements>) {
        let endpoint = world.endpoint(id);
        let window_start = endpoint.allocate(self.window_bytes());
        if self.transfers == 0 {
            endpoint.until(endpoint.now() + self.time).await;
            return measurements.record_end(world.sim.now());
        }
        if let Some(warmth) = self.cache {
            let is_supported = endpoint.host().warm_cache(window_start, self.window_bytes().get(), warmth);
            assert!(is_supported, "a checked host has a last-level cache");
        }
        let order = self.access.unwrap_or(AccessOrder::Sequential);
        let mut addresses = AddressGenerator::new(window_start, self.size, self.window_bytes(), order, world.seed);
        for _ in 0..self.earlier_writes.unwrap_or(0) {
            endpoint.host().note_device_write(addresses.next(), self.size.get());
        }
        measurements.add_stream();
        let addresses = Rc::new(RefCell::new(addresses));
        for index in 1..self.outstanding_operations() {
            let name = format!("{} DMA test, operation {index}", endpoint.name());
            let stream = self.clone().run_operations(world.clone(), id, measurements.clone(), addresses.clone());
            world.sim.spawn(name, stream);
        }
        self.run_operations(world, id, measurements, addresses).await;
    }

    /// Starts one operation after another until all measured operations have ended.
    async fn run_operations(
        self,
        world: World,
        id: EndpointId,
        measurements: Rc<Measurements>,
        addresses: Rc<RefCell<AddressGenerator>>,
    ) {
        let engine = world.endpoint(id).driver().host_dma().expect("a checked description has host DMA to try");
        let journey = Journey::new(0, id, id, self.size, world.sim.now());
        let operation = self.operation.operation();
        while let Some(number) = measurements.next_operation() {
            let address = addresses.borrow_mut().next();
            let start = world.sim.now();
            for &direction in operation.directions(number) {
                engine.transfer(direction, address, self.size, journey.clone()).await;
            }
            measurements.record((start, world.sim.now()), engine.timer_tick());
        }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("dma.bandwidth", "MB/s", "Bytes that DMA moved per time, after the warm-up"),
    ResultName::metric("dma.bandwidth_bits", "Gbit/s", "The same bandwidth in bits"),
    ResultName::metric(
        "dma.latency",
        "us",
        "Time of a transfer, from its request until its end; the mean over all measured transfers",
    ),
    ResultName::metric("copy.bandwidth", "MB/s", "Bytes that the processor copied per time during the DMA"),
];

impl Part for DmaTest {
    const INFO: PartInfo = PartInfo::new("dma", "DMA transfers between interface and host memory, without messages")
        .results(RESULTS)
        .small_input("size = \"256 B\"\ntransfers = 2\nwarm-up = 0");
}

impl WorkloadSpec for DmaTest {
    fn needs(&self) -> WorkloadNeeds {
        let timed_memory = self.copying.then_some("copying");
        let queued_host_dma = (self.outstanding_operations() > 1).then_some("outstanding");
        WorkloadNeeds {
            nodes: 1,
            host_dma: true,
            queued_host_dma,
            warmed_cache: self.cache.map(|_| "cache").or(self.earlier_writes.map(|_| "earlier-writes")),
            messages: false,
            timed_memory,
            ..WorkloadNeeds::default()
        }
    }

    fn check_endpoints(&self, _: usize) -> Vec<ParameterError> {
        let window = self.window.filter(|window| *window < self.size);
        let error = |window: Bytes| {
            let message = format!("a window of {window} holds no transfer of {}", self.size);
            ParameterError::new("window", message).related(["size"]).help("make the window as large as one transfer")
        };
        window.map(error).into_iter().collect()
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        self.node.iter().map(|name| ("node".to_owned(), name.as_str())).collect()
    }

    fn buffer_max(&self) -> Option<(&'static str, Bytes)> {
        Some((if self.window.is_some() { "window" } else { "size" }, self.window_bytes()))
    }

    fn local_buffers(&self) -> Vec<(FlowEndpoint<'_>, Bytes)> {
        let node = FlowEndpoint::named_or(self.node.as_deref(), 0);
        let copy_buffers = self.copying.then_some(Bytes(2 * copy::AREA_BYTES));
        [self.window_bytes()].into_iter().chain(copy_buffers).map(|bytes| (node, bytes)).collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let node = self.node.as_ref().map_or_else(|| world.nodes[0].endpoint().id(), |name| world.id(name));
        let name = format!("{} DMA test", world.endpoint(node).name());
        let measurements = Rc::new(Measurements::new(self.clone()));
        world.sim.spawn(name, self.clone().run(world.clone(), node, measurements.clone()));
        if self.copying {
            measurements.copied_bytes.get_or_init(|| copy::start(world, node));
        }
        measurements
    }
}
