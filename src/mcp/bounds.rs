//! The JSON of tool results, without null properties, and the limits on its length.
//!
//! Invariant: the text and the structured content of a result together have fewer than [`ANSWER_CHARS_MAX`] characters
//! of JSON. A page has at most [`PAGE_ITEMS`] items, or fewer if the items have long texts. It contains
//! `search_incomplete` if the search stopped before the page was full, although later records may match.

use std::fmt::Write as _;

use engine::EngineError;
use engine::business::{Page, PageRequest};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::refused::Refused;
use super::tool_call::ToolCall;
use crate::http::cursor::CursorText;
use crate::rest::error::ApiError;
use crate::rest::through::{Through, read_through};

/// The maximum length of the text and the structured content of a result together, in characters of JSON.
pub(super) const ANSWER_CHARS_MAX: usize = 100_000;

const ENVELOPE_CHARS: usize = 1_000;

pub(super) const TEXT_CHARS_MAX: usize = 2_000;

/// The maximum number of characters of each text in the result of `get_call`.
pub(super) const CALL_TEXT_CHARS_MAX: usize = 8_000;

const NAME_CHARS_MAX: usize = 100;

const PAGE_ITEMS: usize = 20;

/// Cuts a long text. Appends the number of missing characters and `whole`, a hint about how to read the whole text.
pub(super) fn cut(text: String, max: usize, whole: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(max) else { return text };
    let left_out = text[end..].chars().count();
    format!("{} … [{left_out} more characters; {whole}]", &text[..end])
}

/// The text of a result: JSON on one line without line breaks of any kind and without invisible characters.
pub(super) fn text_of(answer: &Value) -> String {
    let json = answer.to_string();
    // The escaped characters occur only within strings, where JSON permits escapes.
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

/// Whether [`text_of`] escapes this character, although JSON does not require it.
fn is_escaped(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') || is_unseen(c)
}

/// The number of characters of a result. A response contains the result twice: as structured content and as a JSON
/// string.
fn chars_of(answer: &Value) -> usize {
    let text = Value::String(text_of(answer)).to_string();
    answer.to_string().chars().count() + text.chars().count()
}

/// The JSON of a result. Fails if it is too long.
pub(super) fn answer<V: Serialize>(result: &V) -> Result<Value, Refused> {
    let value = shown(result)?;
    // Each tool limits its result, so a result that is still too long is an internal error.
    if chars_of(&value) < ANSWER_CHARS_MAX - ENVELOPE_CHARS {
        Ok(value)
    } else {
        Err(Refused::Fault(ApiError::internal("the result of a tool is longer than its limit")))
    }
}

fn shown<V: Serialize>(result: &V) -> Result<Value, Refused> {
    let mut value = serde_json::to_value(result).map_err(ApiError::internal)?;
    without_nulls(&mut value);
    Ok(value)
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(properties) => {
            properties.retain(|_, value| !value.is_null());
            properties.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// The text of a value that may be absent.
pub(super) fn text<V: ToString>(value: Option<&V>) -> Option<String> {
    value.map(ToString::to_string)
}

/// The number of items at the beginning of `items` that fit into one result. It is at least 1.
fn fitting(items: &[Value]) -> usize {
    let mut chars = 0;
    let fits = |item: &&Value| {
        chars += chars_of(item) + 2;
        chars < ANSWER_CHARS_MAX - 4 * ENVELOPE_CHARS
    };
    items.iter().take_while(fits).count().max(1)
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Paging {
    pub(super) next_cursor: Option<String>,
    /// True if the scans ended early. Records that were not scanned may then match.
    search_incomplete: Option<bool>,
}

pub(super) async fn page<T, V, Fut>(
    asking: &ToolCall,
    cursor: Option<&CursorText>,
    read: impl Fn(PageRequest) -> Fut,
    show: impl Fn(T) -> Result<V, Refused>,
) -> Result<(Vec<V>, Paging), Refused>
where
    V: Serialize,
    Fut: Future<Output = Result<Page<T>, EngineError>>,
{
    let after = asking.opened(cursor.map(CursorText::as_str))?;
    let mut limit = PAGE_ITEMS;
    loop {
        let asked = PageRequest { limit, after: after.clone() };
        let Through { items, next, is_incomplete } = read_through(asked, &read).await?;
        let items = items.into_iter().map(&show).collect::<Result<Vec<V>, _>>()?;
        let fit = fitting(&items.iter().map(shown).collect::<Result<Vec<_>, _>>()?);
        if fit < items.len() {
            // The page is read again with this limit, so that the cursor belongs to the last item that fits.
            limit = fit;
            continue;
        }
        let next_cursor = next.map(|position| asking.sealed(&position));
        return Ok((items, Paging { next_cursor, search_incomplete: is_incomplete.then_some(true) }));
    }
}

/// Joins a text into one line without invisible characters, so that it cannot start a new line.
pub(super) fn one_line(text: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(is_unseen, "").replace(is_break, " ")
}

pub(super) fn short(name: &str) -> String {
    one_line(name).chars().take(NAME_CHARS_MAX).collect()
}

/// Whether a character is invisible to people: direction marks, characters without width, and the tag
/// characters from U+E0000 on, which only a model would read.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Quotes the first `max` characters of an external text. Its quotation marks are replaced.
pub(super) fn quoted(text: &str, max: usize) -> String {
    let kept: String = one_line(text).trim().chars().take(max).collect();
    format!("\"{}\"", kept.replace('"', "'"))
}

pub(super) fn quoted_name(name: &str) -> String {
    quoted(name, NAME_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_is_cut_and_its_end_says_so() {
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
    fn only_items_that_fit_are_returned() {
        let item = |chars: usize| json!("x".repeat(chars));
        assert_eq!(fitting(&[item(10), item(10)]), 2);
        assert_eq!(fitting(&vec![item(10_000); 20]), 4);
        assert_eq!(fitting(&[item(200_000)]), 1);
        // An escaped character counts with the length of its escape.
        assert_eq!(fitting(&vec![json!("\"".repeat(10_000)); 20]), 1);
    }
}
