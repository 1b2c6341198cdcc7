//! The program of a processor, and the check of its result.

use super::coupling::Quantities;
use super::field::FlowField;
use super::gas::Gas;
use super::reads::{self, Phase, PointValue};
use super::subcubes::Subcubes;
use super::{costs, residual, serial, sweep};
use crate::engine::{EndpointId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{RunningWorkload, parallel};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of appbt.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Appbt {
    /// Number of points along a side of the cube.
    #[param(min = 3, max = 64, default = 12)]
    pub points: u64,
    /// Number of iterations.
    #[param(min = 1, max = 400, default = 1, meaning = Repetitions)]
    pub iterations: u64,
}

/// The shared values of a point, in the order of the areas that hold them.
const SHARED_VALUES: [PointValue; 3] = [PointValue::State, PointValue::Residual, PointValue::Upper];
/// Number of sweeps for which a processor counts chunks: forward and backward along each axis.
const COUNTERS_PER_PROCESSOR: usize = 6;

impl Appbt {
    fn gas(&self) -> Gas {
        Gas { points_per_side: self.points as usize, ..Gas::default() }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[ResultName::metric(
    "appbt.cycles_per_iteration",
    "cycles",
    "Length of an iteration, the mean over the measured iterations",
)];

impl Part for Appbt {
    const INFO: PartInfo = PartInfo::new("appbt", "Gas flow in a cube, with shared memory, on all nodes")
        .results(RESULTS)
        .small_input("points = 4\niterations = 1");
}

impl WorkloadSpec for Appbt {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::active_messages() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let fits = Subcubes::new(&self.gas(), nodes).is_some();
        let reason =
            || format!("a cube with {} points along a side cannot be divided into {nodes} subcubes", self.points);
        (!fits).then(|| ParameterError::new("points", reason())).into_iter().collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let (gas, processors) = (self.gas(), world.endpoint_map.len());
        let subcubes = Subcubes::new(&gas, processors).expect("a checked description fits its nodes");
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let allocate_area = |home: usize, bytes: usize| {
            let points: usize = subcubes.subcube_of(home).point_ranges.iter().map(|range| range.len()).product();
            space.allocate(EndpointId(home as u32), (points * bytes) as u64)
        };
        let areas = (0..processors).map(|home| SHARED_VALUES.map(|kind| allocate_area(home, kind.bytes()))).collect();
        // Each counter has a separate block, so that a change of one counter does not wake a processor that waits for
        // another.
        let allocate_counters =
            |home: usize| [(); COUNTERS_PER_PROCESSOR].map(|()| space.allocate(EndpointId(home as u32), 8));
        let counters = (0..processors).map(allocate_counters).collect();
        let workers = Worker::all(world, &space);
        let run = Rc::new(AppbtRun {
            parameters: self.clone(),
            results: RefCell::new(vec![None; processors]),
            timed_section: parallel::TimedSection::default(),
            gas,
            subcubes,
            areas,
            counters,
            workers,
        });
        worker::start(world, &run.workers, |worker| run.clone().run_program(worker));
        run
    }
}

/// The result of a processor: its field, and the greatest residual of each iteration.
type ProcessorResult = (FlowField, Vec<Quantities>);

struct AppbtRun {
    parameters: Appbt,
    gas: Gas,
    subcubes: Subcubes,
    /// Addresses of the areas with the shared values of a processor's points, by processor.
    areas: Vec<[SharedAddress; SHARED_VALUES.len()]>,
    /// Addresses of the counters of completed chunks, by processor.
    counters: Vec<[SharedAddress; COUNTERS_PER_PROCESSOR]>,
    workers: Vec<Rc<Worker>>,
    /// Results of the processors that are done.
    results: RefCell<Vec<Option<ProcessorResult>>>,
    timed_section: parallel::TimedSection,
}

impl AppbtRun {
    /// Runs the program of a processor.
    async fn run_program(self: Rc<Self>, worker: Rc<Worker>) {
        let subcube = self.subcubes.subcube_of(worker.id());
        let (mut field, mut norms) = (FlowField::new(&self.gas), Vec::new());
        for point in self.own_points(worker.id()) {
            self.write_value(&worker, &field, PointValue::State, point).await;
        }
        worker.barrier().await;
        self.timed_section.mark_start(worker.endpoint());
        for iteration in 0..self.parameters.iterations {
            norms.push(self.compute_residuals(&worker, &mut field).await);
            for axis in 0..3 {
                for (phase, first_counter) in [(Phase::Forward as fn(usize, usize) -> Phase, 0), (Phase::Backward, 3)] {
                    for chunk in 0..subcube.chunks(axis) {
                        let done_chunks = iteration * subcube.chunks(axis) as u64 + chunk as u64 + 1;
                        self.sweep(&worker, &mut field, phase(axis, chunk), (first_counter + axis, done_chunks)).await;
                    }
                }
                worker.barrier().await;
            }
            self.read_remote_values(&worker, &mut field, Phase::Add).await;
            residual::add_solutions(&self.gas, &mut field, &subcube);
            self.compute_points(&worker, &field, &[PointValue::State], costs::ADD, subcube.inner_points(&self.gas))
                .await;
            worker.barrier().await;
        }
        self.timed_section.mark_end(worker.endpoint());
        self.finish(worker.id(), (field, norms));
    }

    /// Computes the right-hand side, and returns the greatest magnitude of each quantity.
    async fn compute_residuals(&self, worker: &Worker, field: &mut FlowField) -> Quantities {
        self.read_remote_values(worker, field, Phase::Residual).await;
        let subcube = self.subcubes.subcube_of(worker.id());
        let norm = residual::compute_residuals(&self.gas, field, &subcube);
        self.compute_points(worker, field, &[PointValue::Residual], costs::RESIDUAL, subcube.inner_points(&self.gas))
            .await;
        norm
    }

    /// Sweeps a chunk, when the preceding processor on its lines has completed the same phase of the chunk. Then sets
    /// the counter to `done_chunks`.
    async fn sweep(&self, worker: &Worker, field: &mut FlowField, phase: Phase, (counter, done_chunks): (usize, u64)) {
        let (gas, own_processor) = (&self.gas, worker.id());
        if let Some(predecessor) = reads::predecessor(gas, &self.subcubes, own_processor, phase) {
            worker.wait_for(self.counters[predecessor][counter], |count| count >= done_chunks).await;
        }
        self.read_remote_values(worker, field, phase).await;
        let subcube = self.subcubes.subcube_of(own_processor);
        let points = |axis, chunk| {
            subcube.lines(gas, axis, chunk).flat_map(move |line| line_points(self, own_processor, axis, line))
        };
        match phase {
            Phase::Forward(axis, chunk) => {
                sweep::forward(gas, field, &subcube, axis, chunk);
                let kinds = [PointValue::Residual, PointValue::Upper];
                self.compute_points(worker, field, &kinds, costs::FORWARD, points(axis, chunk)).await;
            }
            Phase::Backward(axis, chunk) => {
                sweep::backward(gas, field, &subcube, axis, chunk);
                self.compute_points(worker, field, &[PointValue::Residual], costs::BACKWARD, points(axis, chunk)).await;
            }
            Phase::Residual | Phase::Add => return,
        }
        worker.compute(costs::COUNTER).await;
        worker.store(self.counters[own_processor][counter], done_chunks).await;
    }

    /// Reads the values that a phase needs from other processors.
    async fn read_remote_values(&self, worker: &Worker, field: &mut FlowField, phase: Phase) {
        for (_, kind, point) in reads::remote_reads(&self.gas, &self.subcubes, worker.id(), phase) {
            let address = self.address(kind, point);
            for (word, value) in (0..).zip(values_mut(field, kind, point)) {
                *value = worker.load_f64(address.plus(8 * word)).await;
            }
        }
    }

    /// Computes points with `instructions` instructions each, and writes the values that other processors may read.
    async fn compute_points(
        &self,
        worker: &Worker,
        field: &FlowField,
        kinds: &[PointValue],
        instructions: u64,
        points: impl Iterator<Item = usize>,
    ) {
        for point in points {
            worker.compute(instructions).await;
            for kind in kinds {
                self.write_value(worker, field, *kind, point).await;
            }
        }
    }

    async fn write_value(&self, worker: &Worker, field: &FlowField, kind: PointValue, point: usize) {
        let address = self.address(kind, point);
        for (word, value) in (0..).zip(values(field, kind, point)) {
            worker.store_f64(address.plus(8 * word), *value).await;
        }
    }

    /// Returns the address of a value of a point.
    fn address(&self, kind: PointValue, point: usize) -> SharedAddress {
        let (processor, index) = self.subcubes.owner_and_index(self.gas.indices_of(point));
        self.areas[processor][kind as usize].plus((index * kind.bytes()) as u32)
    }

    fn own_points(&self, processor: usize) -> impl Iterator<Item = usize> {
        let gas = &self.gas;
        (0..gas.point_count()).filter(move |point| self.subcubes.owner_and_index(gas.indices_of(*point)).0 == processor)
    }

    /// Stores a processor's result; the last processor compares all results with a serial run.
    fn finish(&self, processor: usize, result: ProcessorResult) {
        self.results.borrow_mut()[processor] = Some(result);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let (serial, norms) = serial::run(&self.gas, self.parameters.iterations);
        let owner = |point: usize| self.subcubes.owner_and_index(self.gas.indices_of(point)).0;
        let is_equal =
            (0..self.gas.point_count()).all(|point| results[owner(point)].0.states[point] == serial.states[point]);
        assert!(is_equal, "the gas differs from that of a serial run: a model corrupted data");
        let greatest_residual = |iteration: usize, quantity: usize| {
            results.iter().map(|result| result.1[iteration][quantity]).fold(0.0, f64::max)
        };
        let is_equal = norms.iter().enumerate().all(|(iteration, norm)| {
            (0..norm.len()).all(|quantity| greatest_residual(iteration, quantity) == norm[quantity])
        });
        assert!(is_equal, "the residuals differ from those of a serial run");
    }
}

/// Returns the points of a line in a processor's chunk.
fn line_points(run: &AppbtRun, processor: usize, axis: usize, line: usize) -> impl Iterator<Item = usize> {
    run.subcubes.subcube_of(processor).line_points(&run.gas, axis, line).map(|(point, _)| point)
}

/// Returns the numbers of which a value of a point consists.
fn values(field: &FlowField, kind: PointValue, point: usize) -> &[f64] {
    match kind {
        PointValue::State => &field.states[point],
        PointValue::Residual => &field.residuals[point],
        PointValue::Upper => field.upper_matrices[point].as_flattened(),
    }
}

fn values_mut(field: &mut FlowField, kind: PointValue, point: usize) -> &mut [f64] {
    match kind {
        PointValue::State => &mut field.states[point],
        PointValue::Residual => &mut field.residuals[point],
        PointValue::Upper => field.upper_matrices[point].as_flattened_mut(),
    }
}

impl RunningWorkload for AppbtRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let workload_metrics = [
            self.timed_section.metric_per_iteration("appbt.cycles_per_iteration", self.parameters.iterations, outcome),
            fault_metric(&self.workers),
        ];
        parallel::metrics(world, workload_metrics)
    }
}
