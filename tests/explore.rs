//! Checks what `narrows explore`, and the process that answers the questions of its page, serve and refuse.

use super::common::cli::{Folder, narrows, run_ok};
use serde_json::Value as Json;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Creates a folder that contains a folder `inside`; the tests start the program in `inside`.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    fs::create_dir(folder.path("inside")).expect("a folder");
    folder
}

fn write(folder: &Folder, name: &str, text: &str) {
    fs::write(folder.path(name), text).expect("a file");
}

/// Returns the answer of a process that was started in `folder`.
fn answer(folder: &str, question: &Json) -> Json {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.arg("answer").current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(question.to_string().as_bytes()).expect("the question is sent");
    let output = child.wait_with_output().expect("an answer");
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

const REPLAY: &str = "parts = ['fabrics/nifdy-mesh']\n[workload.replay]\n";

#[test]
fn files_outside_the_folder_are_not_read() {
    let folder = folder("explore-confined");
    write(&folder, "secret.toml", "secret = 'swordfish'\n");
    write(&folder, "inside/mine.toml", "parts = ['hosts/memory-bus-1998']\n");
    let answer_text = |question: Json| answer(&folder.path("inside"), &question).to_string();
    let inside = answer_text(serde_json::json!({ "ask": "check", "name": "mine.toml" }));
    assert!(inside.contains("mine.toml") && inside.contains("`workload` needs one of"), "{inside}");
    let secret = folder.path("secret.toml");
    for name in ["../secret.toml", &secret, "./../secret.toml"] {
        let refused = answer_text(serde_json::json!({ "ask": "check", "name": name }));
        assert!(refused.contains("is not below the folder") && !refused.contains("swordfish"), "{refused}");
        for text in [format!("{REPLAY}file = '{name}'\n"), format!("[fabric.graph]\nfile = '{name}'\n")] {
            let refused = answer_text(serde_json::json!({ "ask": "check", "text": text }));
            assert!(refused.contains("this file may not be read"), "{refused}");
            assert!(!refused.contains("swordfish"), "{refused}");
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("secret.toml"), folder.path("inside/link.toml")).expect("a link");
        let refused = answer_text(serde_json::json!({ "ask": "check", "name": "link.toml" }));
        assert!(refused.contains("is not below the folder") && !refused.contains("swordfish"), "{refused}");
    }
}

#[test]
fn names_from_input_stay_data() {
    let folder = folder("explore-payloads");
    for payload in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "'; DROP TABLE x; --",
        "$(touch owned)",
        "\u{202e}\0",
    ] {
        for key in ["name", "ask", "file", "place", "metric", "chart", "do"] {
            let mut question = serde_json::json!({ "ask": "check", "text": "", "sets": [payload], "vary": [payload] });
            question[key] = payload.into();
            let answer = answer(&folder.path("inside"), &question);
            assert!(answer.get("problems").is_some() || answer.get("error").is_some(), "{answer}");
        }
    }
    assert_eq!(fs::read_dir(folder.path("inside")).expect("a folder").count(), 0);
}

/// A server, which is stopped at the end of its test.
struct RunningServer(Child);

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the response to a request of one connection.
fn response(port: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("a connection");
    stream.write_all(request.as_bytes()).expect("the request is sent");
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("a response");
    String::from_utf8_lossy(&response).into_owned()
}

/// Starts a server in `folder`, and returns it with the address that it prints.
fn start_server(folder: &str, arguments: &[&str]) -> (RunningServer, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(arguments).arg("--no-browser").current_dir(folder);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut server = RunningServer(child);
    let mut address = String::new();
    BufReader::new(server.0.stdout.take().expect("a pipe")).read_line(&mut address).expect("an address");
    (server, address.trim().to_owned())
}

