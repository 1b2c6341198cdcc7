//! The program of a processor, and the check of its answer.

use super::coupling::Quantities;
use super::field::Field;
use super::gas::Gas;
use super::reads::{self, Holding, Phase};
use super::subcubes::Subcubes;
use super::{costs, residual, serial, sweep};
use crate::engine::{EndId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::worker::{self, Worker, fault_metric};
use crate::program::{RunningWorkload, parallel};
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of appbt.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Appbt {
    /// Points along a side of the cube.
    #[param(min = 3, max = 64, default = 12)]
    pub points: u64,
    /// Iterations.
    #[param(min = 1, max = 400, default = 1)]
    pub iterations: u64,
}

/// What a point shares, in the order of their areas.
const HOLDINGS: [Holding; 3] = [Holding::State, Holding::Residual, Holding::Upper];
/// Sweeps that a processor counts the chunks of: forward and backward, along each axis.
const COUNTERS: usize = 6;

impl Appbt {
    fn gas(&self) -> Gas {
        Gas { points: self.points as usize, ..Gas::default() }
    }
}

impl Part for Appbt {
    const INFO: PartInfo = PartInfo::new("appbt", "A gas in a cube, by shared memory, on all nodes")
        .small_input("points = 4\niterations = 1");
}

impl WorkloadSpec for Appbt {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { shared_memory: true, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        let fits = Subcubes::new(&self.gas(), nodes).is_some();
        let reason = || format!("a cube of {} points a side has no {nodes} subcubes", self.points);
        (!fits).then(|| ParameterError::new("points", reason())).into_iter().collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let (gas, processors) = (self.gas(), world.addresses.len());
        let subcubes = Subcubes::new(&gas, processors).expect("a checked description fits its nodes");
        let space = Rc::new(Space::new(processors, world.shared_memory.block));
        let area = |home: usize, bytes: usize| {
            let points: usize = subcubes.of(home).points.iter().map(|range| range.len()).product();
            space.allocate(EndId(home as u32), (points * bytes) as u64)
        };
        let areas = (0..processors).map(|home| HOLDINGS.map(|what| area(home, what.bytes()))).collect();
        // Each counter has a block to itself: who waits for one is not woken by another.
        let counters = |home: usize| [(); COUNTERS].map(|()| space.allocate(EndId(home as u32), 8));
        let counters = (0..processors).map(counters).collect();
        let workers = Worker::all(world, &space);
        let run = Rc::new(Run {
            parameters: self.clone(),
            results: RefCell::new(vec![None; processors]),
            span: parallel::Span::default(),
            gas,
            subcubes,
            areas,
            counters,
            workers,
        });
        worker::start(world, &run.workers, |worker| run.clone().program(worker));
        run
    }
}

/// A processor's field, and the greatest residuals of each iteration.
type Made = (Field, Vec<Quantities>);

struct Run {
    parameters: Appbt,
    gas: Gas,
    subcubes: Subcubes,
    /// By processor, where what its points share is.
    areas: Vec<[SharedAddress; HOLDINGS.len()]>,
    /// By processor, where it counts the chunks that are done.
    counters: Vec<[SharedAddress; COUNTERS]>,
    workers: Vec<Rc<Worker>>,
    /// By processor that is done, what it has made.
    results: RefCell<Vec<Option<Made>>>,
    span: parallel::Span,
}

impl Run {
    /// The program of a processor.
    async fn program(self: Rc<Self>, worker: Rc<Worker>) {
        let subcube = self.subcubes.of(worker.id());
        let (mut field, mut norms) = (Field::new(&self.gas), Vec::new());
        for point in self.own_points(worker.id()) {
            self.write(&worker, &field, Holding::State, point).await;
        }
        worker.barrier().await;
        self.span.begun(worker.end());
        for iteration in 0..self.parameters.iterations {
            norms.push(self.residuals(&worker, &mut field).await);
            for axis in 0..3 {
                for (phase, number) in [(Phase::Forward as fn(usize, usize) -> Phase, 0), (Phase::Backward, 3)] {
                    for chunk in 0..subcube.chunks(axis) {
                        let done = iteration * subcube.chunks(axis) as u64 + chunk as u64 + 1;
                        self.sweep(&worker, &mut field, phase(axis, chunk), (number + axis, done)).await;
                    }
                }
                worker.barrier().await;
            }
            self.read(&worker, &mut field, Phase::Add).await;
            residual::add(&self.gas, &mut field, &subcube);
            self.wrote(&worker, &field, &[Holding::State], costs::ADD, subcube.inner_points(&self.gas)).await;
            worker.barrier().await;
        }
        self.span.over(worker.end());
        self.end(worker.id(), (field, norms));
    }

    /// The right-hand side; its greatest magnitudes.
    async fn residuals(&self, worker: &Worker, field: &mut Field) -> Quantities {
        self.read(worker, field, Phase::Residual).await;
        let subcube = self.subcubes.of(worker.id());
        let norm = residual::residuals(&self.gas, field, &subcube);
        self.wrote(worker, field, &[Holding::Residual], costs::RESIDUAL, subcube.inner_points(&self.gas)).await;
        norm
    }

    /// A chunk of a sweep, when the neighbour that it comes from has done the same; `done` chunks are counted then.
    async fn sweep(&self, worker: &Worker, field: &mut Field, phase: Phase, (counter, done): (usize, u64)) {
        let (gas, own) = (&self.gas, worker.id());
        if let Some(before) = reads::awaited(gas, &self.subcubes, own, phase) {
            worker.wait_for(self.counters[before][counter], |count| count >= done).await;
        }
        self.read(worker, field, phase).await;
        let subcube = self.subcubes.of(own);
        let points =
            |axis, chunk| subcube.lines(gas, axis, chunk).flat_map(move |line| subcube_along(self, own, axis, line));
        match phase {
            Phase::Forward(axis, chunk) => {
                sweep::forward(gas, field, &subcube, axis, chunk);
                let what = [Holding::Residual, Holding::Upper];
                self.wrote(worker, field, &what, costs::FORWARD, points(axis, chunk)).await;
            }
            Phase::Backward(axis, chunk) => {
                sweep::backward(gas, field, &subcube, axis, chunk);
                self.wrote(worker, field, &[Holding::Residual], costs::BACKWARD, points(axis, chunk)).await;
            }
            Phase::Residual | Phase::Add => return,
        }
        worker.compute(costs::COUNTER).await;
        worker.store(self.counters[own][counter], done).await;
    }

    /// Reads what a phase needs of others.
    async fn read(&self, worker: &Worker, field: &mut Field, phase: Phase) {
        for (_, what, point) in reads::remote(&self.gas, &self.subcubes, worker.id(), phase) {
            let place = self.place(what, point);
            for (word, value) in (0..).zip(values_mut(field, what, point)) {
                *value = worker.load_f64(place.plus(8 * word)).await;
            }
        }
    }

    /// Computes points, so many instructions each, and writes what others may read of them.
    async fn wrote(
        &self,
        worker: &Worker,
        field: &Field,
        what: &[Holding],
        instructions: u64,
        points: impl Iterator<Item = usize>,
    ) {
        for point in points {
            worker.compute(instructions).await;
            for what in what {
                self.write(worker, field, *what, point).await;
            }
        }
    }

    async fn write(&self, worker: &Worker, field: &Field, what: Holding, point: usize) {
        let place = self.place(what, point);
        for (word, value) in (0..).zip(values(field, what, point)) {
            worker.store_f64(place.plus(8 * word), *value).await;
        }
    }

    /// Where a point has it.
    fn place(&self, what: Holding, point: usize) -> SharedAddress {
        let (processor, place) = self.subcubes.place(self.gas.at(point));
        self.areas[processor][what as usize].plus((place * what.bytes()) as u32)
    }

    fn own_points(&self, processor: usize) -> impl Iterator<Item = usize> {
        let gas = &self.gas;
        (0..gas.size()).filter(move |point| self.subcubes.place(gas.at(*point)).0 == processor)
    }

    /// Keeps a processor's field; the last one compares them all with a serial run.
    fn end(&self, processor: usize, result: Made) {
        self.results.borrow_mut()[processor] = Some(result);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let (serial, norms) = serial::run(&self.gas, self.parameters.iterations);
        let of = |point: usize| self.subcubes.place(self.gas.at(point)).0;
        let same = (0..self.gas.size()).all(|point| results[of(point)].0.states[point] == serial.states[point]);
        assert!(same, "the gas is not that of a serial run: a model moved wrong bytes");
        let greatest = |iteration: usize, of: usize| results.iter().map(|it| it.1[iteration][of]).fold(0.0, f64::max);
        let same = norms.iter().enumerate().all(|(at, norm)| (0..norm.len()).all(|of| greatest(at, of) == norm[of]));
        assert!(same, "residuals are those of a serial run");
    }
}

/// The points of a line of a processor's chunk.
fn subcube_along(run: &Run, processor: usize, axis: usize, line: usize) -> impl Iterator<Item = usize> {
    run.subcubes.of(processor).along(&run.gas, axis, line).map(|(point, _)| point)
}

/// What a point holds, as numbers.
fn values(field: &Field, what: Holding, point: usize) -> &[f64] {
    match what {
        Holding::State => &field.states[point],
        Holding::Residual => &field.residuals[point],
        Holding::Upper => field.uppers[point].as_flattened(),
    }
}

fn values_mut(field: &mut Field, what: Holding, point: usize) -> &mut [f64] {
    match what {
        Holding::State => &mut field.states[point],
        Holding::Residual => &mut field.residuals[point],
        Holding::Upper => field.uppers[point].as_flattened_mut(),
    }
}

impl RunningWorkload for Run {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let own = [
            self.span.metric_each("appbt.cycles_per_iteration", self.parameters.iterations, outcome),
            fault_metric(&self.workers),
        ];
        parallel::metrics(world, own)
    }
}
