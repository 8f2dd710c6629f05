//! The request to a model's server and its answer, as bytes. The engine owns the connection.

mod body;
mod sentences;
mod stream;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use self::body::summary_body;
pub(crate) use self::body::{body, quoted};
pub use self::sentences::SENTENCE_CHARS_MAX;
pub use self::stream::{RESPONSE_BYTES_MAX, Stream};

/// The maximum number of bytes in the arguments of a function call.
pub const ARGUMENTS_BYTES_MAX: usize = 4 << 10;

/// The settings of the requests to the model's server.
#[derive(Clone, Debug)]
pub struct Settings {
    pub model: String,
    /// The properties that are added to each request.
    pub options: Map<String, Value>,
    /// Whether requests contain `stream_options`. If the server refuses this property with the status 400, later
    /// requests do not contain it.
    pub usage: bool,
}

/// A function that the model called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// The arguments as the model wrote them. They may be invalid JSON.
    pub arguments: String,
}

/// The answer of the model in one round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub sentences: Vec<String>,
    pub calls: Vec<Call>,
    /// The number of tokens of the request and the answer, if the server reports it.
    pub tokens: Option<u64>,
    /// The number of characters of the answer. If `tokens` is `None`, the engine counts one token per 4
    /// characters of the request and the answer.
    pub chars: usize,
    /// True if the answer contains no sentence and no function call.
    pub is_empty: bool,
    /// Whether the stream ended early. A retry is useful if `is_empty` is also true.
    pub is_torn: bool,
}
