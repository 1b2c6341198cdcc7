//! The self-contained HTML page of a report: runs that did not end with the outcome `done`, the figures with
//! their data, the findings, the tables, and the claims.
//!
//! Styles, charts and a script are embedded, and nothing is fetched. Claims are folded by the part of the publication
//! that states them; a group with a failing claim is open, and its failing claims come first. The page works without
//! the script, since the filter uses style sheets only. The script adds a search and sorting by column.

mod claims;
mod explorer;

use super::number::counted;
use super::paper::{Artifact, PaperReport, Provenance};
use super::percent;
use super::svg::escape;
use super::table::ReportTable;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/claims.js");

/// The largest number of rows of a table on the page.
const ROWS_MAX: usize = 1000;

/// Returns the page of a report.
pub fn page(report: &PaperReport) -> String {
    let mut page = head(&report.title);
    page += &format!("<header>\n<h1>{}</h1>\n", escape(&report.title));
    page += &paragraph("reference", &report.reference);
    page += &paragraph("abstract", &report.summary);
    if report.provenance.quick {
        page += &paragraph("quick", "Made with --quick: the inputs are smaller than those that the claims refer to.");
    }
    page.extend(report.problems.iter().map(|problem| paragraph("unexpected", problem)));
    if !report.provenance.command.is_empty() {
        let command = escape(&report.provenance.command);
        page += &format!("<p class=\"made\">Made by <code>{command}</code></p>\n");
    }
    page += "</header>\n";
    page += &contents(report);
    page += "<main>\n";
    for artifact in figures(report) {
        page += &section(artifact, &report.provenance);
    }
    if !report.claims.is_empty() {
        page += &claims::findings(&report.claims);
    }
    for artifact in tables(report) {
        page += &section(artifact, &report.provenance);
    }
    if !report.claims.is_empty() {
        page += &claims::section(&report.claims);
    }
    page += "</main>\n";
    page += &footer(report);
    page + &format!("<script>//<![CDATA[\n{SCRIPT}//]]></script>\n</body>\n</html>\n")
}

/// Returns the artifacts that have a chart.
fn figures(report: &PaperReport) -> impl Iterator<Item = &Artifact> {
    report.artifacts.iter().filter(|artifact| artifact.svg.is_some())
}

/// Returns the artifacts that are tables without a chart.
fn tables(report: &PaperReport) -> impl Iterator<Item = &Artifact> {
    report.artifacts.iter().filter(|artifact| artifact.svg.is_none())
}

/// Returns the table of contents, in the order of the page.
fn contents(report: &PaperReport) -> String {
    let item = |id: &str, title: &str| format!("<li><a href=\"#{}\">{}</a></li>\n", escape(id), escape(title));
    let claims_item = |id: &str, title: &str| (!report.claims.is_empty()).then(|| item(id, title));
    let artifact_item = |artifact: &Artifact| item(&artifact.id, &artifact.title);
    let items: String = figures(report)
        .map(artifact_item)
        .chain(claims_item("findings", "Findings"))
        .chain(tables(report).map(artifact_item))
        .chain(claims_item("claims", "Claims"))
        .collect();
    format!(
        "<nav aria-label=\"Contents\"><details>\n<summary>Contents</summary>\n<ul>\n{items}</ul>\n</details></nav>\n"
    )
}

/// Returns the footer: the version, the command and the hash.
fn footer(report: &PaperReport) -> String {
    let provenance = &report.provenance;
    if provenance.command.is_empty() {
        return String::new();
    }
    format!(
        "<footer>\n<p>Simulated by Narrows {}, deterministically: <code>{}</code> gives the same results on any computer.</p>\n\
         <p>Hash of all claims and data: <code>{}</code></p>\n{}</footer>\n",
        escape(&provenance.version),
        escape(&provenance.command),
        escape(&provenance.hash),
        explorer::note(report)
    )
}

fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    )
}

/// Returns a paragraph with the class `class`, or nothing if the text is empty.
fn paragraph(class: &str, text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("<p class=\"{class}\">{}</p>\n", escape(text)),
    }
}

fn section(artifact: &Artifact, provenance: &Provenance) -> String {
    let (id, title) = (escape(&artifact.id), escape(&artifact.title));
    let mut section = format!("<section id=\"{id}\">\n<h2>{title} {}</h2>\n", anchor(&id, &title));
    section += &paragraph("caption", &artifact.caption);
    if let Some(svg) = &artifact.svg {
        // On a narrow screen the chart scrolls, which needs the focus of the keyboard.
        section += &format!("<figure tabindex=\"0\" role=\"group\" aria-label=\"{title}\">\n{svg}</figure>\n");
    }
    let file_link = |name: String, link_text: &str| format!("<a href=\"{}\">{link_text}</a>", escape(&name));
    let links = [
        artifact.svg_file().map(|name| file_link(name, "SVG")),
        artifact.csv_file().map(|name| file_link(name, "CSV")),
    ];
    let links: Vec<String> = links.into_iter().flatten().collect();
    if !links.is_empty() && !provenance.is_single_file {
        section += &format!("<p class=\"files\">{}</p>\n", links.join(" · "));
    } else if let Some(table) = &artifact.table {
        section += &embedded_data(artifact, table);
    }
    section += &explorer::link(artifact, provenance);
    if let Some(table) = &artifact.table {
        // A table without a chart is shown open.
        let open_attribute = if artifact.svg.is_none() { " open=\"\"" } else { "" };
        let rows = table.rows.len();
        let data = data_table(table, &title);
        section += &format!(
            "<details{open_attribute}>\n<summary>Data: {}</summary>\n{data}</details>\n",
            counted(rows, "row")
        );
    }
    section + "</section>\n"
}

