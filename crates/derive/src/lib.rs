//! Derive macros for the parameters of a part, so that each parameter is written once: a field's type is the kind of
//! its value, the first paragraph of its documentation is its help text, and `#[param(..)]` states the rest.
//!
//! The traits are in `narrows::text`, and `docs/parameters.md` lists the attributes. Types with generic parameters are
//! not supported. `#[param(check = ..)]` names a function that checks several
//! fields against each other.
//!
//! | file | does |
//! |---|---|
//! | `attributes.rs` | parses `#[param(..)]` of types, variants and fields |
//! | `docs.rs` | takes the help text from documentation, and keys from names |
//! | `target.rs` | names the crate of the traits, and wraps an `impl` |
//! | `field.rs` | reads and writes one field |
//! | `value.rs` | reads and writes the value of one key |
//! | `structs.rs`, `variants.rs`, `choice.rs` | implement the traits for structs, enums of tables, enums of words |

mod attributes;
mod choice;
mod docs;
mod field;
mod structs;
mod target;
mod value;
mod variants;

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Error, Result};

/// Implements `Parameters` for a struct whose fields are the keys of a table, or for an enum whose variants are tables
/// of which exactly one is present.
#[proc_macro_derive(Parameters, attributes(param))]
pub fn derive_parameters(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input, |input| match &input.data {
        Data::Struct(data) => structs::expand(input, &data.fields),
        Data::Enum(data) => variants::expand(input, data),
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "parameters are a struct or an enum, not a union")),
    })
}

/// Implements `ParameterType` for an enum without fields, each variant of which is a word.
#[proc_macro_derive(ParameterChoice, attributes(param))]
pub fn derive_parameter_choice(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(input, |input| match &input.data {
        Data::Enum(data) => choice::expand(input, data),
        _ => Err(Error::new_spanned(&input.ident, "a choice of words is an enum without fields")),
    })
}

fn expand(
    input: proc_macro::TokenStream,
    derive: impl Fn(&DeriveInput) -> Result<TokenStream>,
) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    let generics_error = Error::new_spanned(&input.generics, "a type of parameters has no generic parameters");
    let expanded = if input.generics.params.is_empty() { derive(&input) } else { Err(generics_error) };
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
