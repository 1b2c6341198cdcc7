//! The self-contained HTML page of a report: the claims, then every artifact with its chart and data.
//!
//! Styles, charts and a script are embedded, and nothing is fetched. The page works without the script: in the table of
//! claims, failing ones come first, and the filter is made with style sheets only. The script adds a search, and
//! sorting by column.

mod claims;
mod explorer;

use super::paper::{Artifact, PaperReport, Provenance};
use super::svg::escape;
use super::table::ReportTable;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/claims.js");

/// The largest number of rows of a table on the page.
const ROWS_MAX: usize = 1000;

/// Returns the page of a report.
pub fn page(report: &PaperReport) -> String {
    let mut page = head(&report.title);
    page += &format!("<h1>{}</h1>\n", escape(&report.title));
    page += &paragraph("reference", &report.reference);
    page += &paragraph("abstract", &report.summary);
    if report.provenance.quick {
        page += &paragraph("quick", "Made with --quick: the inputs are smaller than those that the claims refer to.");
    }
    page += &contents(report);
    if !report.claims.is_empty() {
        page += &claims::section(&report.claims);
    }
    for artifact in &report.artifacts {
        page += &section(artifact, &report.provenance);
    }
    page += &footer(report);
    page + &format!("<script>//<![CDATA[\n{SCRIPT}//]]></script>\n</body>\n</html>\n")
}

/// Returns the table of contents.
fn contents(report: &PaperReport) -> String {
    let item = |id: &str, title: &str| format!("<li><a href=\"#{}\">{}</a></li>\n", escape(id), escape(title));
    let claims = (!report.claims.is_empty()).then(|| item("claims", "Claims"));
    let artifacts = report.artifacts.iter().map(|artifact| item(&artifact.id, &artifact.title));
    let items: String = claims.into_iter().chain(artifacts).collect();
    format!("<nav><details>\n<summary>Contents</summary>\n<ul>\n{items}</ul>\n</details></nav>\n")
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
    let anchor = format!("<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to this\">#</a>");
    let mut section = format!("<section id=\"{id}\">\n<h2>{title} {anchor}</h2>\n");
    section += &paragraph("caption", &artifact.caption);
    if let Some(svg) = &artifact.svg {
        section += &format!("<figure>\n{svg}</figure>\n");
    }
    let file = |name: String, what: &str| format!("<a href=\"{}\">{what}</a>", escape(&name));
    let links = [artifact.svg_file().map(|name| file(name, "SVG")), artifact.csv_file().map(|name| file(name, "CSV"))];
    let links: Vec<String> = links.into_iter().flatten().collect();
    if !links.is_empty() && !provenance.is_single_file {
        section += &format!("<p class=\"files\">{}</p>\n", links.join(" · "));
    }
    section += &explorer::link(artifact, provenance);
    if let Some(table) = &artifact.table {
        // A table without a chart is shown open.
        let open = if artifact.svg.is_none() { " open=\"\"" } else { "" };
        let rows = table.rows.len();
        section += &format!("<details{open}>\n<summary>Data: {rows} rows</summary>\n{}</details>\n", data(table));
    }
    section + "</section>\n"
}

fn data(table: &ReportTable) -> String {
    let class = |i: usize| if table.is_numeric(i) { " class=\"number\"" } else { "" };
    let mut html = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    for (i, column) in table.columns.iter().enumerate() {
        html += &format!("<th{}>{}</th>", class(i), escape(&column.heading()));
    }
    html += "</tr></thead>\n<tbody>\n";
    for row in table.rows.iter().take(ROWS_MAX) {
        html += "<tr>";
        for (i, cell) in row.iter().enumerate() {
            html += &format!("<td{}>{}</td>", class(i), escape(&cell.text(&table.columns[i])));
        }
        html += "</tr>\n";
    }
    html += "</tbody>\n</table></div>\n";
    if table.rows.len() > ROWS_MAX {
        html += &paragraph("caption", &format!("Only the first {ROWS_MAX} rows are shown; the file has all."));
    }
    html
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
            ["#claims", "#table-1", "#table-1", "table-1.svg", "table-1.csv", "explorer/index.html#memory-bus"]
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
