//! What is wrong is told, with its line.

use super::*;

fn told<T: std::fmt::Debug>(read: fn(&[u8]) -> Result<T, InputError>, text: &str) -> String {
    read(text.as_bytes()).expect_err("a wrong file").to_string()
}

#[test]
fn of_graphs() {
    let told = |text| told(metis::read, text);
    assert_eq!(told(""), "line 1: expected a header `vertices edges`, found the end of the file");
    assert_eq!(told("% c\nthree 2\n"), "line 2: expected a number of vertices, found `three`");
    assert_eq!(told("3 1 2\n"), "line 1: expected a format of up to three 0 and 1, found `2`");
    assert_eq!(told("2 1\n2\n"), "line 2: expected the neighbours of vertex 2, found the end of the file");
    assert_eq!(told("2 1\n2\n3\n"), "line 3: expected a neighbour from 1 to 2, found 3");
    assert_eq!(told("2 1\n2\n0\n"), "line 3: expected a neighbour from 1 to 2, found 0");
    assert_eq!(told("2 1\n2\n2\n"), "line 3: vertex 2 has itself as a neighbour");
    assert_eq!(told("2 1\n2 2\n1\n"), "line 2: vertex 1 has the neighbour 2 twice");
    assert_eq!(told("3 2\n2\n1 3\n1\n"), "line 3: vertex 2 has the neighbour 3, which has not 2");
    assert_eq!(told("3 1\n2\n1\n\n"), "line 4: expected the neighbours of vertex 3, found none");
    assert_eq!(told("% c\n2 2\n2\n1\n"), "line 2: expected 2 edges, found 1");
    assert_eq!(told("2 1\n2\n1\n1\n"), "line 4: expected the end of the file after the last vertex, found `1`");
    assert_eq!(told("2 1 1\n2 5\n1\n"), "line 3: expected the weight of the edge, found the end of the line");
}

#[test]
fn of_matrix_market() {
    let banner = "%%MatrixMarket matrix coordinate real symmetric\n";
    let told = |text: &str| told(matrix_market::read, text);
    let of = |text: &str| told(&format!("{banner}{text}"));
    let expected = "expected `%%MatrixMarket matrix coordinate real|integer|pattern symmetric|general`";
    assert_eq!(told("1 1 1\n"), format!("line 1: {expected}, found `1 1 1`"));
    let hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n";
    assert_eq!(told(hermitian), format!("line 1: {expected}, found `complex`"));
    assert_eq!(of("2 3 1\n"), "line 2: expected a square matrix, found 2 rows and 3 columns");
    assert_eq!(of("2 2 1\n1 2 1\n"), "line 3: expected the lower triangle, found row 1 and column 2");
    assert_eq!(of("2 2 1\n3 1 1\n"), "line 3: expected a row from 1 to 2, found 3");
    assert_eq!(of("2 2 1\n2 1 nan\n"), "line 3: expected a finite value, found NaN");
    assert_eq!(of("2 2 1\n2 1 1e999\n"), "line 3: expected a finite value, found inf");
    assert_eq!(of("2 2 1\n2 1\n"), "line 3: expected a value, found the end of the line");
    assert_eq!(of("2 2 1\n2 1 1 1\n"), "line 3: expected the end of the line after the entry, found `1`");
    assert_eq!(of("2 2 2\n2 1 1\n"), "line 3: expected entry 2 of 2, found the end of the file");
    assert_eq!(of("2 2 1\n2 1 1\n2 2 1\n"), "line 4: expected the end of the file after 1 entries, found `2 2 1`");
    assert_eq!(of("3 3 2\n2 1 1\n2 1 1\n"), "line 4: the entry of row 2 and column 1 is there twice, first in line 3");
    assert_eq!(of("3 3 1\n2 1 1\n"), "line 2: expected entries in each of 3 rows, found none in row 3");
    let general = |text: &str| told(&format!("%%MatrixMarket matrix coordinate real general\n{text}"));
    let other_side = "the other side of the diagonal";
    assert_eq!(
        general("2 2 1\n1 2 1\n"),
        format!("line 3: expected a symmetric matrix: the entry of row 1 and column 2 has none on {other_side}")
    );
    assert_eq!(
        general("2 2 2\n1 2 1\n2 1 3\n"),
        format!("line 4: expected a symmetric matrix: the entry of row 2 and column 1 is 3, but 1 on {other_side}")
    );
}

