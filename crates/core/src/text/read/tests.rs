//! Tests of the reader with a small machine, which is described, read and shown, with every kind of error.

mod arbitrary_input;
mod cached_layers;
mod renamed_keys;

use super::super::load::{Document, PartLibrary, Source, load};
use super::*;
use crate::engine::{Bytes, Hertz, Rate, Time};
use std::path::{Path, PathBuf};

#[derive(Debug, PartialEq)]
struct Bridge {
    read_rate: Rate,
    setup: Time,
    burst: Bytes,
    ring: u64,
    load: f64,
    logging: bool,
    name: Option<String>,
    mode: &'static str,
    shape: Vec<u64>,
    links: Vec<String>,
    seed: Option<PathBuf>,
    clock: Hertz,
}

impl Bridge {
    fn read(t: &mut Table<'_>) -> Bridge {
        let bridge = Bridge {
            read_rate: t.rate("read-rate", "Peak rate of DMA reads").required(),
            setup: t.time("setup", "Time before a burst").or("1.2 us"),
            burst: t.bytes("burst", "Largest burst").min("4 B").max("4 KiB").or("128 B"),
            ring: t.count("ring-entries", "Entries of the ring").range(1, 4096).or(64),
            load: t.fraction("load", "Share in use").or(0.5),
            logging: t.flag("logging", "Whether to log").or(false),
            name: t.text("name", "A name").optional(),
            mode: t.word("mode", "Notification of the driver", &["polled", "interrupt"]).or("polled"),
            shape: t.counts("shape", "Its shape").each(1, 64).length(1, 3).or(&[4, 4]),
            links: t.texts("links", "Its links").or(&["up", "down"]),
            seed: t.path("seed-file", "A file").optional(),
            clock: t.hertz("clock", "Its clock").or("33 MHz"),
        };
        if !bridge.burst.get().is_multiple_of(4) {
            t.report_invalid("burst", "must be whole words", "choose a multiple of 4 B");
        }
        bridge
    }
}

#[derive(Debug, PartialEq)]
enum Policy {
    StoreAndForward { copies: u64 },
    CutThrough { buffers: u64 },
}

const POLICIES: &[(&str, &str)] = &[("store-and-forward", "Whole packets"), ("cut-through", "As they come")];

fn read_policy(name: &str, t: &mut Table<'_>) -> Policy {
    match name {
        "store-and-forward" => Policy::StoreAndForward { copies: t.count("copies", "Copies made").or(1) },
        _ => Policy::CutThrough { buffers: t.count("buffers", "Buffers held").or(8) },
    }
}

#[derive(Debug, PartialEq)]
struct Machine {
    pci: Bridge,
    policy: Policy,
    shape: (String, u64),
    second_reading: Time,
    hosts: Vec<(String, Time)>,
    nodes: Vec<String>,
    extra: Option<u64>,
}

fn read_machine(t: &mut Table<'_>) -> Machine {
    Machine {
        pci: t.table("pci", "The bus", Bridge::read),
        policy: t.one_of_or("policy", "When a packet leaves", POLICIES, "store-and-forward", read_policy),
        shape: t.table("fabric", "The fabric", |t| {
            t.alternatives("The shape of the fabric", &[("mesh", "A grid"), ("ring", "A circle")], |name, t| {
                (name.to_string(), t.count("nodes", "How many").or(4))
            })
        }),
        second_reading: t.table("fabric", "The fabric", |t| {
            t.alternatives("The shape of the fabric", &[("mesh", "A grid"), ("ring", "A circle")], |_, t| {
                t.count("nodes", "How many").or(4)
            });
            Time::ZERO
        }),
        hosts: t.map("hosts", "The hosts", |t| t.time("poll", "Cost of a poll").or("1 us")),
        nodes: t.list("nodes", "The nodes", |t| t.text("host", "Its host").required()),
        extra: t.optional_table("extra", "More", |t| t.count("n", "A number").required()),
    }
}

