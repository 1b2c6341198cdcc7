//! Checks the declarations of parameters: random parameters of every part read back as they were written, keys and help
//! texts are declared once, and every number has a meaning.

use narrows::engine::rng::{self, RandomStream};
use narrows::engine::{Bytes, Hertz, Rate, Time};
use narrows::fabric::ideal::IdealParameters;
use narrows::fabric::myrinet::MyrinetParameters;
use narrows::fabric::routed::RoutedParameters;
use narrows::fabric::topology::Topology;
use narrows::host::alewife::AlewifeParameters;
use narrows::host::io_bus::IoBusParameters;
use narrows::host::memory_bus::NodeParameters;
use narrows::host::pcie::PcieParameters;
use narrows::host::software::SoftwareParameters;
use narrows::machine::{Registry, Run};
use narrows::messaging::MessagingParameters;
use narrows::messaging::shared::SharedMemoryParameters;
use narrows::ni::cmmu::CmmuParameters;
use narrows::ni::direct::QueuesParameters;
use narrows::ni::lanai::LanaiParameters;
use narrows::ni::mcp::McpParameters;
use narrows::ni::trapeze::TrapezeParameters;
use narrows::program::appbt::Appbt;
use narrows::program::barnes::Barnes;
use narrows::program::bursts::Bursts;
use narrows::program::costs::SingleCosts;
use narrows::program::cyclic_shift::CyclicShift;
use narrows::program::dma::DmaTest;
use narrows::program::dsmc::Dsmc;
use narrows::program::em3d::Em3d;
use narrows::program::fabric_alone::offered::Offered;
use narrows::program::fabric_alone::replay::Replay;
use narrows::program::fabric_alone::zero_load::ZeroLoad;
use narrows::program::moldyn::Moldyn;
use narrows::program::page_fetch::PageFetch;
use narrows::program::pair::Pair;
use narrows::program::ping_pong::PingPong;
use narrows::program::radix_sort::RadixSort;
use narrows::program::spsolve::Spsolve;
use narrows::program::stream::Stream;
use narrows::program::unstructured::Unstructured;
use narrows::program::verbs::VerbsTest;
use narrows::protocol::nifdy::NifdyParameters;
use narrows::protocol::plain::PlainParameters;
use narrows::protocol::return_to_sender::ReturnToSenderParameters;
use narrows::protocol::window::WindowParameters;
use narrows::text::quantity::{self, Quantity};
use narrows::text::schema::{Family, Form, Item, Line, Need, TableShape};
use narrows::text::{
    DescriptionReader, Document, Meaning, Parameters, PartLibrary, Problems, Source, describe, load, to_toml,
};
use rand::RngExt;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::path::Path;

/// Number of random descriptions of each part.
const TRIES: usize = 200;
/// Smallest fraction of the descriptions that must be valid; checks of several values together reject the others.
const VALID_FRACTION_MIN: f64 = 0.02;

fn read<P: Parameters>(text: &str) -> Result<P, Problems> {
    let document = Document::Text("parameters.toml", text, None);
    let loaded = load(&Source { document, sets: &[], varied: &[], library: PartLibrary::EMPTY })?;
    Ok(DescriptionReader::new(loaded).read(P::read)?.value)
}

/// A source of random values that a schema allows.
struct ValueSource {
    random: RandomStream,
    /// The name of a file, for keys whose value is a file name.
    file: String,
}

impl ValueSource {
    fn flip_coin(&mut self) -> bool {
        self.random.random_range(0..2) == 0
    }

    /// Returns a count within bounds. In half of the cases it is a power of two, which many keys require.
    fn count(&mut self, least: u64, most: u64) -> u64 {
        let most = most.min(least.saturating_add(1 << 24));
        let value = self.random.random_range(least..=most);
        let power = value.max(1).next_power_of_two();
        if self.flip_coin() && (least..=most).contains(&power) { power } else { value }
    }

    fn quantity<Q: Quantity>(&mut self, kind: &str, to_smallest_unit: impl Fn(Q) -> u64) -> String {
        let bound =
            |text: &str| quantity::parse::<Q>(text.trim()).map(&to_smallest_unit).expect("a bound is a quantity");
        let (least, most) = match kind.split_once(", ").map(|(_, bounds)| bounds) {
            None => (1, 1 << 40),
            Some(bounds) => match (bounds.split_once(" to "), bounds.strip_prefix("at least ")) {
                (Some((least, most)), _) => (bound(least), bound(most)),
                (None, Some(least)) => (bound(least), bound(least).saturating_mul(64)),
                (None, None) => (1, bound(bounds.strip_prefix("at most ").expect("the bounds begin with \"at most\""))),
            },
        };
        Q::from_smallest(self.count(least, most)).to_string()
    }

