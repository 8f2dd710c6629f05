//! The bookable times of a week, and their texts.

use chrono::{Days, NaiveDate};
use domain::Timestamp;
use domain::availability::{AVAILABILITY_DAYS_MAX, Slot};
use talk::words::capitalised;

use super::choice::{Choice, is_bookable};
use crate::book::input::Shop;
use crate::book::refused::Refused;
use crate::book::view::View;

/// The number of days that are searched for the first bookable time.
const SEARCHED_DAYS: u64 = 62;
const WEEK: u64 = AVAILABILITY_DAYS_MAX.unsigned_abs();

/// Seven days with their bookable times.
pub(super) struct Week {
    pub(super) days: Vec<Day>,
    pub(super) before: Option<NaiveDate>,
    pub(super) after: Option<NaiveDate>,
}

pub(super) struct Day {
    pub(super) date: NaiveDate,
    pub(super) times: Vec<Timestamp>,
}

impl Week {
    /// Returns the week that begins on `choice.date`. If no date is chosen, the week begins on the first day with a
    /// bookable time. Returns `None` if no service is chosen.
    pub(super) async fn of(shop: &Shop, choice: &Choice) -> Result<Option<Self>, Refused> {
        let Some(service) = choice.service else { return Ok(None) };
        let today = shop.today();
        let first = match choice.date {
            Some(date) => date,
            None => first_open(shop, choice).await?.unwrap_or(today),
        };
        let last = first + Days::new(WEEK - 1);
        let slots = shop.open_times(service, choice.staff, (first, last)).await?;
        let before = first.checked_sub_days(Days::new(WEEK)).filter(|_| first > today);
        let after = first + Days::new(WEEK);
        Ok(Some(Self {
            days: first.iter_days().take(WEEK as usize).map(|date| Day::of(shop, date, &slots)).collect(),
            before: before.map(|before| before.max(today)),
            after: Some(after).filter(|after| is_bookable(*after + Days::new(WEEK))),
        }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.days.iter().all(|day| day.times.is_empty())
    }

    /// The first day with a bookable time. The page shows the times of this day without a click.
    pub(super) fn first(&self) -> Option<NaiveDate> {
        self.days.iter().find(|day| !day.times.is_empty()).map(|day| day.date)
    }
}

impl Day {
    pub(super) fn of(shop: &Shop, date: NaiveDate, slots: &[Slot]) -> Self {
        let starts = slots.iter().map(|slot| slot.starts_at);
        Self { date, times: starts.filter(|starts_at| shop.day(*starts_at) == date).collect() }
    }
}

/// The first day with a bookable time within [`SEARCHED_DAYS`].
pub(super) async fn first_open(shop: &Shop, choice: &Choice) -> Result<Option<NaiveDate>, Refused> {
    let Some(service) = choice.service else { return Ok(None) };
    let mut first = shop.today();
    let end = first + Days::new(SEARCHED_DAYS - 1);
    while first <= end {
        let last = end.min(first + Days::new(WEEK - 1));
        let slots = shop.open_times(service, choice.staff, (first, last)).await?;
        if let Some(slot) = slots.first() {
            return Ok(Some(shop.day(slot.starts_at)));
        }
        first = last + Days::new(1);
    }
    Ok(None)
}

impl View {
    /// A time of day, with its offset if a clock change repeats it.
    pub(in crate::book) fn clock(&self, shop: &Shop, at: Timestamp) -> String {
        self.words.clock_at(at, shop.profile.zone, &shop.profile.phone_region)
    }

    pub(in crate::book) fn heading(&self, date: NaiveDate) -> String {
        capitalised(&self.words.date(date))
    }

    /// The name of the business's time zone.
    pub(in crate::book) fn zone(&self, shop: &Shop) -> String {
        self.with("zone", "zone", &shop.profile.zone.name().replace('_', " "))
    }
}
