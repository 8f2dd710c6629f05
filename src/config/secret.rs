//! Settings that are secrets: each is given itself, or as the name of a file that holds it.
//!
//! What always holds: a secret is never shown, whatever is wrong with it; only one of the two is given; the line break
//! that ends a file is no part of it.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use super::value::{ConfigError, path, text};
use super::variables;

/// How long a file with a secret may be, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// A setting that is a secret.
#[derive(Clone, Copy)]
pub(crate) struct Secret<T, E> {
    /// The variable that holds it.
    variable: &'static str,
    /// The one that names the file.
    file_variable: &'static str,
    parse: fn(&str) -> Result<T, E>,
}

impl<T, E: fmt::Display> Secret<T, E> {
    /// The operator's token, as it is read with this.
    pub(crate) const fn admin_token(parse: fn(&str) -> Result<T, E>) -> Self {
        Self { variable: variables::ADMIN_TOKEN, file_variable: variables::ADMIN_TOKEN_FILE, parse }
    }

    /// The API key of a program that calls the public listener, as it is read with this.
    pub(crate) const fn api_key(parse: fn(&str) -> Result<T, E>) -> Self {
        Self { variable: variables::API_KEY, file_variable: variables::API_KEY_FILE, parse }
    }

    /// The address of the relay, which may hold a password, as it is read with this.
    pub(crate) const fn smtp_url(parse: fn(&str) -> Result<T, E>) -> Self {
        Self { variable: variables::SMTP_URL, file_variable: variables::SMTP_URL_FILE, parse }
    }

    /// The secret, if it is given either way.
    ///
    /// # Errors
    /// That it is given both ways, cannot be read, or is none.
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
                let held = held(&file).map_err(|error| failed(&error))?;
                (self.parse)(&held).map(Some).map_err(|error| failed(&error))
            }
        }
    }
}

/// What a file holds, without the line break at its end.
fn held(file: &Path) -> Result<String, String> {
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
