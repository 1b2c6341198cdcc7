//! METIS graphs (`.graph`). The header is `vertices edges [format [constraints]]`; then there is a line for each vertex
//! with its neighbours, counted from 1. Lines that begin with `%` are comments.
//!
//! If the format states that there are sizes and weights, they are read and ignored. A file that is not an undirected
//! graph is rejected: loops, neighbours listed twice or on one side only, vertices without neighbours.

use super::lines::{Lines, excerpt};
use super::{Adjacency, InputError};

/// The header, which states what the line of a vertex contains.
struct Header {
    vertices: usize,
    edges: usize,
    /// Number of sizes and weights before the first neighbour.
    numbers_before_neighbours: u64,
    has_edge_weights: bool,
    line: u64,
}

/// Reads a graph.
pub fn read(bytes: &[u8]) -> Result<Adjacency, InputError> {
    let mut lines = Lines::new(bytes);
    let header = Header::read(&mut lines)?;
    let (mut rows, mut row_lines) = (Vec::new(), Vec::new());
    for vertex in 0..header.vertices {
        rows.push(header.read_row(&mut lines, vertex)?);
        row_lines.push(lines.line_number());
    }
    lines.expect_end('%', "the last vertex")?;
    let adjacency = Adjacency::from_rows(&rows);
    if let Some((one, other)) = adjacency.asymmetric_pair() {
        let message =
            format!("vertex {} has the neighbour {}, which does not have the neighbour {0}", one + 1, other + 1);
        return Err(InputError { line: row_lines[one], message });
    }
    if adjacency.edges() != header.edges {
        let message = format!("expected {} edges, found {}", header.edges, adjacency.edges());
        return Err(InputError { line: header.line, message });
    }
    Ok(adjacency)
}

impl Header {
    fn read(lines: &mut Lines<'_>) -> Result<Header, InputError> {
        let expected = "a header `vertices edges`";
        let line = lines.next_nonblank('%')?.ok_or_else(|| lines.end_error(expected))?;
        let mut words = line.split_whitespace();
        // A vertex takes at least one neighbour and the end of a line, and an edge takes two neighbours with spaces.
        let vertices = lines.parse_count(words.next(), "a number of vertices", 1)?;
        let edges = lines.parse_count(words.next(), "a number of edges", 3)?;
        let format = words.next().unwrap_or("0");
        if format.len() > 3 || !format.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
            return Err(lines.error(format!("expected a format of up to three 0 and 1, found {}", excerpt(format))));
        }
        let is_set = |digit: usize| format.bytes().rev().nth(digit) == Some(b'1');
        let constraints: u64 = match words.next() {
            Some(word) => lines.parse_word(Some(word), "a number of constraints")?,
            None => 1,
        };
        lines.expect_line_end(words, "the header")?;
        if vertices == 0 {
            return Err(lines.error("expected at least one vertex, found 0"));
        }
        let weights = if is_set(1) { constraints } else { 0 };
        Ok(Header {
            vertices,
            edges,
            numbers_before_neighbours: weights.saturating_add(u64::from(is_set(2))),
            has_edge_weights: is_set(0),
            line: lines.line_number(),
        })
    }

    /// Reads the neighbours of a vertex, in order.
    fn read_row(&self, lines: &mut Lines<'_>, vertex: usize) -> Result<Vec<u32>, InputError> {
        let own_number = vertex + 1;
        let line = lines
            .next_uncommented('%')?
            .ok_or_else(|| lines.end_error(&format!("the neighbours of vertex {own_number}")))?;
        let mut words = line.split_whitespace();
        for _ in 0..self.numbers_before_neighbours {
            lines.parse_word::<u64>(words.next(), "a size or weight of the vertex")?;
        }
        let mut row = Vec::new();
        while let Some(word) = words.next() {
            row.push(lines.parse_index(Some(word), "a neighbour", 1, self.vertices)?);
            if self.has_edge_weights {
                lines.parse_word::<u64>(words.next(), "the weight of the edge")?;
            }
        }
        row.sort_unstable();
        if let Some(pair) = row.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(lines.error(format!("vertex {own_number} lists the neighbour {} twice", pair[0] + 1)));
        }
        if row.binary_search(&(vertex as u32)).is_ok() {
            return Err(lines.error(format!("vertex {own_number} lists itself as a neighbour")));
        }
        if row.is_empty() {
            return Err(lines.error(format!("expected the neighbours of vertex {own_number}, found none")));
        }
        Ok(row)
    }
}
