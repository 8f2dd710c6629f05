//! The settings of `serve`. Each setting has a flag and an environment variable.
//!
//! clap collects the raw values, and [`Settings`] checks and parses them once. An error message is one line that
//! begins with the name of the variable, even if the flag was used. The process then exits with
//! [`EXIT_CODE`]. A variable that is set but empty is an error.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use engine::upgrade::Upgrades;
use store::DiskReserve;

use crate::mail::{MailFrom, MailSettings, Relay};
use crate::server::{CONNECTIONS_PER_ADDRESS, TlsFiles, TlsSettings, TrustedProxies};
use crate::telemetry::{LogFormat, LogSettings};

mod model;
mod public_url;
mod token;
mod value;
pub mod variables;

use model::ModelTexts;
pub use model::{ModelKey, ModelSettings};
pub use public_url::PublicUrl;
pub use token::{AdminToken, OPERATOR_SOCKET, TOKEN_FILE};
pub use value::ConfigError;
use value::{path, read};
pub(crate) use value::{secret, text};

pub const EXIT_CODE: u8 = 2;

/// The settings as unparsed text. The comments on the fields are the help texts.
#[derive(clap::Args, Default)]
pub struct ServeArgs {
    /// Address of the public listener; port 0 lets the system choose a port [default: 127.0.0.1:8080]
    #[arg(long, env = variables::LISTEN, value_name = "ADDR")]
    pub listen: Option<OsString>,
    /// Address of the operator listener; port 0 lets the system choose a port [default: 127.0.0.1:8081]
    #[arg(long, env = variables::ADMIN_LISTEN, value_name = "ADDR")]
    pub admin_listen: Option<OsString>,
    /// Host names of the operator listener, separated by commas, in addition to IP addresses, localhost and
    /// the names in its certificate [default: none]
    #[arg(long, env = variables::ADMIN_HOSTS, value_name = "NAMES")]
    pub admin_hosts: Option<OsString>,
    /// Calendar servers that may have private addresses, as host:port, separated by commas [default: none]
    #[arg(long, env = variables::CALENDAR_HOSTS, value_name = "SERVERS")]
    pub calendar_hosts: Option<OsString>,
    /// Origin of the service's public URLs; it must use https unless it is a loopback address [default: the
    /// origin of the public listener, if that listens on a loopback address or uses HTTPS]
    #[arg(long, env = variables::PUBLIC_URL, value_name = "URL")]
    pub public_url: Option<OsString>,
    /// Directory of the store [default: ./receptionist-data]
    #[arg(long, env = variables::DATA_DIR, value_name = "DIR")]
    pub data_dir: Option<OsString>,
    /// The operator's token [default: a random token, stored in DATA_DIR/admin-token]; prefer the environment
    /// variable, because other users of the machine can read the arguments of a process
    #[arg(long, env = variables::ADMIN_TOKEN, value_name = "TOKEN", hide_env_values = true, allow_hyphen_values = true)]
    pub admin_token: Option<OsString>,
    /// File that contains the operator's token
    #[arg(long, env = variables::ADMIN_TOKEN_FILE, value_name = "FILE")]
    pub admin_token_file: Option<OsString>,
    /// Number of requests per API key and minute [default: 120]
    #[arg(long = "rate-limit-per-minute", env = variables::RATE_LIMIT, value_name = "COUNT")]
    pub rate_limit: Option<OsString>,
    /// The same setting as --rate-limit-per-minute; if both are set, they must be equal
    #[arg(long = "receptionist-rate-limit-per-minute", env = variables::RATE_LIMIT_TOO, value_name = "COUNT", hide = true)]
    pub rate_limit_too: Option<OsString>,
    /// Number of submitted forms per person and minute in the dashboard [default: 240]
    #[arg(long = "person-rate-limit-per-minute", env = variables::PERSON_RATE_LIMIT, value_name = "COUNT")]
    pub person_rate_limit: Option<OsString>,
    /// Number of connections per client address (IPv6: per /64) to a listener; trusted proxies have no limit
    /// [default: 1024]
    #[arg(long, env = variables::CONNECTIONS_PER_ADDRESS, value_name = "COUNT")]
    pub connections_per_address: Option<OsString>,
    /// Networks of trusted proxies, separated by commas; their X-Forwarded-For headers identify clients in
    /// limits and logs [default: none]
    #[arg(long, env = variables::TRUSTED_PROXIES, value_name = "NETWORKS")]
    pub trusted_proxies: Option<OsString>,
    /// Free disk space below which the service refuses changes that enlarge the store; 0 disables this check; other
    /// values below 32MiB count as 32MiB, which the storage engine needs [default: 1GiB or 5 % of the disk, whichever
    /// is less]
    #[arg(long, env = variables::DISK_RESERVE, value_name = "SIZE")]
    pub disk_reserve: Option<OsString>,
    /// Number of businesses in memory at once; the least recently used one is unloaded first [default: 2000]
    #[arg(long, env = variables::BUSINESS_ACTORS_MAX, value_name = "COUNT")]
    pub business_actors_max: Option<OsString>,
    /// Refuse a store in an earlier format instead of converting it; earlier versions cannot read a converted
    /// store [default: false]
    #[arg(
        long,
        env = variables::NO_UPGRADE,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub no_upgrade: Option<OsString>,
    /// PEM file with the certificate chain of the public listener; enables HTTPS
    #[arg(long, env = variables::TLS_CERT, value_name = "FILE")]
    pub tls_cert: Option<OsString>,
    /// PEM file with the private key of the public listener
    #[arg(long, env = variables::TLS_KEY, value_name = "FILE")]
    pub tls_key: Option<OsString>,
    /// PEM file with the certificate chain of the operator listener; enables HTTPS
    #[arg(long, env = variables::ADMIN_TLS_CERT, value_name = "FILE")]
    pub admin_tls_cert: Option<OsString>,
    /// PEM file with the private key of the operator listener
    #[arg(long, env = variables::ADMIN_TLS_KEY, value_name = "FILE")]
    pub admin_tls_key: Option<OsString>,
    /// Allow an operator listener on a non-loopback address without TLS, although others can then read the
    /// token in transit [true or false]
    #[arg(long, env = variables::I_KNOW, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true")]
    pub i_know: Option<OsString>,
    /// Mail relay: smtps://user:password@host:465, smtp://user:password@host:587 or smtp+plain://host:port
    /// [default: no mail is sent]; prefer the environment variable, because other users of the machine can
    /// read the arguments of a process
    #[arg(long, env = variables::SMTP_URL, value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<OsString>,
    /// File that contains the address of the mail relay
    #[arg(long, env = variables::SMTP_URL_FILE, value_name = "FILE")]
    pub smtp_url_file: Option<OsString>,
    /// Sender of mails, such as "Reception <desk@example.com>"; required with a relay
    #[arg(long, env = variables::MAIL_FROM, value_name = "ADDRESS")]
    pub mail_from: Option<OsString>,
    /// Base address of a server with the chat completions API of OpenAI, without /chat/completions; plain http only for
    /// loopback and private addresses [default: none]
    #[arg(long, env = variables::LLM_URL, value_name = "URL")]
    pub llm_url: Option<OsString>,
    /// Name of the chat model; required with --llm-url
    #[arg(long, env = variables::LLM_MODEL, value_name = "NAME")]
    pub llm_model: Option<OsString>,
    /// Key of the model's server; prefer the environment variable, because other users of the machine can read the
    /// arguments of a process
    #[arg(long, env = variables::LLM_KEY, value_name = "KEY", hide_env_values = true, allow_hyphen_values = true)]
    pub llm_key: Option<OsString>,
    /// File that contains the key of the model's server
    #[arg(long, env = variables::LLM_KEY_FILE, value_name = "FILE")]
    pub llm_key_file: Option<OsString>,
    /// JSON object whose members the service adds to each request to the model [default: {}]
    #[arg(long, env = variables::LLM_OPTIONS, value_name = "JSON")]
    pub llm_options: Option<OsString>,
    /// Log filter for standard error, in the syntax of tracing [default: info]
    #[arg(long, env = variables::LOG, value_name = "FILTER")]
    pub log: Option<OsString>,
    /// Format of log lines: text or json [default: text]
    #[arg(long, env = variables::LOG_FORMAT, value_name = "FORMAT")]
    pub log_format: Option<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests per API key and minute.
    pub key: NonZeroU32,
    /// Submitted forms per person and minute.
    pub person: NonZeroU32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub listen: SocketAddr,
    pub admin_listen: SocketAddr,
    /// Host names in lower case.
    pub admin_hosts: Vec<String>,
    /// Calendar servers that may have private addresses, as `host:port`, in lower case.
    pub calendar_hosts: Vec<String>,
    pub public_url: Option<PublicUrl>,
    pub data_dir: PathBuf,
    /// If this is `None`, the token in the data directory is used ([`AdminToken::load_or_create`]).
    pub admin_token: Option<AdminToken>,
    pub rate_limits: RateLimits,
    pub connections_per_address: NonZeroUsize,
    pub trusted_proxies: TrustedProxies,
    pub disk_reserve: DiskReserve,
    pub business_actors_max: NonZeroUsize,
    pub upgrades: Upgrades,
    /// If this is `None`, the listener uses plain HTTP.
    pub tls: Option<TlsFiles>,
    pub admin_tls: Option<TlsFiles>,
    /// If this is `None`, the service sends no mail.
    pub mail: Option<MailSettings>,
    /// If this is `None`, the receptionist uses no model. It then asks fixed questions and offers choices.
    pub model: Option<ModelSettings>,
    pub log: LogSettings,
}

