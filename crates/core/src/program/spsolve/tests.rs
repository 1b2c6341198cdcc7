//! Is the factor one, is the solve a solve, and does any order of messages give the same?

use super::dag::Dag;
use super::factor::Factor;
use super::run::Solve;
use super::*;
use crate::engine::rng;
use crate::program::input::fem::FemSize;
use crate::program::input::{LowerTriangle, SymmetricMatrix, colours, fem, matrix_market, partition};
use crate::text::Parameters;
use rand::RngExt;

fn drawn(rows: usize, seed: u64) -> SymmetricMatrix {
    fem::generate(FemSize { rows, freedom: 3, neighbours: 20.0 }, seed).expect("a matrix").matrix
}

fn right_hand(rows: usize) -> Vec<f64> {
    let mut random = rng::stream(5, "right-hand side");
    (0..rows).map(|_| random.random_range(-1.0..1.0)).collect()
}

/// `L x - b`, or `Lᵀ x - b`, at worst.
fn residual(lower: &LowerTriangle, is_forward: bool, unknowns: &[f64], right_hand: &[f64]) -> f64 {
    let mut rest: Vec<f64> =
        (0..lower.rows()).map(|row| lower.diagonal(row) * unknowns[row] - right_hand[row]).collect();
    for row in 0..lower.rows() {
        for (column, value) in lower.row(row).0.iter().map(|column| *column as usize).zip(lower.row(row).1) {
            let (into, from) = if is_forward { (row, column) } else { (column, row) };
            rest[into] += value * unknowns[from];
        }
    }
    rest.iter().fold(0.0, |worst, rest| worst.max(rest.abs()))
}

/// Entries of `L Lᵀ` where the matrix has some are the matrix's.
#[test]
fn a_factor_times_itself_is_the_matrix_where_it_has_entries() {
    let matrix = drawn(90, 1);
    let Factor { lower, shift } = Factor::of(&matrix).expect("a factor");
    let matrix = matrix.lower;
    assert_eq!((shift, lower.below()), (0.0, matrix.below()));
    let mut whole = vec![vec![0.0; 90]; 90];
    for (row, of) in whole.iter_mut().enumerate() {
        lower.row(row).0.iter().zip(lower.row(row).1).for_each(|(column, value)| of[*column as usize] = *value);
        of[row] = lower.diagonal(row);
    }
    let product = |one: usize, other: usize| whole[one].iter().zip(&whole[other]).map(|(a, b)| a * b).sum::<f64>();
    for row in 0..90 {
        // Entries of about 30, and some dozens of roundings.
        assert!((product(row, row) - matrix.diagonal(row)).abs() < 1e-12);
        for (column, value) in matrix.row(row).0.iter().zip(matrix.row(row).1) {
            assert!((product(row, *column as usize) - value).abs() < 1e-12);
        }
    }
}

#[test]
fn a_solve_solves() {
    let lower = Factor::of(&drawn(900, 2)).expect("a factor").lower;
    let right_hand = right_hand(900);
    for (dag, is_forward) in [(Dag::forward(&lower), true), (Dag::backward(&lower), false)] {
        let unknowns = dag.serial(&right_hand);
        // Right-hand sides of at most 1, and some dozens of roundings of terms of about that.
        assert!(residual(&lower, is_forward, &unknowns, &right_hand) < 1e-12);
        assert!(residual(&lower, !is_forward, &unknowns, &right_hand) > 1e-3, "the other solve is another");
        assert!(dag.levels() > 30 && dag.levels() < 900, "{}", dag.levels());
    }
}

#[test]
fn what_has_no_factor_is_told_or_shifted() {
    let of = |text: &str| {
        let text = format!("%%MatrixMarket matrix coordinate real symmetric\n{text}");
        Factor::of(&matrix_market::read(text.as_bytes()).expect("a matrix"))
    };
    let negative = of("2 2 3\n1 1 1\n2 1 1\n2 2 -1\n").expect_err("no factor");
    assert_eq!(negative, "expected a positive definite matrix: row 2 has -1 on the diagonal");
    let shifted = of("2 2 3\n1 1 1\n2 1 1\n2 2 1\n").expect("a factor of a larger diagonal");
    assert_eq!(shifted.shift, 1e-3);
    let huge = of("2 2 3\n1 1 1e-300\n2 1 1e300\n2 2 1\n").expect_err("no factor");
    assert!(huge.contains("too large beside the diagonal"), "{huge}");
}

#[test]
fn contributions_travel_in_three_words() {
    let contribution = Contribution { place: 7, value: -0.1 };
    assert_eq!(Contribution::of(contribution.words()), contribution);
    assert_eq!(std::mem::size_of_val(&contribution.words()), 12);
}

