//! Formats the bodies of requests and responses.
//!
//! Invariants:
//! - The result is plain text with a bound on its length.
//! - Invisible characters, and those that change the text direction, are replaced.

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
    let text = String::from_utf8_lossy(bytes);
    if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_err() {
        return vec![Piece { text: plain(&text), is_name: false }];
    }
    let (mut pieces, mut run, mut depth) = (Vec::new(), String::new(), 0_usize);
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '"' => {
                length = string_end(rest);
                let is_name = rest[length..].trim_start().starts_with(':');
                if is_name {
                    pieces.push(Piece { text: plain(&std::mem::take(&mut run)), is_name: false });
                    pieces.push(Piece { text: plain(&rest[..length]), is_name });
                } else {
                    run.push_str(&rest[..length]);
                }
            }
            '{' | '[' => {
                run.push(c);
                let inner = rest[1..].trim_start();
                if inner.starts_with(['}', ']']) {
                    run.push_str(&inner[..1]);
                    length = rest.len() - inner.len() + 1;
                } else {
                    depth += 1;
                    break_line(&mut run, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut run, depth);
                run.push(c);
            }
            ',' => {
                run.push(c);
                break_line(&mut run, depth);
            }
            ':' => run.push_str(": "),
            c if c.is_whitespace() => {}
            c => run.push(c),
        }
        rest = &rest[length..];
    }
    pieces.push(Piece { text: plain(&run), is_name: false });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

fn break_line(run: &mut String, depth: usize) {
    run.push('\n');
    run.push_str(&"  ".repeat(depth));
}

/// The length of the string literal at the start of the text, with its quotes.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return at + 1,
            c => is_escaped = c == '\\' && !is_escaped,
        }
    }
    text.len()
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
