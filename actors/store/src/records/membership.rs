//! Memberships: a person's role in a business, and the person's choice of alerts.

use domain::{AlertChoice, AlertChoices, AlertKind, Membership, Offer};

use crate::StoreError;
use crate::codec::{Field, Fields, fields, record};

record!(Membership, "membership", {
    1: person_id, role, status, accepted, staff_id, alerts, offer, created_at, updated_at;
});

fields! {
    AlertChoice { email, in_app, scope }
    Offer { email, name, locale }
}

impl Field for AlertChoices {
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().collect::<Vec<_>>().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let mut choices = Self::default();
        for (kind, choice) in Vec::<(AlertKind, AlertChoice)>::read(from)? {
            choices.set(kind, choice);
        }
        Ok(choices)
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertEmail, AlertScope, Locale, MembershipStatus, Role, Timestamp};

    use super::super::testing::{check, check_damage, id_of, replace};
    use super::*;

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
            offer: Offer { email: "a@b.c".into(), name: "Ada".into(), locale: Locale::Fr },
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_membership_has_these_bytes() {
        check(
            &membership(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102020101a2a2a2a2a2a2a2a2a2a2a2\
             a2a2a2a2a20108010201000102056140622e630341646102fd00358d5b39030000fd02358d5b39030000",
        );
        check(
            &Membership { staff_id: None, alerts: AlertChoices::default(), ..membership() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10202010000056140622e630341646102fd00358d5b39030000fd\
             02358d5b39030000",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&membership(), |bytes| replace(bytes, b"\xa1\x02\x02\x01", b"\xa1\x09\x02\x01"));
        check_damage(&membership(), |bytes| replace(bytes, b"\xa1\x02\x02\x01", b"\xa1\x02\x09\x01"));
    }
}
