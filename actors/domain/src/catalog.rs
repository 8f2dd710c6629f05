//! Services and staff members.

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use chrono_tz::Tz;

use super::{Problem, ProblemCode, ServiceId, StaffHours, StaffId, Timestamp};

pub const SERVICE_MINUTES: RangeInclusive<u32> = 5..=1440;

pub const BUFFER_MINUTES_MAX: u32 = 240;

/// The maximum of [`Service::min_notice_minutes`]: 30 days.
pub const MIN_NOTICE_MINUTES_MAX: u32 = 43_200;

pub const MAX_ADVANCE_DAYS: RangeInclusive<u32> = 1..=1_095;

/// The maximum of [`Service::position`] and [`StaffMember::position`].
pub const POSITION_MAX: u32 = 1_000_000;

/// The range of the indexes of colours in the palette.
pub const COLORS: RangeInclusive<u32> = 1..=12;

/// The maximum number of services that a staff member offers.
pub const OFFERED_MAX: usize = 500;

/// The maximum price, in hundredths of the currency unit.
pub const PRICE_CENTS_MAX: u32 = 100_000_000;

/// The buffers: the minutes before and after an appointment during which the staff member stays free. Each is
/// at most [`BUFFER_MINUTES_MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    before: u8,
    after: u8,
}

impl Buffers {
    pub fn new(before_minutes: u32, after_minutes: u32) -> Option<Self> {
        let within = |minutes| u8::try_from(minutes).ok().filter(|_| minutes <= BUFFER_MINUTES_MAX);
        Some(Self { before: within(before_minutes)?, after: within(after_minutes)? })
    }

    pub fn before_minutes(self) -> u32 {
        u32::from(self.before)
    }

    pub fn after_minutes(self) -> u32 {
        u32::from(self.after)
    }

    pub fn around(self, (start, end): (Timestamp, Timestamp)) -> (Timestamp, Timestamp) {
        // This function runs for every appointment near a requested time, and `TimeDelta` would be several times
        // slower.
        let [before, after] = [self.before, self.after].map(|minutes| i64::from(minutes) * 60_000);
        (Timestamp::from_millis(start.millis() - before), Timestamp::from_millis(end.millis() + after))
    }

    pub fn longest(self) -> TimeDelta {
        TimeDelta::minutes(self.before.max(self.after).into())
    }
}

/// A currency code (ISO 4217). Any three upper-case letters are valid, because the list of codes changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Currency([u8; 3]);

impl Currency {
    pub fn parse(text: &str) -> Option<Self> {
        let letters: [u8; 3] = text.as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_uppercase).then_some(Self(letters))
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub cents: u32,
    pub currency: Currency,
}

