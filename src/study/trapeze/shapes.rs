//! The claims that are not one number of one run, each judged as `claims.toml` states it.

use super::super::claims::Seen;
use super::super::experiment::Results;
use super::axes::{self, HOSTS, SIZES, SYSTEMS};
use super::flow;
use crate::engine::Time;

/// What is seen for the claim `id`, if the results hold what it needs.
pub fn seen(id: &str, results: &Results) -> Option<Seen> {
    match id {
        "R2-good-pci" => good_pci(results),
        "R3" => improvement(results),
        "R4" => balanced_benefit(results),
        "R5" => pure_costs_bandwidth(results),
        "R6" => adaptive_matches(results),
        "R6-profile" => follows_profile(results),
        "R7" => both_ways(results),
        "R8" => first_transfers(results, 0),
        "R8-second" => first_transfers(results, 1),
        "R9" => growth(results, "netTx", u64::MAX),
        "R10" => growth(results, "hostRcv", 600),
        "R11-lost" => lost(results),
        "R11-bandwidth" => steady_bandwidth(results),
        "R11-transfers" => steady_transfers(results),
        "R12-transfers" => unlogged_transfers(results),
        "R13" => clears(results),
        "R14-natoma" => natoma(results),
        "R14-cia" => cia(results),
        "R14-others" => nearly_both(results),
        "R15-hold" => holds_trunk(results),
        "R15-adapts" => pushed_out(results),
        "S3.1-minpulse" => minpulse(results),
        _ => None,
    }
}

fn good_pci(results: &Results) -> Option<Seen> {
    let latency = |system| axes::latency(results, system, "4K", "adaptive-cut-through");
    let (p6, pii) = (latency("p6-natoma")?, latency("pentium-ii-440lx")?);
    Some(Seen::Words(format!("{p6:.1} us on P6/Natoma, {pii:.1} us on Pentium II/440LX"), p6 < 80.0 && pii < 80.0))
}

/// How much pure cut-through improves a system's 8K latency, in per cent.
fn gain(results: &Results, system: &str) -> Option<f64> {
    let latency = |policy| axes::latency(results, system, "8K", policy);
    Some((1.0 - latency("pure-cut-through")? / latency("store-and-forward")?) * 100.0)
}

fn improvement(results: &Results) -> Option<Seen> {
    let paper = [46.0, 47.0, 37.0, 44.0];
    let gains: Vec<f64> = SYSTEMS.iter().map(|(key, _)| gain(results, key)).collect::<Option<_>>()?;
    let near = gains.iter().zip(paper).all(|(gain, paper)| (gain - paper).abs() <= 4.0);
    Some(Seen::Words(named(gains.iter().map(|gain| format!("{gain:.0} %"))), near))
}

fn balanced_benefit(results: &Results) -> Option<Seen> {
    let mut gains: Vec<(f64, &str)> =
        SYSTEMS.iter().map(|(key, name)| Some((gain(results, key)?, *name))).collect::<Option<_>>()?;
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    let order: Vec<String> = gains.iter().map(|(gain, name)| format!("{name} {gain:.1} %")).collect();
    Some(Seen::Words(order.join(", "), gains[0].1 == SYSTEMS[1].1 && gains[3].1 == SYSTEMS[2].1))
}

fn pure_costs_bandwidth(results: &Results) -> Option<Seen> {
    let mut ratios = Vec::new();
    for (key, _) in SYSTEMS {
        for payload in ["4K", "8K"] {
            let bandwidth = |policy| axes::bandwidth(results, key, payload, policy);
            ratios.push(bandwidth("pure-cut-through")? / bandwidth("store-and-forward")?);
        }
    }
    let (least, most) = extremes(&ratios);
    let words = format!("{:.0} % to {:.0} % of store-and-forward's", least * 100.0, most * 100.0);
    Some(Seen::Words(words, most < 1.0))
}

fn adaptive_matches(results: &Results) -> Option<Seen> {
    let mut worst: Option<(f64, String)> = None;
    for (key, name) in SYSTEMS {
        for size in SIZES {
            let bandwidth = |policy| axes::stream(results, key, policy, size);
            let ratio = bandwidth("adaptive-cut-through")? / bandwidth("store-and-forward")?;
            if worst.as_ref().is_none_or(|(least, _)| ratio < *least) {
                worst = Some((ratio, format!("{name} at {size} B")));
            }
        }
    }
    let (ratio, place) = worst?;
    Some(Seen::Words(format!("at least {:.1} % of store-and-forward's ({place})", ratio * 100.0), ratio >= 0.95))
}

