//! What the operator types, and what it may stand for: `Salon` for a business's id, `mon` for `monday`,
//! `2026-03-02 9:00` for an instant.
//!
//! What always holds: it is pure; what is not understood here is sent as it was typed, and the service says what is
//! wrong with it, but for times of day of the business, which the service does not know at all.

pub(super) mod hours;
pub(super) mod near;
pub(super) mod region;
pub(super) mod time;
pub(super) mod zone;

use std::borrow::Cow;

/// A word of the command line that stands for something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Typed {
    /// Where it was typed, such as `--business`.
    pub(super) place: Cow<'static, str>,
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl Typed {
    pub(super) fn new(place: impl Into<Cow<'static, str>>, kind: Kind, text: impl Into<String>) -> Self {
        Self { place: place.into(), kind, text: text.into() }
    }
}

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The id of a business.
    Business,
    /// The id of the only business there is; nothing was typed.
    OnlyBusiness,
    /// The id of a service of the business.
    Service,
    /// The id of a staff member of the business.
    Staff,
    /// The id of a person of the business.
    Person,
    /// An instant, perhaps as a time of the business.
    Instant,
    /// A day of the business, or so many days after it.
    Day { later_by: u64 },
    /// The region of phone numbers in the country of this time zone.
    RegionOfZone,
    /// What is in the file of this name, or on standard input if it is `-`.
    File,
}
