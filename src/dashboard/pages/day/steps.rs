//! The first steps that today's page proposes to a new business: set the hours, add a service, add a staff
//! member for it, make a first booking, and create an API key.
//!
//! Invariants:
//! - The page reads from the business's data which steps are done.
//! - The steps disappear when all are done or when the person hides them in this browser. They also disappear
//!   when the business can take bookings, has an appointment, and is older than `NEW_FOR`.

use axum::http::header;
use chrono::TimeDelta;
use domain::diary::{Diary, Presence};
use domain::{BusinessId, Right, Service};
use engine::business::PageRequest;

use crate::dashboard::cookies::Cookie;
use crate::dashboard::pages::prelude::*;

/// If a business is older than this, has an appointment and can take bookings, the page omits the steps.
const NEW_FOR: TimeDelta = TimeDelta::days(14);

const TO_A_BOOKING: usize = 4;

/// The maximum number of businesses for which one browser remembers that the list of first steps is hidden.
const HIDDEN_MAX: usize = 20;

/// A missing requirement for bookings. If the person may change the setting, there is a link to its page.
pub(super) struct Missing {
    pub(super) text: String,
    pub(super) path: Option<String>,
    pub(super) label: String,
}

pub(super) struct Step {
    pub(super) title: String,
    pub(super) text: String,
    pub(super) done: bool,
    pub(super) next: bool,
    pub(super) path: String,
    pub(super) label: String,
    pub(super) number: usize,
}

pub(super) async fn steps(member: &Member, diary: &Diary) -> Result<Vec<Step>, Refused> {
    if !member.may(Right::Settings) || hidden(member).any(|id| id == member.business.id().to_string()) {
        return Ok(Vec::new());
    }
    let view = &member.view;
    let one = PageRequest { limit: 1, after: None };
    let has_hours = !member.profile.hours.days().is_empty() || !diary.special.is_empty();
    let (service, staff) = (bookable(diary), offering(diary));
    let is_ready = has_hours && service.is_some() && staff.is_some();
    let has_booked = !member.business.appointments(&Default::default(), &one).await?.items.is_empty();
    let is_old = member.business.now() > member.profile.created_at + NEW_FOR;
    if is_ready && has_booked && is_old {
        return Ok(Vec::new());
    }
    let has_key = !member.business.keys(&one).await?.items.is_empty();
    // For each step, the text about its result, or `None` if the step is not done.
    let facts = [
        (
            "hours",
            has_hours.then(|| view.count("steps-hours-done", member.profile.hours.days().len() as u64)),
        ),
        ("service", service.map(|service| service.name.clone())),
        ("staff", staff.map(|one| one.member.name.clone())),
        ("booking", has_booked.then(|| view.t("steps-booking-text"))),
        ("key", has_key.then(|| view.t("steps-key-text"))),
    ];
    let Some(next) = facts.iter().position(|(_, done)| done.is_none()) else { return Ok(Vec::new()) };
    let step = |(at, (id, text)): (usize, (&str, Option<String>))| Step {
        title: view.t(&format!("steps-{id}")),
        done: text.is_some(),
        next: at == next,
        path: if id != "booking" || is_ready { member.path_to(place_of(id)) } else { String::new() },
        label: view.t(&if text.is_some() { "steps-change".into() } else { format!("steps-do-{id}") }),
        text: text.unwrap_or_else(|| view.t(&format!("steps-{id}-text"))),
        number: at + 1,
    };
    Ok(facts.into_iter().enumerate().map(step).collect())
}

fn hidden(member: &Member) -> impl Iterator<Item = &str> {
    let cookie = member.desk.cookies.get(&member.head.headers, Cookie::Steps);
    cookie.unwrap_or_default().split('.').filter(|id| !id.is_empty())
}

pub(crate) async fn hide(member: Member) -> Answered {
    let id = member.business.id().to_string();
    let others = hidden(&member)
        .filter(|other| other.parse::<BusinessId>().is_ok_and(|other| other.to_string() != id));
    let all: Vec<_> = std::iter::once(&*id).chain(others).take(HIDDEN_MAX).collect();
    let mut response = see_other(&member.path_to("today"));
    let cookie = member.desk.cookies.set(Cookie::Steps, &all.join("."));
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

/// Whether the person still has steps to do before the business can take bookings.
pub(in crate::dashboard) async fn are_left(member: &Member) -> Result<bool, Refused> {
    if !member.may(Right::Settings) {
        return Ok(false);
    }
    let today = member.today();
    let diary = member.business.diary(today..=today).await?;
    let steps = steps(member, &diary).await?;
    Ok(steps.iter().take(TO_A_BOOKING).any(|step| !step.done))
}

pub(super) async fn missing(member: &Member, diary: &Diary) -> Result<Option<Missing>, Refused> {
    let opens = !member.profile.hours.days().is_empty() || {
        let (one, from_today) = (PageRequest { limit: 1, after: None }, (Some(member.today()), None));
        !member.business.special_days(from_today, &one).await?.items.is_empty()
    };
    let (service, staff) = (bookable(diary), offering(diary));
    let (id, text) = match (opens, service, staff) {
        (false, ..) => ("hours", "book-no-hours"),
        (_, None, _) => ("service", "book-no-service"),
        (_, _, None) => ("staff", "book-no-staff"),
        _ => return Ok(None),
    };
    Ok(Some(Missing {
        text: member.t(text),
        path: member.may(Right::Settings).then(|| member.path_to(place_of(id))),
        label: member.t(&format!("steps-do-{id}")),
    }))
}

fn place_of(step: &str) -> &'static str {
    match step {
        "hours" => "settings/hours",
        "service" => "settings/services",
        "staff" => "settings/staff",
        "booking" => "appointments/new",
        _ => "settings/keys",
    }
}

fn bookable(diary: &Diary) -> Option<&Service> {
    diary.services.iter().find(|service| service.active)
}

fn offering(diary: &Diary) -> Option<&Presence> {
    let offers = |one: &&Presence| {
        diary.services.iter().any(|service| service.active && one.member.offers(service.id))
    };
    diary.staff.iter().find(offers)
}
