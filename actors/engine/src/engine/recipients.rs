//! Finds the recipients of mails in the accounts and memberships at the time of sending.
//!
//! Invariants:
//! - Only members of a business get the mails to its team.
//! - A link is created only if its recipient can use it.

use std::sync::Weak;

use domain::{
    Actor, BusinessId, LinkKind, Mail, MailError, MailFault, MailKind, Membership, MembershipStatus, Notice,
    Person, Role, fold_address,
};
use ports::BoxFuture;

use crate::business::commands::customers::MintLink;
use crate::business::{BusinessHandle, LINK_KEPT, Request};
use crate::error::{EngineError, Result};
use crate::mail::letter::{Link, Recipient, Recipients};
use crate::mail::recipient;
use crate::people::{NewLink, People, Persons};

pub(super) struct PeopleRecipients(pub(super) Weak<Persons>);

impl Recipients for PeopleRecipients {
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, MailError>> {
        Box::pin(async move {
            let Some(persons) = self.0.upgrade() else { return Err(MailFault::NoRecipient.into()) };
            let people = People::new(&persons);
            let has_link = mail.kind.has_link() || mail.notice.is_some();
            if has_link && !people.has_public_url() {
                return Err(MailFault::NoPublicUrl.into());
            }
            match find(&people, mail).await {
                Ok(found) => Ok(found),
                Err(EngineError::NotFound | EngineError::Refused(_)) => Ok(None),
                Err(error) => {
                    tracing::error!(mail.id = %mail.id, %error, "the recipient of a mail cannot be read");
                    Err(MailFault::NoRecipient.into())
                }
            }
        })
    }
}

async fn find(people: &People, mail: &Mail) -> Result<Option<Recipient>> {
    if let (Some(notice), Some(of)) = (&mail.notice, mail.business_id) {
        return customer(people, of, notice, mail.to.as_deref()).await;
    }
    let Some((mut person, mut role)) = who(people, mail).await? else { return Ok(None) };
    let mut link = None;
    if mail.kind.has_link() {
        let Some(made) = new_link(people, mail).await? else { return Ok(None) };
        // The address is read again after the link was created. A change after this read makes the link
        // invalid, so no valid link is sent to a former address.
        let Some(now) = who(people, mail).await? else { return Ok(None) };
        (person, role) = now;
        let expires_at = made.expires_at;
        link = people.link_url(&made.token).map(|url| Link { url, expires_at });
    }
    Ok(Some(Recipient { address: person.email, name: person.name, locale: person.locale, role, link }))
}

/// The customer of a notice, with a new manage link. The mail is sent to the address `to`. With the link, the customer
/// can unsubscribe this address, even if the contact has another address by now.
async fn customer(
    people: &People,
    of: BusinessId,
    notice: &Notice,
    to: Option<&str>,
) -> Result<Option<Recipient>> {
    let business = BusinessHandle::new(&people.persons.businesses, of);
    let Some((recipient, appointment)) = recipient(&business.shared().store, of, notice)? else {
        return Ok(None);
    };
    let to = Some(fold_address(to.unwrap_or(&recipient.address)));
    let link = MintLink { appointment_id: appointment.id, to };
    let minted = business.change(Request::by(Actor::System), link).await?;
    let expires_at = appointment.ends_at + LINK_KEPT;
    let url = people.public_url().map(|url| format!("{url}/book/manage/{}", minted.value.token));
    Ok(url.map(|url| Recipient { link: Some(Link { url, expires_at }), ..recipient }))
}

/// Returns the person and the role in the business, or `None` if the person may no longer get the mail.
async fn who(people: &People, mail: &Mail) -> Result<Option<(Person, Option<Role>)>> {
    let Some(id) = mail.business_id else {
        return Ok(people.person(mail.person_id).await?.map(|person| (person, None)));
    };
    let business = BusinessHandle::new(&people.persons.businesses, id);
    let (person, membership) = people.member(&business, mail.person_id).await?;
    let is_theirs = may_get(mail.kind, &membership) && membership.is_for(&person);
    Ok(is_theirs.then_some((person, Some(membership.role))))
}

fn may_get(kind: MailKind, membership: &Membership) -> bool {
    match kind {
        MailKind::Offer => membership.status == MembershipStatus::Invited,
        kind if kind.has_link() => membership.status != MembershipStatus::Disabled,
        _ => membership.is_active(),
    }
}

async fn new_link(people: &People, mail: &Mail) -> Result<Option<NewLink>> {
    let kind = match mail.kind {
        MailKind::Invitation => Some(LinkKind::Invitation),
        // `None`: `mail_link` chooses the kind. If the account has no password, it chooses an invitation.
        MailKind::Reset => None,
        _ => return people.mail_email_link(mail).await,
    };
    people.mail_link(mail, kind).await
}
