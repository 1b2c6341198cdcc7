//! Tests of the errors in files: each names its line.

use super::*;

fn error<T: std::fmt::Debug>(read: fn(&[u8]) -> Result<T, InputError>, text: &str) -> String {
    read(text.as_bytes()).expect_err("the text is invalid").to_string()
}

#[test]
fn metis_errors_state_line_and_expected_text() {
    let error = |text| error(metis::read, text);
    assert_eq!(error(""), "line 1: expected a header `vertices edges`, found the end of the file");
    assert_eq!(error("% c\nthree 2\n"), "line 2: expected a number of vertices, found `three`");
    assert_eq!(error("3 1 2\n"), "line 1: expected a format of up to three 0 and 1, found `2`");
    assert_eq!(error("2 1\n2\n"), "line 2: expected the neighbours of vertex 2, found the end of the file");
    assert_eq!(error("2 1\n2\n3\n"), "line 3: expected a neighbour from 1 to 2, found 3");
    assert_eq!(error("2 1\n2\n0\n"), "line 3: expected a neighbour from 1 to 2, found 0");
    assert_eq!(error("2 1\n2\n2\n"), "line 3: vertex 2 lists itself as a neighbour");
    assert_eq!(error("2 1\n2 2\n1\n"), "line 2: vertex 1 lists the neighbour 2 twice");
    assert_eq!(error("3 2\n2\n1 3\n1\n"), "line 3: vertex 2 has the neighbour 3, which does not have the neighbour 2");
    assert_eq!(error("3 1\n2\n1\n\n"), "line 4: expected the neighbours of vertex 3, found none");
    assert_eq!(error("% c\n2 2\n2\n1\n"), "line 2: expected 2 edges, found 1");
    assert_eq!(error("2 1\n2\n1\n1\n"), "line 4: expected the end of the file after the last vertex, found `1`");
    assert_eq!(error("2 1 1\n2 5\n1\n"), "line 3: expected the weight of the edge, found the end of the line");
}