#[test]
fn of_cards() {
    let told = |from: &str, to: &str| {
        assert!(CARDS.contains(from), "{from}");
        told(harwell_boeing::read, &CARDS.replacen(from, to, 1))
    };
    assert_eq!(told("RSA", "RUA"), "line 3: expected RSA or PSA (symmetric and assembled), found `RUA`");
    assert_eq!(told("    6             1", "    7             1"), "line 2: expected 7 cards in all, found 6");
    assert_eq!(told("(5I3)", "(4I3)"), "line 2: expected 2 cards of pointers, as size and formats say, found 1");
    assert_eq!(told("(5I3)", "(5F3)"), "line 4: expected a format like (16I5), found `(5F3)`");
    assert_eq!(told("  1  4", "  2  4"), "line 5: expected a pointer from 1 to 1, found 2");
    assert_eq!(told("  4  5", "  5  4"), "line 5: expected a pointer from 5 to 7, found 4");
    assert_eq!(told("6  7", "6  8"), "line 5: expected a pointer from 7 to 7, found 8");
    assert_eq!(told("6  7", "6   "), "line 5: expected pointer 5 of 5, found a blank");
    assert_eq!(told(" 3 3\n", " 3 1\n"), "line 6: expected the lower triangle, found row 1 in column 2");
    assert_eq!(told(" 4 4\n", " 4 4 4\n"), "line 7: expected 6 fields, each a row index, found another: `4`");
    assert_eq!(told(" 4.0000E+00", " 4.00X0E+00"), "line 8: expected a value with a decimal point, found `4.00X0E+00`");
    assert_eq!(told(" 4.0000E+00", "     40E+00"), "line 8: expected a value with a decimal point, found `40E+00`");
    assert_eq!(told(" 4.0000E+00", " 4.0000    "), "line 8: expected a value with an exponent, found `4.0000`");
    assert_eq!(told(" 4.0000E+00", " 4.000E+900"), "line 8: expected a finite value, found `4.000E+900`");
    let more = super::super::harwell_boeing::read(format!("{CARDS}more\n").as_bytes()).expect_err("a card too many");
    assert_eq!(more.to_string(), "line 11: expected the end of the file after the last card, found `more`");
}

#[test]
fn of_triplets() {
    let told = |text| told(triplets::read, text);
    assert_eq!(told(""), "line 1: expected an entry, found the end of the file");
    assert_eq!(told("0 0 1\n0 1 1\n"), "line 2: expected the lower triangle, found row 0 and column 1");
    assert_eq!(
        told("0 0 1\n4000000000 1 1\n"),
        "line 2: expected rows without gaps, found row 4000000000 among 2 entries"
    );
    assert_eq!(told("0 0 1\n2 2 1\n"), "line 2: expected entries in each of 3 rows, found none in row 2");
    let (row, message) = ("line 1: expected a row", "found `-1`");
    assert!(told("-1 0 1\n").starts_with(row) && told("-1 0 1\n").ends_with(message));
}

#[test]
fn bytes_that_are_no_text_are_told() {
    let error = metis::read(b"2 1\n2\n\xff\xfe\n").expect_err("no text");
    assert_eq!(error.to_string(), "line 3: expected text, found bytes that are none");
    let error = metis::read("1\u{7}é 3\n".as_bytes()).expect_err("no number");
    assert_eq!(error.to_string(), "line 1: expected a number of vertices, found `1\\u{7}é`");
}

/// Counts that no file of this length can hold; a vector of any of them would not fit in memory.
#[test]
fn absurd_counts_are_told_before_anything_is_allocated() {
    let absurd = 4_000_000_000_u64;
    assert!(told(metis::read, &format!("{absurd} 1\n2\n1\n")).starts_with("line 1: expected a number of vertices"));
    assert!(told(metis::read, &format!("2 {absurd}\n2\n1\n")).starts_with("line 1: expected a number of edges"));
    assert!(told(metis::read, &format!("2 1 10 {absurd}\n2\n1\n")).starts_with("line 2: expected a size or weight"));
    let market =
        |size: &str| told(matrix_market::read, &format!("{}\n{size}\n1 1 1\n", MARKET.lines().next().unwrap_or("")));
    assert!(market(&format!("{absurd} {absurd} 1")).starts_with("line 2: expected a number of rows"));
    assert!(market(&format!("1 1 {absurd}")).starts_with("line 2: expected a number of entries"));
    assert!(market(&format!("{}0 1 1", u64::MAX)).starts_with("line 2: expected a number of rows"));
    let cards = CARDS.replacen("   4             4  ", "400000     4000000  ", 1);
    assert!(told(harwell_boeing::read, &cards).starts_with("line 3: expected a number of rows"), "{cards}");
    let cards = CARDS.replacen("(5I3)", "(5I99999999999)", 1);
    assert!(told(harwell_boeing::read, &cards).starts_with("line 4: expected a format"));
}
