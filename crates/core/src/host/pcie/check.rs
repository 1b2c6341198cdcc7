//! The checks of a host with a PCIe link: values that are invalid, and values that are probably not intended.

use super::parameters::{MemorySocket, PcieParameters};
use crate::engine::{Bytes, Rate};
use crate::host::block::BLOCK_BYTES;
use crate::host::cache::CacheParameters;
use crate::host::memory_bus::MemoryBusProcessorParameters;
use crate::part::ParameterError;

/// Returns the errors of a host.
pub(super) fn errors(parameters: &PcieParameters) -> Vec<ParameterError> {
    let cache = CacheParameters {
        size: parameters.cache.size,
        ways: parameters.cache.ways,
        supply_time: parameters.cache.supply_time,
    };
    let mut errors: Vec<ParameterError> = cache.check().into_iter().map(ParameterError::from).collect();
    errors.extend(link_errors(parameters));
    errors.extend(cache_errors(parameters));
    errors.extend(iommu_errors(parameters));
    let device_clock = parameters.device.map_or(1, |device| device.clock.0);
    let clocks = [
        ("processor.clock", parameters.processor.clock.0),
        ("interconnect.clock", parameters.interconnect.clock.0),
        ("device.clock", device_clock),
    ];
    for (key, _) in clocks.into_iter().filter(|(_, clock)| *clock == 0) {
        errors.push(ParameterError::new(key, "the clock must be above 0 Hz"));
    }
    if parameters.memory.size.get() == 0 || !parameters.memory.size.get().is_multiple_of(BLOCK_BYTES as u64) {
        let message = format!("{} is not a multiple of a block (64 B)", parameters.memory.size);
        errors.push(ParameterError::new("memory.size", message));
    }
    if parameters.root_complex < parameters.link.crossing * 2 {
        let message = format!(
            "two crossings of the link, of {} each, exceed the round trip of a read, {}",
            parameters.link.crossing, parameters.root_complex
        );
        let help = format!(
            "make {{table}}.link.crossing {} or shorter, or {{table}}.root-complex {} or longer",
            parameters.root_complex / 2,
            parameters.link.crossing * 2
        );
        errors.push(ParameterError::new("root-complex", message).related(["link.crossing"]).help(help));
    }
    errors
}

/// Returns the sizes from `least` to `most` that are powers of two, as a list in words.
fn list_sizes(least: u64, most: u64) -> String {
    let sizes: Vec<_> = (least.ilog2()..=most.ilog2()).map(|log| Bytes(1 << log).to_string()).collect();
    let (last, first) = sizes.split_last().expect("there is a size");
    format!("{} or {last}", first.join(", "))
}

fn link_errors(parameters: &PcieParameters) -> Vec<ParameterError> {
    let (link, mut errors) = (&parameters.link, Vec::new());
    if !link.lanes.is_power_of_two() {
        let message = format!("a PCIe link of {} lanes does not exist", link.lanes);
        errors.push(ParameterError::new("link.lanes", message).help("choose 1, 2, 4, 8 or 16"));
    }
    for (key, size) in [("link.payload-max", link.payload_max), ("link.read-max", link.read_max)] {
        if !size.get().is_power_of_two() {
            let message = format!("{size} is not a power of two");
            errors.push(ParameterError::new(key, message).help(format!("choose {}", list_sizes(128, 4096))));
        }
    }
    if !link.read_boundary.get().is_power_of_two() {
        let message = format!("{} is not a read completion boundary", link.read_boundary);
        errors.push(ParameterError::new("link.read-boundary", message).help("choose 64 B or 128 B"));
    }
    if link.payload_max > link.read_max {
        let message = format!(
            "the largest payload, {}, is larger than the largest read request, {}",
            link.payload_max, link.read_max
        );
        let help = format!("choose {} at most, or a larger {{table}}.link.read-max", link.read_max);
        errors.push(ParameterError::new("link.payload-max", message).related(["link.read-max"]).help(help));
    }
    let needed_credits = link.payload_max.get().div_ceil(16);
    if u64::from(link.posted_data_credits) < needed_credits {
        let message = format!(
            "{} credits of 16 B are fewer than one packet of {} takes",
            link.posted_data_credits, link.payload_max
        );
        let help = format!("choose at least {needed_credits}, or a smaller {{table}}.link.payload-max");
        errors.push(ParameterError::new("link.posted-data-credits", message).related(["link.payload-max"]).help(help));
    }
    errors
}

