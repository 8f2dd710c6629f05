//! Tests of endpoints. A test makes one immediate, signed attempt with a sample event and writes no rows.

use chrono::TimeDelta;
use domain::{
    AppointmentStatus, Buffers, CalendarSyncStatus, CallOutcome, CallStatus, Direction, EventId, EventType,
    Locale, MessageStatus, Named, Refusal, Source, Timestamp, Urgency, WebhookId,
};
use net::{Outcome, Rest};
use uuid::Uuid;
use view::{AppointmentView, CallView, ContactView, MessageView, TestView, render};

use super::signature::signed;
use super::state::Target;
use crate::business::BusinessHandle;
use crate::error::EngineError;

#[derive(Clone)]
pub struct WebhookTrial {
    pub shown: TestView,
    pub url: String,
    /// The sent headers without `host`, `user-agent` and `content-length`.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The first KiB of the response body, if a response arrived.
    pub response_body: Option<String>,
}

/// The signature and the URL's path are not logged. The path may contain a secret of the receiver.
impl std::fmt::Debug for WebhookTrial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookTrial").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl BusinessHandle {
    /// Makes one signed attempt with a sample event, even if the endpoint is disabled. Fails with
    /// [`EngineError::Overloaded`] if too many tests run.
    pub async fn test_webhook(
        &self,
        id: WebhookId,
        event: Option<EventType>,
    ) -> Result<TestView, EngineError> {
        let _permit = self.businesses.deliveries.tests.take(self.id).ok_or(EngineError::Overloaded)?;
        Ok(self.attempt_sample(id, event).await?.0.shown)
    }

    /// Like [`Self::test_webhook`], but also returns the request and the beginning of the response.
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
        // The request is signed immediately after this read, so it is signed with the newest secret.
        let target = Target::read(&self.shared().store, self.endpoint_key(id))?;
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
        let shown = TestView {
            event_id,
            kind: event,
            delivered: attempt.outcome == Outcome::Delivered,
            response_status: attempt.status,
            error: attempt.error,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let url = endpoint.url.as_str().to_owned();
        Ok((WebhookTrial { shown, url, headers, body, response_body: None }, rest))
    }
}

pub(crate) fn sample(event: EventType, now: Timestamp, timezone: &'static str) -> Vec<u8> {
    // The ids are the same each time. Their zeros distinguish them from real ids.
    let id = |number: u128| Uuid::from_u128(0x7000_8000_0000_0000_0000 | number);
    let (name, phone) = (Some("Ada Lovelace".to_owned()), Some("+33612345680".to_owned()));
    let status = match event {
        EventType::AppointmentCancelled => AppointmentStatus::Cancelled,
        _ => AppointmentStatus::Confirmed,
    };
    match event {
        EventType::AppointmentBooked
        | EventType::AppointmentRescheduled
        | EventType::AppointmentCancelled => render(&AppointmentView {
            id: id(1).into(),
            status,
            starts_at: now + TimeDelta::days(1),
            ends_at: now + TimeDelta::days(1) + TimeDelta::minutes(30),
            timezone: timezone.into(),
            service_id: id(2).into(),
            service_name: "Sample service".into(),
            staff_id: id(3).into(),
            staff_name: "Sample staff member".into(),
            contact_id: Some(id(4).into()),
            contact_name: name,
            contact_phone: phone,
            source: Source::Api,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            buffers: Buffers::default(),
            attendance: None,
            created_at: now,
            updated_at: now,
        }),
        EventType::CallCompleted => render(&CallView {
            id: id(5).into(),
            direction: Direction::Inbound,
            status: CallStatus::Completed,
            outcome: CallOutcome::QuestionAnswered,
            from_number: phone,
            to_number: None,
            contact_id: Some(id(4).into()),
            contact_name: name,
            started_at: now - TimeDelta::minutes(2),
            ended_at: now,
            duration_seconds: 120,
            locale: Some(Locale::En),
            summary: Some("A sample call: the caller asked for the opening hours.".into()),
            recording_url: None,
            appointment_id: None,
            message_id: None,
            created_at: now,
            updated_at: now,
        }),
        EventType::MessageTaken => render(&MessageView {
            id: id(6).into(),
            call_id: Some(id(5).into()),
            contact_id: Some(id(4).into()),
            caller_name: name,
            caller_phone: phone,
            body: "A sample message: please call back.".into(),
            urgency: Urgency::Normal,
            staff_id: None,
            status: MessageStatus::New,
            created_at: now,
            updated_at: now,
        }),
        EventType::ContactCreated => render(&ContactView {
            id: id(4).into(),
            name,
            phone,
            email: None,
            locale: Some(Locale::Fr),
            timezone: Some(timezone.into()),
            created_at: now,
            updated_at: now,
        }),
    }
}
