//! Errors of the harness. The harness prints an error and ends.

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
