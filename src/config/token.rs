//! The operator's token: the configured token, or a random token in a file next to the store.
//!
//! Invariants: the file is written atomically, and only its owner can read it.

use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

pub const TOKEN_FILE: &str = "admin-token";

pub const OPERATOR_SOCKET: &str = "operator.sock";

const RANDOM_BYTES: usize = 32;

const CHARS_MIN: usize = 16;

const OWNER_ONLY: u32 = 0o600;

/// The operator's token. Its `Debug` output hides the text.
#[derive(Clone, PartialEq, Eq)]
pub struct AdminToken(String);

impl AdminToken {
    /// Accepts at least 16 visible ASCII characters, so that the token can be sent in a header.
    pub fn new(text: &str) -> Result<Self, String> {
        match text {
            _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err("must be visible ASCII characters without white space".into())
            }
            _ if text.len() < CHARS_MIN => Err(format!("must have at least {CHARS_MIN} characters")),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// Returns the token stored in the data directory, or creates one. Removes the access of other users.
    pub fn load_or_create(data_dir: &Path) -> Result<Self, String> {
        let path = data_dir.join(TOKEN_FILE);
        let no_token = || format!("{} does not contain a token; remove it to get a new one", path.display());
        match fs::read_to_string(&path) {
            Ok(text) => {
                close_to_others(&path)?;
                Self::new(text.trim_end()).map_err(|_| no_token())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::create_in(data_dir, &path),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(no_token()),
            Err(error) => Err(failed("read", &path)(error)),
        }
    }

    fn create_in(data_dir: &Path, path: &Path) -> Result<Self, String> {
        let mut random = [0; RANDOM_BYTES];
        getrandom::fill(&mut random)
            .map_err(|error| format!("cannot read random bytes from the system: {error}"))?;
        let token = Self(URL_SAFE_NO_PAD.encode(random));
        // The token is written to another file first, so that a crash never leaves half a token.
        let new = data_dir.join(format!("{TOKEN_FILE}.new"));
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("remove", &new)(error));
            }
            _ => {}
        }
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(&new)?;
            file.write_all(token.0.as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            fs::rename(&new, path)?;
            File::open(data_dir)?.sync_all()
        };
        write().map_err(failed("write", path))?;
        Ok(token)
    }

    pub fn is(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// The token in plain text, for the commands that call the operator API.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminToken(hidden)")
    }
}

fn close_to_others(path: &Path) -> Result<(), String> {
    let mode = fs::metadata(path).map_err(failed("read", path))?.permissions().mode();
    if mode & 0o077 != 0 {
        tracing::warn!(
            file.mode = format!("{:o}", mode & 0o777),
            "other users could read the operator's token"
        );
        fs::set_permissions(path, Permissions::from_mode(OWNER_ONLY)).map_err(failed("close", path))?;
    }
    Ok(())
}

fn failed(action: &str, path: &Path) -> impl FnOnce(io::Error) -> String {
    move |error| format!("cannot {action} {}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_token_is_created_once_and_then_read() {
        let dir = tempfile::tempdir().unwrap();
        let made = AdminToken::load_or_create(dir.path()).unwrap();
        assert_eq!(made.reveal().len(), 43);
        assert_eq!(AdminToken::load_or_create(dir.path()).unwrap(), made);
        assert_eq!(mode(&dir.path().join(TOKEN_FILE)), OWNER_ONLY);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(AdminToken::load_or_create(other.path()).unwrap(), made);
    }

    #[test]
    fn a_token_is_created_after_a_crash_during_an_earlier_creation() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("admin-token.new"), "half").unwrap();
        let made = AdminToken::load_or_create(dir.path()).unwrap();
        assert_eq!(AdminToken::load_or_create(dir.path()).unwrap(), made);
        assert_eq!(mode(&dir.path().join(TOKEN_FILE)), OWNER_ONLY);
    }

    #[test]
    fn a_file_that_others_can_read_becomes_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TOKEN_FILE);
        fs::write(&path, "0123456789abcdef\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(AdminToken::load_or_create(dir.path()).unwrap().is("0123456789abcdef"));
        assert_eq!(mode(&path), OWNER_ONLY);
    }

    #[test]
    fn a_file_without_a_token_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        for content in [&b""[..], b"\n", b"\xff\xff", b"two words", b"0123456789abcde\n"] {
            fs::write(dir.path().join(TOKEN_FILE), content).unwrap();
            let error = AdminToken::load_or_create(dir.path()).unwrap_err().to_string();
            assert!(error.contains("admin-token does not contain a token"), "{error}");
        }
    }

    #[test]
    fn a_token_has_at_least_16_visible_characters() {
        for bad in ["", "0123456789abcde", "0123456789 abcdef", "0123456789abcdéf", "0123456789abcdef\n"] {
            assert!(AdminToken::new(bad).is_err(), "{bad}");
        }
        let token = AdminToken::new("0123456789abcdef").unwrap();
        assert!(!token.is("0123456789abcdeF") && !token.is("0123456789abcde") && !token.is(""));
        assert!(!format!("{token:?}").contains("0123"));
    }
}
