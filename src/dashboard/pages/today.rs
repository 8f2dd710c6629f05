//! A business's day: its appointments in the order of time.

use actors::business::{AppointmentFilter, PageRequest};
use actors::domain::{AppointmentStatus, Timestamp};
use actors::view::AppointmentView;
use askama::Template;
use axum::http::StatusCode;
use chrono::{NaiveDate, NaiveTime, Timelike};
use chrono_tz::Tz;

use crate::dashboard::asked::Member;
use crate::dashboard::frame::Frame;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};
use crate::local_time::{WallClockError, instant};
use crate::words::{Value, capitalised};

/// How many appointments of a day are shown; of more it is said that there are.
const SHOWN_MAX: usize = 500;

#[derive(Template)]
#[template(path = "dashboard/pages/today.html", config = "src/askama.toml")]
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
    let local = now.utc().with_timezone(&zone);
    let day = local.date_naive();
    let (appointments, more) = appointments(&member, day, zone).await?;
    let count = view.count("appointments-count", appointments.len() as u64);
    let clock = format!("{:02}:{:02}", local.hour(), local.minute());
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

/// The first instant of a day.
fn begins(day: NaiveDate, zone: Tz) -> Timestamp {
    let first = match instant(day.and_time(NaiveTime::MIN), zone) {
        // Where the clocks skip midnight the day begins when they do; where they show it twice, with the first.
        Ok(first) | Err(WallClockError::Skipped(_, first) | WallClockError::Twice(first, _)) => first,
    };
    Timestamp::from_millis(first.timestamp_millis())
}

fn row(view: &View, appointment: &AppointmentView, zone: Tz, now: Timestamp) -> Row {
    let clock = |at: Timestamp| {
        let local = at.utc().with_timezone(&zone);
        format!("{:02}:{:02}", local.hour(), local.minute())
    };
    let until = clock(appointment.ends_at);
    let values =
        [("service", &*appointment.service_name), ("staff", &appointment.staff_name), ("until", &until)];
    Row {
        starts_at: appointment.starts_at.to_string(),
        time: clock(appointment.starts_at),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_or_when_the_clocks_say() {
        for (zone, day, begins_at) in [
            ("Europe/Paris", "2026-03-29", "2026-03-28T23:00:00.000Z"),
            ("Europe/Paris", "2026-03-30", "2026-03-29T22:00:00.000Z"),
            // The clocks go from 00:00 to 01:00, and from 01:00 back to 00:00.
            ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"),
            ("America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"),
        ] {
            let zone: Tz = zone.parse().unwrap();
            assert_eq!(
                begins(day.parse().unwrap(), zone),
                Timestamp::parse(begins_at).unwrap(),
                "{zone} {day}"
            );
        }
    }
}
