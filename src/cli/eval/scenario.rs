//! The file of scenarios.

use domain::{Channel, Phone, Timestamp};
use regex::Regex;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::{Map, Value};

use super::super::files;

/// The maximum size of a file in bytes.
const FILE_BYTES_MAX: u64 = 4 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scenarios: Vec<Scenario>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) now: Timestamp,
    /// The lines of an export, without the first and the last line.
    pub(super) business: Vec<Value>,
    pub(super) caller: Caller,
    pub(super) expect: Expected,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Caller {
    pub(super) channel: Channel,
    #[serde(default, deserialize_with = "phone")]
    pub(super) from: Option<Phone>,
    pub(super) says: Vec<Says>,
}

/// A turn of the caller.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Says {
    Text(String),
    Other(OtherThanText),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(super) enum OtherThanText {
    Keys(Word),
    Choice(Word),
    /// The newest code that was sent.
    Code(True),
    /// The confirmation number in the receptionist's last turn.
    Number(True),
}

/// The value `true`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "bool")]
pub(super) struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(is_true: bool) -> Result<Self, Self::Error> {
        if is_true { Ok(Self) } else { Err("must be true") }
    }
}

/// A text that YAML may read as a number.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Word {
    Text(String),
    Number(u64),
}

impl Word {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// All active appointments that must exist after the run. Only the given fields are compared.
    pub(super) appointments: Option<Vec<Map<String, Value>>>,
    /// All messages that must exist after the run. Only the given fields are compared.
    pub(super) messages: Option<Vec<Map<String, Value>>>,
    pub(super) outcome: Option<String>,
    /// Regular expressions. Each of them must match at least one of the receptionist's turns.
    #[serde(default)]
    pub(super) said: Vec<Pattern>,
    #[serde(default)]
    pub(super) never_said: Vec<Pattern>,
}

#[derive(Clone, Debug)]
pub(super) struct Pattern(pub(super) Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text).map(Self).map_err(D::Error::custom)
    }
}

fn phone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Phone>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let parsed =
        text.map(|text| Phone::from_e164(text).map_err(|_| D::Error::custom("from must be in E.164 form")));
    parsed.transpose()
}

/// Reads the scenarios of a file. The error is one text for the user.
pub(super) fn read(file: &str) -> Result<Vec<Scenario>, String> {
    let bytes = files::read(file, FILE_BYTES_MAX).map_err(|error| format!("cannot read {file}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{file} is not UTF-8"))?;
    parse(&text).map_err(|error| format!("{file}: {error}"))
}

pub(super) fn parse(text: &str) -> Result<Vec<Scenario>, String> {
    let File { scenarios } = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
    for (index, scenario) in scenarios.iter().enumerate() {
        if scenarios[..index].iter().any(|other| other.name == scenario.name) {
            return Err(format!("two scenarios have the name {}", scenario.name));
        }
    }
    Ok(scenarios)
}
