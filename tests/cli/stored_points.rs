//! Checks stored points of sweeps: a sweep prints the same bytes for any number of jobs, finished points are stored and
//! reused, and points that are corrupt or whose files have changed are run again.

use super::{SHORT_RUN, code};
use crate::common::cli::{Folder, command, json, narrows, stderr, stdout, stored_point_files};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

#[test]
fn sweep_gives_the_same_bytes_with_any_number_of_jobs() {
    let sweep = |jobs: &str, format: &str| {
        let payload = "workload.ping-pong.payload=64 B..1 KiB*4";
        let policy = "ni.trapeze.policy=store-and-forward,adaptive-cut-through";
        let vary = ["--vary", payload, "--vary", policy];
        stdout(&[&["sweep", "ping-pong", SHORT_RUN, "--jobs", jobs, "--format", format], &vary[..]].concat())
    };
    for format in ["text", "csv", "jsonl", "json"] {
        assert_eq!(sweep("1", format), sweep("2", format));
    }
    let csv = sweep("2", "csv");
    let rows: Vec<String> =
        csv.lines().skip(1).map(|row| row.split(',').take(2).collect::<Vec<_>>().join(" ")).collect();
    let expected = ["64", "256", "1024"];
    let expected: Vec<String> = expected
        .iter()
        .flat_map(|payload| ["store-and-forward", "adaptive-cut-through"].map(|policy| format!("{payload} {policy}")))
        .collect();
    assert_eq!(rows, expected, "the last key varies fastest");
}

#[test]
fn deadlocked_point_is_a_row_like_others() {
    let output = narrows(&[
        "sweep",
        "ping-pong",
        SHORT_RUN,
        "--set=workload.ping-pong.messages=50",
        "--format=csv",
        "--vary=ni.trapeze.keep-buffers=true,false",
    ]);
    assert_eq!(output.status.code(), Some(3));
    let csv = String::from_utf8_lossy(&output.stdout).into_owned();
    let outcomes: Vec<&str> = csv.lines().skip(1).filter_map(|row| row.split(',').nth(1)).collect();
    assert_eq!(outcomes, ["deadlock", "done"]);
    assert!(
        stderr(&output).contains("The point ni.trapeze.keep-buffers=true ended in a deadlock: "),
        "{}",
        stderr(&output)
    );
}

/// Returns the files of the points that are stored with a result, each with the time at which it was written.
fn modification_times(out: &str) -> BTreeMap<PathBuf, SystemTime> {
    stored_point_files(out).into_iter().map(|path| (path.clone(), modification_time(&path))).collect()
}

fn modification_time(path: &Path) -> SystemTime {
    path.metadata().and_then(|metadata| metadata.modified()).expect("a file")
}

#[test]
fn killed_sweep_resumes_from_its_stored_points() {
    let folder = Folder::new("kill");
    let out_path = folder.path("out.csv");
    let sweep =
        ["sweep", "stream", "--set=workload.stream.messages=400", "--vary=run.seed=1..40+1", "--out", &out_path];
    let mut child = command(&[&sweep[..], &["--jobs=1"]].concat()).stderr(Stdio::null()).spawn().expect("a sweep");
    while modification_times(&out_path).len() < 3 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child to kill");
    child.wait().expect("a child");
    let times_before = modification_times(&out_path);
    assert!(times_before.len() >= 3);
    let output = narrows(&sweep);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let (run_count, stored_count) = (40 - times_before.len(), times_before.len());
    assert!(
        stderr(&output).contains(&format!("40 points: {run_count} run, {stored_count} stored before.")),
        "{}",
        stderr(&output)
    );
    let times_after = modification_times(&out_path);
    assert_eq!(times_after.len(), 40);
    assert!(times_before.iter().all(|(path, time)| times_after[path] == *time), "no finished point is run again");
    let complete = stdout(&[&sweep[..4], &["--format=csv"]].concat());
    assert_eq!(
        fs::read_to_string(&out_path).expect("the result"),
        complete,
        "the result equals that of an uninterrupted sweep"
    );
}

#[test]
fn point_is_run_again_after_a_change_of_its_files() {
    let folder = Folder::new("changed");
    let [file, trace, graph, out] = ["d.toml", "t.csv", "g.edges", "out.csv"].map(|name| folder.path(name));
    let text = "[fabric.graph]\nfile = \"g.edges\"\n[workload.replay]\nfile = \"t.csv\"\n";
    fs::write(&file, text).expect("a description");
    let ring = "n0 s0\nn1 s1\nn2 s2\ns0 s1\ns1 s2\n";
    let packets = "generated_cycle,source,destination\n0,0,2\n5,1,2\n";
    fs::write(&graph, ring).expect("a graph");
    fs::write(&trace, packets).expect("a trace");
    let sweep = ["sweep", &file, "--vary=fabric.router.buffer-flits=2,4", "--out", &out];
    let sweep_and_expect = |expected: &str| {
        let output = narrows(&sweep);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        let complete = stdout(&[&sweep[..3], &["--format=csv"]].concat());
        assert_eq!(
            fs::read_to_string(&out).expect("the result"),
            complete,
            "the result equals that of a sweep without stored points"
        );
    };
    sweep_and_expect("2 points: 2 run, 0 stored before.");
    sweep_and_expect("2 points: 0 run, 2 stored before.");
    fs::write(&trace, format!("{packets}6,1,2\n")).expect("a trace");
    sweep_and_expect("2 points: 2 run, 0 stored before.");
    fs::write(&graph, format!("{ring}s2 s0\n")).expect("a graph");
    sweep_and_expect("2 points: 2 run, 0 stored before.");
    fs::write(&trace, packets).expect("a trace");
    fs::write(&graph, ring).expect("a graph");
    sweep_and_expect("2 points: 0 run, 2 stored before.");
}

#[test]
fn a_corrupt_point_is_run_again_with_a_warning() {
    let folder = Folder::new("corrupt");
    let out_path = folder.path("out.json");
    let sweep = ["sweep", "ping-pong", SHORT_RUN, "--vary=run.seed=1,2,3,4", "--out", &out_path];
    assert_eq!(code(&sweep), Some(0));
    let result = fs::read_to_string(&out_path).expect("a result");
    let files: Vec<PathBuf> = modification_times(&out_path).into_keys().collect();
    let text = fs::read_to_string(&files[0]).expect("a point");
    fs::write(&files[0], &text[..text.len() / 2]).expect("a file");
    let edited_text = fs::read_to_string(&files[1]).expect("a point").replace("\"messages\": 5", "\"messages\": 6");
    fs::write(&files[1], edited_text).expect("a file");
    fs::copy(&files[3], &files[2]).expect("a file");
    let output = narrows(&sweep);
    assert_eq!(output.status.code(), Some(0));
    let warnings = stderr(&output);
    for reason in ["it is not JSON", "its hash does not match its contents", "it is the result of another point"] {
        assert!(warnings.contains(reason), "{warnings}");
    }
    assert!(warnings.contains("4 points: 3 run, 1 stored before."), "{warnings}");
    assert_eq!(fs::read_to_string(&out_path).expect("a result"), result);
    // A single point has a result of the same form as `run`.
    let point: Json = serde_json::from_str(&fs::read_to_string(&files[0]).expect("a point")).expect("JSON");
    let seed = format!("--seed={}", point["seed"]);
    assert_eq!(point, json(&["run", "ping-pong", SHORT_RUN, &seed, "--format=json", "--no-host"]));
}
