//! The attributes of vertices and links that have an effect: `kind`, `rate` and `latency`. All other attributes are
//! ignored.

use super::super::LinkAttributes;
use super::builder::VertexKind;
use crate::text::quantity::{self, ParseError, Quantity};

/// Names of the attributes of vertices and links that have an effect.
pub(super) const KIND_ATTRIBUTE: &str = "kind";
pub(super) const RATE_ATTRIBUTE: &str = "rate";
pub(super) const LATENCY_ATTRIBUTE: &str = "latency";

/// An error at an attribute: the message and the help line.
pub(super) type AttributeError = (String, String);

/// Returns the kind of vertex that `word` names. `router` and `node` are accepted as former names.
pub(super) fn vertex_kind(word: &str) -> Result<VertexKind, AttributeError> {
    match word.trim() {
        "switch" | "router" => Ok(VertexKind::Switch),
        "host" | "node" => Ok(VertexKind::Host),
        other => {
            let message = format!("`{KIND_ATTRIBUTE}` is \"{}\"", shortened(other));
            Err((message, "a vertex is a \"switch\" or a \"host\"; without a kind it may be both".to_owned()))
        }
    }
}

/// Returns the attributes of a link whose rate and latency are these texts.
pub(super) fn link_attributes(rate: Option<&str>, latency: Option<&str>) -> Result<LinkAttributes, AttributeError> {
    Ok(LinkAttributes { rate: quantity_of(RATE_ATTRIBUTE, rate)?, latency: quantity_of(LATENCY_ATTRIBUTE, latency)? })
}

fn quantity_of<Q: Quantity>(name: &str, text: Option<&str>) -> Result<Option<Q>, AttributeError> {
    let Some(text) = text else { return Ok(None) };
    quantity::parse::<Q>(text).map(Some).map_err(|ParseError { label, help }| {
        (format!("`{name}` is \"{}\": {label}", shortened(text)), help.join("; "))
    })
}

/// Returns the beginning of a text, for use in a message.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN_CHARACTERS: usize = 40;
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((offset, _)) => format!("{}…", &text[..offset]),
        None => text.to_owned(),
    }
}
