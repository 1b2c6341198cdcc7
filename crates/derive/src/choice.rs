//! Derives `ParameterType` for an enum without fields: each variant is a word.

use crate::attributes::VariantAttributes;
use crate::docs;
use crate::target::Target;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Result};

pub fn expand(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let target = Target::new(input)?;
    let Target { name, text_module, .. } = &target;
    let (mut named_values, mut arms) = (Vec::new(), Vec::new());
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a word has no fields; derive `Parameters` for variants that do"));
        }
        let (ident, attributes) = (&variant.ident, VariantAttributes::parse(&variant.attrs)?);
        let word = attributes.key.map_or_else(|| docs::key(ident), |key| key.value());
        named_values.push(quote! { (#word, #name::#ident) });
        arms.push(quote! { #name::#ident => #word });
    }
    if named_values.is_empty() {
        return Err(Error::new_spanned(name, "a choice has at least one word"));
    }
    let type_impl = target.implement(
        quote! { ParameterType },
        quote! {},
        quote! {
            type Kind = #text_module::Choice<#name>;

            fn field<'f, 't>(
                table: &'f mut #text_module::Table<'t>,
                key: &'static str,
                help: &'static str,
            ) -> #text_module::Field<'f, 't, #text_module::Choice<#name>> {
                table.choice(key, help, &[#(#named_values),*])
            }

            fn from_read(value: #name) -> #name {
                value
            }

            fn to_value(&self) -> #text_module::ParameterValue {
                #text_module::ParameterValue::Text(::std::string::String::from(match self { #(#arms),* }))
            }
        },
    );
    let default_impl = target.implement(
        quote! { ParameterDefault },
        quote! {},
        quote! {
            fn or(field: #text_module::Field<'_, '_, #text_module::Choice<#name>>, default: #name) -> #name {
                field.or(match default { #(#arms),* })
            }
        },
    );
    Ok(quote! { #type_impl #default_impl })
}
