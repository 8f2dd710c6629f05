//! Memberships that are offered, as their person answers them: in a session, or by a link that came with the offer.
//!
//! What always holds: what a link was to accept and could not (the business is suspended, or had too much to do) is still
//! on offer, and is accepted in the session that the link led to, confirmed or not.

use domain::{Actor, BusinessId, Denied, Person, PersonId, Refusal, Timestamp};

use super::handle::People;
use super::token::Token;
use crate::business::commands::offers::{AcceptMembership, DeclineMembership};
use crate::business::{BusinessHandle, Request};
use crate::error::EngineError;

impl People {
    /// Accepts the membership that is offered to whoever is signed in by a token.
    ///
    /// # Errors
    /// [`Refusal::Expired`] where the session has ended, or the refusal, or the engine's failure.
    pub async fn accept(&self, business: &BusinessHandle, token: &Token) -> Result<(), EngineError> {
        let (person, by_link) = self.offered(business, token).await?;
        let request = Request::by(Actor::Person(person.id));
        business.change(request, AcceptMembership { person, by_link }).await.map(drop)
    }

    /// Declines it: the membership is gone.
    ///
    /// # Errors
    /// As for [`Self::accept`]; [`Refusal::Conflict`] where it was accepted, or taken away for a while.
    pub async fn decline(&self, business: &BusinessHandle, token: &Token) -> Result<(), EngineError> {
        let (person, by_link) = self.offered(business, token).await?;
        let request = Request::by(Actor::Person(person.id));
        business.change(request, DeclineMembership { person, by_link }).await.map(drop)
    }

    /// Who is signed in by a token; and since when, where a link that came from this business has led there.
    async fn offered(
        &self,
        business: &BusinessHandle,
        token: &Token,
    ) -> Result<(Person, Option<Timestamp>), EngineError> {
        let signed_in = self.session(token).await?.ok_or(Refusal::Expired)?;
        let session = signed_in.session;
        if session.restricted {
            return Err(Refusal::NotAllowed(Denied::RestrictedSession).into());
        }
        let by_link = session.business_id.filter(|of| *of == business.id).map(|_| session.created_at);
        Ok((self.member(business, signed_in.person.id).await?.0, by_link))
    }

    /// Accepts the membership that a link came from, as far as it is still offered. Whoever used the link is in all the
    /// same: what cannot be accepted just now is still on offer.
    pub(super) async fn accept_by_link(&self, id: PersonId, business: BusinessId, since: Timestamp) {
        let business = BusinessHandle::new(&self.shared, business);
        let accepted = async {
            let (person, _) = self.member(&business, id).await?;
            let change = AcceptMembership { person, by_link: Some(since) };
            business.change(Request::by(Actor::Person(id)), change).await
        };
        match accepted.await {
            // The membership, or the business, is no more; or it is read-only just now.
            Err(EngineError::Refused(_) | EngineError::NotFound | EngineError::Suspended) | Ok(_) => {}
            Err(error) => tracing::warn!(
                person.id = %id, business.id = %business.id, %error,
                "a membership could not be accepted by its link, and is still on offer"
            ),
        }
    }
}
