//! The interface to people: lookups, memberships and accounts.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::{
    AccountPatch, Actor, AuditAction, AuditEntry, BusinessId, Denied, Membership, MembershipPatch, Named,
    Person, PersonId, Refusal, Timestamp,
};
use store::keys::installation_kind;
use store::{Order, Record, StoreError, Weight, keys};
use view::PersonView;

use super::actor::{Change, Decided, Message, Outcome};
use super::state::Persons;
use super::token::Token;
use crate::actor::{Claim, Reply};
use crate::business::commands::people::PatchMember;
use crate::business::{Answer, BusinessHandle, Page, PageRequest, Request, collect, read_page};
use crate::error::Result;
use crate::mail::NewMail;
use crate::shared::Shared;

/// The handle of all people. Changes to a person go to the person's actor. Reads use the store. The handle is cheap to
/// clone.
#[derive(Clone)]
pub struct People {
    pub(crate) persons: Arc<Persons>,
    claim: Option<Claim>,
}

#[derive(Clone, Debug)]
pub struct MembershipSummary {
    pub business_id: BusinessId,
    pub business_name: String,
    pub membership: Membership,
}

impl People {
    pub(crate) fn new(persons: &Arc<Persons>) -> Self {
        Self { persons: Arc::clone(persons), claim: None }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.persons.shared
    }

    pub(super) fn with_claim(&self, claim: Option<Claim>) -> Self {
        Self { claim, ..self.clone() }
    }

    pub(super) fn claim(&self) -> Option<Claim> {
        self.claim.clone()
    }

    pub(crate) async fn change<T: Send + 'static>(
        &self,
        id: PersonId,
        (by, action, weight): (Actor, AuditAction, Weight),
        decide: impl FnOnce(&mut Person, Timestamp) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T> {
        self.change_and_mail(id, (by, action, weight), |person, now| Ok((decide(person, now)?, None))).await
    }

