//! The request to a model's server and its answer, as bytes. The engine owns the connection.

mod body;
mod sentences;
mod stream;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub(crate) use self::body::body;
pub use self::body::summary_body;
pub use self::sentences::SENTENCE_CHARS_MAX;
pub use self::stream::{RESPONSE_BYTES_MAX, Stream};

/// The bytes of the arguments of a call.
pub const ARGUMENTS_BYTES_MAX: usize = 4 << 10;

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
