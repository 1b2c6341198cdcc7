//! Derives `Parameters` for a struct: each field is a key, or several.

use crate::field::{Need, Parameter, all_optional, parameters};
use crate::target::Target;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Fields, Result};

pub fn expand(input: &DeriveInput, fields: &Fields) -> Result<TokenStream> {
    let target = Target::new(input)?;
    if let Fields::Unnamed(_) = fields {
        return Err(Error::new_spanned(
            target.name,
            "the fields of a struct of parameters have names: they are the keys",
        ));
    }
    let all_parameters = parameters(fields)?;
    let Target { text_module, table, sink, .. } = &target;
    let (read, write) = (construct(&target, quote! { Self }, &all_parameters)?, write(&target, &all_parameters));
    let pattern = all_parameters.iter().map(Parameter::pattern);
    let (examine_table, check) = (target.before(), target.check());
    let parameters_impl = target.implement(
        quote! { Parameters },
        quote! {},
        quote! {
            fn read(#table: &mut #text_module::Table<'_>) -> Self {
                #examine_table
                let value = #read;
                #check
                value
            }

            fn write(&self, #sink: &mut dyn #text_module::ParameterSink) {
                let Self { #(#pattern),* } = self;
                #write
            }
        },
    );
    let all_optional_impl =
        all_optional(&target, all_parameters.iter().map(Parameter::need).collect::<Vec<Need<'_>>>().into_iter());
    Ok(quote! { #parameters_impl #all_optional_impl })
}

/// Returns the expression that reads all fields in order, and constructs the struct or variant `constructor` from them.
pub fn construct(target: &Target<'_>, constructor: TokenStream, parameters: &[Parameter<'_>]) -> Result<TokenStream> {
    let reads = parameters.iter().map(|field| field.read(target)).collect::<Result<Vec<_>>>()?;
    let constructed = parameters.iter().map(Parameter::construct);
    Ok(quote! { { #(#reads)* #constructor { #(#constructed),* } } })
}

/// Returns the statements that write all fields, in order.
pub fn write(target: &Target<'_>, parameters: &[Parameter<'_>]) -> TokenStream {
    let writes = parameters.iter().map(|field| field.write(target));
    quote! { #(#writes)* }
}
