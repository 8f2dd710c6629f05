//! The reasons for days without open times, so a closed day does not look full.

use chrono::{Days, NaiveDate};
use domain::{Business, Service};
use engine::business::PageRequest;
use view::SpecialDayView;

use super::asking::Asking;
use super::moment::{WallClock, capital, weekday};
use super::refused::Refused;

pub(super) struct NoTimes<'a> {
    today: NaiveDate,
    /// The first day that the notice of the service permits.
    first: NaiveDate,
    /// The last day that the service permits, and the number of days ahead.
    last: Option<(NaiveDate, u32)>,
    business: &'a Business,
    special: Vec<SpecialDayView>,
}

impl<'a> NoTimes<'a> {
    /// The range must be short: the days of one call.
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

    /// The reason, unless the day is fully booked.
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
