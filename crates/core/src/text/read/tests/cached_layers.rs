//! Tests that readings with cached layers equal readings without a cache.

use super::*;
use crate::text::layers::LayerCache;
use crate::text::load::load_cached;

#[test]
fn cached_and_uncached_layers_give_the_same_reading() {
    let text = "parts = 'base'\n[pci]\nclock = '33 MHz'\n[hosts.z]\nparts = 'fast'\n";
    let document = Document::Text("dir/m.toml", text, Some(Path::new("dir")));
    let cache = LayerCache::default();
    let reading_of = |loaded: Result<crate::text::Loaded, Problems>| {
        let read = loaded.and_then(|loaded| DescriptionReader::new(loaded).read(read_machine));
        read.map(|read| format!("{:?}{}", read.entries(), read.resolved())).map_err(|problems| problems.to_string())
    };
    let settings = [
        "pci.clock=66 MHz",
        "pci.clock=50 MHz",
        "pci.ring=9",
        "pci=1",
        "pci.clok=1 Hz",
        "parts=slow",
        "parts=nothing",
        "hosts.z.parts=slow",
        "not a setting",
        "hosts.b.poll=1 ms",
        "pci.clock=66 MHz",
    ];
    for set in settings {
        for varied in settings {
            let (sets, varied) = ([set.to_owned()], [varied.to_owned()]);
            let source = Source { document, sets: &sets, varied: &varied, library: LIBRARY };
            assert_eq!(reading_of(load_cached(&source, &cache)), reading_of(load(&source)), "{set}, {}", varied[0]);
        }
    }
}
