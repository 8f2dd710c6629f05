//! Reads and writes the connected calendars. Each calendar has an actor, and one schedule starts the turns of
//! all calendars.
//!
//! Invariants:
//!
//! - One commit of the business replaces the busy times of the calendar. A failed read changes only the calendar's
//!   state.
//! - The rows of single events may be written before that commit. Bookings depend only on the busy times, so an
//!   interrupted read does not affect bookings.
//! - The result of a read is dropped if the calendar's settings have changed since the read began.
//! - A calendar has at most one turn at a time. A turn makes the due writes, and then the read if it is due. The number
//!   of simultaneous turns is limited per host, per business and in total.
//! - Bookings never wait for a calendar server.
//!
//! | Module | Purpose |
//! |---|---|
//! | `schedule` | the due times of all calendars |
//! | `actor` | one turn of a calendar, and the deletion of the rows of a disconnected calendar |
//! | `writing` | the due writes of a calendar |
//! | `search` | the search for the event of an appointment |
//! | `ics` | the read of a calendar file |
//! | `caldav`, `xml` | the discovery and the reads of CalDAV calendars |
//! | `markup` | the check of XML texts before they are parsed |
//! | `web` | requests with credentials, and redirects |
//! | `files` | the busy times in a calendar file |
//! | `events` | compares the events that were just read with the stored events |
//! | `sizes` | the limits on the size of the stored events |

mod actor;
mod caldav;
mod events;
mod files;
mod ics;
mod markup;
mod schedule;
mod search;
mod sizes;
#[cfg(test)]
mod tests;
mod web;
mod writing;
mod xml;

use std::time::Duration;

use domain::{BusinessId, CalendarId};

pub(crate) use self::actor::CalendarActor;
pub use self::caldav::DiscoveredCalendar;
pub(super) use self::caldav::discover;
pub(super) use self::ics::check as check_ics;
pub(crate) use self::schedule::Readings;
pub(super) use self::web::{Failure, Of};
pub use self::writing::{EventWriter, WrittenEvent};

/// A longer name of a calendar is shortened.
const NAME_CHARS_MAX: usize = 200;
/// A longer `ETag`, `Last-Modified`, sync token or `getctag` is not stored.
const MARK_CHARS_MAX: usize = 512;
/// The pause after a read or write that this machine could not make, because it lacked a resource or because a row
/// cannot be decoded.
const NOT_MADE_PAUSE: Duration = Duration::from_secs(60);

/// Drops an `ETag` or a similar value that is too long to be stored.
fn mark(mark: Option<String>) -> Option<String> {
    mark.filter(|mark| mark.len() <= MARK_CHARS_MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CalendarKey {
    pub(crate) business: BusinessId,
    pub(crate) calendar: CalendarId,
}
