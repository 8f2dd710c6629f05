//! Helpers for benchmarks that create businesses.

use domain::{BookingMode, Day, DayHours, LocalTime, Locale, Text, WeeklyBreaks, WeeklyHours};
use engine::NewBusiness;

/// Converts a text to this type. Its length must be valid.
pub(crate) fn text<const MIN: usize, const MAX: usize>(text: &str) -> Text<MIN, MAX> {
    Text::new(text.to_owned()).unwrap()
}

/// Returns opening hours that include every hour of every day.
pub(crate) fn always() -> WeeklyHours {
    let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
    let (open, close) = (time(0), time(LocalTime::DAY_MINUTES));
    WeeklyHours::new(Day::ALL.iter().map(|day| DayHours { day: *day, open, close }).collect()).unwrap()
}

/// Returns a business in Paris that is always open.
pub(crate) fn always_open(name: &str) -> NewBusiness {
    NewBusiness {
        name: text(name),
        zone: chrono_tz::Europe::Paris,
        locale: Locale::En,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: always(),
        breaks: WeeklyBreaks::default(),
        phone_region: "FR".into(),
    }
}
