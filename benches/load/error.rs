//! The errors of the harness. After an error, the harness prints it and ends.

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
