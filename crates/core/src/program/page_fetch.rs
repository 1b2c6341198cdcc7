//! Page fetch: a page fault requests a page from another node's memory and waits for it.
//!
//! The request is a control message. The tag of the answer steers the page into the frame that the fault waits for. The
//! system uses page fetches itself, for network memory (Yocum et al. 1997, §2.2).

use super::{EndpointPair, RunningWorkload, pattern};
use crate::engine::flow_series::FlowSeries;
use crate::engine::stats::Summary;
use crate::engine::{Bytes, Distribution, EndpointId, Metric, Outcome, SampleUnit};
use crate::messaging::{Outgoing, World};
use crate::part::{Part, PartInfo, ResultName};
use crate::program::{PlannedFlow, WARM_UP, WarmUpCheck, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The parameters of page fetch.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct PageFetch {
    /// Node that faults, and node that holds the pages.
    #[param(flatten)]
    pub endpoints: EndpointPair,
    /// Number of page faults that are measured.
    #[param(min = 1, max = 10_000_000, default = 100, meaning = Repetitions)]
    pub faults: u64,
    /// Number of page faults before anything is measured.
    #[param(max = 10_000_000, default = WARM_UP)]
    pub warm_up: u64,
    /// Size of a page. The default is 8 KiB, or the largest message if that is smaller.
    #[param(key = "page", min = "4 B", max = "1 MiB")]
    stated_page: Option<Bytes>,
    /// The size of a page.
    #[param(skip = stated_page.unwrap_or(PAGE_BYTES))]
    pub page: Bytes,
}

struct Measurements {
    warm_up: u64,
    latencies: RefCell<Summary>,
    durations: RefCell<FlowSeries>,
}

/// The name of the metric of a fault's latency, from the fault until the page is in its frame.
const LATENCY: &str = "fetch.latency";

/// The tag of every page; only one fault waits at a time.
const PAGE_TAG: u16 = 1;
/// Size of a page of the machines of Yocum et al. (1997, §2.1).
const PAGE_BYTES: Bytes = Bytes(8192);
/// Number of pages that the server holds.
pub const PAGES_IN_MEMORY: u64 = 8;

impl PageFetch {
    async fn run_faults(self, world: World, from: EndpointId, to: EndpointId, measurements: Rc<Measurements>) {
        let endpoint = world.endpoint(from);
        let frame = endpoint.allocate(self.page);
        let pages: Vec<Vec<u8>> =
            (0..PAGES_IN_MEMORY).map(|number| pattern::payload_bytes(number, self.page)).collect();
        world.tally.set_measuring(false);
        measurements.durations.borrow_mut().add_flow();
        for fault in 0..self.warm_up + self.faults {
            if fault == self.warm_up {
                world.tally.set_measuring(true);
            }
            let start = endpoint.now();
            let page_number = fault % PAGES_IN_MEMORY;
            endpoint.map_tag(PAGE_TAG, frame).await;
            let words = [page_number as u32];
            let request = Outgoing { destination: to, tag: 0, address: 0, payload: Bytes::ZERO, words: &words };
            endpoint.send(request).await;
            let answer = endpoint.receive().await;
            assert_eq!(answer.tag, PAGE_TAG, "a page has its tag");
            assert!(!endpoint.steers_by_tag() || answer.address == frame, "the page is not in the frame of its tag");
            endpoint.with_payload(&answer, |bytes| {
                assert!(bytes == pages[page_number as usize], "the page is not the requested one")
            });
            if let Some(measured_number) = fault.checked_sub(self.warm_up) {
                let now = endpoint.now();
                measurements.durations.borrow_mut().add(measured_number, now - start, now);
                measurements.latencies.borrow_mut().add(now - start);
            }
            endpoint.release(answer).await;
        }
    }

    async fn serve_pages(self, world: World, to: EndpointId) {
        let endpoint = world.endpoint(to);
        let mut pages = Vec::new();
        for number in 0..PAGES_IN_MEMORY {
            let page = endpoint.allocate(self.page);
            endpoint.prepare(page, &pattern::payload_bytes(number, self.page)).await;
            pages.push(page);
        }
        loop {
            let request = endpoint.receive().await;
            let page_number = request.words[0];
            let (destination, address) = (request.source, pages[page_number as usize]);
            endpoint.release(request).await;
            let answer = Outgoing { destination, tag: PAGE_TAG, address, payload: self.page, words: &[] };
            endpoint.send(answer).await;
        }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[ResultName::metric(
    "fetch.latency",
    "us",
    "Time from a page fault until the page has arrived; the mean over all measured faults",
)];

impl Part for PageFetch {
    const INFO: PartInfo = PartInfo::new("page-fetch", "A request answered by a page")
        .results(RESULTS)
        .small_input("page = \"300 B\"\nfaults = 2\nwarm-up = 0");
}

impl WorkloadSpec for PageFetch {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn resolved(&self, message_max: Bytes) -> Option<Arc<dyn WorkloadSpec>> {
        // A page without a stated size is as large as one message of this machine allows.
        Some(Arc::new(PageFetch { page: self.stated_page.unwrap_or(PAGE_BYTES.min(message_max)), ..self.clone() }))
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        self.endpoints.endpoint_names()
    }

    fn endpoint_pairs<'a>(&'a self, defaults: [Option<&'a str>; 2]) -> Vec<(String, (&'a str, &'a str))> {
        self.endpoints.endpoint_pairs(defaults)
    }

    fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        Some(("page", self.page))
    }

    fn flows(&self) -> Vec<PlannedFlow<'_>> {
        let request = PlannedFlow { send_buffers: (1, self.page), ..self.endpoints.flow(Bytes(4)) };
        vec![
            request,
            PlannedFlow { send_buffers: (PAGES_IN_MEMORY, self.page), ..self.endpoints.reply_flow(self.page) },
        ]
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let (latencies, durations) = Default::default();
        let measurements = Rc::new(Measurements { warm_up: self.warm_up, latencies, durations });
        let (from, to) = self.endpoints.endpoint_ids(world);
        world.sim.spawn(
            format!("{} program", world.endpoint(from).name()),
            self.clone().run_faults(world.clone(), from, to, measurements.clone()),
        );
        world
            .sim
            .spawn_server(format!("{} server", world.endpoint(to).name()), self.clone().serve_pages(world.clone(), to));
        measurements
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let mut metrics = Distribution::metrics(LATENCY, SampleUnit::Picoseconds, &self.latencies.borrow());
        metrics.extend(super::delivery_metrics(world));
        metrics.extend(super::message_latency_metrics(&world.tally.latencies()));
        metrics
    }

    fn distributions(&self, world: &World, _: &Outcome) -> Vec<Distribution> {
        let faults = Distribution::new(LATENCY, SampleUnit::Picoseconds, &self.latencies.borrow());
        vec![faults, super::message_latencies(&world.tally.latencies())]
    }

    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (durations, warm_up) = (&self.durations.borrow(), ("workload.page-fetch.warm-up", self.warm_up, "faults"));
        Some(WarmUpCheck::for_flows(world, durations, warm_up, (LATENCY, "us", 1e6)))
    }
}
