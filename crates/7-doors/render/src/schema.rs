//! The JSON Schemas of all documents, made from the structs that are written.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value as Json;
use std::borrow::Cow;

/// The schema of each document: the document's name, and the text.
///
/// ```
/// let report = &render::schemas()[0];
/// assert_eq!(report.0, "report");
/// assert!(report.1.contains("\"postbop.report/1\""));
/// ```
pub fn schemas() -> Vec<(&'static str, String)> {
    vec![
        ("report", of::<crate::json::Document<'static>>()),
        ("proof", of::<crate::proof::Document>()),
        ("states", of::<crate::states::Document<'static>>()),
        ("stacks", of::<crate::stacks::Document<'static>>()),
        ("facts", of::<crate::facts::Document<'static>>()),
        ("influence", of::<crate::InfluencePage<'static>>()),
        ("error", of::<crate::ErrorPage>()),
        ("task", of::<crate::TaskPage>()),
        ("solution", of::<crate::SolutionPage<'static>>()),
    ]
}

/// What is written, not what is read: a field that is always there is required.
fn of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(never_null));
    let schema = settings.into_generator().into_root_schema_for::<T>();
    // Nothing in it can fail: keys are strings, and the writer is one.
    let mut out = serde_json::to_string_pretty(&schema).unwrap_or_default();
    out.push('\n');
    out
}

/// A field that may be absent is never null.
fn never_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    let required = object.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
    let Some(Json::Object(properties)) = object.get_mut("properties") else { return };
    for (name, property) in properties.iter_mut() {
        if required.iter().any(|r| r == name) {
            continue;
        }
        let Json::Object(property) = property else { continue };
        if let Some(Json::Array(types)) = property.get_mut("type") {
            types.retain(|t| t != "null");
            if let [one] = &types[..] {
                let one = one.clone();
                property["type"] = one;
            }
        }
        if let Some(Json::Array(choices)) = property.get_mut("anyOf") {
            choices.retain(|c| c.get("type").is_none_or(|t| t != "null"));
            if let [Json::Object(one)] = &choices[..] {
                let one = one.clone();
                property.remove("anyOf");
                property.extend(one);
            }
        }
    }
}

/// The words that [`check::StopReason::code`] has, and will have.
const STOP_WORDS: [&str; 9] = [
    "time",
    "memory",
    "steps",
    "cancelled",
    "unsupported",
    "incomplete",
    "internal",
    "bound",
    "approximate",
];

impl JsonSchema for crate::parts::Stop {
    fn schema_name() -> Cow<'static, str> {
        "Stop".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Why there is no answer.",
            "type": "string",
            "enum": STOP_WORDS,
        })
    }
}
