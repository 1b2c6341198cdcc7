//! Base units: bytes, seconds, bytes a second, hertz; and how they stand in the name of a column.

/// A unit and its base: so many of the base make one, or one of the base so many.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Base {
    /// The base unit.
    pub unit: &'static str,
    times: f64,
    parts: f64,
}

const fn times(unit: &'static str, times: f64) -> Base {
    Base { unit, times, parts: 1.0 }
}

const fn parts(unit: &'static str, parts: f64) -> Base {
    Base { unit, times: 1.0, parts }
}

/// Units by their names. Where a unit is smaller than the base its numbers are divided, which rounds once.
const UNITS: [(&str, Base); 15] = [
    ("B", times("B", 1.0)),
    ("ps", parts("s", 1e12)),
    ("ns", parts("s", 1e9)),
    ("us", parts("s", 1e6)),
    ("ms", parts("s", 1e3)),
    ("s", times("s", 1.0)),
    ("bit/s", parts("B/s", 8.0)),
    ("B/s", times("B/s", 1.0)),
    ("kB/s", times("B/s", 1e3)),
    ("MB/s", times("B/s", 1e6)),
    ("GB/s", times("B/s", 1e9)),
    ("Hz", times("Hz", 1.0)),
    ("kHz", times("Hz", 1e3)),
    ("MHz", times("Hz", 1e6)),
    ("GHz", times("Hz", 1e9)),
];

impl Base {
    /// That of a unit, which may be one of its own.
    pub fn of(unit: &str) -> Option<Base> {
        UNITS.iter().find(|(name, _)| *name == unit).map(|(_, base)| *base)
    }

    /// A number of the unit in the base unit.
    pub fn value(&self, number: f64) -> f64 {
        if self.parts == 1.0 { number * self.times } else { number / self.parts }
    }
}

/// The base units that names of columns end in, the longer first.
const SUFFIXES: [(&str, &str); 4] = [("_B_per_s", "B/s"), ("_B", "B"), ("_s", "s"), ("_Hz", "Hz")];

/// A name and its unit as the name of a column: letters, digits and `_`.
pub fn suffixed(name: &str, unit: &str) -> String {
    let plain = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "_");
    match unit {
        "" => plain(name),
        unit => format!("{}_{}", plain(name), plain(&unit.replace('/', "_per_"))),
    }
}

/// The base unit that the name of a column ends in, if it does.
pub fn of_name(name: &str) -> &'static str {
    SUFFIXES.iter().find(|(suffix, _)| name.ends_with(suffix)).map_or("", |(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_end_in_their_units() {
        assert_eq!(suffixed("workload.stream.payload", "B"), "workload_stream_payload_B");
        assert_eq!(suffixed("offered.accepted", "flits/node/cycle"), "offered_accepted_flits_per_node_per_cycle");
        assert_eq!(suffixed("a-b", ""), "a_b");
        assert_eq!(["a_B_per_s", "a_B", "a_s", "tos"].map(of_name), ["B/s", "B", "s", ""]);
    }

    #[test]
    fn a_base_unit_rounds_once() {
        assert_eq!(Base::of("us").map(|base| base.value(73.04)), Some(7.304e-5));
        assert_eq!(Base::of("MB/s").map(|base| base.value(61.25)), Some(61_250_000.0));
        assert_eq!(Base::of("cycles"), None);
    }
}
