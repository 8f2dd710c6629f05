//! A person's membership in a business, and the rules for its changes.
//!
//! Invariants:
//!
//! - in the dashboard, the last active owner cannot be removed, and an admin cannot create or change an
//!   owner;
//! - only the operator can activate a membership that the person has not accepted.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::words::words;
use super::{
    AlertChoice, AlertChoices, AlertEmail, AlertKind, AlertSetting, Conflict, Denied, Locale, MembershipId,
    Person, PersonId, Problem, ProblemCode, Refusal, ResourceId, Right, Role, StaffId, Timestamp,
    default_alert, fold_address,
};

pub const PEOPLE_MAX: usize = 1_000;

words! {
    MembershipStatus {
        Invited = "invited",
        Active = "active",
        Disabled = "disabled",
    }
}

/// The data of the invited person, as the inviter entered it. Until the person accepts, the business sees no other data
/// about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The address as the inviter entered it. Only the account with this address can accept.
    pub email: String,
    pub name: String,
    pub locale: Locale,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    pub person_id: PersonId,
    pub role: Role,
    pub status: MembershipStatus,
    /// Whether the membership was accepted, by the person or by the operator on their behalf.
    pub accepted: bool,
    pub staff_id: Option<StaffId>,
    pub alerts: AlertChoices,
    pub offer: Offer,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Membership {
    /// Returns a UUIDv7 that contains the time of the offer and a digest of the person's id. The dashboard
    /// uses it in place of the person's id, which would reveal whether an account exists and since when.
    pub fn id(&self) -> MembershipId {
        let offered = self.created_at.millis();
        let digest = Sha256::new().chain_update(self.person_id.uuid()).chain_update(offered.to_be_bytes());
        let digest: [u8; 32] = digest.finalize().into();
        let [random @ .., _, _] = digest.first_chunk::<12>().copied().unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(offered.unsigned_abs(), &random).into_uuid().into()
    }

    pub fn is_active(&self) -> bool {
        self.status == MembershipStatus::Active
    }

    /// True if the membership is accepted, or if it was offered to the current address of `person`.
    pub fn is_for(&self, person: &Person) -> bool {
        self.accepted || fold_address(&self.offer.email) == person.email_folded()
    }

    fn owns(&self) -> bool {
        self.role == Role::Owner && self.is_active()
    }

    pub fn alert(&self, kind: AlertKind) -> AlertSetting {
        let default = default_alert(kind, self.role, self.staff_id.is_some());
        let chosen = self.alerts.choice(kind);
        AlertSetting {
            email: chosen.email.unwrap_or(default.email),
            in_app: chosen.in_app.unwrap_or(default.in_app),
            scope: chosen.scope.unwrap_or(default.scope),
        }
    }

    /// Applies a person's choices for a kind of alert. A choice that equals the default is not stored, with one
    /// exception: if a choice about emails is already stored and does not change, it stays stored. This choice may be
    /// the `Off` of [`Self::end_mails`], which must also apply in every later role of the person.
    pub fn choose_alert(&mut self, kind: AlertKind, given: AlertChoice) {
        let default = default_alert(kind, self.role, self.staff_id.is_some());
        let before = self.alerts.choice(kind);
        let choice = AlertChoice {
            email: given
                .email
                .or(before.email)
                .filter(|email| *email != default.email || before.email == Some(*email)),
            in_app: given.in_app.or(before.in_app).filter(|in_app| *in_app != default.in_app),
            scope: given.scope.or(before.scope).filter(|scope| *scope != default.scope),
        };
        self.alerts.set(kind, choice);
    }

    /// Turns off the mails of a kind. They stay off even if the person later gets a role with another
    /// default.
    pub fn end_mails(&mut self, kind: AlertKind) {
        let before = self.alerts.choice(kind);
        self.alerts.set(kind, AlertChoice { email: Some(AlertEmail::Off), ..before });
    }
}

pub type Team = BTreeMap<PersonId, Membership>;

#[derive(Clone, Copy, Debug)]
pub enum Editor<'a> {
    Operator,
    Member(&'a Membership),
}

/// A partial update: `None` keeps a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MembershipPatch {
    pub role: Option<Role>,
    /// `true` for active, `false` for disabled.
    pub active: Option<bool>,
    pub staff_id: Option<Option<StaffId>>,
}

