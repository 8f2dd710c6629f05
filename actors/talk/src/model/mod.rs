//! The request to a model's server and its answer, as bytes. The engine owns the connection.

use serde_json::{Map, Value};

use crate::state::Talk;

/// The settings of the requests to the model's server.
#[derive(Clone, Debug)]
pub struct Settings {
    pub model: String,
    /// Merged into each request.
    pub options: Map<String, Value>,
    /// Whether the request has `stream_options`. False after a 400 that names it.
    pub usage: bool,
}

/// A function that the model called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// JSON as the model wrote it.
    pub arguments: String,
}

/// The answer of the model in one round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The sentences that [`Stream::push`] has not returned.
    pub sentences: Vec<String>,
    pub calls: Vec<Call>,
    /// The tokens of request and answer, if the server says them.
    pub tokens: Option<u64>,
    /// The characters of the answer. Without `tokens`, a token is 4 characters of request and answer.
    pub chars: usize,
    /// No sentence and no call came.
    pub is_empty: bool,
    /// The stream ended early: a retry is useful if `is_empty`.
    pub is_torn: bool,
}

/// The parser of a server's stream.
#[derive(Debug, Default)]
pub struct Stream {}

impl Stream {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes of the response body. Returns the sentences that are complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let _ = bytes;
        Vec::new()
    }

    /// Whether the answer is complete or as long as it may be. The engine then stops reading.
    pub fn is_done(&self) -> bool {
        true
    }

    pub fn finish(self) -> Reply {
        Reply::default()
    }
}

/// The request for a summary of a conversation.
pub fn summary_body(talk: &Talk, settings: &Settings) -> Value {
    let _ = (talk, settings);
    Value::Null
}