fn cache_errors(parameters: &PcieParameters) -> Vec<ParameterError> {
    let (llc, mut errors) = (&parameters.llc, Vec::new());
    let set_bytes = BLOCK_BYTES as u64 * llc.ways as u64;
    if !llc.size.get().is_multiple_of(set_bytes) {
        let message = format!("{} is not a multiple of {} ways of 64 B", llc.size, llc.ways);
        let (below, above) = (llc.size.get() / set_bytes * set_bytes, llc.size.get().next_multiple_of(set_bytes));
        let help = format!("choose {} or {}", Bytes(below.max(set_bytes)), Bytes(above));
        errors.push(ParameterError::new("llc.size", message).related(["llc.ways"]).help(help));
    }
    if llc.io_ways > llc.ways {
        let message = format!("writes of devices cannot allocate in {} of {} ways", llc.io_ways, llc.ways);
        let help = format!("choose {} at most", llc.ways);
        errors.push(ParameterError::new("llc.io-ways", message).related(["llc.ways"]).help(help));
    }
    errors
}

fn iommu_errors(parameters: &PcieParameters) -> Vec<ParameterError> {
    let page_sizes = [4 << 10, 2 << 20, 1 << 30];
    let unsupported = parameters.iommu.iter().filter(|iommu| !page_sizes.contains(&iommu.page.get()));
    let error = |page: Bytes| {
        let message = format!("an IOMMU has no pages of {page}");
        ParameterError::new("iommu.page", message).help("choose 4 KiB, 2 MiB or 1 GiB")
    };
    unsupported.map(|iommu| error(iommu.page)).collect()
}

/// Returns the reason for which the value at `key` has no effect.
pub(super) fn inert_reason(parameters: &PcieParameters, key: &str) -> Option<&'static str> {
    let is_local =
        [parameters.memory_socket, parameters.processor_socket].iter().all(|socket| *socket == MemorySocket::Local);
    match key {
        "remote" | "remote-write-back" if is_local => Some("no memory and no processor is at the remote socket"),
        "processor.outstanding-stores" | "processor.stream-prefetches" if parameters.processor.misses == 1 => {
            Some(MemoryBusProcessorParameters::SINGLE_MISS_REASON)
        }
        _ => None,
    }
}

/// Returns warnings about values that are valid but probably not intended.
pub(super) fn warnings(parameters: &PcieParameters) -> Vec<ParameterError> {
    let link = &parameters.link;
    let outstanding_bytes = u64::from(link.tags) * link.read_max.get();
    let round_trip = parameters.root_complex.ps().max(1);
    let read_rate_max =
        Rate::from_bits_per_s((outstanding_bytes as u128 * 8_000_000_000_000 / u128::from(round_trip)) as u64);
    let payload_share = link.payload_max.get() as f64 / (link.payload_max + link.completion_header).get() as f64;
    let payload_rate = Rate::from_bits_per_s((link.rate().bits_per_s() as f64 * payload_share) as u64);
    let warning = || {
        let message = format!(
            "{} tags of {} carry at most {:.1} Gbit/s of reads in a round trip of {}; the link carries {:.1} Gbit/s",
            link.tags,
            link.read_max,
            read_rate_max.bits_per_s() as f64 / 1e9,
            parameters.root_complex,
            payload_rate.bits_per_s() as f64 / 1e9
        );
        let help = "raise link.tags or link.read-max to fill the link with reads";
        ParameterError::new("link.tags", message).related(["link.read-max"]).help(help)
    };
    (read_rate_max.bits_per_s() < payload_rate.bits_per_s()).then(warning).into_iter().collect()
}
