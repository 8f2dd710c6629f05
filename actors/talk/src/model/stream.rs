//! The parser of a server's stream of events.
//!
//! Servers deviate from OpenAI's format in many ways. The parser accepts every deviation whose meaning is
//! clear. It never fails: after an error, the answer consists of the data before the error.

use serde_json::Value;

use super::sentences::sentences;
use super::{Call, Reply};

/// The maximum number of bytes of a response. The rest is not read.
pub const RESPONSE_BYTES_MAX: usize = 64 << 10;
const CALLS_MAX: usize = 16;

#[derive(Debug, Default)]
pub struct Stream {
    line: Vec<u8>,
    /// The text of `data:` lines that is not complete JSON yet.
    data: String,
    received: usize,
    chars: usize,
    /// The model's text so far.
    text: String,
    calls: Vec<Started>,
    tokens: Option<u64>,
    /// Whether the first text, reasoning or function call has arrived.
    has_begun: bool,
    is_done: bool,
    is_finished: bool,
    is_broken: bool,
    has_events: bool,
    /// The beginning of a response that is not an event stream.
    plain: String,
}

#[derive(Debug, Default)]
struct Started {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Stream {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the response body.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.is_done() {
                break;
            }
            self.received += 1;
            if self.received > RESPONSE_BYTES_MAX {
                self.is_broken = true;
            } else if *byte == b'\n' || *byte == b'\r' {
                self.line();
            } else {
                self.line.push(*byte);
            }
        }
    }

    /// Whether the first token has arrived. It can be reasoning, which the caller does not receive.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the answer is complete or has the maximum length. The engine then stops reading.
    pub fn is_done(&self) -> bool {
        self.is_done || self.is_broken
    }

    /// Whether all text and all function calls have arrived. The token counts and `[DONE]` may still follow.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    fn line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let Some(data) = line.strip_prefix("data:") else {
            if !self.has_events && !line.starts_with(':') && !line.starts_with("event:") {
                self.plain.push_str(&line);
            }
            return;
        };
        self.has_events = true;
        let data = data.strip_prefix(' ').unwrap_or(data);
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return;
        }
        self.data.push_str(data);
        // The JSON of an event may be spread over several lines. But a line that is valid JSON without the other lines
        // is a separate event.
        let event = serde_json::from_str(&self.data).or_else(|_| serde_json::from_str(data));
        if let Ok(event) = event {
            self.data.clear();
            self.event(&event);
        }
    }

    fn event(&mut self, event: &Value) {
        if event.get("error").is_some_and(|error| !error.is_null()) {
            self.is_broken = true;
            return;
        }
        if let Some(usage) = event.get("usage").filter(|usage| usage.is_object()) {
            let count = |name| usage.get(name).and_then(Value::as_u64);
            let parts = || Some(count("prompt_tokens")?.saturating_add(count("completion_tokens")?));
            self.tokens = count("total_tokens").or_else(parts).or(self.tokens);
        }
        let Some(choice) = event.get("choices").and_then(|choices| choices.get(0)) else { return };
        let finish = choice.get("finish_reason").and_then(Value::as_str);
        if finish.is_some_and(|reason| !reason.is_empty()) {
            self.is_finished = true;
        }
        let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) else { return };
        let begins = |name| match delta.get(name) {
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(parts)) => !parts.is_empty(),
            _ => false,
        };
        self.has_begun |= ["content", "reasoning_content", "reasoning", "tool_calls"].into_iter().any(begins);
        match delta.get("content") {
            Some(Value::String(text)) => self.text(text),
            Some(Value::Array(parts)) => {
                for part in parts {
                    if let Some(text) = part.get("text").and_then(Value::as_str) {
                        self.text(text);
                    }
                }
            }
            _ => {}
        }
        if let Some(calls) = delta.get("tool_calls").and_then(Value::as_array) {
            for call in calls {
                let function = call.get("function").unwrap_or(&Value::Null);
                let id = call.get("id").and_then(Value::as_str);
                self.call(call.get("index").and_then(Value::as_u64), id, function);
            }
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            self.call(None, None, function);
        }
    }

    fn text(&mut self, text: &str) {
        self.chars += text.chars().count();
        self.text.push_str(text);
    }

    /// Takes a piece of a function call. The piece continues an earlier call, or begins a new call:
    ///
    /// 1. If an earlier call has the id of the piece, the piece continues this call. Steps 2 and 3 are then skipped.
    /// 2. If the piece has an index, the candidate is the last call with this index. If the piece has no index, the
    ///    candidate is the last call.
    /// 3. If there is no candidate, the piece begins a new call. If the piece and the candidate both have an id, or
    ///    both have a name, the piece also begins a new call. In all other cases, it continues the candidate.
    fn call(&mut self, index: Option<u64>, id: Option<&str>, function: &Value) {
        let id = id.filter(|id| !id.is_empty());
        let name = function.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let current =
            match id.and_then(|id| self.calls.iter().position(|call| call.id.as_deref() == Some(id))) {
                Some(known) => Some(known),
                None => {
                    let by_index = self.calls.iter().rposition(|call| index.is_some() && call.index == index);
                    let last = by_index.or(self.calls.len().checked_sub(1).filter(|_| index.is_none()));
                    last.filter(|at| {
                        let call = &self.calls[*at];
                        let begins_by_id = id.is_some() && call.id.is_some();
                        let begins_by_name = name.is_some() && !call.name.is_empty();
                        !begins_by_id && !begins_by_name
                    })
                }
            };
        let at = match current {
            Some(at) => at,
            None if self.calls.len() < CALLS_MAX => {
                self.calls.push(Started { index, ..Started::default() });
                self.calls.len() - 1
            }
            None => return,
        };
        let call = &mut self.calls[at];
        if call.id.is_none() {
            call.id = id.map(str::to_owned);
        }
        if let Some(name) = name.filter(|_| call.name.is_empty()) {
            name.clone_into(&mut call.name);
        }
        match function.get("arguments") {
            Some(Value::String(piece)) => call.arguments.push_str(piece),
            Some(Value::Null) | None => {}
            Some(object) => call.arguments = object.to_string(),
        }
    }

    /// Ends the answer.
    pub fn finish(mut self) -> Reply {
        self.line();
        // A server that does not stream sends one JSON object.
        if !self.has_events
            && let Ok(whole) = serde_json::from_str::<Value>(&self.plain)
        {
            self.event(&whole);
        }
        let is_torn = self.is_broken || !self.is_done && !self.is_finished;
        let sentences = sentences(&self.text, is_torn);
        let is_whole = |call: &Started| {
            !is_torn || serde_json::from_str::<Value>(&call.arguments).is_ok_and(|value| value.is_object())
        };
        let calls = std::mem::take(&mut self.calls).into_iter();
        let calls = calls.filter(|call| !call.name.is_empty()).filter(is_whole).enumerate();
        let calls: Vec<Call> = calls
            .map(|(number, call)| Call {
                id: call.id.unwrap_or_else(|| format!("call_{number}")),
                name: call.name,
                arguments: call.arguments,
            })
            .collect();
        Reply {
            is_empty: sentences.is_empty() && calls.is_empty(),
            sentences,
            chars: self.chars
                + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>(),
            calls,
            tokens: self.tokens,
            is_torn,
        }
    }
}
