//! The settings of `serve`: a flag and an environment variable each, checked here once and typed from then on.
//!
//! clap only collects the texts. A bad one is told in a single line that starts with the variable's name, whichever
//! way it was given, and ends the process with [`EXIT_CODE`]. A variable that is set but empty is a bad value.

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use actors::store::DiskReserve;

use crate::server::{CONNECTIONS_PER_ADDRESS, TlsFiles, TrustedProxies};
use crate::telemetry::{LogFormat, LogSettings};

mod size;
mod token;

pub use token::{AdminToken, TOKEN_FILE, TokenError};

/// The exit code of a process whose settings are wrong.
pub const EXIT_CODE: u8 = 2;

/// The environment variables, by which errors name the settings.
pub mod variables {
    /// The public listener.
    pub const LISTEN: &str = "RECEPTIONIST_LISTEN";
    /// The operator listener.
    pub const ADMIN_LISTEN: &str = "RECEPTIONIST_ADMIN_LISTEN";
    /// The store.
    pub const DATA_DIR: &str = "RECEPTIONIST_DATA_DIR";
    /// The operator's token.
    pub const ADMIN_TOKEN: &str = "RECEPTIONIST_ADMIN_TOKEN";
    /// The rate limit.
    pub const RATE_LIMIT: &str = "PUBLIC_API_RATE_LIMIT_PER_MINUTE";
    /// The bound on the connections of one address.
    pub const CONNECTIONS_PER_ADDRESS: &str = "RECEPTIONIST_CONNECTIONS_PER_ADDRESS";
    /// The networks of trusted proxies.
    pub const TRUSTED_PROXIES: &str = "RECEPTIONIST_TRUSTED_PROXIES";
    /// The free space that is left alone.
    pub const DISK_RESERVE: &str = "RECEPTIONIST_DISK_RESERVE";
    /// The certificate chain.
    pub const TLS_CERT: &str = "RECEPTIONIST_TLS_CERT";
    /// The private key.
    pub const TLS_KEY: &str = "RECEPTIONIST_TLS_KEY";
    /// The log filter.
    pub const LOG: &str = "RECEPTIONIST_LOG";
    /// The log format.
    pub const LOG_FORMAT: &str = "RECEPTIONIST_LOG_FORMAT";
}

/// The settings as they were given.
#[derive(clap::Args, Default)]
pub struct ServeArgs {
    /// Public listener; port 0 picks one [default: 127.0.0.1:8080]
    #[arg(long, env = variables::LISTEN, value_name = "ADDR")]
    pub listen: Option<OsString>,
    /// Operator listener; port 0 picks one [default: 127.0.0.1:8081]
    #[arg(long, env = variables::ADMIN_LISTEN, value_name = "ADDR")]
    pub admin_listen: Option<OsString>,
    /// Directory of the store [default: ./receptionist-data]
    #[arg(long, env = variables::DATA_DIR, value_name = "DIR")]
    pub data_dir: Option<OsString>,
    /// The operator's token [default: a random one kept in DATA_DIR/admin-token]; better set in the environment, where
    /// other users cannot see it
    #[arg(long, env = variables::ADMIN_TOKEN, value_name = "TOKEN", hide_env_values = true)]
    pub admin_token: Option<OsString>,
    /// Requests per key and minute [default: 120]
    #[arg(long = "rate-limit-per-minute", env = variables::RATE_LIMIT, value_name = "COUNT")]
    pub rate_limit: Option<OsString>,
    /// Connections of one address (IPv6: of one /64) to a listener; trusted proxies may have any number [default: 1024]
    #[arg(long, env = variables::CONNECTIONS_PER_ADDRESS, value_name = "COUNT")]
    pub connections_per_address: Option<OsString>,
    /// Networks, separated by commas, whose X-Forwarded-For is believed for limits and logs [default: none]
    #[arg(long, env = variables::TRUSTED_PROXIES, value_name = "NETWORKS")]
    pub trusted_proxies: Option<OsString>,
    /// Free disk space below which what makes the store larger is refused; at least 32MiB, which the storage engine
    /// needs, and less counts as that; 0 for none [default: 1GiB or 5 % of the disk, whichever is less]
    #[arg(long, env = variables::DISK_RESERVE, value_name = "SIZE")]
    pub disk_reserve: Option<OsString>,
    /// PEM file with the certificate chain: the public listener then speaks HTTPS
    #[arg(long, env = variables::TLS_CERT, value_name = "FILE")]
    pub tls_cert: Option<OsString>,
    /// PEM file with the certificate's private key
    #[arg(long, env = variables::TLS_KEY, value_name = "FILE")]
    pub tls_key: Option<OsString>,
    /// What is logged to standard error, as a tracing filter [default: info]
    #[arg(long, env = variables::LOG, value_name = "FILTER")]
    pub log: Option<OsString>,
    /// How log lines look: text or json [default: text]
    #[arg(long, env = variables::LOG_FORMAT, value_name = "FORMAT")]
    pub log_format: Option<OsString>,
}

