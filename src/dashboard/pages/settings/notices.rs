//! The page with the settings of the notices that customers get about their appointments, and with the log of notices.

use domain::{MailId, NoticeScope, REMINDERS_MAX, Right};
use engine::business::commands::notices::SendNoticeAgain;
use engine::business::commands::website::PatchNotices;
use view::NoticesView;

use super::parts::{Done, how_long, line, numbers, versions};
use crate::admin::website::NoticesPatch;
use crate::dashboard::notices::Notices;
use crate::dashboard::pages::prelude::*;

const HOURS: &str = "reminder_hours";
/// The offered reminder times, in hours before the start of the appointment.
const USUAL: [u32; 8] = [1, 2, 4, 12, 24, 48, 72, 168];
/// The fields of the reminders; together they are the property [`HOURS`].
const REMINDERS: [&str; REMINDERS_MAX] = ["first_reminder", "second_reminder"];

#[derive(Template)]
#[template(path = "dashboard/pages/settings/notices.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    filled: Filled,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    email: Field,
    reminders: [Field; REMINDERS_MAX],
    log: Notices,
}

fn values(notices: &NoticesView) -> Form {
    let hours = notices.reminder_hours.iter().map(u8::to_string);
    let hours = std::iter::zip(REMINDERS, hours.chain(std::iter::repeat(String::new())));
    Form::of([("email", notices.email.to_string())].into_iter().chain(hours))
}

fn before(view: &View, hours: u32) -> String {
    view.with("notices-before", "time", &how_long(view, hours.saturating_mul(60)))
}

fn lines(view: &View, form: &Form) -> Vec<Line> {
    let email = form.get("email");
    let email = NoticeScope::from_word(email)
        .map_or_else(|| email.to_owned(), |scope| view.t(&format!("notices-email-{scope}")));
    let reminder = |name: &str| {
        let hours = form.get(name).trim();
        let said = hours.parse().map_or_else(|_| hours.to_owned(), |hours| before(view, hours));
        line(view, &format!("notices-{name}"), &said)
    };
    let [first, second] = REMINDERS.map(reminder);
    vec![line(view, "notices-email", &email), first, second]
}

async fn saved(member: &Member) -> Result<NoticesView, Refused> {
    Ok(NoticesView::from(&member.business.notice_settings().await?))
}

pub(crate) async fn show(member: Member) -> Answered {
    let notices = saved(&member).await?;
    let filled = member.filled(&member.path_to("settings/notices"), || values(&notices));
    let done = match member.query.get("done") {
        "again" => Done { text: member.t("notices-again-done"), ..Done::default() },
        _ => Done::said(&member),
    };
    shown(&member, &notices, filled, done).await
}

async fn shown(member: &Member, notices: &NoticesView, mut filled: Filled, done: Done) -> Answered {
    let (view, now) = (&member.view, values(notices));
    let scope = |scope: &NoticeScope| Choice {
        hint: view.t(&format!("notices-email-{scope}-hint")),
        ..Choice::new(scope.as_str(), view.t(&format!("notices-email-{scope}")))
    };
    let email = Field::choices("email", "radio", view.t("notices-email"), NoticeScope::ALL.iter().map(scope));
    let reminders = REMINDERS.map(|name| {
        let options = numbers(&USUAL, filled.get(name), Some(view.t("notices-no-reminder")), |hours| {
            before(view, hours)
        });
        filled.field(view, Field::select(name, view.t(&format!("notices-{name}")), options))
    });
    let [first, second] = reminders;
    let problem = filled.problem(view, HOURS);
    let shown = Page {
        sheet: member.sheet("settings/notices"),
        done,
        tag: filled.tag(notices),
        versions: versions(&filled, lines(view, filled.values()), lines(view, &now)),
        facts: lines(view, &now),
        email: filled.field(view, email.class("boxes")),
        reminders: [first, Field { problem, ..second }],
        log: member.notices(None).await?,
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let notices = saved(&member).await?;
    let done = save(&member).await;
    member.answered(done, |filled| shown(&member, &notices, filled, Done::default())).await
}

pub(crate) async fn send_again(member: Member) -> Answered {
    let id: MailId = member.id("notice_id")?;
    let again = member.business.change(member.request(), SendNoticeAgain { id }).await?.value;
    let page = match member.form.get("back") {
        "appointment" => format!("appointments/{}", again.appointment_id),
        _ => "settings/notices".to_owned(),
    };
    Ok(see_other(&member.path_to(&format!("{page}?done=again"))))
}

async fn save(member: &Member) -> Result<String, Refused> {
    let hours = REMINDERS.map(|name| member.form.get(name).trim());
    let hours = hours.into_iter().filter(|hours| !hours.is_empty());
    let hours = hours.map(|hours| hours.parse().map_or_else(|_| Json::String(hours.into()), Json::Integer));
    let body = member.body().text("email").with(HOURS, Json::Array(hours.collect()));
    member.change(PatchNotices::from(body.read::<NoticesPatch>()?)).await?;
    Ok(member.path_to("settings/notices?done=saved"))
}