/// Returns a link that saves the table as CSV. The data are in the page, which has no other files.
fn embedded_data(artifact: &Artifact, table: &ReportTable) -> String {
    let encoded = percent::encoded(&table.csv(), |byte| byte.is_ascii_alphanumeric() || b".,-_".contains(&byte));
    let name = escape(&artifact.csv_file().unwrap_or_default());
    format!("<p class=\"files\"><a download=\"{name}\" href=\"data:text/csv;charset=utf-8,{encoded}\">CSV</a></p>\n")
}

fn data_table(table: &ReportTable, title: &str) -> String {
    let class_attribute = |i: usize| if table.is_numeric(i) { " class=\"number\"" } else { "" };
    let mut html = format!("<div {}><table>\n<thead><tr>", scrollable_attributes(&format!("Data of {title}")));
    for (i, column) in table.columns.iter().enumerate() {
        let heading = column.heading();
        let tag = if heading.is_empty() { "td" } else { "th" };
        html += &format!("<{tag}{}>{}</{tag}>", class_attribute(i), escape(&heading));
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in table.rows.iter().take(ROWS_MAX) {
        html += "<tr>";
        for (i, cell) in row.iter().enumerate() {
            html += &format!("<td{}>{}</td>", class_attribute(i), escape(&cell.text(&table.columns[i])));
        }
        html += "</tr>\n";
    }
    html += "</tbody>\n</table></div>\n";
    if table.rows.len() > ROWS_MAX {
        html += &paragraph("caption", &format!("Only the first {ROWS_MAX} rows are shown; the file has all."));
    }
    html
}

/// Returns the link of a heading to itself.
fn anchor(id: &str, title: &str) -> String {
    format!("<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to {title}\">#</a>")
}

/// Returns the attributes of an element that scrolls sideways: the keyboard reaches it, and screen readers name it.
fn scrollable_attributes(name: &str) -> String {
    format!("class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::claim::samples::{number, shape};
    use crate::report::table::Column;

    fn report() -> PaperReport {
        let mut table = ReportTable::new(vec![Column::new("<system>"), Column::unit("latency", "µs")]);
        table.push(vec!["P6 & Natoma".into(), 116.0.into()]);
        let artifact = Artifact {
            id: "table-1".into(),
            title: "Table 1 & more".into(),
            caption: "a < b".into(),
            svg: Some("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".into()),
            table: Some(table),
            explorer: Some("memory-bus".into()),
        };
        PaperReport {
            problems: Vec::new(),
            paper: "x".into(),
            title: "Cut <through>".into(),
            reference: "A & B".into(),
            summary: "It's \"fast\".".into(),
            claims: vec![number("R1", 116.0, 118.0, 0.05), number("R2", 100.0, 300.0, 0.05), shape("R3", None)],
            artifacts: vec![artifact],
            provenance: Provenance {
                command: "narrows reproduce x".into(),
                quick: true,
                explorer: "explorer/index.html".into(),
                ..Provenance::default()
            },
            files: Vec::new(),
        }
    }

    #[test]
    fn page_is_well_formed_and_escaped() {
        let page = page(&report());
        let body = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
        let parsed = roxmltree::Document::parse(body).unwrap();
        let heading = parsed.descendants().find(|n| n.has_tag_name("h1")).unwrap();
        assert_eq!(heading.text(), Some("Cut <through>"));
        let rows = parsed.descendants().filter(|n| n.attribute("class").is_some_and(|c| c.starts_with("fails")));
        assert_eq!(rows.count(), 1);
        let links: Vec<_> = parsed.descendants().filter_map(|n| n.attribute("href")).collect();
        assert_eq!(
            links,
            [
                "#table-1",
                "#findings",
                "#claims",
                "#table-1",
                "table-1.svg",
                "table-1.csv",
                "explorer/index.html#memory-bus",
                "#findings",
                "#claims"
            ]
        );
        for target in links.iter().filter_map(|link| link.strip_prefix('#')) {
            assert!(parsed.descendants().any(|n| n.attribute("id") == Some(target)), "{target}");
        }
    }

    #[test]
    fn page_fetches_nothing() {
        let page = page(&report()).replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains("http") && !page.contains(" src=") && !page.contains("@import"));
    }
}
