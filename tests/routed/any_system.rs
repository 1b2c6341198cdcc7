//! Runs random systems: interfaces with and without NIFDY on fabrics of routers of any shape. Every packet must arrive,
//! and in order if the interface guarantees order.

use super::{GraphFile, description, metric, read, run_to_completion};
use narrows::engine::rng::{self, RandomStream};
use rand::RngExt;

/// Draws one element of `choices`.
fn pick_one<'a>(random: &mut RandomStream, choices: &[&'a str]) -> &'a str {
    choices[random.random_range(0..choices.len())]
}

/// Returns a shape of up to 27 nodes.
fn any_shape(random: &mut RandomStream, graph: &GraphFile) -> String {
    let [x, y, z] = [(); 3].map(|()| random.random_range(2..4));
    let (nodes, dimensions) = (random.random_range(3..20), random.random_range(1..5));
    let (dilation, parents) = (random.random_range(1..3), random.random_range(1..5));
    let shapes = [
        format!("mesh]\nshape = [{x}, {y}, {z}]"),
        format!("mesh]\nshape = [{x}, {nodes}]"),
        format!("mesh]\nshape = [{x}, {y}, {z}]\nrouting = \"minimal-adaptive\""),
        format!("torus]\nshape = [{x}, {y}, {z}]"),
        format!("ring]\nnodes = {nodes}"),
        format!("hypercube]\ndimensions = {dimensions}"),
        format!("fat-tree]\nnodes = {}\nparents = [{parents}, 4]", 4 * nodes.min(8)),
        format!("fat-tree]\nnodes = {}\narity = 2\nparents = [{parents}, 2]", 2 * nodes.min(12)),
        format!("butterfly]\nnodes = {}\nradix = {x}\ndilation = {dilation}", x * x),
        format!("crossbar]\nnodes = {nodes}"),
        format!("graph]\nfile = {:?}", graph.0),
    ];
    shapes[random.random_range(0..shapes.len())].clone()
}

/// Returns random keys of routers. The routers of a fabric that loses frames have one channel, so that it keeps packets
/// in order.
fn any_router(random: &mut RandomStream, is_lossy: bool) -> String {
    let switching = pick_one(random, &["wormhole", "virtual-cut-through", "store-and-forward"]);
    let (sharing, clock) = (pick_one(random, &["demand", "strict"]), pick_one(random, &["33 MHz", "50 MHz", "1 GHz"]));
    let (buffer, link) = (pick_one(random, &["1", "9", "10", "16"]), pick_one(random, &["4", "8", "16", "32"]));
    let (channels, networks) = (random.random_range(1..if is_lossy { 2 } else { 5 }), random.random_range(1..3));
    let [routing, allocation, switch, traversal, wire, credit] = [(); 6].map(|()| random.random_range(0..4));
    let (interface, exit) = (random.random_range(0..9), random.random_range(0..9));
    format!(
        "[fabric.router]\nswitching = \"{switching}\"\nsharing = \"{sharing}\"\nclock = \"{clock}\"\n\
         buffer-flits = {buffer}\nlink-bits = {link}\nvirtual-channels = {channels}\nnetworks = {networks}\n\
         routing-delay = {routing}\nvc-allocation-delay = {allocation}\nswitch-allocation-delay = {switch}\n\
         switch-traversal-delay = {traversal}\nwire-delay = {wire}\ncredit-delay = {credit}\n\
         interface-delay = {interface}\nexit-delay = {exit}"
    )
}

