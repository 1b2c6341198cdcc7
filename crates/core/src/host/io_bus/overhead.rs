//! The overhead of a bus transaction of the processor, in addition to its data. It is a number of bus cycles, or a
//! time.
//!
//! Data sheets count address, wait states and turn-around in bus cycles. A time is measured by a program for one load
//! or store, without its data, and does not change with the clock of the bus. Each overhead has a key for both forms;
//! the key in the highest layer of a description applies.

use crate::engine::{Hertz, Time};
use crate::text::{Meaning, ParameterSink, ParameterType, Table};

/// The resource that an overhead occupies.
const RESOURCE: &str = "programmed I/O";

/// Largest number of bus cycles of an overhead.
const CYCLES_MAX: u64 = 1_000_000;
/// Longest time of an overhead.
const TIME_MAX: &str = "1 ms";

/// The overhead of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BusOverhead {
    /// Bus cycles.
    Cycles(u64),
    /// A time, which does not depend on the clock of the bus.
    Time(Time),
}

/// The two keys of an overhead, each with its help text.
pub(super) struct OverheadKeys {
    cycles: (&'static str, &'static str),
    time: (&'static str, &'static str),
}

/// The overhead of a write.
pub(super) const WRITE: OverheadKeys = OverheadKeys {
    cycles: ("write-overhead-cycles", "Bus cycles of a write in addition to its data; or use `write-overhead`"),
    time: ("write-overhead", "Time of a write in addition to its data, in place of `write-overhead-cycles`"),
};

/// The overhead of a read: the address, and the latency of bridge and target.
pub(super) const READ: OverheadKeys = OverheadKeys {
    cycles: ("read-overhead-cycles", "Bus cycles of a read in addition to its data; or use `read-overhead`"),
    time: ("read-overhead", "Time of a read in addition to its data, in place of `read-overhead-cycles`"),
};

impl BusOverhead {
    /// Reads the overhead from that one of its two keys which the highest layer of the description defines.
    pub(super) fn read(table: &mut Table<'_>, keys: &OverheadKeys) -> BusOverhead {
        let OverheadKeys { cycles: (cycles, cycles_help), time: (time, time_help) } = *keys;
        if table.describing() {
            table.count(cycles, cycles_help).meaning(Meaning::Work).resource(RESOURCE).max(CYCLES_MAX).optional();
            table.time(time, time_help).resource(RESOURCE).max(TIME_MAX).optional();
            return BusOverhead::Cycles(0);
        }
        if table.select_key(&[cycles, time]) == Some(time) {
            table
                .count(cycles, cycles_help)
                .meaning(Meaning::Work)
                .resource(RESOURCE)
                .max(CYCLES_MAX)
                .report_overridden();
            return BusOverhead::Time(table.time(time, time_help).resource(RESOURCE).max(TIME_MAX).required());
        }
        let overhead =
            table.count(cycles, cycles_help).meaning(Meaning::Work).resource(RESOURCE).max(CYCLES_MAX).required();
        table.time(time, time_help).resource(RESOURCE).max(TIME_MAX).report_overridden();
        BusOverhead::Cycles(overhead)
    }

    /// Writes the key that applies.
    pub(super) fn write(&self, to: &mut dyn ParameterSink, keys: &OverheadKeys) {
        match self {
            BusOverhead::Cycles(cycles) => to.value(keys.cycles.0, cycles.to_value()),
            BusOverhead::Time(time) => to.value(keys.time.0, time.to_value()),
        }
    }

    /// Returns the time of a transaction whose data take `data_cycles` cycles of `clock`.
    pub(super) fn transaction_time(&self, clock: Hertz, data_cycles: u64) -> Time {
        match *self {
            BusOverhead::Cycles(cycles) => clock.cycles(cycles + data_cycles),
            BusOverhead::Time(time) => time + clock.cycles(data_cycles),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::PioParameters;
    use super::*;
    use crate::text::{DescriptionReader, Document, Parameters, PartLibrary, Source, load, to_toml};

    const OTHER_KEYS: &str = "write-burst = \"4 B\"\nread-burst = \"4 B\"\nposted-writes = 4\n";

    fn read_overheads(overheads: &str, settings: &[&str]) -> Result<PioParameters, String> {
        let text = format!("[pio]\n{overheads}\n{OTHER_KEYS}");
        let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let document = Document::Text("m.toml", &text, None);
        let loaded = load(&Source { document, sets: &settings, varied: &[], library: PartLibrary::EMPTY });
        let read = loaded.and_then(|loaded| {
            DescriptionReader::new(loaded).read(|t| t.table("pio", "Programmed I/O", PioParameters::read))
        });
        read.map(|read| read.value).map_err(|problems| problems.to_string())
    }

    const CYCLE_KEYS: &str = "write-overhead-cycles = 4\nread-overhead-cycles = 15";

    #[test]
    fn an_overhead_is_cycles_or_a_time() {
        let pio = read_overheads(CYCLE_KEYS, &[]).unwrap();
        assert_eq!((pio.write_overhead, pio.read_overhead), (BusOverhead::Cycles(4), BusOverhead::Cycles(15)));
        let pio = read_overheads("write-overhead = \"60 ns\"\nread-overhead = \"450 ns\"", &[]).unwrap();
        assert_eq!(pio.read_overhead, BusOverhead::Time(Time::from_ns(450)));
        assert!(to_toml(&pio).starts_with("write-overhead = \"60 ns\"\nread-overhead = \"450 ns\"\n"));
    }

    #[test]
    fn the_key_of_the_highest_layer_applies() {
        let pio = read_overheads(CYCLE_KEYS, &["pio.read-overhead=\"450 ns\""]).unwrap();
        assert_eq!(pio.read_overhead, BusOverhead::Time(Time::from_ns(450)));
        let times = "write-overhead = \"60 ns\"\nread-overhead = \"450 ns\"";
        assert_eq!(
            read_overheads(times, &["pio.read-overhead-cycles=7"]).unwrap().read_overhead,
            BusOverhead::Cycles(7)
        );
    }

    #[test]
    fn the_keys_of_an_overhead_are_mutually_exclusive_in_one_layer() {
        let problems = read_overheads(&format!("{CYCLE_KEYS}\nread-overhead = \"450 ns\""), &[]).unwrap_err();
        assert!(problems.contains("`read-overhead-cycles` and `read-overhead` are mutually exclusive"), "{problems}");
        let problems = read_overheads("write-overhead-cycles = 4", &[]).unwrap_err();
        assert!(problems.contains("`pio.read-overhead-cycles`") && problems.contains("`read-overhead`"), "{problems}");
        let problems = read_overheads(CYCLE_KEYS, &["pio.read-overhead=\"2 ms\""]).unwrap_err();
        assert!(problems.contains("bad value for `pio.read-overhead`"), "{problems}");
    }
}
