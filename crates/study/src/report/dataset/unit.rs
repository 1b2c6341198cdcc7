//! Base units (bytes, seconds, bytes per second, hertz), and their form in the names of columns.

/// The conversion of a unit to its base unit, by a multiplier or a divisor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BaseUnit {
    /// The base unit.
    pub unit: &'static str,
    multiplier: f64,
    divisor: f64,
}

const fn with_multiplier(unit: &'static str, multiplier: f64) -> BaseUnit {
    BaseUnit { unit, multiplier, divisor: 1.0 }
}

const fn with_divisor(unit: &'static str, divisor: f64) -> BaseUnit {
    BaseUnit { unit, multiplier: 1.0, divisor }
}

/// Units by name. A unit that is smaller than its base unit has a divisor and not a multiplier, so that a conversion
/// rounds only once.
const UNITS: [(&str, BaseUnit); 15] = [
    ("B", with_multiplier("B", 1.0)),
    ("ps", with_divisor("s", 1e12)),
    ("ns", with_divisor("s", 1e9)),
    ("us", with_divisor("s", 1e6)),
    ("ms", with_divisor("s", 1e3)),
    ("s", with_multiplier("s", 1.0)),
    ("bit/s", with_divisor("B/s", 8.0)),
    ("B/s", with_multiplier("B/s", 1.0)),
    ("kB/s", with_multiplier("B/s", 1e3)),
    ("MB/s", with_multiplier("B/s", 1e6)),
    ("GB/s", with_multiplier("B/s", 1e9)),
    ("Hz", with_multiplier("Hz", 1.0)),
    ("kHz", with_multiplier("Hz", 1e3)),
    ("MHz", with_multiplier("Hz", 1e6)),
    ("GHz", with_multiplier("Hz", 1e9)),
];

impl BaseUnit {
    /// Returns the conversion of a unit.
    pub fn from_unit(unit: &str) -> Option<BaseUnit> {
        UNITS.iter().find(|(name, _)| *name == unit).map(|(_, base)| *base)
    }

    /// Converts a number to the base unit.
    pub fn to_base(&self, number: f64) -> f64 {
        if self.divisor == 1.0 { number * self.multiplier } else { number / self.divisor }
    }
}

/// The base units at the end of column names. A longer suffix precedes its own suffix.
const SUFFIXES: [(&str, &str); 4] = [("_B_per_s", "B/s"), ("_B", "B"), ("_s", "s"), ("_Hz", "Hz")];

/// Returns the column name for a name and a unit. It consists of letters, digits and `_`.
pub fn suffixed(name: &str, unit: &str) -> String {
    let without_symbols = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "_");
    match unit {
        "" => without_symbols(name),
        unit => format!("{}_{}", without_symbols(name), without_symbols(&unit.replace('/', "_per_"))),
    }
}

/// Returns the base unit at the end of a column name, or an empty text.
pub fn base_unit_of_column(name: &str) -> &'static str {
    SUFFIXES.iter().find(|(suffix, _)| name.ends_with(suffix)).map_or("", |(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_end_in_their_units() {
        assert_eq!(suffixed("workload.stream.payload", "B"), "workload_stream_payload_B");
        assert_eq!(suffixed("offered.accepted", "flits/node/cycle"), "offered_accepted_flits_per_node_per_cycle");
        assert_eq!(suffixed("a-b", ""), "a_b");
        assert_eq!(["a_B_per_s", "a_B", "a_s", "tos"].map(base_unit_of_column), ["B/s", "B", "s", ""]);
    }

    #[test]
    fn conversion_to_base_unit_rounds_once() {
        assert_eq!(BaseUnit::from_unit("us").map(|base| base.to_base(73.04)), Some(7.304e-5));
        assert_eq!(BaseUnit::from_unit("MB/s").map(|base| base.to_base(61.25)), Some(61_250_000.0));
        assert_eq!(BaseUnit::from_unit("cycles"), None);
    }
}
