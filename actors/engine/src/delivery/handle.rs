//! What the edges ask of endpoints and their deliveries: to see an endpoint, to send again, another secret. The log stands
//! in `log`, tests of an endpoint in `trial`.

use domain::{EventId, Refusal, UrlRefusal, WebhookEndpoint, WebhookId};
use net::{Asker, GuardError, WebhookUrl};
use store::{Order, Record, Weight, keys};
use tokio::sync::oneshot;

use super::key::EndpointKey;
use super::message::{Message, Resend, Resending};
use super::signature::reveal;
use crate::actor::{Permits, Reply};
use crate::business::{BusinessHandle, Page, PageRequest, collect};
use crate::error::EngineError;

impl BusinessHandle {
    pub(super) fn endpoint_key(&self, endpoint: WebhookId) -> EndpointKey {
        EndpointKey { business: self.id, endpoint }
    }

    /// Sends an event again: the same id and bytes, a new schedule.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; [`Refusal::Conflict`] while it waits, the endpoint is disabled, or as much waits as may.
    pub async fn resend(&self, endpoint: WebhookId, event: EventId) -> Result<(), EngineError> {
        self.ask_delivery(endpoint, Resend::One(event)).await.map(drop)
    }

    /// Sends every missed and failed event of an enabled endpoint again, as far as the budget of what waits has room;
    /// gives how many.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; [`Refusal::Conflict`] while the endpoint is disabled.
    pub async fn resend_missed(&self, endpoint: WebhookId) -> Result<u64, EngineError> {
        self.ask_delivery(endpoint, Resend::Missed(keys::deliveries(self.id, endpoint))).await
    }

    async fn ask_delivery(&self, endpoint: WebhookId, what: Resend) -> Result<u64, EngineError> {
        let asked = self.ask_delivery_actor(endpoint, what).await;
        self.shared.check_business(self.id)?; // setting the business aside ends the actor
        asked
    }

    async fn ask_delivery_actor(&self, endpoint: WebhookId, what: Resend) -> Result<u64, EngineError> {
        self.webhook(endpoint).await?.ok_or(Refusal::NotFound("webhook endpoint"))?;
        self.shared.store.check_room(Weight::Grows)?;
        let engine_permit = self.shared.permit()?;
        let (reply, answer): (Reply<u64>, _) = oneshot::channel();
        let (running, in_use) = self.shared.deliveries.enter(self.endpoint_key(endpoint)).await?;
        let permits = Permits { _engine: engine_permit, _actor: in_use, held: None };
        let resending = Resending { what, resent: 0, reply, _permits: permits };
        running.actor.cast(Message::Resend(Box::new(resending))).map_err(|_| EngineError::Overloaded)?;
        answer.await.map_err(|_| EngineError::Failed)?
    }

    /// Resolves a webhook's address and refuses it unless every address is public.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the path `url`, which never says to which address the name leads;
    /// [`EngineError::Overloaded`] when too many are being resolved, or for another lack of our own.
    pub async fn check_webhook_url(&self, url: &WebhookUrl) -> Result<(), EngineError> {
        let _permit = self.shared.saves.take(self.id).ok_or(EngineError::Overloaded)?;
        match self.shared.webhooks.guard().check(url, Asker::Save).await {
            Ok(_) => Ok(()),
            Err(GuardError::Short(_) | GuardError::Out(_)) => Err(EngineError::Overloaded),
            Err(_) => Err(Refusal::invalid("url", UrlRefusal::NotPublic).into()),
        }
    }

    /// A webhook endpoint, or `None`.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookEndpoint>, EngineError> {
        self.read(|store| store.get(&keys::webhook(self.id, id))).await
    }

    /// The webhook endpoints in the order of their creation.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn webhooks(&self, page: &PageRequest) -> Result<Page<WebhookEndpoint>, EngineError> {
        let range = keys::of_kind(self.id, keys::kind::WEBHOOK);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, value| {
                WebhookEndpoint::decode(value).map(Some)
            })
        })
        .await
    }

    /// Gives an endpoint a new secret and shows it; the old one stops working at once. Where the same request did so
    /// earlier, nothing is shown: the secret is not remembered.
    ///
    /// # Errors
    /// As a change.
    pub async fn rotate_secret(
        &self,
        id: WebhookId,
        request: crate::business::Request,
    ) -> Result<Option<String>, EngineError> {
        let secret = domain::WebhookSecret::new(self.shared.ports.random_bytes());
        let rotate = crate::business::commands::webhooks::RotateSecret { id, secret };
        let answer = self.change(request, rotate).await?;
        Ok((!answer.replayed).then(|| reveal(&secret)))
    }
}
