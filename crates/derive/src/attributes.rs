//! `#[param(..)]` of types, variants and fields.

use crate::docs;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, Ident, LitStr, Path, Result, Token, Type};

/// The smallest and the largest allowed value.
#[derive(Default)]
pub struct Bounds {
    pub min: Option<Expr>,
    pub max: Option<Expr>,
}

impl Bounds {
    fn parse(meta: &ParseNestedMeta<'_>) -> Result<Bounds> {
        let mut bounds = Bounds::default();
        meta.parse_nested_meta(|bound| {
            match attribute_name(&bound)?.as_str() {
                "min" => bounds.min = Some(bound.value()?.parse()?),
                "max" => bounds.max = Some(bound.value()?.parse()?),
                _ => return Err(unknown_attribute(&bound, &["min", "max"])),
            }
            Ok(())
        })?;
        Ok(bounds)
    }
}

const TYPE_ATTRIBUTES: [&str; 8] =
    ["crate", "cfg_feature", "before", "check", "check_if_sound", "each", "meaning", "resource"];

/// Attributes of a type.
#[derive(Default)]
pub struct TypeAttributes {
    pub help: String,
    pub crate_path: Option<Path>,
    pub cfg_feature: Option<LitStr>,
    /// A function that examines the table before its keys are read.
    pub before: Option<Expr>,
    /// A function from the value of the type to the errors in it: keys, messages, help.
    pub check: Option<Expr>,
    /// The same as `check`, but called only if no error was found so far.
    pub check_if_sound: Option<Expr>,
    /// Bounds of every integer field that states no bounds.
    pub each: Bounds,
    /// Meaning of every bare number and amount of data that states no meaning.
    pub meaning: Option<Ident>,
    /// Resource of every number that states no resource.
    pub resource: Option<LitStr>,
}

impl TypeAttributes {
    pub fn parse(attributes: &[Attribute]) -> Result<TypeAttributes> {
        let mut type_attributes = TypeAttributes { help: docs::help(attributes), ..TypeAttributes::default() };
        for_each_param(attributes, |meta| {
            match attribute_name(meta)?.as_str() {
                "crate" => type_attributes.crate_path = Some(meta.value()?.parse::<LitStr>()?.parse()?),
                "cfg_feature" => type_attributes.cfg_feature = Some(meta.value()?.parse()?),
                "before" => type_attributes.before = Some(meta.value()?.parse()?),
                "check" => type_attributes.check = Some(meta.value()?.parse()?),
                "check_if_sound" => type_attributes.check_if_sound = Some(meta.value()?.parse()?),
                "each" => type_attributes.each = Bounds::parse(meta)?,
                "meaning" => type_attributes.meaning = Some(meta.value()?.parse()?),
                "resource" => type_attributes.resource = Some(meta.value()?.parse()?),
                _ => return Err(unknown_attribute(meta, &TYPE_ATTRIBUTES)),
            }
            Ok(())
        })?;
        Ok(type_attributes)
    }
}

/// Attributes of a variant.
pub struct VariantAttributes {
    pub help: String,
    /// The key or word, if it differs from the variant's name.
    pub key: Option<LitStr>,
}

impl VariantAttributes {
    pub fn parse(attributes: &[Attribute]) -> Result<VariantAttributes> {
        let mut variant_attributes = VariantAttributes { help: docs::help(attributes), key: None };
        for_each_param(attributes, |meta| match attribute_name(meta)?.as_str() {
            "key" => {
                variant_attributes.key = Some(meta.value()?.parse()?);
                Ok(())
            }
            _ => Err(unknown_attribute(meta, &["key"])),
        })?;
        Ok(variant_attributes)
    }
}

/// Representation of a field in its table.
pub enum Shape {
    /// The field has one key with a value.
    Value,
    /// The field has one key with a table.
    Table,
    /// The field has one key, below which one of several tables is present.
    OneOf,
    /// The field has no key of its own; its keys are those of the enclosing table.
    Flatten,
    /// The field has no key. Its value is this expression.
    Skip(Expr),
    /// The functions `read` and `write` read and write the field's keys.
    With { read: Expr, write: Expr },
}

/// A type that is read in place of the field's type; the functions `from` and `into` convert from it and to it.
pub struct Via {
    pub ty: Type,
    pub from: Expr,
    pub into: Expr,
}

/// Attributes of a field.
pub struct FieldAttributes {
    pub help: String,
    pub key: Option<LitStr>,
    /// The key's former name, which is still read.
    pub former_key: Option<LitStr>,
    pub shape: Shape,
    pub default: Option<Expr>,
    /// The value of a key that is absent; the key is also reported as absent.
    pub optional_or: Option<Expr>,
    pub bounds: Bounds,
    /// Bounds of the elements of a list.
    pub each: Bounds,
    /// Bounds of the length of a list.
    pub length: Bounds,
    /// Words, and the values that they represent.
    pub named_values: Vec<(LitStr, Expr)>,
    pub via: Option<Via>,
    /// A function from the value to the error in it, as a message and help, if there is one.
    pub check: Option<Expr>,
    /// The value that replaces an invalid one, so that reading continues with a valid value.
    pub placeholder: Option<Expr>,
    /// Meaning of the number to its part.
    pub meaning: Option<Ident>,
    /// The resource of the part that the number belongs to.
    pub resource: Option<LitStr>,
}