    fn value(&mut self, kind: &str, schema: &Json) -> String {
        let number = |key: &str, default_value: f64| schema[key].as_f64().unwrap_or(default_value);
        let allowed_values = schema["enum"].as_array();
        match kind.split(',').next().expect("the kind is a text") {
            "time" => format!("\"{}\"", self.quantity::<Time>(kind, Time::ps)),
            "bytes" => format!("\"{}\"", self.quantity::<Bytes>(kind, Bytes::get)),
            "rate" => format!("\"{}\"", self.quantity::<Rate>(kind, Rate::bits_per_s)),
            "frequency" => format!("\"{}\"", self.quantity::<Hertz>(kind, |hertz| hertz.0)),
            "count" => {
                let most = schema["maximum"].as_u64().unwrap_or(1 << 40);
                self.count(schema["minimum"].as_u64().unwrap_or(0), most).to_string()
            }
            "number" => {
                let (least, most) = (number("minimum", 0.0), number("maximum", 10.0));
                format!("{:?}", self.random.random_range(least..=most))
            }
            "flag" => self.flip_coin().to_string(),
            "text" => "\"a -> b - \\\"c\\\" ö\"".to_owned(),
            "path" => format!("{:?}", self.file),
            _ if kind.starts_with("list of ") => {
                let fewest = schema["minItems"].as_u64().unwrap_or(0);
                let length =
                    self.random.random_range(fewest..=schema["maxItems"].as_u64().unwrap_or(4).min(fewest + 3));
                let element_kind = &kind["list of ".len()..];
                let values: Vec<String> = (0..length).map(|_| self.value(element_kind, &schema["items"])).collect();
                format!("[{}]", values.join(", "))
            }
            _ => {
                let allowed_values = allowed_values.unwrap_or_else(|| panic!("no value of kind {kind} is known"));
                allowed_values[self.random.random_range(0..allowed_values.len())].to_string()
            }
        }
    }

    /// Writes random keys of a table.
    fn table(&mut self, shape: &TableShape, parent: &str, text: &mut String) {
        for item in &shape.items {
            match item {
                Item::Family(family) => self.family(family, parent, text),
                Item::Key { key, form, need, .. } => {
                    if *need != Need::Required && self.flip_coin() {
                        continue;
                    }
                    let path = format!("{parent}{key}");
                    match form {
                        Form::Value(kind, schema, _) => *text += &format!("{path} = {}\n", self.value(kind, schema)),
                        Form::Table(shape) => self.table(shape, &format!("{path}."), text),
                        Form::OneOf(family, _) => self.family(family, &format!("{path}."), text),
                        other => panic!("{path}: no part has {other:?}"),
                    }
                }
            }
        }
    }

    fn family(&mut self, family: &Family, parent: &str, text: &mut String) {
        let member = &family.members[self.random.random_range(0..family.members.len())];
        let length_before = text.len();
        self.table(&member.shape, &format!("{parent}{}.", member.name), text);
        if text.len() == length_before {
            *text += &format!("{parent}{} = {{}}\n", member.name);
        }
    }
}

/// Checks that random parameters read back as they were written, and returns the lines of their schema.
fn check_round_trips<P: Parameters + Debug>(file: &str, tries: usize) -> Vec<Line> {
    let name = std::any::type_name::<P>();
    let schema = describe(P::read);
    let mut source = ValueSource { random: rng::stream(1, name), file: file.to_owned() };
    let mut valid_count = 0;
    for _ in 0..tries {
        let mut text = String::new();
        source.table(&schema.root, "", &mut text);
        let Ok(first) = read::<P>(&text) else { continue };
        let written_text = to_toml(&first);
        let read_again =
            read::<P>(&written_text).unwrap_or_else(|problems| panic!("{name}\n{text}\n{written_text}\n{problems}"));
        assert_eq!(format!("{read_again:?}"), format!("{first:?}"), "{name}\n{text}\n{written_text}");
        assert_eq!(to_toml(&read_again), written_text, "{name}");
        valid_count += 1;
    }
    assert!(
        valid_count as f64 >= VALID_FRACTION_MIN * tries as f64,
        "{name}: only {valid_count} of {tries} random descriptions are valid"
    );
    schema.lines()
}

/// Applies `check_round_trips` to every part with `tries` descriptions, and returns the lines of all schemas.
fn check_every_part(tries: usize) -> Vec<Line> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let trace = format!("{folder}/examples/traces/mesh8x8-v4-b8-p8-r020.csv");
    // Tests of several threads call this function, each with a file of its own.
    let (process, thread) = (std::process::id(), std::thread::current().id());
    let edges = std::env::temp_dir().join(format!("narrows-{process}-{thread:?}-parameters.txt"));
    fs::write(&edges, "a b\nb c\n").expect("the file can be written");
    let mut lines = check_round_trips::<Topology>(&edges.to_string_lossy(), tries);
    fs::remove_file(edges).expect("the file can be removed");
    lines.extend(check_round_trips::<Replay>(&trace, tries));
    macro_rules! check_parts {
        ($($part:ty),* $(,)?) => { $(lines.extend(check_round_trips::<$part>("", tries));)* };
    }
    check_parts!(AlewifeParameters, IoBusParameters, NodeParameters, PcieParameters, SoftwareParameters);
    check_parts!(IdealParameters, MyrinetParameters, RoutedParameters);
    check_parts!(MessagingParameters, SharedMemoryParameters, Run);
    check_parts!(CmmuParameters, LanaiParameters, McpParameters, QueuesParameters, TrapezeParameters);
    check_parts!(NifdyParameters, PlainParameters, ReturnToSenderParameters, WindowParameters);
    check_parts!(Appbt, Barnes, Bursts, CyclicShift, DmaTest, Dsmc, Em3d, Moldyn, Offered, PageFetch, Pair, PingPong);
    check_parts!(RadixSort, SingleCosts, Spsolve, Stream, Unstructured, VerbsTest, ZeroLoad);
    lines
}