fn follows_profile(results: &Results) -> Option<Seen> {
    let mut words = Vec::new();
    let mut holds = true;
    for (key, name) in SYSTEMS {
        let (sender, receiver) = if key == "alcor-to-miata" { ("alcor", "miata") } else { (key, key) };
        let pci = axes::dma(results, sender, "read", 65536)?.min(axes::dma(results, receiver, "write", 65536)?);
        let ratio = axes::stream(results, key, "adaptive-cut-through", 65536)? / pci;
        holds &= (0.9..1.02).contains(&ratio);
        words.push(format!("{name} {:.0} %", ratio * 100.0));
    }
    Some(Seen::Words(format!("{} of the profile", words.join(", ")), holds))
}

fn both_ways(results: &Results) -> Option<Seen> {
    let mut rates = Vec::new();
    for host in ["p6-natoma", "pentium-ii-440lx"] {
        for direction in ["read", "write"] {
            rates.push(axes::dma(results, host, direction, 65536)?);
        }
    }
    let words = format!("P6 {:.1} and {:.1}, Pentium II {:.1} and {:.1} MB/s", rates[0], rates[1], rates[2], rates[3]);
    Some(Seen::Words(words, rates.iter().all(|rate| *rate > 120.0)))
}

/// How long the hostTx transfer of this number takes in the stream of Figure 4, in µs.
fn first_transfers(results: &Results, number: usize) -> Option<Seen> {
    let sends = flow::transfers(results.get("figure-4")?, "hostTx", Time::ZERO, Time::MAX);
    let span = sends.get(number)?;
    Some(Seen::Number((span.end - span.start).as_us()))
}

/// The transfers of the second payload grow from a first below `first_max` to over 1500 B; the
/// last, which takes what is left of the payload, may be any.
fn growth(results: &Results, engine: &str, first_max: u64) -> Option<Seen> {
    let sizes = flow::sizes(results.get("figure-4")?, engine, 1);
    let words: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let body = &sizes[..sizes.len().saturating_sub(1)];
    let grows = body.len() >= 2 && body.windows(2).all(|pair| pair[0] <= pair[1]);
    let holds = grows && *body.first()? < first_max && *body.iter().max()? > 1500;
    Some(Seen::Words(format!("{} B", words.join(", ")), holds))
}

fn lost(results: &Results) -> Option<Seen> {
    let run = results.get("figure-4")?;
    let (from, to) = flow::steady(run);
    Some(Seen::Number(flow::idle(run, "hostTx", from, to)? * 100.0))
}

fn steady_bandwidth(results: &Results) -> Option<Seen> {
    let run = results.get("figure-4")?;
    let (from, to) = flow::steady(run);
    let rates = flow::BANDS.map(|(engine, _)| (engine, flow::rate(run, engine, from, to)));
    let words: Vec<String> = rates.iter().map(|(engine, rate)| format!("{engine} {rate:.0}")).collect();
    Some(Seen::Words(format!("{} MB/s", words.join(", ")), rates.iter().all(|(_, rate)| *rate > 100.0)))
}

/// The sizes of the steady state's hostRcv transfers.
fn steady_sizes(results: &Results, point: &str) -> Option<Vec<u64>> {
    let run = results.get(point)?;
    let (from, to) = flow::steady(run);
    Some(flow::transfers(run, "hostRcv", from, to).iter().map(|span| span.bytes.get()).collect())
}

fn steady_transfers(results: &Results) -> Option<Seen> {
    let sizes = steady_sizes(results, "figure-4")?;
    let mean = flow::mean(&sizes)?;
    let words = format!("mean {mean:.0} B, median {} B", flow::median(sizes)?);
    Some(Seen::Words(words, (3072.0..=5120.0).contains(&mean)))
}

fn unlogged_transfers(results: &Results) -> Option<Seen> {
    let median = flow::median(steady_sizes(results, "without-logging")?)?;
    Some(Seen::Words(format!("median {median} B"), median == 8192))
}

fn clears(results: &Results) -> Option<Seen> {
    let run = results.get("figure-3")?;
    let mut longest = Time::ZERO;
    for send in flow::transfers(run, "hostTx", Time::ZERO, Time::MAX) {
        let receives = flow::transfers(run, "hostRcv", Time::ZERO, Time::MAX);
        let last = receives.iter().filter(|span| span.message == send.message).map(|span| span.end).max()?;
        longest = longest.max(last - send.start);
    }
    Some(Seen::Words(format!("at most {:.1} us", longest.as_us()), longest < Time::from_us(130)))
}

/// What is left of a host's (copy, DMA) rates when both run, as shares.
fn left(results: &Results, host: &str) -> Option<(f64, f64)> {
    let (copy, _) = axes::competing(results, host, "copy-alone")?;
    let (_, dma) = axes::competing(results, host, "dma-alone")?;
    let (copy_both, dma_both) = axes::competing(results, host, "both")?;
    Some((copy_both / copy, dma_both / dma))
}

