//! What the table says of a command.

use clap::{ArgMatches, Command};

use super::super::arguments::Final;
use super::super::request::Term;
use super::super::task::Task;
use super::flag::Shape;

/// The commands on one kind of record.
pub(in crate::cli) struct Resource {
    pub(in crate::cli) name: &'static str,
    pub(super) about: &'static str,
    /// The properties of its requests whose flags need more than the document says.
    pub(super) shapes: &'static [Shape],
    pub(super) verbs: &'static [Verb],
}

/// A command, and the operation that it calls.
#[derive(Clone, Copy)]
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) alias: Option<&'static str>,
    pub(super) about: &'static str,
    pub(super) operation: &'static str,
    pub(super) shown: Shown,
    /// A property that the command itself says.
    pub(super) says: Option<(&'static str, &'static str)>,
    /// The properties for which it has no flag.
    pub(super) without: &'static [&'static str],
    /// A property that follows from other flags where it is not given.
    pub(super) follows: Option<Follows>,
    /// What somebody has to want.
    pub(super) asks: Option<Final>,
    /// Arguments of its own in place of those that follow from the operation.
    pub(super) own: Option<Own>,
}

/// A property and its value, as they follow from the arguments.
pub(super) type Follows = fn(&ArgMatches) -> (&'static str, Term);

/// Arguments that a command declares, and the task that they come to.
pub(super) type Own = (fn(Command) -> Command, fn(&ArgMatches) -> Result<Task, clap::Error>);

/// How the answer is shown.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    Record,
    /// With a note for the person who reads it.
    Noted(&'static str),
    /// A list with these columns.
    List(&'static [&'static str]),
    /// A list of when somebody is away.
    Away,
    /// A row for each property, with these columns.
    ByField(&'static [&'static str]),
    /// Nothing is in the answer; this says what happened.
    Done(&'static str),
    /// What became of a table of contacts, read from a file.
    Contacts,
    /// What became of a calendar of public holidays, read from a file.
    Holidays,
}

impl Verb {
    pub(super) const fn of(name: &'static str, operation: &'static str, about: &'static str) -> Self {
        Self {
            name,
            alias: None,
            about,
            operation,
            shown: Shown::Record,
            says: None,
            without: &[],
            follows: None,
            asks: None,
            own: None,
        }
    }

    pub(super) const fn shown(self, shown: Shown) -> Self {
        Self { shown, ..self }
    }

    pub(super) const fn says(self, property: &'static str, word: &'static str) -> Self {
        Self { says: Some((property, word)), ..self }
    }
}
