//! One self-contained page per paper: claims on top, then every artifact with picture and data.
//!
//! Styles and pictures are inside; nothing is fetched and no script runs. The table of claims is
//! filtered by style alone. Leaves out sorting; failing claims come first.

mod claims;

use super::paper::{Artifact, PaperReport};
use super::svg::escape;
use super::table::ReportTable;

const STYLE: &str = include_str!("html/style.css");

/// The page.
pub fn page(report: &PaperReport) -> String {
    let mut out = head(&report.title);
    out += &format!("<h1>{}</h1>\n", escape(&report.title));
    out += &paragraph("reference", &report.reference);
    out += &paragraph("abstract", &report.summary);
    if !report.claims.is_empty() {
        out += &claims::section(&report.claims);
    }
    for artifact in &report.artifacts {
        out += &section(artifact);
    }
    out + "</body>\n</html>\n"
}

fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    )
}

/// A paragraph of `class`, or nothing for no text.
fn paragraph(class: &str, text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("<p class=\"{class}\">{}</p>\n", escape(text)),
    }
}

fn section(artifact: &Artifact) -> String {
    let mut out = format!("<section id=\"{}\">\n<h2>{}</h2>\n", escape(&artifact.id), escape(&artifact.title));
    out += &paragraph("caption", &artifact.caption);
    if let Some(svg) = &artifact.svg {
        out += &format!("<figure>\n{svg}</figure>\n");
    }
    let file = |name: String, what: &str| format!("<a href=\"{}\">{what}</a>", escape(&name));
    let links = [artifact.svg_file().map(|name| file(name, "SVG")), artifact.csv_file().map(|name| file(name, "CSV"))];
    let links: Vec<String> = links.into_iter().flatten().collect();
    if !links.is_empty() {
        out += &format!("<p class=\"files\">{}</p>\n", links.join(" · "));
    }
    if let Some(table) = &artifact.table {
        // A table without a picture is what the reader came for.
        let open = if artifact.svg.is_none() { " open=\"\"" } else { "" };
        let rows = table.rows.len();
        out += &format!("<details{open}>\n<summary>Data: {rows} rows</summary>\n{}</details>\n", data(table));
    }
    out + "</section>\n"
}

fn data(table: &ReportTable) -> String {
    let class = |i: usize| if table.is_numeric(i) { " class=\"number\"" } else { "" };
    let mut out = String::from("<div class=\"wide\"><table>\n<thead><tr>");
    for (i, column) in table.columns.iter().enumerate() {
        out += &format!("<th{}>{}</th>", class(i), escape(&column.heading()));
    }
    out += "</tr></thead>\n<tbody>\n";
    for row in &table.rows {
        out += "<tr>";
        for (i, cell) in row.iter().enumerate() {
            out += &format!("<td{}>{}</td>", class(i), escape(&cell.text(&table.columns[i])));
        }
        out += "</tr>\n";
    }
    out + "</tbody>\n</table></div>\n"
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
        };
        PaperReport {
            paper: "x".into(),
            title: "Cut <through>".into(),
            reference: "A & B".into(),
            summary: "It's \"fast\".".into(),
            claims: vec![number("R1", 116.0, 118.0, 0.05), number("R2", 100.0, 300.0, 0.05), shape("R3", None)],
            artifacts: vec![artifact],
            files: Vec::new(),
        }
    }

    #[test]
    fn the_page_is_well_formed_and_escaped() {
        let page = page(&report());
        let body = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
        let parsed = roxmltree::Document::parse(body).unwrap();
        let heading = parsed.descendants().find(|n| n.has_tag_name("h1")).unwrap();
        assert_eq!(heading.text(), Some("Cut <through>"));
        let rows = parsed.descendants().filter(|n| n.attribute("class").is_some_and(|c| c.starts_with("fails")));
        assert_eq!(rows.count(), 1);
        let links: Vec<_> = parsed.descendants().filter_map(|n| n.attribute("href")).collect();
        assert_eq!(links, ["table-1.svg", "table-1.csv"]);
    }

    #[test]
    fn the_page_fetches_nothing() {
        let page = page(&report()).replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains("http") && !page.contains("<script") && !page.contains("@import"));
    }
}
