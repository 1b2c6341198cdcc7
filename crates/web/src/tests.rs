//! Answers to questions, as a page reads them.

use super::AnswerEngine;
use serde_json::{Value as Json, json};

fn answer(question: Json) -> Json {
    serde_json::from_str(&AnswerEngine::shipped().answer(question.to_string().as_bytes())).expect("an answer is JSON")
}

/// An artifact of the study `rdma` whose claims need few runs.
const ARTIFACT_WITH_FEW_RUNS: &str = "ordering";

#[test]
fn every_question_is_answered() {
    for &(question, _) in super::QUESTIONS {
        let answer = answer(json!({
            "ask": question,
            "name": "memory-bus",
            "sets": ["workload.ping-pong.messages=20"],
            "place": "ni",
            "vary": ["workload.ping-pong.payload=8 B..32 B*2"],
            "study": "rdma",
            "artifact": ARTIFACT_WITH_FEW_RUNS,
        }));
        assert!(
            answer.get("error").is_none() && answer.get("problems").is_none_or(|list| *list == json!([])),
            "{question}: {answer}"
        );
    }
    assert!(answer(json!({ "ask": "fly" }))["error"].as_str().is_some_and(|error| error.contains("`fly`")));
    assert!(answer(json!({ "ask": "run" }))["error"].as_str().is_some_and(|error| error.contains("names no machine")));
    assert!(answer(json!([1])).get("error").is_some());
}

#[test]
fn run_has_the_record_of_the_command_line() {
    let sets = ["ni=ni2w", "workload.ping-pong.messages=20"];
    let run = answer(json!({ "ask": "run", "name": "memory-bus", "sets": sets }));
    let record = answer(json!({ "ask": "record", "name": "memory-bus", "sets": sets }));
    assert_eq!(run["record"], record);
    assert_eq!(run["metrics"][0]["value"], record["metrics"]["message.latency_one_way"]["value"]);
    let stages = run["messages"][0]["stages"].as_array().expect("the first message has stages");
    let sum: u64 =
        stages.iter().flat_map(|stage| [&stage["waiting_ps"], &stage["service_ps"]]).filter_map(Json::as_u64).sum();
    let [sent, delivered] =
        ["sent_ps", "delivered_ps"].map(|key| run["messages"][0][key].as_u64().expect("the time is a whole number"));
    assert!(sum > 0 && sent + sum <= delivered, "{}", run["messages"][0]);
}

#[test]
fn answers_do_not_depend_on_earlier_questions() {
    let engine = AnswerEngine::shipped();
    let text = include_str!("../../core/shipped/examples/memory-bus.toml");
    let short = "workload.ping-pong.messages=20";
    let subjects = [
        json!({ "name": "memory-bus", "sets": [short] }),
        json!({ "name": "memory-bus", "sets": [short, "ni=ni2w"] }),
        json!({ "name": "ping-pong", "sets": [short] }),
        json!({ "text": text, "sets": [short] }),
        json!({ "text": text, "file": "mine.toml", "sets": ["ni=nothing"] }),
        json!({ "text": text.replace("ping-pong", "ping-pang"), "file": "mine.toml" }),
        json!({ "name": "udp", "sets": [short] }),
    ];
    // Twice, and back, so that descriptions are found again, and dropped.
    for subject in subjects.iter().chain(&subjects).chain(subjects.iter().rev()) {
        for question in ["run", "show", "check"] {
            let mut question_json = subject.clone();
            question_json["ask"] = question.into();
            let again: Json =
                serde_json::from_str(&engine.answer(question_json.to_string().as_bytes())).expect("an answer is JSON");
            assert_eq!(again, answer(question_json), "{question} of {subject}");
        }
    }
}

#[test]
fn run_without_record_has_all_other_fields() {
    let machine = json!({ "ask": "run", "name": "memory-bus", "sets": ["workload.ping-pong.messages=20"] });
    let mut question = machine.clone();
    question["record"] = false.into();
    let (mut with_record, without_record) = (answer(machine), answer(question));
    assert!(with_record.as_object_mut().expect("the answer is an object").remove("record").is_some());
    assert_eq!(with_record, without_record);
}

#[test]
fn stopped_run_states_its_reason() {
    let run = answer(json!({ "ask": "run", "name": "stream", "sets": ["run.time-limit=1 us"] }));
    assert_eq!(run["record"]["outcome"], "time-limit");
    assert!(run["stopped"].as_str().is_some_and(|reason| !reason.is_empty()), "{}", run["stopped"]);
}

