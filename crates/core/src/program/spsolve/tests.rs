//! Tests of the factor and the solves, and that the result does not depend on the order of messages.

use super::dag::Dag;
use super::factor::Factor;
use super::run::SolveRun;
use super::*;
use crate::engine::rng;
use crate::program::input::fem::FemSize;
use crate::program::input::{LowerTriangle, SymmetricMatrix, colours, fem, matrix_market, partition};
use crate::text::Parameters;
use rand::RngExt;

fn generated_matrix(rows: usize, seed: u64) -> SymmetricMatrix {
    fem::generate(FemSize { rows, degrees_of_freedom: 3, neighbours: 20.0 }, seed).expect("the matrix is valid").matrix
}

fn right_hand_side(rows: usize) -> Vec<f64> {
    let mut random = rng::stream(5, "right-hand side");
    (0..rows).map(|_| random.random_range(-1.0..1.0)).collect()
}

/// Returns the largest magnitude of `L x - b`, or of `Lᵀ x - b`.
fn residual(lower: &LowerTriangle, is_forward: bool, unknowns: &[f64], right_hand: &[f64]) -> f64 {
    let mut residuals: Vec<f64> =
        (0..lower.rows()).map(|row| lower.diagonal(row) * unknowns[row] - right_hand[row]).collect();
    for row in 0..lower.rows() {
        for (column, value) in lower.row(row).0.iter().map(|column| *column as usize).zip(lower.row(row).1) {
            let (into, from) = if is_forward { (row, column) } else { (column, row) };
            residuals[into] += value * unknowns[from];
        }
    }
    residuals.iter().fold(0.0, |max, residual| max.max(residual.abs()))
}

/// Checks that `L Lᵀ` equals the matrix wherever the matrix has entries.
#[test]
fn product_of_the_factor_matches_the_entries_of_the_matrix() {
    let matrix = generated_matrix(90, 1);
    let Factor { lower, shift } = Factor::compute(&matrix).expect("the matrix has a factor");
    let matrix = matrix.lower;
    assert_eq!((shift, lower.entries_below_diagonal()), (0.0, matrix.entries_below_diagonal()));
    let mut dense = vec![vec![0.0; 90]; 90];
    for (row, values) in dense.iter_mut().enumerate() {
        lower.row(row).0.iter().zip(lower.row(row).1).for_each(|(column, value)| values[*column as usize] = *value);
        values[row] = lower.diagonal(row);
    }
    let product = |one: usize, other: usize| dense[one].iter().zip(&dense[other]).map(|(a, b)| a * b).sum::<f64>();
    for row in 0..90 {
        // Entries are about 30, with some dozens of rounding errors.
        assert!((product(row, row) - matrix.diagonal(row)).abs() < 1e-12);
        for (column, value) in matrix.row(row).0.iter().zip(matrix.row(row).1) {
            assert!((product(row, *column as usize) - value).abs() < 1e-12);
        }
    }
}

#[test]
fn solves_have_small_residuals() {
    let lower = Factor::compute(&generated_matrix(900, 2)).expect("the matrix has a factor").lower;
    let right_hand = right_hand_side(900);
    for (dag, is_forward) in [(Dag::forward(&lower), true), (Dag::backward(&lower), false)] {
        let unknowns = dag.solve_serially(&right_hand);
        // Right-hand sides are at most 1, with some dozens of rounding errors of terms of that size.
        assert!(residual(&lower, is_forward, &unknowns, &right_hand) < 1e-12);
        assert!(residual(&lower, !is_forward, &unknowns, &right_hand) > 1e-3, "the other solve has another solution");
        assert!(dag.level_count() > 30 && dag.level_count() < 900, "{}", dag.level_count());
    }
}

#[test]
fn matrices_without_a_factor_are_shifted_or_rejected() {
    let factor = |text: &str| {
        let text = format!("%%MatrixMarket matrix coordinate real symmetric\n{text}");
        Factor::compute(&matrix_market::read(text.as_bytes()).expect("the matrix is valid"))
    };
    let negative = factor("2 2 3\n1 1 1\n2 1 1\n2 2 -1\n").expect_err("the matrix has no factor");
    assert_eq!(negative, "expected a positive definite matrix: row 2 has -1 on the diagonal");
    let shifted = factor("2 2 3\n1 1 1\n2 1 1\n2 2 1\n").expect("the matrix has a factor with an increased diagonal");
    assert_eq!(shifted.shift, 1e-3);
    let huge = factor("2 2 3\n1 1 1e-300\n2 1 1e300\n2 2 1\n").expect_err("the matrix has no factor");
    assert!(huge.contains("off-diagonal entries are too large"), "{huge}");
}

#[test]
fn contribution_encoding_is_three_words_and_lossless() {
    let contribution = Contribution { slot: 7, value: -0.1 };
    assert_eq!(Contribution::from_words(contribution.words()), contribution);
    assert_eq!(std::mem::size_of_val(&contribution.words()), 12);
}

