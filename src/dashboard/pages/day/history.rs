//! The history of an appointment, from the audit log.
//!
//! Invariants: every member sees action, time and person. Old and new values are shown only to members who
//! may see the log.

use domain::{AuditAction, AuditEntry, Right, Timestamp};
use view::AppointmentView;

use crate::dashboard::pages::prelude::*;

pub(super) struct Told {
    pub(super) what: String,
    pub(super) who: String,
    /// The time in words, and for the `datetime` attribute.
    pub(super) when: String,
    pub(super) at: String,
}

/// The history, newest first, and whether it is complete.
pub(super) async fn of(member: &Member, visit: &AppointmentView) -> Result<(Vec<Told>, bool), Refused> {
    let history = member.business.history(visit.id, (visit.created_at, visit.updated_at)).await?;
    let actors: Vec<_> = history.entries.iter().map(|entry| entry.actor).collect();
    let whos = member.whos(actors).await?;
    let told = |entry: &AuditEntry| Told {
        what: what(member, entry),
        who: whos.of(entry.actor).to_owned(),
        when: capitalised(&member.short_moment(entry.at)),
        at: entry.at.to_string(),
    };
    Ok((history.entries.iter().map(told).collect(), history.is_whole))
}

fn what(member: &Member, entry: &AuditEntry) -> String {
    let done = member.t(match entry.action {
        AuditAction::AppointmentRequested => "appointment-history-requested",
        AuditAction::AppointmentBooked => "appointment-history-booked",
        AuditAction::AppointmentConfirmed => "appointment-history-confirmed",
        AuditAction::AppointmentRescheduled => "appointment-history-rescheduled",
        AuditAction::AppointmentDeclined => "appointment-history-declined",
        AuditAction::AppointmentCancelled => "appointment-history-cancelled",
        AuditAction::AppointmentUpdated => "appointment-history-noted",
        _ => "appointment-history-changed",
    });
    match moved(member, entry).filter(|_| member.sees(Right::Integrations)) {
        Some(moved) => format!("{done} {moved}"),
        None => done,
    }
}

/// The old and new time and staff member of a move, in words.
fn moved(member: &Member, entry: &AuditEntry) -> Option<String> {
    let change = |field: &str| entry.changes.iter().find(|change| change.field == field);
    let text = |json: &str| serde_json::from_str::<String>(json).ok();
    let moment = |json: &str| Some(member.short_moment(Timestamp::parse(&text(json)?).ok()?));
    let times = change("starts_at").and_then(|change| Some((moment(&change.from)?, moment(&change.to)?)));
    let staff = change("staff_name").and_then(|change| Some((text(&change.from)?, text(&change.to)?)));
    let said = |(from, to)| member.says("appointment-history-from-to", &[("from", from), ("to", to)]);
    let both: Vec<_> = [times, staff].into_iter().flatten().map(said).collect();
    (!both.is_empty()).then(|| both.join(", "))
}
