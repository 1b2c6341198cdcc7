//! Tests of the host with a PCIe link.

mod latency;
mod link;
mod llc;
mod registers;
mod traffic;

use super::parameters::PcieParameters;
use crate::engine::{Limits, NodeId, Outcome, Recorder, Simulation, Time};
use crate::host::spec::HostSpec;
use crate::host::{Host, HostNode};
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;

/// Returns the parameters of a host with the Gen3 x8 link of the measured machine and the default times.
fn parameters() -> PcieParameters {
    let mut parameters = PcieParameters::defaults();
    parameters.link.generation = 3;
    parameters.link.lanes = 8;
    parameters
}

/// Runs `work` on a host with `parameters` to its end. Returns the result of `work` and the time of its end.
fn run<T: 'static, F: Future<Output = T> + 'static>(
    parameters: &PcieParameters,
    work: impl FnOnce(Rc<Host>) -> F,
) -> (T, Time) {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let node: Rc<dyn HostNode> = parameters.start(&sim, NodeId(0), "node");
    let host = Rc::new(Host::new(NodeId(0), "node", node));
    let (result, work) = (Rc::<RefCell<Option<T>>>::default(), work(host));
    let recorded_result = result.clone();
    sim.spawn("engine", async move {
        let value = work.await;
        recorded_result.replace(Some(value));
    });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    let result = result.take().expect("the work has ended");
    (result, sim.now())
}
