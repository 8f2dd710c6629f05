//! The page on which a customer chooses a service and a time, and books an appointment. The query contains
//! the choices of the completed steps, and the form of the last step makes the booking.
//!
//! Invariants:
//! - The page shows only times that `GET /v1/availability` lists. The booking checks the time again.
//! - If a form is submitted several times with the same id, it makes one booking, and each response leads to this
//!   appointment.

mod choice;
mod form;
mod limits;
mod times;

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use chrono::NaiveDate;
use domain::{Actor, BookingMode, Refusal, Service, Timestamp};
use engine::EngineError;
use engine::business::Request;
use engine::business::commands::customers::{BookOnline, MintLink, OnlineBooked};
use talk::words::capitalised;

pub(super) use self::choice::is_bookable;
use self::choice::{Choice, Offer};
use self::form::{Entered, LEAVE_EMPTY, Reason};
pub(super) use self::limits::Limits;
use self::times::{Day, Week};
use super::form_id;
use super::input::{PageInput, Shop};
use super::refused::Refused;
use super::route::Answered;
use super::view::{View, page, page_as, see_other};
use crate::http::form::Form;
use crate::words::Value;

/// The `Cache-Control` of the stylesheet with the colour of a business. The path of the stylesheet changes with the
/// colour.
const THEME_CACHED: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// The number of steps: service, time, details.
const STEPS: u64 = 3;

pub(super) async fn show(mut asked: PageInput) -> Answered {
    let shop = asked.shop()?;
    let offer = Offer::of(&shop).await?;
    asked.view.is_listed = !asked.view.framed && asked.head.uri.query().is_none();
    if shop.profile.booking_mode == BookingMode::Off || offer.services.is_empty() {
        let path = asked.page_path();
        asked.view = asked.view.clone().with_languages(|locale| Choice::default().link(path, Some(locale)));
        return off(&asked.view, StatusCode::OK, "off");
    }
    let mut choice = Choice::of(&asked.query, &offer, shop.today());
    if let (Some(service), Some(time)) = (choice.service, choice.time) {
        if shop.is_open(service, choice.staff, time).await? {
            let fields = [("service_id", service.to_string()), ("starts_at", time.to_string())];
            let staff = choice.staff.map(|id| ("staff_id", id.to_string()));
            let form = Form::of(fields.into_iter().chain(staff));
            return form::shown(&asked, &shop, &offer, &form, Reason::New).await;
        }
        choice.time = None;
    }
    let path = asked.page_path();
    let view = asked.view.clone().with_languages(|locale| choice.link(path, Some(locale)));
    let (path, locale) = (path.to_owned(), asked.locale());
    match Week::of(&shop, &choice).await? {
        None => {
            let step = steps(&view, &offer, 1);
            page(&Services { view, step, shop: &shop, services: &offer.services, path, locale })
        }
        Some(week) => {
            let summary = summary(&view, &shop, &offer, &choice, &path, locale);
            let step = steps(&view, &offer, 2);
            page(&Times { view, step, summary, shop: &shop, offer: &offer, choice, week, path, locale })
        }
    }
}

