//! What a description may hold, as data: for editors (JSON Schema) and for listings.
//!
//! It is collected by running the reader itself, so it cannot disagree with it.

use serde_json::{Map, Value as Json, json};

/// Whether a key must stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// It must.
    Required,
    /// It may be left out, and then there is none.
    Optional,
    /// It may be left out, and then it is this (as text, and as JSON).
    Default(String, Json),
}

/// The keys of a table.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// In reading order.
    pub items: Vec<Item>,
}

/// One thing a table holds.
#[derive(Clone, Debug)]
pub enum Item {
    /// One key.
    Key {
        /// Its name.
        key: &'static str,
        /// What it means.
        doc: &'static str,
        /// What its value is.
        form: Form,
        /// Whether it must stand.
        need: Need,
    },
    /// Several keys of which one stands.
    Family(Family),
}

/// Tables of which one stands.
#[derive(Clone, Debug)]
pub struct Family {
    /// What is chosen.
    pub doc: &'static str,
    /// The tables.
    pub members: Vec<Member>,
    /// Whether one must stand.
    pub need: Need,
}

/// One table of a family.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its key.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// What it holds.
    pub shape: Shape,
}

/// What the value of a key is.
#[derive(Clone, Debug)]
pub enum Form {
    /// A value of the kind named, with its JSON Schema.
    Value(String, Json),
    /// A table.
    Table(Shape),
    /// A table of tables under names of the user's choice.
    Map(Shape),
    /// A list of tables.
    List(Shape),
    /// A table of which one key stands, or that key's name as a word.
    OneOf(Family),
}

/// What a whole description may hold.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The keys at the top.
    pub root: Shape,
}

/// One line of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The key with all keys above it.
    pub path: String,
    /// What its value is.
    pub kind: String,
    /// Whether it must stand.
    pub need: Need,
    /// What it means.
    pub doc: &'static str,
}

impl Shape {
    /// All keys that may stand.
    pub fn keys(&self) -> Vec<&'static str> {
        let keys = |item: &Item| match item {
            Item::Key { key, .. } => vec![*key],
            Item::Family(family) => family.members.iter().map(|member| member.name).collect(),
        };
        self.items.iter().flat_map(keys).collect()
    }

    /// The names of required keys.
    fn required(&self) -> Vec<&'static str> {
        let must = |item: &Item| match item {
            Item::Key { key, form, need, .. } => (*need == Need::Required && form.must_stand()).then_some(*key),
            Item::Family(_) => None,
        };
        self.items.iter().filter_map(must).collect()
    }

    fn needs_something(&self) -> bool {
        let needed_family = |item: &Item| matches!(item, Item::Family(family) if family.need == Need::Required);
        !self.required().is_empty() || self.items.iter().any(needed_family)
    }

    /// What may stand here.
    fn allowed(&self) -> Json {
        let mut properties = Map::new();
        for item in &self.items {
            match item {
                Item::Key { key, doc, form, need } => {
                    properties.insert((*key).to_string(), described(form.allowed(), doc, need));
                }
                Item::Family(family) => properties.extend(family.properties()),
            }
        }
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let clashes: Vec<Json> = self.families().flat_map(Family::clashes).collect();
        if !clashes.is_empty() {
            schema["not"] = json!({ "anyOf": clashes });
        }
        schema
    }

    fn families(&self) -> impl Iterator<Item = &Family> {
        self.items.iter().filter_map(|item| match item {
            Item::Family(family) => Some(family),
            Item::Key { .. } => None,
        })
    }

    /// What must stand here, if anything.
    fn demanded(&self) -> Option<Json> {
        let mut properties = Map::new();
        for item in &self.items {
            match item {
                Item::Key { key, form, .. } => {
                    properties.extend(form.demanded().map(|inner| ((*key).to_string(), inner)));
                }
                Item::Family(family) => properties.extend(family.demands()),
            }
        }
        let one_each: Vec<Json> =
            self.families().filter(|family| family.need == Need::Required).map(Family::any).collect();
        let mut schema = Map::new();
        for (key, value) in [("required", json!(self.required())), ("properties", properties.into()), ("allOf", one_each.into())] {
            let empty = value.as_array().map(Vec::is_empty).or(value.as_object().map(Map::is_empty));
            if empty == Some(false) {
                schema.insert(key.to_string(), value);
            }
        }
        (!schema.is_empty()).then_some(schema.into())
    }

    fn list(&self, above: &str, lines: &mut Vec<Line>) {
        for item in &self.items {
            match item {
                Item::Key { key, doc, form, need } => {
                    let path = join(above, key);
                    lines.push(Line { path: path.clone(), kind: form.name(), need: need.clone(), doc });
                    form.list(&path, lines);
                }
                Item::Family(family) => family.list(above, lines),
            }
        }
    }
}

fn join(above: &str, key: &str) -> String {
    if above.is_empty() { key.to_string() } else { format!("{above}.{key}") }
}

