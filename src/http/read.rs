//! Reading typed values out of JSON, finding every problem on the way.
//!
//! What always holds: a value is read (`Some`) or a problem was added that says why not. A whole is accepted only
//! when no problem was added at all, so an unknown property beside good ones still refuses the request.

use std::fmt;

use actors::domain::{Problem, Refusal};

use super::describe::Describe;
use super::error::ApiError;
use super::json::Json;

/// How many problems of one request are named; the rest is only counted, so that an answer stays small.
pub const PROBLEMS_MAX: usize = 100;

/// How many characters of a path are shown; names come from the client and may be as long as the body.
pub const PATH_CHARS_MAX: usize = 200;

/// A place in a request: `hours[0].open`.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The whole.
    Root,
    /// A property.
    Property(&'a Path<'a>, &'a str),
    /// An item of an array, from 0.
    Item(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The property of this name.
    pub fn property(&'a self, name: &'a str) -> Path<'a> {
        Path::Property(self, name)
    }

    /// The item at this place.
    pub fn item(&'a self, index: usize) -> Path<'a> {
        Path::Item(self, index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Property(Self::Root, name) => f.write_str(name),
            Self::Property(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// The problems found so far.
#[derive(Debug)]
pub struct Problems {
    named: Vec<Problem>,
    unnamed: usize,
    phone_region: String,
}

impl Problems {
    /// None yet, for a request whose national phone numbers are of this ISO 3166 region.
    pub fn of_request_in(phone_region: &str) -> Self {
        Self { named: Vec::new(), unnamed: 0, phone_region: phone_region.to_owned() }
    }

    /// The region in which national phone numbers are read.
    pub fn phone_region(&self) -> &str {
        &self.phone_region
    }

    /// Adds what is wrong at a place.
    pub fn add(&mut self, at: &Path<'_>, message: impl Into<String>) {
        if self.named.len() == PROBLEMS_MAX {
            self.unnamed += 1;
            return;
        }
        let mut path = at.to_string();
        if let Some((end, _)) = path.char_indices().nth(PATH_CHARS_MAX) {
            path.truncate(end);
        }
        self.named.push(Problem::new(path, message));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// The value, if it was read and nothing is wrong.
    ///
    /// # Errors
    /// `invalid_request` with every problem named.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, ApiError> {
        match value {
            Some(value) if self.named.is_empty() => Ok(value),
            _ => Err(self.into()),
        }
    }
}

impl From<Problems> for ApiError {
    fn from(problems: Problems) -> Self {
        let mut named = problems.named;
        // Reading gives up only after it said why; were it not so, the client would still learn that it was refused.
        debug_assert!(!named.is_empty(), "a value was refused without a problem");
        if problems.unnamed > 0 {
            named.push(Problem::new("", format!("{} more problems are not listed", problems.unnamed)));
        }
        Refusal::Invalid(named).into()
    }
}

/// A type that can be read from JSON.
pub trait FromJson: Describe + Sized {
    /// Reads the value, or adds what is wrong with it.
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self>;

    /// What an absent property means.
    fn absent(at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        problems.add(at, "is required");
        None
    }
}

/// A type written as a string, in a body as in a query. Its parser stands here alone.
pub trait FromText: Describe + Sized {
    /// Reads the text, which holds no NUL.
    ///
    /// # Errors
    /// What is wrong, as a predicate: `must be a UUID`.
    fn from_text(text: &str) -> Result<Self, String>;
}

impl<T: FromText> FromJson for T {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let read = match json {
            Json::String(text) if text.contains('\0') => Err(NUL.into()),
            Json::String(text) => T::from_text(text),
            _ => Err("must be a string".into()),
        };
        read.map_err(|message| problems.add(at, message)).ok()
    }
}

/// What is said of a text with U+0000 in it.
pub(crate) const NUL: &str = "must not contain the NUL character";

impl FromJson for bool {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(*value),
            _ => {
                problems.add(at, "must be true or false");
                None
            }
        }
    }
}

/// Absent and `null` are both `None`.
impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        match json {
            Json::Null => Some(None),
            _ => T::from_json(json, at, problems).map(Some),
        }
    }

    fn absent(_: &Path<'_>, _: &mut Problems) -> Option<Self> {
        Some(None)
    }
}

/// A property of a PATCH: absent keeps what is there. `Patch<Option<T>>` can be cleared with `null`, `Patch<T>` not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The property is absent.
    #[default]
    Keep,
    /// The property has this value.
    Set(T),
}

impl<T> Patch<T> {
    /// The new value, if there is one.
    pub fn set(self) -> Option<T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}

impl<T: FromJson> FromJson for Patch<T> {
    fn from_json(json: &Json, at: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        T::from_json(json, at, problems).map(Self::Set)
    }

    fn absent(_: &Path<'_>, _: &mut Problems) -> Option<Self> {
        Some(Self::Keep)
    }
}

/// The items of an array, each read even when one before it is wrong.
pub(crate) fn items<T: FromJson>(
    json: &Json,
    (min, max): (usize, usize),
    at: &Path<'_>,
    problems: &mut Problems,
) -> Option<Vec<T>> {
    let Json::Array(items) = json else {
        problems.add(at, "must be an array");
        return None;
    };
    // The length is looked at first: it bounds the work that follows.
    if !(min..=max).contains(&items.len()) {
        problems.add(
            at,
            if min == 0 {
                format!("must have at most {max} items")
            } else {
                format!("must have {min} to {max} items")
            },
        );
        return None;
    }
    let read: Vec<Option<T>> =
        items.iter().enumerate().map(|(index, item)| T::from_json(item, &at.item(index), problems)).collect();
    read.into_iter().collect()
}

/// A check for the body of a PATCH: something must be asked for.
pub(crate) fn not_empty(properties: &Properties<'_>, at: &Path<'_>, problems: &mut Problems) {
    if properties.values.iter().all(Option::is_none) {
        problems.add(at, format!("must have at least one of {}", properties.names.join(", ")));
    }
}

/// The properties of an object whose names are known beforehand.
pub struct Properties<'a> {
    names: &'static [&'static str],
    values: Vec<Option<&'a Json>>,
}

impl<'a> Properties<'a> {
    /// Sorts the properties to their names; adds those that are unknown or given twice.
    pub fn sort(
        json: &'a Json,
        names: &'static [&'static str],
        at: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Json::Object(properties) = json else {
            problems.add(
                at,
                if matches!(at, Path::Root) { "the body must be a JSON object" } else { "must be an object" },
            );
            return None;
        };
        let mut values = vec![None; names.len()];
        for (name, value) in properties {
            match names.iter().position(|known| known == name) {
                None => problems.add(&at.property(name), "is not a known property"),
                Some(index) if values[index].is_some() => problems.add(&at.property(name), "is given twice"),
                Some(index) => values[index] = Some(value),
            }
        }
        Some(Self { names, values })
    }

    /// Whether the property is there and not `null`.
    pub fn has(&self, name: &str) -> bool {
        let index = self.names.iter().position(|known| *known == name);
        index.and_then(|index| self.values[index]).is_some_and(|value| !matches!(value, Json::Null))
    }

    /// Reads the property of this name.
    pub fn read<T: FromJson>(&self, name: &str, at: &Path<'_>, problems: &mut Problems) -> Option<T> {
        let index = self.names.iter().position(|known| *known == name);
        match index.and_then(|index| self.values[index]) {
            Some(value) => T::from_json(value, &at.property(name), problems),
            None => T::absent(&at.property(name), problems),
        }
    }
}
