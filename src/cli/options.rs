//! Where the operator API is and with which token it is called.
//!
//! The settings are those of the service (`RECEPTIONIST_ADMIN_LISTEN`, `RECEPTIONIST_ADMIN_TOKEN`,
//! `RECEPTIONIST_DATA_DIR`), so that a command finds the service that runs beside it without being told anything.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use hyper::header::HeaderValue;

use crate::config::{TOKEN_FILE, variables};

/// The options that every operator command takes.
#[derive(Clone, Debug, Args)]
pub struct OperatorOptions {
    /// Print the service's JSON answer as it is
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Where the operator API listens
    #[arg(
        long,
        global = true,
        value_name = "ADDRESS",
        env = variables::ADMIN_LISTEN,
        default_value = "127.0.0.1:8081"
    )]
    admin_listen: String,
    /// The operator's token [default: the one in the data directory]
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = variables::ADMIN_TOKEN,
        hide_env_values = true
    )]
    admin_token: Option<AdminToken>,
    /// The service's data directory, where the token is
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = variables::DATA_DIR,
        default_value = "./receptionist-data"
    )]
    data_dir: PathBuf,
}

/// The operator's token, which its debug form does not show.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct AdminToken(String);

impl AdminToken {
    /// The `Authorization` header, marked as sensitive; none if the token is empty or cannot stand in a header.
    fn authorization(&self) -> Option<HeaderValue> {
        if self.0.is_empty() || !self.0.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let mut header = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

impl FromStr for AdminToken {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminToken(…)")
    }
}

/// What is wrong with the options.
#[derive(Debug, thiserror::Error)]
pub(super) enum OptionsError {
    #[error(
        "RECEPTIONIST_ADMIN_LISTEN (--admin-listen) must be an address with a port, such as 127.0.0.1:8081"
    )]
    Address,
    #[error(
        "RECEPTIONIST_ADMIN_LISTEN (--admin-listen) must name the port on which the service listens, not 0"
    )]
    Port,
    #[error("{origin} must be a token of visible ASCII characters")]
    Token { origin: String },
    #[error(
        "cannot read the operator's token from {}: {}; set RECEPTIONIST_ADMIN_TOKEN, or RECEPTIONIST_DATA_DIR to the service's data directory",
        file.display(), source.kind()
    )]
    TokenFile { file: PathBuf, source: io::Error },
}

/// Where to call and with what.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) address: SocketAddr,
    pub(super) authorization: HeaderValue,
}

impl OperatorOptions {
    /// Reads the address and the token, the latter from its file if it was not given.
    pub(super) fn access(&self) -> Result<Access, OptionsError> {
        let mut address: SocketAddr = self.admin_listen.parse().map_err(|_| OptionsError::Address)?;
        if address.port() == 0 {
            return Err(OptionsError::Port);
        }
        // The address is one to listen on; "everywhere" is reached on the loopback.
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        let (token, origin) = match &self.admin_token {
            Some(token) => (token.clone(), "RECEPTIONIST_ADMIN_TOKEN (--admin-token)".to_owned()),
            None => {
                let file = self.data_dir.join(TOKEN_FILE);
                (read_token(&file)?, file.display().to_string())
            }
        };
        let authorization = token.authorization().ok_or(OptionsError::Token { origin })?;
        Ok(Access { address, authorization })
    }
}

fn read_token(file: &Path) -> Result<AdminToken, OptionsError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(AdminToken(text.trim().to_owned())),
        Err(source) => Err(OptionsError::TokenFile { file: file.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(address: &str, token: Option<&str>, data_dir: &Path) -> OperatorOptions {
        OperatorOptions {
            json: false,
            admin_listen: address.into(),
            admin_token: token.map(|token| AdminToken(token.into())),
            data_dir: data_dir.to_owned(),
        }
    }

    fn check_refused(address: &str, token: &str, start: &str) {
        let error = options(address, Some(token), Path::new("nowhere")).access().unwrap_err().to_string();
        assert!(error.starts_with(start) && error.lines().count() == 1, "{error}");
    }

    #[test]
    fn a_bad_setting_is_one_line_that_names_its_variable() {
        check_refused("8081", "t", "RECEPTIONIST_ADMIN_LISTEN");
        check_refused("127.0.0.1", "t", "RECEPTIONIST_ADMIN_LISTEN");
        check_refused("127.0.0.1:0", "t", "RECEPTIONIST_ADMIN_LISTEN");
        check_refused("127.0.0.1:1", "", "RECEPTIONIST_ADMIN_TOKEN");
        check_refused("127.0.0.1:1", "two words", "RECEPTIONIST_ADMIN_TOKEN");
        check_refused("127.0.0.1:1", "a\r\nb", "RECEPTIONIST_ADMIN_TOKEN");
    }

    #[test]
    fn a_service_that_listens_everywhere_is_called_on_the_loopback() {
        for (listen, called) in
            [("0.0.0.0:8081", "127.0.0.1:8081"), ("[::]:9", "[::1]:9"), ("192.0.2.1:9", "192.0.2.1:9")]
        {
            let access = options(listen, Some("t"), Path::new("nowhere")).access().unwrap();
            assert_eq!(access.address.to_string(), called);
        }
    }

    #[test]
    fn the_token_comes_from_its_file_when_it_is_not_given() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("admin-token"), "from-the-file\n").unwrap();
        let access = options("127.0.0.1:1", None, dir.path()).access().unwrap();
        assert_eq!(access.authorization, "Bearer from-the-file");
        let access = options("127.0.0.1:1", Some("given"), dir.path()).access().unwrap();
        assert_eq!(access.authorization, "Bearer given");
    }

    #[test]
    fn a_missing_token_file_is_named_with_the_variables_that_help() {
        let error = options("127.0.0.1:1", None, Path::new("nowhere")).access().unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot read the operator's token from nowhere/admin-token: entity not found; \
             set RECEPTIONIST_ADMIN_TOKEN, or RECEPTIONIST_DATA_DIR to the service's data directory"
        );
    }

    #[test]
    fn the_token_is_not_in_the_debug_form() {
        let options = options("127.0.0.1:1", Some("hidden"), Path::new("nowhere"));
        assert!(!format!("{options:?} {:?}", options.access()).contains("hidden"));
    }
}