#[test]
fn random_parameters_of_every_part_read_back_as_they_were_written() {
    let lines = check_every_part(TRIES);
    assert!(lines.len() > 250, "{} keys", lines.len());
}

/// Adds all Rust files below a folder, with their text, to `files`.
fn collect_rust_files(folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            collect_rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.insert(path.display().to_string(), fs::read_to_string(&path).expect("the text can be read"));
        }
    }
}

/// Returns the sentence of a line of documentation, without its full stop.
fn documented(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("/// ")?.strip_suffix('.')
}

#[test]
fn help_text_is_not_repeated_as_a_literal() {
    let mut files = BTreeMap::new();
    for folder in ["src", "crates/core/src", "crates/study/src", "crates/verify/src"] {
        collect_rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    // A field that is read without the derive macro has its help text as a string literal, which occurs only once.
    let mut literals = BTreeMap::<&str, usize>::new();
    files.values().flat_map(|text| text.split('"')).for_each(|piece| *literals.entry(piece).or_default() += 1);
    let declared: BTreeSet<&str> = files.values().flat_map(|text| text.lines()).filter_map(documented).collect();
    let mut repeated_texts = Vec::new();
    for doc in check_every_part(0).iter().map(|line| line.doc).filter(|doc| doc.len() > 30) {
        let literals: usize = match doc.contains('"') {
            // Only raw literals contain quotation marks.
            true => files.values().map(|text| text.matches(&format!("\"{doc}\"")).count()).sum(),
            false => literals.get(doc).copied().unwrap_or_default(),
        };
        if literals > 1 || (literals > 0 && declared.contains(doc)) {
            repeated_texts.push(doc);
        }
    }
    repeated_texts.sort_unstable();
    repeated_texts.dedup();
    assert!(repeated_texts.is_empty(), "help texts that are repeated: {repeated_texts:#?}");
}

#[test]
fn every_part_reads_its_keys_once_and_its_example_runs() {
    assert_eq!(narrows::testing::declaration_errors(Registry::shared()), Vec::<String>::new());
}

#[test]
#[should_panic(expected = "two parts are registered as `protocol.window`")]
fn two_parts_with_one_key_panic_with_the_key() {
    drop(Registry::shipped().with_protocol::<narrows::protocol::window::WindowParameters>());
}

#[test]
fn every_number_of_every_part_has_a_meaning() {
    let lines = Registry::shared().schema().lines();
    let is_part_key = |path: &str| !["run.", "nodes."].iter().any(|other| path.starts_with(other));
    let kinds = ["time", "bytes", "rate", "frequency", "count", "number"];
    let is_number = |kind: &str| kinds.contains(&kind.split(',').next().unwrap_or_default());
    let numbers = lines.iter().filter(|line| is_part_key(&line.path) && is_number(&line.kind));
    let (with_meaning, without_meaning): (Vec<_>, Vec<_>) =
        numbers.partition(|line| line.declaration.meaning.is_some());
    let without_meaning: Vec<&str> = without_meaning.into_iter().map(|line| line.path.as_str()).collect();
    assert!(
        with_meaning.len() > 300 && without_meaning.is_empty(),
        "{} have a meaning, these do not: {without_meaning:?}",
        with_meaning.len()
    );
    // Each meaning must belong to some number, so that none is unused.
    for meaning in Meaning::ALL {
        assert!(
            with_meaning.iter().any(|line| line.declaration.meaning == Some(meaning)),
            "no parameter is a {}",
            meaning.name()
        );
    }
}

#[test]
fn parameters_of_one_resource_are_declared_together() {
    let lines = Registry::shared().schema().lines();
    let declaration_text = |path: &str| {
        let line = lines.iter().find(|line| line.path == path).unwrap_or_else(|| panic!("no key {path}"));
        line.declaration.text().unwrap_or_default()
    };
    assert_eq!(declaration_text("hosts.NAME.io-bus.pci.clock"), "rate of PCI");
    assert_eq!(declaration_text("hosts.NAME.io-bus.bridge.read-rate"), "rate of PCI");
    assert_eq!(declaration_text("hosts.NAME.io-bus.bridge.write-rate"), "rate of PCI");
    assert_eq!(declaration_text("hosts.NAME.io-bus.pci.width"), "width of PCI");
    assert_eq!(declaration_text("ni.trapeze.firmware.poll"), "work of firmware");
    assert_eq!(declaration_text("ni.mcp.firmware.poll"), "work of firmware");
    assert_eq!(declaration_text("protocol.window.timeout"), "timeout of window");
    assert_eq!(declaration_text("workload.stream.messages"), "repetitions");
}
