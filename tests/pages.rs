//! Opens the pages of studies in Chromium where it is installed, and checks that the browser reports no error, that
//! nothing is wider than a window of 1280 or 480 pixels, that no words of a picture overlap, that a screen reader finds a
//! name for what it reads, and that the tables of claims are folded, sort, filter and search.

use crate::common::cli::{Folder, command, run_ok};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The script that inspects a page from within and stores its findings in the page.
const PROBE_SCRIPT: &str = include_str!("pages/probe.js");

/// The pages that take seconds: those of whole studies, or of single artifacts if the study takes minutes.
const PAGES: [&str; 5] = ["trapeze", "e-udp", "mukherjee-hill/table-5", "nifdy/table-3", "alewife/messages"];

/// The options of the browser.
const BROWSER_OPTIONS: [&str; 6] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--enable-logging=stderr",
];

/// Longest time that the browser may take to open an empty page.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the installed browser, under any of its names, if it runs.
fn browser() -> Option<&'static str> {
    let browser = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| opens_empty_page(name));
    if browser.is_none() {
        eprintln!("no Chromium runs here: pages are not opened");
    }
    browser
}

/// Returns whether a browser opens an empty page within `BROWSER_TIMEOUT`.
fn opens_empty_page(name: &str) -> bool {
    let mut command = Command::new(name);
    command.args(BROWSER_OPTIONS).args(["--dump-dom", "about:blank"]).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let start = Instant::now();
    while start.elapsed() < BROWSER_TIMEOUT {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// Opens a page in a window of `width` pixels and returns the script's findings.
fn inspect(browser: &str, folder: &Folder, page: &Path, width: u32) -> Value {
    let faults = "<script>window.faults = []; window.addEventListener('error', function (event) \
                  { window.faults.push(event.message); });</script>";
    let text = fs::read_to_string(page).expect("the page can be read");
    let probed_page = text.replacen("<head>", &format!("<head>{faults}"), 1);
    let probed_page =
        probed_page.replacen("</body>", &format!("<script>//<![CDATA[\n{PROBE_SCRIPT}//]]></script></body>"), 1);
    fs::write(folder.path("probed.html"), probed_page).expect("the file can be written");
    let frame_page = format!(
        "<!DOCTYPE html><html><body><pre id=\"seen\"></pre><script>window.onmessage = function (event) \
         {{ document.getElementById('seen').textContent = event.data; }};</script>\
         <iframe src=\"probed.html\" width=\"{width}\" height=\"2000\" style=\"border: 0\"></iframe></body></html>"
    );
    fs::write(folder.path("around.html"), frame_page).expect("the file can be written");
    let profile = format!("--user-data-dir={}", folder.path("profile"));
    let url = format!("file://{}", folder.path("around.html"));
    let output = Command::new(browser)
        .args(BROWSER_OPTIONS)
        .args([profile.as_str(), "--window-size=1400,2100", "--dump-dom", &url])
        .output()
        .expect("the browser starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    let console_errors: Vec<&str> = errors.lines().filter(|line| line.contains(":CONSOLE")).collect();
    assert!(console_errors.is_empty(), "{}, {width} pixels: {console_errors:?}", page.display());
    let dom = String::from_utf8_lossy(&output.stdout);
    let result = dom.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let result = result.map(|(findings, _)| findings.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"));
    serde_json::from_str(&result.expect("the page sends a result"))
        .unwrap_or_else(|error| panic!("{error}: {dom}\n{errors}"))
}

/// Returns the texts under `key` of the script's findings.
fn texts<'a>(result: &'a Value, key: &str) -> Vec<&'a str> {
    result[key].as_array().expect(key).iter().map(|word| word.as_str().expect("the value is a text")).collect()
}

/// Asserts the findings that every page must have at every width.
fn assert_fits(result: &Value, page: &str, width: u32) {
    let context = format!("{page} at {width} pixels");
    assert_eq!(result["faults"], json!([]), "{context}");
    assert_eq!(result["window"], json!(width), "{context}");
    assert!(result["wide"].as_u64() <= Some(u64::from(width)), "{context}: the page is {} wide", result["wide"]);
    assert!(result["table"].as_f64().is_none_or(|table| table <= f64::from(width)), "{context}: {}", result["table"]);
    assert_eq!(result["overlaps"], json!([]), "{context}");
    assert_eq!(result["unnamed"], json!([]), "{context}");
    assert!(result["places"].as_array().is_some_and(|places| places.iter().all(|found| *found == true)), "{context}");
}

/// Checks that claims are folded by their part of the publication, and that the tables sort, filter and search.
fn assert_interactive(result: &Value, page: &str) {
    let claims = texts(result, "claims");
    let groups = result["groups"].as_array().expect("the groups are a list");
    for (group, folded) in groups.iter().zip(result["folded"].as_array().expect("the groups are a list")) {
        let failure_flags: Vec<bool> =
            group["fails"].as_array().expect("the rows are a list").iter().map(|fails| *fails == true).collect();
        assert!(failure_flags.is_sorted_by(|a, b| a >= b), "{page}: the failing claims of a group come first");
        assert!(
            !failure_flags.contains(&true) || group["open"] == true,
            "{page}: a group with a failing claim is open"
        );
        assert_eq!(group["open"], *folded, "{page}: without a filter the groups are as at the start");
    }
    let failing = groups
        .iter()
        .flat_map(|group| group["fails"].as_array().expect("the rows are a list"))
        .filter(|fails| **fails == true);
    assert_eq!(texts(result, "failing").len(), failing.count(), "{page}: the filter leaves the failing claims");
    let rows_by_table = |key: &str| -> Vec<Vec<Value>> {
        let rows = |table: &Value| table.as_array().expect("the rows are a list").clone();
        result[key].as_array().expect(key).iter().map(rows).collect()
    };
    let (sorted, mut reversed) = (rows_by_table("sorted"), rows_by_table("reversed"));
    reversed.iter_mut().for_each(|table| table.reverse());
    assert_eq!(sorted, reversed, "{page}");
    assert_eq!(sorted.iter().map(Vec::len).sum::<usize>(), claims.len(), "{page}");
    for errors in rows_by_table("errors") {
        let errors: Vec<f64> = errors.iter().filter_map(Value::as_f64).collect();
        assert!(errors.is_sorted(), "{page}: {errors:?}");
    }
    assert!(texts(result, "found").contains(&claims[0]), "{page}: a search finds what it names");
    assert_eq!(result["again"], json!(claims.len()), "{page}: an empty search shows all");
}

fn check_pages(pages: &[&str]) {
    let Some(browser) = browser() else { return };
    let folder = Folder::new("pages");
    for page in pages {
        let out = folder.path(&page.replace('/', "-"));
        run_ok(&["reproduce", page, "--quick", "--out", &out]);
        let report = Path::new(&out).join("report.html");
        for width in [1280, 480] {
            let result = inspect(browser, &folder, &report, width);
            assert_fits(&result, page, width);
            if result.get("claims").is_some() {
                assert_interactive(&result, page);
            }
        }
    }
}

#[test]
fn pages_of_studies_fit_and_work_in_a_browser() {
    check_pages(&PAGES);
}

#[test]
#[ignore = "runs all studies, which takes minutes"]
fn every_page_fits_and_works_in_a_browser() {
    let list = String::from_utf8(command(&["reproduce"]).output().expect("it starts").stdout).expect("UTF-8");
    let papers: Vec<&str> =
        list.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(':').next()).collect();
    assert!(papers.len() >= 5, "{papers:?}");
    check_pages(&papers);
}
