//! Recipients of alerts, and the alert that is stored for each recipient.
//!
//! Invariants:
//!
//! - an alert contains the id of its record but no text of the record, so an erasure does not need to search
//!   alerts;
//! - a person receives no alert about their own action, about a record that they do not see, or about
//!   an event that happened before their membership became active.

use uuid::Uuid;

use super::{
    About, Access, Actor, AlertId, AlertKind, AlertScope, AlertSetting, Appointment, AppointmentId,
    CallRecord, CallStatus, ConnectedCalendar, Membership, PersonId, ResourceId, Right, Role, StaffId,
    TakenMessage, Team, Timestamp, Urgency, WebhookId,
};

pub const ALERTS_KEPT: u64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertTrigger {
    pub kind: AlertKind,
    pub id: Uuid,
    /// The staff members whom the alert concerns. An alert about an appointment that was moved from one staff member to
    /// another concerns both staff members.
    pub staff: [Option<StaffId>; 2],
}

impl AlertTrigger {
    pub fn of_appointment(before: Option<&Appointment>, after: &Appointment) -> Option<Self> {
        let kind = AlertKind::of_appointment(before, after)?;
        let staff = [before.map(|before| before.staff_id), Some(after.staff_id)];
        Some(Self { kind, id: after.id.uuid(), staff })
    }

    pub fn of_message(taken: &TakenMessage) -> Self {
        let kind = match taken.urgency {
            Urgency::Urgent => AlertKind::UrgentMessage,
            Urgency::Normal => AlertKind::MessageTaken,
        };
        Self { kind, id: taken.id.uuid(), staff: [taken.staff_id, None] }
    }

    pub fn of_call(ended: &CallRecord) -> Option<Self> {
        let call = Self { kind: AlertKind::CallMissed, id: ended.id.uuid(), staff: [None; 2] };
        (ended.status != CallStatus::Completed).then_some(call)
    }

    /// Creates an alert about a webhook endpoint. `kind` must be [`AlertKind::WebhookDisabled`] or
    /// [`AlertKind::WebhookFailing`].
    pub fn of_webhook(kind: AlertKind, id: WebhookId) -> Self {
        Self { kind, id: id.uuid(), staff: [None; 2] }
    }

    /// Creates an alert about a calendar that cannot be read.
    pub fn of_calendar(calendar: &ConnectedCalendar) -> Self {
        let staff = [Some(calendar.staff_id), None];
        Self { kind: AlertKind::CalendarFailed, id: calendar.id.uuid(), staff }
    }

    /// Creates an alert about an appointment whose event was changed in the calendar of this staff member.
    pub fn of_event(calendar: &ConnectedCalendar, appointment: AppointmentId) -> Self {
        let staff = [Some(calendar.staff_id), None];
        Self { kind: AlertKind::CalendarEventChanged, id: appointment.uuid(), staff }
    }

    /// Returns the recipients of an alert about a change that `by` has made, in the order of their ids.
    pub fn recipients<'a>(
        &'a self,
        team: &'a Team,
        by: Actor,
    ) -> impl Iterator<Item = (PersonId, AlertSetting)> + 'a {
        let others = team.values().filter(move |one| one.is_active() && by != Actor::Person(one.person_id));
        others.filter_map(|one| {
            let setting = one.alert(self.kind);
            let is_seen = self.kind.is_shown_to(one.role)
                && (self.kind != AlertKind::CalendarFailed || one.sees_calendars_of(self.staff[0]));
            let is_meant = is_seen && self.is_within(setting.scope, one);
            is_meant.then_some((one.person_id, setting))
        })
    }

    fn is_within(&self, scope: AlertScope, of: &Membership) -> bool {
        match scope {
            AlertScope::All => true,
            AlertScope::Mine => of.staff_id.is_some() && self.staff.contains(&of.staff_id),
        }
    }
}

impl AlertKind {
    /// True if the role sees alerts of this kind. Members do not see alerts about webhooks.
    pub fn is_shown_to(self, role: Role) -> bool {
        let right = match self {
            Self::WebhookDisabled | Self::WebhookFailing => Right::Integrations,
            Self::UrgentMessage
            | Self::MessageTaken
            | Self::AppointmentRequested
            | Self::AppointmentBooked
            | Self::AppointmentRescheduled
            | Self::AppointmentCancelled
            | Self::CallMissed
            | Self::CalendarFailed
            | Self::CalendarEventChanged => Right::Day,
        };
        role.access(right) != Access::Hidden
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    pub id: AlertId,
    pub person_id: PersonId,
    /// The number of the alert among the person's alerts in the business. The numbers begin with 1 and have no gaps.
    pub number: u64,
    pub about: About,
    pub read_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertsRead {
    pub until: u64,
    pub at: Timestamp,
}

impl Alert {
    /// True if the alert is not older than the membership and the role sees alerts of this kind.
    pub fn is_shown_by(&self, membership: &Membership) -> bool {
        self.about.at >= membership.created_at && self.about.kind.is_shown_to(membership.role)
    }

    #[must_use]
    pub fn shown(self, read: Option<AlertsRead>) -> Self {
        let by_all = read.filter(|read| self.number <= read.until).map(|read| read.at);
        Self { read_at: self.read_at.or(by_all), ..self }
    }
}

#[cfg(test)]
mod tests;