fn described(mut schema: Json, doc: &str, need: &Need) -> Json {
    schema["description"] = json!(doc);
    if let Need::Default(_, value) = need {
        schema["default"] = value.clone();
    }
    schema
}

impl Family {
    fn properties(&self) -> Map<String, Json> {
        let property = |member: &Member| {
            (member.name.to_string(), described(member.shape.allowed(), member.doc, &Need::Optional))
        };
        self.members.iter().map(property).collect()
    }

    /// Every pair of members, which may not stand together.
    fn clashes(&self) -> Vec<Json> {
        let mut pairs = Vec::new();
        for (at, a) in self.members.iter().enumerate() {
            pairs.extend(self.members[at + 1..].iter().map(|b| json!({ "required": [a.name, b.name] })));
        }
        pairs
    }

    fn any(&self) -> Json {
        let each: Vec<Json> = self.members.iter().map(|member| json!({ "required": [member.name] })).collect();
        json!({ "anyOf": each })
    }

    fn demands(&self) -> Map<String, Json> {
        let demand = |member: &Member| Some((member.name.to_string(), member.shape.demanded()?));
        self.members.iter().filter_map(demand).collect()
    }

    fn list(&self, above: &str, lines: &mut Vec<Line>) {
        for member in &self.members {
            let path = join(above, member.name);
            lines.push(Line { path: path.clone(), kind: "one of these".into(), need: self.need.clone(), doc: member.doc });
            member.shape.list(&path, lines);
        }
    }

    fn names(&self) -> Vec<&'static str> {
        self.members.iter().map(|member| member.name).collect()
    }
}

impl Form {
    fn name(&self) -> String {
        match self {
            Form::Value(name, _) => name.clone(),
            Form::Table(_) => "table".to_string(),
            Form::Map(_) => "named tables".to_string(),
            Form::List(_) => "list of tables".to_string(),
            Form::OneOf(family) => format!("one of {}", family.names().join(" | ")),
        }
    }

    /// A table whose keys all have defaults need not stand itself.
    fn must_stand(&self) -> bool {
        match self {
            Form::Table(shape) => shape.needs_something(),
            _ => true,
        }
    }

    fn allowed(&self) -> Json {
        match self {
            Form::Value(_, schema) => schema.clone(),
            Form::Table(shape) => shape.allowed(),
            Form::Map(shape) => json!({ "type": "object", "additionalProperties": shape.allowed() }),
            Form::List(shape) => json!({ "type": "array", "items": shape.allowed() }),
            Form::OneOf(family) => json!({ "anyOf": [
                { "type": "string", "enum": family.names() },
                { "type": "object", "properties": family.properties(), "additionalProperties": false, "maxProperties": 1 },
            ] }),
        }
    }

    fn demanded(&self) -> Option<Json> {
        match self {
            Form::Value(..) => None,
            Form::Table(shape) => shape.demanded(),
            Form::Map(shape) => shape.demanded().map(|inner| json!({ "additionalProperties": inner })),
            Form::List(shape) => shape.demanded().map(|inner| json!({ "items": inner })),
            Form::OneOf(family) => Some(json!({ "minProperties": 1, "properties": family.demands() })),
        }
    }

    fn list(&self, path: &str, lines: &mut Vec<Line>) {
        match self {
            Form::Value(..) => {}
            Form::Table(shape) => shape.list(path, lines),
            Form::Map(shape) => shape.list(&join(path, "NAME"), lines),
            Form::List(shape) => shape.list(&join(path, "INDEX"), lines),
            Form::OneOf(family) => family.list(path, lines),
        }
    }
}

impl Schema {
    /// JSON Schema, draft 2020-12. Keys are demanded only of a file without `parts`, since
    /// parts may bring them.
    pub fn json_schema(&self) -> Json {
        let mut schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema" });
        if let (Json::Object(all), Json::Object(root)) = (&mut schema, self.root.allowed()) {
            all.extend(root);
        }
        let name = json!({ "type": "string" });
        schema["properties"][super::load::PARTS] = json!({
            "description": "Shipped parts that this file starts from, each laid over those before it",
            "anyOf": [name, { "type": "array", "items": name }],
        });
        if let Some(demanded) = self.root.demanded() {
            schema["if"] = json!({ "not": { "required": [super::load::PARTS] } });
            schema["then"] = demanded;
        }
        schema
    }

    /// All keys with their kinds, defaults and meanings, in reading order.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        self.root.list("", &mut lines);
        lines
    }

    /// The lines as plain text.
    pub fn listing(&self) -> String {
        let line = |line: &Line| {
            let need = match &line.need {
                Need::Required => "required".to_string(),
                Need::Optional => "optional".to_string(),
                Need::Default(text, _) => format!("default {text}"),
            };
            format!("{}  ({}; {need})\n    {}\n", line.path, line.kind, line.doc)
        };
        self.lines().iter().map(line).collect()
    }
}
