//! The page with the times to which an appointment can be moved.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use chrono::{Days, NaiveDate};
use domain::availability::Slot;
use domain::{BookingMode, Timestamp};
use engine::business::commands::customers::MoveByLink;

use super::one;
use super::{FormError, Managed};
use crate::book::booking::is_bookable;
use crate::book::input::{PageInput, Shop};
use crate::book::refused::Refused;
use crate::book::route::Answered;
use crate::book::view::{View, page_as};

/// The number of days on the page.
const DAYS: u64 = 7;
/// The number of days that are searched for the first day with a bookable time.
const SEARCHED_DAYS: u64 = 62;

#[derive(Template)]
#[template(path = "book/manage/moving.html", config = "src/askama.toml")]
struct Page {
    view: View,
    notice: String,
    now: String,
    shop: Arc<Shop>,
    days: Vec<Day>,
    earlier: Option<String>,
    later: Option<String>,
    action: String,
    back: String,
    form_id: String,
    expected: String,
    /// Whether the business has to confirm the new time.
    is_request: bool,
}

struct Day {
    heading: String,
    /// The value and the label of each time.
    times: Vec<(String, String)>,
}

pub(in crate::book) async fn times(asked: PageInput) -> Answered {
    let managed = Managed::find(asked).await?;
    let date = managed.asked.query.get("date").parse().ok();
    shown(managed, date, StatusCode::OK, String::new()).await
}

pub(in crate::book) async fn moved(asked: PageInput) -> Answered {
    let managed = Managed::find(asked).await?;
    let (form, token) = (&managed.asked.form, managed.token.clone());
    let time = |name| Timestamp::parse(form.get(name)).ok();
    let times = time("starts_at").zip(time("expected_starts_at"));
    let change =
        times.map(|(starts_at, expected_starts_at)| MoveByLink { token, starts_at, expected_starts_at });
    let done = managed.change(change).await;
    managed.answer(done, refused).await
}

async fn refused(managed: Managed, undone: FormError) -> Answered {
    match undone {
        FormError::Invalid | FormError::FormEnded | FormError::NotOpen => {
            let asked = Timestamp::parse(managed.asked.form.get("starts_at")).ok();
            let date = asked.map(|at| managed.shop.day(at));
            let notice = match undone {
                FormError::Invalid => managed.view.t("problem-time"),
                _ => undone.message(&managed),
            };
            shown(managed, date, undone.status(), notice).await
        }
        undone => one::refused(managed, undone).await,
    }
}

impl Managed {
    async fn open(&self, first: NaiveDate) -> Result<Vec<Slot>, Refused> {
        let slots =
            self.shop.business.times_to_move(&self.token, (first, first + Days::new(DAYS - 1))).await?;
        slots.ok_or_else(Refused::not_found)
    }

    /// The first day with a bookable time, and the bookable times of the week that begins on this day.
    async fn first_open(&self, today: NaiveDate) -> Result<(NaiveDate, Vec<Slot>), Refused> {
        let mut searched = 0;
        while searched < SEARCHED_DAYS {
            let slots = self.open(today + Days::new(searched)).await?;
            if let Some(first) = slots.first().map(|slot| self.shop.day(slot.starts_at)) {
                let is_within = first < today + Days::new(SEARCHED_DAYS);
                return Ok(if is_within { (first, self.open(first).await?) } else { (today, Vec::new()) });
            }
            searched += DAYS;
        }
        Ok((today, Vec::new()))
    }
}

async fn shown(managed: Managed, date: Option<NaiveDate>, status: StatusCode, notice: String) -> Answered {
    let mode = managed.seen.business.booking_mode;
    if !managed.seen.may_move() || managed.is_over() || mode == BookingMode::Off {
        return one::shown(&managed, status, notice);
    }
    let today = managed.shop.day(managed.seen.now);
    let is_shown = |date: &NaiveDate| *date >= today && is_bookable(*date);
    let (first, slots) = match date.filter(is_shown) {
        Some(date) => (date, managed.open(date).await?),
        None => managed.first_open(today).await?,
    };
    let view = managed.view_of(&format!("/move?date={first}"));
    let mut days = BTreeMap::<_, Vec<_>>::new();
    for at in slots.iter().map(|slot| slot.starts_at) {
        let time = (at.to_string(), view.clock(&managed.shop, at));
        days.entry(managed.shop.day(at)).or_default().push(time);
    }
    let way = |date: NaiveDate| managed.path(&format!("/move?date={date}"));
    let earlier = (first > today).then(|| (first - Days::new(DAYS)).max(today));
    let starts_at = managed.seen.appointment.starts_at;
    let shown = Page {
        notice,
        now: view.with("manage-now", "when", &managed.when(starts_at)),
        days: days.into_iter().map(|(date, times)| Day { heading: view.heading(date), times }).collect(),
        earlier: earlier.map(way),
        later: Some(first + Days::new(DAYS)).filter(is_shown).map(way),
        action: managed.path("/move"),
        back: managed.path(""),
        form_id: managed.form_id(),
        expected: starts_at.to_string(),
        is_request: mode == BookingMode::Request,
        shop: Arc::clone(&managed.shop),
        view,
    };
    page_as(status, &shown)
}
