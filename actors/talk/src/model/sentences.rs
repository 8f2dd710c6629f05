//! Cuts the model's text into sentences. Hides the model's reasoning, and function calls that the model writes as text.
//!
//! Invariant: no sentence is returned before the text is complete, because the end of the text can show that its
//! beginning is reasoning.

/// The maximum number of characters of a sentence. A longer sentence is cut.
pub const SENTENCE_CHARS_MAX: usize = 300;

/// The tags whose content is hidden.
const HIDDEN: [&str; 10] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "analysis",
    "tool_call",
    "tool_calls",
    "function_call",
];

/// Cuts the text of a response into sentences. `is_torn` is true if the stream ended early. Then the last sentence is
/// dropped unless it ends with `.`, `!`, `?` or `…`.
pub(super) fn sentences(text: &str, is_torn: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut sentence = String::new();
    for c in visible(text).chars() {
        let ends_before = c.is_whitespace() && sentence.ends_with(['.', '!', '?', '…']);
        if c == '\n' || c == '\r' || ends_before {
            complete(&mut sentence, &mut found);
            continue;
        }
        sentence.push(c);
        if sentence.chars().count() > SENTENCE_CHARS_MAX {
            // The cut is between two words, because a part of a word can have another meaning.
            let word = sentence.rfind(char::is_whitespace).filter(|at| !sentence[..*at].trim().is_empty());
            let rest = sentence.split_off(word.unwrap_or(sentence.len() - c.len_utf8()));
            complete(&mut sentence, &mut found);
            sentence = rest;
        }
    }
    if !is_torn || sentence.ends_with(['.', '!', '?', '…']) {
        complete(&mut sentence, &mut found);
    }
    found
}

fn complete(sentence: &mut String, found: &mut Vec<String>) {
    let sentence = std::mem::take(sentence);
    if !sentence.trim().is_empty() {
        found.push(sentence.trim().to_owned());
    }
}

/// The text without the content of hidden tags. Some servers send reasoning without its start tag. So if an end tag has
/// no start tag, all text before the end tag is hidden.
fn visible(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('<') {
        let Some(tag) = Tag::read(&rest[start..]) else {
            shown.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
            continue;
        };
        let after = &rest[start + tag.len..];
        if tag.is_end {
            shown.clear();
            rest = after;
            continue;
        }
        shown.push_str(&rest[..start]);
        let mut ends = after.match_indices('<').filter_map(|(at, _)| Some((at, Tag::read(&after[at..])?)));
        let end = ends.find(|(_, end)| end.is_end && end.name == tag.name);
        rest = end.map_or("", |(at, end)| &after[at + end.len..]);
    }
    shown + rest
}

/// A tag whose content is hidden.
struct Tag {
    name: &'static str,
    is_end: bool,
    /// The length of the tag in bytes.
    len: usize,
}

impl Tag {
    /// Reads the tag at the beginning of the text, for example `<think>`, `</Think>` or `<think >`.
    fn read(text: &str) -> Option<Self> {
        let inner = text.strip_prefix('<')?;
        let (is_end, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let word_len = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let name = HIDDEN.iter().find(|name| name.eq_ignore_ascii_case(&inner[..word_len]))?;
        let len = text.find('>').map_or(text.len(), |end| end + 1);
        Some(Self { name, is_end, len })
    }
}
