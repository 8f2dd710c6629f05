//! The entries of the table of commands.

use clap::{ArgMatches, Command};

use super::super::arguments::Irreversible;
use super::super::request::Term;
use super::super::task::{Show, Task};
use super::flag::Shape;

/// The commands for one kind of record.
pub(in crate::cli) struct Resource {
    pub(in crate::cli) name: &'static str,
    pub(super) about: &'static str,
    /// The properties whose flags need more information than the document has.
    pub(super) shapes: &'static [Shape],
    pub(super) verbs: &'static [Verb],
}

#[derive(Clone, Copy)]
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) alias: Option<&'static str>,
    pub(super) about: &'static str,
    pub(super) operation: &'static str,
    /// The operation without `--kind`, if the flag is optional.
    pub(super) otherwise: Option<&'static str>,
    pub(super) shown: Show,
    /// A property that the command sets, with its value.
    pub(super) says: Option<(&'static str, &'static str)>,
    pub(super) without: &'static [&'static str],
    /// A property with a default that depends on other flags.
    pub(super) follows: Option<Follows>,
    pub(super) confirms: Option<Irreversible>,
    /// Own arguments, instead of those of the operation.
    pub(super) own: Option<Own>,
}

/// A property and its value, computed from the arguments.
pub(super) type Follows = fn(&ArgMatches) -> (&'static str, Term);

/// The declaration of a command's arguments, and their conversion to a task.
pub(super) type Own = (fn(Command) -> Command, fn(&ArgMatches) -> Result<Task, clap::Error>);

impl Verb {
    pub(super) const fn new(name: &'static str, operation: &'static str, about: &'static str) -> Self {
        Self {
            name,
            alias: None,
            about,
            operation,
            otherwise: None,
            shown: Show::Record,
            says: None,
            without: &[],
            follows: None,
            confirms: None,
            own: None,
        }
    }

    pub(super) const fn shown(self, shown: Show) -> Self {
        Self { shown, ..self }
    }

    pub(super) const fn says(self, property: &'static str, word: &'static str) -> Self {
        Self { says: Some((property, word)), ..self }
    }
}