impl Settings {
    /// Whether others on the network can read the operator's token when a command sends it.
    pub fn admin_is_exposed(&self) -> bool {
        self.admin_tls.is_none() && !self.admin_listen.ip().to_canonical().is_loopback()
    }

    pub(crate) fn hosts(&self) -> [Vec<String>; 2] {
        [self.public_url.iter().map(|url| url.dialled().0).collect(), self.admin_hosts.clone()]
    }
}

const AT_LEAST_1: &str = "must be a whole number of at least 1";

impl TryFrom<ServeArgs> for Settings {
    type Error = ConfigError;

    fn try_from(args: ServeArgs) -> Result<Self, ConfigError> {
        let address = "must be an address and a port such as 127.0.0.1:8080";
        let settings = Self {
            listen: parsed(variables::LISTEN, args.listen, "127.0.0.1:8080", address)?,
            admin_listen: parsed(variables::ADMIN_LISTEN, args.admin_listen, "127.0.0.1:8081", address)?,
            admin_hosts: read(variables::ADMIN_HOSTS, args.admin_hosts, host_names)?.unwrap_or_default(),
            calendar_hosts: read(variables::CALENDAR_HOSTS, args.calendar_hosts, servers)?
                .unwrap_or_default(),
            public_url: PublicUrl::read(args.public_url)?,
            data_dir: path(variables::DATA_DIR, args.data_dir)?.unwrap_or_else(|| "receptionist-data".into()),
            admin_token: secret(
                variables::ADMIN_TOKEN,
                variables::ADMIN_TOKEN_FILE,
                args.admin_token,
                args.admin_token_file,
                AdminToken::new,
            )?,
            rate_limits: RateLimits {
                key: rate_limit(args.rate_limit, args.rate_limit_too)?,
                person: parsed(variables::PERSON_RATE_LIMIT, args.person_rate_limit, "240", AT_LEAST_1)?,
            },
            connections_per_address: parsed(
                variables::CONNECTIONS_PER_ADDRESS,
                args.connections_per_address,
                &CONNECTIONS_PER_ADDRESS.to_string(),
                AT_LEAST_1,
            )?,
            trusted_proxies: read(
                variables::TRUSTED_PROXIES,
                args.trusted_proxies,
                str::parse::<TrustedProxies>,
            )?
            .unwrap_or_default(),
            disk_reserve: read(variables::DISK_RESERVE, args.disk_reserve, |size| {
                value::size(size).ok_or("must be a size such as 512MiB, 2GB or 0")
            })?
            .map_or(DiskReserve::Usual, DiskReserve::Bytes),
            business_actors_max: parsed(
                variables::BUSINESS_ACTORS_MAX,
                args.business_actors_max,
                &engine::BUSINESS_ACTORS.to_string(),
                AT_LEAST_1,
            )?,
            upgrades: match boolean(variables::NO_UPGRADE, args.no_upgrade)? {
                false => Upgrades::Allowed,
                true => Upgrades::Refused,
            },
            tls: tls(TLS, args.tls_cert, args.tls_key)?,
            admin_tls: tls(ADMIN_TLS, args.admin_tls_cert, args.admin_tls_key)?,
            mail: mail(args.smtp_url, args.smtp_url_file, args.mail_from)?,
            model: model::model(ModelTexts {
                url: args.llm_url,
                model: args.llm_model,
                key: args.llm_key,
                key_file: args.llm_key_file,
                options: args.llm_options,
            })?,
            log: log(args.log, args.log_format)?,
        };
        let known = boolean(variables::I_KNOW, args.i_know)?;
        if settings.admin_is_exposed() && !known {
            let reason = format!(
                "must be a loopback address, or set {} and {} for TLS; to accept that others can read the operator's token, set --i-know ({})",
                variables::ADMIN_TLS_CERT,
                variables::ADMIN_TLS_KEY,
                variables::I_KNOW
            );
            return Err(ConfigError::new(variables::ADMIN_LISTEN, reason));
        }
        Ok(settings)
    }
}

