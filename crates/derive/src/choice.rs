//! Derives `ParameterType` for an enum without fields: each variant is a word.

use crate::attributes::VariantAttributes;
use crate::docs;
use crate::target::Target;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Result};

pub fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let target = Target::new(input)?;
    let Target { name, text, .. } = &target;
    let (mut words, mut arms) = (Vec::new(), Vec::new());
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a word has no fields; derive `Parameters` for variants that do"));
        }
        let (ident, attributes) = (&variant.ident, VariantAttributes::parse(&variant.attrs)?);
        let word = attributes.key.map_or_else(|| docs::key(ident), |key| key.value());
        words.push(quote! { (#word, #name::#ident) });
        arms.push(quote! { #name::#ident => #word });
    }
    if words.is_empty() {
        return Err(Error::new_spanned(name, "a choice has at least one word"));
    }
    let value = target.implement(
        quote! { ParameterType },
        quote! {},
        quote! {
            type Kind = #text::Choice<#name>;

            fn field<'f, 't>(
                table: &'f mut #text::Table<'t>,
                key: &'static str,
                help: &'static str,
            ) -> #text::Field<'f, 't, #text::Choice<#name>> {
                table.choice(key, help, &[#(#words),*])
            }

            fn from_read(value: #name) -> #name {
                value
            }

            fn to_value(&self) -> #text::ParameterValue {
                #text::ParameterValue::Text(::std::string::String::from(match self { #(#arms),* }))
            }
        },
    );
    let default = target.implement(
        quote! { ParameterDefault },
        quote! {},
        quote! {
            fn or(field: #text::Field<'_, '_, #text::Choice<#name>>, default: #name) -> #name {
                field.or(match default { #(#arms),* })
            }
        },
    );
    Ok(quote! { #value #default })
}
