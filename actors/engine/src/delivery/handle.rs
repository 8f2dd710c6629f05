//! The interface to endpoints and their deliveries. `log` has the delivery log, `trial` the tests of an
//! endpoint.

use domain::{EventId, Named, Refusal, UrlRefusal, WebhookEndpoint, WebhookId, WebhookUrl};
use net::{Asker, GuardError};
use store::{Weight, keys};

use super::key::EndpointKey;
use super::message::{Message, Resend, Resending};
use super::service::Deliveries;
use super::signature::reveal;
use crate::business::{BusinessHandle, Page, PageRequest};
use crate::error::EngineError;

impl BusinessHandle {
    pub(super) fn endpoint_key(&self, endpoint: WebhookId) -> EndpointKey {
        EndpointKey { business: self.id, endpoint }
    }

    /// Sends an event again with the same id and bytes on a new schedule.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; [`Refusal::Conflict`] while the delivery waits, the endpoint is disabled or the
    /// budget of waiting deliveries is full.
    pub async fn resend(&self, endpoint: WebhookId, event: EventId) -> Result<(), EngineError> {
        self.ask_delivery(endpoint, Resend::One(event)).await.map(drop)
    }

    /// Sends every missed and failed event of an enabled endpoint again, within the budget of waiting
    /// deliveries. Returns their number.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; [`Refusal::Conflict`] while the endpoint is disabled.
    pub async fn resend_missed(&self, endpoint: WebhookId) -> Result<u64, EngineError> {
        self.ask_delivery(endpoint, Resend::Missed(keys::deliveries(self.id, endpoint))).await
    }

    async fn ask_delivery(&self, endpoint: WebhookId, what: Resend) -> Result<u64, EngineError> {
        self.webhook(endpoint).await?.ok_or(Refusal::NotFound(Named::Webhook))?;
        self.shared().store.check_room(Weight::Grows)?;
        let permit = self.shared().permit()?;
        let message = |reply| Message::Resend(Box::new(Resending { what, resent: 0, reply }));
        let key = self.endpoint_key(endpoint);
        let asked = self.businesses.deliveries.directory.call((key, permit, None), message).await;
        self.shared().check_business(self.id)?; // setting the business aside ends the actor
        asked
    }

    /// Resolves a webhook's host and refuses it unless every address is public.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the path `url`, which never names the address; [`EngineError::Overloaded`]
    /// with too many lookups or another local shortage.
    pub async fn check_webhook_url(&self, url: &WebhookUrl) -> Result<(), EngineError> {
        let Deliveries { saves, client, .. } = &*self.businesses.deliveries;
        let _permit = saves.take(self.id).ok_or(EngineError::Overloaded)?;
        match client.guard().check(url, Asker::Save).await {
            Ok(_) => Ok(()),
            Err(GuardError::Short(_) | GuardError::Out(_)) => Err(EngineError::Overloaded),
            Err(_) => Err(Refusal::invalid("url", UrlRefusal::NotPublic).into()),
        }
    }

    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookEndpoint>, EngineError> {
        self.read(|store| store.get(&keys::webhook(self.id, id))).await
    }

    pub async fn webhooks(&self, page: &PageRequest) -> Result<Page<WebhookEndpoint>, EngineError> {
        self.all(page).await
    }

    /// Replaces the secret of an endpoint and shows the new one. The old secret stops working immediately. A
    /// repeat of the same request shows nothing, because the secret is not remembered.
    pub async fn rotate_secret(
        &self,
        id: WebhookId,
        request: crate::business::Request,
    ) -> Result<Option<String>, EngineError> {
        let secret = domain::WebhookSecret::new(self.shared().ports.random_bytes());
        let rotate = crate::business::commands::webhooks::RotateSecret { id, secret };
        let answer = self.change(request, rotate).await?;
        Ok((!answer.replayed).then(|| reveal(&secret)))
    }
}