fn mail(
    relay: Option<OsString>,
    relay_file: Option<OsString>,
    from: Option<OsString>,
) -> Result<Option<MailSettings>, ConfigError> {
    let (variable, file_variable) = (variables::SMTP_URL, variables::SMTP_URL_FILE);
    let relay = secret(variable, file_variable, relay, relay_file, str::parse::<Relay>)?;
    match (relay, read(variables::MAIL_FROM, from, str::parse::<MailFrom>)?) {
        (None, _) => Ok(None),
        (Some(relay), Some(from)) => Ok(Some(MailSettings { relay, from })),
        (Some(_), None) => {
            let missing = format!("must be set when {} is set", variables::SMTP_URL);
            Err(ConfigError::new(variables::MAIL_FROM, missing))
        }
    }
}

/// The rate limit of API keys. Two variables can set it; if both are set, they must be equal.
fn rate_limit(given: Option<OsString>, too: Option<OsString>) -> Result<NonZeroU32, ConfigError> {
    let read = |variable, given| parsed(variable, given, "120", AT_LEAST_1);
    match (given, too) {
        (given, None) => read(variables::RATE_LIMIT, given),
        (None, too) => read(variables::RATE_LIMIT_TOO, too),
        (given, too) => {
            let (limit, other) = (read(variables::RATE_LIMIT, given)?, read(variables::RATE_LIMIT_TOO, too)?);
            let problem = format!("is {other}, and {} is {limit}; set one of them", variables::RATE_LIMIT);
            if limit == other { Ok(limit) } else { Err(ConfigError::new(variables::RATE_LIMIT_TOO, problem)) }
        }
    }
}

