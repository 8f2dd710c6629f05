//! The forms with which the team writes down a message or a call.

use chrono::TimeDelta;
use domain::{
    CallOutcome, CallStatus, ContactId, Direction, Problem, ProblemCode, Right, Timestamp, Urgency,
};

use crate::admin::calls::CallBody;
use crate::admin::messages::MessageBody;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::pages::settings::times_off::{at, date};
use crate::dashboard::pages::settings::week::tidy;

/// The longest call that the form accepts, in minutes.
const MINUTES_MAX: u32 = 24 * 60;

#[derive(Template)]
#[template(path = "dashboard/pages/records/by_hand.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    title: String,
    back: String,
    button: String,
    filled: Filled,
    /// The id of the contact in the query, or an empty text.
    contact: String,
    /// Groups of fields. The fields of a group are next to each other.
    groups: Vec<Vec<Field>>,
    /// The label of the checkbox for an urgent message, and whether it is ticked.
    urgent: Option<(String, bool)>,
}

/// The values of the query. If the query contains a contact, the name and the phone number are those of the
/// contact.
async fn asked(member: &Member, name: &str, phone: &str) -> Result<Form, Refused> {
    let id = member.query.find("contact").and_then(|id| id.parse::<ContactId>().ok());
    let Some(id) = id else { return Ok(Form::default()) };
    let Some(contact) = member.business.contact(id).await? else { return Ok(Form::default()) };
    let values = [("contact_id", Some(id.to_string())), (name, contact.name), (phone, contact.phone)];
    Ok(Form::of(values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)))))
}

pub(crate) async fn new_message(member: Member) -> Answered {
    member.must(Right::Day)?;
    let values = asked(&member, "caller_name", "caller_phone").await?;
    let filled = member.filled(member.path(), || values);
    message(&member, filled).await
}

pub(crate) async fn add_message(member: Member) -> Answered {
    let done = async {
        let urgency = if member.form.find("urgent").is_some() { Urgency::Urgent } else { Urgency::Normal };
        let body = member.body().given("contact_id", "contact_id").given("caller_name", "caller_name");
        let body = body.given("caller_phone", "caller_phone").text("body").given("staff_id", "staff_id");
        let body = body.with("urgency", Json::String(urgency.to_string()));
        let made = member.change(body.read::<MessageBody>()?.change()).await?;
        Ok(member.path_to(&format!("messages/{}?done=added", made.value.message.id)))
    };
    let done = done.await;
    member.answered(done, |filled| message(&member, filled)).await
}

