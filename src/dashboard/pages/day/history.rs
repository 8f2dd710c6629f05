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
pub(super) async fn of(
    member: &Member,
    view: &View,
    visit: &AppointmentView,
) -> Result<(Vec<Told>, bool), Refused> {
    let history = member.business.history(visit.id, (visit.created_at, visit.updated_at)).await?;
    let actors: Vec<_> = history.entries.iter().map(|entry| entry.actor).collect();
    let whos = member.whos(actors).await?;
    let told = |entry: &AuditEntry| Told {
        what: what(member, view, entry),
        who: whos.of(entry.actor).to_owned(),
        when: capitalised(&view.words.short_moment(entry.at, member.profile.zone)),
        at: entry.at.to_string(),
    };
    Ok((history.entries.iter().map(told).collect(), history.is_whole))
}

fn what(member: &Member, view: &View, entry: &AuditEntry) -> String {
    let done = match entry.action {
        AuditAction::AppointmentRequested => view.t("appointment-history-requested"),
        AuditAction::AppointmentBooked => view.t("appointment-history-booked"),
        AuditAction::AppointmentConfirmed => view.t("appointment-history-confirmed"),
        AuditAction::AppointmentRescheduled => view.t("appointment-history-rescheduled"),
        AuditAction::AppointmentDeclined => view.t("appointment-history-declined"),
        AuditAction::AppointmentCancelled => view.t("appointment-history-cancelled"),
        AuditAction::AppointmentUpdated => view.t("appointment-history-noted"),
        _ => view.t("appointment-history-changed"),
    };
    let moved = moved(member, view, entry).filter(|_| member.sees(Right::Integrations));
    moved.map_or(done.clone(), |moved| format!("{done} {moved}"))
}

/// The old and new time and staff member of a move, in words.
fn moved(member: &Member, view: &View, entry: &AuditEntry) -> Option<String> {
    let zone = member.profile.zone;
    let change = |field: &str| entry.changes.iter().find(|change| change.field == field);
    let text = |json: &str| serde_json::from_str::<String>(json).ok();
    let moment = |json: &str| Some(view.words.short_moment(Timestamp::parse(&text(json)?).ok()?, zone));
    let times = change("starts_at").and_then(|change| Some((moment(&change.from)?, moment(&change.to)?)));
    let staff = change("staff_name").and_then(|change| Some((text(&change.from)?, text(&change.to)?)));
    let said = |(from, to)| view.says("appointment-history-from-to", &[("from", from), ("to", to)]);
    let both: Vec<_> = [times, staff].into_iter().flatten().map(said).collect();
    (!both.is_empty()).then(|| both.join(", "))
}
