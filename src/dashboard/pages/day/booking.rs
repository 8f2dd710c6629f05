//! Booking an appointment. The form has several buttons. One button books; the others show open times of
//! another day or service, or search for a contact.
//!
//! Invariants:
//! - The page shows only times that the engine offers to the team. The booking itself checks that the time is
//!   still free.
//! - A time is booked only if the shown times belong to the submitted date, service and staff member.
//! - The submitted values are in the page of the response, never in a URL, since browsers store URLs in the
//!   history.

use chrono::{Days, NaiveDate};
use domain::availability::{AVAILABILITY_DAYS_MAX, Slot, Terms};
use domain::booking::{BookRequest, Party};
use domain::diary::Diary;
use domain::{Email, Phone, Right, Search, Service, ServiceId, Source, StaffId};
use engine::business::commands::appointments::Book;
use engine::business::{ContactFilter, PageRequest};
use view::ContactView;

use super::above::days;
use super::open_times::{OpenTimes, Shown};
use super::steps::{Missing, missing};
use crate::admin::TeamBookBody;
use crate::dashboard::pages::prelude::*;
use crate::http::query::FromQuery;
use crate::rest::contact::booking_contact;
use crate::rest::through::{Through, read_through};
use crate::rest::values::phone::{PhoneRegion, trunk_prefixes};

const NEW: &str = "new";
/// The names of two kinds of buttons that show open times: the main button, and the days of the strip.
const SHOW: &str = "show";
const DAY: &str = "day";
/// The hidden fields with the parameters of the shown times, and with the text of the contact search.
const TIMES_OF: &str = "times_of";
const FOUND_FOR: &str = "found_for";

#[derive(Template)]
#[template(path = "dashboard/pages/day/booking.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    back: String,
    stopped: Option<Missing>,
    filled: Filled,
    asked: [Field; 4],
    sent: [(&'static str, String); 3],
    times: Option<OpenTimes>,
    callers: Vec<ContactView>,
    who: String,
    who_problem: String,
    not_found: String,
    fields: [Field; 3],
}

struct Wanted<'a> {
    service: Option<&'a Service>,
    staff: Option<StaffId>,
    date: NaiveDate,
}

pub(crate) async fn show(member: Member) -> Answered {
    shown(&member, member.filled(member.path(), || member.query.clone())).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let form = &member.form;
    if form.find(SHOW).is_some() || form.find(DAY).is_some() {
        return Ok(nothing_done(shown(&member, Filled::of(form.clone())).await?));
    }
    let asked = ["service", "staff", "date"].map(|name| form.get(name));
    if form.find(TIMES_OF).is_some_and(|of| of != times_of(asked)) {
        // The person has changed the service, the staff member or the date since the times were shown.
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
    let body = member.body().given("service_id", "service").given("staff_id", "staff");
    let body = body.given("starts_at", "starts_at");
    let body = match given("who").filter(|who| *who != NEW) {
        Some(id) => body.with("contact_id", text(id)),
        None => {
            let parts = ["name", "phone", "email"].into_iter();
            let parts = parts.filter_map(|name| Some((name.to_owned(), text(given(name)?))));
            body.with("contact", Json::Object(parts.collect()))
        }
    };
    let body = body.read::<TeamBookBody>()?;
    let request = BookRequest {
        service_id: body.service_id,
        starts_at: body.starts_at,
        staff_id: body.staff_id,
        source: Source::Dashboard,
        party: Party::TEAM,
        duration: None,
    };
    let contact = booking_contact(body.contact_id, body.contact)?;
    let id = member.change(Book { request, contact }).await?.value.id;
    // An existing contact keeps its name, and the name in the form is ignored.
    let typed = form.get("name").trim().to_lowercase();
    let booked = match typed.is_empty() || given("who").is_some_and(|who| who != NEW) {
        true => None,
        false => member.business.appointment(id).await?,
    };
    let is_other = booked.is_some_and(|visit| {
        let name = visit.contact_name.unwrap_or_default();
        name.trim().to_lowercase() != typed
    });
    let done = if is_other { "booked-known" } else { "booked" };
    Ok(member.path_to(&format!("appointments/{id}?done={done}")))
}

fn times_of(asked: [&str; 3]) -> String {
    asked.join("/")
}

async fn shown(member: &Member, mut filled: Filled) -> Answered {
    let status = filled.status;
    let today = member.today();
    let asked_date = days::asked(filled.get(DAY)).or_else(|| days::asked(filled.get("date")));
    let date = asked_date.unwrap_or(today).max(today);
    let days = strip(date, today);
    let diary = member.business.diary(days[0]..=days[days.len() - 1]).await?;
    let is_there =
        |staff: &StaffId| diary.staff.iter().any(|one| one.member.active && one.member.id == *staff);
    let staff = filled.get("staff").parse().ok().filter(is_there);
    let mut wanted = Wanted { service: service_of(&diary, filled.get("service"), staff), staff, date };
    let slots = open_slots(member, &diary, &wanted, &days).await?;
    if asked_date.is_none()
        && let Some(first) = slots.first()
    {
        wanted.date = member.day(first.starts_at);
    }
    let is_taken = status == StatusCode::CONFLICT;
    let times = wanted.service.map(|_| {
        let shown =
            Shown { member, days: &days, date: wanted.date, diary: &diary, slots: &slots, sends: true };
        shown.open_times(&mut filled, is_taken, |day| day.to_string())
    });
    let (callers, not_found, who) = found(member, &filled).await?;
    let fields = fields(&member.view, &mut filled);
    let who_problem = ["contact_id", "contact"].map(|path| filled.problem(&member.view, path));
    let stopped = match member.may(Right::Day) {
        true => missing(member, &diary).await?,
        false => Some(Missing { text: member.t("book-suspended"), path: None, label: String::new() }),
    };
    let [service, staff] = wanted.ids();
    let asked = asked(&member.view, &mut filled, &diary, &wanted);
    let back = member.calendar("day", wanted.date, None);
    let crumb = Crumb { label: member.t("calendar"), path: back.clone() };
    let sent = [
        (TIMES_OF, times_of([&service, &staff, &wanted.date.to_string()])),
        (FOUND_FOR, filled.get("q").to_owned()),
        ("contact", filled.get("contact").to_owned()),
    ];
    let shown = Page {
        sheet: member.sheet("").under(vec![crumb]),
        back,
        stopped,
        filled,
        asked,
        sent,
        times,
        callers,
        who,
        who_problem: who_problem.into_iter().filter(|told| !told.is_empty()).collect::<Vec<_>>().join(" "),
        not_found,
        fields,
    };
    page_as(status, &shown)
}

impl Page<'_> {
    fn is_chosen(&self, contact: &ContactView) -> bool {
        self.who == contact.id.to_string()
    }
}

