//! The first steps of a new business: hours, a service, somebody who does it, a first booking, a key.
//!
//! What always holds: what is done is read from what there is, so nobody has to tick anything; the steps are gone for good
//! once all are done, or once the business has long been at work without a key.

use actors::business::PageRequest;
use actors::domain::Right;
use actors::domain::diary::Diary;
use chrono::TimeDelta;

use crate::dashboard::asked::Member;
use crate::dashboard::refused::Refused;
use crate::dashboard::view::View;

/// After so long a business that works has decided that it needs no key.
const NEW_FOR: TimeDelta = TimeDelta::days(14);

/// One step.
pub(super) struct Step {
    pub(super) title: String,
    /// What it takes, or what was done.
    pub(super) text: String,
    pub(super) done: bool,
    /// Whether it is the next one.
    pub(super) next: bool,
    /// Where it is done; empty where there is no such page.
    pub(super) path: String,
    pub(super) label: String,
    pub(super) number: usize,
}

/// The steps of whoever may take them; none where there is nothing left.
pub(super) async fn steps(member: &Member, view: &View, diary: &Diary) -> Result<Vec<Step>, Refused> {
    if !member.may(Right::Settings) {
        return Ok(Vec::new());
    }
    let one = PageRequest { limit: 1, after: None };
    let has_hours = !member.profile.hours.days().is_empty() || !diary.special.is_empty();
    let service = diary.services.iter().find(|service| service.active);
    let offers = |one: &&actors::domain::diary::Presence| {
        diary.services.iter().any(|service| service.active && one.member.offers(service.id))
    };
    let staff = diary.staff.iter().find(offers);
    let is_ready = has_hours && service.is_some() && staff.is_some();
    let has_booked = !member.business.appointments(&Default::default(), &one).await?.items.is_empty();
    let is_old = member.business.now() > member.profile.created_at + NEW_FOR;
    if is_ready && has_booked && is_old {
        return Ok(Vec::new());
    }
    let has_key = !member.business.keys(&one).await?.items.is_empty();
    let said = |done: Option<String>, id: &str| done.unwrap_or_else(|| view.t(id));
    let days = view.count("steps-hours-done", member.profile.hours.days().len() as u64);
    let facts = [
        ("hours", has_hours, said(has_hours.then_some(days), "steps-hours-text"), "settings/hours"),
        (
            "service",
            service.is_some(),
            said(service.map(|service| service.name.clone()), "steps-service-text"),
            "settings/services",
        ),
        (
            "staff",
            staff.is_some(),
            said(staff.map(|one| one.member.name.clone()), "steps-staff-text"),
            "settings/staff",
        ),
        ("booking", has_booked, view.t("steps-booking-text"), "appointments/new"),
        ("key", has_key, view.t("steps-key-text"), "settings/keys"),
    ];
    if facts.iter().all(|(_, done, ..)| *done) {
        return Ok(Vec::new());
    }
    let next = facts.iter().position(|(_, done, ..)| !done);
    let step = |(at, (id, done, text, place)): (usize, (&str, bool, String, &str))| Step {
        title: view.t(&format!("steps-{id}")),
        text,
        done,
        next: Some(at) == next,
        path: member.place(place).filter(|_| id != "booking" || is_ready).unwrap_or_default(),
        label: view.t(if done { "steps-change" } else { "steps-do" }),
        number: at + 1,
    };
    Ok(facts.into_iter().enumerate().map(step).collect())
}
