//! The value of one key: how it is read within its bounds, and how it is written.

use crate::attributes::{Bounds, FieldAttributes, TypeAttributes};
use crate::target::Target;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident, Lit, LitStr, Result, Type};

/// The value of one key.
pub struct Value<'v> {
    /// The field's type, or the type within its `Option`.
    pub ty: &'v Type,
    pub is_optional: bool,
    pub key: &'v str,
    pub attributes: &'v FieldAttributes,
    /// The attributes of the struct.
    pub type_attributes: &'v TypeAttributes,
}

impl Value<'_> {
    /// Returns the type that is read.
    fn read_type(&self) -> &Type {
        self.attributes.via.as_ref().map_or(self.ty, |via| &via.ty)
    }

    fn is_type_named(&self, names: &[&str]) -> bool {
        let Type::Path(path) = self.read_type() else { return false };
        path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
    }

    fn is_integer(&self) -> bool {
        self.is_type_named(&["u8", "u16", "u32", "u64", "usize"])
    }

    /// Returns the expression that reads the value.
    pub fn read(&self, target: &Target<'_>) -> Result<TokenStream> {
        let FieldAttributes { default, optional_or, via, named_values, .. } = self.attributes;
        let (text_module, read_type) = (&target.text_module, self.read_type());
        let field_reader = self.field_reader_in_bounds(target)?;
        let from_read = named_values
            .is_empty()
            .then(|| quote! { let value = <#read_type as #text_module::ParameterType>::from_read(value); });
        let via = via.as_ref().map(|via| {
            let (from, ty) = (&via.from, self.ty);
            quote! { let value: #ty = #text_module::parameters::call::with_value(value, #from); }
        });
        let convert = quote! { #from_read #via value };
        let checks = self.literal_checks(target);
        let read = match (default, optional_or) {
            (Some(default), _) => match (as_description_value(default), named_values.is_empty()) {
                (Some(default), _) => quote! { { let value = #field_reader.or(#default); #convert } },
                (None, true) => quote! {
                    {
                        let value = <#read_type as #text_module::ParameterDefault>::or(#field_reader, #default);
                        #via value
                    }
                },
                (None, false) => return Err(Error::new_spanned(default, "a default among words is a word")),
            },
            (None, Some(value)) => quote! {
                match #field_reader.optional() {
                    ::core::option::Option::Some(value) => { #convert }
                    ::core::option::Option::None => #value,
                }
            },
            (None, None) if self.is_optional => quote! { #field_reader.optional().map(|value| { #convert }) },
            (None, None) => quote! { { let value = #field_reader.required(); #convert } },
        };
        Ok(if checks.is_empty() {
            read
        } else {
            quote! { { #(#checks)* #read } }
        })
    }

    /// Returns a constant for each string in the default and the bounds, whose evaluation by the compiler fails if the
    /// field's type has units and the string is not a number with one of them.
    fn literal_checks(&self, target: &Target<'_>) -> Vec<TokenStream> {
        let FieldAttributes { default, bounds, named_values, .. } = self.attributes;
        if !named_values.is_empty() {
            return Vec::new();
        }
        let (text_module, read_type, key) = (&target.text_module, self.read_type(), self.key);
        let type_name = quote! { #read_type }.to_string();
        let literals = [("default", default), ("min", &bounds.min), ("max", &bounds.max)];
        let strings = literals.into_iter().flat_map(|(name, value)| {
            let strings = value.as_ref().map(string_literals).unwrap_or_default();
            strings.into_iter().map(move |string| (name, string))
        });
        strings
            .map(|(name, string)| {
                let text = string.value();
                let message = format!("`{key}`: {name} = {text:?} is not a decimal number with a unit of `{type_name}`");
                quote_spanned! {
                    string.span() => const _: () = #text_module::parameters::literal::check::<#read_type>(#text, #message);
                }
            })
            .collect()
    }

    /// Returns the key with its bounds, ready to be read.
    fn field_reader_in_bounds(&self, target: &Target<'_>) -> Result<TokenStream> {
        let FieldAttributes { help, bounds, each, length, named_values, .. } = self.attributes;
        let (Target { text_module, table, .. }, read_type, key) = (target, self.read_type(), self.key);
        if !named_values.is_empty() {
            let named_values = named_values.iter().map(|(word, value)| quote! { (#word, #value) });
            return Ok(quote! { #table.choice(#key, #help, &[#(#named_values),*]) });
        }
        let mut field_reader = quote_spanned! {
            read_type.span() => <#read_type as #text_module::ParameterType>::field(#table, #key, #help)
        };
        field_reader = self.declare(target, field_reader);
        let inherited = if self.is_integer() { &self.type_attributes.each } else { &Bounds { min: None, max: None } };
        if let Some(min) = bounds.min.as_ref().or(inherited.min.as_ref()) {
            let min = self.bound(min);
            field_reader = quote! { #field_reader.min(#min) };
        }
        if let Some(max) = bounds.max.as_ref().or(inherited.max.as_ref()) {
            let max = self.bound(max);
            field_reader = quote! { #field_reader.max(#max) };
        }
        for (limits, method, cast) in [(each, "each", quote! { u64 }), (length, "length", quote! { usize })] {
            let method = Ident::new(method, read_type.span());
            field_reader = match (&limits.min, &limits.max) {
                (None, None) => field_reader,
                (Some(min), Some(max)) => quote! { #field_reader.#method((#min) as #cast, (#max) as #cast) },
                (Some(limit), None) | (None, Some(limit)) => {
                    return Err(Error::new_spanned(limit, format!("`{method}` needs both `min` and `max`")));
                }
            };
        }
        Ok(field_reader)
    }

    /// Adds to `field_reader` the declared properties of a number: its meaning and its resource.
    fn declare(&self, target: &Target<'_>, field_reader: TokenStream) -> TokenStream {
        let (text_module, is_bare) = (&target.text_module, self.is_integer() || self.is_type_named(&["f64"]));
        let has_no_meaning = is_bare || self.is_type_named(&["Bytes"]);
        let inherited = self.type_attributes.meaning.as_ref().filter(|_| has_no_meaning);
        let meaning = self.attributes.meaning.as_ref().or(inherited);
        let is_number = has_no_meaning || meaning.is_some() || self.is_type_named(&["Time", "Rate", "Hertz"]);
        let inherited = self.type_attributes.resource.as_ref().filter(|_| is_number);
        let resource = self.attributes.resource.as_ref().or(inherited);
        let meaning = meaning.map(|meaning| quote! { .meaning(#text_module::Meaning::#meaning) });
        let resource = resource.map(|resource| quote! { .resource(#resource) });
        quote! { #field_reader #meaning #resource }
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
                let (into, read_type) = (&via.into, &via.ty);
                quote! { <#read_type as #text_module::ParameterType>::to_value(&#text_module::parameters::call::with_ref(value, #into)) }
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

/// Returns the strings of a literal, or of a list of literals.
fn string_literals(value: &Expr) -> Vec<&LitStr> {
    match value {
        Expr::Lit(literal) => {
            if let Lit::Str(string) = &literal.lit {
                vec![string]
            } else {
                Vec::new()
            }
        }
        Expr::Array(list) => list.elems.iter().flat_map(string_literals).collect(),
        _ => Vec::new(),
    }
}

/// Returns a default in the form of a description, if it is a literal or a list of literals.
fn as_description_value(default: &Expr) -> Option<TokenStream> {
    match default {
        Expr::Lit(literal) if !matches!(literal.lit, Lit::Byte(_) | Lit::ByteStr(_) | Lit::Char(_)) => {
            Some(quote! { #default })
        }
        Expr::Array(list) if list.elems.iter().all(|element| as_description_value(element).is_some()) => {
            Some(quote! { &#default })
        }
        _ => None,
    }
}
