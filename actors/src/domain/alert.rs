//! What the team is alerted of, which change of a record is which kind of alert, and how each person wants it. Pure.
//!
//! What always holds: only what differs from the default of the person's role is kept, so a default that changes, or a
//! role, changes with it what nobody chose.

use std::collections::BTreeMap;

use super::words::words;
use super::{Appointment, AppointmentStatus, CallRecord, CallStatus, Role, TakenMessage, Urgency};

words! {
    /// A kind of alert.
    AlertKind {
        /// An endpoint was turned off for its failures.
        WebhookDisabled = "webhook_disabled",
        /// An urgent message was taken.
        UrgentMessage = "urgent_message",
        /// Another message was taken.
        MessageTaken = "message_taken",
        /// A booking or a move waits for the team.
        AppointmentRequested = "appointment_requested",
        /// An appointment was booked.
        AppointmentBooked = "appointment_booked",
        /// An appointment was moved.
        AppointmentRescheduled = "appointment_rescheduled",
        /// An appointment was cancelled.
        AppointmentCancelled = "appointment_cancelled",
        /// A call was missed or failed.
        CallMissed = "call_missed",
    }
}

words! {
    /// When an alert is mailed.
    AlertEmail {
        /// At once.
        Now = "now",
        /// Once a day.
        Daily = "daily",
        /// Never.
        Off = "off",
    }
}

words! {
    /// Which of the business's matters a person is alerted of.
    AlertScope {
        /// All.
        All = "all",
        /// What concerns the person's own staff member.
        Mine = "mine",
    }
}

/// How a person is alerted of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertSetting {
    /// By e-mail.
    pub email: AlertEmail,
    /// In the dashboard.
    pub in_app: bool,
    /// Of what.
    pub scope: AlertScope,
}

/// What a person chose of one kind; what is `None` is as by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlertChoice {
    /// By e-mail.
    pub email: Option<AlertEmail>,
    /// In the dashboard.
    pub in_app: Option<bool>,
    /// Of what.
    pub scope: Option<AlertScope>,
}

/// What a person chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertChoices(BTreeMap<AlertKind, AlertChoice>);

impl AlertChoices {
    /// What was chosen, by kind.
    pub fn iter(&self) -> impl Iterator<Item = (AlertKind, AlertChoice)> {
        self.0.iter().map(|(kind, choice)| (*kind, *choice))
    }

    /// Chooses; a kind of which nothing is chosen is not kept.
    pub fn set(&mut self, kind: AlertKind, choice: AlertChoice) {
        if choice == AlertChoice::default() {
            self.0.remove(&kind);
        } else {
            self.0.insert(kind, choice);
        }
    }

    /// What was chosen of a kind.
    pub fn of(&self, kind: AlertKind) -> AlertChoice {
        self.0.get(&kind).copied().unwrap_or_default()
    }
}

/// How somebody of a role is alerted who chose nothing; with a staff member, or without.
pub fn default_alert(kind: AlertKind, role: Role, is_staff: bool) -> AlertSetting {
    use AlertKind::{
        AppointmentBooked, AppointmentCancelled, AppointmentRequested, AppointmentRescheduled, CallMissed,
        MessageTaken, UrgentMessage, WebhookDisabled,
    };
    let (email, scope) = match (role, kind) {
        (
            Role::Owner | Role::Admin,
            WebhookDisabled | UrgentMessage | MessageTaken | AppointmentRequested | CallMissed,
        )
        | (Role::Member, UrgentMessage) => (AlertEmail::Now, AlertScope::All),
        (
            Role::Member,
            AppointmentRequested | AppointmentBooked | AppointmentRescheduled | AppointmentCancelled,
        ) if is_staff => (AlertEmail::Now, AlertScope::Mine),
        _ => (AlertEmail::Off, AlertScope::All),
    };
    AlertSetting { email, in_app: true, scope }
}

impl AlertKind {
    /// What a change of an appointment is to the team, whoever made it: at most one thing.
    pub fn of_appointment(before: Option<&Appointment>, after: &Appointment) -> Option<Self> {
        let moved = before
            .is_some_and(|before| (before.starts_at, before.staff_id) != (after.starts_at, after.staff_id));
        let was = before.map(|before| before.status);
        match (was, after.status) {
            (_, AppointmentStatus::Pending) if moved || was != Some(AppointmentStatus::Pending) => {
                Some(Self::AppointmentRequested)
            }
            (_, AppointmentStatus::Confirmed) if moved => Some(Self::AppointmentRescheduled),
            // The team has let a move happen, or a booking.
            (Some(AppointmentStatus::Pending), AppointmentStatus::Confirmed) => {
                let was_known = before.is_some_and(|before| before.announced);
                Some(if was_known { Self::AppointmentRescheduled } else { Self::AppointmentBooked })
            }
            (None, AppointmentStatus::Confirmed) => Some(Self::AppointmentBooked),
            (Some(was), AppointmentStatus::Cancelled) if was.is_active() => Some(Self::AppointmentCancelled),
            // Declining what everybody knew of takes it from them.
            (Some(was), AppointmentStatus::Declined) if was.is_active() && after.announced => {
                Some(Self::AppointmentCancelled)
            }
            _ => None,
        }
    }

    /// What a message is that was taken: urgent or another, never both.
    pub fn of_message(taken: &TakenMessage) -> Self {
        match taken.urgency {
            Urgency::Urgent => Self::UrgentMessage,
            Urgency::Normal => Self::MessageTaken,
        }
    }

    /// What a call is that has ended.
    pub fn of_call(ended: &CallRecord) -> Option<Self> {
        match ended.status {
            CallStatus::Missed | CallStatus::Failed => Some(Self::CallMissed),
            CallStatus::Completed => None,
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
        let runs =
            ["webhook_disabled", "urgent_message", "message_taken", "appointment_requested", "call_missed"];
        assert_eq!(now(Role::Owner, false), runs);
        assert_eq!(now(Role::Admin, true), runs);
        assert_eq!(now(Role::Member, false), ["urgent_message"]);
        assert_eq!(now(Role::Member, true).len(), 5);
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
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn each_change_of_an_appointment_is_one_kind_of_alert_or_none() {
        use AlertKind::{
            AppointmentBooked as Booked, AppointmentCancelled as Gone, AppointmentRequested as Asked,
            AppointmentRescheduled as Moved,
        };
        use AppointmentStatus::{Cancelled, Confirmed, Declined, Pending};
        for (before, after, expected) in [
            (None, (Pending, 1, false), Some(Asked)),
            (None, (Confirmed, 1, true), Some(Booked)),
            (Some((Pending, 1, false)), (Confirmed, 1, true), Some(Booked)),
            (Some((Pending, 1, false)), (Pending, 2, false), Some(Asked)),
            (Some((Pending, 1, false)), (Declined, 1, false), None),
            (Some((Pending, 1, false)), (Cancelled, 1, false), Some(Gone)),
            (Some((Confirmed, 1, true)), (Confirmed, 2, true), Some(Moved)),
            (Some((Confirmed, 1, true)), (Pending, 2, true), Some(Asked)),
            (Some((Pending, 2, true)), (Confirmed, 2, true), Some(Moved)),
            (Some((Pending, 2, true)), (Declined, 2, true), Some(Gone)),
            (Some((Confirmed, 1, true)), (Cancelled, 1, true), Some(Gone)),
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