pub(super) async fn sent(asked: PageInput) -> Answered {
    let shop = asked.shop()?;
    let (form, front) = (&asked.form, &asked.front);
    let offer = Offer::of(&shop).await?;
    let again = |reason| form::shown(&asked, &shop, &offer, form, reason);
    if !form.get(LEAVE_EMPTY).is_empty() {
        return again(Reason::Invalid(vec![(LEAVE_EMPTY, "leave-empty")])).await;
    }
    let Some(issued_at) = form_id::issued_at(front, shop.slug(), form.get(form_id::FORM_ID)) else {
        return again(Reason::Stale).await;
    };
    let once = form_id::once(form, shop.business.id());
    let _turn = front.turn(&once).await;
    let request = Request { idempotency: Some(once), ..Request::by(Actor::Customer) };
    match shop.business.remembered::<BookOnline>(&request).await {
        Ok(Some(before)) => return booked(&asked, &shop, before.value).await,
        Ok(None) if form_id::is_fresh(front, issued_at) => {}
        Ok(None) | Err(EngineError::Refused(Refusal::IdempotencyKeyReused)) => {
            return again(Reason::Stale).await;
        }
        Err(error) => return Err(error.into()),
    }
    let entered = match Entered::read(form, &shop, &offer) {
        Ok(entered) => entered,
        Err(problems) => return again(Reason::Invalid(problems)).await,
    };
    let identifiers = (entered.phone.as_ref(), entered.email.as_ref());
    let (id, now) = (shop.business.id(), front.engine.now());
    let counted = front.bookings.lock().count((id, true), asked.address(), identifiers, now);
    let counted = counted.map_err(Refused::too_many)?;
    let Entered { request: book, name, phone, email, note, texts } = entered;
    let locale = asked.words.locale;
    let book = BookOnline { request: book, name, phone, email, note, locale, texts };
    let answer = shop.business.change(request, book).await;
    if answer.is_err() {
        front.bookings.lock().take_back(&counted);
    }
    match answer {
        Ok(answer) => booked(&asked, &shop, answer.value).await,
        Err(EngineError::Refused(refusal)) => match refusal {
            Refusal::SlotUnavailable(_) => again(Reason::Taken).await,
            Refusal::Invalid(_) => again(Reason::Invalid(vec![("starts_at", "problem-time")])).await,
            Refusal::BookingDisabled => off(&asked.view, StatusCode::CONFLICT, "off"),
            Refusal::Conflict { .. } => off(&asked.view, StatusCode::CONFLICT, "full"),
            refusal => Err(refusal.into()),
        },
        Err(EngineError::Suspended) => Err(Refused::not_found()),
        Err(error) => Err(error.into()),
    }
}

/// Redirects to the page of the booked appointment. If the form is sent again, the redirect contains a new
/// manage link.
async fn booked(asked: &PageInput, shop: &Shop, booked: OnlineBooked) -> Answered {
    let token = match booked.token {
        Some(token) => token,
        None => {
            let mint = MintLink { appointment_id: booked.appointment_id, to: None };
            shop.business.change(Request::by(Actor::Customer), mint).await?.value.token
        }
    };
    match asked.view.framed {
        true => see_other(&format!("{}/done/{token}", asked.page_path())),
        false => see_other(&format!("/book/manage/{token}")),
    }
}

/// The stylesheet with the colour of the business.
pub(super) async fn theme(asked: PageInput) -> Answered {
    let color = asked.shop()?.website.color;
    let css = color.map(|color| format!(":root{{--accent:{color};--on-accent:{}}}\n", color.text()));
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    let head = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, THEME_CACHED)];
    Ok((head, css.unwrap_or_default()).into_response())
}

/// The page of a business that takes no online bookings. It shows the phone number and the email address.
fn off(view: &View, status: StatusCode, text: &str) -> Answered {
    page_as(status, &Off { text: view.t(text), view })
}

fn button(view: &View, shop: &Shop) -> String {
    view.t(if shop.profile.booking_mode == BookingMode::Request { "button-request" } else { "button-book" })
}

/// The text with the number of the current step. If there is only one service, the step that chooses it is
/// skipped and not counted.
fn steps(view: &View, offer: &Offer, step: u64) -> String {
    let skipped = u64::from(offer.services.len() == 1);
    let values = [("step", Value::Count(step - skipped)), ("steps", Value::Count(STEPS - skipped))];
    view.words.say("step", &values)
}

/// A choice that the customer made, with the link that changes it.
struct Chosen {
    label: String,
    text: String,
    /// The chosen time, if this is the choice of a time.
    at: Option<Timestamp>,
    more: String,
    change: Option<String>,
}

fn summary(
    view: &View,
    shop: &Shop,
    offer: &Offer,
    choice: &Choice,
    path: &str,
    locale: Option<&str>,
) -> Vec<Chosen> {
    let mut summary = Vec::new();
    let Some(service) = choice.service.and_then(|id| offer.service(id)) else { return summary };
    let before = |choice: Choice| Some(choice.link(path, locale));
    summary.push(Chosen {
        label: view.t("service"),
        text: service.name.clone(),
        at: None,
        more: view.about(shop, service),
        change: if offer.services.len() > 1 { before(Choice::default()) } else { None },
    });
    if let Some(time) = choice.time {
        let member = choice.staff.and_then(|id| offer.member(service.id, id));
        summary.push(Chosen {
            label: view.t("staff"),
            text: member.map_or_else(|| view.t("anyone"), |member| member.name.clone()),
            at: None,
            more: String::new(),
            change: None,
        });
        summary.push(Chosen {
            label: view.t("time"),
            text: view.with_time(shop, time),
            at: Some(time),
            more: view.zone(shop),
            change: before(Choice { time: None, ..*choice }),
        });
    }
    summary
}

