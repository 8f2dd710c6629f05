//! Who gets a mail: the accounts and memberships as they are when it is made.
//!
//! What always holds: of a business only who belongs to it gets mail; a link is made only where it can lead somewhere.

use std::sync::Weak;

use domain::{LinkKind, Mail, MailKind, Membership, MembershipStatus, Person, Role};
use ports::BoxFuture;

use crate::business::BusinessHandle;
use crate::error::EngineError;
use crate::mail::letter::{Link, Recipient, Recipients};
use crate::people::{NewLink, People};
use crate::shared::Shared;

/// The people of the engine.
pub(super) struct Accounts(pub(super) Weak<Shared>);

impl Recipients for Accounts {
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, String>> {
        Box::pin(async move {
            let Some(shared) = self.0.upgrade() else { return Err("the engine has ended".into()) };
            let people = People::new(&shared);
            if mail.kind.has_link() && !people.has_public_url() {
                return Err("people reach the service nowhere, so no link can be made".into());
            }
            match find(&people, mail).await {
                Ok(found) => Ok(found),
                // The account or the membership is no more, or is not to get such a link any more.
                Err(EngineError::NotFound | EngineError::Refused(_)) => Ok(None),
                Err(error) => Err(error.to_string()),
            }
        })
    }
}

async fn find(people: &People, mail: &Mail) -> Result<Option<Recipient>, EngineError> {
    let Some((mut person, mut role)) = who(people, mail).await? else { return Ok(None) };
    let mut link = None;
    if mail.kind.has_link() {
        let Some(made) = new_link(people, mail).await? else { return Ok(None) };
        // Looked at again: the link is answered behind all that was decided before it, and what is decided later about the
        // address ends the link. So none goes where the person was before.
        let Some(now) = who(people, mail).await? else { return Ok(None) };
        (person, role) = now;
        let expires_at = made.expires_at;
        link = people.link_url(&made.token).map(|url| Link { url, expires_at });
    }
    Ok(Some(Recipient { address: person.email, name: person.name, locale: person.locale, role, link }))
}

/// Whose it is, and what they are in its business; nobody where it is not for them any more.
async fn who(people: &People, mail: &Mail) -> Result<Option<(Person, Option<Role>)>, EngineError> {
    let Some(id) = mail.business_id else {
        return Ok(people.person(mail.person_id).await?.map(|person| (person, None)));
    };
    let business = BusinessHandle::new(&people.shared, id);
    let (person, membership) = people.member(&business, mail.person_id).await?;
    let is_theirs = may_get(mail.kind, &membership) && membership.is_for(&person);
    Ok(is_theirs.then_some((person, Some(membership.role))))
}

/// Whether a mail of this kind is for somebody who belongs so: one who has not accepted yet gets what leads there
/// alone, and what is offered is offered until it is accepted.
fn may_get(kind: MailKind, membership: &Membership) -> bool {
    match kind {
        MailKind::Offer => membership.status == MembershipStatus::Invited,
        kind if kind.has_link() => membership.status != MembershipStatus::Disabled,
        _ => membership.is_active(),
    }
}

/// The link that is made for a mail; nothing where nobody asks for it any more.
async fn new_link(people: &People, mail: &Mail) -> Result<Option<NewLink>, EngineError> {
    let kind = match mail.kind {
        MailKind::Invitation => Some(LinkKind::Invitation),
        // Who has no password yet gets the first one by it.
        MailKind::Reset => None,
        _ => return people.mail_email_link(mail).await,
    };
    people.mail_link(mail, kind).await
}
