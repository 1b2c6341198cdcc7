//! Checks the sensitivity analysis: it finds the bottleneck of machines whose bottleneck is known, and compares only
//! runs that completed.

use narrows::experiment::whatif::{self, WhatIf, WhatIfError, WhatIfQuery};
use narrows::machine::Registry;
use narrows::text::{Document, LayerCache, Meaning};

const HOST: &str = "hosts.pentium-ii-440lx";

/// Analyses a shipped example with these settings, by `metric`, or by the example's objective if `metric` is `None`.
fn run_query(example: &str, overrides: &[&str], metric: Option<&str>) -> Result<WhatIf, String> {
    let path = format!("{}/examples/{example}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the shipped example can be read");
    let overrides: Vec<String> = overrides.iter().map(|setting| (*setting).to_owned()).collect();
    let reader = |varied: &[String]| {
        Registry::shared().read_varied(Document::Text(example, &text, None), &overrides, varied, &LayerCache::default())
    };
    let query = WhatIfQuery { reader: &reader, metric, factor: 2.0, thorough: false };
    query.run(&|_| {}).map_err(|error| match error {
        WhatIfError::Invalid(problems) => problems.to_string(),
        WhatIfError::Unmeasurable(problem) => format!("{}; {}", problem.message, problem.help.join("; ")),
    })
}

fn analysis(example: &str, overrides: &[&str]) -> WhatIf {
    run_query(example, overrides, None).unwrap_or_else(|error| panic!("{example} {overrides:?}: {error}"))
}