#[test]
fn page_opens_with_a_link_or_the_machine_of_a_sweep() {
    let folder = folder("explore-opening");
    let inside = folder.path("inside");
    let opened_fragment = |file: &str| {
        let (_server, address) = start_server(&inside, &["explore", file]);
        address.split_once('#').map(|(_, fragment)| fragment.to_owned())
    };
    assert_eq!(opened_fragment("#memory-bus&ni=ni2w").as_deref(), Some("memory-bus&ni=ni2w"));
    assert_eq!(opened_fragment("page/index.html#a b\"<c>").as_deref(), Some("a%20b\"<c>"));
    let table = folder.path("inside/sizes.csv");
    let key = "workload.ping-pong.payload";
    let vary = format!("{key}=8 B,64 B,32 B");
    let few_messages = "workload.ping-pong.messages=5";
    run_ok(&["sweep", "memory-bus", "--set", few_messages, "--vary", &vary, "--vary", "ni=ni2w,udma", "--out", &table]);
    let fragment = opened_fragment("sizes.csv").expect("a machine");
    assert!(fragment.starts_with("~text="), "{fragment}");
    assert!(fragment.ends_with(&format!("&~curve={key}=8+B,32+B,64+B")), "{fragment}");
    fs::remove_dir_all(folder.path("inside/sizes.csv.points")).expect("the stored points");
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    let output = command.args(["explore", "sizes.csv"]).current_dir(&inside).output().expect("the program ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("its points are not stored next to it"));
}

#[test]
fn page_of_a_study_judges_its_claims() {
    let folder = folder("explore-study");
    let (_server, address) = start_server(&folder.path("inside"), &["reproduce", "rdma", "--live"]);
    let (address_without_machine, study) = address.split_once('#').expect("a study");
    assert_eq!(study, "rdma");
    let (authority, token) = address_without_machine.split_once("/study.html?token=").expect("the page of a study");
    let port = authority.strip_prefix("http://127.0.0.1:").expect("a loopback address");
    let header = format!("HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
    let page = response(port, &format!("GET /study.html?token={token} {header}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("study.js"), "{page}");
    let ask = |overrides: Json| {
        let question =
            serde_json::json!({ "ask": "claims", "study": "rdma", "artifact": "ordering", "sets": overrides });
        answer(&folder.path("inside"), &question)
    };
    let answer_of_claims = ask(serde_json::json!([]));
    assert!(
        answer_of_claims["claims"].as_array().is_some_and(|claims| claims[0]["measured"].is_string()),
        "{answer_of_claims}"
    );
    assert_eq!(ask(serde_json::json!(["no.such.key=3"])), answer_of_claims, "keys that no machine has change nothing");
}

#[test]
fn page_is_served_and_answered_with_the_token_alone() {
    let folder = folder("explore-served");
    write(&folder, "inside/mine.toml", "[workload.zero-load]\n");
    let (_server, address) = start_server(&folder.path("inside"), &["explore", "mine.toml"]);
    let authority_and_query = address.trim().strip_prefix("http://127.0.0.1:").expect("a loopback address");
    let (port, token_and_machine) = authority_and_query.split_once("/?token=").expect("a token");
    let (token, machine) = token_and_machine.split_once('#').expect("a machine");
    assert_eq!(machine, "mine.toml");
    let header = format!("HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
    let page = response(port, &format!("GET /?token={token} {header}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content=\"server\""), "{page}");
    let question = r#"{"ask":"record","name":"memory-bus"}"#;
    let body = format!("Content-Length: {}\r\n\r\n{question}", question.len());
    assert!(response(port, &format!("POST /ask {header}{body}")).starts_with("HTTP/1.1 401"));
    let answer = response(port, &format!("POST /ask?token={token} {header}{body}"));
    let (_, record) = answer.split_once("\r\n\r\n").expect("a body");
    let printed = narrows(&["run", "memory-bus", "--format", "json", "--no-host"]).stdout;
    assert_eq!(record.as_bytes(), printed, "{answer}");
}

#[test]
fn machine_outside_the_folder_cannot_be_explored() {
    let folder = folder("explore-outside");
    write(&folder, "mine.toml", "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(["explore", "../mine.toml", "--no-browser"]).current_dir(folder.path("inside"));
    let output = command.output().expect("the program ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not below the present folder"));
}

/// Writes a page of studies as `.ci/web` does, with a module of a few bytes.
fn write_module_folder(folder: &Folder, name: &str, page: &str) {
    fs::create_dir_all(folder.path(name)).expect("a folder");
    write(folder, &format!("{name}/study.html"), page);
}

const STUDY_PAGE: &str = concat!(
    "<meta name=\"narrows-version\" content=\"",
    env!("CARGO_PKG_VERSION"),
    "\">\n<meta name=\"narrows-study\" content=\"\">\n<script type=\"application/x-lzma\" id=\"narrows-wasm\">AAAA</script>\n"
);

#[test]
fn page_of_a_study_is_one_file() {
    let folder = folder("live-page");
    write_module_folder(&folder, "web", STUDY_PAGE);
    let (web, file) = (folder.path("web"), folder.path("trapeze.html"));
    let output = narrows(&["reproduce", "trapeze", "--live", "--out", &file, "--module", &web]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("Wrote `{file}`.\n"));
    let page = fs::read_to_string(&file).expect("the page");
    assert_eq!(page, STUDY_PAGE.replace("study\" content=\"\"", "study\" content=\"trapeze\""));
    // Without --module, the page is that of the folder `web` next to the folder of the program.
    fs::create_dir(folder.path("bin")).expect("a folder");
    let program = folder.path("bin/narrows");
    if fs::hard_link(env!("CARGO_BIN_EXE_narrows"), &program).is_err() {
        fs::copy(env!("CARGO_BIN_EXE_narrows"), &program).expect("a copy of the program");
    }
    let run_without_module = || {
        let mut command = Command::new(&program);
        command.args(["reproduce", "e-udp", "--live", "--out", &file]).output().expect("the program ends")
    };
    assert!(run_without_module().status.success());
    assert!(fs::read_to_string(&file).expect("the page").contains("content=\"e-udp\""));
    fs::remove_dir_all(&web).expect("the folder is removed");
    let refused = run_without_module();
    let reason = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && reason.contains(&web) && reason.contains(".ci/web"), "{reason}");
}

#[test]
fn page_of_a_study_without_its_module_is_refused_with_the_reason() {
    let folder = folder("live-refused");
    let (empty, file) = (folder.path("inside"), folder.path("inside/page.html"));
    let refusal_text = |words: &[&str]| {
        let output = narrows(&[&["reproduce"], words, &["--live"]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(!fs::exists(&file).expect("a folder"), "nothing is written");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let refusal_of_module = |paper: &str, module: &str| refusal_text(&[paper, "--out", &file, "--module", module]);
    let empty_folder_refusal = refusal_of_module("trapeze", &empty);
    assert!(
        empty_folder_refusal.contains("there is no page of studies (`study.html`) in")
            && empty_folder_refusal.contains("inside`"),
        "{empty_folder_refusal}"
    );
    assert!(
        empty_folder_refusal.contains(".ci/web") && empty_folder_refusal.contains("--module target/web"),
        "{empty_folder_refusal}"
    );
    assert!(refusal_of_module("trapeze", &folder.path("nowhere")).contains("there is no folder"));
    write(&folder, "inside/index.html", "");
    assert!(refusal_of_module("trapeze", &empty).contains("only the explorer"));
    write_module_folder(&folder, "old", &STUDY_PAGE.replace(env!("CARGO_PKG_VERSION"), "0.0.1"));
    let old_page_refusal = refusal_of_module("trapeze", &folder.path("old"));
    assert!(
        old_page_refusal.contains("of version 0.0.1") && old_page_refusal.contains(env!("CARGO_PKG_VERSION")),
        "{old_page_refusal}"
    );
    write_module_folder(&folder, "other", "<p>a page</p>");
    assert!(refusal_of_module("trapeze", &folder.path("other")).contains("not a page of studies"));
    write_module_folder(&folder, "web", STUDY_PAGE);
    let web = folder.path("web");
    let refusal_of_out = |out: &str| refusal_text(&["trapeze", "--out", out, "--module", &web]);
    assert!(refusal_of_out(&empty).contains("inside/trapeze.html`"), "a folder is not a file");
    assert!(refusal_of_out(&folder.path("page")).contains("page.html`"), "the ending is suggested");
    assert!(refusal_of_out(&folder.path("nowhere/page.html")).contains("cannot write"));
    assert!(refusal_text(&["trapeze", "--jobs", "2", "--out", &file, "--module", &web]).contains("Web Workers"));
    // A study of a folder is not in the module.
    let study = folder.path("mine");
    run_ok(&["new", "study", &study]);
    let user_study_refusal = refusal_of_module(&study, &web);
    assert!(
        user_study_refusal.contains("shipped papers") && user_study_refusal.contains("leave out --out"),
        "{user_study_refusal}"
    );
    for incompatible_options in [["--no-browser", "--out"], ["--module", "--strict"]] {
        refusal_text(&["trapeze", incompatible_options[0], incompatible_options[1], &file]);
    }
}
