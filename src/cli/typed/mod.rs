//! Texts that the operator types and that are replaced before a request: `Salon` by the id of the business,
//! `mon` by `monday`, `2026-03-02 9:00` by an instant.
//!
//! Invariant: the module is pure. It leaves an unknown time zone, or an unknown weekday in opening hours, unchanged, so
//! that the service reports the problem. If the module cannot interpret a day or a local time, it reports the problem
//! itself, because the service accepts only dates and instants.

pub(super) mod hours;
pub(super) mod near;
pub(super) mod time;
pub(super) mod zone;

use std::borrow::Cow;

/// A text of the command line that is not resolved yet, for example the name of a business instead of its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    /// The argument that contains the text, such as `--business`.
    pub(super) argument: Cow<'static, str>,
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl Typed {
    pub(super) fn new(argument: impl Into<Cow<'static, str>>, kind: Kind, text: impl Into<String>) -> Self {
        Self { argument: argument.into(), kind, text: text.into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Business,
    /// The id of the only business, if the operator typed no business.
    OnlyBusiness,
    Service,
    Staff,
    Person,
    /// An instant, which may be typed as a local time.
    Instant,
    /// Like [`Self::Instant`], but may also be a day without a time. Only filters accept it, because a change must not
    /// take a forgotten time for midnight.
    InstantOrDay,
    /// A date. The operator types a day, for example `mon`, and the command adds `later_by` days.
    Day {
        later_by: u64,
    },
    /// The phone region of a time zone's country.
    RegionOfZone,
    /// The content of a file, or of standard input for `-`.
    File,
    /// The content of a file without the line break at its end, or of standard input for `-`.
    SecretFile,
    /// A secret that a person enters at the terminal. The typed text is its name.
    Secret,
}
