//! What goes wrong here is only ever told, and ends the harness.

/// Something, or why there is none.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