async fn message(member: &Member, mut filled: Filled) -> Answered {
    let view = &member.view;
    let staff = member.staff().await?.into_iter().filter(|one| one.active);
    let staff = staff.map(|one| Choice::new(one.id.to_string(), one.name));
    let staff = Field::select("staff_id", view.t("message-staff"), staff);
    let groups = vec![
        vec![
            Field::line("caller_name", view.t("name")).optional(),
            Field::new("caller_phone", "tel", "off", view.t("contact-phone")).optional(),
        ],
        vec![Field::area("body", view.t("message-said"))],
        vec![staff.or_empty(view.t("message-unassigned"))],
    ];
    let shown = Page {
        sheet: member.sheet_below("messages"),
        title: view.t("message-new"),
        back: member.path_to("messages"),
        button: view.t("message-new-do"),
        contact: filled.get("contact_id").to_owned(),
        urgent: Some((view.t("message-is-urgent"), filled.has("urgent"))),
        groups: groups.into_iter().map(|group| fields(view, &mut filled, group)).collect(),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

fn fields(view: &View, filled: &mut Filled, group: Vec<Field>) -> Vec<Field> {
    group.into_iter().map(|field| filled.field(view, field)).collect()
}

pub(crate) async fn new_call(member: Member) -> Answered {
    member.must(Right::Day)?;
    let now = member.business.now();
    let local = now.utc().with_timezone(&member.profile.zone);
    let mut values = vec![
        ("direction".to_owned(), Direction::Inbound.to_string()),
        ("status".to_owned(), CallStatus::Completed.to_string()),
        ("outcome".to_owned(), CallOutcome::Other.to_string()),
        ("day".to_owned(), member.today().to_string()),
        ("time".to_owned(), local.format("%H:%M").to_string()),
        ("minutes".to_owned(), "5".to_owned()),
    ];
    let asked = asked(&member, "contact_name", "number").await?;
    values.extend(asked.fields().map(|(name, value)| (name.to_owned(), value.to_owned())));
    let filled = member.filled(member.path(), || Form::of(values));
    call(&member, filled)
}

pub(crate) async fn add_call(member: Member) -> Answered {
    let done = async {
        let (started_at, ended_at) = times(&member)?;
        let number = match member.form.get("direction") {
            "outbound" => "to_number",
            _ => "from_number",
        };
        let text = |at: Timestamp| Json::String(at.to_string());
        let body = member.body().text("direction").text("status").text("outcome");
        let body = body.given(number, "number").given("contact_id", "contact_id");
        let body = body.given("contact_name", "contact_name").given("summary", "summary");
        let body = body.with("started_at", text(started_at)).with("ended_at", text(ended_at));
        let made = member.change(body.read::<CallBody>()?.change()).await?;
        Ok(member.path_to(&format!("calls/{}?done=added", made.value.call.id)))
    };
    let beside = |problem: Problem| match problem.path.as_str() {
        "from_number" | "to_number" => Problem::new("number", problem.code),
        "started_at" => Problem::new("time", problem.code),
        "ended_at" => Problem::new("minutes", problem.code),
        _ => problem,
    };
    let done = done.await.map_err(|refused: Refused| refused.beside(beside));
    member.answered(done, |filled| ready(call(&member, filled))).await
}

/// The start and the end of the call. A call that was not answered ends when it starts.
fn times(member: &Member) -> Result<(Timestamp, Timestamp), FormError> {
    let form = &member.form;
    let day = date(form, "day");
    let time = tidy(form.get("time"));
    let start = match time.as_str() {
        "" => Err(ProblemCode::Required),
        time => at(day.as_ref().ok().copied(), time, false, member.profile.zone),
    };
    let minutes = match form.get("minutes").trim() {
        _ if form.get("status") != CallStatus::Completed.as_str() => Ok(0),
        text => text.parse().ok().filter(|minutes| *minutes <= MINUTES_MAX).ok_or_else(|| {
            Problem::new("minutes", ProblemCode::WholeNumber { min: 0, max: MINUTES_MAX.into() })
        }),
    };
    match (day, start.map_err(|code| Problem::new("time", code)), minutes) {
        (Ok(_), Ok(Some(start)), Ok(minutes)) => Ok((start, start + TimeDelta::minutes(minutes.into()))),
        (day, start, minutes) => {
            Err(FormError::Invalid([day.err(), start.err(), minutes.err()].into_iter().flatten().collect()))
        }
    }
}

fn call(member: &Member, mut filled: Filled) -> Answered {
    let view = &member.view;
    let select = |name: &str, words: &mut dyn Iterator<Item = &'static str>| {
        let choice = |word: &str| Choice::new(word, view.t(&format!("call-{name}-{word}")));
        Field::select(name, view.t(&format!("calls-{name}")), words.map(choice))
    };
    let groups = vec![
        vec![
            select("direction", &mut Direction::ALL.iter().map(|one| one.as_str())),
            select("status", &mut CallStatus::ALL.iter().map(|one| one.as_str())),
            select("outcome", &mut CallOutcome::ALL.iter().map(|one| one.as_str())),
        ],
        vec![
            Field::line("contact_name", view.t("name")).optional(),
            Field::new("number", "tel", "off", view.t("contact-phone")).optional(),
        ],
        vec![
            Field::new("day", "date", "off", view.t("calls-day")).class("date"),
            Field::line("time", view.t("call-new-time")).class("time"),
            Field::line("minutes", view.t("call-new-minutes")).class("short").optional(),
        ],
        vec![Field::area("summary", view.t("call-summary")).optional()],
    ];
    let shown = Page {
        sheet: member.sheet_below("calls"),
        title: view.t("call-new"),
        back: member.path_to("calls"),
        button: view.t("call-new-do"),
        contact: filled.get("contact_id").to_owned(),
        urgent: None,
        groups: groups.into_iter().map(|group| fields(view, &mut filled, group)).collect(),
        filled,
    };
    page_as(shown.filled.status, &shown)
}