fn part_text(name: &str) -> Option<&'static str> {
    Some(match name {
        "base" => {
            "[pci]\nread-rate = \"160 MB/s\" # Table 2\nring-entries = 32\n[policy.store-and-forward]\ncopies = 3\n[fabric.mesh]\n"
        }
        "fast" => "parts = 'base'\n[pci]\nread-rate = \"1 GB/s\"\n",
        "slow" => "poll = \"9 us\" # chosen\n",
        "round" => "parts = ['trip']\n",
        "trip" => "parts = ['round']\n",
        "broken" => "[pci]\nsetup = 5\n",
        _ => return None,
    })
}

const LIBRARY: PartLibrary<'static> = PartLibrary {
    find: &part_text,
    names: &["base", "fast", "slow", "round", "trip", "broken"],
    examples: &[],
    tables: &["hosts"],
};

fn try_read(text: &str, sets: &[&str]) -> Result<Read<Machine>, Problems> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let document = Document::Text("dir/m.toml", text, Some(Path::new("dir")));
    DescriptionReader::new(load(&Source { document, sets: &sets, varied: &[], library: LIBRARY })?).read(read_machine)
}

fn read(text: &str, sets: &[&str]) -> Read<Machine> {
    try_read(text, sets).unwrap_or_else(|problems| panic!("{problems}"))
}

fn problem_text(text: &str, sets: &[&str]) -> String {
    try_read(text, sets).expect_err("problems are reported").to_string()
}

/// Returns the problems that `read` reports in the description `document`.
fn problems_of<T: std::fmt::Debug>(document: Document<'_>, read: impl FnMut(&mut Table<'_>) -> T) -> Problems {
    let loaded = load(&Source { document, sets: &[], varied: &[], library: LIBRARY });
    DescriptionReader::new(loaded.expect("the description is loaded")).read(read).expect_err("problems are reported")
}

/// Returns only the messages and labels of the problems.
fn messages(text: &str, sets: &[&str]) -> Vec<String> {
    messages_and_labels(&try_read(text, sets).expect_err("problems are reported"))
}

fn messages_and_labels(problems: &Problems) -> Vec<String> {
    problems.list().iter().map(|problem| format!("{}: {}", problem.message, problem.label)).collect()
}

const MINIMAL_DESCRIPTION: &str = "parts = 'base'\n";

#[test]
fn options_override_the_file_the_parts_and_the_defaults() {
    let all = read(
        "parts = ['base', 'fast']\n[pci]\nload = 1\nseed-file = 'x/s.bin'\n[hosts.z]\n[hosts.a]\npoll='2 us'\n[[nodes]]\nhost='z'\n[[nodes]]\nhost='a'\n",
        &["pci.load=0.25", "pci.setup=3 us", "nodes.1.host=q", "pci.shape=[2,2,2]"],
    )
    .value;
    assert_eq!(all.pci.read_rate, Rate::from_bytes_per_s(1_000_000_000));
    assert_eq!((all.pci.ring, all.pci.load, all.pci.setup), (32, 0.25, Time::from_us(3)));
    assert_eq!((all.pci.burst, all.pci.shape), (Bytes(128), vec![2, 2, 2]));
    assert_eq!(all.pci.seed, Some(PathBuf::from("dir/x/s.bin")));
    assert_eq!(all.policy, Policy::StoreAndForward { copies: 3 });
    assert_eq!(all.hosts, [("z".to_string(), Time::from_us(1)), ("a".to_string(), Time::from_us(2))]);
    assert_eq!(all.nodes, ["z", "q"]);
}

#[test]
fn parts_of_an_entry_are_layers_below_its_keys() {
    let text = "parts = 'base'\n[hosts.z]\nparts = 'slow'\n[hosts.a]\nparts = ['slow']\npoll='2 us'\n[hosts.b]\n";
    let hosts = |sets: &[&str]| read(text, sets).value.hosts.into_iter().map(|(name, poll)| format!("{name} {poll}"));
    assert_eq!(hosts(&[]).collect::<Vec<_>>(), ["z 9 us", "a 2 us", "b 1 us"]);
    assert_eq!(hosts(&["hosts.b.parts=slow", "hosts.z.poll=1 ms"]).collect::<Vec<_>>(), ["z 1 ms", "a 2 us", "b 9 us"]);
    let unknown = "parts = 'base'\n[hosts.z]\nparts = 'slov'\n";
    assert_eq!(messages(unknown, &[]), ["there is no shipped part \"slov\": did you mean \"slow\"?"]);
    let recursive = "parts = 'base'\n[hosts.z]\nparts = 'trip'\n";
    assert_eq!(messages(recursive, &[]).len(), 1);
    assert_eq!(messages("parts = 'base'\n[pci]\nparts = 'slow'\n", &[]).len(), 1, "no entry names parts there");
}