/// A machine that was made to have a bottleneck: the example, the settings, the bottleneck's resources, and the
/// parameter with the largest gain, or `None` if no single parameter has a gain.
type ConstructedMachine = (&'static str, &'static [&'static str], &'static [&'static str], Option<&'static str>);

const FEW_MESSAGES: &str = "workload.stream.messages=20";

/// Returns settings with which the runs of an example are short: the bottleneck is that of a longer run.
fn short(example: &str) -> [&'static str; 2] {
    match example {
        "stream" => [FEW_MESSAGES, "workload.stream.warm-up=20"],
        _ => ["workload.ping-pong.messages=20", "workload.ping-pong.warm-up=20"],
    }
}

/// Machines with one slow parameter.
const ONE_SLOW_PARAMETER: [ConstructedMachine; 11] = [
    ("stream", &["fabric.myrinet.link-rate=20 MB/s"], &["link of fabric.myrinet"], Some("fabric.myrinet.link-rate")),
    (
        "stream",
        &["hosts.pentium-ii-440lx.io-bus.bridge.read-rate=20 MB/s"],
        &["PCI of hosts.pentium-ii-440lx"],
        Some("hosts.pentium-ii-440lx.io-bus.bridge.read-rate"),
    ),
    (
        "stream",
        &["hosts.pentium-ii-440lx.io-bus.bridge.write-rate=20 MB/s"],
        &["PCI of hosts.pentium-ii-440lx"],
        Some("hosts.pentium-ii-440lx.io-bus.bridge.write-rate"),
    ),
    (
        "stream",
        &["hosts.pentium-ii-440lx.io-bus.bridge.read-setup=900 us"],
        &["DMA set-up of hosts.pentium-ii-440lx"],
        Some("hosts.pentium-ii-440lx.io-bus.bridge.read-setup"),
    ),
    (
        "stream",
        &["hosts.pentium-ii-440lx.io-bus.bridge.write-setup=900 us"],
        &["DMA set-up of hosts.pentium-ii-440lx"],
        Some("hosts.pentium-ii-440lx.io-bus.bridge.write-setup"),
    ),
    ("stream", &["ni.trapeze.lanai.clock=1 MHz"], &["firmware of ni.trapeze"], Some("ni.trapeze.lanai.clock")),
    ("stream", &["ni.trapeze.lanai.sram.rate=140 MB/s"], &["SRAM of ni.trapeze"], Some("ni.trapeze.lanai.sram.rate")),
    (
        "ping-pong",
        &["fabric.myrinet.switch-latency=2 ms"],
        &["switch of fabric.myrinet"],
        Some("fabric.myrinet.switch-latency"),
    ),
    (
        "ping-pong",
        &["hosts.pentium-ii-440lx.io-bus.processor.interrupt-latency=2 ms"],
        &["interrupt of hosts.pentium-ii-440lx"],
        Some("hosts.pentium-ii-440lx.io-bus.processor.interrupt-latency"),
    ),
    (
        "memory-bus",
        &["hosts.memory-bus-1998.memory-bus.processor.clock=10 MHz"],
        &["processor of hosts.memory-bus-1998"],
        Some("hosts.memory-bus-1998.memory-bus.processor.clock"),
    ),
    (
        "memory-bus",
        &["ni.cni32qm.processing-time=20 us"],
        &["interface logic of ni.cni32qm"],
        Some("ni.cni32qm.processing-time"),
    ),
];

const SLOW_PCI: [&str; 3] = [
    "hosts.pentium-ii-440lx.io-bus.pci.clock=5 MHz",
    "hosts.pentium-ii-440lx.io-bus.bridge.read-rate=20 MB/s",
    "hosts.pentium-ii-440lx.io-bus.bridge.write-rate=20 MB/s",
];

/// Machines in which several parameters are slow, and whose gain is largest if all of them become faster.
const COUPLED_PARAMETERS: [ConstructedMachine; 5] = [
    // The two rates of a bridge are as fast as its bus.
    ("stream", &SLOW_PCI, &["PCI of hosts.pentium-ii-440lx"], None),
    // The two directions of a link are slow.
    (
        "stream",
        &["fabric.myrinet.link-rate=20 MB/s", "workload.stream.flows=[\"sender -> receiver\", \"receiver -> sender\"]"],
        &["link of fabric.myrinet"],
        Some("fabric.myrinet.link-rate"),
    ),
    // A bus and a link have the same rate, and overlap.
    (
        "stream",
        &[SLOW_PCI[0], SLOW_PCI[1], SLOW_PCI[2], "fabric.myrinet.link-rate=20 MB/s"],
        &["PCI of hosts.pentium-ii-440lx", "link of fabric.myrinet"],
        None,
    ),
    // If only the bus becomes faster, its transfers starve the network engines of the interface's memory.
    ("stream", &[], &["PCI of hosts.pentium-ii-440lx", "SRAM of ni.trapeze"], None),
    // The clock of a bus and the cycles of its phases are two forms of the same speed.
    (
        "memory-bus",
        &["hosts.memory-bus-1998.memory-bus.bus.clock=5 MHz"],
        &["memory bus of hosts.memory-bus-1998"],
        Some("hosts.memory-bus-1998.memory-bus.bus.clock"),
    ),
];

/// Checks that the bottleneck of constructed machines is named.
fn assert_bottlenecks_are_named(machines: &[ConstructedMachine]) {
    let mut errors = Vec::new();
    for (example, overrides, resources, parameter) in machines {
        let result = analysis(example, &[&short(example), *overrides].concat());
        let bottleneck_found = result.bottleneck.as_ref().map(|bottleneck| {
            let mut names = bottleneck.resources.clone();
            names.sort();
            (names, bottleneck.ratio)
        });
        let first = result.gains.iter().find(|gain| !gain.is_trade_off()).map(|gain| gain.key.as_str());
        let is_named = bottleneck_found.as_ref().is_some_and(|(names, ratio)| names == resources && *ratio > 1.05);
        if !is_named || parameter.is_some_and(|parameter| first != Some(parameter)) {
            errors.push(format!("{example} {overrides:?}: {bottleneck_found:?}, first parameter {first:?}"));
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn slow_parameter_and_its_resource_are_named() {
    assert_bottlenecks_are_named(&ONE_SLOW_PARAMETER);
}

#[test]
fn cycles_of_a_program_gain_as_much_as_the_clock_that_counts_them() {
    let result = analysis("stream", &[FEW_MESSAGES, "workload.stream.warm-up=0", "messaging.receive=1000000"]);
    let names = result.bottleneck.expect("receiving is slow").resources;
    let expected_names = ["messaging library of messaging", "processor of hosts.pentium-ii-440lx"];
    assert!(names.len() == 1 && expected_names.contains(&names[0].as_str()), "{names:?}");
    let gain = |key: &str| result.gains.iter().find(|gain| gain.key == key).map_or(1.0, |gain| gain.ratio);
    let [cycles, clock] = ["messaging.receive", "hosts.pentium-ii-440lx.io-bus.processor.clock"].map(gain);
    assert!(cycles > 1.9 && clock > 1.9 && (cycles / clock - 1.0).abs() < 0.01, "{cycles} {clock}");
}

#[test]
fn coupled_parameters_are_named_together() {
    assert_bottlenecks_are_named(&COUPLED_PARAMETERS);
}

#[test]
fn processor_and_bus_that_are_slow_together_are_both_named() {
    // A ping-pong waits first for one and then for the other: the slower one is the bottleneck, and the other is next.
    let host_setting = |setting: &str| format!("hosts.memory-bus-1998.memory-bus.{setting}");
    let overrides = [host_setting("processor.clock=20 MHz"), host_setting("bus.clock=2 MHz")];
    let result =
        analysis("memory-bus", &[&overrides.each_ref().map(String::as_str)[..], &short("memory-bus")].concat());
    let bottleneck = result.bottleneck.expect("both are slow");
    let next_bottleneck = result.saturation.and_then(|saturation| saturation.next).expect("the other is next");
    let mut names = [bottleneck.name(), next_bottleneck.name()];
    names.sort();
    assert_eq!(names, ["memory bus of hosts.memory-bus-1998", "processor of hosts.memory-bus-1998"]);
    let pair = &result.pairs[0];
    assert!(names.iter().all(|name| pair.resources.contains(name)) && pair.ratio > bottleneck.ratio, "{pair:?}");
}

#[test]
fn saturation_states_the_value_beyond_which_nothing_gains() {
    // The next stage moves 128 MB/s: a link of 20 MB/s gains until it is about as fast.
    let result = analysis("stream", &[FEW_MESSAGES, "fabric.myrinet.link-rate=20 MB/s"]);
    let saturation = result.saturation.expect("a bottleneck saturates");
    let [change] = &saturation.changes[..] else { panic!("{saturation:?}") };
    let rate: f64 = change.value.trim_end_matches(" MB/s").parse().expect("the value is a rate");
    assert!((80.0..=200.0).contains(&rate) && saturation.limit.is_none(), "{saturation:?}");
    assert!(saturation.ratio > 3.0, "{saturation:?}");
}

#[test]
fn refused_changes_have_a_reason_and_a_remedy() {
    let result = analysis("stream", &[FEW_MESSAGES]);
    let rate = format!("{HOST}.io-bus.bridge.read-rate = 256 MB/s");
    let refusal = result.refused.iter().find(|refusal| refusal.change() == rate).expect("the rate is refused");
    assert!(refusal.reason.contains("moves at most 132 MB/s"), "{refusal:?}");
    assert!(refusal.advice.contains("together with the other parameters of PCI"), "{refusal:?}");
    let has_gain = |key: &str| result.gains.iter().any(|gain| gain.key == key);
    assert!(!has_gain("fabric.myrinet.watchdog"), "a timeout that is never reached has no effect");
}

#[test]
fn saturated_run_is_judged_by_its_accepted_load() {
    let small_mesh = ["workload.offered.load=0.9", "fabric.mesh.shape=[4, 4]", "workload.offered.cycles=8000"];
    let result = analysis("offered-load", &small_mesh);
    assert!(result.is_saturated && result.metric.name == "offered.accepted" && result.more_is_better, "{result:?}");
    assert!(result.notes.iter().any(|note| note.contains("saturated")), "{:?}", result.notes);
    // Slower routers and smaller buffers gain nothing.
    let gain = |key: &str, factor: f64| {
        let gains = result.gains.iter().filter(|gain| gain.key == key && (gain.factor > 1.0) == (factor > 1.0));
        gains.map(|gain| gain.ratio).fold(1.0, f64::max)
    };
    assert!(gain("fabric.router.routing-delay", 2.0) < 1.01, "{:?}", result.gains);
    assert!(gain("fabric.router.buffer-flits", 0.5) < 1.01, "{:?}", result.gains);
    let error =
        run_query("offered-load", &small_mesh, Some("offered.latency")).expect_err("a saturated run has no latency");
    assert!(error.contains("the run is saturated") && error.contains("--metric offered.accepted"), "{error}");
}

#[test]
fn trial_that_saturates_is_left_out_of_a_comparison_of_latencies() {
    let small_mesh = ["workload.offered.load=0.55", "fabric.mesh.shape=[4, 4]", "workload.offered.cycles=8000"];
    let result = analysis("offered-load", &small_mesh);
    assert!(!result.is_saturated && result.metric.name == "offered.latency");
    let is_of_saturated_trial =
        |refusal: &&narrows::experiment::whatif::Refusal| refusal.reason.contains("the run is saturated");
    let left_out: Vec<_> = result.refused.iter().filter(is_of_saturated_trial).collect();
    assert!(left_out.iter().any(|refusal| refusal.change().contains("fabric.router.")), "{:?}", result.refused);
    assert!(left_out.iter().all(|refusal| !refusal.advice.is_empty()), "{left_out:?}");
}

#[test]
fn runs_that_were_cut_off_are_not_compared() {
    let error = run_query("ping-pong", &["run.time-limit=1 ms"], None).expect_err("the run is cut off");
    assert!(error.contains("cut off at `run.time-limit`") && error.contains("raise `run.time-limit`"), "{error}");
    let error = run_query("ping-pong", &["ni.trapeze.keep-buffers=true"], None).expect_err("the run is stuck");
    assert!(error.contains("ended in a deadlock"), "{error}");
    // The whole run ends in time, but a run on a machine with a slower switch does not.
    let overrides = [
        "workload.ping-pong.messages=10",
        "workload.ping-pong.warm-up=0",
        "fabric.myrinet.switch-latency=1 ms",
        "run.time-limit=24 ms",
    ];
    let result = analysis("ping-pong", &overrides);
    let slower_switch = "fabric.myrinet.switch-latency = 2 ms";
    let refusal = result.refused.iter().find(|refusal| refusal.change() == slower_switch).expect("the run is cut off");
    assert!(refusal.reason.contains("cut off") && refusal.advice.contains("run.time-limit"), "{refusal:?}");
    assert!(!result.gains.iter().any(|gain| gain.value == "2 ms"), "{:?}", result.gains);
}

#[test]
fn metric_without_a_direction_is_refused() {
    let error = run_query("ping-pong", &["workload.ping-pong.messages=10"], Some("messages.sent"))
        .expect_err("a count is not accepted");
    assert!(error.contains("neither more nor less of `messages.sent` is better"), "{error}");
    assert!(error.contains("message.latency_one_way"), "{error}");
}

#[test]
fn parameters_without_effect_are_listed_with_the_reason() {
    let result = analysis("ping-pong", &short("ping-pong"));
    let reason =
        |key: &str| result.ineffective.iter().find(|entry| entry.key == key).map(|entry| entry.reason.as_str());
    assert_eq!(reason("ni.trapeze.firmware.log"), Some("the firmware does not log"));
    assert_eq!(reason("ni.trapeze.firmware.protocol"), Some("there is no protocol"));
    assert_eq!(reason("ni.trapeze.lanai.clock"), None);
    assert!(result.gains.windows(2).all(|pair| pair[0].ratio >= pair[1].ratio), "the largest gain comes first");
    let clock = result.gains.iter().find(|gain| gain.key == "ni.trapeze.lanai.clock").expect("the clock has an effect");
    assert_eq!(clock.meaning, Some(Meaning::Rate));
    let mut clocks = result.gains.iter().filter(|gain| gain.key == clock.key);
    assert!(clocks.all(|clock| clock.elasticity() > 0.0), "a faster clock never costs: {:?}", result.gains);
}

#[test]
fn parts_state_the_reason_of_a_number_without_effect() {
    let path = format!("{}/examples/ping-pong.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the shipped example can be read");
    let reason = |setting: &str, key: &str| {
        let overrides: Vec<String> =
            [setting].iter().filter(|setting| !setting.is_empty()).map(|setting| (*setting).to_owned()).collect();
        let read = Registry::shared().read_varied(
            Document::Text("ping-pong", &text, None),
            &overrides,
            &[],
            &LayerCache::default(),
        );
        read.unwrap_or_else(|problems| panic!("{problems}")).value.inert_reason(key)
    };
    let latency = format!("{HOST}.io-bus.processor.interrupt-latency");
    assert_eq!(reason("", &latency), None);
    assert_eq!(reason("ni.trapeze.notification=polling", &latency), Some("the interface is polled"));
    assert_eq!(reason("", "ni.trapeze.firmware.log"), Some("the firmware does not log"));
    assert_eq!(reason("ni.trapeze.logging=true", "ni.trapeze.firmware.log"), None);
    assert_eq!(reason("", "ni.trapeze.firmware.copy"), Some("there is no protocol"));
    let clock = format!("{HOST}.io-bus.pci.clock");
    assert_eq!(
        reason("", &clock),
        Some("transfers run at the rates of the bridge, and the clock only limits these rates")
    );
    assert_eq!(reason("", "fabric.myrinet.watchdog"), Some("no packet holds its path for that time"));
    assert_eq!(reason("", "fabric.myrinet.link-rate"), None);
}

#[test]
fn other_words_and_values_in_place_of_zero_are_tried() {
    let result = analysis("ring-ping-pong", &["workload.ping-pong.messages=25", "workload.ping-pong.warm-up=20"]);
    let gain = |key: &str, value: &str| {
        let gain = result.settings.iter().find(|gain| gain.key == key && gain.value == value);
        gain.unwrap_or_else(|| panic!("{key} = {value}: {:?}", result.settings)).ratio
    };
    // Frames that are in the ring need no read of the buffer.
    assert!(gain("ni.ring.inline-max", "512 B") > 1.2);
    assert!(gain("ni.ring.driver", "kernel") < 1.0);
    assert!(result.settings.windows(2).all(|pair| pair[0].ratio >= pair[1].ratio), "the largest gain comes first");
    let is_ineffective = |key: &str| result.ineffective.iter().any(|parameter| parameter.key == key);
    assert!(is_ineffective("hosts.pcie-gen3-x8.pcie.link.tlp"), "both words give the same times");
    let tried = |key: &str| result.settings.iter().any(|gain| gain.key == key) || is_ineffective(key);
    assert!(!tried("ni.ring.receive.write-back-delay"), "a time of 0 cannot be less");
    assert!(!tried("ni") && !tried("fabric"), "another part is another machine");
    let bottleneck = result.bottleneck.as_ref().expect("a bottleneck").name();
    assert_eq!(bottleneck, "root complex of hosts.pcie-gen3-x8", "no setting is a bottleneck");
    let json = result.json();
    assert_eq!(json["settings"].as_array().map(Vec::len), Some(result.settings.len()));
    let text = whatif::text::text(&result, false);
    assert!(text.contains("other setting") && text.contains("ni.ring.inline-max = 512 B"), "{text}");
}
