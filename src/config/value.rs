//! Conversion of a setting's text, and the error for a value that is not valid.
//!
//! Invariant: the line break at the end of a secret's file is not part of the secret.

use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

const FILE_BYTES_MAX: u64 = 64 * 1024;

/// An invalid setting. The message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {reason}")]
pub struct ConfigError {
    variable: &'static str,
    reason: String,
}

impl ConfigError {
    pub fn new(variable: &'static str, reason: impl fmt::Display) -> Self {
        // The value of the setting or the error of a library may contain line breaks.
        let reason = reason.to_string().replace(['\n', '\r'], " ");
        Self { variable, reason }
    }
}

pub(crate) fn text(variable: &'static str, given: Option<OsString>) -> Result<Option<String>, ConfigError> {
    let text = given.map(OsString::into_string).transpose();
    let text = text.map_err(|_| ConfigError::new(variable, "must be valid UTF-8"))?;
    if text.as_deref() == Some("") { Err(empty(variable)) } else { Ok(text) }
}

/// Parses the value of a setting. The error message ends with the value.
pub(super) fn read<T, E: fmt::Display>(
    variable: &'static str,
    given: Option<OsString>,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, ConfigError> {
    let Some(given) = text(variable, given)? else { return Ok(None) };
    let failed = |error| ConfigError::new(variable, format!("{error}, not {given:?}"));
    parse(&given).map(Some).map_err(failed)
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

/// Reads a secret. Either a setting contains the secret, or another setting contains the name of a file
/// with the secret. No error message contains the secret.
pub(crate) fn secret<T, E: fmt::Display>(
    variable: &'static str,
    file_variable: &'static str,
    given: Option<OsString>,
    file: Option<OsString>,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<Option<T>, ConfigError> {
    match (text(variable, given)?, path(file_variable, file)?) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => {
            Err(ConfigError::new(file_variable, format!("must not be set when {variable} is")))
        }
        (Some(given), None) => parse(&given).map(Some).map_err(|error| ConfigError::new(variable, error)),
        (None, Some(file)) => {
            let failed = |error: &dyn fmt::Display| {
                ConfigError::new(file_variable, format!("{}: {error}", file.display()))
            };
            let held = read_file(&file).map_err(|error| failed(&error))?;
            parse(&held).map(Some).map_err(|error| failed(&error))
        }
    }
}

/// Reads a file without the line break at its end.
fn read_file(file: &Path) -> Result<String, String> {
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

/// The units of sizes and their numbers of bytes. A text may have any letter case and a space before the
/// unit.
const UNITS: [(&str, u64); 10] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// Returns the size in bytes, or `None` if the text is not a size or exceeds `u64`.
pub(super) fn size(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.strip_prefix(' ').unwrap_or(unit).to_ascii_lowercase();
    let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4_096),
            ("512MiB", 512 << 20),
            ("1GiB", 1 << 30),
            ("2GB", 2_000_000_000),
            ("2 gb", 2_000_000_000),
            ("18446744073709551615", u64::MAX),
            ("16777215TiB", 16_777_215 << 40),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in [
            "",
            "GiB",
            "-1",
            "+1",
            "1.5GiB",
            "5%",
            "1G",
            "1  GB",
            " 1",
            "16777216TiB",
            "18446744073709551616",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
