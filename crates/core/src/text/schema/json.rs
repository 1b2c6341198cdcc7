//! The schema as JSON Schema, draft 2020-12.
//!
//! The JSON Schema combines two schemas: the keys that are allowed in every file, and the keys that are required in a
//! file without `parts`.

use super::super::set::PARTS;
use super::{Family, Form, Item, Member, Need, Schema, TableShape};
use serde_json::{Map, Value as Json, json};

impl Schema {
    /// Returns the schema as JSON Schema, draft 2020-12. Required keys are required only in a file without `parts`,
    /// because a part may define them.
    pub fn json_schema(&self) -> Json {
        let mut schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema" });
        if let (Json::Object(all), Json::Object(root)) = (&mut schema, self.root.allowed_schema()) {
            all.extend(root);
        }
        let doc = "Shipped parts that this file starts from, each laid over those before it";
        schema["properties"][PARTS] = with_description(Form::Parts.allowed_schema(), doc, &Need::Optional);
        if let Some(required) = self.root.required_schema() {
            schema["if"] = json!({ "not": { "required": [PARTS] } });
            schema["then"] = required;
        }
        schema
    }
}

impl TableShape {
    /// Returns the names of the required keys.
    fn required_keys(&self) -> Vec<&'static str> {
        let required_key = |item: &Item| match item {
            Item::Key { key, form, need, .. } => (*need == Need::Required && form.is_required()).then_some(*key),
            Item::Family(_) => None,
        };
        self.items.iter().filter_map(required_key).collect()
    }

    fn has_required_keys(&self) -> bool {
        let is_required_family = |item: &Item| matches!(item, Item::Family(family) if family.need == Need::Required);
        !self.required_keys().is_empty() || self.items.iter().any(is_required_family)
    }

    /// Returns the schema of the allowed values.
    fn allowed_schema(&self) -> Json {
        let mut properties = Map::new();
        for item in &self.items {
            match item {
                Item::Key { key, doc, form, need } => {
                    properties.insert((*key).to_string(), with_description(form.allowed_schema(), doc, need));
                }
                Item::Family(family) => properties.extend(family.properties()),
            }
        }
        for (old, new) in &self.renamed_keys {
            if let Some(mut schema) = properties.get(*new).cloned() {
                schema["description"] = json!(format!("Renamed to `{new}`"));
                schema["deprecated"] = json!(true);
                properties.insert((*old).to_string(), schema);
            }
        }
        let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let conflicts: Vec<Json> = self.families().flat_map(Family::conflict_schemas).collect();
        if !conflicts.is_empty() {
            schema["not"] = json!({ "anyOf": conflicts });
        }
        schema
    }

    fn families(&self) -> impl Iterator<Item = &Family> {
        self.items.iter().filter_map(|item| match item {
            Item::Family(family) => Some(family),
            Item::Key { .. } => None,
        })
    }

    /// Returns the schema of the required keys, if there are any.
    fn required_schema(&self) -> Option<Json> {
        let mut properties = Map::new();
        for item in &self.items {
            match item {
                Item::Key { key, form, .. } => {
                    properties.extend(form.required_schema().map(|required| ((*key).to_string(), required)));
                }
                Item::Family(family) => properties.extend(family.required_schemas()),
            }
        }
        let required_families: Vec<Json> =
            self.families().filter(|family| family.need == Need::Required).map(Family::any_member_schema).collect();
        let mut schema = Map::new();
        for (key, value) in [
            ("required", json!(self.required_keys())),
            ("properties", properties.into()),
            ("allOf", required_families.into()),
        ] {
            let is_empty = value.as_array().map(Vec::is_empty).or(value.as_object().map(Map::is_empty));
            if is_empty == Some(false) {
                schema.insert(key.to_string(), value);
            }
        }
        (!schema.is_empty()).then_some(schema.into())
    }
}

impl Family {
    fn properties(&self) -> Map<String, Json> {
        let property = |member: &Member| {
            (member.name.to_string(), with_description(member.shape.allowed_schema(), member.doc, &Need::Optional))
        };
        self.members.iter().map(property).collect()
    }

    /// Returns a schema for every pair of members, since at most one of the two may be defined.
    fn conflict_schemas(&self) -> Vec<Json> {
        let mut schemas = Vec::new();
        for (index, a) in self.members.iter().enumerate() {
            schemas.extend(self.members[index + 1..].iter().map(|b| json!({ "required": [a.name, b.name] })));
        }
        schemas
    }

    fn any_member_schema(&self) -> Json {
        let members: Vec<Json> = self.members.iter().map(|member| json!({ "required": [member.name] })).collect();
        json!({ "anyOf": members })
    }

    fn required_schemas(&self) -> Map<String, Json> {
        let schema_of = |member: &Member| Some((member.name.to_string(), member.shape.required_schema()?));
        self.members.iter().filter_map(schema_of).collect()
    }
}

impl Form {
    /// Returns whether the table is required. A table whose keys all have defaults is not.
    fn is_required(&self) -> bool {
        match self {
            Form::Table(shape) => shape.has_required_keys(),
            _ => true,
        }
    }

    fn allowed_schema(&self) -> Json {
        match self {
            Form::Value(_, schema, _) => schema.clone(),
            Form::Table(shape) => shape.allowed_schema(),
            Form::Map(shape) => json!({ "type": "object", "additionalProperties": shape.allowed_schema() }),
            Form::List(shape) => json!({ "type": "array", "items": shape.allowed_schema() }),
            Form::OneOf(family, siblings) => {
                let items = siblings.items.iter().cloned().chain([Item::Family(family.clone())]).collect();
                let members = TableShape { items, ..TableShape::default() }.allowed_schema();
                json!({ "anyOf": [{ "type": "string", "enum": family.names() }, members] })
            }
            Form::Like(key) => json!({ "allOf": [{ "$ref": format!("#/properties/{key}") }] }),
            Form::Parts => {
                let name = json!({ "type": "string" });
                json!({ "anyOf": [name, { "type": "array", "items": name }] })
            }
        }
    }

    fn required_schema(&self) -> Option<Json> {
        match self {
            Form::Value(..) | Form::Like(_) | Form::Parts => None,
            Form::Table(shape) => shape.required_schema(),
            Form::Map(shape) => shape.required_schema().map(|required| json!({ "additionalProperties": required })),
            Form::List(shape) => shape.required_schema().map(|required| json!({ "items": required })),
            Form::OneOf(family, _) => Some(json!({ "minProperties": 1, "properties": family.required_schemas() })),
        }
    }
}

fn with_description(mut schema: Json, doc: &str, need: &Need) -> Json {
    schema["description"] = json!(doc);
    if let Need::Default(_, value) = need {
        schema["default"] = value.clone();
    }
    schema
}
