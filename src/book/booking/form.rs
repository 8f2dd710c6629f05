//! The form with which a customer books: its fields, and the page that shows it.
//!
//! Invariant: a refused form is shown with everything that the customer entered, and with a new id.

use askama::Template;
use axum::http::StatusCode;
use chrono::NaiveDate;
use domain::booking::{BookRequest, Party};
use domain::{Address, Email, NoticeScope, Phone, Service, Source, StaffMember, Text, TextError, Timestamp};

use super::choice::{Choice, Offer};
use super::times::{Day, first_open};
use super::{STEPS, button, steps};
use crate::book::form_id;
use crate::book::input::{PageInput, Shop};
use crate::book::refused::Refused;
use crate::book::route::Answered;
use crate::book::view::{View, page_as};
use crate::http::form::Form;
use crate::http::query::FromQuery;
use crate::rest::values::phone::PhoneRegion;

pub(super) const LEAVE_EMPTY: &str = "leave_empty";
const NOTE_CHARS_MAX: usize = 1_000;

/// The values of a valid form.
pub(super) struct Entered {
    pub(super) request: BookRequest,
    pub(super) name: Text<1, 200>,
    pub(super) phone: Option<Phone>,
    pub(super) email: Option<Email>,
    pub(super) note: Option<Text<1, NOTE_CHARS_MAX>>,
    pub(super) texts: bool,
}

/// The name of an invalid field, and the id of the message about its problem.
pub(super) type Problem = (&'static str, &'static str);

/// The usable choices of an invalid form.
struct Usable<'a> {
    service: Option<&'a Service>,
    /// The inner `None` means any staff member.
    staff: Option<Option<&'a StaffMember>>,
    time: Option<Timestamp>,
}

impl<'a> Usable<'a> {
    fn of(form: &Form, offer: &'a Offer) -> Self {
        let given = |name| form.get(name).trim();
        let service = given("service_id").parse().ok().and_then(|id| offer.service(id));
        let staff = match (service, given("staff_id")) {
            (_, "") => Some(None),
            (None, _) => None,
            (Some(service), text) => text.parse().ok().and_then(|id| offer.member(service.id, id)).map(Some),
        };
        Self { service, staff, time: Timestamp::parse(given("starts_at")).ok() }
    }
}

impl Entered {
    /// Reads a form. The error is the list of its problems, in the order of the fields.
    pub(super) fn read(form: &Form, shop: &Shop, offer: &Offer) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut given = |name, problem, is_bad: bool| {
            if is_bad {
                problems.push((name, problem));
            }
        };
        let text = |name| Some(form.get(name).trim().to_owned()).filter(|text| !text.is_empty());
        let usable = Usable::of(form, offer);
        given("service_id", "problem-service", usable.service.is_none());
        given("staff_id", "problem-staff", usable.service.is_some() && usable.staff.is_none());
        given("starts_at", "problem-time", usable.time.is_none());
        let name = text("name").map(Text::new);
        given("name", "problem-name", name.is_none());
        given("name", "problem-name-control", matches!(name, Some(Err(TextError::Nul))));
        given("name", "problem-name-long", matches!(name, Some(Err(TextError::Length { .. }))));
        let phone = text("phone").map(|text| Phone::from_query(&text, &PhoneRegion::reading(&shop.profile)));
        given("phone", "problem-phone", matches!(phone, Some(Err(_))));
        // The contact stores an `Email`. The service cannot send mail to every `Email`, but to every `Address`. So the
        // text must also be a valid `Address`.
        let email = text("email").map(|text| Address::new(&text).and_then(|_| Email::new(&text)));
        given("email", "problem-email", matches!(email, Some(Err(_))));
        given("phone", "problem-reach", phone.is_none() && email.is_none());
        let note = text("note").map(Text::new);
        given("note", "problem-note-control", matches!(note, Some(Err(TextError::Nul))));
        given("note", "problem-note-long", matches!(note, Some(Err(TextError::Length { .. }))));
        let (Some(service), Some(staff), Some(starts_at), Some(Ok(name)), Ok(phone), Ok(email), Ok(note)) = (
            usable.service,
            usable.staff,
            usable.time,
            name,
            phone.transpose(),
            email.transpose(),
            note.transpose(),
        ) else {
            return Err(problems);
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        let request = BookRequest {
            service_id: service.id,
            starts_at,
            staff_id: staff.map(|member| member.id),
            source: Source::Website,
            party: Party::Integration { allow_pending: true },
            duration: None,
        };
        Ok(Self { request, name, phone, email, note, texts: form.get("texts") == "1" })
    }
}

/// The reason why the form is shown.
pub(super) enum Reason {
    New,
    Invalid(Vec<Problem>),
    /// The chosen time can no longer be booked.
    Taken,
    /// The form was already sent with other content, or its id was not issued for this page or has expired.
    Stale,
}

