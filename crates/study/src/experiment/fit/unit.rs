//! Units of measured tables, as benchmarks write them.
//!
//! The units of machine descriptions are in `text::quantity`.

/// The quantity that a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Message sizes, in bytes.
    Size,
    /// One-way latencies, in µs.
    Latency,
    /// Bandwidths, in MB/s.
    Bandwidth,
}

impl Measure {
    /// Returns the unit in results.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::Size => "B",
            Measure::Latency => "us",
            Measure::Bandwidth => "MB/s",
        }
    }

    /// Returns the name of the quantity.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Size => "size",
            Measure::Latency => "latency",
            Measure::Bandwidth => "bandwidth",
        }
    }
}

/// Units of size, and the number of bytes in each.
const SIZE_UNITS: [(&str, f64); 11] = [
    ("B", 1.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1048576.0),
    ("GiB", 1073741824.0),
    ("b", 0.125),
    ("Kb", 125.0),
    ("Mb", 125e3),
    ("Gb", 125e6),
];

/// Returns the quantity of a unit, and the factor to the unit in results.
fn find_unit(unit: &str) -> Option<(Measure, f64)> {
    let latency_unit = |us: f64| Some((Measure::Latency, us));
    match unit {
        "ns" | "nsec" => return latency_unit(1e-3),
        "us" | "usec" | "µs" => return latency_unit(1.0),
        "ms" | "msec" => return latency_unit(1e3),
        "s" | "sec" => return latency_unit(1e6),
        "bytes" => return Some((Measure::Size, 1.0)),
        _ => {}
    }
    let bytes_of_unit = |name: &str| SIZE_UNITS.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes);
    let size_unit = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("/sec")).or_else(|| unit.strip_suffix("ps"));
    if let Some(size_unit) = size_unit {
        let bytes = bytes_of_unit(&size_unit.replace("bit", "b"))?;
        return Some((Measure::Bandwidth, bytes / 1e6));
    }
    bytes_of_unit(unit).filter(|bytes| *bytes >= 1.0).map(|bytes| (Measure::Size, bytes))
}

/// Returns whether `unit` is a known unit.
pub fn is_known(unit: &str) -> bool {
    find_unit(unit).is_some()
}

/// Splits a cell into its number and its unit.
fn number_and_unit(cell: &str) -> (&str, &str) {
    let end = cell.find(|c: char| !(c.is_ascii_digit() || ".+-".contains(c))).unwrap_or(cell.len());
    (cell[..end].trim(), cell[end..].trim())
}

/// Returns the quantity of a column, by the column's unit or by that of its first cell.
pub fn measure_of_column(cell: &str, unit: Option<&str>) -> Option<Measure> {
    let unit = unit.unwrap_or_else(|| number_and_unit(cell).1);
    find_unit(unit).map(|(measure, _)| measure)
}

/// Returns the quantity of a cell and its value in the unit of results.
///
/// # Errors
///
/// Returns a message and a help text for a cell without a known unit or a valid number.
pub fn parse_cell(cell: &str, unit: Option<&str>, is_perftest: bool) -> Result<(Measure, f64), (String, String)> {
    let (number, suffix) = number_and_unit(cell);
    let unit = if suffix.is_empty() { unit.unwrap_or_default() } else { suffix };
    let Some((measure, factor)) = find_unit(unit) else {
        let help = "units are B, KiB, MiB; ns, us, ms; MB/s, MiB/s, Gbit/s and their like";
        return Err((format!("`{cell}` has an unknown unit: `{unit}`"), help.to_owned()));
    };
    // perftest divides by 2^20 for its megabytes.
    let factor = if is_perftest && unit == "MB/sec" { 1.048576 } else { factor };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok((measure, number * factor)),
        _ => Err((format!("`{cell}` is not a measured value"), "write a number of at least 0".to_owned())),
    }
}
