//! The address of the operator API and the token for it.
//!
//! A command uses settings of the service (`RECEPTIONIST_ADMIN_LISTEN`, `RECEPTIONIST_ADMIN_TOKEN`,
//! `RECEPTIONIST_DATA_DIR`). Without these settings, a command looks for the token and the socket of a local service in
//! the data directories of `serve`, of `demo` and of the systemd unit, in this order.
//!
//! Invariant: if no address is set, but a data directory is set or found, a command sends the token only to the socket
//! in this directory. Only the directory's owner can create a socket there. If there is neither an address nor a data
//! directory, a command sends the token from the settings to the default address.

use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hyper::header::HeaderValue;
use rustls::ClientConfig;
use url::{Host, Url};

use super::carry_out::Failure;
use super::connect::{ServerAddress, bearer, trusting, trusting_the_system};
use crate::config::{ConfigError, OPERATOR_SOCKET, TOKEN_FILE, secret, variables};

/// The default data directory of `serve`.
const SERVE_DATA_DIR: &str = "./receptionist-data";
/// The default data directory of `demo`.
pub(super) const DEMO_DATA_DIR: &str = "./receptionist-demo";
/// The data directory of the systemd unit in `.deploy`.
const UNIT_DATA_DIR: &str = "/var/lib/receptionist";
/// The default address of the operator API.
pub(super) const ADMIN_LISTEN: &str = "127.0.0.1:8081";

#[derive(Clone, Args)]
#[command(next_help_heading = "Connection and output")]
pub struct OperatorOptions {
    /// Print the service's JSON response unchanged, and errors as JSON on standard error
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// The address of the operator API [default: the socket in the data directory, else 127.0.0.1:8081]
    #[arg(long, global = true, value_name = "ADDRESS", env = variables::ADMIN_LISTEN)]
    admin_listen: Option<String>,
    /// The URL of the operator API, such as https://desk.example.com:8081; takes precedence over
    /// --admin-listen
    #[arg(long, global = true, value_name = "URL", env = variables::ADMIN_URL)]
    admin_url: Option<String>,
    /// The operator's token [default: the token in the data directory]
    // A base64url token can begin with a hyphen.
    #[arg(long, global = true, value_name = "TOKEN", env = variables::ADMIN_TOKEN)]
    #[arg(hide_env_values = true, allow_hyphen_values = true)]
    admin_token: Option<OsString>,
    /// File that contains the operator's token
    #[arg(long, global = true, value_name = "FILE", env = variables::ADMIN_TOKEN_FILE)]
    admin_token_file: Option<OsString>,
    /// PEM file with the certificate of the operator listener or of its authority; enables HTTPS. An https
    /// URL does not need it if the system trusts the authority
    #[arg(long, global = true, value_name = "FILE", env = variables::ADMIN_TLS_CERT)]
    admin_tls_cert: Option<PathBuf>,
    /// The service's data directory with its socket and token [default: the first of ./receptionist-data,
    /// ./receptionist-demo and /var/lib/receptionist]
    #[arg(long, global = true, value_name = "DIR", env = variables::DATA_DIR)]
    data_dir: Option<PathBuf>,
}

#[derive(Debug)]
pub(super) struct Access {
    pub(super) address: ServerAddress,
    pub(super) tls: Option<Arc<ClientConfig>>,
    pub(super) authorization: HeaderValue,
    pub(super) origin: String,
    /// The token of `demo`, which is used if the service refuses the token in `authorization`.
    pub(super) otherwise: Option<HeaderValue>,
}

impl OperatorOptions {
    /// Determines the address and the token. The token may be in a file.
    pub(super) fn access(&self) -> Result<Access, Failure> {
        self.access_from(Path::new(""), Path::new(UNIT_DATA_DIR))
    }