pub(super) async fn shown(
    asked: &PageInput,
    shop: &Shop,
    offer: &Offer,
    form: &Form,
    reason: Reason,
) -> Answered {
    let mut usable = Usable::of(form, offer);
    let view = asked.view.clone();
    let (status, notice, problems) = match reason {
        Reason::New => (StatusCode::OK, "", Vec::new()),
        Reason::Invalid(problems) => (StatusCode::UNPROCESSABLE_ENTITY, "notice-invalid", problems),
        Reason::Taken => (StatusCode::CONFLICT, "notice-taken", vec![("starts_at", "problem-time-open")]),
        Reason::Stale => (StatusCode::CONFLICT, "notice-stale", Vec::new()),
    };
    let problems: Vec<_> = problems.into_iter().map(|(field, id)| (field, view.t(id))).collect();
    let problem = |field| {
        let found = problems.iter().find(|(of, _)| *of == field);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let mut choices = Vec::new();
    let mut hidden =
        vec![(form_id::FORM_ID, form_id::issue(&asked.front, shop.slug())), ("locale", view.lang().into())];
    match usable.service {
        Some(service) => hidden.push(("service_id", service.id.to_string())),
        None => {
            let options = offer.services.iter().map(|one| (one.id.to_string(), one.name.clone()));
            choices.push(Choices::new("service_id", view.t("service"), options, problem("service_id")));
        }
    }
    match (usable.staff, usable.service) {
        (Some(None), _) => {}
        (Some(Some(member)), _) => hidden.push(("staff_id", member.id.to_string())),
        (None, Some(service)) => {
            let options =
                offer.staff_for(service.id).map(|member| (member.id.to_string(), member.name.clone()));
            let options = [(String::new(), view.t("anyone"))].into_iter().chain(options);
            choices.push(Choices::new("staff_id", view.t("staff"), options, problem("staff_id")));
        }
        (None, None) => {}
    }
    let time = usable.time.filter(|_| problem("starts_at").is_empty());
    match (time, usable.service) {
        (Some(time), _) => hidden.push(("starts_at", time.to_string())),
        (None, Some(service)) => {
            let staff = usable.staff.flatten().map(|member| member.id);
            let choice = Choice { service: Some(service.id), staff, ..Choice::default() };
            let day = shown_day(shop, &choice, form, usable.time).await?;
            hidden.extend(day.map(|day| ("date", day.to_string())));
            let times = times(&view, shop, &choice, day, problem("starts_at")).await?;
            choices.push(Choices { other: Some(choice.link(asked.page_path(), asked.locale())), ..times });
        }
        (None, None) => {}
    }
    usable.time = time;
    let text = |name: &str| form.get(name).to_owned();
    let field = |id: &'static str, kind, autocomplete| Field {
        id,
        kind,
        autocomplete,
        label: view.t(id),
        value: text(id),
        problem: problem(id),
    };
    let fields = [
        field("name", "text", "name"),
        field("phone", "tel", "tel"),
        field("email", "email", "email"),
        field("note", "area", "off"),
    ];
    let takes_texts = shop.business.notice_settings().await?.text != NoticeScope::Off;
    let choice = Choice {
        service: usable.service.map(|service| service.id),
        staff: usable.staff.flatten().map(|member| member.id),
        date: usable.time.map(|time| shop.day(time)),
        time: usable.time,
    };
    let path = asked.page_path();
    let shown = Page {
        summary: super::summary(&view, shop, offer, &choice, path, asked.locale()),
        step: steps(&view, offer, STEPS),
        action: path,
        hidden,
        choices,
        fields,
        takes_texts,
        texts: form.get("texts") == "1",
        trap: problem(LEAVE_EMPTY),
        notice: if notice.is_empty() { String::new() } else { view.t(notice) },
        problems,
        button: button(&view, shop),
        view: view.with_languages(|locale| choice.link(path, Some(locale))),
    };
    page_as(status, &shown)
}

/// The day whose times the form shows. If a time was refused, this is the day of the refused time. Otherwise, it is the
/// day that the form showed before (`date`) or, without one, the first day with a bookable time.
async fn shown_day(
    shop: &Shop,
    choice: &Choice,
    form: &Form,
    refused: Option<Timestamp>,
) -> Result<Option<NaiveDate>, Refused> {
    let today = shop.today();
    let before = form.get("date").trim().parse::<NaiveDate>().ok().filter(|date| *date >= today);
    let day = refused.map(|time| shop.day(time)).or(before).filter(|day| super::choice::is_bookable(*day));
    match day {
        Some(day) => Ok(Some(day)),
        None => first_open(shop, choice).await,
    }
}

/// The bookable times on this day.
async fn times(
    view: &View,
    shop: &Shop,
    choice: &Choice,
    day: Option<NaiveDate>,
    problem: String,
) -> Result<Choices, Refused> {
    let mut open = Vec::new();
    if let (Some(day), Some(service)) = (day, choice.service) {
        open = Day::of(shop, day, &shop.open_times(service, choice.staff, (day, day)).await?).times;
    }
    let label = day.map(|day| view.heading(day)).unwrap_or_else(|| view.t("time"));
    let options = open.into_iter().map(|time| (time.to_string(), view.clock(shop, time)));
    let mut times = Choices::new("starts_at", label, options, problem);
    if times.options.is_empty() {
        times.hint = view.t("no-times-that-day");
    }
    Ok(times)
}

struct Field {
    id: &'static str,
    kind: &'static str,
    autocomplete: &'static str,
    label: String,
    value: String,
    problem: String,
}

struct Choices {
    id: &'static str,
    label: String,
    hint: String,
    /// The values with their labels.
    options: Vec<(String, String)>,
    /// The link to the times of other days.
    other: Option<String>,
    problem: String,
}

impl Choices {
    fn new(
        id: &'static str,
        label: String,
        options: impl Iterator<Item = (String, String)>,
        problem: String,
    ) -> Self {
        Self { id, label, hint: String::new(), options: options.collect(), other: None, problem }
    }
}

#[derive(Template)]
#[template(path = "book/booking/form.html", config = "src/askama.toml")]
struct Page<'a> {
    view: View,
    step: String,
    summary: Vec<super::Chosen>,
    action: &'a str,
    hidden: Vec<(&'static str, String)>,
    choices: Vec<Choices>,
    fields: [Field; 4],
    takes_texts: bool,
    texts: bool,
    /// The problem with the trap field, or an empty text if there is no problem. The trap field is an input that spam
    /// programs fill in. If there is no problem, the page hides the input, so people do not fill it in.
    trap: String,
    notice: String,
    problems: Vec<(&'static str, String)>,
    button: String,
}