impl Wanted<'_> {
    fn ids(&self) -> [String; 2] {
        let service = self.service.map(|service| service.id.to_string());
        [service.unwrap_or_default(), self.staff.map(|staff| staff.to_string()).unwrap_or_default()]
    }
}

/// The days of a strip: the days of the date's week that are not in the past.
pub(super) fn strip(date: NaiveDate, today: NaiveDate) -> Vec<NaiveDate> {
    let first = days(date)[0].max(today);
    let last = first.checked_add_days(Days::new(AVAILABILITY_DAYS_MAX.unsigned_abs() - 1)).unwrap_or(first);
    first.iter_days().take_while(|day| *day <= last).collect()
}

/// The requested service, else the first service that can be booked with the requested staff member.
fn service_of<'a>(diary: &'a Diary, asked: &str, staff: Option<StaffId>) -> Option<&'a Service> {
    let id: Option<ServiceId> = asked.parse().ok();
    let mut active = diary.services.iter().filter(|service| service.active);
    if let Some(found) = active.clone().find(|service| Some(service.id) == id) {
        return Some(found);
    }
    let offered = |service: &&Service| {
        let mut who = diary.staff.iter().filter(|one| staff.is_none_or(|staff| staff == one.member.id));
        who.any(|one| one.member.offers(service.id))
    };
    active.clone().find(offered).or_else(|| active.next())
}

async fn open_slots(
    member: &Member,
    diary: &Diary,
    wanted: &Wanted<'_>,
    days: &[NaiveDate],
) -> Result<Vec<Slot>, Refused> {
    let Some(service) = wanted.service else { return Ok(Vec::new()) };
    let offers =
        |staff| diary.staff.iter().any(|one| one.member.id == staff && one.member.offers(service.id));
    if wanted.staff.is_some_and(|staff| !offers(staff)) {
        return Ok(Vec::new());
    }
    let (first, last) = (days[0], days[days.len() - 1]);
    let terms = Terms::Team { ignore_buffers: false };
    Ok(member.business.availability(service.id, wanted.staff, (first, last), terms).await?)
}

