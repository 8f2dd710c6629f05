//! Feeds for calendar services, and connected calendars. A calendar service fetches a feed and shows the appointments
//! that the feed contains. The busy times of a connected calendar block bookings.

mod connected;
mod feeds;
mod writing;

pub use connected::*;
pub use feeds::*;
pub use writing::*;