    /// Does the work of [`Self::access`]. Tests pass other directories: `here` contains the default data directories,
    /// and `unit` is the data directory of the systemd unit.
    fn access_from(&self, here: &Path, unit: &Path) -> Result<Access, Failure> {
        let running = self.running_dir(here, unit)?;
        let (address, tls) = match (&running, &self.admin_url) {
            (Some(dir), _) => (ServerAddress::Socket(dir.join(OPERATOR_SOCKET)), None),
            (None, Some(url)) => self.at_url(url)?,
            (None, None) => (self.address()?.into(), self.tls()?),
        };
        let with = |(authorization, origin), otherwise| {
            Ok(Access { address, tls, authorization, origin, otherwise })
        };
        if let Some(given) = self.given_token()? {
            return with(given, None);
        }
        if let Some(dir) = running.as_ref().or(self.data_dir.as_ref()) {
            return with(read_token(&dir.join(TOKEN_FILE))?, None);
        }
        let [serve, demo, unit] = [here.join(SERVE_DATA_DIR), here.join(DEMO_DATA_DIR), unit.to_owned()]
            .map(|dir| Some(dir.join(TOKEN_FILE)).filter(|file| file.exists()));
        let otherwise = match (&serve, &demo) {
            (Some(_), Some(demo)) => Some(read_token(demo)?.0),
            _ => None,
        };
        let file = serve.or(demo).or(unit).ok_or_else(|| {
            Failure::usage(format!(
                "this user cannot read an operator's token in {SERVE_DATA_DIR}, {DEMO_DATA_DIR} or {UNIT_DATA_DIR}; run the command as root if systemd runs the service, or set the service's data directory with --data-dir (RECEPTIONIST_DATA_DIR) and its address with --admin-listen (RECEPTIONIST_ADMIN_LISTEN)"
            ))
        })?;
        with(read_token(&file)?, otherwise)
    }

    /// Whether the command must call a given address and not a socket. If a data directory is given, the command
    /// ignores an address from the variable `RECEPTIONIST_ADMIN_LISTEN` and calls the socket in the directory. The
    /// reason: any program may listen on the address, but only the directory's owner can create the socket.
    fn is_placed(&self) -> bool {
        let setting = std::env::var(variables::ADMIN_LISTEN).ok();
        let by_setting = self.data_dir.is_some() && self.admin_listen == setting;
        self.admin_url.is_some() || (self.admin_listen.is_some() && !by_setting)
    }

    /// Returns these options with a data directory, which is the first of these that applies:
    /// - the directory in the options
    /// - the first default directory with a running service
    /// - the first default directory that exists
    /// - the default of `serve`, if the options contain no token
    ///
    /// Returns `None` if none of these applies, or if the options contain the URL of the service.
    pub(super) fn with_data_dir(&self) -> Option<(Self, PathBuf)> {
        if self.admin_url.is_some() {
            return None;
        }
        let running = || self.running_dir(Path::new(""), Path::new(UNIT_DATA_DIR)).ok().flatten();
        let usual = [SERVE_DATA_DIR, DEMO_DATA_DIR, UNIT_DATA_DIR].map(PathBuf::from);
        let is_there = || usual.into_iter().find(|dir| dir.is_dir());
        let has_token = self.admin_token.is_some() || self.admin_token_file.is_some();
        let default = || (!has_token).then(|| SERVE_DATA_DIR.into());
        let dir = self.data_dir.clone().or_else(running).or_else(is_there).or_else(default)?;
        Some((Self { data_dir: Some(dir.clone()), ..self.clone() }, dir))
    }

    /// The token in the settings, and the name of the setting.
    fn given_token(&self) -> Result<Option<(HeaderValue, String)>, Failure> {
        let origin = match &self.admin_token_file {
            Some(_) => "RECEPTIONIST_ADMIN_TOKEN_FILE (--admin-token-file)",
            None => "RECEPTIONIST_ADMIN_TOKEN (--admin-token)",
        };
        let read = secret(
            variables::ADMIN_TOKEN,
            variables::ADMIN_TOKEN_FILE,
            self.admin_token.clone(),
            self.admin_token_file.clone(),
            authorization,
        )?;
        Ok(read.map(|authorization| (authorization, origin.to_owned())))
    }

