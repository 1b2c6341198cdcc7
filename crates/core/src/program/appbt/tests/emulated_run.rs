//! Tests that compare runs of several processors, in any order of execution, with the run of one.

use super::super::coupling::{QUANTITIES, Quantities};
use super::super::field::FlowField;
use super::super::gas::Gas;
use super::super::reads::{self, Phase, PointValue};
use super::super::subcubes::Subcubes;
use super::super::{residual, serial, sweep};
use super::gas_with_points;
use crate::engine::rng::{self, RandomStream};
use rand::RngExt;

/// An emulated run of several processors. Each has a separate field, which contains only the values that it has read
/// from others.
struct EmulatedRun {
    gas: Gas,
    subcubes: Subcubes,
    fields: Vec<FlowField>,
    random: RandomStream,
}

impl EmulatedRun {
    fn new(gas: &Gas, processors: usize) -> EmulatedRun {
        let subcubes = Subcubes::new(gas, processors).expect("the cube has enough points");
        let field = |processor: usize| {
            let mut field = FlowField::new(gas);
            for point in
                (0..gas.point_count()).filter(|point| subcubes.owner_and_index(gas.indices_of(*point)).0 != processor)
            {
                field.states[point] = [f64::NAN; QUANTITIES];
                field.driving_terms[point] = [f64::NAN; QUANTITIES];
                field.residuals[point] = [f64::NAN; QUANTITIES];
                field.upper_matrices[point] = [[f64::NAN; QUANTITIES]; QUANTITIES];
            }
            field
        };
        let fields = (0..processors).map(field).collect();
        EmulatedRun {
            gas: gas.clone(),
            subcubes,
            fields,
            random: rng::stream(processors as u64, "order of processors"),
        }
    }

    fn run_phase(&mut self, processor: usize, phase: Phase) -> Quantities {
        let (gas, subcube) = (&self.gas, self.subcubes.subcube_of(processor));
        for (owner, kind, point) in reads::remote_reads(gas, &self.subcubes, processor, phase) {
            assert_eq!(self.subcubes.owner_and_index(gas.indices_of(point)).0, owner);
            let [state, residual] = [self.fields[owner].states[point], self.fields[owner].residuals[point]];
            match kind {
                PointValue::State => self.fields[processor].states[point] = state,
                PointValue::Residual => self.fields[processor].residuals[point] = residual,
                PointValue::Upper => {
                    self.fields[processor].upper_matrices[point] = self.fields[owner].upper_matrices[point]
                }
            }
        }
        let field = &mut self.fields[processor];
        match phase {
            Phase::Residual => return residual::compute_residuals(gas, field, &subcube),
            Phase::Forward(axis, chunk) => sweep::forward(gas, field, &subcube, axis, chunk),
            Phase::Backward(axis, chunk) => sweep::backward(gas, field, &subcube, axis, chunk),
            Phase::Add => residual::add_solutions(gas, field, &subcube),
        }
        Quantities::default()
    }

    /// Runs the phases between two barriers, one at a time. Each is run on a random processor that need not wait.
    fn run_to_barrier(&mut self, phases: impl Fn(usize) -> Vec<Phase>) -> Quantities {
        let phases: Vec<Vec<Phase>> = (0..self.fields.len()).map(phases).collect();
        let (mut done_phases, mut norm) = (vec![0; phases.len()], Quantities::default());
        loop {
            let can_run = |processor: &usize| {
                let Some(phase) = phases[*processor].get(done_phases[*processor]) else { return false };
                reads::predecessor(&self.gas, &self.subcubes, *processor, *phase).is_none_or(|neighbour| {
                    let index = phases[neighbour].iter().position(|other| other == phase);
                    done_phases[neighbour] > index.expect("a neighbour along an axis has the same chunks")
                })
            };
            let ready_processors: Vec<usize> = (0..phases.len()).filter(can_run).collect();
            if ready_processors.is_empty() {
                assert!(
                    (0..phases.len()).all(|processor| done_phases[processor] == phases[processor].len()),
                    "every processor has run all of its phases"
                );
                return norm;
            }
            let processor = ready_processors[self.random.random_range(0..ready_processors.len() as u64) as usize];
            let own_norm = self.run_phase(processor, phases[processor][done_phases[processor]]);
            norm.iter_mut().zip(own_norm).for_each(|(norm, own_norm)| *norm = norm.max(own_norm));
            done_phases[processor] += 1;
        }
    }

    fn iterate(&mut self) -> Quantities {
        let subcubes = self.subcubes.clone();
        let mut norm = Quantities::default();
        for axis in 0..3 {
            let sweep_phases = |processor: usize| {
                let chunks = subcubes.subcube_of(processor).chunks(axis);
                let residual_phase = (axis == 0).then_some(Phase::Residual);
                let forward = (0..chunks).map(|chunk| Phase::Forward(axis, chunk));
                residual_phase
                    .into_iter()
                    .chain(forward)
                    .chain((0..chunks).map(|chunk| Phase::Backward(axis, chunk)))
                    .collect()
            };
            let sweep_norm = self.run_to_barrier(sweep_phases);
            norm.iter_mut().zip(sweep_norm).for_each(|(norm, sweep_norm)| *norm = norm.max(sweep_norm));
        }
        self.run_to_barrier(|_| vec![Phase::Add]);
        norm
    }
}

#[test]
fn any_number_of_processors_in_any_order_matches_the_serial_run() {
    let gas = gas_with_points(10);
    let (serial, norms) = serial::run(&gas, 3);
    for processors in [1, 2, 3, 8, 10, 12, 16, 64] {
        let mut run = EmulatedRun::new(&gas, processors);
        let emulated_norms: Vec<Quantities> = (0..3).map(|_| run.iterate()).collect();
        assert_eq!(emulated_norms, norms, "{processors} processors");
        for point in 0..gas.point_count() {
            let (processor, _) = run.subcubes.owner_and_index(gas.indices_of(point));
            assert_eq!(
                run.fields[processor].states[point], serial.states[point],
                "{processors} processors, point {point}"
            );
        }
    }
}
