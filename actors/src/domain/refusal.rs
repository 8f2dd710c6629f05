//! Why a request is not carried out. A refused request changes nothing.

use std::fmt;

/// One thing that is wrong with a request, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place in the body (`hours[0].open`) or the query parameter's name.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

impl Problem {
    /// A problem at a place.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// Why a time cannot be booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotReason {
    /// It is not later than now.
    Past,
    /// It lies on a day on which the business does not open.
    ClosedThatDay,
    /// It does not lie, whole, within opening hours.
    OutsideHours,
    /// It lies across a break.
    Break,
    /// It does not lie on the grid of 30 minutes from the opening time.
    OffGrid,
    /// It begins before the notice that the service asks for is over.
    TooShortNotice,
    /// It lies further ahead than the service can be booked.
    TooFarAhead,
    /// Whoever could take it (or the one asked for) has time off then, or does not work at that time.
    StaffOff,
    /// The same, for whoever is not told when staff are away.
    NobodyAvailable,
    /// Whoever could take it and is there (or the one asked for) has another appointment then.
    Taken,
    /// Somebody is free then, and not for as long as appointments keep free around them.
    Buffer,
    /// No active staff member offers the service.
    NobodyOffersIt,
    /// The service is no longer active.
    ServiceInactive,
    /// The staff member who holds the appointment is no longer active or no longer offers the service.
    StaffUnavailable,
}

impl fmt::Display for SlotReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Past => "the time is in the past",
            Self::ClosedThatDay => "the business is closed that day",
            Self::Break => "the time lies across a break",
            Self::TooShortNotice => "the time is too soon: the service has to be booked earlier",
            Self::TooFarAhead => "the time is too far ahead for this service",
            Self::StaffOff => "the staff who could take it are off at that time",
            Self::NobodyAvailable => "nobody who could take it is available at that time",
            Self::Buffer => "the time is too close to another appointment or to time off",
            Self::OutsideHours => "the time is outside opening hours",
            Self::OffGrid => "the time is not on the 30-minute grid of start times",
            Self::Taken => "the time is taken",
            Self::NobodyOffersIt => "no active staff member offers this service",
            Self::ServiceInactive => "the service can no longer be booked",
            Self::StaffUnavailable => "the staff member no longer takes appointments for this service",
        })
    }
}

/// Why a request is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It names things that are not usable.
    Invalid(Vec<Problem>),
    /// The business has no such record; the word says which kind.
    NotFound(&'static str),
    /// It does not fit the state of the record; the details name the field or the record in the way.
    Conflict {
        /// What is in the way, in a sentence.
        message: String,
        /// Where.
        details: Vec<Problem>,
    },
    /// Something else is under way that ends by itself; the same may be asked again soon.
    UnderWay {
        /// What, in a sentence.
        message: &'static str,
        /// Where, and why it is in the way.
        details: Vec<Problem>,
    },
    /// Whoever asks may see it and not change it; the sentence says why.
    NotAllowed(&'static str),
    /// The link was used or has expired, or the session has ended.
    Expired,
    /// The business takes no bookings.
    BookingDisabled,
    /// The business confirms bookings, and the request did not allow for that.
    BookingRequiresConfirmation,
    /// The time is not one that availability lists.
    SlotUnavailable(SlotReason),
    /// The first request with this idempotency key is still being carried out.
    IdempotencyInProgress,
    /// The idempotency key was used with another request.
    IdempotencyKeyReused,
}

impl Refusal {
    /// A single problem at a place of the request.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Problem::new(path, message)])
    }

    /// Something that is under way at a place.
    pub fn under_way(message: &'static str, path: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::UnderWay { message, details: vec![Problem::new(path, detail)] }
    }

    /// A conflict over one field.
    pub fn conflict(message: impl Into<String>, path: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Conflict { message: message.into(), details: vec![Problem::new(path, detail)] }
    }
}
