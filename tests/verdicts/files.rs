//! Checks files and names: outputs overwrite no input, a result is run again with the files of its first run, and flows
//! or hosts with similar names stay distinct.

use super::{STREAM, output_text, value, write_description};
use crate::common::cli::{Folder, as_json, command, narrows, stderr, stdout, stored_point_files};
use serde_json::Value as Json;
use std::fs;

#[test]
fn outputs_overwrite_no_input_and_no_other_output() {
    let folder = Folder::new("place");
    let machine = write_description(&folder, STREAM);
    let run_in_folder =
        |arguments: &[&str]| command(arguments).current_dir(&folder.0).output().expect("the program starts");
    for option in ["--trace", "--pcap"] {
        let output = run_in_folder(&["run", "machine.toml", option, &machine]);
        assert_eq!(output.status.code(), Some(2), "{option}");
    }
    let output = run_in_folder(&["run", "machine.toml", "--trace", "./machine.toml"]);
    assert!(stderr(&output).contains("the command reads this file"), "{}", stderr(&output));
    let output = run_in_folder(&["run", "machine.toml", "--messages", "q.csv", "--trace", "./q.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("two outputs have this name"), "{}", stderr(&output));
    let output =
        run_in_folder(&["sweep", "machine.toml", "--vary=run.seed=1,2", "--format=csv", "--out", "machine.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the command reads this file"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&machine).expect("the description can be read"), STREAM);
    let sweep_output = run_in_folder(&["sweep", "machine.toml", "--vary=run.seed=1,2", "--out", "s.csv"]);
    assert_eq!(sweep_output.status.code(), Some(0), "{}", stderr(&sweep_output));
    let rows = fs::read_to_string(folder.path("s.csv")).expect("the file can be read");
    for out in ["s.csv", "page.csv"] {
        let output = run_in_folder(&["report", "s.csv", "--out", out]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("name a file that ends in `.html`"), "{}", stderr(&output));
    }
    std::os::unix::fs::symlink(folder.path("s.csv"), folder.path("link.html")).expect("the link can be created");
    let output = run_in_folder(&["report", "s.csv", "--out", "link.html"]);
    assert!(stderr(&output).contains("the command reads this file"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(folder.path("s.csv")).expect("the file can be read"), rows);
}

#[test]
fn result_is_run_again_with_its_own_trace_or_refused() {
    let folder = Folder::new("rerun");
    let path_of = |name: &str| folder.path(name);
    fs::create_dir(path_of("sub")).expect("the folder can be created");
    let trace = "generated_cycle,source,destination\n0,0,1\n5,1,2\n";
    fs::write(path_of("sub/trace.csv"), trace).expect("the file can be written");
    fs::write(path_of("sub/replay.toml"), "fabric.mesh.shape = [2, 2]\nworkload.replay.file = \"trace.csv\"\n")
        .expect("the file can be written");
    let first = stdout(&["run", &path_of("sub/replay.toml"), "--format=json"]);
    fs::write(path_of("result.json"), &first).expect("the file can be written");
    let hash = |text: &str| serde_json::from_str::<Json>(text).expect("the text is JSON")["hash"].clone();
    let repeated = stdout(&["run", &path_of("result.json"), "--format=json"]);
    assert_eq!(hash(&repeated), hash(&first), "the trace lies where the description was");
    // A folder with another trace of this name is not used.
    let other_trace = "generated_cycle,source,destination\n0,3,0\n";
    fs::write(path_of("trace.csv"), other_trace).expect("the file can be written");
    assert_eq!(hash(&stdout(&["run", &path_of("result.json"), "--format=json"])), hash(&first));
    fs::write(path_of("sub/trace.csv"), other_trace).expect("the file can be written");
    let output = narrows(&["run", &path_of("result.json")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("is not the file that") && stderr(&output).contains("trace.csv"),
        "{}",
        stderr(&output)
    );
    let setting = format!("--set=workload.replay.file={}", path_of("trace.csv"));
    let overridden = as_json(&["run", &path_of("result.json"), &setting]);
    assert_eq!(value(&overridden, "replay.packets"), 1.0, "the setting selects the other trace");
    // The sweep stores its finished points.
    fs::write(path_of("sub/trace.csv"), trace).expect("the file can be written");
    stdout(&["sweep", &path_of("sub/replay.toml"), "--vary=run.seed=1", "--out", &path_of("s.csv")]);
    let stored_points = stored_point_files(&path_of("s.csv"));
    let point = stored_points[0].to_str().expect("the text is UTF-8");
    assert_eq!(value(&as_json(&["run", point]), "replay.packets"), 2.0);
}

#[test]
fn result_of_a_protocol_on_one_network_is_run_again() {
    let folder = Folder::new("nifdy");
    let text = "parts = [\"hosts/cm-5\", \"ni/queues\", \"protocols/nifdy\", \"fabrics/myrinet\"]\n\
                [nodes.n]\nhost = \"cm-5\"\ncount = 2\n[workload.ping-pong]\npayload = \"64 B\"\nmessages = 2\n";
    let machine = write_description(&folder, text);
    let first = stdout(&["run", &machine, "--format=json", "--no-host"]);
    let result = folder.path("result.json");
    fs::write(&result, &first).expect("the file can be written");
    assert_eq!(stdout(&["run", &result, "--format=json", "--no-host"]), first);
    assert!(first.contains("\"acknowledgement_network\": \"same\""), "the result states the network in use");
    let two_fabrics = text.replace("fabrics/myrinet", "fabrics/nifdy-mesh").replace("count = 2", "count = 64");
    let values = stdout(&["show", &write_description(&folder, &two_fabrics)]);
    let line = values.lines().find(|line| line.contains("acknowledgement-network")).expect("the key is listed");
    assert!(line.contains("other"), "{line}");
}

#[test]
fn flows_with_similar_names_have_separate_metrics() {
    let folder = Folder::new("flows");
    let nodes = ["\"a.b\"", "a", "\"b.c\"", "c"].map(|name| format!("[nodes.{name}]\nhost = \"pentium-ii-440lx\"\n"));
    let text = format!(
        "parts = [\"hosts/pentium-ii-440lx\", \"ni/trapeze\", \"fabrics/myrinet\"]\n{}[workload.stream]\n\
         flows = [\"a.b -> c\", \"a -> b.c\"]\nmessages = 20\npayload = \"8 KiB\"\n",
        nodes.concat()
    );
    let result = as_json(&["run", &write_description(&folder, &text)]);
    for flow in ["flow.\"a.b\".c.bandwidth", "flow.a.\"b.c\".bandwidth"] {
        assert!(value(&result, flow).is_f64());
    }
}

#[test]
fn host_of_a_node_overrides_an_earlier_host_by_name() {
    let folder = Folder::new("host");
    let text = "parts = [\"hosts/pentium-ii-440lx\", \"hosts/alcor\", \"ni/trapeze\", \"fabrics/myrinet\"]\n\
                [nodes.sender]\nhost = \"pentium-ii-440lx\"\n[nodes.receiver]\nhost = \"pentium-ii-440lx\"\n\
                [workload.ping-pong]\npayload = \"8 KiB\"\nmessages = 10\n";
    let machine = write_description(&folder, text);
    let show_json = |overrides: [&str; 2]| {
        narrows(&["show", &machine, "--format=json", "--set", overrides[0], "--set", overrides[1]])
    };
    let hosts = |overrides: [&str; 2]| {
        let values = show_json(overrides);
        let entries: Vec<Json> =
            serde_json::from_slice(&values.stdout).unwrap_or_else(|_| panic!("{}", stderr(&values)));
        let host = |node: &str| entries.iter().find(|entry| entry["key"] == format!("nodes.{node}.host")).cloned();
        ["sender", "receiver"]
            .map(|node| host(node).expect("the node has a host")["value"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(hosts(["host=miata", "nodes.receiver.host=alcor"]), ["miata", "alcor"]);
    assert_eq!(hosts(["nodes.receiver.host=alcor", "host=miata"]), ["miata", "miata"]);
    let output = show_json(["host=miata", "nodes.receiver.host=nosuch"]);
    assert_eq!(output.status.code(), Some(2), "{}", output_text(&output));
}
