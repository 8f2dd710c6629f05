//! Compares the records after a run with those that the scenario expects.

use domain::Timestamp;
use serde_json::{Map, Value};

use super::play::Played;
use super::scenario::Expected;

/// The differences between the records and the expectations. The list is empty if the run passed.
pub(super) fn judge(expected: &Expected, played: &Played) -> Vec<String> {
    let mut found = Vec::new();
    let Expected { appointments, messages, outcome, said, never_said } = expected;
    found.extend(compared("active appointments", appointments.as_ref(), &played.appointments));
    found.extend(compared("messages", messages.as_ref(), &played.messages));
    if let Some(outcome) = outcome.as_ref().filter(|outcome| Some(*outcome) != played.outcome.as_ref()) {
        let got = played.outcome.as_deref().unwrap_or("none");
        found.push(format!("the outcome is {got}, not {outcome}"));
    }
    let missing = |pattern: &regex::Regex| !played.said.iter().any(|text| pattern.is_match(text));
    for pattern in said.iter().map(|it| &it.0).filter(|pattern| missing(pattern)) {
        found.push(format!("the receptionist never said {pattern}"));
    }
    for pattern in never_said.iter().map(|it| &it.0) {
        let text = played.said.iter().find(|text| pattern.is_match(text));
        found.extend(text.map(|text| format!("the receptionist said {pattern}: {text}")));
    }
    if !found.is_empty() {
        found.push(format!("it said: {}", played.said.join(" / ")));
    }
    found
}

/// Compares the records of one kind with the expected ones, in any order. Returns a text about the differences.
fn compared(what: &str, expected: Option<&Vec<Map<String, Value>>>, got: &[Value]) -> Option<String> {
    let expected = expected?;
    let mut left: Vec<&Value> = got.iter().collect();
    let mut missing = Vec::new();
    for one in expected {
        match left.iter().position(|record| has_all(record, one)) {
            Some(at) => _ = left.remove(at),
            None => missing.push(Value::Object(one.clone()).to_string()),
        }
    }
    if missing.is_empty() && left.is_empty() {
        return None;
    }
    let mut text = format!("{} {what} instead of {}", got.len(), expected.len());
    missing.iter().for_each(|one| text.push_str(&format!("\n  missing: {one}")));
    left.iter().for_each(|one| text.push_str(&format!("\n  not expected: {one}")));
    Some(text)
}

fn has_all(record: &Value, expected: &Map<String, Value>) -> bool {
    expected.iter().all(|(field, value)| is_same(record.get(field).unwrap_or(&Value::Null), value))
}

/// Whether a value is as expected. Texts of the same instant are equal, and an object may have additional
/// fields.
fn is_same(got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Object(_), Value::Object(expected)) => has_all(got, expected),
        (Value::String(one), Value::String(other)) if one != other => {
            matches!((Timestamp::parse(one), Timestamp::parse(other)), (Ok(one), Ok(other)) if one == other)
        }
        (got, expected) => got == expected,
    }
}