/// The settings of a running service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The public listener.
    pub listen: SocketAddr,
    /// The operator listener.
    pub admin_listen: SocketAddr,
    /// The directory of the store.
    pub data_dir: PathBuf,
    /// The operator's token; without one, the kept one is used ([`AdminToken::kept_in`]).
    pub admin_token: Option<AdminToken>,
    /// Requests per key and minute.
    pub rate_limit_per_minute: NonZeroU32,
    /// Connections of one address to a listener.
    pub connections_per_address: NonZeroUsize,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: TrustedProxies,
    /// How much of the disk is left free.
    pub disk_reserve: DiskReserve,
    /// What makes the public listener speak HTTPS.
    pub tls: Option<TlsFiles>,
    /// What is logged and how.
    pub log: LogSettings,
}

/// A setting that cannot be used, told in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {reason}")]
pub struct ConfigError {
    variable: &'static str,
    reason: String,
}

impl ConfigError {
    /// What is wrong with the setting of this variable.
    pub fn new(variable: &'static str, reason: impl fmt::Display) -> Self {
        // A value or an error from elsewhere may hold line breaks.
        let reason = reason.to_string().replace(['\n', '\r'], " ");
        Self { variable, reason }
    }
}

/// What a count must be.
const AT_LEAST_1: &str = "must be a whole number of at least 1";

impl TryFrom<ServeArgs> for Settings {
    type Error = ConfigError;

    fn try_from(args: ServeArgs) -> Result<Self, ConfigError> {
        let address = "must be an address and a port such as 127.0.0.1:8080";
        Ok(Self {
            listen: parsed(variables::LISTEN, args.listen, "127.0.0.1:8080", address)?,
            admin_listen: parsed(variables::ADMIN_LISTEN, args.admin_listen, "127.0.0.1:8081", address)?,
            data_dir: path(variables::DATA_DIR, args.data_dir)?.unwrap_or_else(|| "receptionist-data".into()),
            admin_token: text(variables::ADMIN_TOKEN, args.admin_token)?
                .map(|token| AdminToken::new(&token))
                .transpose()
                .map_err(|error| ConfigError::new(variables::ADMIN_TOKEN, error))?,
            rate_limit_per_minute: parsed(variables::RATE_LIMIT, args.rate_limit, "120", AT_LEAST_1)?,
            connections_per_address: parsed(
                variables::CONNECTIONS_PER_ADDRESS,
                args.connections_per_address,
                &CONNECTIONS_PER_ADDRESS.to_string(),
                AT_LEAST_1,
            )?,
            trusted_proxies: trusted_proxies(args.trusted_proxies)?,
            disk_reserve: match text(variables::DISK_RESERVE, args.disk_reserve)? {
                None => DiskReserve::Usual,
                Some(given) => DiskReserve::Bytes(size::parse(&given).ok_or_else(|| {
                    let expected = "must be a size such as 512MiB, 2GB or 0";
                    ConfigError::new(variables::DISK_RESERVE, format!("{expected}, not {given:?}"))
                })?),
            },
            tls: tls(args.tls_cert, args.tls_key)?,
            log: log(args.log, args.log_format)?,
        })
    }
}

fn trusted_proxies(given: Option<OsString>) -> Result<TrustedProxies, ConfigError> {
    let Some(networks) = text(variables::TRUSTED_PROXIES, given)? else {
        return Ok(TrustedProxies::default());
    };
    networks
        .parse()
        .map_err(|error| ConfigError::new(variables::TRUSTED_PROXIES, format!("{error}, not {networks:?}")))
}

fn tls(cert: Option<OsString>, key: Option<OsString>) -> Result<Option<TlsFiles>, ConfigError> {
    match (path(variables::TLS_CERT, cert)?, path(variables::TLS_KEY, key)?) {
        (None, None) => Ok(None),
        (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert, key })),
        (Some(_), None) => {
            Err(ConfigError::new(variables::TLS_KEY, format!("must be set when {} is", variables::TLS_CERT)))
        }
        (None, Some(_)) => {
            Err(ConfigError::new(variables::TLS_CERT, format!("must be set when {} is", variables::TLS_KEY)))
        }
    }
}

