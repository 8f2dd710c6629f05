//! A business: its profile, opening hours and booking mode.

use chrono_tz::Tz;

use super::words::words;
use super::{BusinessId, Timestamp, WeeklyBreaks, WeeklyHours};

words! {
    BookingMode {
        /// An appointment is confirmed immediately.
        Instant = "instant",
        /// The team has to confirm each appointment.
        Request = "request",
        /// Integrations cannot book.
        Off = "off",
    }

    Locale {
        En = "en",
        Fr = "fr",
    }

    /// The word for a customer on the dashboard pages.
    CustomerWord {
        Client = "client",
        Patient = "patient",
        Guest = "guest",
    }
}

/// The possible values of [`Business::grid_minutes`].
pub const GRID_MINUTES: [u32; 4] = [5, 10, 15, 30];
pub const GRID_MINUTES_DEFAULT: u32 = 15;

#[derive(Clone, Debug, PartialEq)]
pub struct Business {
    pub id: BusinessId,
    /// The name, 1 to 200 characters.
    pub name: String,
    pub zone: Tz,
    pub locale: Locale,
    pub website_url: Option<String>,
    pub booking_mode: BookingMode,
    pub hours: WeeklyHours,
    pub breaks: WeeklyBreaks,
    /// The ISO 3166 region that applies to phone numbers without a country code.
    pub phone_region: String,
    /// Whether the operator has suspended the business. Its API keys can then call only `GET /me`.
    pub suspended: bool,
    pub customer_word: CustomerWord,
    /// The distance between the lines in calendars of the team, one of [`GRID_MINUTES`]. The grid of bookable times
    /// does not depend on this distance.
    pub grid_minutes: u32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Business {
    /// True if the businesses differ only in settings for the dashboard pages. Integrations never see these settings.
    pub fn differs_only_in_pages(&self, other: &Self) -> bool {
        let Self { customer_word, grid_minutes, .. } = *other;
        Self { customer_word, grid_minutes, ..self.clone() } == *other
    }
}
