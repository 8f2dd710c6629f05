//! The alerts that a person has received in one business, newest first. Unread alerts are marked.
//!
//! An alert contains ids only. The page reads the current names and texts.

use chrono::NaiveDate;
use domain::Alert;
use engine::business::Request;
use engine::business::commands::alerts::ReadAlerts;
use engine::mail::letter::What;

use crate::dashboard::days::by_day;
use crate::dashboard::pages::prelude::*;
use crate::words::plain_lines;

const SHOWN: usize = 50;
const QUOTE_CHARS_MAX: usize = 300;

#[derive(Template)]
#[template(path = "dashboard/pages/day/alerts.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    alert: Alert,
    /// The path of the record that the alert is about, or `None` if the person may no longer see the record.
    href: Option<String>,
    detail: String,
    quote: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    let person = member.signed_in.person.id;
    let part = member.part(&format!("alerts {person}"), SHOWN, &[]);
    let found = member.business.alerts(person, &part.request).await?;
    let mut rows = Vec::new();
    for alert in found.items {
        let what = member.desk.engine.alert_content(member.business.id(), &alert.about).await?;
        let what = what.filter(|what| what.is_seen_by(&member.membership));
        let href = what.as_ref().map(|what| member.path_to(&what.page()));
        let (detail, quote) = described(&member, what);
        rows.push(Row { alert, href, detail, quote });
    }
    let pages = part.pages(found.next.as_deref());
    page(&Page { sheet: member.sheet("alerts"), rows, pages })
}

impl Page<'_> {
    fn days(&self) -> Vec<(NaiveDate, &[Row])> {
        by_day(&self.rows, |row| self.sheet.member.day(row.alert.about.at))
    }

    fn title(&self, alert: &Alert) -> String {
        self.sheet.member.t(&format!("alert-about-{}", alert.about.kind))
    }

    fn sub(&self) -> String {
        self.sheet.member.count("alerts-sub", self.sheet.member.unread as u64)
    }
}

/// The detail of an alert and, if the alert is about a message, the text of the message.
fn described(member: &Member, what: Option<What>) -> (String, String) {
    let who = |name: Option<String>| name.map_or_else(|| member.t("somebody"), |name| member.phone(&name));
    match what {
        None => (member.t("alert-about-gone"), String::new()),
        Some(What::Appointment { contact, service, staff, starts_at, .. }) => {
            let values = [
                ("who", who(contact)),
                ("service", service.unwrap_or_else(|| "–".into())),
                ("staff", staff.unwrap_or_else(|| "–".into())),
                ("when", member.short_moment(starts_at)),
            ];
            (member.says("alert-about-appointment", &values), String::new())
        }
        Some(What::Message { caller, phone, body, .. }) => {
            (who(caller.or(phone)), plain_lines(&body, QUOTE_CHARS_MAX))
        }
        Some(What::Call { caller, .. }) => (who(caller), String::new()),
        Some(What::Webhook { url, .. }) => (url, String::new()),
        Some(What::Calendar { name, .. }) => (name, String::new()),
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
    member.business.change(Request::by(member.actor()), ReadAlerts { number }).await?;
    Ok(see_other(&member.path_to("alerts")))
}
