//! Tests of endpoints: one signed attempt at once with a sample, which leaves no trace.

use domain::{EventId, EventType, Refusal, WebhookId};
use net::Rest;
use view::TestView;

use super::post::signed;
use super::sample::sample;
use super::schedule::AttemptResult;
use super::target::{Suspended, Target};
use crate::business::BusinessHandle;
use crate::error::EngineError;

/// A test of an endpoint as its owner sees it: what was sent, and what came back.
#[derive(Clone)]
pub struct WebhookTrial {
    /// What came of it.
    pub shown: TestView,
    /// Where it was sent to.
    pub url: String,
    /// The headers that were sent, beside `host`, `user-agent` and `content-length`; empty where nothing could be sent.
    pub headers: Vec<(&'static str, String)>,
    /// The body that was sent.
    pub body: Vec<u8>,
    /// The first KiB of the answer, if there was one.
    pub response_body: Option<String>,
}

/// Neither the signature nor the path of the URL, which may be one of the receiver's, shows in a log.
impl std::fmt::Debug for WebhookTrial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookTrial").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl BusinessHandle {
    /// Makes one signed attempt at once with a sample, whatever the endpoint's status; it leaves no trace.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`EngineError::Overloaded`] when too many tests are being made,
    /// [`EngineError::Suspended`], or the store's failure.
    pub async fn test_webhook(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<TestView, EngineError> {
        let _permit = self.shared.tests.take(self.id).ok_or(EngineError::Overloaded)?;
        Ok(self.attempt_sample(id, event).await?.0.shown)
    }

    /// The same, with what was sent and the beginning of what was answered.
    ///
    /// # Errors
    /// As [`Self::test_webhook`].
    pub async fn try_webhook(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<WebhookTrial, EngineError> {
        let _permit = self.shared.tests.take(self.id).ok_or(EngineError::Overloaded)?;
        let (mut trial, rest) = self.attempt_sample(id, event).await?;
        if let Some(rest) = rest {
            trial.response_body = Some(self.shared.webhooks.body(rest).await);
        }
        Ok(trial)
    }

    async fn attempt_sample(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<(WebhookTrial, Option<Rest>), EngineError> {
        let timezone = self.business().await?.zone.name();
        // Last of all, and then nothing is waited for: a new secret that was answered signs.
        let target = Target::read(&self.shared.store, self.endpoint_key(id), &Suspended::default())?;
        let target = target.ok_or(Refusal::NotFound("webhook endpoint"))?;
        if target.suspended {
            return Err(EngineError::Suspended);
        }
        let endpoint = target.endpoint;
        let event = event.or_else(|| endpoint.events.iter().next()).unwrap_or(EventType::AppointmentBooked);
        let now = self.now();
        let event_id: EventId = self.shared.mint_id(now);
        let body = view::event(event_id, event, now, self.id, &sample(event, now, timezone));
        let started = tokio::time::Instant::now();
        let mut headers = Vec::new();
        let made = match signed(&self.shared, &endpoint, &event_id.to_string(), body.clone(), true) {
            Ok((post, _)) => {
                headers.clone_from(&post.headers);
                let (attempt, rest) = self.shared.webhooks.post(post).await;
                (AttemptResult::from(attempt), rest)
            }
            Err(result) => (result, None),
        };
        let (result, rest) = made;
        let shown = TestView {
            event_id,
            kind: event,
            delivered: result.delivered,
            response_status: result.response_status,
            error: result.error,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        Ok((WebhookTrial { shown, url: endpoint.url, headers, body, response_body: None }, rest))
    }
}
