//! Settings that are secrets. Each is set directly or as the name of a file that contains it.
//!
//! Invariants: no error message contains a secret, only one of the two ways is used, and the line break at
//! the end of a file is not part of the secret.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use super::value::{ConfigError, path, text};
use super::variables;

const FILE_BYTES_MAX: u64 = 64 * 1024;

#[derive(Clone, Copy)]
pub(crate) struct Secret<T, E> {
    variable: &'static str,
    file_variable: &'static str,
    parse: fn(&str) -> Result<T, E>,
}

impl<T, E: fmt::Display> Secret<T, E> {
    pub(crate) const fn admin_token(parse: fn(&str) -> Result<T, E>) -> Self {
        Self { variable: variables::ADMIN_TOKEN, file_variable: variables::ADMIN_TOKEN_FILE, parse }
    }

    pub(crate) const fn api_key(parse: fn(&str) -> Result<T, E>) -> Self {
        Self { variable: variables::API_KEY, file_variable: variables::API_KEY_FILE, parse }
    }

    /// The address of the mail relay, which may contain a password.
    pub(crate) const fn smtp_url(parse: fn(&str) -> Result<T, E>) -> Self {
        Self { variable: variables::SMTP_URL, file_variable: variables::SMTP_URL_FILE, parse }
    }

    /// Returns the secret, if it is set in either way.
    ///
    /// # Errors
    /// Returns an error if the secret is set in both ways, its file cannot be read, or `parse` refuses it.
    pub(crate) fn read(
        &self,
        given: Option<OsString>,
        file: Option<OsString>,
    ) -> Result<Option<T>, ConfigError> {
        let (given, file) = (text(self.variable, given)?, path(self.file_variable, file)?);
        match (given, file) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => {
                let reason = format!("must not be set when {} is", self.variable);
                Err(ConfigError::new(self.file_variable, reason))
            }
            (Some(given), None) => {
                (self.parse)(&given).map(Some).map_err(|error| ConfigError::new(self.variable, error))
            }
            (None, Some(file)) => {
                let failed = |error: &dyn fmt::Display| {
                    ConfigError::new(self.file_variable, format!("{}: {error}", file.display()))
                };
                let held = read_file(&file).map_err(|error| failed(&error))?;
                (self.parse)(&held).map(Some).map_err(|error| failed(&error))
            }
        }
    }
}

/// Reads a file without the line break at its end.
fn read_file(file: &Path) -> Result<String, String> {
    use std::io::Read;
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let mut text = Vec::new();
    let opened = std::fs::File::open(file).map_err(cannot)?;
    opened.take(FILE_BYTES_MAX + 1).read_to_end(&mut text).map_err(cannot)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(format!("is longer than {FILE_BYTES_MAX} bytes"));
    }
    let text = String::from_utf8(text).map_err(|_| "must be valid UTF-8".to_owned())?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}
