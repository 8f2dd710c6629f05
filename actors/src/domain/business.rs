//! A business: its profile, its opening hours and how it takes bookings (spec §2).

use chrono_tz::Tz;

use super::words::words;
use super::{BusinessId, Timestamp, WeeklyBreaks, WeeklyHours};

words! {
    /// How appointments come about (spec §2, `booking_mode`).
    BookingMode {
        /// Appointments are booked directly.
        Instant = "instant",
        /// A request is taken, the team confirms it.
        Request = "request",
        /// No booking.
        Off = "off",
    }
}

words! {
    /// A language the receptionist speaks.
    Locale {
        /// English.
        En = "en",
        /// French.
        Fr = "fr",
    }
}

/// One business, whose changes its own actor serialises.
#[derive(Clone, Debug, PartialEq)]
pub struct Business {
    /// Its id.
    pub id: BusinessId,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// The zone its days and opening hours are in.
    pub zone: Tz,
    /// The default language for callers.
    pub locale: Locale,
    /// Its web site.
    pub website_url: Option<String>,
    /// How appointments come about.
    pub booking_mode: BookingMode,
    /// Its opening hours.
    pub hours: WeeklyHours,
    /// When nothing is booked though it is open.
    pub breaks: WeeklyBreaks,
    /// The ISO 3166 region in which national phone numbers are read.
    pub phone_region: String,
    /// Whether the operator has shut its keys out of everything but `GET /me`.
    pub suspended: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