#[test]
fn a_higher_layer_replaces_the_whole_choice() {
    let file = "parts = 'base'\n[policy.cut-through]\n";
    assert_eq!(read(file, &[]).value.policy, Policy::CutThrough { buffers: 8 });
    assert_eq!(
        read(MINIMAL_DESCRIPTION, &["policy.cut-through.buffers=4"]).value.policy,
        Policy::CutThrough { buffers: 4 }
    );
    assert_eq!(read(MINIMAL_DESCRIPTION, &["policy=cut-through"]).value.policy, Policy::CutThrough { buffers: 8 });
    assert_eq!(
        read(MINIMAL_DESCRIPTION, &["policy=store-and-forward"]).value.policy,
        Policy::StoreAndForward { copies: 3 }
    );
    // A word selects its member even if a table of another member is defined.
    let text = "parts = 'base'\n[policy.cut-through]\nbuffers = 5\n";
    assert_eq!(read(text, &["policy=store-and-forward"]).value.policy, Policy::StoreAndForward { copies: 3 });
    assert_eq!(read(text, &["policy=cut-through"]).value.policy, Policy::CutThrough { buffers: 5 });
    assert_eq!(messages(text, &["policy=cut"]), ["bad value for `policy`: did you mean \"cut-through\"?"]);
    assert_eq!(read("parts='base'\n[fabric.ring]\nnodes=9", &[]).value.shape, ("ring".to_string(), 9));
    assert_eq!(read(MINIMAL_DESCRIPTION, &["fabric.ring={}"]).value.shape, ("ring".to_string(), 4));
    assert!(!read(file, &[]).entries().iter().any(|entry| entry.path.contains("copies")));
}

#[test]
fn two_choices_in_one_layer_are_both_reported() {
    let text = "parts = 'base'\n[fabric.ring]\n[fabric.mesh]\n";
    let expected = "\
error: `ring` and `mesh` are mutually exclusive in `fabric`
 --> dir/m.toml:3:9
  |
2 | [fabric.ring]
  |         ---- and `ring` here
3 | [fabric.mesh]
  |         ^^^^ `mesh` is defined here
  |
  = help: define exactly one of them: leave the other out";
    assert_eq!(problem_text(text, &[]), expected);
    assert_eq!(messages(text, &["fabric.ring.nodes=3"]).len(), 1, "an option does not hide the conflict");
    let sets = ["policy.cut-through.buffers=1", "policy.store-and-forward.copies=1"];
    assert_eq!(
        messages(MINIMAL_DESCRIPTION, &sets),
        [
            "`cut-through` and `store-and-forward` are mutually exclusive in `policy`: `store-and-forward` is defined here"
        ]
    );
}

#[test]
fn all_problems_are_reported_together() {
    let text = "parts = 'base'\n[pci]\nsetup = 5\nburst = '6 KiB'\nread-rate = '100 Gbps'\nlod = 0.5\nshape = [0, 'x', 3]\nmode = 'poled'\n[extra]\n[fabric]\nwidth = 2\n";
    assert_eq!(
        messages(text, &["pci.logging=yes", "nodes=3"]),
        [
            "bad value for `pci.setup`: a time needs a unit",
            "bad value for `pci.burst`: must be at most 4 KiB",
            "bad value for `pci.read-rate`: `Gbps` is not a unit of a rate",
            "unknown key `lod` in `pci`: did you mean `load`?",
            "bad value for `pci.shape`: must be at least 1",
            "bad value for `pci.shape`: expected an integer, found a string",
            "bad value for `pci.mode`: did you mean \"polled\"?",
            "unknown key `width` in `fabric`: there is no such key here",
            "`extra.n` is missing: `n` belongs here",
            "bad value for `pci.logging`: expected true or false, found a string",
            "bad value for `nodes`: a list of tables is expected, not a bare integer",
        ]
    );
}

