//! The page that books an appointment. Its form has several buttons. One button books; the others show open times of
//! another day or service, or search for a contact. With JavaScript, the form also opens as a panel next to other
//! pages.
//!
//! Invariants:
//! - The page offers the times that the engine offers to the team. Any other time is booked only after the page
//!   has shown the rules that the booking overrides.
//! - A time is booked only if the shown times belong to the submitted date, service and staff member.
//! - The submitted values are in the page of the response, never in a URL, since browsers store URLs in the
//!   history.

use chrono::{NaiveDate, TimeDelta};
use domain::availability::Slot;
use domain::booking::{BookRequest, Party};
use domain::diary::Diary;
use domain::{Right, Service, ServiceId, Source, StaffId};
use engine::business::commands::appointments::{Book, BookNoted};

use super::axis::minute;
use super::open_times::{Shown, strip};
use super::steps::{Missing, missing};
use super::timing::{Timing, Verdict, WALK_IN, Wish, date_of, only_shows, party, team};
use super::whom::{NEW, WHO, Whom};
use crate::admin::{AppointmentPatchBody, TeamBookBody};
use crate::dashboard::frame::BOOKED;
use crate::dashboard::pages::prelude::*;
use crate::rest::contact::booking_contact;

/// The hidden field with the service, the staff member and the date of the shown times.
const TIMES_OF: &str = "times_of";
/// The hidden field with the page to return to: `today`, or the query of the calendar.
pub(super) const BACK: &str = "back";
const NOTES: &str = "notes";

#[derive(Template)]
#[template(path = "dashboard/pages/day/booking.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    back: String,
    /// The path of the form for adding time off, instead of an appointment, at the chosen time.
    block: Option<String>,
    stopped: Option<Missing>,
    filled: Filled,
    services: Vec<Services>,
    service_problem: String,
    staff: Field,
    sent: Vec<(&'static str, String)>,
    timing: Option<Timing>,
    whom: Whom,
    notes: Field,
}

/// A group of services in the list. Without a chosen time, there is one group without a label.
struct Services {
    label: String,
    options: Vec<Choice>,
}

struct BookingQuery<'a> {
    service: Option<&'a Service>,
    staff: Option<StaffId>,
    date: NaiveDate,
}

pub(crate) async fn show(member: Member) -> Answered {
    shown(&member, member.filled(member.path(), || member.query.clone())).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let form = &member.form;
    if only_shows(form) {
        return Ok(nothing_done(shown(&member, Filled::of(form.clone())).await?));
    }
    let asked = ["service", "staff", "date"].map(|name| form.get(name));
    if form.find(TIMES_OF).is_some_and(|of| of != times_of(asked)) {
        // The person has changed the service, the staff member or the date. The page shows the times for this
        // choice and books nothing.
        let (notice, status) = (member.t("book-times-changed"), StatusCode::UNPROCESSABLE_ENTITY);
        let mut filled = Filled::of(form.clone());
        (filled.notice, filled.status) = (notice, status);
        return shown(&member, filled).await;
    }
    let done = book(&member).await;
    member.answered(done, |filled| shown(&member, filled)).await
}

async fn book(member: &Member) -> Result<String, Refused> {
    let form = &member.form;
    let given = |name: &str| Some(form.get(name).trim()).filter(|text| !text.is_empty());
    let text = |text: &str| Json::String(text.to_owned());
    let date = date_of(member, form).unwrap_or_else(|| member.today());
    let body = member.body().given("service_id", "service").given("staff_id", "staff");
    let body = body.timed(form, Wish::of(member, form, date));
    let is_walk_in = form.find(WALK_IN).is_some();
    let body = match given(WHO) {
        None if !is_walk_in => body,
        Some(id) if id != NEW => body.with("contact_id", text(id)),
        _ => {
            let parts = ["name", "phone", "email"].into_iter();
            let parts = parts.filter_map(|name| Some((name.to_owned(), text(given(name)?))));
            let mut parts: Vec<_> = parts.collect();
            if is_walk_in && parts.is_empty() {
                parts.push(("name".into(), text(&member.t("book-walk-in-name"))));
            }
            body.with("contact", Json::Object(parts))
        }
    };
    let body = body.read::<TeamBookBody>()?;
    let notes = member.body().optional(NOTES).read::<AppointmentPatchBody>()?.notes.set().flatten();
    let request = BookRequest {
        service_id: body.service_id,
        starts_at: body.starts_at,
        staff_id: body.staff_id,
        source: Source::Dashboard,
        party: team(form),
        duration: body.duration_minutes.map(|minutes| TimeDelta::minutes(minutes.get().into())),
    };
    let contact = booking_contact(body.contact_id, body.contact)?;
    let proposal = member.business.try_to_book(request.clone()).await.map_err(FormError::of)?;
    let book = Book { request: BookRequest { party: party(member, proposal)?, ..request }, contact };
    let booked = member.change(BookNoted { book, notes }).await?.value;
    // An existing contact keeps its name, and the name in the form is ignored.
    let typed = form.get("name").trim().to_lowercase();
    let is_other = !typed.is_empty()
        && given(WHO).is_none_or(|who| who == NEW)
        && booked.contact_name.as_ref().is_none_or(|name| name.trim().to_lowercase() != typed);
    let known = if is_other { "&known=1" } else { "" };
    let path = back_to(member, form.get(BACK), member.day(booked.starts_at)).path;
    Ok(with_query(&path, &format!("{BOOKED}={}{known}", booked.id)))
}