    /// Returns the first data directory whose socket accepts a connection. Returns `None` if the command uses the
    /// address in the settings, or if there is no data directory. Fails if there are data directories but none of their
    /// sockets accepts a connection. Then the command must not try the default port: another program may listen on this
    /// port and would get the token.
    fn running_dir(&self, here: &Path, unit: &Path) -> Result<Option<PathBuf>, Failure> {
        if self.is_placed() {
            return Ok(None);
        }
        let user = rustix::process::geteuid().as_raw();
        let is_own = |dir: &PathBuf| std::fs::metadata(dir).is_ok_and(|found| found.uid() == user);
        let dirs = match &self.data_dir {
            Some(dir) => vec![dir.clone()],
            // Each of these two directories is ignored if it belongs to another user. That user could run a false
            // service in it, and a command that root runs would connect to the false service.
            None => [here.join(SERVE_DATA_DIR), here.join(DEMO_DATA_DIR)]
                .into_iter()
                .filter(is_own)
                .chain([unit.to_owned()])
                .filter(|dir| dir.join(TOKEN_FILE).exists())
                .collect(),
        };
        let mut first = None;
        for dir in dirs {
            match UnixStream::connect(dir.join(OPERATOR_SOCKET)) {
                Ok(_) => return Ok(Some(dir)),
                Err(error) => _ = first.get_or_insert((dir, error.kind())),
            }
        }
        let Some((dir, kind)) = first else { return Ok(None) };
        let reason = match kind {
            io::ErrorKind::InvalidInput if self.admin_listen.is_some() => return Ok(None),
            io::ErrorKind::InvalidInput => {
                return Err(Failure::usage(format!(
                    "the path of {} is too long for a socket; set the address of the operator API with --admin-url",
                    dir.join(OPERATOR_SOCKET).display()
                )));
            }
            io::ErrorKind::NotFound => "it does not exist".to_owned(),
            kind => kind.to_string(),
        };
        let failure = Failure::new(format!(
            "no service runs on {}: {OPERATOR_SOCKET} cannot be opened there ({reason}); start `receptionist serve`, or set the address of the operator API with --admin-url",
            dir.display()
        ));
        Err(Failure { unused_dir: Some(dir), ..failure })
    }

    fn at_url(&self, text: &str) -> Result<(ServerAddress, Option<Arc<ClientConfig>>), Failure> {
        let bad = |why: &str| Failure::usage(format!("RECEPTIONIST_ADMIN_URL (--admin-url) {why}"));
        let url =
            Url::parse(text).map_err(|_| bad("must be a URL, such as https://desk.example.com:8081"))?;
        let more = !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some();
        if more || !url.username().is_empty() || url.password().is_some() {
            return Err(bad("must have only a scheme, a host and a port"));
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => ip.to_string(),
            None => return Err(bad("must have a host")),
        };
        let port =
            url.port_or_known_default().filter(|port| *port != 0).ok_or_else(|| bad("must have a port"))?;
        let tls = match url.scheme() {
            // With http, the certificate setting has no effect. It is not refused, because it may be meant for the
            // service's listener.
            "http" => None,
            "https" => Some(match self.tls()? {
                Some(named) => named,
                None => trusting_the_system().map_err(Failure::usage)?,
            }),
            _ => return Err(bad("must begin with https:// or http://")),
        };
        Ok((ServerAddress::Network { host, port }, tls))
    }

    fn tls(&self) -> Result<Option<Arc<ClientConfig>>, ConfigError> {
        let Some(file) = &self.admin_tls_cert else { return Ok(None) };
        let failed = |why| ConfigError::new(variables::ADMIN_TLS_CERT, format!("{}: {why}", file.display()));
        Ok(Some(trusting(file).map_err(failed)?))
    }

    fn address(&self) -> Result<SocketAddr, Failure> {
        let bad =
            |why: &str| Failure::usage(format!("RECEPTIONIST_ADMIN_LISTEN (--admin-listen) must {why}"));
        let given = self.admin_listen.as_deref().unwrap_or(ADMIN_LISTEN);
        let mut address: SocketAddr =
            given.parse().map_err(|_| bad("be an address with a port, such as 127.0.0.1:8081"))?;
        if address.port() == 0 {
            return Err(bad("name the port on which the service listens, not 0"));
        }
        // The setting is an address to listen on. A service that listens on a wildcard address can be reached
        // at the loopback address.
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        Ok(address)
    }
}

fn authorization(token: &str) -> Result<HeaderValue, &'static str> {
    let is_fit = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    bearer(token).filter(|_| is_fit).ok_or("must be a token of visible ASCII characters")
}

