//! One field: how it is read, how it is written, and whether it may be left out.

use crate::attributes::{FieldAttributes, Shape, TypeAttributes};
use crate::docs;
use crate::target::Target;
use crate::value::Value;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Expr, Field, Fields, GenericArgument, Ident, Member, PathArguments, Result, Type};

/// A field of a struct or of a variant.
pub struct Parameter<'f> {
    field: &'f Field,
    member: Member,
    /// The variable that holds the field while the following fields are read, and while the field is written.
    pub binding: Ident,
    key: String,
    attributes: FieldAttributes,
}

/// Whether a field may be left out of a description.
pub enum Need<'f> {
    Required,
    Optional,
    /// The field may be left out if all fields of this type may be.
    OptionalIf(&'f Type),
}

/// Returns the fields in the order in which they are read.
pub fn parameters(fields: &Fields) -> Result<Vec<Parameter<'_>>> {
    let members = fields.iter().zip(fields.members());
    members.map(|(field, member)| Parameter::new(field, member)).collect()
}

impl<'f> Parameter<'f> {
    fn new(field: &'f Field, member: Member) -> Result<Parameter<'f>> {
        let attributes = FieldAttributes::parse(&field.attrs)?;
        let has_key = !matches!(attributes.shape, Shape::Flatten | Shape::Skip(_) | Shape::With { .. });
        let key = match (&attributes.key, &member) {
            (Some(key), _) => key.value(),
            (None, Member::Named(name)) => docs::key(name),
            (None, Member::Unnamed(_)) if has_key => {
                return Err(Error::new_spanned(field, "a field without a name needs `#[param(key = \"..\")]`"));
            }
            (None, Member::Unnamed(_)) => String::new(),
        };
        if has_key && attributes.help.is_empty() {
            let message = format!("`{key}` needs a documentation comment: its first paragraph is the help text");
            return Err(Error::new_spanned(field, message));
        }
        let binding = match &member {
            Member::Named(name) => name.clone(),
            Member::Unnamed(index) => format_ident!("field_{}", index.index),
        };
        let parameter = Parameter { field, member, binding, key, attributes };
        parameter.check()?;
        Ok(parameter)
    }

    /// Returns an error if attributes contradict each other, or have no effect on a field of this shape.
    fn check(&self) -> Result<()> {
        let FieldAttributes { shape, default, optional_or, bounds, each, length, named_values, via, .. } =
            &self.attributes;
        let reject = |expr: Option<&Expr>, reason: &str| match expr {
            Some(expr) => Err(Error::new_spanned(expr, reason)),
            None => Ok(()),
        };
        if self.optional_type().is_some() || optional_or.is_some() {
            reject(default.as_ref(), "a parameter that is optional has no default")?;
        }
        if self.optional_type().is_some() {
            reject(optional_or.as_ref(), "an `Option` is `None` where it is absent")?;
        }
        if self.attributes.check.is_none() {
            reject(
                self.attributes.placeholder.as_ref(),
                "a placeholder needs a `check`, because it replaces values that `check` refuses",
            )?;
        }
        if matches!(shape, Shape::Value) {
            return Ok(());
        }
        if let Some(former_key) = &self.attributes.former_key {
            return Err(Error::new_spanned(former_key, "only a value has a former name"));
        }
        if !matches!(shape, Shape::OneOf) {
            reject(default.as_ref(), "only a value or `one_of` has a default")?;
        }
        for limits in [bounds, each, length] {
            reject(limits.min.as_ref().or(limits.max.as_ref()), "only a value has bounds")?;
        }
        if let Some(meaning) = &self.attributes.meaning {
            return Err(Error::new_spanned(meaning, "only a value has a meaning"));
        }
        if let Some(resource) = &self.attributes.resource {
            return Err(Error::new_spanned(resource, "only a value belongs to a resource"));
        }
        reject(optional_or.as_ref(), "only a value has `optional_or`")?;
        reject(named_values.first().map(|(_, value)| value), "only a value has words")?;
        reject(via.as_ref().map(|via| &via.from), "only a value is read via another type")
    }

    /// Returns the type within `Option<..>`.
    fn optional_type(&self) -> Option<&'f Type> {
        let Type::Path(path) = &self.field.ty else { return None };
        let last = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
        match arguments.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        }
    }

    fn value<'v>(&'v self, type_attributes: &'v TypeAttributes) -> Value<'v> {
        let optional = self.optional_type();
        let ty = optional.unwrap_or(&self.field.ty);
        Value { ty, is_optional: optional.is_some(), key: &self.key, attributes: &self.attributes, type_attributes }
    }

    /// Returns the field's part of the expression that constructs the struct: `member`, or `index: variable`.
    pub fn construct(&self) -> TokenStream {
        match &self.member {
            Member::Named(name) => quote! { #name },
            Member::Unnamed(index) => {
                let binding = &self.binding;
                quote! { #index: #binding }
            }
        }
    }

    /// Returns the field's part of a struct pattern: `member: variable`, or `member: _` for a field that is not
    /// written.
    pub fn pattern(&self) -> TokenStream {
        match &self.attributes.shape {
            Shape::Skip(_) => {
                let member = &self.member;
                quote! { #member: _ }
            }
            _ => self.construct(),
        }
    }

    /// Returns the statements that read the field into a variable of its name.
    pub fn read(&self, target: &Target<'_>) -> Result<TokenStream> {
        let Parameter { binding, key, attributes, .. } = self;
        let (Target { text_module, table, .. }, help, ty) = (target, &attributes.help, &self.field.ty);
        let optional_type = self.optional_type();
        let read = match (&attributes.shape, optional_type) {
            (Shape::Value, _) => self.value(&target.attributes).read(target)?,
            (Shape::Table, None) => quote! { #table.table(#key, #help, <#ty as #text_module::Parameters>::read) },
            (Shape::Table, Some(ty)) => {
                quote! { #table.optional_table(#key, #help, <#ty as #text_module::Parameters>::read) }
            }
            (Shape::OneOf, _) => {
                let (kind, default) = match (optional_type, &attributes.default) {
                    (Some(_), _) => (quote! { optional_one_of }, None),
                    (None, Some(default)) => (quote! { one_of_or }, Some(quote! { #default, })),
                    (None, None) => (quote! { one_of }, None),
                };
                let variants = {
                    let ty = optional_type.unwrap_or(ty);
                    quote! { <#ty as #text_module::ParameterVariants> }
                };
                quote! { #table.#kind(#key, #help, #variants::VARIANTS, #default #variants::read_variant) }
            }
            (Shape::Flatten, _) => quote! { <#ty as #text_module::Parameters>::read(#table) },
            (Shape::Skip(value), _) => quote! { #value },
            (Shape::With { read, .. }, _) => quote! { #text_module::parameters::call::read(#table, #read) },
        };
        let check = attributes.check.as_ref().map(|check| {
            let placeholder = attributes.placeholder.as_ref();
            let (assignment, otherwise) = match placeholder {
                Some(value) => (quote! { let #binding: #ty = }, quote! { #value }),
                None => (quote! {}, quote! {}),
            };
            let checked = placeholder.map(|_| quote! { #binding });
            quote! {
                #assignment match #text_module::parameters::call::with_ref(&#binding, #check) {
                    ::core::option::Option::Some((message, help)) => {
                        #table.report_invalid(#key, message, help);
                        #otherwise
                    }
                    ::core::option::Option::None => { #checked }
                };
            }
        });
        let renamed =
            attributes.former_key.as_ref().map(|former_key| quote! { #table.renamed_key(#former_key, #key); });
        Ok(quote! { #renamed let #binding: #ty = #read; #check })
    }

    /// Returns the statement that writes the field; a variable with the field's name holds a reference to it.
    pub fn write(&self, target: &Target<'_>) -> TokenStream {
        let Parameter { binding, key, attributes, .. } = self;
        let Target { text_module, sink, .. } = target;
        let table = |value: TokenStream| {
            quote! { #sink.table(#key, &|#sink| #text_module::Parameters::write(#value, #sink)); }
        };
        match (&attributes.shape, self.optional_type()) {
            (Shape::Value, _) => self.value(&target.attributes).write(target, binding),
            (Shape::Table | Shape::OneOf, None) => table(quote! { #binding }),
            (Shape::Table | Shape::OneOf, Some(_)) => {
                let write = table(quote! { value });
                quote! { if let ::core::option::Option::Some(value) = #binding { #write } }
            }
            (Shape::Flatten, _) => quote! { #text_module::Parameters::write(#binding, #sink); },
            (Shape::Skip(_), _) => quote! {},
            (Shape::With { write, .. }, _) => {
                quote! { #text_module::parameters::call::write(#binding, #sink, #write); }
            }
        }
    }

    /// Returns whether the field may be left out.
    pub fn need(&self) -> Need<'f> {
        let FieldAttributes { shape, default, optional_or, .. } = &self.attributes;
        match shape {
            _ if self.optional_type().is_some() => Need::Optional,
            Shape::Skip(_) => Need::Optional,
            Shape::Value if default.is_some() || optional_or.is_some() => Need::Optional,
            Shape::Table | Shape::Flatten => Need::OptionalIf(&self.field.ty),
            Shape::OneOf if default.is_some() => Need::OptionalIf(&self.field.ty),
            Shape::Value | Shape::OneOf | Shape::With { .. } => Need::Required,
        }
    }
}

/// Implements `AllOptional`, the trait of types that may be left out as a whole, unless a field is required.
pub fn all_optional<'f>(target: &Target<'_>, fields: impl Iterator<Item = Need<'f>>) -> TokenStream {
    let mut types = Vec::new();
    for need in fields {
        match need {
            Need::Required => return quote! {},
            Need::Optional => {}
            Need::OptionalIf(ty) => types.push(ty),
        }
    }
    let text_module = &target.text_module;
    // A where clause that does not hold is a compile error, unless it is quantified (`for<'every>`): then the trait is
    // only not implemented.
    target.implement(
        quote! { AllOptional },
        quote! { where #(for<'every> #types: #text_module::AllOptional),* },
        quote! {},
    )
}
