//! `ParameterVariants` and `Parameters` for an enum: each variant is a table, and exactly one of them is present.

use crate::attributes::VariantAttributes;
use crate::docs;
use crate::field::{Parameter, all_optional, parameters};
use crate::structs::{construct, write};
use crate::target::Target;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Result};

pub fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let target = Target::new(input)?;
    if data.variants.is_empty() {
        return Err(Error::new_spanned(target.name, "an enum of tables needs at least one variant"));
    }
    let (mut members, mut reads, mut writes, mut needs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut key_arms = Vec::new();
    let Target { name, text_module, table, sink, .. } = &target;
    for variant in &data.variants {
        let VariantAttributes { help, key } = VariantAttributes::parse(&variant.attrs)?;
        let (ident, fields) = (&variant.ident, parameters(&variant.fields)?);
        let key = key.map_or_else(|| docs::key(ident), |key| key.value());
        if help.is_empty() {
            let message = format!("`{key}` needs a documentation comment: its first paragraph is the help text");
            return Err(Error::new_spanned(variant, message));
        }
        let (constructed, written) = (construct(&target, quote! { #name::#ident }, &fields)?, write(&target, &fields));
        let pattern = fields.iter().map(Parameter::pattern);
        members.push(quote! { (#key, #help) });
        key_arms.push(quote! { #name::#ident { .. } => #key });
        reads.push(quote! { #key => #constructed });
        writes.push(
            quote! { #name::#ident { #(#pattern),* } => #sink.table(#key, &|#sink| { let _ = &#sink; #written }) },
        );
        needs.extend(fields.iter().map(Parameter::need));
    }
    let (examine_table, check) = (target.before(), target.check());
    let variants_impl = target.implement(
        quote! { ParameterVariants },
        quote! {},
        quote! {
            const VARIANTS: &'static [(&'static str, &'static str)] = &[#(#members),*];

            fn read_variant(name: &str, #table: &mut #text_module::Table<'_>) -> Self {
                #examine_table
                let value = match name {
                    #(#reads,)*
                    other => ::core::panic!("`{other}` is not one of the variants"),
                };
                #check
                value
            }

            fn variant(&self) -> &'static str {
                match self { #(#key_arms),* }
            }
        },
    );
    let parameters_impl = implement_parameters(&target, &writes);
    let all_optional_impl = all_optional(&target, needs.into_iter());
    Ok(quote! { #variants_impl #parameters_impl #all_optional_impl })
}

/// Implements `Parameters`: the variants are tables among other keys, exactly one of which is present.
fn implement_parameters(target: &Target<'_>, writes: &[TokenStream]) -> TokenStream {
    let (Target { text_module, table, sink, .. }, help) = (target, &target.attributes.help);
    target.implement(
        quote! { Parameters },
        quote! {},
        quote! {
            fn read(#table: &mut #text_module::Table<'_>) -> Self {
                #table.alternatives(
                    #help,
                    <Self as #text_module::ParameterVariants>::VARIANTS,
                    <Self as #text_module::ParameterVariants>::read_variant,
                )
            }

            fn write(&self, #sink: &mut dyn #text_module::ParameterSink) {
                match self { #(#writes,)* }
            }
        },
    )
}
