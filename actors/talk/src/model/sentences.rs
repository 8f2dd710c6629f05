//! Cuts the model's text into sentences while it arrives. Hides the model's reasoning, and function calls that the
//! model writes as text.

/// The maximum number of characters of a sentence. A longer sentence is cut.
pub const SENTENCE_CHARS_MAX: usize = 300;

const HIDDEN: [&str; 6] = ["think", "thinking", "reasoning", "tool_call", "tool_calls", "function_call"];

#[derive(Debug, Default)]
pub(super) struct Sentences {
    /// Text in which tags have not been searched yet.
    raw: String,
    /// The name of the open tag whose content is hidden.
    hidden: Option<&'static str>,
    /// The incomplete last sentence.
    sentence: String,
    /// Whether at least one sentence was completed.
    pub(super) has_some: bool,
}

impl Sentences {
    pub(super) fn push(&mut self, text: &str) -> Vec<String> {
        self.raw.push_str(text);
        let mut found = Vec::new();
        loop {
            if let Some(tag) = self.hidden {
                let close = format!("</{tag}>");
                let Some(at) = self.raw.find(&close) else {
                    // The last characters may be the beginning of the closing tag, so they are kept.
                    let keep = self.raw.len().saturating_sub(close.len());
                    let keep = (0..=keep).rev().find(|at| self.raw.is_char_boundary(*at)).unwrap_or(0);
                    self.raw.drain(..keep);
                    return found;
                };
                self.raw.drain(..at + close.len());
                self.hidden = None;
                continue;
            }
            let Some(at) = self.raw.find('<') else {
                let text = std::mem::take(&mut self.raw);
                self.visible(&text, &mut found);
                return found;
            };
            let rest = &self.raw[at..];
            let opened = HIDDEN.iter().find(|tag| rest.starts_with(&format!("<{tag}>")));
            let closed =
                HIDDEN.iter().map(|tag| format!("</{tag}>")).find(|tag| rest.starts_with(tag.as_str()));
            let could_be = HIDDEN
                .iter()
                .any(|tag| format!("<{tag}>").starts_with(rest) || format!("</{tag}>").starts_with(rest));
            if let Some(tag) = opened {
                let tag = *tag;
                let text: String = self.raw.drain(..at).collect();
                self.raw.drain(..tag.len() + 2);
                self.visible(&text, &mut found);
                self.hidden = Some(tag);
            } else if let Some(tag) = closed {
                // A closing tag without an opening tag ends the model's reasoning, so the text before the tag
                // is not said.
                self.raw.drain(..at + tag.len());
                self.sentence.clear();
                found.clear();
            } else if could_be {
                let text: String = self.raw.drain(..at).collect();
                self.visible(&text, &mut found);
                return found;
            } else {
                let text: String = self.raw.drain(..=at).collect();
                self.visible(&text, &mut found);
            }
        }
    }

    fn visible(&mut self, text: &str, found: &mut Vec<String>) {
        for c in text.chars() {
            let ends_before = c.is_whitespace() && self.sentence.ends_with(['.', '!', '?', '…']);
            if c == '\n' || c == '\r' || ends_before {
                self.complete(found);
                continue;
            }
            self.sentence.push(c);
            if self.sentence.chars().count() > SENTENCE_CHARS_MAX {
                // The cut is between two words, because a part of a word can have another meaning.
                let word = self.sentence.rfind(char::is_whitespace);
                let word = word.filter(|at| !self.sentence[..*at].trim().is_empty());
                let rest = self.sentence.split_off(word.unwrap_or(self.sentence.len() - c.len_utf8()));
                self.complete(found);
                self.sentence = rest;
            }
        }
    }

    fn complete(&mut self, found: &mut Vec<String>) {
        let sentence = std::mem::take(&mut self.sentence);
        if !sentence.trim().is_empty() {
            self.has_some = true;
            found.push(sentence.trim().to_owned());
        }
    }

    /// Returns the last sentence. If the stream ended early, the sentence is dropped unless it ends with a punctuation
    /// mark.
    pub(super) fn finish(&mut self, is_torn: bool) -> Vec<String> {
        let mut found = Vec::new();
        if self.hidden.is_none() {
            let raw = std::mem::take(&mut self.raw);
            self.visible(&raw, &mut found);
        }
        if !is_torn || self.sentence.ends_with(['.', '!', '?', '…']) {
            self.complete(&mut found);
        }
        found
    }
}
