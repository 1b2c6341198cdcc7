//! Checks the contract of the command line: exit codes, standard output and standard error, the JSON of results,
//! hashes, and sweeps that are resumed.

mod former_names;
mod stored_points;
mod warnings;

use crate::common::cli::{Folder, command, json, narrows, stderr, stdout};
use serde_json::Value as Json;
use std::fs;
use std::process::Command;

fn code(arguments: &[&str]) -> Option<i32> {
    narrows(arguments).status.code()
}

const SHORT_RUN: &str = "--set=workload.ping-pong.messages=5";
const DEADLOCKING: &str = "--set=ni.trapeze.keep-buffers=true";

#[test]
fn exit_codes_are_those_of_the_contract() {
    assert_eq!(code(&["run", "ping-pong", SHORT_RUN]), Some(0));
    assert_eq!(code(&["check", "ping-pong"]), Some(0));
    assert_eq!(code(&["check", "ping-pong", "--set", "run.seed=x"]), Some(2));
    assert_eq!(code(&["run", "no-such-file.toml"]), Some(2));
    assert_eq!(code(&["run", "ping-pong", "--no-such-option"]), Some(2));
    assert_eq!(code(&[]), Some(0), "the next steps are printed");
    assert_eq!(code(&["no-such-command"]), Some(2));
    assert_eq!(code(&["run", "ping-pong", DEADLOCKING]), Some(3));
    assert_eq!(code(&["run", "ping-pong", "--set", "run.time-limit=1 ms"]), Some(3));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["--version"]), Some(0));
}