#[test]
fn a_problem_is_reported_at_its_line_and_column() {
    let expected = "\
error: bad value for `pci.setup`
 --> dir/m.toml:3:9
  |
3 | setup = 5 # by hand
  |         ^ a time needs a unit
  |
  = help: write \"5 ns\"; units are ps, ns, us, ms, s
  = help: `setup`: Time before a burst";
    assert_eq!(problem_text("parts = 'base'\n[pci]\nsetup = 5 # by hand\n", &[]), expected);
    assert!(problem_text("parts = 'broken'", &[]).contains(" --> machines/broken.toml:2:9"));
    assert!(problem_text(MINIMAL_DESCRIPTION, &["pci.setup=5"]).contains(" --> --set:1:11"));
}

#[test]
fn missing_keys_are_reported_at_their_table() {
    assert_eq!(
        messages("[pci]\n", &[]),
        [
            "`fabric` needs one of `mesh` and `ring`: no alternative is defined here",
            "`pci.read-rate` is missing: `read-rate` belongs here"
        ]
    );
    assert_eq!(messages("", &[]).len(), 2);
    assert_eq!(problems_of(Document::None, read_machine).list().len(), 2);
}

#[test]
fn contradicting_values_are_reported_once_at_the_value() {
    assert_eq!(messages("parts='base'\n[pci]\nburst = '6 B'", &[]), ["`pci.burst`: must be whole words: "]);
    let check = |t: &mut Table<'_>| {
        read_machine(t);
        t.report_invalid("pci.burst", "does not suit", "");
    };
    let problems = problems_of(Document::Text("m.toml", MINIMAL_DESCRIPTION, None), check);
    assert_eq!(&*problems.list()[0].label, "`pci.burst` is 128 B by default");
}

#[test]
fn placeholder_values_cause_no_further_problems() {
    let check = |t: &mut Table<'_>| {
        read_machine(t);
        t.report_invalid("pci.read-rate", "does not suit", "");
        t.report_invalid("pci.burst", "does not suit", "");
        t.report_invalid("", "as a whole it does not suit", "");
    };
    let problems = problems_of(Document::Text("m.toml", "[fabric.mesh]\n[pci]\nburst = 'x'\n", None), check);
    let reported: Vec<&str> = problems.list().iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(reported, ["as a whole it does not suit", "bad value for `pci.burst`", "`pci.read-rate` is missing"]);
}

#[test]
fn a_byte_order_mark_does_not_shift_locations() {
    let text = "\u{feff}parts = 'base'\r\n[pci]\r\nsetup = 5\r\n";
    assert!(problem_text(text, &[]).contains(" --> dir/m.toml:3:9"), "{}", problem_text(text, &[]));
}

#[test]
fn reporting_many_problems_takes_linear_time() {
    // If each key were compared with all others, or its line counted from the first, this test would take minutes.
    let unknown: String = (0..20_000).map(|n| format!("key-{n} = {n}\n")).collect();
    let mistyped: String = (0..20_000).map(|n| format!("pci-{n} = {n}\n")).collect();
    for text in [unknown, mistyped, "a = 1\n".repeat(20_000)] {
        let reported = problem_text(&text, &[]);
        let more = reported.rsplit("\n\n").next().and_then(|last| last.strip_prefix("and ")?.strip_suffix(" more"));
        assert!(more.is_some_and(|more| (19_800..20_000).contains(&more.parse().unwrap_or(0))), "{more:?}");
    }
}

#[test]
fn unknown_and_recursive_parts_are_reported() {
    assert_eq!(messages("parts = ['bsae']", &[]), ["there is no shipped part \"bsae\": did you mean \"base\"?"]);
    assert_eq!(messages("parts = 'round'", &[]), ["the shipped part \"round\" includes itself: this closes the cycle"]);
    assert_eq!(messages("parts = [3]", &[]), ["`parts` names shipped parts by strings: this is a bare integer"]);
    assert_eq!(read("parts = 'nonsense'", &["parts=base"]).value.pci.ring, 32);
}

