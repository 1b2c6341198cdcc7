//! Tests of keys under their former names: they are read and reported, and refused if one layer also has the present
//! name.

use super::*;

/// Reads a table with a renamed key.
fn read_capacity(t: &mut Table<'_>) -> u64 {
    t.renamed_key("room", "capacity");
    let capacity = t.count("capacity", "Number of packets").or(4);
    if capacity == 13 {
        t.report_invalid("capacity", "13 is refused", "");
    }
    capacity
}

fn read_renamed(document: &str, sets: &[&str]) -> Result<Read<u64>, Problems> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let document = Document::Text("m.toml", document, None);
    DescriptionReader::new(load(&Source { document, sets: &sets, varied: &[], library: LIBRARY })?).read(read_capacity)
}

#[test]
fn a_former_name_is_read_and_reported() {
    let read = read_renamed("room = 7", &[]).expect("the description is valid");
    let [key] = read.renamed_keys() else { panic!("one key was renamed: {:?}", read.renamed_keys()) };
    assert_eq!((read.value, key.old.as_str(), key.new.as_str()), (7, "room", "capacity"));
    let entry = &read.entries()[0];
    assert_eq!((entry.path.as_str(), entry.origin.to_string().as_str()), ("capacity", "m.toml:1"));
    assert!(read.is_defined("capacity"));
    assert!(read_renamed("capacity = 7", &[]).expect("the description is valid").renamed_keys().is_empty());
}

#[test]
fn a_higher_layer_overrides_either_name() {
    for (document, set) in [("room = 7", "capacity=9"), ("capacity = 7", "room=9"), ("room = 7", "room=9")] {
        assert_eq!(read_renamed(document, &[set]).expect("the description is valid").value, 9, "{document} {set}");
    }
}

#[test]
fn both_names_in_one_layer_are_an_error() {
    let problems = read_renamed("room = 7\ncapacity = 8", &[]).expect_err("both names are refused");
    assert_eq!(problems.list()[0].message, "`room` and `capacity` are one key: `room` was renamed to `capacity`");
    assert!(read_renamed("", &["room=7", "capacity=8"]).is_err(), "options are one layer");
}

#[test]
fn problems_of_a_renamed_key_are_at_its_former_name() {
    let text = read_renamed("room = 13", &[]).expect_err("the value is refused").to_string();
    assert!(text.contains("`capacity`: 13 is refused") && text.contains("m.toml:1:8"), "{text}");
}

#[test]
fn the_schema_marks_a_former_name_as_deprecated() {
    let schema = describe(read_capacity).json_schema();
    assert_eq!(schema["properties"]["room"]["deprecated"], serde_json::json!(true));
    assert_eq!(schema["properties"]["room"]["minimum"], schema["properties"]["capacity"]["minimum"]);
    assert!(!describe(read_capacity).listing().contains("room"));
}
