//! Lines of an export can be read again, and invalid lines are refused.

use super::read::{Line, read};
use super::stream::{end, head, line};
use crate::english;

/// A line of each kind, written by the first release with the current version of the format.
const LINES: &str = include_str!("lines.jsonl");
/// The same records in the earlier versions of the format.
const EARLIER: [(u32, &str); 4] = [
    (2, include_str!("lines_2.jsonl")),
    (3, include_str!("lines_3.jsonl")),
    (4, include_str!("lines_4.jsonl")),
    (5, include_str!("lines_5.jsonl")),
];
/// The properties that each version added, newest version first. Lines of earlier versions lack these properties. The
/// values are the defaults that a record gets if its line lacks the property.
const ADDED: [(u32, &[&str]); 3] = [
    (
        5,
        &[
            r#","attendance":null"#,
            r#","notes":null,"snoozed_until":null"#,
            r#","handled_at":null"#,
            r#","category":null"#,
            r#","position":0,"color":null"#,
            r#","customer_word":"client","grid_minutes":15"#,
            r#","alert":null"#,
        ],
    ),
    (4, &[r#","customer_note":null,"booked_as":null"#]),
    (3, &[r#","notes":null"#]),
];

/// The optional properties that are never null, each with its default.
const DEFAULTS: [(&str, &str); 3] =
    [("position", "0"), ("customer_word", "\"client\""), ("grid_minutes", "15")];

#[test]
fn a_line_that_was_read_is_written_unchanged() {
    let mut kinds = Vec::new();
    for text in LINES.lines() {
        match read(text.as_bytes()).unwrap_or_else(|unread| panic!("{text}: {unread:?}")) {
            Line::Head { exported_at } => assert_eq!(head(exported_at), format!("{text}\n")),
            Line::Record(moved) => {
                kinds.push(moved.kind());
                assert_eq!(line(&moved), format!("{text}\n"));
            }
            Line::End { businesses } => assert_eq!(end(businesses), format!("{text}\n")),
        }
    }
    assert_eq!(kinds.len(), 19, "each kind must occur, and a disabled endpoint: {kinds:?}");
}

#[test]
fn a_file_of_an_earlier_version_is_read() {
    for (version, lines) in EARLIER {
        let added = || ADDED.iter().filter(|(later, _)| *later > version).flat_map(|(_, added)| *added);
        for text in lines.lines() {
            match read(text.as_bytes()).unwrap_or_else(|unread| panic!("{text}: {unread:?}")) {
                Line::Record(moved) => {
                    let written = added().fold(line(&moved), |line, new| line.replace(new, ""));
                    assert_eq!(written, format!("{text}\n"));
                }
                Line::Head { .. } | Line::End { .. } => {}
            }
        }
    }
}

#[test]
fn required_properties_must_be_present_and_unknown_ones_are_refused() {
    for text in LINES.lines() {
        let serde_json::Value::Object(whole) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        for name in whole.keys().filter(|name| *name != "kind") {
            let mut less = whole.clone();
            less.remove(name);
            let less = serde_json::to_vec(&less).unwrap();
            match read(&less) {
                Ok(Line::Record(moved)) => {
                    let default =
                        DEFAULTS.iter().find(|(of, _)| of == name).map_or("null", |(_, value)| value);
                    assert!(line(&moved).contains(&format!("\"{name}\":{default}")), "{name}");
                }
                Ok(other) => panic!("the line without {name} was accepted: {other:?}"),
                Err(unread) => assert!(unread.problems.iter().any(|problem| problem.path == *name)),
            }
        }
        let mut more = whole.clone();
        more.insert("colour".into(), "red".into());
        let unread = read(&serde_json::to_vec(&more).unwrap()).unwrap_err();
        assert_eq!(unread.problems[0].path, "colour");
    }
}

#[test]
fn every_problem_of_a_line_is_reported() {
    let told = |text: &str| {
        let unread = read(text.as_bytes()).unwrap_err();
        let said = unread
            .problems
            .iter()
            .map(|problem| format!("{}: {}", problem.path, english::problem(&problem.code)));
        (said.collect::<Vec<_>>(), unread.is_business)
    };
    let (said, _) = told(r#"{"kind":"contact","id":"x","phone":"555","email":"no","name":" "}"#);
    for path in ["id: ", "phone: ", "email: ", "name: ", "created_at: ", "updated_at: "] {
        assert!(said.iter().any(|said| said.starts_with(path)), "{path} {said:?}");
    }
    assert_eq!(told("{\"kind\":\"contact\",").0, [": is not valid JSON from column 18 on"]);
    assert_eq!(told("").0.len(), 1);
    assert_eq!(told("[]").0, [": must be an object"]);
    assert!(told("{\"kind\":\"cat\"}").0[0].starts_with("kind: must be one of business, retention, "));
    assert!(told("{\"kind\":\"business\"}").1 && !told("{\"kind\":\"staff\"}").1);
    let (said, _) =
        told(r#"{"format":"receptionist-export","version":1,"exported_at":"2026-03-02T09:00:00.000Z"}"#);
    assert_eq!(said, ["version: must be a whole number from 2 to 6"]);
}