fn any_interface(random: &mut RandomStream) -> String {
    let packet = pick_one(random, &["8 B", "24 B", "32 B", "36 B"]);
    let [outstanding, pool, arrivals] = [(); 3].map(|()| random.random_range(1..9));
    if random.random_range(0..5) == 0 {
        return format!("packet = \"{packet}\"\n[protocol.none]\nsend-buffers = {pool}\nreceive-buffers = {arrivals}");
    }
    let (dialogs, window) = (random.random_range(0..4), pick_one(random, &["2", "4", "8"]));
    let (rule, bulk) = (pick_one(random, &["acceptance", "insertion"]), pick_one(random, &["half-window", "each"]));
    let (other_network, carried) = (pick_one(random, &["same", "other"]), pick_one(random, &["true", "false"]));
    let (processing, acknowledgement) = (random.random_range(0..4), pick_one(random, &["1 B", "4 B", "8 B"]));
    format!(
        "packet = \"{packet}\"\n[protocol.nifdy]\noutstanding = {outstanding}\npool = {pool}\nreceive-buffers = {arrivals}\n\
         dialogs = {dialogs}\nwindow = {window}\nacknowledge = \"{rule}\"\nbulk-acknowledge = \"{bulk}\"\n\
         acknowledgement-network = \"{other_network}\"\npiggybacked-acknowledgements = {carried}\n\
         processing = {processing}\nacknowledgement = \"{acknowledgement}\""
    )
}

/// The description of a machine, which may be invalid, and the results to expect.
struct System {
    text: String,
    phases: u64,
    /// Whether its interfaces keep packets in order.
    keeps_order: bool,
    is_lossy: bool,
}

fn any_system(random: &mut RandomStream, graph: &GraphFile) -> System {
    let (interface, shape) = (any_interface(random), any_shape(random, graph));
    let keeps_order = interface.contains("[protocol.nifdy]");
    // Only NIFDY with timers tolerates losses; its timeout is longer than most round trips.
    let is_lossy = keeps_order && random.random_range(0..4) == 0;
    let (loss, timer) = match is_lossy {
        true => ("[fabric]\nloss = 0.05\n", "\nretransmission.timeout = \"200 us\""),
        false => ("", ""),
    };
    let router = any_router(random, is_lossy);
    // Acknowledgements cannot use a second network if there is only one.
    let interface = match router.contains("networks = 2") {
        true => interface,
        false => interface.replace("\"other\"", "\"same\""),
    };
    let (traffic, phases) = (pick_one(random, &["heavy", "light"]), random.random_range(2..4));
    let pattern = pick_one(random, &["uniform", "neighbour", "tornado", "hot-spot", "incast"]);
    let (packets_max, poll, bulk) = (random.random_range(1..12), random.random_range(0..4), random.random_range(2..5));
    let seed = random.random_range(0..1_000_000);
    let workload = format!(
        "bursts]\ntraffic = \"{traffic}\"\npattern = \"{pattern}\"\nphases = {phases}\npackets = [1, {packets_max}]\n\
         poll-every = {poll}\nbulk-min = {bulk}"
    );
    let text = description(&workload, &format!("{shape}\n{router}"), &format!("{interface}{timer}"));
    System { text: format!("{text}{loss}[run]\nseed = {seed}\n"), phases, keeps_order, is_lossy }
}

#[test]
fn a_hundred_random_systems_deliver_everything() {
    let (mut random, graph) = (rng::stream(1, "routed systems"), GraphFile::graph("random"));
    let (mut refusals, mut sent, mut dropped) = (Vec::new(), 0.0, 0.0);
    for _ in 0..100 {
        let System { text, phases, keeps_order, is_lossy } = any_system(&mut random, &graph);
        if let Err(problems) = read(&text) {
            refusals.push(problems);
            continue;
        }
        let result = run_to_completion(&text);
        assert_eq!(metric(&result, "packets.in_flight"), 0.0, "{text}");
        assert_eq!(metric(&result, "bursts.phases"), phases as f64, "{text}");
        assert!(!keeps_order || metric(&result, "bursts.out_of_order") == 0.0, "{text}");
        assert!(is_lossy || metric(&result, "frames.dropped") == 0.0, "{text}");
        sent += metric(&result, "packets.sent");
        dropped += metric(&result, "frames.dropped");
    }
    assert!(refusals.len() <= 50, "{} of 100 are refused, the first: {}", refusals.len(), refusals[0]);
    assert!(sent > 1_000.0 && dropped > 0.0, "{sent} packets, {dropped} frames lost");
}
