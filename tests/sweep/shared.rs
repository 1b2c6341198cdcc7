//! Checks sweeps that are sharded over machines, shared by processes, killed, or stopped by Ctrl-C.

use super::MESH_SWEEP;
use crate::common::cli::{Folder, command, interrupt, interruptible, narrows, run_ok, stderr, stored_point_files};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SWEEP: [&str; 5] = [
    "sweep",
    "stream",
    "--set=workload.stream.messages=40",
    "--vary=run.seed=1..4+1",
    "--vary=workload.stream.payload=64 B..1 KiB*2",
];

#[test]
fn merged_shards_equal_an_unsharded_sweep() {
    let folder = Folder::new("shards");
    for extension in ["csv", "jsonl", "parquet", "json", "txt"] {
        let [whole, first_shard, second_shard] =
            ["whole", "one", "two"].map(|name| folder.path(&format!("{name}.{extension}")));
        run_ok(&[&SWEEP[..], &["--out", &whole]].concat());
        run_ok(&[&SWEEP[..], &["--out", &first_shard, "--shard=1/3"]].concat());
        run_ok(&[&SWEEP[..], &["--out", &second_shard, "--shard=2/3"]].concat());
        let early_merge = narrows(&["merge", &first_shard, &second_shard, "--out", &first_shard]);
        assert_eq!(early_merge.status.code(), Some(2));
        assert!(
            stderr(&early_merge).contains("of 20 points are missing, the first of them run.seed=1"),
            "{}",
            stderr(&early_merge)
        );
        assert!(!Path::new(&first_shard).exists(), "a shard alone writes no table");
        let last_shard_output = run_ok(&[&SWEEP[..], &["--out", &second_shard, "--shard=3/3"]].concat());
        assert!(stderr(&last_shard_output).contains("20 points, shard 3 of 3: "), "{}", stderr(&last_shard_output));
        let merged = folder.path(&format!("merged.{extension}"));
        run_ok(&["merge", &first_shard, &second_shard, "--out", &merged]);
        assert_eq!(
            fs::read(&merged).expect("the table can be read"),
            fs::read(&whole).expect("the table can be read"),
            "{extension}"
        );
    }
    let other = folder.path("other.csv");
    run_ok(&["sweep", "stream", SWEEP[2], "--vary=run.seed=1,2", "--out", &other, "--shard=1/1"]);
    let output = narrows(&["merge", &folder.path("one.csv"), &other, "--out", &other]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("shards of different sweeps"), "{}", stderr(&output));
}

#[test]
fn shards_that_stop_at_saturation_miss_nothing() {
    let folder = Folder::new("stops");
    let [whole, shards] = ["whole.csv", "shards.csv"].map(|name| folder.path(name));
    let vary = [
        "--vary=fabric.router.virtual-channels=1,4",
        "--vary=workload.offered.load=0.2..1+0.2",
        "--stop-at-saturation",
    ];
    run_ok(&[&MESH_SWEEP[..], &vary, &["--out", &whole]].concat());
    for shard in ["--shard=1/2", "--shard=2/2"] {
        run_ok(&[&MESH_SWEEP[..], &vary, &["--out", &shards, shard]].concat());
    }
    run_ok(&["merge", &shards]);
    assert_eq!(fs::read(&shards).expect("the table can be read"), fs::read(&whole).expect("the table can be read"));
}

fn start_sweep(arguments: &[&str]) -> Child {
    command(arguments).stderr(Stdio::piped()).spawn().expect("the program starts")
}

#[test]
fn sweep_killed_at_any_moment_resumes_to_the_same_bytes() {
    let folder = Folder::new("killed");
    let complete = folder.path("whole.parquet");
    run_ok(&[&SWEEP[..], &["--out", &complete]].concat());
    let expected = fs::read(&complete).expect("the table can be read");
    // The golden ratio spreads the moments over the sweep, which takes some hundred milliseconds in a debug build.
    for moment in 0..20u64 {
        let out = folder.path(&format!("{moment}.parquet"));
        let sweep = [&SWEEP[..], &["--out", &out]].concat();
        let mut child = start_sweep(&sweep);
        std::thread::sleep(Duration::from_millis(20 + moment * 618 % 500));
        child.kill().expect("the child can be killed");
        child.wait().expect("the child ends");
        run_ok(&sweep);
        assert_eq!(fs::read(&out).expect("the table can be read"), expected, "killed at moment {moment}");
        assert_eq!(stored_point_files(&out).len(), 20);
    }
}

#[test]
fn two_processes_may_share_a_result() {
    let folder = Folder::new("two");
    let [whole, out] = ["whole.csv", "out.csv"].map(|name| folder.path(name));
    run_ok(&[&SWEEP[..], &["--out", &whole]].concat());
    let sweep = [&SWEEP[..], &["--out", &out]].concat();
    let processes = [start_sweep(&sweep), start_sweep(&sweep)];
    for child in processes {
        let output = child.wait_with_output().expect("the child ends");
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(!stderr(&output).contains("warning"), "{}", stderr(&output));
    }
    assert_eq!(fs::read(&out).expect("the table can be read"), fs::read(&whole).expect("the table can be read"));
    let remaining = fs::read_dir(format!("{out}.points")).expect("the folder can be read").flatten();
    assert!(
        remaining.map(|entry| entry.path()).all(|path| path.extension().is_some_and(|extension| extension == "json"))
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_reports_the_stored_points_and_how_to_resume() {
    let folder = Folder::new("stopped");
    // The second command is left running when its terminal is closed.
    for (name, prefix) in [("out.csv", ""), ("nohup.csv", "trap '' HUP; ")] {
        let out = folder.path(name);
        let long_sweep =
            ["sweep", "stream", "--set=workload.stream.messages=2000", "--vary=run.seed=1..600+1", "--out", &out];
        let program = interruptible(&long_sweep);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{prefix}exec \"$0\" \"$@\"")]).arg(program.get_program());
        shell.args(program.get_args());
        let child = shell.stderr(Stdio::piped()).spawn().expect("the program starts");
        while stored_point_files(&out).len() < 2 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = interrupt(child);
        assert_eq!(output.status.code(), Some(130), "{prefix}");
        let message = stderr(&output);
        assert!(message.contains("of 600 points are stored in `"), "{message}");
        assert!(message.contains("the same command resumes from there"), "{message}");
    }
}