/// Returns the contacts to choose from (the requested contact, the chosen contact, the results of the
/// search), a message if the search found none, and the choice: a contact's id or [`NEW`].
async fn found(member: &Member, filled: &Filled) -> Result<(Vec<ContactView>, String, String), Refused> {
    let mut found = Vec::new();
    for field in ["contact", "who"] {
        if let Ok(id) = filled.get(field).parse()
            && let Some(contact) = member.business.contact(id).await?
        {
            found.push(contact);
        }
    }
    let wanted = filled.get("q");
    let looked_for = look_for(member, wanted).await?;
    let not_found = match (wanted.trim().is_empty(), looked_for.is_incomplete, looked_for.items.is_empty()) {
        (false, true, _) => member.t("book-incomplete"),
        (false, false, true) => member.with("book-not-found", "text", wanted),
        _ => String::new(),
    };
    let is_anew = filled.get(FOUND_FOR) != wanted && !looked_for.items.is_empty();
    let at = if is_anew { 0 } else { found.len() };
    found.splice(at..at, looked_for.items);
    let mut known = Vec::new();
    found.retain(|contact| {
        let is_new = !known.contains(&contact.id);
        known.push(contact.id);
        is_new
    });
    let who = match filled.get("who") {
        who if !who.is_empty() && !is_anew => who.to_owned(),
        _ => found.first().map_or_else(|| NEW.into(), |first| first.id.to_string()),
    };
    Ok((found, not_found, who))
}

fn fields(view: &View, filled: &mut Filled) -> [Field; 3] {
    let fields = [
        Field::line("name", view.t("name")),
        Field::new("phone", "tel", "off", view.t("appointment-phone")),
        Field::new("email", "email", "off", view.t("email")),
    ];
    fields.map(|field| {
        let problem = filled.problem(view, &format!("contact.{}", field.id));
        let value = filled.get(&field.id).to_owned();
        Field { value, problem, ..field.optional() }
    })
}

fn asked(view: &View, filled: &mut Filled, diary: &Diary, wanted: &Wanted<'_>) -> [Field; 4] {
    let services = diary.services.iter().filter(|service| service.active).map(|service| {
        let minutes = view.count("appointment-minutes", service.duration_minutes.into());
        Choice::new(service.id.to_string(), format!("{}, {minutes}", service.name))
    });
    let members = diary.staff.iter().filter(|one| one.member.active);
    let members = members.map(|one| Choice::new(one.member.id.to_string(), &one.member.name));
    let [of_service, of_staff] = wanted.ids();
    let service = Field::select("service", view.t("appointment-service"), services);
    let staff = Field::select("staff", view.t("appointment-with"), members).or_empty(view.t("book-anybody"));
    let date = Field::new("date", "date", "off", view.t("book-day"));
    let who = Field::new("q", "search", "off", view.t("book-who")).optional();
    [
        service.chosen(&of_service).problem(Some(filled.problem(view, "service_id"))),
        staff.chosen(&of_staff).problem(Some(filled.problem(view, "staff_id"))),
        date.holding(&wanted.date.to_string()),
        who.holding(filled.get("q")),
    ]
}

const OFFERED: usize = 8;
/// The maximum length of a search text, in characters. It equals the limit of contact names.
const LOOKED_FOR_CHARS_MAX: usize = 200;

impl View {
    pub(super) fn name_to_choose(&self, contact: &ContactView) -> String {
        let known = [&contact.name, &contact.phone, &contact.email].into_iter().flatten();
        let name = known.into_iter().find(|name| !name.trim().is_empty()).cloned();
        name.unwrap_or_else(|| self.t("somebody"))
    }

    /// The phone number and the email of a contact, except the value that is shown as its name.
    pub(super) fn reached(&self, contact: &ContactView) -> String {
        let name = self.name_to_choose(contact);
        let phone = contact.phone.as_ref().filter(|phone| **phone != name).map(|phone| self.phone(phone));
        let email = contact.email.clone().filter(|email| *email != name);
        phone.into_iter().chain(email).collect::<Vec<_>>().join(" · ")
    }
}

/// Searches contacts by a phone number, an email, or the words of the search, newest first.
async fn look_for(member: &Member, wanted: &str) -> Result<Through<ContactView>, Refused> {
    let wanted = wanted.trim();
    if wanted.is_empty() || wanted.chars().count() > LOOKED_FOR_CHARS_MAX {
        return Ok(Through { items: Vec::new(), next: None, is_incomplete: false });
    }
    let mut filter = ContactFilter::default();
    if let Ok(phone) = Phone::from_query(wanted, &PhoneRegion::reading(&member.profile)) {
        filter.phone = Some(phone);
    } else if let Ok(email) = Email::new(wanted) {
        filter.email = Some(email);
    } else {
        filter.search = Some(Search::new(wanted, trunk_prefixes()));
    }
    let (business, filter) = (&member.business, &filter);
    let read = |page| async move { business.contacts(filter, &page).await };
    Ok(read_through(PageRequest { limit: OFFERED, after: None }, read).await?)
}