fn log(filter: Option<OsString>, format: Option<OsString>) -> Result<LogSettings, ConfigError> {
    let format = match text(variables::LOG_FORMAT, format)?.as_deref() {
        None | Some("text") => LogFormat::Text,
        Some("json") => LogFormat::Json,
        Some(other) => {
            return Err(ConfigError::new(
                variables::LOG_FORMAT,
                format!("must be text or json, not {other:?}"),
            ));
        }
    };
    let filter = text(variables::LOG, filter)?.unwrap_or_else(|| "info".into());
    LogSettings::new(&filter, format)
        .map_err(|error| ConfigError::new(variables::LOG, format!("{error}, not {filter:?}")))
}

/// The value of a setting, parsed; `expected` says what it must be.
fn parsed<T: std::str::FromStr>(
    variable: &'static str,
    given: Option<OsString>,
    default: &str,
    expected: &str,
) -> Result<T, ConfigError> {
    let value = text(variable, given)?.unwrap_or_else(|| default.to_owned());
    value.parse().map_err(|_| ConfigError::new(variable, format!("{expected}, not {value:?}")))
}

fn text(variable: &'static str, given: Option<OsString>) -> Result<Option<String>, ConfigError> {
    let text = given.map(OsString::into_string).transpose();
    let text = text.map_err(|_| ConfigError::new(variable, "must be valid UTF-8"))?;
    if text.as_deref() == Some("") { Err(empty(variable)) } else { Ok(text) }
}

fn path(variable: &'static str, given: Option<OsString>) -> Result<Option<PathBuf>, ConfigError> {
    match given {
        Some(path) if path.is_empty() => Err(empty(variable)),
        given => Ok(given.map(PathBuf::from)),
    }
}

