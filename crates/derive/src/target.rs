//! The type for which a trait is derived, and the crate whose traits are implemented.

use crate::attributes::TypeAttributes;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{DeriveInput, Ident, Result};

/// Path of the crate that holds the traits, unless `#[param(crate = "..")]` names another. The path is also valid
/// within that crate, which declares `extern crate self as narrows`.
const CRATE: &str = "::narrows";

/// The type for which a trait is derived.
pub struct Target<'i> {
    pub name: &'i Ident,
    pub attributes: TypeAttributes,
    /// Path of the module that holds the traits.
    pub text_module: TokenStream,
    /// The variable that holds the table being read. No field can have its name, since the name cannot be written
    /// outside the macro.
    pub table: Ident,
    /// The variable that holds the sink being written to.
    pub sink: Ident,
}

impl<'i> Target<'i> {
    pub fn new(input: &'i DeriveInput) -> Result<Target<'i>> {
        let attributes = TypeAttributes::parse(&input.attrs)?;
        let path = match &attributes.crate_path {
            Some(path) => path.clone(),
            None => syn::parse_str(CRATE)?,
        };
        let variable = |name| Ident::new(name, Span::mixed_site());
        let (text_module, table, sink) = (quote! { #path::text }, variable("table"), variable("sink"));
        Ok(Target { name: &input.ident, attributes, text_module, table, sink })
    }

    /// Returns the statement that examines the table before its keys are read.
    pub fn before(&self) -> Option<TokenStream> {
        let Target { text_module, table, .. } = self;
        self.attributes
            .before
            .as_ref()
            .map(|before| quote! { #text_module::parameters::call::with_ref(&*#table, #before); })
    }

    /// Returns the statements that report the errors in `value`, which was read.
    pub fn check(&self) -> TokenStream {
        let Target { text_module, table, attributes, .. } = self;
        let report = |check| {
            quote! {
                for (key, message, help) in ::core::iter::IntoIterator::into_iter(#text_module::parameters::call::with_ref(&value, #check)) {
                    #table.report_invalid(::core::convert::AsRef::<str>::as_ref(&key), message, help);
                }
            }
        };
        let check = attributes.check.as_ref().map(report);
        let if_sound = attributes.check_if_sound.as_ref().map(report);
        let if_sound =
            if_sound.map(|report| quote! { if #table.has_no_problems() && !#table.describing() { #report } });
        quote! { #check #if_sound }
    }

    /// Implements `trait_name` of the module that holds the traits.
    pub fn implement(&self, trait_name: TokenStream, bounds: TokenStream, body: TokenStream) -> TokenStream {
        let Target { name, text_module, attributes, .. } = self;
        let feature = attributes.cfg_feature.as_ref().map(|feature| quote! { #[cfg(feature = #feature)] });
        quote! {
            #feature
            #[automatically_derived]
            #[allow(clippy::unnecessary_cast, clippy::redundant_closure_call)]
            impl #text_module::#trait_name for #name #bounds { #body }
        }
    }
}
