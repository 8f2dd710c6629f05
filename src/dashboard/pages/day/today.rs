//! A business's day: its appointments in the order of time.

use actors::business::{AppointmentFilter, PageRequest};
use actors::domain::{AppointmentStatus, Timestamp};
use actors::view::AppointmentView;
use askama::Template;
use axum::http::StatusCode;
use chrono::NaiveDate;
use chrono_tz::Tz;

use crate::dashboard::asked::Member;
use crate::dashboard::days::{self, begins, clock};
use crate::dashboard::frame::Frame;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};
use crate::words::{Value, capitalised};

/// How many appointments of a day are shown; of more it is said that there are.
const SHOWN_MAX: usize = 500;

#[derive(Template)]
#[template(path = "dashboard/pages/day/today.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    day: String,
    sub: String,
    rows: Vec<Row>,
    /// Whether there are more than are shown.
    more: bool,
}

struct Row {
    /// As programs read it.
    starts_at: String,
    time: String,
    /// Who comes; empty for somebody who was erased, or who has no name.
    name: String,
    detail: String,
    /// Whether the team has to confirm it.
    pending: bool,
    past: bool,
}

/// The day as it is in the business's zone.
pub(crate) async fn show(member: Member) -> Answered {
    let (view, zone, now) = (member.view(), member.profile.zone, member.business.now());
    let day = days::day(now, zone);
    let (appointments, more) = appointments(&member, day, zone).await?;
    let count = view.count("appointments-count", appointments.len() as u64);
    let clock = clock(now, zone);
    let place = zone.name().rsplit('/').next().unwrap_or_default().replace('_', " ");
    let values = [("time", &*clock), ("place", &place), ("count", &count)];
    let sub = view.words.say("today-sub", &values.map(|(name, text)| (name, Value::Text(text))));
    let shown = Page {
        frame: member.frame("today"),
        day: capitalised(&view.words.date(day)),
        sub,
        rows: appointments.iter().map(|appointment| row(&view, appointment, zone, now)).collect(),
        more,
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}

async fn appointments(
    member: &Member,
    day: NaiveDate,
    zone: Tz,
) -> Result<(Vec<AppointmentView>, bool), Refused> {
    let filter = AppointmentFilter {
        status: vec![AppointmentStatus::Pending, AppointmentStatus::Confirmed],
        from: Some(begins(day, zone)),
        to: day.succ_opt().map(|next| begins(next, zone)),
        ..AppointmentFilter::default()
    };
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { limit: SHOWN_MAX - all.len(), after };
        let found = member.business.appointments(&filter, &page).await?;
        all.extend(found.items);
        after = found.next;
        if after.is_none() || all.len() >= SHOWN_MAX {
            return Ok((all, after.is_some()));
        }
    }
}

fn row(view: &View, appointment: &AppointmentView, zone: Tz, now: Timestamp) -> Row {
    let until = clock(appointment.ends_at, zone);
    let values =
        [("service", &*appointment.service_name), ("staff", &appointment.staff_name), ("until", &until)];
    Row {
        starts_at: appointment.starts_at.to_string(),
        time: clock(appointment.starts_at, zone),
        name: appointment
            .contact_name
            .clone()
            .or_else(|| appointment.contact_phone.clone())
            .unwrap_or_default(),
        detail: view.words.say("appointment-detail", &values.map(|(name, text)| (name, Value::Text(text)))),
        pending: appointment.status == AppointmentStatus::Pending,
        past: appointment.ends_at <= now,
    }
}
