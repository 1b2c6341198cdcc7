//! The kind of the control for a value, from the kind that the description language reports for its key.

use narrows_core::text::Kind;

/// The dimensions of quantities.
const DIMENSIONS: [&str; 4] = ["time", "bytes", "rate", "frequency"];

/// Returns the dimension of a quantity: `time`, `bytes`, `rate` or `frequency`.
pub fn dimension(kind: &Kind) -> Option<&'static str> {
    DIMENSIONS.into_iter().find(|dimension| *dimension == kind.name)
}

/// Returns the kind of the control: `quantity`, `integer`, `number`, `boolean`, `name`, `list` or `text`.
pub fn control(kind: &Kind) -> &'static str {
    match &*kind.name {
        _ if dimension(kind).is_some() => "quantity",
        "count" => "integer",
        "number" => "number",
        "flag" => "boolean",
        Kind::WORD => "name",
        name if name.contains("list") => "list",
        _ => "text",
    }
}
