//! Memberships: a person's place in a business, and what the person chose to be alerted of.

use serde::{Deserialize, Serialize};

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{AlertChoice, AlertChoices, AlertKind, Membership};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// A kind of alert, and what was chosen of it: when it is mailed, whether it is shown, of what.
type ChoiceRecord = (u8, Option<u8>, Option<bool>, Option<u8>);

#[derive(Serialize, Deserialize)]
struct MembershipRecordV1 {
    person_id: IdBytes,
    role: u8,
    status: u8,
    accepted: bool,
    staff_id: Option<IdBytes>,
    alerts: Vec<ChoiceRecord>,
    created_at: i64,
    updated_at: i64,
}

record!(Membership, "membership", 1 => MembershipRecordV1);

impl Layout<Membership> for MembershipRecordV1 {
    fn freeze(value: &Membership) -> Self {
        let alert = |(kind, choice): (AlertKind, AlertChoice)| {
            let (email, scope) = (choice.email.map(Numbered::number), choice.scope.map(Numbered::number));
            (kind.number(), email, choice.in_app, scope)
        };
        Self {
            person_id: bytes_of(value.person_id),
            role: value.role.number(),
            status: value.status.number(),
            accepted: value.accepted,
            staff_id: value.staff_id.map(bytes_of),
            alerts: value.alerts.iter().map(alert).collect(),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Membership, StoreError> {
        let mut alerts = AlertChoices::default();
        for (kind, email, in_app, scope) in self.alerts {
            let email = email.map(|number| word(record, number)).transpose()?;
            let scope = scope.map(|number| word(record, number)).transpose()?;
            alerts.set(word(record, kind)?, AlertChoice { email, in_app, scope });
        }
        Ok(Membership {
            person_id: id_of(self.person_id),
            role: word(record, self.role)?,
            status: word(record, self.status)?,
            accepted: self.accepted,
            staff_id: self.staff_id.map(id_of),
            alerts,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{AlertEmail, AlertScope, MembershipStatus, Role, Timestamp};

    fn membership() -> Membership {
        let mut alerts = AlertChoices::default();
        let choice = AlertChoice {
            email: Some(AlertEmail::Daily),
            in_app: Some(false),
            scope: Some(AlertScope::Mine),
        };
        alerts.set(AlertKind::CallMissed, choice);
        Membership {
            person_id: id_of([0xa1; 16]),
            role: Role::Admin,
            status: MembershipStatus::Active,
            accepted: true,
            staff_id: Some(id_of([0xa2; 16])),
            alerts,
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_membership_has_these_bytes() {
        check(
            &membership(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102020101a2a2a2a2a2a2a2a2a2a2a2\
             a2a2a2a2a20108010201000102fd00358d5b39030000fd02358d5b39030000",
        );
        check(
            &Membership { staff_id: None, alerts: AlertChoices::default(), ..membership() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10202010000fd00358d5b39030000fd\
             02358d5b39030000",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&membership(), |bytes| replace(bytes, b"\xa1\x02\x02\x01", b"\xa1\x09\x02\x01"));
        check_damage(&membership(), |bytes| replace(bytes, b"\xa1\x02\x02\x01", b"\xa1\x02\x09\x01"));
    }
}
