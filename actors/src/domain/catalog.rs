//! What can be booked and with whom: services and staff members (spec §2), and what the team says of them beside that.

use std::ops::RangeInclusive;

use chrono::TimeDelta;
use chrono_tz::Tz;

use super::{Problem, ProblemCode, ServiceId, StaffHours, StaffId, Timestamp};

/// How long a service may be, in minutes.
pub const SERVICE_MINUTES: RangeInclusive<u32> = 5..=1440;

/// How long before and after an appointment the staff member can be kept free at most, in minutes.
pub const BUFFER_MINUTES_MAX: u32 = 240;

/// How long before it begins a booking can have to be made at most, in minutes: 30 days.
pub const MIN_NOTICE_MINUTES_MAX: u32 = 43_200;

/// How many days ahead bookings can be limited to.
pub const MAX_ADVANCE_DAYS: RangeInclusive<u32> = 1..=1_095;

/// The highest price, in hundredths of its currency.
pub const PRICE_CENTS_MAX: u32 = 100_000_000;

/// What an appointment keeps free around it of the staff member's time, each at most [`BUFFER_MINUTES_MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    before: u8,
    after: u8,
}

impl Buffers {
    /// So many minutes before and after, unless that is too much.
    pub fn new(before_minutes: u32, after_minutes: u32) -> Option<Self> {
        let within = |minutes| u8::try_from(minutes).ok().filter(|_| minutes <= BUFFER_MINUTES_MAX);
        Some(Self { before: within(before_minutes)?, after: within(after_minutes)? })
    }

    /// Minutes before an appointment.
    pub fn before_minutes(self) -> u32 {
        u32::from(self.before)
    }

    /// Minutes after an appointment.
    pub fn after_minutes(self) -> u32 {
        u32::from(self.after)
    }

    /// What is kept free around `[start, end)`, and that itself.
    pub fn around(self, (start, end): (Timestamp, Timestamp)) -> (Timestamp, Timestamp) {
        // Asked of every appointment that is near a time; a `TimeDelta` would cost several times as much.
        let [before, after] = [self.before, self.after].map(|minutes| i64::from(minutes) * 60_000);
        (Timestamp::from_millis(start.millis() - before), Timestamp::from_millis(end.millis() + after))
    }

    /// The longer one.
    pub fn longest(self) -> TimeDelta {
        TimeDelta::minutes(self.before.max(self.after).into())
    }
}

/// A currency by its code of three letters (ISO 4217). Which codes there are changes, so any three are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads three upper-case letters.
    pub fn parse(text: &str) -> Option<Self> {
        let letters: [u8; 3] = text.as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_uppercase).then_some(Self(letters))
    }

    /// The code.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// What a service costs, for the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// In hundredths of the currency, at most [`PRICE_CENTS_MAX`].
    pub cents: u32,
    /// In which currency.
    pub currency: Currency,
}

impl Price {
    /// The price that a service has when some of it is given anew; what is given as `None` is none any more. A price
    /// that goes takes its currency with it.
    ///
    /// # Errors
    /// A price without a currency, and the other way round.
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

/// A service that customers can book while it is active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Its id.
    pub id: ServiceId,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// What it is; empty when nobody said.
    pub description: String,
    /// How long it takes, in minutes of elapsed time, within [`SERVICE_MINUTES`].
    pub duration_minutes: u32,
    /// Whether it can be booked.
    pub active: bool,
    /// What its appointments keep free around them, fixed when they are booked.
    pub buffers: Buffers,
    /// How long before it begins customers have to book, in minutes, at most [`MIN_NOTICE_MINUTES_MAX`].
    pub min_notice_minutes: u32,
    /// How many local days ahead customers can book, within [`MAX_ADVANCE_DAYS`]; `None` for as far as they like.
    pub max_advance_days: Option<u32>,
    /// What it costs.
    pub price: Option<Price>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Service {
    /// How long it takes, in elapsed time.
    pub fn duration(&self) -> TimeDelta {
        TimeDelta::minutes(i64::from(self.duration_minutes))
    }

    /// How long before it begins customers have to book.
    pub fn min_notice(&self) -> TimeDelta {
        TimeDelta::minutes(i64::from(self.min_notice_minutes))
    }
}

/// Someone who carries out services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffMember {
    /// Their id.
    pub id: StaffId,
    /// Their name, 1 to 200 characters.
    pub name: String,
    /// Whether they take appointments.
    pub active: bool,
    /// The zone they see times in; opening hours are in the business's.
    pub zone: Tz,
    /// The services they offer, each once.
    pub service_ids: Vec<ServiceId>,
    /// Their own hours, on the business's clocks; without them they are there whenever it is open.
    pub hours: Option<StaffHours>,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
}

impl StaffMember {
    /// Whether they are active and offer the service.
    pub fn offers(&self, service: ServiceId) -> bool {
        self.active && self.service_ids.contains(&service)
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
    fn a_price_has_a_currency_and_takes_it_along() {
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
