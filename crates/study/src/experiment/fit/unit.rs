//! Units of measured tables, as benchmarks write them. Descriptions have units of their own, written in
//! one way (`text::quantity`); leaves these out.

/// What a column holds: the kind of its unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Sizes [B].
    Size,
    /// Times one way [µs].
    Latency,
    /// Rates [MB/s].
    Bandwidth,
}

impl Measure {
    /// Its unit in results.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::Size => "B",
            Measure::Latency => "us",
            Measure::Bandwidth => "MB/s",
        }
    }

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Measure::Size => "size",
            Measure::Latency => "latency",
            Measure::Bandwidth => "bandwidth",
        }
    }
}

/// What a rate is a multiple of, each with how many bytes.
const AMOUNTS: [(&str, f64); 11] = [
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

/// A unit's kind, and how much of the kind's own unit it is.
fn find(unit: &str) -> Option<(Measure, f64)> {
    let time = |us: f64| Some((Measure::Latency, us));
    match unit {
        "ns" | "nsec" => return time(1e-3),
        "us" | "usec" | "µs" => return time(1.0),
        "ms" | "msec" => return time(1e3),
        "s" | "sec" => return time(1e6),
        "bytes" => return Some((Measure::Size, 1.0)),
        _ => {}
    }
    let known = |name: &str| AMOUNTS.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes);
    let rate = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("/sec")).or_else(|| unit.strip_suffix("ps"));
    if let Some(rate) = rate {
        let bytes = known(&rate.replace("bit", "b"))?;
        return Some((Measure::Bandwidth, bytes / 1e6));
    }
    known(unit).filter(|bytes| *bytes >= 1.0).map(|bytes| (Measure::Size, bytes))
}

/// Whether this is a unit.
pub fn is_known(unit: &str) -> bool {
    find(unit).is_some()
}

/// A cell's number and the unit behind it.
fn parts(cell: &str) -> (&str, &str) {
    let end = cell.find(|c: char| !(c.is_ascii_digit() || ".+-".contains(c))).unwrap_or(cell.len());
    (cell[..end].trim(), cell[end..].trim())
}

/// The kind of a column, by its unit or by that of its first cell.
pub fn of(cell: &str, unit: Option<&str>) -> Option<Measure> {
    let unit = unit.unwrap_or_else(|| parts(cell).1);
    find(unit).map(|(measure, _)| measure)
}

/// A cell's amount in its kind's own unit; else what is wrong with it, and what helps.
pub fn amount(cell: &str, unit: Option<&str>, perftest: bool) -> Result<(Measure, f64), (String, String)> {
    let (number, behind) = parts(cell);
    let unit = if behind.is_empty() { unit.unwrap_or_default() } else { behind };
    let Some((measure, per)) = find(unit) else {
        let help = "units are B, KiB, MiB; ns, us, ms; MB/s, MiB/s, Gbit/s and their like";
        return Err((format!("`{cell}` has no unit that is known: `{unit}`"), help.to_owned()));
    };
    // Where perftest says megabytes, it divides by 2^20.
    let per = if perftest && unit == "MB/sec" { 1.048576 } else { per };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok((measure, number * per)),
        _ => Err((format!("`{cell}` is no number that can be measured"), "a bare number, not negative".to_owned())),
    }
}