/// Solves with several processors; messages come in an order drawn from the seed. How many there were.
fn parallel(dag: &Dag, owners: &[u32], parts: usize, right_hand: &[f64], seed: u64) -> (Vec<f64>, usize) {
    let mut random = rng::stream(seed, "orders");
    let mut all = RowShare::all(dag, owners, parts);
    all.iter_mut().for_each(|rows| rows.begin(right_hand));
    let (mut on_the_way, mut messages): (Vec<(usize, [u32; 3])>, usize) = (Vec::new(), 0);
    while !on_the_way.is_empty() || !all.iter().all(RowShare::is_solved) {
        let part = random.random_range(0..parts);
        if random.random::<bool>() && !on_the_way.is_empty() {
            let (to, words) = on_the_way.swap_remove(random.random_range(0..on_the_way.len()));
            all[to].take(Contribution::of(words));
        } else if let Some(row) = all[part].next_ready() {
            all[part].solve(row);
            for edge in 0..all[part].degree(row).1 {
                let (to, contribution) = all[part].contribution(row, edge);
                if to == part {
                    all[to].take(contribution);
                } else {
                    on_the_way.push((to, contribution.words()));
                    messages += 1;
                }
            }
        }
    }
    let mut unknowns = vec![f64::NAN; dag.rows()];
    all.iter().for_each(|rows| rows.put(&mut unknowns));
    (unknowns, messages)
}

fn bits(unknowns: &[f64]) -> Vec<u64> {
    unknowns.iter().map(|unknown| unknown.to_bits()).collect()
}

#[test]
fn any_order_of_messages_gives_the_serial_answer() {
    let matrix = drawn(400, 3);
    let lower = Factor::of(&matrix).expect("a factor").lower;
    let right_hand = right_hand(400);
    for dag in [Dag::forward(&lower), Dag::backward(&lower)] {
        let serial = bits(&dag.serial(&right_hand));
        for parts in [1, 3, 16] {
            for owners in [partition::round_robin(400, parts), partition::breadth_first(&matrix.adjacency(), parts)] {
                for seed in 0..3 {
                    let (unknowns, messages) = parallel(&dag, &owners, parts, &right_hand, seed);
                    assert!(bits(&unknowns) == serial, "{parts} parts");
                    let cut = dag.edges().filter(|(row, from, _)| owners[*row as usize] != owners[*from as usize]);
                    assert_eq!(messages, cut.count());
                }
            }
        }
    }
}

#[test]
fn the_papers_size_is_drawn() {
    let matrix = fem::generate(FemSize::defaults(), 1).expect("a matrix").matrix;
    let dag = Dag::forward(&Factor::of(&matrix).expect("a factor").lower);
    assert_eq!((dag.rows(), dag.edges().count()), (3720, 3720 * 26 / 2));
    assert!((100..1000).contains(&dag.levels()), "{}", dag.levels());
    // By colours: at most as many levels as a row has neighbours, and one.
    let coloured = matrix.reordered(&colours::by_colour(&matrix.adjacency()));
    let dag = Dag::forward(&Factor::of(&coloured).expect("a factor").lower);
    assert_eq!((dag.rows(), dag.edges().count()), (3720, 3720 * 26 / 2));
    assert!((9..40).contains(&dag.levels()), "{}", dag.levels());
}

fn described(text: &str) -> Spsolve {
    super::super::tests::read::<Spsolve>(&format!("[workload.spsolve]\n{text}"))
}

#[test]
fn what_does_not_fit_is_told() {
    assert!(described("").check_processors(16).is_empty());
    let few = described("rows = 30\nneighbours = 10");
    assert!(few.check_processors(30).is_empty());
    assert_eq!(few.check_processors(31)[0].0, "rows");
    assert_eq!(described("rows = 30\nneighbours = 60").check_processors(2)[0].0, "neighbours");
}

/// Two processors that have solved; one unknown of the second is off by as little as can be.
fn ended(ordering: &str, is_right: bool) {
    let text = format!("rows = 30\nneighbours = 10\niterations = 2\nordering = '{ordering}'");
    let solve = Solve::new(&described(&text), 2, 7);
    let (mut unknowns, changed) = solve.serial();
    let of = |unknowns: &[f64], processor| solve.own(unknowns, processor);
    solve.end(0, (of(&unknowns, 0), changed));
    if !is_right {
        let last = unknowns.last_mut().expect("thirty");
        *last = f64::from_bits(last.to_bits() ^ 1);
    }
    solve.end(1, (of(&unknowns, 1), changed));
}

#[test]
fn a_solve_that_is_right_is_taken() {
    ended("natural", true);
    ended("coloured", true);
}

#[test]
#[should_panic(expected = "the unknowns are not those of a serial run")]
fn a_solve_that_is_wrong_in_one_bit_is_told() {
    ended("natural", false);
}
