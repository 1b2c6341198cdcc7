//! The value of one key: how it is read within its bounds, and how it is written.

use crate::attributes::{Bounds, FieldAttributes, TypeAttributes};
use crate::target::Target;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident, Lit, Result, Type};

/// The value of one key.
pub struct Value<'v> {
    /// The field's type, or the type within its `Option`.
    pub ty: &'v Type,
    pub is_optional: bool,
    pub key: &'v str,
    pub attributes: &'v FieldAttributes,
    /// The attributes of the struct.
    pub of_type: &'v TypeAttributes,
}

impl Value<'_> {
    /// Returns the type that is read.
    fn source(&self) -> &Type {
        self.attributes.via.as_ref().map_or(self.ty, |via| &via.ty)
    }

    fn is_type_named(&self, names: &[&str]) -> bool {
        let Type::Path(path) = self.source() else { return false };
        path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
    }

    fn is_integer(&self) -> bool {
        self.is_type_named(&["u8", "u16", "u32", "u64", "usize"])
    }

    /// Returns the expression that reads the value.
    pub fn read(&self, target: &Target<'_>) -> Result<TokenStream> {
        let FieldAttributes { default, optional_or, via, named_values, .. } = self.attributes;
        let (text_module, source) = (&target.text_module, self.source());
        let opened = self.open(target)?;
        let from_read = named_values
            .is_empty()
            .then(|| quote! { let value = <#source as #text_module::ParameterType>::from_read(value); });
        let via = via.as_ref().map(|via| {
            let (from, ty) = (&via.from, self.ty);
            quote! { let value: #ty = #text_module::parameters::call::with_value(value, #from); }
        });
        let convert = quote! { #from_read #via value };
        Ok(match (default, optional_or) {
            (Some(default), _) => match (as_written(default), named_values.is_empty()) {
                (Some(default), _) => quote! { { let value = #opened.or(#default); #convert } },
                (None, true) => quote! {
                    { let value = <#source as #text_module::ParameterDefault>::or(#opened, #default); #via value }
                },
                (None, false) => return Err(Error::new_spanned(default, "a default among words is a word")),
            },
            (None, Some(value)) => quote! {
                match #opened.optional() {
                    ::core::option::Option::Some(value) => { #convert }
                    ::core::option::Option::None => #value,
                }
            },
            (None, None) if self.is_optional => quote! { #opened.optional().map(|value| { #convert }) },
            (None, None) => quote! { { let value = #opened.required(); #convert } },
        })
    }

    /// Returns the key with its bounds, ready to be read.
    fn open(&self, target: &Target<'_>) -> Result<TokenStream> {
        let FieldAttributes { help, bounds, each, length, named_values, .. } = self.attributes;
        let (Target { text_module, table, .. }, source, key) = (target, self.source(), self.key);
        if !named_values.is_empty() {
            let named_values = named_values.iter().map(|(word, value)| quote! { (#word, #value) });
            return Ok(quote! { #table.choice(#key, #help, &[#(#named_values),*]) });
        }
        let mut opened =
            quote_spanned! { source.span() => <#source as #text_module::ParameterType>::field(#table, #key, #help) };
        opened = self.declare(target, opened);
        let inherited = if self.is_integer() { &self.of_type.each } else { &Bounds { min: None, max: None } };
        if let Some(min) = bounds.min.as_ref().or(inherited.min.as_ref()) {
            let min = self.bound(min);
            opened = quote! { #opened.min(#min) };
        }
        if let Some(max) = bounds.max.as_ref().or(inherited.max.as_ref()) {
            let max = self.bound(max);
            opened = quote! { #opened.max(#max) };
        }
        for (limits, method, cast) in [(each, "each", quote! { u64 }), (length, "length", quote! { usize })] {
            let method = Ident::new(method, source.span());
            opened = match (&limits.min, &limits.max) {
                (None, None) => opened,
                (Some(min), Some(max)) => quote! { #opened.#method((#min) as #cast, (#max) as #cast) },
                (Some(one), None) | (None, Some(one)) => {
                    return Err(Error::new_spanned(one, format!("`{method}` needs both `min` and `max`")));
                }
            };
        }
        Ok(opened)
    }

    /// Adds to `opened` the declared properties of a number: its meaning and its resource.
    fn declare(&self, target: &Target<'_>, opened: TokenStream) -> TokenStream {
        let (text_module, is_bare) = (&target.text_module, self.is_integer() || self.is_type_named(&["f64"]));
        let has_no_meaning = is_bare || self.is_type_named(&["Bytes"]);
        let inherited = self.of_type.meaning.as_ref().filter(|_| has_no_meaning);
        let meaning = self.attributes.meaning.as_ref().or(inherited);
        let is_number = has_no_meaning || meaning.is_some() || self.is_type_named(&["Time", "Rate", "Hertz"]);
        let inherited = self.of_type.resource.as_ref().filter(|_| is_number);
        let resource = self.attributes.resource.as_ref().or(inherited);
        let meaning = meaning.map(|meaning| quote! { .meaning(#text_module::Meaning::#meaning) });
        let resource = resource.map(|resource| quote! { .resource(#resource) });
        quote! { #opened #meaning #resource }
    }

    /// Returns a bound in the form that the key takes: integers of any width, numbers, and quantities as text.
    fn bound(&self, bound: &Expr) -> TokenStream {
        match bound {
            Expr::Lit(_) if !self.is_integer() => quote! { #bound },
            _ if self.is_integer() => quote! { (#bound) as u64 },
            _ if self.is_type_named(&["f64"]) => quote! { #bound },
            _ => quote! { &::std::string::ToString::to_string(&(#bound)) },
        }
    }

    /// Returns the statement that writes the value from `binding`, which refers to it.
    pub fn write(&self, target: &Target<'_>, binding: &Ident) -> TokenStream {
        let FieldAttributes { via, named_values, .. } = self.attributes;
        let (Target { text_module, sink, .. }, key) = (target, self.key);
        let value = match (via, named_values.is_empty()) {
            (_, false) => {
                let named_values = named_values.iter().map(|(word, value)| quote! { #value => #word });
                quote! { #text_module::ParameterValue::Text(::std::string::String::from(match *value { #(#named_values),* })) }
            }
            (Some(via), true) => {
                let (into, source) = (&via.into, &via.ty);
                quote! { <#source as #text_module::ParameterType>::to_value(&#text_module::parameters::call::with_ref(value, #into)) }
            }
            (None, true) => quote! { #text_module::ParameterType::to_value(value) },
        };
        match self.is_optional {
            true => quote! {
                if let ::core::option::Option::Some(value) = #binding { #sink.value(#key, #value); }
            },
            false => quote! { { let value = #binding; #sink.value(#key, #value); } },
        }
    }
}

/// Returns a default in the form of a description, if it is a literal or a list of literals.
fn as_written(default: &Expr) -> Option<TokenStream> {
    match default {
        Expr::Lit(literal) if !matches!(literal.lit, Lit::Byte(_) | Lit::ByteStr(_) | Lit::Char(_)) => {
            Some(quote! { #default })
        }
        Expr::Array(list) if list.elems.iter().all(|element| as_written(element).is_some()) => {
            Some(quote! { &#default })
        }
        _ => None,
    }
}