#[test]
fn matrix_market_errors_state_line_and_expected_text() {
    let banner = "%%MatrixMarket matrix coordinate real symmetric\n";
    let error = |text: &str| error(matrix_market::read, text);
    let body_error = |text: &str| error(&format!("{banner}{text}"));
    let expected = "expected `%%MatrixMarket matrix coordinate real|integer|pattern symmetric|general`";
    assert_eq!(error("1 1 1\n"), format!("line 1: {expected}, found `1 1 1`"));
    let hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n";
    assert_eq!(error(hermitian), format!("line 1: {expected}, found `complex`"));
    assert_eq!(body_error("2 3 1\n"), "line 2: expected a square matrix, found 2 rows and 3 columns");
    assert_eq!(body_error("2 2 1\n1 2 1\n"), "line 3: expected the lower triangle, found row 1 and column 2");
    assert_eq!(body_error("2 2 1\n3 1 1\n"), "line 3: expected a row from 1 to 2, found 3");
    assert_eq!(body_error("2 2 1\n2 1 nan\n"), "line 3: expected a finite value, found NaN");
    assert_eq!(body_error("2 2 1\n2 1 1e999\n"), "line 3: expected a finite value, found inf");
    assert_eq!(body_error("2 2 1\n2 1\n"), "line 3: expected a value, found the end of the line");
    assert_eq!(body_error("2 2 1\n2 1 1 1\n"), "line 3: expected the end of the line after the entry, found `1`");
    assert_eq!(body_error("2 2 2\n2 1 1\n"), "line 3: expected entry 2 of 2, found the end of the file");
    assert_eq!(
        body_error("2 2 1\n2 1 1\n2 2 1\n"),
        "line 4: expected the end of the file after 1 entries, found `2 2 1`"
    );
    assert_eq!(
        body_error("3 3 2\n2 1 1\n2 1 1\n"),
        "line 4: the entry of row 2 and column 1 occurs twice, first in line 3"
    );
    assert_eq!(body_error("3 3 1\n2 1 1\n"), "line 2: expected entries in each of 3 rows, found none in row 3");
    let general = |text: &str| error(&format!("%%MatrixMarket matrix coordinate real general\n{text}"));
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
fn harwell_boeing_errors_state_line_and_expected_text() {
    let error = |from: &str, to: &str| {
        assert!(CARDS.contains(from), "{from}");
        error(harwell_boeing::read, &CARDS.replacen(from, to, 1))
    };
    assert_eq!(error("RSA", "RUA"), "line 3: expected RSA or PSA (symmetric and assembled), found `RUA`");
    assert_eq!(error("    6             1", "    7             1"), "line 2: expected 7 cards in all, found 6");
    assert_eq!(error("(5I3)", "(4I3)"), "line 2: expected 2 cards of pointers for this size and format, found 1");
    assert_eq!(error("(5I3)", "(5F3)"), "line 4: expected a format like (16I5), found `(5F3)`");
    assert_eq!(error("  1  4", "  2  4"), "line 5: expected a pointer from 1 to 1, found 2");
    assert_eq!(error("  4  5", "  5  4"), "line 5: expected a pointer from 5 to 7, found 4");
    assert_eq!(error("6  7", "6  8"), "line 5: expected a pointer from 7 to 7, found 8");
    assert_eq!(error("6  7", "6   "), "line 5: expected pointer 5 of 5, found a blank");
    assert_eq!(error(" 3 3\n", " 3 1\n"), "line 6: expected the lower triangle, found row 1 in column 2");
    assert_eq!(error(" 4 4\n", " 4 4 4\n"), "line 7: expected 6 fields, each a row index, found another: `4`");
    assert_eq!(
        error(" 4.0000E+00", " 4.00X0E+00"),
        "line 8: expected a value with a decimal point, found `4.00X0E+00`"
    );
    assert_eq!(error(" 4.0000E+00", "     40E+00"), "line 8: expected a value with a decimal point, found `40E+00`");
    assert_eq!(error(" 4.0000E+00", " 4.0000    "), "line 8: expected a value with an exponent, found `4.0000`");
    assert_eq!(error(" 4.0000E+00", " 4.000E+900"), "line 8: expected a finite value, found `4.000E+900`");
    let extra_card_error = super::super::harwell_boeing::read(format!("{CARDS}more\n").as_bytes())
        .expect_err("the file has an extra card");
    assert_eq!(extra_card_error.to_string(), "line 11: expected the end of the file after the last card, found `more`");
}

#[test]
fn triplet_errors_state_line_and_expected_text() {
    let error = |text| error(triplets::read, text);
    assert_eq!(error(""), "line 1: expected an entry, found the end of the file");
    assert_eq!(error("0 0 1\n0 1 1\n"), "line 2: expected the lower triangle, found row 0 and column 1");
    assert_eq!(
        error("0 0 1\n4000000000 1 1\n"),
        "line 2: expected rows without gaps, found row 4000000000 among 2 entries"
    );
    assert_eq!(error("0 0 1\n2 2 1\n"), "line 2: expected entries in each of 3 rows, found none in row 2");
    let (row, message) = ("line 1: expected a row", "found `-1`");
    assert!(error("-1 0 1\n").starts_with(row) && error("-1 0 1\n").ends_with(message));
}

#[test]
fn bytes_that_are_not_text_are_rejected() {
    let error = metis::read(b"2 1\n2\n\xff\xfe\n").expect_err("the bytes are not text");
    assert_eq!(error.to_string(), "line 3: expected text, found bytes that are not UTF-8");
    let error = metis::read("1\u{7}é 3\n".as_bytes()).expect_err("the text is not a number");
    assert_eq!(error.to_string(), "line 1: expected a number of vertices, found `1\\u{7}é`");
}

/// Checks that counts which no file of this length can contain are rejected. A vector with such a count would not fit
/// in memory.
#[test]
fn counts_beyond_the_length_of_the_file_are_rejected() {
    let huge_count = 4_000_000_000_u64;
    assert!(
        error(metis::read, &format!("{huge_count} 1\n2\n1\n")).starts_with("line 1: expected a number of vertices")
    );
    assert!(error(metis::read, &format!("2 {huge_count}\n2\n1\n")).starts_with("line 1: expected a number of edges"));
    assert!(
        error(metis::read, &format!("2 1 10 {huge_count}\n2\n1\n")).starts_with("line 2: expected a size or weight")
    );
    let market_error = |size: &str| {
        error(matrix_market::read, &format!("{}\n{size}\n1 1 1\n", MATRIX_MARKET.lines().next().unwrap_or("")))
    };
    assert!(market_error(&format!("{huge_count} {huge_count} 1")).starts_with("line 2: expected a number of rows"));
    assert!(market_error(&format!("1 1 {huge_count}")).starts_with("line 2: expected a number of entries"));
    assert!(market_error(&format!("{}0 1 1", u64::MAX)).starts_with("line 2: expected a number of rows"));
    let cards = CARDS.replacen("   4             4  ", "400000     4000000  ", 1);
    assert!(error(harwell_boeing::read, &cards).starts_with("line 3: expected a number of rows"), "{cards}");
    let cards = CARDS.replacen("(5I3)", "(5I99999999999)", 1);
    assert!(error(harwell_boeing::read, &cards).starts_with("line 4: expected a format"));
}
