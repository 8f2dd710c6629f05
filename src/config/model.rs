//! The settings of the chat model that speaks for the receptionist. Without them, the receptionist uses its
//! guided path: fixed questions and choices.

use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;

use net::ModelAddress;
use serde_json::{Map, Value};
use url::{Host, Url};

use super::value::{ConfigError, read, secret};
use super::variables;

/// The service itself sets these members of each request to the model, so the options must not contain them.
const OWN_MEMBERS: [&str; 4] = ["messages", "tools", "stream", "model"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// The base address, without `/chat/completions` and without a slash at its end.
    pub url: String,
    /// The host that receives the words of customers.
    pub host: String,
    pub model: String,
    pub key: Option<ModelKey>,
    /// The members that are added to each request.
    pub options: Map<String, Value>,
}

impl ModelSettings {
    /// Returns the address for requests, or `None` if the URL has no host or no known port.
    pub fn address(&self) -> Option<ModelAddress> {
        let url = Url::parse(&format!("{}/chat/completions", self.url)).ok()?;
        let host = match url.host()? {
            Host::Domain(name) => domain::Host::Name(name.trim_end_matches('.').to_owned()),
            Host::Ipv4(address) => domain::Host::Ip(address.into()),
            Host::Ipv6(address) => domain::Host::Ip(address.into()),
        };
        let port = url.port_or_known_default()?;
        Some(ModelAddress { has_tls: url.scheme() == "https", host, port, path: url.path().to_owned() })
    }
}

/// The key of the model's server. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelKey(String);

impl ModelKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ModelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ModelKey(…)")
    }
}

/// The settings as they are given, before they are checked.
pub(super) struct ModelTexts {
    pub(super) url: Option<OsString>,
    pub(super) model: Option<OsString>,
    pub(super) key: Option<OsString>,
    pub(super) key_file: Option<OsString>,
    pub(super) options: Option<OsString>,
}

pub(super) fn model(texts: ModelTexts) -> Result<Option<ModelSettings>, ConfigError> {
    let url = read(variables::LLM_URL, texts.url, base)?;
    let model = read(variables::LLM_MODEL, texts.model, |name| Ok::<_, &str>(name.to_owned()))?;
    let key = secret(variables::LLM_KEY, variables::LLM_KEY_FILE, texts.key, texts.key_file, key)?;
    let options = read(variables::LLM_OPTIONS, texts.options, options)?.unwrap_or_default();
    match (url, model) {
        (None, _) => Ok(None),
        (Some((url, host)), Some(model)) => Ok(Some(ModelSettings { url, host, model, key, options })),
        (Some(_), None) => {
            let missing = format!("must be set when {} is set", variables::LLM_URL);
            Err(ConfigError::new(variables::LLM_MODEL, missing))
        }
    }
}

fn key(text: &str) -> Result<ModelKey, &'static str> {
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_visible { Ok(ModelKey(text.to_owned())) } else { Err("must be visible ASCII characters") }
}

/// Checks the base address, and returns it with its host. Plain http is accepted only for loopback and
/// private addresses, since others on the network could read the requests.
fn base(text: &str) -> Result<(String, String), &'static str> {
    const FORM: &str =
        "must be an address such as https://models.example.com/v1, without a user name, query or fragment";
    let url = Url::parse(text).map_err(|_| FORM)?;
    let has_more = !url.username().is_empty() || url.password().is_some();
    let host = url.host().filter(|_| !has_more && url.query().is_none() && url.fragment().is_none());
    let host = host.ok_or(FORM)?;
    match url.scheme() {
        "https" => {}
        "http" if is_loopback_or_private(&host) => {}
        "http" => return Err("must begin with https://, unless its host is a loopback or private address"),
        _ => return Err(FORM),
    }
    Ok((url.as_str().trim_end_matches('/').to_owned(), host.to_string()))
}

fn is_loopback_or_private(host: &Host<&str>) -> bool {
    let address = match host {
        Host::Domain(name) => return *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => IpAddr::V4(*address),
        Host::Ipv6(address) => IpAddr::V6(*address).to_canonical(),
    };
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    }
}

fn options(text: &str) -> Result<Map<String, Value>, String> {
    let Ok(Value::Object(options)) = serde_json::from_str(text) else {
        return Err("must be a JSON object".into());
    };
    match OWN_MEMBERS.iter().find(|name| options.contains_key(**name)) {
        Some(name) => Err(format!("must not contain {name}, which the service sets")),
        None => Ok(options),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, name: Option<&str>, options: Option<&str>) -> Result<Option<ModelSettings>, String> {
        let os = |text: &str| Some(OsString::from(text));
        let texts = ModelTexts {
            url: os(url),
            model: name.and_then(os),
            key: os("sk-1"),
            key_file: None,
            options: options.and_then(os),
        };
        model(texts).map_err(|error| error.to_string())
    }

    #[test]
    fn requests_go_to_the_path_below_the_base_address() {
        for (url, has_tls, host, port, path) in [
            ("https://models.example.com/v1/", true, "models.example.com", 443, "/v1/chat/completions"),
            ("http://localhost:11434/v1", false, "localhost", 11434, "/v1/chat/completions"),
            ("http://[::1]", false, "[::1]", 80, "/chat/completions"),
        ] {
            let address = read(url, Some("m"), None).unwrap().unwrap().address().unwrap();
            assert_eq!(
                (address.has_tls, address.port, address.path.as_str()),
                (has_tls, port, path),
                "{url}"
            );
            assert_eq!(address.host.to_string(), host);
        }
    }

    #[test]
    fn plain_http_is_only_for_loopback_and_private_addresses() {
        for url in [
            "https://models.example.com/v1/",
            "http://127.0.0.1:11434/v1",
            "http://[::1]:8000",
            "http://localhost:11434/v1",
            "http://10.1.2.3/v1",
            "http://192.168.0.9:8080",
            "http://[fd00::7]/v1",
        ] {
            let settings = read(url, Some("m"), None).unwrap().unwrap();
            assert_eq!(settings.url, url.trim_end_matches('/'));
            assert!(!format!("{settings:?}").contains("sk-1"));
        }
        for url in [
            "http://models.example.com/v1",
            "http://8.8.8.8/v1",
            "http://[2001:db8::1]/v1",
            "ftp://127.0.0.1",
            "https://a:b@models.example.com",
            "https://models.example.com?x=1",
            "models",
        ] {
            assert!(read(url, Some("m"), None).unwrap_err().starts_with("RECEPTIONIST_LLM_URL"), "{url}");
        }
    }

    #[test]
    fn an_address_needs_a_model_and_the_options_must_be_an_object() {
        let url = "https://models.example.com/v1";
        assert!(read(url, None, None).unwrap_err().starts_with("RECEPTIONIST_LLM_MODEL"));
        let some = read(url, Some("m"), Some(r#"{"temperature": 0}"#)).unwrap().unwrap();
        assert_eq!(some.options["temperature"], 0);
        for bad in
            ["[]", "{", r#"{"stream": true}"#, r#"{"messages": []}"#, r#"{"tools": []}"#, r#"{"model": "x"}"#]
        {
            let error = read(url, Some("m"), Some(bad)).unwrap_err();
            assert!(error.starts_with("RECEPTIONIST_LLM_OPTIONS"), "{bad}: {error}");
        }
    }
}
