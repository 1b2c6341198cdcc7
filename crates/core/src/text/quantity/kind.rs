//! The kinds of quantities as values, for programs that handle quantities of any kind.

use super::{ParseError, Quantity, Unit, parse};
use crate::engine::{Bytes, Hertz, Rate, Time};

/// A kind of quantity. Amounts are numbers of the smallest unit of the kind.
#[derive(Clone, Copy, Debug)]
pub struct QuantityKind {
    /// The name in the schema and in listings.
    pub name: &'static str,
    /// The smallest unit.
    pub smallest: &'static str,
    /// The allowed units.
    pub units: &'static [Unit],
    /// Parses a text as an amount.
    pub parse: fn(&str) -> Result<u64, ParseError>,
    /// Formats an amount with its unit.
    pub format: fn(u64) -> String,
}

impl PartialEq for QuantityKind {
    fn eq(&self, other: &QuantityKind) -> bool {
        self.name == other.name
    }
}

impl Eq for QuantityKind {}

impl QuantityKind {
    /// All kinds.
    pub const ALL: [QuantityKind; 4] = [
        QuantityKind::of::<Bytes>(),
        QuantityKind::of::<Time>(),
        QuantityKind::of::<Rate>(),
        QuantityKind::of::<Hertz>(),
    ];

    const fn of<Q: Quantity>() -> QuantityKind {
        QuantityKind {
            name: Q::NAME,
            smallest: Q::SMALLEST,
            units: Q::UNITS,
            parse: |text| parse::<Q>(text).map(Q::to_smallest),
            format: |amount| Q::from_smallest(amount).to_string(),
        }
    }
}

/// Parses `text` as a quantity of any kind, and returns the kind and the amount.
pub fn parse_any(text: &str) -> Option<(QuantityKind, u64)> {
    QuantityKind::ALL.into_iter().find_map(|kind| Some((kind, (kind.parse)(text).ok()?)))
}

/// Parses `text` as a number without a unit, or as a quantity of any kind, whose amount is returned.
pub fn parse_number(text: &str) -> Option<f64> {
    text.parse().ok().or_else(|| parse_any(text).map(|(_, amount)| amount as f64))
}
