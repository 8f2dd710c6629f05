//! A person's alerts of a business, newest first. Unread alerts are marked.
//!
//! An alert contains ids only. The page reads the current names and texts.

use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::{Actor, Alert};
use engine::business::PageRequest;
use engine::business::commands::alerts::ReadAlerts;
use engine::mail::letter::What;

use crate::dashboard::pages::prelude::*;
use crate::http::cursor::Binding;
use crate::words::plain_lines;

const SHOWN: usize = 50;
const QUOTE_CHARS_MAX: usize = 300;

#[derive(Template)]
#[template(path = "dashboard/pages/day/alerts.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    base: String,
    sub: String,
    unread: bool,
    mails: bool,
    days: Vec<Day>,
    older: Option<String>,
}

struct Day {
    label: String,
    alerts: Vec<Row>,
}

struct Row {
    number: u64,
    at: String,
    time: String,
    title: String,
    detail: String,
    quote: String,
    new: bool,
}

fn base(member: &Member) -> String {
    format!("/dashboard/b/{}/alerts", member.business.id())
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, person) = (member.view(), member.signed_in.person.id);
    let (cursors, id) = (&member.desk.cursors, member.business.id());
    let binding = Binding::list("alerts").with(id.to_string().as_bytes()).with(person.to_string().as_bytes());
    // An invalid cursor starts at the newest alert.
    let after = member.query.find("after").and_then(|text| cursors.open(&binding, text).ok());
    let found = member.business.alerts(person, &PageRequest { limit: SHOWN, after }).await?;
    let mut days: Vec<(NaiveDate, Vec<Row>)> = Vec::new();
    for alert in &found.items {
        let day = days::day(alert.about.at, member.profile.zone);
        let what = member.desk.engine.told(id, &alert.about).await?;
        let row = row(&view, alert, what, member.profile.zone);
        match days.last_mut().filter(|(last, _)| *last == day) {
            Some((_, rows)) => rows.push(row),
            None => days.push((day, vec![row])),
        }
    }
    let days =
        days.into_iter().map(|(day, alerts)| Day { label: capitalised(&view.words.date(day)), alerts });
    let base = base(&member);
    let shown = Page {
        sheet: member.sheet("alerts"),
        sub: view.count("alerts-sub", member.unread as u64),
        unread: member.unread > 0,
        mails: member.people().sends_mail(),
        days: days.collect(),
        older: found.next.map(|next| format!("{base}?after={}", cursors.seal(&binding, &next))),
        base,
    };
    page(&shown)
}

fn row(view: &View, alert: &Alert, what: Option<What>, zone: Tz) -> Row {
    let (detail, quote) = told(view, what, zone);
    Row {
        number: alert.number,
        at: alert.about.at.to_string(),
        time: days::clock(alert.about.at, zone),
        title: view.t(&format!("told-{}", alert.about.kind)),
        detail,
        quote,
        new: alert.read_at.is_none(),
    }
}

/// The sentence about the alert, and the text of the message.
fn told(view: &View, what: Option<What>, zone: Tz) -> (String, String) {
    let who = |name: Option<String>| name.unwrap_or_else(|| view.t("somebody"));
    match what {
        None => (view.t("told-gone"), String::new()),
        Some(What::Appointment { contact, service, staff, starts_at, .. }) => {
            let (who, when) = (who(contact), view.words.short_moment(starts_at, zone));
            let values = [
                ("who", who.as_str()),
                ("service", service.as_deref().unwrap_or("–")),
                ("staff", staff.as_deref().unwrap_or("–")),
                ("when", &when),
            ];
            let values = values.map(|(name, text)| (name, Value::Text(text)));
            (view.words.say("told-appointment", &values), String::new())
        }
        Some(What::Message { caller, phone, body, .. }) => {
            (who(caller.or(phone)), plain_lines(&body, QUOTE_CHARS_MAX))
        }
        Some(What::Call { caller, .. }) => (who(caller), String::new()),
        Some(What::Webhook { url, .. }) => (url, String::new()),
    }
}

pub(crate) async fn read_all(member: Member) -> Answered {
    read(&member, None).await
}

pub(crate) async fn read_one(member: Member) -> Answered {
    let number = member.id("number")?;
    read(&member, Some(number)).await
}

async fn read(member: &Member, number: Option<u64>) -> Answered {
    let by = Actor::Person(member.signed_in.person.id);
    member.business.change(engine::business::Request::by(by), ReadAlerts { number }).await?;
    Ok(see_other(&base(member)))
}