fn host_names(names: &str) -> Result<Vec<String>, &'static str> {
    let name = |name: &str| match url::Host::parse(name.trim()) {
        Ok(url::Host::Domain(name)) => Ok(name),
        _ => Err("must be host names without ports, separated by commas"),
    };
    names.split(',').map(name).collect()
}

fn servers(servers: &str) -> Result<Vec<String>, &'static str> {
    const FORM: &str = "must be servers such as radicale.local:5232, separated by commas";
    let server = |server: &str| {
        let (host, port) = server.trim().rsplit_once(':').ok_or(FORM)?;
        let host = url::Host::parse(host).map_err(|_| FORM)?;
        port.parse::<u16>().ok().filter(|port| *port > 0).map(|port| format!("{host}:{port}")).ok_or(FORM)
    };
    servers.split(',').map(server).collect()
}

const TLS: TlsSettings = TlsSettings { cert: variables::TLS_CERT, key: variables::TLS_KEY };
const ADMIN_TLS: TlsSettings = TlsSettings { cert: variables::ADMIN_TLS_CERT, key: variables::ADMIN_TLS_KEY };

fn tls(
    settings: TlsSettings,
    cert: Option<OsString>,
    key: Option<OsString>,
) -> Result<Option<TlsFiles>, ConfigError> {
    let missing = |missing, given| Err(ConfigError::new(missing, format!("must be set when {given} is set")));
    match (path(settings.cert, cert)?, path(settings.key, key)?) {
        (None, None) => Ok(None),
        (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert, key, settings })),
        (Some(_), None) => missing(settings.key, settings.cert),
        (None, Some(_)) => missing(settings.cert, settings.key),
    }
}

fn boolean(variable: &'static str, given: Option<OsString>) -> Result<bool, ConfigError> {
    let parse = |text: &str| text.parse::<bool>().map_err(|_| "must be true or false");
    Ok(read(variable, given, parse)?.unwrap_or_default())
}

fn log(filter: Option<OsString>, format: Option<OsString>) -> Result<LogSettings, ConfigError> {
    let format = read(variables::LOG_FORMAT, format, |text| match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("must be text or json"),
    })?;
    let format = format.unwrap_or(LogFormat::Text);
    let filter = read(variables::LOG, filter, |filter| LogSettings::new(filter, format))?;
    filter
        .map_or_else(|| LogSettings::new("info", format), Ok)
        .map_err(|error| ConfigError::new(variables::LOG, error))
}

/// Parses the value of a setting, or its default. `expected` completes the error message.
fn parsed<T: std::str::FromStr>(
    variable: &'static str,
    given: Option<OsString>,
    default: &str,
    expected: &str,
) -> Result<T, ConfigError> {
    let given = given.unwrap_or_else(|| default.into());
    let value = read(variable, Some(given), |text| text.parse().map_err(|_| expected));
    Ok(value?.expect("the value or its default is set"))
}

#[cfg(test)]
mod tests;