impl Price {
    /// Applies a partial update. Clearing the amount also clears the currency.
    ///
    /// # Errors
    /// Returns an error if only one of amount and currency would be set.
    pub fn patched(
        before: Option<Self>,
        cents: Option<Option<u32>>,
        currency: Option<Option<Currency>>,
    ) -> Result<Option<Self>, Problem> {
        let cents = cents.unwrap_or(before.map(|price| price.cents));
        let kept = before.map(|price| price.currency);
        match (cents, currency) {
            (None, None | Some(None)) => Ok(None),
            (None, Some(Some(_))) => Err(Problem::new("price_cents", ProblemCode::RequiredWith("currency"))),
            (Some(cents), currency) => match currency.unwrap_or(kept) {
                Some(currency) => Ok(Some(Self { cents, currency })),
                None => Err(Problem::new("currency", ProblemCode::RequiredWith("price_cents"))),
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    pub id: ServiceId,
    /// The name, 1 to 200 characters.
    pub name: String,
    pub description: String,
    pub duration_minutes: u32,
    pub active: bool,
    /// The buffers of new appointments. An appointment copies them when it is booked and keeps them.
    pub buffers: Buffers,
    /// The minimum time from booking to start when a customer books, at most [`MIN_NOTICE_MINUTES_MAX`].
    pub min_notice_minutes: u32,
    /// When a customer books, the start is at most this number of local days after today. The number is in the range
    /// [`MAX_ADVANCE_DAYS`]. `None` means that there is no limit.
    pub max_advance_days: Option<u32>,
    pub price: Option<Price>,
    /// The heading above the service in lists on the dashboard pages, 1 to 60 characters.
    pub category: Option<String>,
    /// The position in lists on pages. Services with the same position are in the order of their creation.
    pub position: u32,
    /// The index of the colour, in the range [`COLORS`].
    pub color: Option<u32>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Service {
    pub fn duration(&self) -> TimeDelta {
        TimeDelta::minutes(i64::from(self.duration_minutes))
    }

    pub fn min_notice(&self) -> TimeDelta {
        TimeDelta::minutes(i64::from(self.min_notice_minutes))
    }

    /// True if all fields of the two services are equal, except fields that only affect how pages show the services.
    /// Integrations never see the excepted fields.
    pub fn differs_only_in_lists(&self, other: &Self) -> bool {
        let Self { category, position, color, .. } = other.clone();
        Self { category, position, color, ..self.clone() } == *other
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffMember {
    pub id: StaffId,
    /// The name, 1 to 200 characters.
    pub name: String,
    pub active: bool,
    /// The time zone for display. Opening hours use the time zone of the business.
    pub zone: Tz,
    pub service_ids: Vec<ServiceId>,
    /// The hours in the time zone of the business. `None` means that the staff member is present during all opening
    /// hours.
    pub hours: Option<StaffHours>,
    /// The position in lists on pages. Staff members with the same position are in the order of their creation.
    pub position: u32,
    /// The index of the colour, in the range [`COLORS`].
    pub color: Option<u32>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl StaffMember {
    pub fn offers(&self, service: ServiceId) -> bool {
        self.active && self.service_ids.contains(&service)
    }

    /// True if all fields of the two staff members are equal, except fields that only affect how pages show the staff
    /// members. Integrations never see the excepted fields.
    pub fn differs_only_in_lists(&self, other: &Self) -> bool {
        Self { position: other.position, color: other.color, ..self.clone() } == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_has_240_minutes_at_most() {
        let most = Buffers::new(BUFFER_MINUTES_MAX, 0).unwrap();
        assert_eq!((most.before_minutes(), most.after_minutes()), (240, 0));
        assert_eq!(most.longest(), TimeDelta::hours(4));
        let at = |hour: i64| Timestamp::from_millis(hour * 3_600_000);
        assert_eq!(most.around((at(9), at(10))), (at(5), at(10)));
        assert_eq!(Buffers::new(0, BUFFER_MINUTES_MAX + 1), None);
        assert_eq!(Buffers::new(BUFFER_MINUTES_MAX + 1, 0), None);
        assert_eq!(Buffers::new(256, 0), None);
    }

    #[test]
    fn a_currency_is_three_upper_case_letters() {
        assert_eq!(Currency::parse("EUR").unwrap().as_str(), "EUR");
        for bad in ["", "eur", "EU", "EURO", "E R", "É"] {
            assert_eq!(Currency::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_amount_and_its_currency_are_cleared_together() {
        let (eur, usd) = (Currency::parse("EUR").unwrap(), Currency::parse("USD").unwrap());
        let price = |cents, currency| Some(Price { cents, currency });
        let patched =
            |before, cents, currency| Price::patched(before, cents, currency).map_err(|problem| problem.path);
        assert_eq!(patched(None, None, None), Ok(None));
        assert_eq!(patched(None, Some(Some(5)), Some(Some(eur))), Ok(price(5, eur)));
        assert_eq!(patched(None, Some(Some(5)), None), Err("currency".into()));
        assert_eq!(patched(None, None, Some(Some(eur))), Err("price_cents".into()));
        assert_eq!(patched(price(5, eur), Some(Some(6)), None), Ok(price(6, eur)));
        assert_eq!(patched(price(5, eur), None, Some(Some(usd))), Ok(price(5, usd)));
        assert_eq!(patched(price(5, eur), Some(None), None), Ok(None));
        assert_eq!(patched(price(5, eur), Some(None), Some(Some(usd))), Err("price_cents".into()));
        assert_eq!(patched(price(5, eur), None, Some(None)), Err("currency".into()));
    }
}
