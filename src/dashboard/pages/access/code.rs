//! Formats the bodies of requests and responses.
//!
//! Invariants:
//! - The result is plain text with a bound on its length.
//! - Invisible characters, and those that change the text direction, are replaced.

use crate::http::json::Json;
use crate::words::is_hidden;

/// The maximum number of characters of a body. The service sends no longer body.
pub(super) const CHARS_MAX: usize = 64 * 1024;
const HIDDEN: char = '\u{fffd}';

/// A piece of code, and whether it is the name of a property.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) is_name: bool,
}

/// A text with replaced invisible characters, up to the maximum length.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut seen = text.chars().map(|c| if is_hidden(c) && !matches!(c, '\n' | '\t') { HIDDEN } else { c });
    let mut all: String = seen.by_ref().take(CHARS_MAX).collect();
    if seen.next().is_some() {
        all.push('…');
    }
    all
}

/// JSON with one value per line. Other text stays unchanged.
pub(super) fn json(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    match Json::parse(bytes) {
        Ok(value) => lay_out(&mut pieces, &value, "\n"),
        Err(_) => add(&mut pieces, &String::from_utf8_lossy(bytes)),
    }
    pieces.iter_mut().for_each(|piece| piece.text = plain(&piece.text));
    pieces
}

/// Adds a value. `line` is a line break with the indentation of the value.
fn lay_out(pieces: &mut Vec<Piece>, value: &Json, line: &str) {
    let inner = format!("{line}  ");
    match value {
        Json::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                add(pieces, &format!("{}{inner}", if at == 0 { "[" } else { "," }));
                lay_out(pieces, item, &inner);
            }
            add(pieces, &format!("{line}]"));
        }
        Json::Object(properties) if !properties.is_empty() => {
            for (at, (name, value)) in properties.iter().enumerate() {
                add(pieces, &format!("{}{inner}", if at == 0 { "{" } else { "," }));
                let text = serde_json::Value::from(name.as_str()).to_string();
                pieces.push(Piece { text, is_name: true });
                add(pieces, ": ");
                lay_out(pieces, value, &inner);
            }
            add(pieces, &format!("{line}}}"));
        }
        Json::Array(_) => add(pieces, "[]"),
        Json::Object(_) => add(pieces, "{}"),
        Json::Null => add(pieces, "null"),
        Json::Bool(is) => add(pieces, &is.to_string()),
        Json::Integer(number) => add(pieces, &number.to_string()),
        Json::Float(number) => add(pieces, &serde_json::Value::from(*number).to_string()),
        Json::String(text) => add(pieces, &serde_json::Value::from(text.as_str()).to_string()),
    }
}

fn add(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(piece) if !piece.is_name => piece.text.push_str(text),
        _ => pieces.push(Piece { text: text.to_owned(), is_name: false }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(text: &str) -> String {
        json(text.as_bytes()).iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn json_stands_a_value_to_a_line() {
        for (text, expected) in [
            (
                r#"{"a":1,"b":[true,null],"c":{}}"#,
                "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {}\n}",
            ),
            (r#"{"q\"{,:":"\\","x":"[1,2]"}"#, "{\n  \"q\\\"{,:\": \"\\\\\",\n  \"x\": \"[1,2]\"\n}"),
            (r#"[]"#, "[]"),
            (r#""é""#, "\"é\""),
            ("no json {", "no json {"),
            ("", ""),
        ] {
            assert_eq!(laid_out(text), expected, "{text}");
        }
        let names: Vec<_> = json(br#"{"a":{"b":"c"}}"#).into_iter().filter(|piece| piece.is_name).collect();
        assert_eq!(names.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), ["\"a\"", "\"b\""]);
    }

    #[test]
    fn what_would_hide_is_seen_and_what_is_too_long_is_cut() {
        assert_eq!(plain("a\u{202e}b\0c\r\n\td"), "a\u{fffd}b\u{fffd}c\n\td");
        assert_eq!(laid_out("{\"a\":\"\u{2066}\"}"), "{\n  \"a\": \"\u{fffd}\"\n}");
        assert_eq!(plain(&"é".repeat(CHARS_MAX)).chars().count(), CHARS_MAX);
        assert!(plain(&"é".repeat(CHARS_MAX + 1)).ends_with("é…"));
    }
}
