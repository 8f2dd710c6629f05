//! A business: its profile, opening hours and booking mode.

use chrono_tz::Tz;

use super::words::words;
use super::{BusinessId, Timestamp, WeeklyBreaks, WeeklyHours};

words! {
    BookingMode {
        /// Appointments are confirmed immediately.
        Instant = "instant",
        /// The team confirms each appointment.
        Request = "request",
        /// Integrations cannot book.
        Off = "off",
    }

    Locale {
        En = "en",
        Fr = "fr",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Business {
    pub id: BusinessId,
    /// 1 to 200 characters.
    pub name: String,
    pub zone: Tz,
    pub locale: Locale,
    pub website_url: Option<String>,
    pub booking_mode: BookingMode,
    pub hours: WeeklyHours,
    pub breaks: WeeklyBreaks,
    /// The ISO 3166 region that applies to phone numbers without a country code.
    pub phone_region: String,
    /// Whether the operator has limited the keys of the business to `GET /me`.
    pub suspended: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
