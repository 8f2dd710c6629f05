//! Whom the team's alerts go to, and an alert as it is kept for one person (contract, second part, §3). Pure.
//!
//! What always holds: an alert names what it tells of by its id and holds no words of it, so what is erased needs no
//! looking for here; nobody is alerted of what they did themselves, of what is not shown to their role, or before their
//! membership is active.

use uuid::Uuid;

use super::{
    About, Access, Actor, AlertId, AlertKind, AlertScope, AlertSetting, Appointment, CallRecord, Membership,
    PersonId, ResourceId, Right, Role, StaffId, TakenMessage, Team, Timestamp, WebhookId,
};

/// How many alerts of a person are kept in a business: one more, and the oldest goes.
pub const ALERTS_KEPT: u64 = 1_000;

/// Something that the team is alerted of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// What kind of thing.
    pub kind: AlertKind,
    /// The appointment, message, call or webhook endpoint.
    pub id: Uuid,
    /// The staff members whom it concerns; of a move to another one, both.
    pub staff: [Option<StaffId>; 2],
}

impl Happening {
    /// What a change of an appointment is to the team, if anything.
    pub fn of_appointment(before: Option<&Appointment>, after: &Appointment) -> Option<Self> {
        let kind = AlertKind::of_appointment(before, after)?;
        let staff = [before.map(|before| before.staff_id), Some(after.staff_id)];
        Some(Self { kind, id: after.id.uuid(), staff })
    }

    /// A message that was taken. One for nobody in particular concerns no staff member.
    pub fn of_message(taken: &TakenMessage) -> Self {
        Self { kind: AlertKind::of_message(taken), id: taken.id.uuid(), staff: [taken.staff_id, None] }
    }

    /// What a call is to the team, if anything. It concerns no staff member.
    pub fn of_call(ended: &CallRecord) -> Option<Self> {
        let kind = AlertKind::of_call(ended)?;
        Some(Self { kind, id: ended.id.uuid(), staff: [None; 2] })
    }

    /// An endpoint that was turned off for its failures.
    pub fn of_webhook(turned_off: WebhookId) -> Self {
        Self { kind: AlertKind::WebhookDisabled, id: turned_off.uuid(), staff: [None; 2] }
    }

    /// Who of the team is alerted of it, and how, when `by` did it: in the order of their ids.
    pub fn alerted<'a>(
        &'a self,
        team: &'a Team,
        by: Actor,
    ) -> impl Iterator<Item = (PersonId, AlertSetting)> + 'a {
        let others = team.values().filter(move |one| one.is_active() && by != Actor::Person(one.person_id));
        others.filter_map(|one| {
            let setting = one.alert(self.kind);
            let is_meant = self.kind.is_shown_to(one.role) && self.is_within(setting.scope, one);
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
    /// Whether a role sees what alerts of this kind tell of: members see nothing of webhooks anywhere.
    pub fn is_shown_to(self, role: Role) -> bool {
        let right = match self {
            Self::WebhookDisabled => Right::Integrations,
            Self::UrgentMessage
            | Self::MessageTaken
            | Self::AppointmentRequested
            | Self::AppointmentBooked
            | Self::AppointmentRescheduled
            | Self::AppointmentCancelled
            | Self::CallMissed => Right::Day,
        };
        role.access(right) != Access::Hidden
    }
}

/// An alert, as one person has it in the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// Its id, which tells how old it is.
    pub id: AlertId,
    /// Whose.
    pub person_id: PersonId,
    /// Its number among the person's in the business, from 1 on, without gaps.
    pub number: u64,
    /// What happened.
    pub about: About,
    /// When the person read it.
    pub read_at: Option<Timestamp>,
}

/// Up to where a person has read all alerts of a business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertsRead {
    /// The number of the last of them.
    pub until: u64,
    /// When.
    pub at: Timestamp,
}

impl Alert {
    /// Whether it is shown to its person by this membership: it is of their time in the business, and of what their role
    /// sees.
    pub fn is_shown_by(&self, membership: &Membership) -> bool {
        self.about.at >= membership.created_at && self.about.kind.is_shown_to(membership.role)
    }

    /// The alert as it is shown to somebody who has read all up to there.
    #[must_use]
    pub fn shown(self, read: Option<AlertsRead>) -> Self {
        let by_all = read.filter(|read| self.number <= read.until).map(|read| read.at);
        Self { read_at: self.read_at.or(by_all), ..self }
    }
}

#[cfg(test)]
mod tests;
