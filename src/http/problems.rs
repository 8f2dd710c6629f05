//! What is wrong with a request, and where.
//!
//! What always holds: nothing of a problem is longer than its bound, whatever the client sent; and of many problems
//! the first [`PROBLEMS_MAX`] are named and the others counted.

use std::fmt;

use domain::{Problem, ProblemCode};

use super::reading::Reading;

/// How many problems of one request are named; the rest is only counted, so that an answer stays small.
pub const PROBLEMS_MAX: usize = 100;

/// How many characters of a path are shown; names come from the client and may be as long as the body.
pub const PATH_CHARS_MAX: usize = 200;

/// A place in a request: `hours[0].open`.
#[derive(Clone, Copy, Debug)]
pub enum FieldPath<'a> {
    /// The whole.
    Root,
    /// A property.
    Property(&'a FieldPath<'a>, &'a str),
    /// An item of an array, from 0.
    Item(&'a FieldPath<'a>, usize),
}

impl<'a> FieldPath<'a> {
    /// The property of this name.
    pub fn property(&'a self, name: &'a str) -> FieldPath<'a> {
        FieldPath::Property(self, name)
    }

    /// The item at this place.
    pub fn item(&'a self, index: usize) -> FieldPath<'a> {
        FieldPath::Item(self, index)
    }
}

impl fmt::Display for FieldPath<'_> {
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
    reading: Reading,
}

impl Problems {
    /// None yet, for a request whose values are read so.
    pub fn new(reading: Reading) -> Self {
        Self { named: Vec::new(), unnamed: 0, reading }
    }

    /// What values are read by.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Adds what is wrong at a place.
    pub fn add(&mut self, at: &FieldPath<'_>, code: impl Into<ProblemCode>) {
        if self.named.len() == PROBLEMS_MAX {
            self.unnamed += 1;
            return;
        }
        let mut path = at.to_string();
        if let Some((end, _)) = path.char_indices().nth(PATH_CHARS_MAX) {
            path.truncate(end);
        }
        self.named.push(Problem::new(path, code));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// The value, if it was read and nothing is wrong.
    ///
    /// # Errors
    /// Every problem.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Invalid> {
        match value {
            Some(value) if self.named.is_empty() => Ok(value),
            _ => Err(self.into()),
        }
    }
}

/// What is wrong with a request: at least one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub Vec<Problem>);

impl From<Problems> for Invalid {
    fn from(problems: Problems) -> Self {
        let mut named = problems.named;
        // Reading gives up only after it said why; were it not so, the client would still learn that it was refused.
        debug_assert!(!named.is_empty(), "a value was refused without a problem");
        if problems.unnamed > 0 {
            named.push(Problem::new("", ProblemCode::Unnamed(problems.unnamed)));
        }
        Self(named)
    }
}