/// Solves on several processors with messages in an order drawn from the seed. Returns also the number of messages.
fn solve_in_parallel(dag: &Dag, owners: &[u32], processors: usize, right_hand: &[f64], seed: u64) -> (Vec<f64>, usize) {
    let mut random = rng::stream(seed, "orders");
    let mut shares = RowShare::all(dag, owners, processors);
    shares.iter_mut().for_each(|share| share.start(right_hand));
    let (mut in_flight, mut messages): (Vec<(usize, [u32; 3])>, usize) = (Vec::new(), 0);
    while !in_flight.is_empty() || !shares.iter().all(RowShare::is_solved) {
        let processor = random.random_range(0..processors);
        if random.random::<bool>() && !in_flight.is_empty() {
            let (to, words) = in_flight.swap_remove(random.random_range(0..in_flight.len()));
            shares[to].receive(Contribution::from_words(words));
        } else if let Some(row) = shares[processor].next_ready_row() {
            shares[processor].solve(row);
            for edge in 0..shares[processor].degrees(row).1 {
                let (to, contribution) = shares[processor].contribution(row, edge);
                if to == processor {
                    shares[to].receive(contribution);
                } else {
                    in_flight.push((to, contribution.words()));
                    messages += 1;
                }
            }
        }
    }
    let mut unknowns = vec![f64::NAN; dag.rows()];
    shares.iter().for_each(|share| share.store(&mut unknowns));
    (unknowns, messages)
}

fn bit_patterns(unknowns: &[f64]) -> Vec<u64> {
    unknowns.iter().map(|unknown| unknown.to_bits()).collect()
}

#[test]
fn any_order_of_messages_matches_the_serial_solve() {
    let matrix = generated_matrix(400, 3);
    let lower = Factor::compute(&matrix).expect("the matrix has a factor").lower;
    let right_hand = right_hand_side(400);
    for dag in [Dag::forward(&lower), Dag::backward(&lower)] {
        let serial = bit_patterns(&dag.solve_serially(&right_hand));
        for processors in [1, 3, 16] {
            for owners in
                [partition::round_robin(400, processors), partition::breadth_first(&matrix.adjacency(), processors)]
            {
                for seed in 0..3 {
                    let (unknowns, messages) = solve_in_parallel(&dag, &owners, processors, &right_hand, seed);
                    assert!(bit_patterns(&unknowns) == serial, "{processors} processors");
                    let cut_edges =
                        dag.edges().filter(|(row, from, _)| owners[*row as usize] != owners[*from as usize]);
                    assert_eq!(messages, cut_edges.count());
                }
            }
        }
    }
}

#[test]
fn default_matrix_has_the_size_of_the_paper() {
    let matrix = fem::generate(FemSize::defaults(), 1).expect("the matrix is valid").matrix;
    let dag = Dag::forward(&Factor::compute(&matrix).expect("the matrix has a factor").lower);
    assert_eq!((dag.rows(), dag.edges().count()), (3720, 3720 * 26 / 2));
    assert!((100..1000).contains(&dag.level_count()), "{}", dag.level_count());
    // In a multicolour ordering there are at most as many levels as a row has neighbours, plus one.
    let coloured = matrix.reordered(&colours::rows_by_colour(&matrix.adjacency()));
    let dag = Dag::forward(&Factor::compute(&coloured).expect("the matrix has a factor").lower);
    assert_eq!((dag.rows(), dag.edges().count()), (3720, 3720 * 26 / 2));
    assert!((9..40).contains(&dag.level_count()), "{}", dag.level_count());
}

fn parameters(text: &str) -> Spsolve {
    super::super::tests::read::<Spsolve>(&format!("[workload.spsolve]\n{text}"))
}

#[test]
fn impossible_sizes_are_rejected() {
    assert!(parameters("").check_processors(16).is_empty());
    let few = parameters("rows = 30\nneighbours = 10");
    assert!(few.check_processors(30).is_empty());
    assert_eq!(few.check_processors(31)[0].0, "rows");
    assert_eq!(parameters("rows = 30\nneighbours = 60").check_processors(2)[0].0, "neighbours");
}

/// Checks the results of two processors. If `is_correct` is false, one unknown of the second has a wrong bit.
fn check_result(ordering: &str, is_correct: bool) {
    let text = format!("rows = 30\nneighbours = 10\niterations = 2\nordering = '{ordering}'");
    let solve = SolveRun::new(&parameters(&text), 2, 7);
    let (mut unknowns, changed) = solve.run_serially();
    let share = |unknowns: &[f64], processor| solve.values_of_processor(unknowns, processor);
    solve.finish(0, (share(&unknowns, 0), changed));
    if !is_correct {
        let last = unknowns.last_mut().expect("there are thirty unknowns");
        *last = f64::from_bits(last.to_bits() ^ 1);
    }
    solve.finish(1, (share(&unknowns, 1), changed));
}

#[test]
fn correct_solves_are_accepted() {
    check_result("natural", true);
    check_result("coloured", true);
}

#[test]
#[should_panic(expected = "the unknowns differ from those of a serial run")]
fn solve_with_one_wrong_bit_is_rejected() {
    check_result("natural", false);
}