/// Reads the token in a file, and returns it with the path of the file.
fn read_token(file: &Path) -> Result<(HeaderValue, String), Failure> {
    let origin = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::usage(format!(
            "cannot read the operator's token from {origin}: {}; set RECEPTIONIST_ADMIN_TOKEN, or RECEPTIONIST_DATA_DIR to the service's data directory",
            error.kind()
        ))
    })?;
    match authorization(text.trim()) {
        Ok(authorization) => Ok((authorization, origin)),
        Err(reason) => Err(Failure::usage(format!("{origin} {reason}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(address: &str, token: Option<&str>, data_dir: &Path) -> OperatorOptions {
        OperatorOptions {
            json: false,
            admin_listen: Some(address.into()),
            admin_url: None,
            admin_token: token.map(Into::into),
            admin_token_file: None,
            admin_tls_cert: None,
            data_dir: Some(data_dir.to_owned()),
        }
    }

    #[test]
    fn a_token_may_begin_with_a_hyphen() {
        #[derive(clap::Parser)]
        struct Given {
            #[command(flatten)]
            operator: OperatorOptions,
        }
        for token in ["-z3", "--z", "z-"] {
            let given = <Given as clap::Parser>::try_parse_from(["receptionist", "--admin-token", token]);
            assert_eq!(given.ok().unwrap().operator.admin_token.unwrap(), token);
        }
    }

    fn check_refused(address: &str, token: &str, start: &str) {
        let error = options(address, Some(token), Path::new("nowhere")).access().unwrap_err().to_string();
        assert!(error.starts_with(start) && error.lines().count() == 1, "{error}");
    }

    #[test]
    fn an_invalid_setting_gives_one_line_that_names_its_variable() {
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
    fn a_url_names_a_server_and_nothing_else() {
        let at = |url: &str| {
            let admin_url = Some(url.to_owned());
            OperatorOptions { admin_url, ..options("127.0.0.1:1", Some("t"), Path::new("nowhere")) }.access()
        };
        for (url, address, by_tls) in [
            ("http://desk.example.com:8081", "desk.example.com:8081", false),
            ("https://desk.example.com/", "desk.example.com:443", true),
            ("http://[::1]:9", "[::1]:9", false),
        ] {
            let access = at(url).unwrap();
            assert_eq!((access.address.to_string().as_str(), access.tls.is_some()), (address, by_tls));
        }
        for bad in
            ["desk:8081", "desk", "ftp://desk:1", "http://a@desk:1", "http://desk:1/admin", "http://desk:0"]
        {
            let error = at(bad).unwrap_err().to_string();
            assert!(error.starts_with("RECEPTIONIST_ADMIN_URL (--admin-url) must "), "{bad}: {error}");
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
    fn a_data_directory_with_too_long_a_path_for_a_socket_needs_an_address() {
        let dir = tempfile::tempdir().unwrap().path().join("x".repeat(120));
        let options = OperatorOptions { admin_listen: None, ..options("", Some("t"), &dir) };
        let error = options.access().unwrap_err().to_string();
        assert!(error.contains("too long for a socket") && error.contains("--admin-url"), "{error}");
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
        let access = options("127.0.0.1:1", Some("hidden"), Path::new("nowhere")).access().unwrap();
        assert!(!format!("{access:?}").contains("hidden"));
    }

    #[test]
    fn the_token_of_a_service_that_has_run_here_is_found() {
        let here = tempfile::tempdir().unwrap();
        let options =
            OperatorOptions { data_dir: None, ..options("127.0.0.1:1", None, Path::new("nowhere")) };
        let unit = here.path().join("unit");
        let error = options.access_from(here.path(), &unit).unwrap_err().to_string();
        assert!(error.contains("./receptionist-demo") && error.contains("--admin-listen"), "{error}");

        let keep = |dir: &str, token: &str| {
            std::fs::create_dir(here.path().join(dir)).unwrap();
            std::fs::write(here.path().join(dir).join("admin-token"), token).unwrap();
        };
        keep("unit", "unit");
        let access = options.access_from(here.path(), &unit).unwrap();
        assert_eq!((access.authorization.to_str().unwrap(), access.otherwise), ("Bearer unit", None));
        keep("receptionist-demo", "demo");
        let access = options.access_from(here.path(), &unit).unwrap();
        assert_eq!((access.authorization.to_str().unwrap(), access.otherwise), ("Bearer demo", None));
        keep("receptionist-data", "serve");
        let access = options.access_from(here.path(), &unit).unwrap();
        assert_eq!(access.authorization, "Bearer serve");
        assert_eq!(access.otherwise.unwrap(), "Bearer demo");
    }
}
