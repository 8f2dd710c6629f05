//! Conversion of a setting's text, and the error for a value that is not valid.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// An invalid setting. The message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {reason}")]
pub struct ConfigError {
    variable: &'static str,
    reason: String,
}

impl ConfigError {
    pub fn new(variable: &'static str, reason: impl fmt::Display) -> Self {
        // A value or an error from elsewhere may hold line breaks.
        let reason = reason.to_string().replace(['\n', '\r'], " ");
        Self { variable, reason }
    }
}

pub(crate) fn text(variable: &'static str, given: Option<OsString>) -> Result<Option<String>, ConfigError> {
    let text = given.map(OsString::into_string).transpose();
    let text = text.map_err(|_| ConfigError::new(variable, "must be valid UTF-8"))?;
    if text.as_deref() == Some("") { Err(empty(variable)) } else { Ok(text) }
}

pub(super) fn path(variable: &'static str, given: Option<OsString>) -> Result<Option<PathBuf>, ConfigError> {
    match given {
        Some(path) if path.is_empty() => Err(empty(variable)),
        given => Ok(given.map(PathBuf::from)),
    }
}

fn empty(variable: &'static str) -> ConfigError {
    ConfigError::new(variable, "must not be empty; unset it to use its default")
}
