//! The help text of a parameter from its documentation, and its key from its name.

use syn::{Attribute, Expr, Ident, Lit, Meta};

/// Returns the first paragraph of the documentation on one line, without a full stop at its end. The text after a blank
/// line is for readers of the code.
pub fn help(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(doc_line);
    let paragraph: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ");
    text.strip_suffix('.').unwrap_or(&text).to_owned()
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(doc) = &attribute.meta else { return None };
    let Expr::Lit(value) = &doc.value else { return None };
    match &value.lit {
        Lit::Str(text) if doc.path.is_ident("doc") => Some(text.value().trim().to_owned()),
        _ => None,
    }
}

/// Returns a name as a key: `ring_entries` and `RingEntries` are `ring-entries`.
pub fn key(name: &Ident) -> String {
    let mut key = String::new();
    for c in name.to_string().trim_start_matches("r#").chars() {
        if c.is_uppercase() && !key.is_empty() {
            key.push('-');
        }
        match c {
            '_' => key.push('-'),
            c => key.extend(c.to_lowercase()),
        }
    }
    key
}
