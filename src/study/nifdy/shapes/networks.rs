//! Table 3: spread of latencies, volumes, and how good the paper's parameters are.

use super::super::axes::{NETWORKS, Network, Set, metric};
use super::super::{search, volume};
use super::{joined, told};
use crate::report::number::percent;
use crate::study::claims::Seen;
use crate::study::experiment::Results;

/// What is seen for the claim `id`, if it is one of these.
pub fn seen(id: &str, results: &Results) -> Option<Seen> {
    match id {
        "T3-spread" => return spread(results),
        "R12" => return enough(results),
        _ => {}
    }
    let rest = id.strip_prefix("T3-")?;
    let network = |key: &str| NETWORKS.iter().find(|network| network.key == key);
    if let Some(network) = rest.strip_suffix("-volume").and_then(network) {
        return volume::volume(network.key, network.ports).map(Seen::Number);
    }
    rest.strip_suffix("-parameters").and_then(network).and_then(|network| parameters(results, network))
}

fn latency(results: &Results, network: &Network, distance: u64, end: &str) -> Option<f64> {
    metric(results, &format!("zero-load/{}", network.key), &format!("zero_load.d{distance}.latency_{end}"))
}

/// All pairs at one distance take the same time.
fn spread(results: &Results) -> Option<Seen> {
    let mut apart = Vec::new();
    for network in &NETWORKS {
        for distance in network.distances {
            let end = |end| latency(results, network, *distance, end);
            let (least, most) = (end("min")?, end("max")?);
            if least < most {
                apart.push(format!("{} at d={distance}: {least} to {most} cycles", network.name));
            }
        }
    }
    let words = if apart.is_empty() { "they do on all eight networks".to_owned() } else { joined(apart.clone()) };
    told(words, apart.is_empty())
}

/// How near the paper's set comes to the best that was found.
fn parameters(results: &Results, network: &Network) -> Option<Seen> {
    let (cycles, sets) = search::last(results, network)?;
    let (best, most) = sets[0];
    let own = search::score(results, network, &network.best, cycles)?;
    let words = format!(
        "the paper's {} reaches {} of the best found, {} ({most:.3} times no NIFDY, {cycles} cycles)",
        network.best.text(),
        percent(own / most),
        best.text()
    );
    told(words, own >= 0.95 * most)
}

/// Within *O* = 8, *B* = 16, *D* = 1, *W* = 8 lies a set about as good as any.
fn enough(results: &Results) -> Option<Seen> {
    let modest = |set: &Set| set.outstanding <= 8 && set.pool <= 16 && set.dialogs <= 1 && set.window <= 8;
    let (mut words, mut holds) = (Vec::new(), true);
    for network in &NETWORKS {
        let (_, sets) = search::last(results, network)?;
        let within = sets.iter().find(|(set, _)| modest(set))?;
        holds &= within.1 >= 0.98 * sets[0].1;
        words.push(format!("{}: {} has {} of the best", network.name, within.0.text(), percent(within.1 / sets[0].1)));
    }
    told(joined(words), holds)
}