impl View {
    fn with_time(&self, shop: &Shop, time: Timestamp) -> String {
        let clock = self.clock(shop, time);
        capitalised(&self.words.dated("moment", shop.day(time), &clock))
    }

    /// The duration of a service and, if the business shows prices, its price.
    fn about(&self, shop: &Shop, service: &Service) -> String {
        let (hours, minutes) = (service.duration_minutes / 60, service.duration_minutes % 60);
        let parts = [("hours", hours), ("minutes", minutes)].into_iter().filter(|(_, count)| *count > 0);
        let duration: Vec<_> = parts.map(|(id, count)| self.count(id, count.into())).collect();
        let price = service.price.as_ref().filter(|_| shop.website.show_prices);
        let price = price.map(|price| self.words.price(price));
        [Some(duration.join("\u{a0}")), price].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

#[derive(Template)]
#[template(path = "book/booking/services.html", config = "src/askama.toml")]
struct Services<'a> {
    view: View,
    step: String,
    shop: &'a Shop,
    services: &'a [Service],
    path: String,
    locale: Option<&'static str>,
}

impl Services<'_> {
    fn link(&self, service: &Service) -> String {
        Choice { service: Some(service.id), ..Choice::default() }.link(&self.path, self.locale)
    }
}

#[derive(Template)]
#[template(path = "book/booking/times.html", config = "src/askama.toml")]
struct Times<'a> {
    view: View,
    step: String,
    summary: Vec<Chosen>,
    shop: &'a Shop,
    offer: &'a Offer,
    choice: Choice,
    week: Week,
    path: String,
    locale: Option<&'static str>,
}

impl Times<'_> {
    /// The staff members with the links to their times. The first entry is "anyone".
    fn staff(&self) -> Vec<(String, String, bool)> {
        let members = self.choice.service.into_iter().flat_map(|service| self.offer.staff_for(service));
        let members = members.map(|member| (Some(member.id), member.name.clone()));
        let all = [(None, self.view.t("anyone"))].into_iter().chain(members);
        let link = |(staff, name)| {
            let choice = Choice { staff, time: None, ..self.choice };
            (name, choice.link(&self.path, self.locale), staff == self.choice.staff)
        };
        all.map(link).collect()
    }

    fn heading(&self, day: &Day) -> String {
        self.view.heading(day.date)
    }

    fn count(&self, day: &Day) -> String {
        self.view.count("day-times", day.times.len() as u64)
    }

    /// Whether this is the first day with a bookable time. The page shows the times of this day without a click.
    fn is_first(&self, day: &Day) -> bool {
        self.week.first() == Some(day.date)
    }

    fn clock(&self, time: &Timestamp) -> String {
        self.view.clock(self.shop, *time)
    }

    fn week_of(&self, date: &NaiveDate) -> String {
        Choice { date: Some(*date), ..self.choice }.link(&self.path, self.locale)
    }

    fn time(&self, time: &Timestamp) -> String {
        let date = self.choice.date.or_else(|| self.week.days.first().map(|day| day.date));
        Choice { date, time: Some(*time), ..self.choice }.link(&self.path, self.locale)
    }

    /// The link to the first day with a bookable time.
    fn soonest(&self) -> Option<String> {
        let choice = Choice { date: None, ..self.choice };
        self.choice.date.map(|_| choice.link(&self.path, self.locale))
    }

    fn period(&self) -> String {
        let dates = self.week.days.first().zip(self.week.days.last());
        let dates =
            dates.map(|(first, last)| [self.view.words.date(first.date), self.view.words.date(last.date)]);
        let [first, last] = dates.unwrap_or_default();
        self.view.words.say("period", &[("first", Value::Text(&first)), ("last", Value::Text(&last))])
    }
}

#[derive(Template)]
#[template(path = "book/booking/off.html", config = "src/askama.toml")]
struct Off<'a> {
    view: &'a View,
    text: String,
}
