//! Endpoint tests: one immediate signed attempt with a sample event. A test leaves no rows.

use domain::{EventId, EventType, Named, Refusal, WebhookId};
use net::Rest;
use view::TestView;

use super::post::signed;
use super::sample::sample;
use super::schedule::AttemptResult;
use super::target::{Suspended, Target};
use crate::business::BusinessHandle;
use crate::error::EngineError;

#[derive(Clone)]
pub struct WebhookTrial {
    pub shown: TestView,
    pub url: String,
    /// The sent headers without `host`, `user-agent` and `content-length`.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The first KiB of the response, if there was one.
    pub response_body: Option<String>,
}

/// The signature, and the URL's path, which may contain a secret of the receiver, are not logged.
impl std::fmt::Debug for WebhookTrial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookTrial").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl BusinessHandle {
    /// Makes one signed attempt with a sample, for any status of the endpoint. It leaves no rows.
    ///
    /// # Errors
    /// [`Refusal::NotFound`]; [`EngineError::Overloaded`] with too many concurrent tests;
    /// [`EngineError::Suspended`].
    pub async fn test_webhook(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<TestView, EngineError> {
        let _permit = self.businesses.deliveries.tests.take(self.id).ok_or(EngineError::Overloaded)?;
        Ok(self.attempt_sample(id, event).await?.0.shown)
    }

    /// Like [`Self::test_webhook`], with the request and the beginning of the response.
    pub async fn try_webhook(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<WebhookTrial, EngineError> {
        let _permit = self.businesses.deliveries.tests.take(self.id).ok_or(EngineError::Overloaded)?;
        let (mut trial, rest) = self.attempt_sample(id, event).await?;
        if let Some(rest) = rest {
            trial.response_body = Some(self.businesses.deliveries.client.body(rest).await);
        }
        Ok(trial)
    }

    async fn attempt_sample(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<(WebhookTrial, Option<Rest>), EngineError> {
        let timezone = self.business().await?.zone.name();
        // The target is read last and without a wait, so that the newest acknowledged secret is used for the
        // signature.
        let target = Target::read(&self.shared().store, self.endpoint_key(id), &Suspended::default())?;
        let target = target.ok_or(Refusal::NotFound(Named::Webhook))?;
        if target.suspended {
            return Err(EngineError::Suspended);
        }
        let endpoint = target.endpoint;
        let event = event.or_else(|| endpoint.events.iter().next()).unwrap_or(EventType::AppointmentBooked);
        let now = self.now();
        let event_id: EventId = self.shared().mint_id(now);
        let body = view::event(event_id, event, now, self.id, &sample(event, now, timezone));
        let started = tokio::time::Instant::now();
        let (post, _) = signed(self.shared(), &endpoint, &event_id.to_string(), body.clone(), true);
        let headers = post.headers.clone();
        let (attempt, rest) = self.businesses.deliveries.client.post(post).await;
        let result = AttemptResult::from(attempt);
        let shown = TestView {
            event_id,
            kind: event,
            delivered: result.delivered,
            response_status: result.response_status,
            error: result.error,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        Ok((
            WebhookTrial { shown, url: endpoint.url.as_str().to_owned(), headers, body, response_body: None },
            rest,
        ))
    }
}