pub(super) fn with_query(path: &str, query: &str) -> String {
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{path}{joint}{query}")
}

/// The page to return to, which the field `back` of a form names.
pub(super) fn back_to(member: &Member, back: &str, date: NaiveDate) -> Crumb {
    if back == "today" {
        return member.crumb(back);
    }
    let calendar = Form::parse(back.as_bytes());
    let view = ["day", "week", "month", "list"].into_iter().find(|view| calendar.get("view") == *view);
    let path = member.calendar(view.unwrap_or("day"), date, calendar.get("staff").parse().ok());
    Crumb { path, ..member.crumb("calendar") }
}

fn times_of(asked: [&str; 3]) -> String {
    asked.join("/")
}

async fn shown(member: &Member, mut filled: Filled) -> Answered {
    let status = filled.status;
    let today = member.today();
    let asked_date = date_of(member, filled.values());
    let date = asked_date.unwrap_or(today);
    let days = strip(member, date);
    let diary = member.business.diary(days[0]..=days[days.len() - 1]).await?;
    let is_there =
        |staff: &StaffId| diary.staff.iter().any(|one| one.member.active && one.member.id == *staff);
    let staff = filled.get("staff").parse().ok().filter(is_there);
    let wish = Wish::of(member, filled.values(), date);
    let party = team(filled.values());
    let fitting = match wish.at {
        Some(at) => member.business.services_at(at, staff, party.terms()).await?,
        None => Vec::new(),
    };
    let service = service_of(&diary, filled.get("service"), staff, &fitting);
    let mut wanted = BookingQuery { service, staff, date };
    let slots = open_slots(member, &diary, &wanted, (&days, wish, party)).await?;
    if asked_date.is_none()
        && let Some(first) = slots.first()
    {
        wanted.date = member.day(first.starts_at);
    }
    let has_calendar = member.business.has_calendar().await?;
    let open = Shown { member, days: &days, date: wanted.date, diary: &diary, slots: &slots, has_calendar };
    let wish = wish.on(&open);
    let timing = match service {
        Some(service) => {
            let verdict = verdict(member, &open, (service, staff), (wish, party)).await?;
            Some(Timing::new(&open, &mut filled, (wish, service.duration()), verdict))
        }
        None => None,
    };
    let at = (wanted.date, staff, filled.get(BACK));
    let block = service.and_then(|service| block(member, at, wish, service));
    let whom = Whom::of(member, &mut filled).await?;
    let stopped = match member.may(Right::Day) {
        true => missing(member, &diary).await?,
        false => Some(Missing { text: member.t("book-suspended"), path: None, label: String::new() }),
    };
    let ids = wanted.ids();
    let back = back_to(member, filled.get(BACK), wanted.date);
    let sent = [
        (TIMES_OF, times_of([&ids[0], &ids[1], &wanted.date.to_string()])),
        (BACK, filled.get(BACK).to_owned()),
    ];
    let notes = Field::area(NOTES, member.t("book-notes")).optional().class("low");
    let shown = Page {
        back: back.path.clone(),
        sheet: member.sheet("").under(vec![back]),
        block,
        stopped,
        services: services(member, &diary, &ids[0], &fitting, wish),
        service_problem: filled.problem(&member.view, "service_id"),
        staff: staff_field(member, &mut filled, &diary, (&ids[1], timing.as_ref())),
        sent: sent.into_iter().chain(whom.sent.clone()).collect(),
        timing,
        whom,
        notes: filled.field(&member.view, notes),
        filled,
    };
    page_as(status, &shown)
}

impl BookingQuery<'_> {
    fn ids(&self) -> [String; 2] {
        let service = self.service.map(|service| service.id.to_string());
        [service.unwrap_or_default(), self.staff.map(|staff| staff.to_string()).unwrap_or_default()]
    }
}

/// The service of the form, which is the first of these that exists:
/// - the requested service, if it is active
/// - the first service that fits the chosen time
/// - the first service that the staff member offers
/// - the first active service
fn service_of<'a>(
    diary: &'a Diary,
    asked: &str,
    staff: Option<StaffId>,
    fitting: &[ServiceId],
) -> Option<&'a Service> {
    let id: Option<ServiceId> = asked.parse().ok();
    let mut active = active(diary).into_iter();
    if let Some(found) = active.clone().find(|service| Some(service.id) == id) {
        return Some(found);
    }
    let fits = |service: &&Service| fitting.contains(&service.id);
    let offered = |service: &&Service| {
        let mut who = diary.staff.iter().filter(|one| staff.is_none_or(|staff| staff == one.member.id));
        who.any(|one| one.member.offers(service.id))
    };
    active.clone().find(fits).or_else(|| active.clone().find(offered)).or_else(|| active.next())
}

