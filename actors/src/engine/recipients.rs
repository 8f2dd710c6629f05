//! Who gets a mail: the accounts and memberships as they are when it is made.
//!
//! What always holds: of a business only who belongs to it gets mail; a link is made only where it can lead somewhere.

use std::sync::{Arc, Weak};

use crate::business::BusinessHandle;
use crate::domain::{LinkKind, Mail, MailKind, Membership, MembershipStatus};
use crate::error::EngineError;
use crate::mail::letter::{Link, Recipient, Recipients};
use crate::people::{NewLink, People};
use crate::ports::BoxFuture;
use crate::shared::Shared;

/// The people of the engine.
pub(super) struct Accounts(pub(super) Weak<Shared>);

impl Recipients for Accounts {
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, String>> {
        Box::pin(async move {
            let Some(shared) = self.0.upgrade() else { return Err("the engine has ended".into()) };
            let people = People { shared };
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
    let of = mail.business_id.map(|id| BusinessHandle { shared: Arc::clone(&people.shared), id });
    let person = match &of {
        Some(business) => {
            let (person, membership) = people.member(business, mail.person_id).await?;
            Some(person).filter(|_| may_get(mail.kind, &membership))
        }
        None => people.person(mail.person_id).await?,
    };
    let Some(person) = person else { return Ok(None) };
    let link = if mail.kind.has_link() {
        let Some(link) = new_link(people, mail, of.as_ref()).await? else { return Ok(None) };
        let expires_at = link.expires_at;
        people.link_url(&link.token).map(|url| Link { url, expires_at })
    } else {
        None
    };
    Ok(Some(Recipient { address: person.email, name: person.name, locale: person.locale, link }))
}

/// Whether a mail of this kind is for somebody who belongs so: one who has not accepted yet gets links alone.
fn may_get(kind: MailKind, membership: &Membership) -> bool {
    if kind.has_link() { membership.status != MembershipStatus::Disabled } else { membership.is_active() }
}

/// The link that is made for a mail; nothing where nobody asks for it any more.
async fn new_link(
    people: &People,
    mail: &Mail,
    of: Option<&BusinessHandle>,
) -> Result<Option<NewLink>, EngineError> {
    let kind = match mail.kind {
        MailKind::Invitation => LinkKind::Invitation,
        MailKind::Reset => LinkKind::Reset,
        _ => {
            let Some(to) = &mail.to else { return Ok(None) };
            return people.mail_email_link(mail.person_id, to).await;
        }
    };
    people.mail_link(mail.person_id, Some(kind), of).await.map(Some)
}
