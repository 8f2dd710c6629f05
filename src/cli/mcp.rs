//! `mcp` is the MCP server on standard input and output, for an assistant that starts it as a child process.
//!
//! Invariants: standard output contains only JSON-RPC. If a setting is invalid, the process writes one line
//! to standard error and exits with code 2. At the end of the input, the process answers the remaining
//! requests and exits with code 0.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;
use engine::credentials::Credential;
use hyper::header::HeaderValue;

use super::bridge::Bridge;
use super::carry_out::carry_out;
use super::connect::{Connector, ServerAddress, bearer, trusting_the_system};
use super::print;
use crate::config::{ConfigError, PublicUrl, secret, text, variables};

const USUAL_URL: &str = "http://127.0.0.1:8080";

/// Paths that people often copy together with the origin.
const COPIED_PATHS: [&str; 2] = ["/v1", "/mcp"];

#[derive(Args)]
pub struct McpArgs {
    /// The origin of the service [default: http://127.0.0.1:8080]
    #[arg(long, env = variables::URL, value_name = "URL")]
    url: Option<OsString>,
    /// The API key; prefer the environment variable, because other users of the machine can read the arguments
    /// of a process
    #[arg(long, env = variables::API_KEY, value_name = "KEY", hide_env_values = true)]
    api_key: Option<OsString>,
    /// File that contains the API key
    #[arg(long, env = variables::API_KEY_FILE, value_name = "FILE")]
    api_key_file: Option<OsString>,
}

/// Serves the protocol until the end of the input.
pub fn mcp(args: McpArgs) -> ExitCode {
    let act = async {
        bridge(args)?.run().await;
        Ok(())
    };
    carry_out(false, Box::pin(act))
}

fn bridge(args: McpArgs) -> Result<Bridge, ConfigError> {
    let given = text(variables::URL, args.url)?.unwrap_or_else(|| USUAL_URL.to_owned());
    let origin = origin(&given).ok_or_else(|| {
        let expected = "must be the origin of the service, such as https://book.example.com";
        ConfigError::new(variables::URL, format!("{expected}, not {given:?}"))
    })?;
    if let Some(warning) = warning(&origin) {
        print::note(&warning);
    }
    let key = secret(variables::API_KEY, variables::API_KEY_FILE, args.api_key, args.api_key_file, key)?;
    let authorization = key.ok_or_else(|| {
        let reason = "must be set to an API key; the operator creates one with `receptionist key create`";
        ConfigError::new(variables::API_KEY, reason)
    })?;
    let tls = origin.is_https().then(trusting_the_system).transpose();
    let tls = tls.map_err(|error| ConfigError::new("SSL_CERT_FILE", error))?;
    let (host, port) = origin.dialled();
    let connector = Connector::new(ServerAddress::Network { host, port }, tls);
    Ok(Bridge::new(connector, origin.to_string(), authorization))
}

fn warning(origin: &PublicUrl) -> Option<String> {
    let is_readable = !origin.is_https() && !origin.is_loopback();
    is_readable.then(|| {
        format!("warning: {origin} is plain http, so others on the network can read the API key; use https")
    })
}

/// Parses an origin. If one of the [`COPIED_PATHS`] follows the origin, ignores the path.
fn origin(given: &str) -> Option<PublicUrl> {
    let mut text = given.trim_end_matches('/');
    for path in COPIED_PATHS {
        text = text.strip_suffix(path).unwrap_or(text);
    }
    PublicUrl::parse(text)
}

fn key(text: &str) -> Result<HeaderValue, &'static str> {
    let malformed = "must be an API key, which begins with rcpt_";
    Credential::parse(text).and_then(|_| bearer(text)).ok_or(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_copied_with_its_path() {
        for given in [
            "http://127.0.0.1:8080",
            "http://127.0.0.1:8080/",
            "http://127.0.0.1:8080/v1",
            "http://127.0.0.1:8080/v1/",
            "http://127.0.0.1:8080/mcp",
        ] {
            assert_eq!(origin(given).unwrap().to_string(), "http://127.0.0.1:8080", "{given}");
        }
        for bad in ["", "127.0.0.1:8080", "http://127.0.0.1:8080/v2", "file:///mcp", "http://u:p@host"] {
            assert_eq!(origin(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_unencrypted_connection_gets_a_warning() {
        let warned = |given: &str| warning(&origin(given).unwrap());
        for quiet in
            ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:1", "https://book.example.com"]
        {
            assert_eq!(warned(quiet), None);
        }
        let said = warned("http://book.example.com/v1").unwrap();
        assert!(said.starts_with("warning: http://book.example.com is plain http") && !said.contains('\n'));
    }

    #[test]
    fn a_malformed_variable_is_named_and_a_key_is_never_shown() {
        let made = |url: &str, key: Option<&str>| {
            let args = McpArgs { url: Some(url.into()), api_key: key.map(Into::into), api_key_file: None };
            bridge(args).map(|_| ()).map_err(|error| error.to_string())
        };
        let good = format!("rcpt_12345678_{}", "a".repeat(32));
        assert_eq!(made("http://127.0.0.1:8080", Some(&good)), Ok(()));
        for (url, key, start) in [
            ("nowhere", Some(good.as_str()), "RECEPTIONIST_URL: must be the origin"),
            ("", Some(&good), "RECEPTIONIST_URL: must not be empty"),
            ("http://127.0.0.1:8080", None, "RECEPTIONIST_API_KEY: must be set"),
            ("http://127.0.0.1:8080", Some("rcpt_secret"), "RECEPTIONIST_API_KEY: must be an API key"),
        ] {
            let error = made(url, key).unwrap_err();
            assert!(
                error.starts_with(start) && !error.contains('\n') && !error.contains("secret"),
                "{error}"
            );
        }
    }
}
