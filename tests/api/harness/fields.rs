//! The types that fields of resources can have, and a check of their values.

use serde_json::Value;

use super::answer::Answer;

/// The type of a field.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Uuid,
    OptUuid,
    Uuids,
    Texts,
    Text,
    OptText,
    Whole,
    Bool,
    Instant,
    OptInstant,
    OneOf(&'static [&'static str]),
    Hours,
    OptHours,
    Breaks,
    Windows,
    Scopes,
    Events,
    OptWhole,
    Wholes,
    Object(Shape),
    OptObject(Shape),
    Objects(Shape),
    Changes,
    Attempts,
}
use Kind::{
    Attempts, Bool, Breaks, Changes, Events, Hours, Instant, Object, Objects, OneOf, OptHours, OptInstant,
    OptObject, OptText, OptUuid, OptWhole, Scopes, Text, Texts, Uuid, Uuids, Whole, Wholes, Windows,
};

pub(super) type Shape = &'static [(&'static str, Kind)];

const HOURS: Shape = &[
    ("day", OneOf(&["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"])),
    ("open", Text),
    ("close", Text),
];

const ATTEMPT: Shape = &[("at", Instant), ("status", OptWhole), ("error", OptText), ("duration_ms", Whole)];
const WINDOW: Shape = &[("open", Text), ("close", Text)];
const BREAK: Shape = &[HOURS[0], ("from", Text), ("to", Text)];

/// Asserts that the resource has exactly the fields of this shape.
pub(super) fn check(value: &Value, shape: Shape, answer: &Answer) {
    let object = value.as_object().unwrap_or_else(|| panic!("not an object: {value} in {answer}"));
    for (name, kind) in shape {
        let field = object.get(*name).unwrap_or_else(|| panic!("{name} is missing in {answer}"));
        assert!(fits(field, *kind, answer), "{name} must not be {field} in {answer}");
    }
    assert_eq!(
        object.len(),
        shape.len(),
        "the resource has fields that are not in the specification: {answer}"
    );
}

fn fits(value: &Value, kind: Kind, answer: &Answer) -> bool {
    let list = |fits: &dyn Fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(fits));
    let text = value.as_str();
    match kind {
        OptUuid | OptText | OptInstant | OptWhole | OptHours if value.is_null() => true,
        Uuid | OptUuid => text.is_some_and(is_uuid_v7),
        Uuids => list(&|item| item.as_str().is_some_and(is_uuid_v7)),
        Texts => list(&|item| item.is_string()),
        Wholes => list(&|item| item.is_u64()),
        Text | OptText => text.is_some(),
        Whole | OptWhole => value.is_u64(),
        Bool => value.is_boolean(),
        Instant | OptInstant => text.is_some_and(is_instant),
        OneOf(words) => text.is_some_and(|text| words.contains(&text)),
        Events => list(&|item| item.as_str().is_some_and(|event| event.contains('.'))),
        Scopes => list(&|item| super::SCOPES.iter().any(|scope| item == scope)),
        Hours | OptHours => list(&|item| {
            check(item, HOURS, answer);
            true
        }),
        Breaks => list(&|item| {
            check(item, BREAK, answer);
            true
        }),
        Attempts => list(&|item| {
            check(item, ATTEMPT, answer);
            true
        }),
        Windows => list(&|item| {
            check(item, WINDOW, answer);
            true
        }),
        OptObject(_) if value.is_null() => true,
        Object(shape) | OptObject(shape) => {
            check(value, shape, answer);
            true
        }
        Objects(shape) => list(&|item| {
            check(item, shape, answer);
            true
        }),
        Changes => list(&|item| {
            let object = item.as_object().unwrap();
            object.len() == 3 && object["field"].is_string() && object["from"] != object["to"]
        }),
    }
}

fn is_uuid_v7(text: &str) -> bool {
    let parsed = uuid::Uuid::try_parse(text);
    parsed.is_ok_and(|id| id.get_version_num() == 7 && id.hyphenated().to_string() == text)
}

/// Whether the text has the form `2026-03-02T09:00:00.000Z`.
fn is_instant(text: &str) -> bool {
    text.len() == 24
        && text.bytes().zip("0000-00-00T00:00:00.000Z".bytes()).all(|(byte, model)| match model {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}
