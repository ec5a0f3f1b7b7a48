//! Documents against their JSON Schemas: the keywords that Postbop's schemas use, and no others.
//!
//! Closed: where a schema names the properties of an object, and says nothing of others, there are none. So a
//! field that nobody has described is found.

use serde_json::{Map, Value};

/// Keywords that say nothing about what is valid.
const WORDS: [&str; 6] = ["$schema", "$defs", "title", "description", "format", "default"];

/// What is wrong with a document, one line each: the place, and why.
///
/// # Panics
/// If the schema uses a keyword that is not known here.
///
/// ```
/// use serde_json::json;
/// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
/// assert!(testkit::violations(&schema, &json!({"n": 1})).is_empty());
/// assert_eq!(testkit::violations(&schema, &json!({"n": true})), ["/n: expected integer"]);
/// assert_eq!(testkit::violations(&schema, &json!({"m": 1})).len(), 2);
/// ```
pub fn violations(schema: &Value, document: &Value) -> Vec<String> {
    let mut out = Vec::new();
    Checker { root: schema }.value(schema, document, "", &mut out);
    out
}

struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    fn value(&self, schema: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
        let keywords = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return out.push(format!("{at}: there is no such field")),
            Value::Object(keywords) => keywords,
            other => panic!("{at}: no schema: {other}"),
        };
        for (keyword, wanted) in keywords {
            match keyword.as_str() {
                word if WORDS.contains(&word) => {}
                "$ref" => self.value(self.named(wanted), value, at, out),
                "type" => {
                    let one = [wanted.clone()];
                    let types = wanted.as_array().map_or(&one[..], |list| list);
                    if !types.iter().any(|t| is(value, t.as_str().expect("a type is a text"))) {
                        let types: Vec<&str> = types.iter().filter_map(Value::as_str).collect();
                        out.push(format!("{at}: expected {}", types.join(" or ")));
                    }
                }
                "const" if value != wanted => out.push(format!("{at}: expected {wanted}")),
                "enum" if !wanted.as_array().expect("a list").contains(value) => {
                    out.push(format!("{at}: expected one of {wanted}"));
                }
                "const" | "enum" => {}
                "minimum" | "maximum" => {
                    let (limit, number) = (wanted.as_f64().expect("a number"), value.as_f64());
                    let less = keyword == "minimum";
                    if number.is_some_and(|n| if less { n < limit } else { n > limit }) {
                        out.push(format!("{at}: {keyword} {wanted}"));
                    }
                }
                "minItems" | "maxItems" => {
                    let limit = wanted.as_u64().expect("a number") as usize;
                    let less = keyword == "minItems";
                    let n = value.as_array().map(Vec::len);
                    if n.is_some_and(|n| if less { n < limit } else { n > limit }) {
                        out.push(format!("{at}: {keyword} {wanted}"));
                    }
                }
                "anyOf" | "oneOf" => self.alternatives(keyword, wanted, value, at, out),
                // All three, and both, are looked at together.
                "properties" | "required" | "additionalProperties" | "items" | "prefixItems" => {}
                other => panic!("the keyword `{other}` is not known"),
            }
        }
        if let Value::Object(fields) = value {
            self.fields(keywords, fields, at, out);
        }
        if let Value::Array(items) = value {
            let none = Vec::new();
            let first =
                keywords.get("prefixItems").map_or(&none, |l| l.as_array().expect("a list"));
            for (i, item) in items.iter().enumerate() {
                if let Some(schema) = first.get(i).or(keywords.get("items")) {
                    self.value(schema, item, &format!("{at}/{i}"), out);
                }
            }
        }
    }

    fn named(&self, name: &Value) -> &Value {
        let name = name.as_str().and_then(|n| n.strip_prefix('#')).expect("a place in the schema");
        self.root.pointer(name).unwrap_or_else(|| panic!("there is no {name}"))
    }

    fn alternatives(
        &self,
        keyword: &str,
        wanted: &Value,
        value: &Value,
        at: &str,
        out: &mut Vec<String>,
    ) {
        let tried = wanted.as_array().expect("a list").iter().map(|schema| {
            let mut wrong = Vec::new();
            self.value(schema, value, at, &mut wrong);
            wrong
        });
        let tried: Vec<Vec<String>> = tried.collect();
        match (tried.iter().filter(|wrong| wrong.is_empty()).count(), keyword) {
            (0, _) => {
                // The one that fits best.
                let best = tried.into_iter().min_by_key(Vec::len).unwrap_or_default();
                out.push(format!("{at}: no alternative fits"));
                out.extend(best);
            }
            (2.., "oneOf") => out.push(format!("{at}: several alternatives fit")),
            _ => {}
        }
    }

    fn fields(
        &self,
        keywords: &Map<String, Value>,
        fields: &Map<String, Value>,
        at: &str,
        out: &mut Vec<String>,
    ) {
        let required = keywords.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                out.push(format!("{at}: there is no `{name}`"));
            }
        }
        let properties = keywords.get("properties").and_then(Value::as_object);
        let closed = Value::Bool(properties.is_none());
        let others = keywords.get("additionalProperties").unwrap_or(&closed);
        for (name, value) in fields {
            let schema = properties.and_then(|p| p.get(name)).unwrap_or(others);
            self.value(schema, value, &format!("{at}/{name}"), out);
        }
    }
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type `{other}`"),
    }
}
