//! The kinds of alerts, the changes to records that cause them, and the alert settings of people.
//!
//! Invariant: only choices that differ from the role's default are stored. So if a default or a person's role changes,
//! each setting without a stored choice changes too.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::words;
use super::{Appointment, AppointmentStatus, Role};

words! {
    AlertKind {
        WebhookDisabled = "webhook_disabled",
        UrgentMessage = "urgent_message",
        MessageTaken = "message_taken",
        AppointmentRequested = "appointment_requested",
        AppointmentBooked = "appointment_booked",
        AppointmentRescheduled = "appointment_rescheduled",
        AppointmentCancelled = "appointment_cancelled",
        CallMissed = "call_missed",
        /// Attempts to deliver to an enabled endpoint have failed for an hour, and none has succeeded.
        WebhookFailing = "webhook_failing",
        /// A connected calendar cannot be read.
        CalendarFailed = "calendar_failed",
        /// The event of an appointment was deleted or moved in a connected calendar.
        CalendarEventChanged = "calendar_event_changed",
    }

    AlertEmail {
        Now = "now",
        Daily = "daily",
        Off = "off",
    }

    /// Whether a person receives alerts about all records, or only about the records of the staff member to whom the
    /// person is linked.
    AlertScope {
        All = "all",
        Mine = "mine",
    }
}

/// A person's settings for one kind of alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Notification")]
pub struct AlertSetting {
    /// When the alert is mailed to the person: immediately, once a day or never.
    pub email: AlertEmail,
    /// Whether the alert is shown in the dashboard.
    pub in_app: bool,
    /// Whether the alerts concern all records, or only the records of the staff member to whom the person is linked.
    pub scope: AlertScope,
}

/// A person's choices for one kind of alert. A field is `None` if the default applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlertChoice {
    pub email: Option<AlertEmail>,
    pub in_app: Option<bool>,
    pub scope: Option<AlertScope>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertChoices(BTreeMap<AlertKind, AlertChoice>);

impl AlertChoices {
    pub fn iter(&self) -> impl Iterator<Item = (AlertKind, AlertChoice)> {
        self.0.iter().map(|(kind, choice)| (*kind, *choice))
    }

    pub fn set(&mut self, kind: AlertKind, choice: AlertChoice) {
        if choice == AlertChoice::default() {
            self.0.remove(&kind);
        } else {
            self.0.insert(kind, choice);
        }
    }

    pub fn choice(&self, kind: AlertKind) -> AlertChoice {
        self.0.get(&kind).copied().unwrap_or_default()
    }
}

/// Returns the setting that applies if the person has made no choice. `is_staff` is true if the membership is
/// linked to a staff member.
pub fn default_alert(kind: AlertKind, role: Role, is_staff: bool) -> AlertSetting {
    use AlertKind::{
        AppointmentBooked, AppointmentCancelled, AppointmentRequested, AppointmentRescheduled,
        CalendarEventChanged, CalendarFailed, CallMissed, MessageTaken, UrgentMessage, WebhookDisabled,
        WebhookFailing,
    };
    let (email, scope) = match (role, kind) {
        (
            Role::Owner | Role::Admin,
            WebhookDisabled | WebhookFailing | UrgentMessage | MessageTaken | AppointmentRequested
            | CallMissed | CalendarFailed,
        )
        | (Role::Member, UrgentMessage) => (AlertEmail::Now, AlertScope::All),
        (
            Role::Member,
            AppointmentRequested
            | AppointmentBooked
            | AppointmentRescheduled
            | AppointmentCancelled
            | CalendarFailed
            | CalendarEventChanged,
        ) if is_staff => (AlertEmail::Now, AlertScope::Mine),
        _ => (AlertEmail::Off, AlertScope::All),
    };
    AlertSetting { email, in_app: true, scope }
}

