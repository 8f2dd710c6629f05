//! Acceptance and refusal of offered memberships, in a session or with the link of the offer.
//!
//! Invariant: the use of a link starts a session even if the membership cannot be accepted now, for example because the
//! business is suspended or overloaded. The membership then stays offered, and the person can accept it later in this
//! session.

use domain::{Actor, BusinessId, Denied, Person, PersonId, Refusal, Timestamp};

use super::handle::People;
use super::token::Token;
use crate::business::commands::offers::{AcceptMembership, DeclineMembership};
use crate::business::{BusinessHandle, Request};
use crate::error::{EngineError, Result};

impl People {
    /// Accepts an offered membership. Fails with [`Refusal::Expired`] if the session has ended.
    pub async fn accept(&self, business: &BusinessHandle, token: &Token) -> Result<()> {
        let (person, by_link) = self.offered(business, token).await?;
        let request = Request::by(Actor::Person(person.id));
        business.change(request, AcceptMembership { person, by_link }).await.map(drop)
    }

    /// Declines an offered membership. Fails with the errors of [`Self::accept`], or with [`Refusal::Conflict`] if no
    /// membership is offered.
    pub async fn decline(&self, business: &BusinessHandle, token: &Token) -> Result<()> {
        let (person, by_link) = self.offered(business, token).await?;
        let request = Request::by(Actor::Person(person.id));
        business.change(request, DeclineMembership { person, by_link }).await.map(drop)
    }

    /// Returns the person of the token's session, and the start of the session if the session began with a link of this
    /// business.
    async fn offered(&self, business: &BusinessHandle, token: &Token) -> Result<(Person, Option<Timestamp>)> {
        let signed_in = self.session(token).await?.ok_or(Refusal::Expired)?;
        let session = signed_in.session;
        if session.restricted {
            return Err(Refusal::NotAllowed(Denied::RestrictedSession).into());
        }
        let by_link = session.business_id.filter(|of| *of == business.id).map(|_| session.created_at);
        Ok((self.member(business, signed_in.person.id).await?.0, by_link))
    }

    /// Accepts the membership of a person who used the link of the offer. After a failure, the membership stays
    /// offered.
    pub(super) async fn accept_by_link(&self, id: PersonId, business: BusinessId, since: Timestamp) {
        let business = BusinessHandle::new(&self.persons.businesses, business);
        let accepted = async {
            let (person, _) = self.member(&business, id).await?;
            let change = AcceptMembership { person, by_link: Some(since) };
            business.change(Request::by(Actor::Person(id)), change).await
        };
        match accepted.await {
            // These errors are expected, for example because the membership was deleted or the business is
            // suspended, so they are not logged.
            Err(EngineError::Refused(_) | EngineError::NotFound | EngineError::Suspended) | Ok(_) => {}
            Err(error) => tracing::warn!(
                person.id = %id, business.id = %business.id, %error,
                "a membership could not be accepted by its link; the membership stays offered"
            ),
        }
    }
}