#[test]
fn a_misspelt_choice_is_reported_once() {
    let read_root = |t: &mut Table<'_>| t.one_of("policy", "When a packet leaves", POLICIES, read_policy);
    let reported = |text: &str| messages_and_labels(&problems_of(Document::Text("m.toml", text, None), read_root));
    assert_eq!(
        reported("[policy.cut-thruogh]"),
        ["unknown key `cut-thruogh` in `policy`: did you mean `cut-through`?"]
    );
    let missing_member =
        ["`policy` needs one of `store-and-forward` and `cut-through`: no alternative is defined here"];
    assert_eq!(reported(""), missing_member);
    assert_eq!(reported("[policy]"), missing_member);
}

#[test]
fn every_syntax_error_is_reported() {
    let all = messages("a = 40 ns\nb = [1,\n= 3\na = 2\n", &["=x"]);
    assert!(all.len() >= 3, "{all:#?}");
}

#[test]
fn every_value_is_shown_with_its_origin() {
    let all = read("parts = 'base'\n[pci]\nload = 0.50 # measured\n", &["pci.setup=2 us"]);
    let line = |entry: &Entry| {
        format!("{} = {} ({}) {}", entry.path, entry.value, entry.origin, entry.note.as_deref().unwrap_or("-"))
    };
    let shown: Vec<String> = all.entries().iter().map(line).collect();
    for expected in [
        "pci.read-rate = 160 MB/s (machines/base.toml:2) Table 2",
        "pci.setup = 2 us (--set) -",
        "pci.burst = 128 B (default) -",
        "pci.load = 0.50 (dir/m.toml:3) measured",
        "pci.shape = [4,4] (default) -",
        "policy.store-and-forward.copies = 3 (machines/base.toml:5) -",
    ] {
        assert!(shown.iter().any(|line| line == expected), "{expected} in {shown:#?}");
    }
}

#[test]
fn the_resolved_description_is_complete_and_canonical() {
    let all = read("parts = 'base'\n[pci]\nsetup='0.0012 ms'\n[hosts.my-host]\n[[nodes]]\nhost='my-host'\n", &[]);
    let resolved = all.resolved();
    assert_eq!(resolved["pci"]["read_rate"], "160 MB/s");
    assert_eq!(resolved["pci"]["setup"], "1.2 us");
    assert_eq!(resolved["pci"]["shape"], serde_json::json!([4, 4]));
    assert_eq!(resolved["policy"]["store_and_forward"]["copies"], 3);
    assert_eq!(resolved["hosts"]["my-host"]["poll"], "1 us");
    assert_eq!(resolved["nodes"], serde_json::json!([{ "host": "my-host" }]));
    assert_eq!(resolved["fabric"], serde_json::json!({ "mesh": { "nodes": 4 } }));
    assert!(resolved["pci"].get("name").is_none());
}

#[test]
fn schema_has_the_keys_that_the_reader_reads() {
    let schema = describe(read_machine);
    let json = schema.json_schema();
    let burst = &json["properties"]["pci"]["properties"]["burst"];
    assert_eq!((&burst["default"], &burst["description"]), (&"128 B".into(), &"Largest burst".into()));
    assert_eq!(json["properties"]["pci"]["additionalProperties"], false);
    assert_eq!(json["then"]["properties"]["pci"]["required"], serde_json::json!(["read-rate"]));
    assert_eq!(json["then"]["required"], serde_json::json!(["pci", "fabric"]));
    let policy = &json["properties"]["policy"]["anyOf"];
    assert_eq!(policy[0]["enum"], serde_json::json!(["store-and-forward", "cut-through"]));
    assert_eq!(policy[1]["properties"]["cut-through"]["properties"]["buffers"]["default"], 8);
    assert!(json["properties"]["nodes"]["items"]["properties"]["host"].is_object());
    assert!(schema.listing().contains("policy.cut-through.buffers  (count; default 8)\n    Buffers held\n"));
}
