//! What the team is alerted of, and how each person wants it.
//!
//! What always holds: only what differs from the default of the person's role is kept, so a default that changes, or a
//! role, changes with it what nobody chose.

use std::collections::BTreeMap;

use super::Role;
use super::words::words;

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

#[cfg(test)]
mod tests {
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
}
