//! Computes the notices that the changes in the audit log must cause, with a second implementation of the rules.

use std::collections::HashMap;

use chrono::TimeDelta;
use domain::{
    Appointment, AppointmentId, AppointmentStatus, AuditAction, AuditEntry, AuditedKind, BusinessId, Mail,
    NoticeKind, NoticeScope, NoticeSettings, ResourceId, Source, StaffId, Timestamp,
};
use store::Store;
use store::keys::kind;
use store::records::AuditRecord;
use uuid::Uuid;

use super::checks::rows;

/// The facts about an appointment that a notice states.
#[derive(Clone, Debug, PartialEq)]
struct State {
    status: AppointmentStatus,
    starts_at: Timestamp,
    staff: StaffId,
}

/// The content of a notice: the appointment, the kind, the start, the staff member, and for a reminder the number of
/// hours before the start.
pub(super) type Told = (AppointmentId, NoticeKind, Timestamp, StaffId, Option<u8>);

fn word<T: std::str::FromStr<Err: std::fmt::Debug>>(json: &str) -> T {
    serde_json::from_str::<String>(json).unwrap().parse().unwrap()
}

fn status(json: &str) -> AppointmentStatus {
    AppointmentStatus::from_word(&serde_json::from_str::<String>(json).unwrap()).unwrap()
}

/// Returns two lists. The first list contains the notices that the changes in the audit log must cause, each with the
/// time of its change. The second list contains the reminders that changes to the settings may add.
pub(super) fn expected(
    store: &Store,
    of: BusinessId,
    appointments: &HashMap<AppointmentId, Appointment>,
) -> (Vec<(Timestamp, Told)>, Vec<Told>) {
    let entries = entries(store, of);
    // The state before and after each entry is computed from the present state by undoing the changes, newest first.
    let mut now: HashMap<Uuid, State> = appointments
        .values()
        .map(|it| (it.id.uuid(), State { status: it.status, starts_at: it.starts_at, staff: it.staff_id }))
        .collect();
    let mut states: Vec<(Option<State>, Option<State>)> = Vec::new();
    for entry in entries.iter().rev() {
        let Some(state) =
            now.get_mut(&entry.resource_id).filter(|_| entry.action.kind() == AuditedKind::Appointment)
        else {
            states.push((None, None));
            continue;
        };
        let after = state.clone();
        for change in &entry.changes {
            match change.field.as_str() {
                "status" => state.status = status(&change.from),
                "starts_at" => state.starts_at = Timestamp::parse(&word::<String>(&change.from)).unwrap(),
                "staff_id" => state.staff = word(&change.from),
                _ => {}
            }
        }
        let before = (!entry.changes.is_empty()).then(|| state.clone());
        states.push((before, Some(after)));
    }
    let (mut settings, mut expected) = (NoticeSettings::of_new(), Vec::new());
    let (mut present, mut added) = (HashMap::<AppointmentId, State>::new(), Vec::new());
    // For each appointment, the time of its booking or of its last move.
    let mut placed: HashMap<AppointmentId, Timestamp> = HashMap::new();
    for (entry, (before, after)) in entries.iter().zip(states.into_iter().rev()) {
        if change_settings(&mut settings, entry) {
            for (id, state) in &present {
                let is_told = state.status == AppointmentStatus::Confirmed
                    && is_in(settings.email, appointments[id].source);
                for hours in settings.reminder_hours.iter().filter(|_| is_told) {
                    if state.starts_at - TimeDelta::hours((*hours).into()) > entry.at {
                        added.push((*id, NoticeKind::Reminder, state.starts_at, state.staff, Some(*hours)));
                    }
                }
            }
        }
        let Some(after) = after else { continue };
        let id = AppointmentId::from(entry.resource_id);
        present.insert(id, after.clone());
        let place = |state: &State| (state.starts_at, state.staff);
        if before.as_ref().map(place) != Some(place(&after)) {
            placed.insert(id, entry.at);
        }
        let told = |kind, hours| (id, kind, after.starts_at, after.staff, hours);
        if before.as_ref() == Some(&after)
            || !is_in(settings.email, appointments[&id].source)
            || entry.at >= after.starts_at
        {
            continue;
        }
        let was_confirmed = before.is_some_and(|before| before.status == AppointmentStatus::Confirmed);
        let kind = match after.status {
            AppointmentStatus::Pending => NoticeKind::Requested,
            AppointmentStatus::Confirmed if was_confirmed => NoticeKind::Moved,
            AppointmentStatus::Confirmed => NoticeKind::Confirmed,
            AppointmentStatus::Cancelled => NoticeKind::Cancelled,
            AppointmentStatus::Declined => NoticeKind::Declined,
        };
        expected.push((entry.at, told(kind, None)));
        for hours in &settings.reminder_hours {
            let due = after.starts_at - TimeDelta::hours((*hours).into());
            if after.status == AppointmentStatus::Confirmed && due > placed[&id] {
                expected.push((entry.at, told(NoticeKind::Reminder, Some(*hours))));
            }
        }
    }
    (expected, added)
}

/// Applies an entry of the audit log to the settings. Returns true if the entry is a change to the settings.
fn change_settings(settings: &mut NoticeSettings, entry: &AuditEntry) -> bool {
    if entry.action.as_str() != "notices.updated" {
        return false;
    }
    for change in &entry.changes {
        match change.field.as_str() {
            "email" => settings.email = NoticeScope::from_word(&word::<String>(&change.to)).unwrap(),
            "reminder_hours" => settings.reminder_hours = serde_json::from_str(&change.to).unwrap(),
            _ => {}
        }
    }
    true
}

/// The settings for notices over time. Each entry has the time from which the settings applied.
pub(super) type History = Vec<(Timestamp, NoticeSettings)>;

pub(super) fn history(store: &Store, of: BusinessId) -> History {
    let mut settings = NoticeSettings::of_new();
    let mut history = vec![(Timestamp::MIN, settings.clone())];
    for entry in entries(store, of) {
        if change_settings(&mut settings, &entry) {
            history.push((entry.at, settings.clone()));
        }
    }
    history
}

pub(super) fn includes(settings: &NoticeSettings, mail: &Mail, about: &Appointment) -> bool {
    let hours = mail.notice.and_then(|notice| notice.hours);
    is_in(settings.email, about.source) && hours.is_none_or(|hours| settings.reminder_hours.contains(&hours))
}

fn entries(store: &Store, of: BusinessId) -> Vec<AuditEntry> {
    rows::<AuditRecord>(store, of, kind::AUDIT).into_iter().map(|record| record.entry).collect()
}

/// Returns the time of the first erasure of any contact.
pub(super) fn first_erasure(store: &Store, of: BusinessId) -> Option<Timestamp> {
    entries(store, of).iter().find(|entry| entry.action == AuditAction::ContactErase).map(|entry| entry.at)
}

fn is_in(scope: NoticeScope, source: Source) -> bool {
    let online = matches!(source, Source::Website | Source::Voice | Source::Sms);
    scope == NoticeScope::All || scope == NoticeScope::Online && online
}
