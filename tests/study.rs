//! Checks a user's own study: it is checked before any run, its claims are judged by its runs alone, and each number
//! links to the description that yields it.

mod roles;
mod seeds;

use crate::common::cli::{Folder, narrows, stderr};
use narrows::machine::Registry;
use narrows::papers::builtins;
use narrows::study::claims::judge;
use narrows::study::points::Results;
use narrows::study::{LocatedStudy, Options, Progress, find, scaffold};
use serde_json::Value as Json;
use std::fs;

/// Writes the small study into a new folder.
fn folder_with_study(name: &str) -> Folder {
    let folder = Folder::new(&format!("study-{name}"));
    for (file, text) in scaffold::FILES {
        fs::write(folder.0.join(file), text).expect("the file can be written");
    }
    folder
}

/// Replaces `from` by `to` in a file of the study.
fn replace_in_file(folder: &Folder, file: &str, from: &str, to: &str) {
    let path = folder.0.join(file);
    let text = fs::read_to_string(&path).expect("the file of the study can be read");
    assert!(text.contains(from), "{file} has {from}");
    fs::write(path, text.replacen(from, to, 1)).expect("the file can be written");
}

#[test]
fn a_new_study_runs_from_end_to_end_and_its_claims_hold() {
    let folder = Folder::new("study-new");
    let created = narrows(&["new", "study", folder.root()]);
    assert_eq!(created.status.code(), Some(0), "{}", stderr(&created));
    let repeated = narrows(&["new", "study", folder.root()]);
    assert_eq!(repeated.status.code(), Some(2), "no file is overwritten");
    assert!(stderr(&repeated).contains("study.toml` exists already"), "{}", stderr(&repeated));
    let out = folder.0.join("results");
    let out = out.to_str().expect("the text is UTF-8");
    let output = narrows(&["reproduce", folder.root(), "--format", "json", "--strict", "--out", out]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: Json = serde_json::from_slice(&output.stdout).expect("the text is JSON");
    let claims = json["claims"].as_array().expect("the claims are a list");
    assert_eq!(claims.len(), 2);
    assert!(claims.iter().all(|claim| claim["holds"] == true), "{claims:?}");
    assert!(claims[1]["measured"].as_str().is_some_and(|words| words.starts_with("saved: 512 B ")), "{claims:?}");
    let svg = fs::read_to_string(folder.0.join("results/latency.svg")).expect("the picture can be read");
    assert!(svg.contains("one-way latency [µs]") && svg.contains("store and forward"));
    let csv = fs::read_to_string(folder.0.join("results/latency.csv")).expect("the file can be read");
    assert_eq!(csv.lines().count(), 6, "a head and five sizes: {csv}");
    let single = narrows(&["reproduce", &format!("{}/latency", folder.root()), "--quick"]);
    assert_eq!(single.status.code(), Some(0), "one artifact of the study runs alone: {}", stderr(&single));
    let misspelled = narrows(&["reproduce", &format!("{}/latencies", folder.root())]);
    assert_eq!(misspelled.status.code(), Some(2));
    assert!(stderr(&misspelled).contains("did you mean `latency`?"), "{}", stderr(&misspelled));
}

#[test]
fn claim_on_a_missing_measurement_fails_with_the_reason() {
    let folder = folder_with_study("unmeasured");
    let metric = "metric = \"message.latency_one_way\"\n";
    // The key `missing` does not apply to a run that did not complete.
    replace_in_file(&folder, "study.toml", metric, &format!("{metric}missing = 0\n"));
    let machine = fs::read_to_string(folder.0.join("machine.toml")).expect("the description can be read");
    fs::write(folder.0.join("machine.toml"), format!("run.time-limit = \"1 ns\"\n{machine}"))
        .expect("the file can be written");
    let output = narrows(&["reproduce", folder.root(), "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: Json = serde_json::from_slice(&output.stdout).expect("the text is JSON");
    for claim in json["claims"].as_array().expect("the claims are a list") {
        assert_eq!(claim["holds"], false, "{claim}");
        let measured = claim["measured"].as_str().unwrap_or_default();
        assert!(measured.contains("no value of `") && measured.contains("`time-limit`"), "{claim}");
    }
}

/// Errors in the small study: the file, the text that is replaced, the faulty text, and parts of the error message.
const ERRORS: [(&str, &str, &str, &[&str]); 17] = [
    (
        "study.toml",
        "value = \"1 - latency[",
        "missing = 0\nvalue = \"1 - latency[",
        &["study.toml:", "only a `metric` can be missing"],
    ),
    (
        "claims.toml",
        "saved[{size}] for size",
        "saved[{size}] for sizes",
        &["claims.toml:21:", "no axis `sizes`", "did you mean `size`?"],
    ),
    (
        "claims.toml",
        "latency[pure-cut-through/8192]",
        "latency[pure-cut-trough/8192]",
        &[
            "claims.toml:12:",
            "no run is called `latency/pure-cut-trough/8192`",
            "did you mean `latency/pure-cut-through/8192`?",
            "`latency-8K`",
        ],
    ),
    (
        "claims.toml",
        "latency[pure-cut-through/8192]",
        "latencies[pure-cut-through/8192]",
        &["claims.toml:12:10", "no value `latencies`", "did you mean `latency`?"],
    ),
    (
        "claims.toml",
        "min(value) > 0",
        "mim(value) > 0",
        &["claims.toml:22:10", "no function `mim`", "did you mean `min`?"],
    ),
    ("claims.toml", "min(value) > 0 and", "min(value) > and", &["claims.toml:22:", "invalid expression"]),
    ("claims.toml", "kind = \"number\"", "kind = \"numbr\"", &["claims.toml:8:8", "did you mean \"number\"?"]),
    ("claims.toml", "tolerance = 0.1\n", "", &["claims.toml:", "needs a `tolerance`"]),
    (
        "claims.toml",
        "artifact = \"latency\"",
        "artifact = \"latencies\"",
        &["claims.toml:5:", "no artifact `latencies`"],
    ),
    (
        "figures.toml",
        "value = \"latency[{policy}/{size}]\"",
        "value = \"latency[{policy}/{sizes}]\"",
        &["figures.toml:16:", "no value `sizes`", "did you mean `size`?"],
    ),
    (
        "figures.toml",
        "over = [\"size\"]",
        "over = [\"payload\"]",
        &["figures.toml:9:", "no axis `payload`", "axes and sets: `policy` and `size`"],
    ),
    ("figures.toml", "[figure.lines]", "[figure.line]", &["figures.toml:8:", "did you mean `lines`?"]),
    (
        "study.toml",
        "latency = [\"latency\"]",
        "latency = [\"latencies\"]",
        &["study.toml:11:", "no experiment `latencies`"],
    ),
    ("study.toml", "point = \"latency/", "point = \"delay/", &["no run is called `delay/", "experiments: `latency`"]),
    (
        "experiments.toml",
        "axes = [\"policy\", \"size\"]",
        "axes = [\"policy\", \"sizes\"]",
        &["experiments.toml:18:", "no axis `sizes`", "did you mean `size`?"],
    ),
    (
        "experiments.toml",
        "base = \"machine.toml\"",
        "base = \"machines.toml\"",
        &["experiments.toml:16:8", "cannot read", "machine.toml"],
    ),
    (
        "experiments.toml",
        "ni.trapeze.policy=store-and-forward",
        "ni.trapeze.polcy=store-and-forward",
        &["At 5 points (the first is latency/store-and-forward/1024", "did you mean `policy`?"],
    ),
];

#[test]
fn errors_of_a_study_are_reported_with_their_line_before_any_run() {
    for (number, (file, from, to, expected)) in ERRORS.iter().enumerate() {
        let folder = folder_with_study(&format!("error-{number}"));
        replace_in_file(&folder, file, from, to);
        let output = narrows(&["reproduce", folder.root()]);
        let errors = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{to}: {errors}");
        assert!(output.stdout.is_empty(), "{to}: nothing is run");
        let missing_words: Vec<_> = expected.iter().filter(|words| !errors.contains(**words)).collect();
        assert!(missing_words.is_empty(), "{file}: {to}: {missing_words:?} is not in\n{errors}");
    }
}

#[test]
fn unknown_metric_is_reported_with_the_known_ones() {
    let folder = folder_with_study("metric");
    replace_in_file(&folder, "study.toml", "message.latency_one_way", "message.latency");
    let output = narrows(&["reproduce", folder.root(), "--quick"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = stderr(&output);
    assert!(
        errors.contains("there is no metric `message.latency`") && errors.contains("`message.latency_one_way`"),
        "{errors}"
    );
}

/// Checks that every file is read or refused if it is cut short at any position, or if a byte is changed.
#[test]
fn no_text_of_a_study_panics() {
    let folder = folder_with_study("any-text");
    for (file, text) in &scaffold::FILES[..4] {
        let path = folder.0.join(file);
        for index in (0..text.len()).step_by(7).filter(|at| text.is_char_boundary(*at)) {
            for changed_text in [
                text[..index].to_owned(),
                format!("{}'{}", &text[..index], &text[index..]),
                format!("{}{{{}", &text[..index], &text[index..]),
            ] {
                fs::write(&path, changed_text).expect("the file can be written");
                let _ = find(folder.root(), &builtins(Registry::shared())).map_err(|problems| problems.to_string());
            }
        }
        fs::write(&path, text).expect("the file can be written");
    }
    assert!(find(folder.root(), &builtins(Registry::shared())).is_ok());
}

struct NoProgress;

impl Progress for NoProgress {
    fn begins(&self, _: usize) {}
    fn done(&self, _: &str) {}
}

fn verdicts(located: &LocatedStudy, results: &Results) -> Vec<Option<bool>> {
    let claims = judge::judge(&located.results_view(results), &["latency"], false).expect("the study is valid");
    claims.into_iter().map(|claim| claim.holds).collect()
}

/// Judges the same claims over runs of another machine, whose switch is so slow that cut-through saves little.
#[test]
fn claims_are_judged_by_the_runs_alone() {
    let folder = folder_with_study("perturbed");
    let located = find(folder.root(), &builtins(Registry::shared())).expect("the study is valid");
    let options = Options { quick: true, ..Options::default() };
    let run = |settings: &[String]| {
        located.results(&["latency"], &options, settings, &NoProgress).expect("the points are valid")
    };
    let at_reference = run(&[]);
    assert_eq!(verdicts(&located, &at_reference), [Some(true), Some(true)]);
    let slow_links = run(&["fabric.myrinet.link-rate=20 MB/s".to_owned()]);
    assert_eq!(verdicts(&located, &slow_links)[0], Some(false), "the measured number differs with slow links");
    // If every point runs store and forward, cut-through has no advantage at any size.
    let whole_packets = run(&["ni.trapeze.policy=store-and-forward".to_owned()]);
    assert_eq!(verdicts(&located, &whole_packets), [Some(false), Some(false)]);
    assert_eq!(verdicts(&located, &Results::new()), [None, None], "claims are not judged without results");
}

/// Checks that a claim with `quick = false` reports its measured value under `--quick`, and is not judged.
#[test]
fn claim_may_be_judged_on_full_inputs_only() {
    let folder = folder_with_study("whole");
    let path = folder.0.join("claims.toml");
    let text = fs::read_to_string(&path).expect("the file can be read");
    fs::write(&path, text.replacen("[[claim]]\n", "[[claim]]\nquick = false\n", 1)).expect("the file can be written");
    let located = find(folder.root(), &builtins(Registry::shared())).expect("the study is valid");
    let options = Options { quick: true, ..Options::default() };
    let results = located.results(&["latency"], &options, &[], &NoProgress).expect("the points are valid");
    assert_eq!(verdicts(&located, &results), [Some(true), Some(true)]);
    let quick_claims = judge::judge(&located.results_view(&results), &["latency"], true).expect("the study is valid");
    assert_eq!(quick_claims.iter().map(|claim| claim.holds).collect::<Vec<_>>(), [None, Some(true)]);
    assert!(quick_claims.iter().all(|claim| claim.measured.is_some()));
}

/// A study over parts, some of which are incompatible: a coherent interface needs a host that snoops, and packets of
/// 256 B are longer than the buffers of a cut-through router.
const MATRIX_STUDY: [(&str, &str); 4] = [
    (
        "study.toml",
        "title = 'parts'\n[artifacts]\nlatency = ['latency']\n[values.latency]\npoint = 'latency/{interface}/{fabric}'\n\
         metric = 'message.latency_one_way'\n[values.limits]\npoint = 'latency/{interface}/{fabric}'\nfact = 'candidate'\n\
         [values.outcome]\npoint = 'latency/{interface}/{fabric}'\ntells = 'outcome'\n\
         [values.time]\npoint = 'latency/{interface}/{fabric}'\ntells = 'time'\n\
         [values.fits]\npoint = 'latency/{interface}/{fabric}'\ntells = 'fits'\n",
    ),
    (
        "experiments.toml",
        "[axes.interface]\nqueues = []\ncni32qm = []\nni2w = []\n[axes.fabric]\nideal-1998 = []\nnifdy-fat-tree = []\n\
         [experiments.latency]\nbase = 'machine.toml'\naxes = ['interface', 'fabric']\nfitting = true\n\
         set = ['parts=[\"hosts/p6-natoma\", \"ni/<interface>\", \"fabrics/<fabric>\"]']\n",
    ),
    (
        "figures.toml",
        "[[figure]]\nartifact = 'latency'\ntitle = 'Latency'\n[figure.matrix]\nrows = ['interface']\n\
         columns = ['fabric']\nvalue = 'latency[{interface}/{fabric}]'\npoint = 'latency/{interface}/{fabric}'\n\
         shades = 'latency'\nunit = 'us'\n\
         [[figure]]\nartifact = 'latency'\nid = 'limits'\ntitle = 'Candidates'\n[figure.matrix]\nrows = ['interface']\n\
         columns = ['fabric']\nvalue = 'limits[{interface}/{fabric}]'\nshades = 'candidates'\n",
    ),
    (
        "claims.toml",
        "[[claim]]\nid = 'fits'\nartifact = 'latency'\nstatement = 's'\nkind = 'shape'\nexpected = 'three'\n\
         value = \"outcome[{interface}/{fabric}] == 'done' and time[{interface}/{fabric}] > latency[{interface}/{fabric}] \
         for interface for fabric if fits[{interface}/{fabric}]\"\nholds = 'all(value) and count(value) == 3'\n",
    ),
];
const MATRIX_MACHINE: &str =
    "[nodes.node]\ncount = 2\nhost = 'p6-natoma'\n[workload.ping-pong]\nwarm-up = 0\npayload = '64 B'\nmessages = 4\n";

fn folder_with_matrix_study(name: &str) -> Folder {
    let folder = folder_with_study(name);
    for (file, text) in MATRIX_STUDY.iter().chain([&("machine.toml", MATRIX_MACHINE)]) {
        fs::write(folder.0.join(file), text).expect("the file can be written");
    }
    folder
}

#[test]
fn cell_links_to_the_description_of_its_number() {
    let folder = folder_with_matrix_study("matrix");
    let out = folder.0.join("results");
    let output = narrows(&["reproduce", folder.root(), "--strict", "--out", out.to_str().expect("the text is UTF-8")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("Left out: 3 points,"), "{}", stderr(&output));
    let read = |file: &str| fs::read_to_string(out.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (svg, csv, limits) = (read("latency.svg"), read("latency.csv"), read("limits.csv"));
    assert_eq!(svg.matches("<a href=").count(), 3);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "interface,ideal-1998 [µs],nifdy-fat-tree [µs]");
    assert_eq!(lines.len(), 3, "no row of an interface that fits nowhere: {csv}");
    for (interface, fabric, line, column) in
        [("queues", "ideal-1998", 1, 1), ("queues", "nifdy-fat-tree", 1, 2), ("ni2w", "ideal-1998", 2, 1)]
    {
        let path = format!("descriptions/latency/{interface}/{fabric}.toml");
        assert!(svg.contains(&format!("href=\"{path}\"")), "{path}");
        let file = out.join(&path);
        let file = file.to_str().expect("the text is UTF-8");
        let check_output = narrows(&["check", file]);
        assert_eq!(check_output.status.code(), Some(0), "{}", stderr(&check_output));
        let single = narrows(&["run", file, "--format", "json"]);
        let json: Json = serde_json::from_slice(&single.stdout).expect("the text is JSON");
        let cell: f64 =
            lines[line].split(',').nth(column).and_then(|cell| cell.parse().ok()).expect("the cell is a number");
        assert_eq!(json["metrics"]["message.latency_one_way"]["value"], cell, "{path}");
        let run_candidate = &json["candidate"];
        let limit =
            run_candidate["resource"].as_str().or(run_candidate["stage"].as_str()).expect("the candidate is a text");
        let cell =
            limits.lines().nth(line).and_then(|line| line.split(',').nth(column)).expect("the line has the column");
        assert!(limit.ends_with(cell) && !cell.contains("node"), "{limit}: {cell}");
    }
    assert_eq!(lines[2].split(',').nth(2), Some(""), "the cell of incompatible parts is empty: {csv}");
}

#[test]
fn only_incompatible_points_are_left_out() {
    for (number, (file, from, to, message)) in [
        ("machine.toml", "messages = 4", "mesages = 4", "did you mean `messages`?"),
        ("machine.toml", "count = 2", "count = 1", "needs at least 2"),
        ("experiments.toml", "fitting = true", "fitting = false", "a coherent memory bus"),
        ("experiments.toml", "queues = []\ncni32qm = []\nni2w = []", "cni32qm = []", "a coherent memory bus"),
        ("figures.toml", "point = 'latency/{interface}", "point = 'latency/x{interface}", "no run is called"),
        ("study.toml", "fact = 'candidate'", "fact = 'candidat'", "did you mean"),
    ]
    .iter()
    .enumerate()
    {
        let folder = folder_with_matrix_study(&format!("fitting-{number}"));
        replace_in_file(&folder, file, from, to);
        let output = narrows(&["reproduce", folder.root()]);
        assert_eq!(output.status.code(), Some(2), "{to}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{to}: {}", stderr(&output));
    }
}
