//! The meaning of a numeric parameter: the effect of a larger value on the speed of its part.
//!
//! A part declares the meaning with the parameter: `#[param(meaning = Capacity, resource = "send ring")]`. Rates,
//! frequencies and times have a meaning by their type. Sensitivity analysis uses the meaning as `docs/bottlenecks.md`
//! describes.

/// The meaning of a numeric parameter for the speed of its part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Meaning {
    /// Work per time, such as a clock frequency or a bandwidth.
    Rate,
    /// Work that a resource does in one cycle, such as the width of a data path; an alternative to a higher rate.
    Width,
    /// Time that an operation takes.
    Latency,
    /// Cycles, accesses or bytes that an operation needs; a smaller value is an alternative to a higher rate.
    Work,
    /// Size, such as that of a buffer, a table or a window.
    Capacity,
    /// Unit in which data is moved or kept, such as a burst or a block: a trade-off.
    Granularity,
    /// Threshold or interval that software or firmware chose: a trade-off.
    Policy,
    /// Time after which an operation counts as failed: a trade-off.
    Timeout,
    /// Number of parts, such as nodes: another value describes another machine.
    Structure,
    /// Load or loss that the machine is exposed to.
    Load,
    /// Number of times that a workload repeats what it measures.
    Repetitions,
}

/// The direction in which a parameter changes to speed its part up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpeedUp {
    /// A larger value is faster.
    Larger,
    /// A smaller value is faster.
    Smaller,
}

impl Meaning {
    /// All meanings.
    pub const ALL: [Meaning; 11] = [
        Meaning::Rate,
        Meaning::Width,
        Meaning::Latency,
        Meaning::Work,
        Meaning::Capacity,
        Meaning::Granularity,
        Meaning::Policy,
        Meaning::Timeout,
        Meaning::Structure,
        Meaning::Load,
        Meaning::Repetitions,
    ];

    /// Returns the name of the meaning in listings.
    pub const fn name(self) -> &'static str {
        match self {
            Meaning::Rate => "rate",
            Meaning::Width => "width",
            Meaning::Latency => "latency",
            Meaning::Work => "work",
            Meaning::Capacity => "capacity",
            Meaning::Granularity => "granularity",
            Meaning::Policy => "policy",
            Meaning::Timeout => "timeout",
            Meaning::Structure => "structure",
            Meaning::Load => "load",
            Meaning::Repetitions => "repetitions",
        }
    }

    /// Returns the change that speeds the part up, or `None` if neither direction does.
    pub const fn speed_up(self) -> Option<SpeedUp> {
        match self {
            Meaning::Rate | Meaning::Width | Meaning::Capacity => Some(SpeedUp::Larger),
            Meaning::Latency | Meaning::Work => Some(SpeedUp::Smaller),
            _ => None,
        }
    }

    /// Returns whether the parameter is a trade-off, for which neither direction is a speed-up.
    pub const fn is_trade_off(self) -> bool {
        matches!(self, Meaning::Granularity | Meaning::Policy | Meaning::Timeout)
    }

    /// Returns whether the parameter scales with the rate of its resource: doubling a clock's frequency halves the time
    /// of its cycles, so a parameter in cycles and the clock are alternatives and are not changed together.
    pub const fn scales_with_rate(self) -> bool {
        matches!(self, Meaning::Width | Meaning::Work)
    }
}

/// The declaration of a parameter by its part.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ParameterDeclaration {
    /// The meaning, if the parameter is numeric.
    pub meaning: Option<Meaning>,
    /// The resource of the part to which the parameter belongs; by default the parameter is a resource of its own.
    pub resource: Option<&'static str>,
}

impl ParameterDeclaration {
    /// Returns the meaning and the resource in the form of listings, such as `rate of PCI`, or `None` if the parameter
    /// has no meaning.
    pub fn text(&self) -> Option<String> {
        let meaning = self.meaning?.name();
        Some(self.resource.map_or_else(|| meaning.to_owned(), |resource| format!("{meaning} of {resource}")))
    }
}