const FIELD_ATTRIBUTES: [&str; 19] = [
    "key",
    "was",
    "default",
    "optional_or",
    "min",
    "max",
    "each",
    "length",
    "words",
    "via",
    "check",
    "placeholder",
    "meaning",
    "resource",
    "table",
    "one_of",
    "flatten",
    "skip",
    "with",
];

impl FieldAttributes {
    pub fn parse(attributes: &[Attribute]) -> Result<FieldAttributes> {
        let mut field_attributes = FieldAttributes {
            help: docs::help(attributes),
            key: None,
            former_key: None,
            shape: Shape::Value,
            default: None,
            optional_or: None,
            bounds: Bounds::default(),
            each: Bounds::default(),
            length: Bounds::default(),
            named_values: Vec::new(),
            via: None,
            check: None,
            placeholder: None,
            meaning: None,
            resource: None,
        };
        for_each_param(attributes, |meta| field_attributes.parse_one(meta))?;
        Ok(field_attributes)
    }

    fn parse_one(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match attribute_name(meta)?.as_str() {
            "key" => self.key = Some(meta.value()?.parse()?),
            "was" => self.former_key = Some(meta.value()?.parse()?),
            "default" => self.default = Some(meta.value()?.parse()?),
            "optional_or" => self.optional_or = Some(meta.value()?.parse()?),
            "min" => self.bounds.min = Some(meta.value()?.parse()?),
            "max" => self.bounds.max = Some(meta.value()?.parse()?),
            "each" => self.each = Bounds::parse(meta)?,
            "length" => self.length = Bounds::parse(meta)?,
            "words" => self.named_values = named_values(meta)?,
            "via" => self.via = Some(via(meta)?),
            "check" => self.check = Some(meta.value()?.parse()?),
            "placeholder" => self.placeholder = Some(meta.value()?.parse()?),
            "meaning" => self.meaning = Some(meta.value()?.parse()?),
            "resource" => self.resource = Some(meta.value()?.parse()?),
            "table" => self.set_shape(meta, Shape::Table)?,
            "one_of" => self.set_shape(meta, Shape::OneOf)?,
            "flatten" => self.set_shape(meta, Shape::Flatten)?,
            "skip" => self.set_shape(meta, Shape::Skip(meta.value()?.parse()?))?,
            "with" => self.set_shape(meta, parse_with(meta)?)?,
            _ => return Err(unknown_attribute(meta, &FIELD_ATTRIBUTES)),
        }
        Ok(())
    }

    fn set_shape(&mut self, meta: &ParseNestedMeta<'_>, shape: Shape) -> Result<()> {
        if !matches!(self.shape, Shape::Value) {
            return Err(meta.error("a field is only one of `table`, `one_of`, `flatten`, `skip`, `with`"));
        }
        self.shape = shape;
        Ok(())
    }
}

/// Parses `words("same" = false, "other" = true)`.
fn named_values(meta: &ParseNestedMeta<'_>) -> Result<Vec<(LitStr, Expr)>> {
    let content;
    syn::parenthesized!(content in meta.input);
    let pair = |input: syn::parse::ParseStream<'_>| {
        let word: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok((word, input.parse()?))
    };
    Ok(Punctuated::<_, Token![,]>::parse_terminated_with(&content, pair)?.into_iter().collect())
}

/// Parses `via(Bytes, from = f, into = g)`.
fn via(meta: &ParseNestedMeta<'_>) -> Result<Via> {
    let content;
    syn::parenthesized!(content in meta.input);
    let ty = content.parse()?;
    content.parse::<Token![,]>()?;
    let [from, into] = functions(&content, ["from", "into"])?;
    Ok(Via { ty, from, into })
}

/// Parses `with(read = f, write = g)`.
fn parse_with(meta: &ParseNestedMeta<'_>) -> Result<Shape> {
    let content;
    syn::parenthesized!(content in meta.input);
    let [read, write] = functions(&content, ["read", "write"])?;
    Ok(Shape::With { read, write })
}

/// Parses two functions by name, in this order.
fn functions(input: syn::parse::ParseStream<'_>, names: [&str; 2]) -> Result<[Expr; 2]> {
    let function = |name: &str| {
        let keyword: syn::Ident = input.parse()?;
        if keyword != name {
            return Err(Error::new(keyword.span(), format!("expected `{} = .., {} = ..`", names[0], names[1])));
        }
        input.parse::<Token![=]>()?;
        input.parse::<Expr>()
    };
    let first = function(names[0])?;
    input.parse::<Token![,]>()?;
    let second = function(names[1])?;
    input.parse::<Option<Token![,]>>()?;
    Ok([first, second])
}

/// Visits each item of the `#[param(..)]` attributes.
fn for_each_param(attributes: &[Attribute], mut visit: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    let param_attributes = attributes.iter().filter(|attribute| attribute.path().is_ident("param"));
    param_attributes.into_iter().try_for_each(|attribute| attribute.parse_nested_meta(|meta| visit(&meta)))
}

fn attribute_name(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.path.require_ident()?.to_string())
}

/// Returns the error of an attribute whose name is not in `allowed`.
fn unknown_attribute(meta: &ParseNestedMeta<'_>, allowed: &[&str]) -> Error {
    let allowed: Vec<String> = allowed.iter().map(|name| format!("`{name}`")).collect();
    let name = meta.path.get_ident().map_or_else(String::new, |name| format!("`{name}` "));
    Error::new_spanned(&meta.path, format!("{name}is not allowed here; allowed are {}", allowed.join(", ")))
}
