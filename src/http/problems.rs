//! The problems of a request and their paths.
//!
//! Invariants:
//! - Each part of a problem has a maximum length, even if it quotes a longer text of the client.
//! - The first [`PROBLEMS_MAX`] problems are listed, and further problems are counted.

use std::fmt;

use domain::{Problem, ProblemCode};

use super::reading::Reading;

pub const PROBLEMS_MAX: usize = 100;

/// The maximum length of a path in a problem, in characters. Clients can send properties with long names.
pub const PATH_CHARS_MAX: usize = 200;

/// A path in a request, for example `hours[0].open`.
#[derive(Clone, Copy, Debug)]
pub enum FieldPath<'a> {
    Root,
    Property(&'a FieldPath<'a>, &'a str),
    Item(&'a FieldPath<'a>, usize),
}

impl<'a> FieldPath<'a> {
    pub fn property(&'a self, name: &'a str) -> FieldPath<'a> {
        FieldPath::Property(self, name)
    }

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

#[derive(Debug)]
pub struct Problems {
    named: Vec<Problem>,
    unnamed: usize,
    reading: Reading,
}

impl Problems {
    pub fn new(reading: Reading) -> Self {
        Self { named: Vec::new(), unnamed: 0, reading }
    }

    /// The context with which values such as national phone numbers are parsed.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

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

    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Returns the value, or every problem.
    pub fn finish<T>(mut self, value: Option<T>) -> Result<T, Vec<Problem>> {
        match value {
            Some(value) if self.named.is_empty() => Ok(value),
            _ => {
                // A reader that returns no value must add a problem. In a release build, the client gets a refusal even
                // if the reader has added none.
                debug_assert!(!self.named.is_empty(), "a value was refused, but no `Problem` was recorded");
                if self.unnamed > 0 {
                    self.named.push(Problem::new("", ProblemCode::Unnamed(self.unnamed)));
                }
                Err(self.named)
            }
        }
    }
}