impl AlertKind {
    /// Returns the kind of alert that a change to an appointment causes, if any. The author of the change
    /// does not matter.
    pub fn of_appointment(before: Option<&Appointment>, after: &Appointment) -> Option<Self> {
        let moved = before
            .is_some_and(|before| (before.starts_at, before.staff_id) != (after.starts_at, after.staff_id));
        let was = before.map(|before| before.status);
        match (was, after.status) {
            (_, AppointmentStatus::Pending) if moved || was != Some(AppointmentStatus::Pending) => {
                Some(Self::AppointmentRequested)
            }
            (_, AppointmentStatus::Confirmed) if moved => Some(Self::AppointmentRescheduled),
            (Some(AppointmentStatus::Pending), AppointmentStatus::Confirmed) => {
                let was_known = before.is_some_and(|before| before.announced);
                Some(if was_known { Self::AppointmentRescheduled } else { Self::AppointmentBooked })
            }
            (None, AppointmentStatus::Confirmed) => Some(Self::AppointmentBooked),
            (Some(was), AppointmentStatus::Cancelled) if was.is_active() => Some(Self::AppointmentCancelled),
            // An announced appointment has been confirmed at least once, so declining it counts as a cancellation.
            (Some(was), AppointmentStatus::Declined) if was.is_active() && after.announced => {
                Some(Self::AppointmentCancelled)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::{Buffers, CalendarSyncStatus, Source, Timestamp};
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_roles() {
        let now = |role, is_staff| {
            let kinds = AlertKind::ALL.iter().copied();
            let mailed = kinds.filter(|kind| default_alert(*kind, role, is_staff).email == AlertEmail::Now);
            mailed.map(AlertKind::as_str).collect::<Vec<_>>()
        };
        let runs = [
            "webhook_disabled",
            "urgent_message",
            "message_taken",
            "appointment_requested",
            "call_missed",
            "webhook_failing",
            "calendar_failed",
        ];
        assert_eq!(now(Role::Owner, false), runs);
        assert_eq!(now(Role::Admin, true), runs);
        assert_eq!(now(Role::Member, false), ["urgent_message"]);
        assert_eq!(now(Role::Member, true).len(), 7);
        let booked = default_alert(AlertKind::AppointmentBooked, Role::Member, true);
        assert_eq!(booked.scope, AlertScope::Mine);
        assert!(AlertKind::ALL.iter().all(|kind| default_alert(*kind, Role::Member, false).in_app));
    }

    fn appointment(status: AppointmentStatus, at: i64, announced: bool) -> Appointment {
        let id = Uuid::from_bytes([1; 16]);
        Appointment {
            id: id.into(),
            status,
            starts_at: Timestamp::from_millis(at),
            ends_at: Timestamp::from_millis(at + 1),
            buffers: Buffers::default(),
            service_id: id.into(),
            staff_id: id.into(),
            contact_id: Some(id.into()),
            source: Source::Api,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            announced,
            move_unannounced: false,
            notes: None,
            customer_note: None,
            booked_as: None,
            attendance: None,
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn each_change_of_an_appointment_is_one_kind_of_alert_or_none() {
        use AlertKind::{
            AppointmentBooked as Booked, AppointmentCancelled as Cancellation,
            AppointmentRequested as Requested, AppointmentRescheduled as Moved,
        };
        use AppointmentStatus::{Cancelled, Confirmed, Declined, Pending};
        for (before, after, expected) in [
            (None, (Pending, 1, false), Some(Requested)),
            (None, (Confirmed, 1, true), Some(Booked)),
            (Some((Pending, 1, false)), (Confirmed, 1, true), Some(Booked)),
            (Some((Pending, 1, false)), (Pending, 2, false), Some(Requested)),
            (Some((Pending, 1, false)), (Declined, 1, false), None),
            (Some((Pending, 1, false)), (Cancelled, 1, false), Some(Cancellation)),
            (Some((Confirmed, 1, true)), (Confirmed, 2, true), Some(Moved)),
            (Some((Confirmed, 1, true)), (Pending, 2, true), Some(Requested)),
            (Some((Pending, 2, true)), (Confirmed, 2, true), Some(Moved)),
            (Some((Pending, 2, true)), (Declined, 2, true), Some(Cancellation)),
            (Some((Confirmed, 1, true)), (Cancelled, 1, true), Some(Cancellation)),
            (Some((Confirmed, 1, true)), (Confirmed, 1, true), None),
            (Some((Pending, 1, false)), (Pending, 1, false), None),
            (Some((Cancelled, 1, true)), (Cancelled, 1, true), None),
        ] {
            let of = |(status, at, announced)| appointment(status, at, announced);
            let found = AlertKind::of_appointment(before.map(of).as_ref(), &of(after));
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }
}
