//! The bounds of tool results.
//!
//! Invariant: the text and the structured content of a result have together less than [`ANSWER_CHARS_MAX`]
//! characters of JSON, whatever texts the records contain.

use std::fmt::Write as _;
use std::io;

use serde_json::Value;

/// The text and the structured content of a result together, in characters of JSON.
pub(super) const ANSWER_CHARS_MAX: usize = 100_000;

/// The part of the bound for the rest of the message.
const ENVELOPE_CHARS: usize = 1_000;

/// The shown characters of a text.
pub(super) const TEXT_CHARS_MAX: usize = 2_000;

/// The shown characters of each text of a single call.
pub(super) const CALL_TEXT_CHARS_MAX: usize = 8_000;

const NAME_CHARS_MAX: usize = 100;

pub(super) const PAGE_ITEMS: usize = 20;

/// Cuts a long text. The end says how many characters are missing and which tool shows them.
pub(super) fn cut(text: String, max: usize, whole: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(max) else { return text };
    let left_out = text[end..].chars().count();
    format!("{} … [{left_out} more characters; {whole}]", &text[..end])
}

/// The text of a result: JSON on one line without line breaks of any kind and without invisible characters.
pub(super) fn text_of(answer: &Value) -> String {
    let json = answer.to_string();
    if !json.contains(is_escaped) {
        return json;
    }
    // These characters occur only within strings, where JSON permits an escape.
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_escaped(c) {
            let _ = c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(text, "\\u{unit:04x}"));
        } else {
            text.push(c);
        }
    }
    text
}

/// Whether the text escapes the character although JSON does not require it.
fn is_escaped(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') || is_unseen(c)
}

/// The characters of a result: once as structured content, once as JSON text within a string.
pub(super) fn chars_of(answer: &Value) -> usize {
    let mut chars = Chars::default();
    // Serializing a value and counting cannot fail.
    let _ = serde_json::to_writer(&mut chars, answer);
    chars.structured + chars.text + 2
}

#[derive(Default)]
struct Chars {
    structured: usize,
    text: usize,
}

impl io::Write for Chars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for c in str::from_utf8(bytes).map_err(io::Error::other)?.chars() {
            self.structured += 1;
            self.text += match c {
                '"' | '\\' => 2,
                c if is_escaped(c) => "\\\\u0085".len() * c.len_utf16(),
                _ => 1,
            };
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn fits(answer: &Value) -> bool {
    chars_of(answer) < ANSWER_CHARS_MAX - ENVELOPE_CHARS
}

/// How many of the items fit into one result. At least one.
pub(super) fn fitting(items: &[Value]) -> usize {
    let mut chars = 0;
    let fits = |item: &&Value| {
        chars += chars_of(item) + 2;
        chars < ANSWER_CHARS_MAX - 4 * ENVELOPE_CHARS
    };
    items.iter().take_while(fits).count().max(1)
}

/// Joins a text into one line without direction marks. Texts of customers cannot start a line of their own.
pub(super) fn one_line(text: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(is_unseen, "").replace(is_break, " ")
}

/// Whether a character is invisible: direction marks, characters without width, and the tags of U+E0000,
/// which only a model would read.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Quotes the beginning of an external text. The text cannot end the quotes.
pub(super) fn quoted(text: &str, max: usize) -> String {
    let kept: String = one_line(text).trim().chars().take(max).collect();
    format!("\"{}\"", kept.replace('"', "'"))
}

/// Quotes a name in a refusal.
pub(super) fn quoted_name(name: &str) -> String {
    quoted(name, NAME_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(cut("é".repeat(5), 5, "there"), "ééééé");
        assert_eq!(cut("é".repeat(7), 5, "there"), "ééééé … [2 more characters; there]");
    }

    #[test]
    fn a_text_has_one_line() {
        let text = text_of(&json!({"a": "1\n2\r3\u{b}4\u{c}5\u{85}6\u{2028}7\u{2029}8"}));
        assert!(!text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')), "{text}");
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["a"], "1\n2\r3\u{b}4\u{c}5\u{85}6\u{2028}7\u{2029}8");
        let hidden = json!({"name": "a\u{200b}\u{e0041}"});
        assert_eq!(text_of(&hidden), r#"{"name":"a\u200b\udb40\udc41"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text_of(&hidden)).unwrap(), hidden);
        assert_eq!(one_line("a\nb\u{2028}c\u{85}d"), "a b c d");
        assert_eq!(one_line("a\u{202e}b\u{2066}c\u{200f}d"), "abcd");
        assert_eq!(one_line("a\u{200b}b\u{feff}c\u{2060}\u{e0041}d\u{e007f}"), "abcd");
        assert_eq!(quoted(" Eve\" \n\u{202e}x", 7), "\"Eve'  x\"");
        assert_eq!(quoted("Zoé", 2), "\"Zo\"");
    }

    #[test]
    fn characters_are_counted_as_they_are_sent() {
        for text in ["", "Zoé \"x\" \\ \u{1}", "a\u{85}b\u{2028}c\u{2029}\u{202e}", "\n\t𝄞\u{200b}\u{e0041}"]
        {
            let answer = json!({"a": [text, 1.5, null, true], text: {}});
            let sent = Value::String(text_of(&answer)).to_string();
            let chars = answer.to_string().chars().count() + sent.chars().count();
            assert_eq!(chars_of(&answer), chars, "{text:?}");
        }
    }

    #[test]
    fn as_many_items_are_taken_as_fit() {
        let item = |chars: usize| json!("x".repeat(chars));
        assert_eq!(fitting(&[item(10), item(10)]), 2);
        assert_eq!(fitting(&vec![item(10_000); 20]), 4);
        assert_eq!(fitting(&[item(200_000)]), 1);
        // Escapes count as they are sent.
        assert_eq!(fitting(&vec![json!("\"".repeat(10_000)); 20]), 1);
    }
}