#[test]
fn replaced_interface_is_a_warning_of_each_answer() {
    let sets = json!(["ni.rdma.mtu=4 KiB"]);
    for ask in ["check", "show", "run"] {
        let warnings = &answer(json!({ "ask": ask, "name": "ring-ping-pong", "sets": sets }))["warnings"];
        let [warning] = &warnings.as_array().expect("a list")[..] else { panic!("{ask}: {warnings}") };
        assert!(
            warning.as_str().is_some_and(|text| text.contains("replaces the interface `ring`")),
            "{ask}: {warning}"
        );
        let without = answer(json!({ "ask": ask, "name": "ring-ping-pong" }));
        assert_eq!(without["warnings"], json!([]), "{ask}");
    }
}

#[test]
fn values_have_what_their_controls_need() {
    let shown = answer(json!({ "ask": "show", "name": "memory-bus" }));
    let value = |path: &str| {
        let values = shown["values"].as_array().expect("the values are a list");
        values.iter().find(|value| value["path"] == path).unwrap_or_else(|| panic!("{path}")).clone()
    };
    let payload = value("workload.ping-pong.payload");
    assert_eq!(payload["value"], "64 B");
    assert_eq!(payload["key"]["kind"], "quantity");
    assert_eq!((&payload["key"]["most"], &payload["key"]["unit"]), (&json!("16 MiB"), &json!("B")));
    assert_eq!(value("protocol.return-to-sender.infinite-buffers")["key"]["kind"], "boolean");
    let entries = value("hosts.memory-bus-1998.memory-bus.processor.store-buffer-entries");
    assert_eq!((&entries["key"]["kind"], &entries["key"]["choices"]), (&json!("integer"), &Json::Null));
    let workload = value("workload");
    assert!(
        workload["key"]["choices"]
            .as_array()
            .is_some_and(|choices| choices.iter().any(|choice| choice["name"] == "stream"))
    );
}

#[test]
fn every_part_that_fits_gives_a_valid_machine() {
    for place in ["host", "ni", "protocol", "fabric", "workload"] {
        let fits = answer(json!({ "ask": "fits", "name": "memory-bus", "place": place }));
        let fits = fits.as_array().expect("the value is a list");
        assert!(fits.iter().any(|fit| fit["fits"] == true), "{place}: nothing fits");
        for fit in fits {
            let check = answer(json!({ "ask": "check", "name": "memory-bus", "sets": [fit["set"]] }));
            assert_eq!(check["ok"], fit["fits"], "{place}: {fit}");
            assert_eq!(fit["fits"] == true, fit["reason"].is_null(), "{place}: {fit}");
        }
    }
}

#[test]
fn description_with_overrides_is_one_text() {
    let sets = json!(["ni=ni2w", "workload.ping-pong.payload=128 B"]);
    let text = answer(json!({ "ask": "toml", "name": "memory-bus", "sets": sets }))["text"].clone();
    let [record_of_text, record_of_name] =
        [json!({ "ask": "record", "text": text }), json!({ "ask": "record", "name": "memory-bus", "sets": sets })];
    assert_eq!(answer(record_of_text)["hash"], answer(record_of_name)["hash"]);
    let command = answer(json!({ "ask": "command", "do": "whatif", "name": "memory-bus", "sets": sets }));
    assert_eq!(command["text"], "narrows whatif memory-bus --set ni=ni2w --set 'workload.ping-pong.payload=128 B'");
}

#[test]
fn problems_name_their_key_and_position() {
    let check = answer(json!({ "ask": "check", "name": "memory-bus", "sets": ["workload.ping-pong.payload=8K"] }));
    let problem = &check["problems"][0];
    assert_eq!((&problem["key"], &problem["file"]), (&json!("workload.ping-pong.payload"), &json!("--set")));
    assert_eq!((&problem["line"], &problem["column"]), (&json!(1), &json!(28)));
    assert!(problem["help"][0].as_str().is_some_and(|help| help.contains("8 KiB")));
}

#[test]
fn a_page_reads_no_files() {
    let answer_to_file = answer(json!({ "ask": "check", "name": "../Cargo.toml" }));
    assert!(
        answer_to_file["error"].as_str().is_some_and(|error| error.contains("a page reads no files")),
        "{answer_to_file}"
    );
}