fn empty(variable: &'static str) -> ConfigError {
    ConfigError::new(variable, "must not be empty; unset it to have its default")
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches, Parser};

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        serve: ServeArgs,
    }

    fn args(args: &[&str]) -> Result<Settings, String> {
        let command = Cli::command().mut_args(|arg| arg.env(None::<&str>));
        let matches = command.try_get_matches_from([&["receptionist"], args].concat()).unwrap();
        Settings::try_from(Cli::from_arg_matches(&matches).unwrap().serve).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_set_gives_the_defaults() {
        let settings = args(&[]).unwrap();
        assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(settings.admin_listen.to_string(), "127.0.0.1:8081");
        assert_eq!(settings.data_dir, PathBuf::from("receptionist-data"));
        assert_eq!(settings.rate_limit_per_minute.get(), 120);
        assert_eq!(settings.connections_per_address.get(), 1024);
        assert_eq!(settings.trusted_proxies, TrustedProxies::default());
        assert_eq!((settings.tls, settings.admin_token), (None, None));
        assert_eq!(settings.disk_reserve, DiskReserve::Usual);
        assert_eq!(settings.log, LogSettings::new("info", LogFormat::Text).unwrap());
    }

    #[test]
    fn every_setting_has_its_flag() {
        let settings = args(&[
            "--listen=[::1]:0",
            "--admin-listen=0.0.0.0:1",
            "--data-dir=/x",
            "--admin-token=0123456789abcdef",
            "--rate-limit-per-minute=1",
            "--connections-per-address=1",
            "--trusted-proxies=10.0.0.0/8,::1",
            "--disk-reserve=512MiB",
            "--tls-cert=c",
            "--tls-key=k",
            "--log=debug",
            "--log-format=json",
        ]);
        let settings = settings.unwrap();
        assert_eq!(settings.listen.to_string(), "[::1]:0");
        assert_eq!(settings.rate_limit_per_minute.get(), 1);
        assert_eq!(settings.connections_per_address.get(), 1);
        assert_eq!(settings.trusted_proxies, "10.0.0.0/8,::1".parse().unwrap());
        assert_eq!(settings.disk_reserve, DiskReserve::Bytes(512 << 20));
        assert_eq!(settings.tls, Some(TlsFiles { cert: "c".into(), key: "k".into() }));
        assert!(settings.admin_token.as_ref().unwrap().is("0123456789abcdef"));
        assert_eq!(settings.log, LogSettings::new("debug", LogFormat::Json).unwrap());
        assert!(!format!("{settings:?}").contains("0123456789abcdef"));
    }

    #[test]
    fn every_setting_has_the_variable_of_the_contract() {
        let command = Cli::command();
        let variables: Vec<_> = command.get_arguments().filter_map(|arg| arg.get_env()).collect();
        assert_eq!(
            variables,
            [
                "RECEPTIONIST_LISTEN",
                "RECEPTIONIST_ADMIN_LISTEN",
                "RECEPTIONIST_DATA_DIR",
                "RECEPTIONIST_ADMIN_TOKEN",
                "PUBLIC_API_RATE_LIMIT_PER_MINUTE",
                "RECEPTIONIST_CONNECTIONS_PER_ADDRESS",
                "RECEPTIONIST_TRUSTED_PROXIES",
                "RECEPTIONIST_DISK_RESERVE",
                "RECEPTIONIST_TLS_CERT",
                "RECEPTIONIST_TLS_KEY",
                "RECEPTIONIST_LOG",
                "RECEPTIONIST_LOG_FORMAT",
            ]
        );
    }

    #[test]
    fn a_bad_value_is_one_line_that_names_the_variable() {
        let number = |value| {
            format!("PUBLIC_API_RATE_LIMIT_PER_MINUTE: must be a whole number of at least 1, not {value:?}")
        };
        for value in ["abc", "0", "-1", "1.5", "4294967296", "1\n2"] {
            let flag = format!("--rate-limit-per-minute={value}");
            assert_eq!(args(&[&flag]).unwrap_err(), number(value));
        }
        for (flag, start) in [
            ("--listen=localhost", "RECEPTIONIST_LISTEN: must be an address"),
            ("--admin-listen=:80", "RECEPTIONIST_ADMIN_LISTEN: must be an address"),
            ("--data-dir=", "RECEPTIONIST_DATA_DIR: must not be empty"),
            ("--listen=", "RECEPTIONIST_LISTEN: must not be empty"),
            ("--admin-token=two words", "RECEPTIONIST_ADMIN_TOKEN: must be visible ASCII"),
            ("--admin-token=0123456789abcde", "RECEPTIONIST_ADMIN_TOKEN: must have at least 16 characters"),
            (
                "--connections-per-address=0",
                "RECEPTIONIST_CONNECTIONS_PER_ADDRESS: must be a whole number of",
            ),
            (
                "--connections-per-address=many",
                "RECEPTIONIST_CONNECTIONS_PER_ADDRESS: must be a whole number of",
            ),
            ("--trusted-proxies=", "RECEPTIONIST_TRUSTED_PROXIES: must not be empty"),
            (
                "--trusted-proxies=10.0.0.0/33",
                "RECEPTIONIST_TRUSTED_PROXIES: must be at most 256 networks or",
            ),
            (
                "--trusted-proxies=10.0.0.1,\nx",
                "RECEPTIONIST_TRUSTED_PROXIES: must be at most 256 networks or",
            ),
            ("--disk-reserve=", "RECEPTIONIST_DISK_RESERVE: must not be empty"),
            (
                "--disk-reserve=much",
                "RECEPTIONIST_DISK_RESERVE: must be a size such as 512MiB, 2GB or 0, not",
            ),
            ("--disk-reserve=-1", "RECEPTIONIST_DISK_RESERVE: must be a size"),
            ("--tls-cert=c", "RECEPTIONIST_TLS_KEY: must be set when RECEPTIONIST_TLS_CERT is"),
            ("--tls-key=k", "RECEPTIONIST_TLS_CERT: must be set when RECEPTIONIST_TLS_KEY is"),
            ("--log=a=b=c", "RECEPTIONIST_LOG: must be a log filter"),
            ("--log-format=xml", "RECEPTIONIST_LOG_FORMAT: must be text or json, not \"xml\""),
        ] {
            let error = args(&[flag]).unwrap_err();
            assert!(error.starts_with(start) && !error.contains('\n'), "{error}");
            assert!(!error.contains("two words"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_no_text_is_a_bad_value() {
        use std::os::unix::ffi::OsStringExt;
        let bad = ServeArgs { log: Some(OsString::from_vec(vec![0xff])), ..ServeArgs::default() };
        assert_eq!(Settings::try_from(bad).unwrap_err().to_string(), "RECEPTIONIST_LOG: must be valid UTF-8");
    }

    #[test]
    fn help_never_shows_the_token() {
        let command = Cli::command();
        let token = command.get_arguments().find(|arg| arg.get_id() == "admin_token").unwrap();
        assert!(token.is_hide_env_values_set());
    }
}