fn natoma(results: &Results) -> Option<Seen> {
    let (copy, dma) = left(results, "p6-natoma")?;
    let words = format!("DMA slowed by {:.0} %, the copy by {:.0} %", (1.0 - dma) * 100.0, (1.0 - copy) * 100.0);
    Some(Seen::Words(words, (0.25..=0.40).contains(&dma)))
}

fn cia(results: &Results) -> Option<Seen> {
    let (copy, dma) = left(results, "alcor")?;
    let words = format!("DMA slowed by {:.1} %, the copy by {:.0} %", (1.0 - dma) * 100.0, (1.0 - copy) * 100.0);
    Some(Seen::Words(words, dma > 0.95 && copy < 0.2))
}

fn nearly_both(results: &Results) -> Option<Seen> {
    let mut words = Vec::new();
    let mut holds = true;
    for (host, name) in [HOSTS[1], HOSTS[3]] {
        let (copy, dma) = left(results, host)?;
        holds &= copy > 0.75 && dma > 0.75;
        words.push(format!("{name}: DMA keeps {:.0} %, the copy {:.0} %", dma * 100.0, copy * 100.0));
    }
    Some(Seen::Words(words.join("; "), holds))
}

/// How long a packet holds the trunk, in µs, when the slow sender is alone.
pub fn trunk_hold(results: &Results, policy: &str) -> Option<f64> {
    let run = results.get(&format!("trunk/{policy}/slow-alone"))?;
    let trunk = run.resources.iter().find(|resource| resource.name == "link west → east")?;
    Some(trunk.busy.as_us() / run.metric("messages.delivered")?)
}

fn holds_trunk(results: &Results) -> Option<Seen> {
    let run = results.get("trunk/pure-cut-through/slow-alone")?;
    let sends = flow::transfers(run, "hostTx", Time::ZERO, Time::MAX);
    // Past the first sends, which the processor's ring writes disturb.
    let steady = sends.get(sends.len() / 2)?;
    let at_pci = (steady.end - steady.start).as_us();
    let (cut, whole) = (trunk_hold(results, "pure-cut-through")?, trunk_hold(results, "store-and-forward")?);
    let words = format!(
        "held {cut:.1} us under cut-through, {whole:.1} us under store-and-forward; the payload less minpulse takes {:.1} us on PCI",
        at_pci * (8192.0 - 128.0) / 8192.0
    );
    Some(Seen::Words(words, cut >= at_pci * (8192.0 - 128.0) / 8192.0 && whole < at_pci))
}

/// The mean payload transfer of node a's netTx, in bytes.
pub fn slow_sender_transfer(results: &Results, senders: &str) -> Option<f64> {
    let run = results.get(&format!("trunk/adaptive-cut-through/{senders}"))?;
    let track = run.timeline.tracks.iter().position(|(group, name)| group == "a" && name == "netTx")?;
    let spans = run.timeline.spans.iter().filter(|span| span.track.0 as usize == track);
    // While both senders have work: the first half of the slow one's.
    let sizes: Vec<u64> = spans.map(|span| span.bytes.get()).filter(|bytes| *bytes != 128).collect();
    flow::mean(&sizes[..sizes.len() / 2])
}

fn pushed_out(results: &Results) -> Option<Seen> {
    let (alone, shared) = (slow_sender_transfer(results, "slow-alone")?, slow_sender_transfer(results, "both")?);
    Some(Seen::Words(
        format!("mean netTx of {alone:.0} B alone, {shared:.0} B beside another sender"),
        shared > 1.5 * alone,
    ))
}

fn minpulse(results: &Results) -> Option<Seen> {
    let mut words = Vec::new();
    let mut holds = true;
    for (key, name) in SYSTEMS {
        let latency =
            |minpulse: u64| axes::metric(results, &format!("minpulse/{key}/{minpulse}"), "message.latency_one_way");
        let others: Vec<f64> = SIZES[1..7].iter().map(|size| latency(*size)).collect::<Option<_>>()?;
        let first = latency(128)?;
        let (least, most) = extremes(&others);
        holds &= least >= first * 0.98 && others.last() == Some(&most) && most > first;
        words.push(format!("{name} {first:.0} us at 128 B, the best other {least:.0}, at 8 KiB {most:.0}"));
    }
    Some(Seen::Words(words.join("; "), holds))
}

fn extremes(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// One value for each system of Table 1, with its name.
fn named(values: impl Iterator<Item = String>) -> String {
    let pairs = values.zip(SYSTEMS).map(|(value, (_, name))| format!("{name} {value}"));
    pairs.collect::<Vec<_>>().join(", ")
}