fn active(diary: &Diary) -> Vec<&Service> {
    let mut active: Vec<_> = diary.services.iter().filter(|service| service.active).collect();
    active.sort_by_key(|service| service.position);
    active
}

/// The services, grouped by whether they fit the chosen time.
fn services(
    member: &Member,
    diary: &Diary,
    chosen: &str,
    fitting: &[ServiceId],
    wish: Wish,
) -> Vec<Services> {
    let option = |service: &&Service| {
        let minutes = member.count("appointment-minutes", service.duration_minutes.into());
        let price = service.price.as_ref().map(|price| member.words.price(price));
        let parts = [Some(service.name.clone()), Some(minutes), price];
        let id = service.id.to_string();
        Choice {
            chosen: id == chosen,
            ..Choice::new(id, parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
        }
    };
    let active = active(diary);
    let (fit, others): (Vec<_>, Vec<_>) = active.iter().partition(|service| fitting.contains(&service.id));
    let of = |id: &str, services: Vec<&Service>| {
        let time = wish.at.map(|at| member.clock(at)).unwrap_or_default();
        let label = if wish.at.is_some() { member.with(id, "time", &time) } else { String::new() };
        Services { label, options: services.iter().map(option).collect() }
    };
    let groups = [of("book-services-fit", fit), of("book-services-others", others)];
    groups.into_iter().filter(|group| !group.options.is_empty()).collect()
}

/// The path of the form that adds time off at the chosen time, if the person may change the time off of the
/// staff member.
fn block(
    member: &Member,
    (date, staff, back): (NaiveDate, Option<StaffId>, &str),
    wish: Wish,
    service: &Service,
) -> Option<String> {
    let staff = staff.or(member.membership.staff_id);
    let may = staff.map_or_else(|| member.may(Right::Settings), |staff| member.may_block(staff));
    let at = wish.at.filter(|_| may)?;
    let [from, until] = [at, at + wish.duration.unwrap_or(service.duration())]
        .map(|at| minute(at, date, member.profile.zone).to_string());
    let staff = staff.map(|staff| ("staff", staff.to_string()));
    let date = date.to_string();
    let back = Some((BACK, back.to_owned())).filter(|(_, back)| !back.is_empty());
    let values = [("date", date), ("minute", from), ("until", until)].into_iter().chain(staff).chain(back);
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(values).finish();
    Some(format!("{}?{query}", member.path_to("calendar/block")))
}

async fn open_slots(
    member: &Member,
    diary: &Diary,
    wanted: &BookingQuery<'_>,
    (days, wish, party): (&[NaiveDate], Wish, Party),
) -> Result<Vec<Slot>, Refused> {
    let Some(service) = wanted.service else { return Ok(Vec::new()) };
    let offers =
        |staff| diary.staff.iter().any(|one| one.member.id == staff && one.member.offers(service.id));
    if wanted.staff.is_some_and(|staff| !offers(staff)) {
        return Ok(Vec::new());
    }
    let days = (days[0], days[days.len() - 1]);
    Ok(member.business.times_to_book(service.id, wanted.staff, days, (party.terms(), wish.duration)).await?)
}

/// The result of the engine's check of a chosen time that is not an open time.
async fn verdict(
    member: &Member,
    open: &Shown<'_>,
    (service, staff_id): (&Service, Option<StaffId>),
    (wish, party): (Wish, Party),
) -> Result<Option<Verdict>, Refused> {
    let Some(starts_at) = wish.at.filter(|at| !open.offers(*at)) else { return Ok(None) };
    let request = BookRequest {
        service_id: service.id,
        starts_at,
        staff_id,
        source: Source::Dashboard,
        party,
        duration: wish.duration,
    };
    Verdict::of(&member.view, member.business.try_to_book(request).await).map(Some)
}

fn staff_field(
    member: &Member,
    filled: &mut Filled,
    diary: &Diary,
    (chosen, timing): (&str, Option<&Timing>),
) -> Field {
    let members = diary.staff.iter().filter(|one| one.member.active);
    let members = members.map(|one| Choice::new(one.member.id.to_string(), &one.member.name));
    let field =
        Field::select("staff", member.t("appointment-with"), members).or_empty(member.t("book-anybody"));
    let mut problem = filled.problem(&member.view, "staff_id");
    if timing.is_some_and(|timing| timing.needs_staff) {
        problem = member.t("book-override-staff");
    }
    field.chosen(chosen).problem(Some(problem))
}