/// Checks that the change is allowed.
///
/// # Errors
/// Returns [`Refusal::NotAllowed`], or [`Refusal::Conflict`] if no active owner would remain.
pub fn check_membership(
    team: &Team,
    editor: Editor<'_>,
    before: Option<&Membership>,
    after: Option<&Membership>,
) -> Result<(), Refusal> {
    let Editor::Member(editor) = editor else { return Ok(()) };
    if !editor.is_active() || !editor.role.may_change(Right::People) {
        return Err(Refusal::NotAllowed(Denied::PeopleOfTheBusiness));
    }
    let owner = |membership: Option<&Membership>| membership.is_some_and(|it| it.role == Role::Owner);
    if editor.role != Role::Owner && (owner(before) || owner(after)) {
        return Err(Refusal::NotAllowed(Denied::OwnerByAdmin));
    }
    let loses = before.is_some_and(Membership::owns) && !after.is_some_and(Membership::owns);
    let person = before.map(|before| before.person_id);
    if loses && !team.values().any(|other| other.owns() && Some(other.person_id) != person) {
        return Err(Refusal::conflict(Conflict::LastOwner, "role", ProblemCode::LastOwner));
    }
    Ok(())
}

/// Applies a partial update. `is_safe` is true if both [`Person::is_safe`] and [`Membership::is_for`] are true.
///
/// # Errors
/// Returns the errors of [`check_membership`]. Returns [`Refusal::Conflict`] if the operator activates a membership
/// that was not accepted, and `is_safe` is false.
pub fn patched(
    team: &Team,
    editor: Editor<'_>,
    before: &Membership,
    patch: MembershipPatch,
    is_safe: bool,
) -> Result<Membership, Refusal> {
    let mut after = before.clone();
    after.role = patch.role.unwrap_or(before.role);
    after.staff_id = patch.staff_id.unwrap_or(before.staff_id);
    match patch.active {
        Some(false) => after.status = MembershipStatus::Disabled,
        Some(true) if before.accepted => after.status = MembershipStatus::Active,
        Some(true) => match editor {
            Editor::Operator if is_safe => {
                (after.status, after.accepted) = (MembershipStatus::Active, true);
            }
            Editor::Operator => {
                return Err(Refusal::conflict(Conflict::PasswordOfAnother, "status", ProblemCode::MakeLink));
            }
            Editor::Member(_) => after.status = MembershipStatus::Invited,
        },
        None => {}
    }
    check_membership(team, editor, Some(before), Some(&after))?;
    Ok(after)
}

