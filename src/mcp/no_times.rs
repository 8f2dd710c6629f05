//! Why a day has no open times, so that nobody takes a day on which the business is closed for a full one.

use chrono::{Days, NaiveDate};
use domain::{Business, Service};
use engine::business::PageRequest;
use view::SpecialDayView;

use super::asking::Asking;
use super::moment::{WallClock, capital, weekday};
use super::refused::Refused;

/// What decides whether anything can be open on some days.
pub(super) struct NoTimes<'a> {
    today: NaiveDate,
    /// Nothing begins earlier by the notice that the service asks for.
    first: NaiveDate,
    /// Nothing begins later by how far ahead the service can be booked, in days.
    last: Option<(NaiveDate, u32)>,
    business: &'a Business,
    special: Vec<SpecialDayView>,
}

impl<'a> NoTimes<'a> {
    /// For the days from the first to the last; few, as many as one call looks at.
    pub(super) async fn read(
        asking: &Asking,
        (business, service): (&'a Business, &Service),
        (first, last): (NaiveDate, NaiveDate),
    ) -> Result<Self, Refused> {
        let days = (last - first).num_days().unsigned_abs() as usize + 1;
        let page = PageRequest { limit: days, after: None };
        let special = asking.business.special_days((Some(first), Some(last)), &page).await?.items;
        let (clock, now) = (WallClock(business.zone), asking.business.now());
        let today = clock.at(now).date_naive();
        let ahead = |days: u32| Some((today.checked_add_days(Days::new(u64::from(days)))?, days));
        Ok(Self {
            today,
            first: clock.at(now + service.min_notice()).date_naive(),
            last: service.max_advance_days.and_then(ahead),
            business,
            special,
        })
    }

    /// Why there is nothing that day, as far as that is not for being full.
    pub(super) fn why(&self, day: NaiveDate) -> Option<String> {
        if day < self.today {
            return Some("in the past".into());
        }
        match self.special.iter().find(|special| special.date == day.to_string()) {
            Some(special) if special.closed => return Some("closed on this date".into()),
            Some(_) => {}
            None => {
                let of_week = weekday(day);
                if self.business.hours.on(of_week).next().is_none() {
                    return Some(format!("closed on {}s", capital(of_week.as_str())));
                }
            }
        }
        if day < self.first {
            return Some("too soon: this service has to be booked earlier".into());
        }
        match self.last {
            Some((last, days)) if day > last => {
                Some(format!("too far ahead: this service can be booked {days} days ahead"))
            }
            _ => None,
        }
    }
}