#[test]
fn run_to_the_end_of_simulated_time_reports_it() {
    let late_events = ["--set", "fabric.ideal.latency=10000000 s", "--set", "run.time-limit=18446744.073709551615 s"];
    let output = narrows(&[&["run", "memory-bus"], &late_events[..]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("The run reached the end of simulated time at 18446744.073709551614 s"),
        "{output:?}"
    );
}

#[test]
fn working_directory_does_not_shadow_a_shipped_example() {
    let folder = Folder::new("shadow");
    let check = |name: &str| {
        let output = command(&["check", name]).current_dir(folder.path("")).output().expect("the program starts");
        (output.status.code(), stderr(&output))
    };
    let no_problems = "examples/stream.toml: no problems\n";
    let expected = (Some(0), format!("Using the shipped example `stream`.\n{no_problems}"));
    assert_eq!(check("stream"), expected);
    fs::create_dir(folder.path("stream")).expect("a folder");
    assert_eq!(check("stream"), expected, "a folder is not a description");
    fs::remove_dir(folder.path("stream")).expect("an empty folder");
    fs::write(folder.path("stream"), "[nonsense]\n").expect("a file");
    let note = "Using the shipped example `stream`, not the file of that name; write `./stream` for the file.\n";
    assert_eq!(check("stream"), (Some(0), format!("{note}{no_problems}")));
    let (code, errors) = check("./stream");
    assert_eq!(code, Some(2));
    assert!(errors.contains("unknown key `nonsense`"), "{errors}");
    fs::write(folder.path("stream.toml"), "[nonsense]\n").expect("a file");
    assert_eq!(check("stream.toml").0, Some(2), "a name with an extension names a file");
    assert_eq!(check(&folder.path("stream")).0, Some(2));
}

/// Returns the help of a command, from its examples on, in the layout of a terminal with `columns` columns.
fn examples(name: &str, columns: u32) -> String {
    let output = command(&[name, "--help"]).env("COLUMNS", columns.to_string()).output().expect("the program starts");
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    let start = help.find("\nExamples:\n  narrows ").unwrap_or_else(|| panic!("{name} has no examples: {help}"));
    help[start..].to_owned()
}

#[test]
fn every_command_has_examples_that_fit_80_columns() {
    for name in [
        "run",
        "sweep",
        "merge",
        "plot",
        "report",
        "whatif",
        "reproduce",
        "fit",
        "verify",
        "new",
        "list",
        "show",
        "check",
        "compare",
        "schema",
        "completions",
        "man",
    ] {
        let at_80_columns = examples(name, 80);
        assert_eq!(at_80_columns, examples(name, 100), "{name}: a line is broken at 80 columns");
        assert!(at_80_columns.lines().all(|line| line.chars().count() <= 80), "{name}: {at_80_columns}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new("man");
    assert!(stdout(&["man"]).contains("narrows\\-sweep(1)"), "the page refers to those of the commands");
    assert_eq!(narrows(&["man", "--out", &folder.path("pages")]).status.code(), Some(0));
    let page = |name: &str| fs::read_to_string(folder.path(&format!("pages/{name}.1"))).expect("a page");
    assert!(page("narrows").contains(".TH narrows 1"));
    for (name, option) in [("run", "messages"), ("sweep", "shard"), ("fit", "measured"), ("man", "out")] {
        let page = page(&format!("narrows-{name}"));
        assert!(page.contains(&format!(".TH narrows-{name} 1")) && page.contains(&format!("\\-\\-{option}")), "{page}");
    }
}

#[test]
fn the_json_of_a_run_has_the_keys_of_the_contract() {
    let result = json(&["run", "ping-pong", SHORT_RUN, "--format", "json"]);
    let latency = &result["metrics"]["message.latency_one_way"];
    assert!(latency["value"].is_f64() && latency["unit"] == "us", "{latency}");
    assert_eq!(result["machine"]["workload"]["ping_pong"]["messages"], 5);
    assert_eq!(result["machine"]["fabric"]["myrinet"]["link_rate"], "160 MB/s");
    assert_eq!((&result["seed"], &result["version"]), (&1.into(), &env!("CARGO_PKG_VERSION").into()));
    assert_eq!(result["hash"].as_str().map(str::len), Some(64));
    assert!(result["host"]["wall_s"].is_f64() && result["host"]["events"].is_u64());
    assert_eq!(result["outcome"], "done");
    let stage = |stage: &Json| stage["waiting_us"].as_f64().unwrap() + stage["service_us"].as_f64().unwrap();
    let stages: f64 = result["ledger"]["stages"].as_array().unwrap().iter().map(stage).sum();
    assert!((stages - result["ledger"]["total_us"].as_f64().unwrap()).abs() < 1e-9);
    assert!(result["resources"][0]["resource"].is_string() && result["resources"][0]["share"].is_f64());
}

#[test]
fn the_hash_is_over_all_but_the_host_and_changes_with_the_seed() {
    let run = |seed: &str| json(&["run", "ping-pong", SHORT_RUN, "--format", "json", "--seed", seed]);
    let (first, repeated, other) = (run("7"), run("7"), run("8"));
    assert_eq!(first["hash"], repeated["hash"]);
    assert_ne!(first["hash"], other["hash"]);
    assert_eq!(first["machine"]["run"]["seed"], 7);
    let without_host =
        |options: &[&str]| stdout(&[&["run", "ping-pong", SHORT_RUN, "--format=json", "--no-host"], options].concat());
    assert_eq!(without_host(&["--seed=7"]), without_host(&["--set=run.seed=7"]), "--seed is a setting like any other");
    assert!(!without_host(&[]).contains("\"host\": {\n    \"wall_s\""));
}

#[test]
fn deadlocked_run_prints_its_results_and_the_chain_of_waits() {
    let output = narrows(&["run", "ping-pong", DEADLOCKING, "--format", "json"]);
    let result: Json = serde_json::from_slice(&output.stdout).expect("the results are JSON");
    assert_eq!((&result["outcome"], &result["candidate"]), (&"deadlock".into(), &Json::Null));
    assert!(result["metrics"]["messages.delivered"]["value"].as_f64() > Some(0.0));
    assert!(result["stuck"]["chain"].as_array().is_some_and(|chain| chain.len() > 1));
    let errors = stderr(&output);
    assert!(errors.contains("ended in a deadlock at "), "{errors}");
    assert!(errors.contains(" waits for a free packet buffer of receiver held by receiver firmware"), "{errors}");
}

#[test]
fn truncated_trace_is_reported() {
    let folder = Folder::new("trace");
    let path = folder.path("trace.json");
    let output = narrows(&["run", "ping-pong", SHORT_RUN, "--trace", &path, "--trace-spans", "50"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("Wrote 50 spans"), "{}", stderr(&output));
    assert!(stderr(&output).contains("spans were dropped"), "{}", stderr(&output));
    let trace: Json = serde_json::from_str(&fs::read_to_string(path).expect("a trace")).expect("JSON");
    assert!(trace["traceEvents"].as_array().is_some_and(|events| !events.is_empty()));
    assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1, "the trace is the only file");
}

#[test]
fn standard_output_has_results_only() {
    let output = narrows(&["sweep", "ping-pong", SHORT_RUN, "--vary", "run.seed=1,2", "--format", "json"]);
    let result: Json = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    assert_eq!(result["points"].as_array().map(Vec::len), Some(2));
    let errors = stderr(&output);
    assert!(errors.contains("shipped example") && errors.contains("Without --out"), "{errors}");
    assert!(!errors.contains('\u{1b}'), "colours and progress bar only on a terminal: {errors}");
    let check_output = narrows(&["check", "ping-pong"]);
    assert!(check_output.stdout.is_empty());
}

#[test]
fn show_states_the_source_of_each_value() {
    let values = stdout(&["show", "ping-pong", "--set", "workload.ping-pong.payload=1 KiB"]);
    let line = |key: &str| {
        let line = values.lines().find(|line| line.split_whitespace().next() == Some(key));
        line.unwrap_or_else(|| panic!("no {key} in {values}")).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("workload.ping-pong.payload"), "workload.ping-pong.payload 1 KiB --set");
    assert_eq!(line("run.seed"), "run.seed 1 default");
    assert!(line("nodes.sender.host").contains("examples/ping-pong.toml:"));
    assert!(line("ni.trapeze.policy").contains("adaptive-cut-through machines/ni/trapeze.toml:"));
    assert!(line("fabric.myrinet.link-rate").ends_with("paper: §2"));
    assert!(stdout(&["show", "p6-natoma"]).contains("hosts.p6-natoma.io-bus.processor.clock"));
    // Among parts of one name, `show` prefers a host to a machine, and a machine to its network.
    assert!(stdout(&["show", "cm-5"]).contains("hosts.cm-5.software"));
    assert!(stdout(&["show", "t3d"]).contains("hosts.alewife.alewife.clock"));
}

#[test]
fn every_example_and_part_can_be_listed_and_shown() {
    let listing: Json = json(&["list", "--format", "json"]);
    for kind in ["examples", "machines", "hosts", "ni", "protocols", "fabrics"] {
        let names = listing[kind].as_array().expect("a list");
        assert!(!names.is_empty(), "{kind}");
        for entry in names {
            let name = entry["name"].as_str().expect("a name");
            assert!(entry["about"].as_str().is_some_and(|about| !about.is_empty()), "{name} has a summary");
            assert!(!stdout(&["show", name]).is_empty());
        }
    }
    for example in listing["examples"].as_array().expect("a list") {
        assert_eq!(code(&["check", example["name"].as_str().expect("a name")]), Some(0));
    }
}

#[test]
fn compare_prints_the_differences() {
    let folder = Folder::new("compare");
    let (adaptive_result, stored_result) = (folder.path("a.json"), folder.path("b.json"));
    let run = |path: &str, policy: &str| {
        let setting = format!("--set=ni.trapeze.policy={policy}");
        fs::write(path, stdout(&["run", "ping-pong", SHORT_RUN, &setting, "--format", "json"])).expect("a file");
    };
    run(&adaptive_result, "adaptive-cut-through");
    run(&stored_result, "store-and-forward");
    let text = stdout(&["compare", &adaptive_result, &stored_result]);
    assert!(text.contains("hostRcv") && text.contains("ni.trapeze.policy.store_and_forward.buffers"), "{text}");
    let json = json(&["compare", &adaptive_result, &stored_result, "--format", "json"]);
    assert!(text.contains("sender PCI") && json["resources"]["sender PCI"]["difference"].is_f64(), "{text}");
    assert!(json["stages_us"]["total"]["difference"].as_f64() > Some(0.0), "{json}");
    assert!(stdout(&["compare", &adaptive_result, &adaptive_result]).contains("The results are the same."));
    fs::write(&stored_result, "{\"points\": []}").expect("a file");
    let output = narrows(&["compare", &adaptive_result, &stored_result]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("it is a result of `narrows sweep`"), "{}", stderr(&output));
}

#[test]
fn shipped_example_reads_its_own_trace() {
    let folder = Folder::new("shadow");
    fs::create_dir(folder.path("traces")).expect("a folder");
    let name = "traces/mesh8x8-v4-b8-p8-r020.csv";
    fs::write(folder.path(name), "generated_cycle,source,destination\n0,0,2\n").expect("a trace");
    let packets = |arguments: &[&str]| {
        let mut run = command(&[&["run", "--format=json", "replay-mesh"], arguments].concat());
        let output = run.current_dir(&folder.0).output().expect("the program starts");
        let result: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        result["metrics"]["replay.packets"]["value"].as_f64().expect("a count")
    };
    assert!(packets(&[]) > 1.0, "the example reads its own trace");
    assert_eq!(packets(&[&format!("--set=workload.replay.file={name}")]), 1.0, "--set names another trace");
}

#[test]
fn combinations_are_listed_with_their_refusals() {
    let combinations = json(&["list", "combinations", "--format", "json"]);
    let combinations = combinations["combinations"].as_array().unwrap();
    let row_of = |ni: &str, protocol: &str| {
        combinations
            .iter()
            .find(|combination| {
                combination["host"] == "hosts/p6-natoma"
                    && combination["ni"] == ni
                    && combination["protocol"] == protocol
                    && combination["fabric"] == "fabrics/nifdy-mesh"
                    && combination["workload"] == "em3d"
            })
            .unwrap()
    };
    assert_eq!(row_of("ni/udma", "protocols/window")["refused"].as_array().unwrap().len(), 0);
    let reason = row_of("ni/cni32qm", "protocols/none")["refused"][0].as_str().unwrap();
    assert!(reason.contains("a coherent memory bus"), "{reason}");
    let accepted =
        combinations.iter().filter(|combination| combination["refused"].as_array().unwrap().is_empty()).count();
    let text = stdout(&["list", "combinations"]);
    assert!(text.contains(&format!("{accepted} are compatible")), "{text}");
}

#[test]
fn result_can_be_run_again_and_its_keys_used_as_settings() {
    let folder = Folder::new("again");
    let path = folder.path("result.json");
    for example in ["ping-pong", "memory-bus", "replay-mesh"] {
        let without_host = ["--format=json", "--no-host"];
        let result = stdout(&[&["run", example], &without_host[..]].concat());
        fs::write(&path, &result).expect("a file");
        assert_eq!(stdout(&[&["run", &path], &without_host[..]].concat()), result, "{example}");
    }
    let show_with = |overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(|setting| format!("--set={setting}")).collect();
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        stdout(&[&["show", "ping-pong"], &overrides[..]].concat())
    };
    let values = show_with(&["workload.ping-pong.warm-up=7", "ni.trapeze.policy.store-and-forward.buffers=2"]);
    let shown_from_result_keys =
        show_with(&["workload.ping_pong.warm_up=7", r#"ni.trapeze.policy={"store_and_forward": {"buffers": 2}}"#]);
    assert_eq!(shown_from_result_keys, values);
    fs::write(&path, "{\"points\": []}").expect("a file");
    let output = narrows(&["run", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("neither a description nor a result of a run"), "{}", stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn closed_or_full_standard_error_does_not_change_the_exit_code() {
    for (arguments, code) in [
        ("run ping-pong", 0),
        ("run no-such-file", 2),
        ("sweep ping-pong --vary run.seed=1,2", 0),
        ("run --no-such", 2),
    ] {
        for redirection in ["2>&-", "2>/dev/full"] {
            let line = format!("'{}' {arguments} {redirection}", env!("CARGO_BIN_EXE_narrows"));
            let output =
                Command::new("sh").args(["-c", &line]).current_dir(std::env::temp_dir()).output().expect("a shell");
            assert_eq!(output.status.code(), Some(code), "{line}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn fabric_larger_than_memory_is_refused_with_the_estimate() {
    let huge_mesh = [
        "--set=fabric.mesh.shape=[1000, 1000]",
        "--set=fabric.router.buffer-flits=1024",
        "--set=fabric.router.virtual-channels=16",
    ];
    let output = narrows(&[&["check", "offered-load"], &huge_mesh[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    // 10⁶ nodes, 5 ports, 16 channels, 1024 flits of 4 B: 0.3 TiB.
    assert!(
        stderr(&output).contains("1000000 nodes with their routers take at least 308.8 GiB"),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("choose a smaller shape, fewer channels or shorter buffers"),
        "{}",
        stderr(&output)
    );
}

/// Returns the output of `check` for a ping-pong over a PCI bus of this clock and width.
fn check_pci_bus(clock: &str, width: &str) -> String {
    let [clock, width] = [("clock", clock), ("width", width)]
        .map(|(key, value)| format!("hosts.pentium-ii-440lx.io-bus.pci.{key}={value}"));
    stdout(&["check", "ping-pong", "--set", &clock, "--set", &width])
}

#[test]
fn check_warns_of_a_bus_faster_than_any_pci_bus() {
    assert_eq!(check_pci_bus("533 MHz", "8 B").matches("warning").count(), 0, "PCI-X 533");
    let printed = check_pci_bus("1 GHz", "16 B");
    assert!(
        printed.contains("warning: `hosts.pentium-ii-440lx.io-bus.pci.clock`: a bus of 16 B at 1 GHz moves"),
        "{printed}"
    );
    assert!(printed.contains("PCI-X 533 moves 4.3 GB/s"), "{printed}");
    assert!(printed.contains("full-duplex link such as PCI Express"), "{printed}");
}

#[test]
fn run_warns_of_too_few_tags_for_the_link() {
    let output = narrows(&["run", "pcie-gen3", "--set=hosts.ivy-bridge.pcie.link.tags=2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("2 tags of 512 B carry at most 23.2 Gbit/s of reads"), "{}", stderr(&output));
    assert!(!stderr(&narrows(&["run", "pcie-gen3"])).contains("warning"));
}

#[test]
fn check_counts_links_and_bisection_alike() {
    let survey = stdout(&["check", "offered-load"]);
    // An 8x8 mesh has 112 links, of which 8 cross the middle; both lines count each link twice, once for each
    // direction.
    assert!(survey.contains("64 routers, 224 links between them, counted each way"), "{survey}");
    assert!(
        survey.contains("bisection: 16 links between the halves of the nodes by number, counted each way"),
        "{survey}"
    );
}