pub fn check_people(team: &Team) -> Result<(), Refusal> {
    if team.len() < PEOPLE_MAX {
        return Ok(());
    }
    let details = vec![Problem::new("email", ProblemCode::People(team.len()))];
    Err(Refusal::Conflict { conflict: Conflict::PeopleFull(PEOPLE_MAX), details })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: u128, role: Role, status: MembershipStatus) -> Membership {
        let at = Timestamp::from_millis(0);
        Membership {
            person_id: uuid::Uuid::from_u128(id).into(),
            role,
            status,
            accepted: status == MembershipStatus::Active,
            staff_id: None,
            alerts: AlertChoices::default(),
            offer: Offer { email: String::new(), name: String::new(), locale: Locale::En },
            created_at: at,
            updated_at: at,
        }
    }

    fn team(of: &[Membership]) -> Team {
        of.iter().map(|membership| (membership.person_id, membership.clone())).collect()
    }

    const DISABLE: MembershipPatch = MembershipPatch { role: None, active: Some(false), staff_id: None };

    #[test]
    fn only_the_operator_can_remove_the_last_active_owner() {
        let owner = member(1, Role::Owner, MembershipStatus::Active);
        let invited = member(2, Role::Owner, MembershipStatus::Invited);
        let people = team(&[owner.clone(), invited]);
        let demote = MembershipPatch { role: Some(Role::Member), ..MembershipPatch::default() };
        for patch in [DISABLE, demote] {
            let refused = patched(&people, Editor::Member(&owner), &owner, patch, true);
            assert!(matches!(refused, Err(Refusal::Conflict { .. })), "{patch:?}");
            patched(&people, Editor::Operator, &owner, patch, true).unwrap();
        }
        assert!(check_membership(&people, Editor::Member(&owner), Some(&owner), None).is_err());
        let two = team(&[owner.clone(), member(3, Role::Owner, MembershipStatus::Active)]);
        check_membership(&two, Editor::Member(&owner), Some(&owner), None).unwrap();
    }

    #[test]
    fn an_admin_cannot_change_owners_and_a_member_cannot_change_anyone() {
        let [owner, admin, other] = [(1, Role::Owner), (2, Role::Admin), (3, Role::Member)]
            .map(|(id, role)| member(id, role, MembershipStatus::Active));
        let people = team(&[owner.clone(), admin.clone(), other.clone()]);
        let by_admin = |before, patch| patched(&people, Editor::Member(&admin), before, patch, true);
        let owned = MembershipPatch { role: Some(Role::Owner), ..MembershipPatch::default() };
        assert!(matches!(by_admin(&owner, DISABLE), Err(Refusal::NotAllowed(_))));
        assert!(matches!(by_admin(&other, owned), Err(Refusal::NotAllowed(_))));
        assert!(matches!(by_admin(&admin, owned), Err(Refusal::NotAllowed(_))), "the role must remain");
        by_admin(&other, DISABLE).unwrap();
        let by_member = check_membership(&people, Editor::Member(&other), Some(&other), None);
        assert!(matches!(by_member, Err(Refusal::NotAllowed(_))));
        let disabled = Membership { status: MembershipStatus::Disabled, ..admin.clone() };
        let by_disabled = check_membership(&people, Editor::Member(&disabled), Some(&other), None);
        assert!(matches!(by_disabled, Err(Refusal::NotAllowed(_))));
    }

    #[test]
    fn only_the_operator_accepts_for_another_person_and_only_for_a_safe_account() {
        let owner = member(1, Role::Owner, MembershipStatus::Active);
        let invited = member(2, Role::Member, MembershipStatus::Invited);
        let people = team(&[owner.clone(), invited.clone()]);
        let enable = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
        let disabled = patched(&people, Editor::Member(&owner), &invited, DISABLE, true).unwrap();
        let again = patched(&people, Editor::Member(&owner), &disabled, enable, true).unwrap();
        assert_eq!(again.status, MembershipStatus::Invited, "enabling must not accept the membership");
        assert!(patched(&people, Editor::Operator, &disabled, enable, false).is_err());
        let active = patched(&people, Editor::Operator, &disabled, enable, true).unwrap();
        assert!(active.is_active() && active.accepted);
        let off = patched(&people, Editor::Operator, &active, DISABLE, false).unwrap();
        assert!(patched(&people, Editor::Operator, &off, enable, false).unwrap().is_active());
    }

    #[test]
    fn only_choices_that_differ_from_the_default_are_stored() {
        let mut member = member(1, Role::Member, MembershipStatus::Active);
        let off = AlertChoice { email: Some(AlertEmail::Off), ..AlertChoice::default() };
        member.choose_alert(AlertKind::CallMissed, off);
        assert_eq!(member.alerts.iter().count(), 0);
        member.choose_alert(AlertKind::UrgentMessage, off);
        let quiet = AlertChoice { in_app: Some(false), ..AlertChoice::default() };
        member.choose_alert(AlertKind::UrgentMessage, quiet);
        let set = member.alert(AlertKind::UrgentMessage);
        assert_eq!((set.email, set.in_app), (AlertEmail::Off, false));
        member.role = Role::Owner;
        assert_eq!(member.alert(AlertKind::UrgentMessage).email, AlertEmail::Off, "a choice must remain");
        assert_eq!(member.alert(AlertKind::CallMissed).email, AlertEmail::Now, "must be the role's default");
    }

    #[test]
    fn ended_mails_stay_off_in_another_role() {
        let mut member = member(1, Role::Member, MembershipStatus::Active);
        let kind = AlertKind::CallMissed;
        assert_eq!(member.alert(kind).email, AlertEmail::Off, "the default of a member is off");
        member.end_mails(kind);
        // If a form sends the current settings unchanged, nothing is stored.
        let as_it_is = AlertChoice { email: Some(AlertEmail::Off), in_app: Some(true), scope: None };
        member.choose_alert(kind, as_it_is);
        member.role = Role::Owner;
        assert_eq!(member.alert(kind).email, AlertEmail::Off);
        member.choose_alert(kind, AlertChoice { email: Some(AlertEmail::Now), ..AlertChoice::default() });
        assert_eq!(member.alert(kind).email, AlertEmail::Now, "the person can turn the mails on again");
        assert_eq!(member.alerts.iter().count(), 0);
    }
}