    /// Like [`Self::change`], for a change that may send a mail.
    pub(super) async fn change_and_mail<T: Send + 'static>(
        &self,
        id: PersonId,
        (by, action, weight): (Actor, AuditAction, Weight),
        decide: impl FnOnce(&mut Person, Timestamp) -> Result<(T, Option<NewMail>), Refusal> + Send + 'static,
    ) -> Result<T> {
        self.change_or_delete(id, weight, move |person, now| {
            let mut after = person.clone();
            let (value, mail) = decide(&mut after, now)?;
            if after == *person {
                return Ok((Decided::default(), value));
            }
            let outcome = Outcome::Changed(Box::new(after));
            Ok((Decided { outcome, note: Some((by, action)), mail }, value))
        })
        .await
    }

    /// Like [`Self::change`], for a change that may delete the person.
    pub(super) async fn change_or_delete<T: Send + 'static>(
        &self,
        id: PersonId,
        weight: Weight,
        decide: impl FnOnce(&Person, Timestamp) -> Result<(Decided, T), Refusal> + Send + 'static,
    ) -> Result<T> {
        let message = |reply: Reply<T>| {
            let change: Change = Box::new(move |person, now| {
                let (decided, answer) = match person.and_then(|person| Ok(decide(person, now)?)) {
                    Ok((decided, value)) => (decided, Ok(value)),
                    Err(error) => (Decided::default(), Err(error)),
                };
                (decided, Box::new(|| reply.send(answer)))
            });
            Message::Change { change, weight }
        };
        let permit = self.shared().permit()?;
        self.persons.directory.call((id, permit, self.claim()), message).await
    }

    /// True if the service sends mails. This determines how people are invited and how their addresses change.
    pub fn sends_mail(&self) -> bool {
        self.persons.sends_mail.load(Ordering::Relaxed)
    }

    pub fn set_sends_mail(&self, sends: bool) {
        self.persons.sends_mail.store(sends, Ordering::Relaxed);
    }

    /// Sets the origin of the URLs in links, for example `https://desk.example.com`. Without an origin, links have no
    /// URL.
    pub fn set_public_url(&self, origin: Option<&str>) {
        *self.persons.public_url.write() = origin.map(Arc::from);
    }

    pub fn link_url(&self, token: &Token) -> Option<String> {
        let origin = self.persons.public_url.read().clone()?;
        Some(format!("{origin}/dashboard/enter/{}", token.reveal()))
    }

    /// The origin of the URLs that people and customers open, without a slash at its end.
    pub fn public_url(&self) -> Option<String> {
        self.persons.public_url.read().as_deref().map(str::to_owned)
    }

    pub fn has_public_url(&self) -> bool {
        self.persons.public_url.read().is_some()
    }

    pub async fn person(&self, id: PersonId) -> Result<Option<Person>> {
        Ok(self.shared().store.get(&keys::person(id))?)
    }

    /// The person with this lower-case email address.
    pub(super) async fn by_email(&self, email: &str) -> Result<Option<Person>> {
        let store = &self.shared().store;
        let id = store.find_as(&keys::person_by_email(email), keys::id_at_end)?;
        let Some(id) = id else { return Ok(None) };
        // A record that cannot be decoded counts as missing.
        let person = store.find::<Person>(&keys::person(id))?;
        // The key of the index row contains only a part of the hash of the address, so the found person may have
        // another address.
        Ok(person.filter(|person| person.email_folded() == email))
    }

    /// Returns the memberships of a person, including offered memberships, in the order of the business ids. Fails with
    /// [`StoreError::BusinessSetAside`] if all businesses of the person are set aside.
    pub async fn belongs(&self, person: PersonId) -> Result<Vec<MembershipSummary>> {
        let (store, mut all, mut set_aside) = (&self.shared().store, Vec::new(), Ok(()));
        for business_id in self.businesses_of(person)? {
            if let Err(error) = self.shared().check_business(business_id) {
                set_aside = Err(error);
                continue;
            }
            let membership = store.find::<Membership>(&keys::membership(business_id, person))?;
            let business = store.find::<domain::Business>(&keys::profile(business_id))?;
            if let (Some(membership), Some(business)) = (membership, business) {
                all.push(MembershipSummary { business_id, business_name: business.name, membership });
            }
        }
        if all.is_empty() {
            set_aside?;
        }
        Ok(all)
    }

    /// Fails with [`StoreError::BusinessSetAside`] if the business is set aside and the person is a member.
    /// For other people the check succeeds, because they must not learn that the business is set aside.
    pub fn check_set_aside(&self, person: PersonId, business: BusinessId) -> Result<()> {
        let store = &self.shared().store;
        if store.is_business_set_aside(business) && store.contains(&keys::member_of(person, business))? {
            store.check_business(business)?;
        }
        Ok(())
    }

    pub(super) fn businesses_of(&self, person: PersonId) -> Result<Vec<BusinessId>, StoreError> {
        let store = &self.shared().store;
        let ids = store.walk(&keys::memberships_of(person), Order::Ascending, |key, _| keys::id_at_end(key));
        ids.map(|row| Ok(row?.1)).collect()
    }

    /// The installation's audit log of changes to accounts, newest first.
    pub async fn audit(&self, page: &PageRequest) -> Result<Page<AuditEntry>> {
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::AUDIT);
        read_page(
            (&self.persons.businesses.scans, &self.shared().store),
            BusinessId::INSTALLATION,
            page,
            move |reader, page| {
                collect(reader, all, Order::Descending, page, |_, value| AuditEntry::decode(value).map(Some))
            },
        )
        .await
    }

    pub async fn of_business(
        &self,
        business: &BusinessHandle,
        page: &PageRequest,
    ) -> Result<Page<PersonView>> {
        let all = keys::of_kind(business.id, keys::kind::MEMBERSHIP);
        business
            .list(page, move |reader, page| {
                collect(reader, all, Order::Ascending, page, |_, value| {
                    let membership = Membership::decode(value)?;
                    let person = reader.get::<Person>(&keys::person(membership.person_id))?;
                    let person = person.ok_or_else(no_account)?;
                    Ok(Some(PersonView::new(&person, &membership)))
                })
            })
            .await
    }

    /// Returns the account and the membership of a member. Fails with [`Refusal::NotFound`] if the person has no
    /// membership in the business.
    pub async fn member(&self, business: &BusinessHandle, id: PersonId) -> Result<(Person, Membership)> {
        let membership = business.read(|store| store.get(&keys::membership(business.id, id))).await?;
        let membership: Membership = membership.ok_or(Refusal::NotFound(Named::Person))?;
        let person = self.person(id).await?.ok_or_else(no_account)?;
        Ok((person, membership))
    }

    /// Changes a membership and, if `account` is given, the account. Only the operator may change the account.
    pub async fn patch_member(
        &self,
        business: &BusinessHandle,
        request: Request,
        (id, patch, account): (PersonId, MembershipPatch, Option<AccountPatch>),
    ) -> Result<Answer<PersonView>> {
        if let Some(answer) = business.remembered::<PatchMember>(&request).await? {
            return Ok(answer);
        }
        let (before, _) = self.member(business, id).await?;
        let mut person = before.clone();
        if let Some(account) = account {
            if request.actor != Actor::Operator {
                return Err(Refusal::NotAllowed(Denied::NameOfAnother).into());
            }
            // The change to the membership is checked before the account is written. So a refused request changes
            // neither the account nor the membership.
            let unchanged = PatchMember { before: before.clone(), person: before.clone(), patch };
            business.check(&request, unchanged).await?;
            let action =
                if account.name.is_some() { AuditAction::PersonRenamed } else { AuditAction::PersonChanged };
            person = self.change_account(id, (request.actor, action), account).await?;
        }
        business.change(request, PatchMember { before, person, patch }).await
    }

    pub async fn change_own(&self, id: PersonId, account: AccountPatch) -> Result<Person> {
        self.change_account(id, (Actor::Person(id), AuditAction::PersonChanged), account).await
    }

    async fn change_account(
        &self,
        id: PersonId,
        (by, action): (Actor, AuditAction),
        account: AccountPatch,
    ) -> Result<Person> {
        self.change(id, (by, action, Weight::Grows), move |person, now| {
            account.apply(person, now);
            Ok(person.clone())
        })
        .await
    }
}

fn no_account() -> StoreError {
    StoreError::damaged("membership", "the person of the membership is missing")
}

impl std::fmt::Debug for People {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("People")
    }
}
