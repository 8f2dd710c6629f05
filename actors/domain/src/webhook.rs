//! Webhook endpoints and the deliveries of events.
//!
//! Disabling an endpoint starts a new *epoch*. A waiting delivery belongs to the epoch in which it was
//! scheduled, and counts as missed in later epochs. So disabling an endpoint writes only the endpoint, and no
//! deliveries.

use chrono::TimeDelta;

use super::words::words;
use super::{AttemptError, EventId, Timestamp, WebhookId, WebhookUrl};

pub const ENDPOINTS_MAX: usize = 25;
/// The maximum number of attempts that a delivery lists. Older attempts are removed. The nine attempts of the first
/// schedule and the nine attempts of a resend fit.
pub const ATTEMPTS_KEPT: usize = 18;
/// The team gets an alert when an endpoint has been failing for this long.
pub const FAILING_ALERT_AFTER: TimeDelta = TimeDelta::hours(1);

words! {
    EventType {
        CallCompleted = "call.completed",
        /// An appointment was confirmed for the first time.
        AppointmentBooked = "appointment.booked",
        AppointmentRescheduled = "appointment.rescheduled",
        /// An appointment was cancelled or declined after its `appointment.booked` event was sent.
        AppointmentCancelled = "appointment.cancelled",
        MessageTaken = "message.taken",
        ContactCreated = "contact.created",
    }

    WebhookStatus {
        Enabled = "enabled",
        Disabled = "disabled",
    }

    DisabledReason {
        /// All attempts to deliver an event failed, and no other delivery succeeded meanwhile.
        Failures = "failures",
        Api = "api",
        Operator = "operator",
    }

    DeliveryStatus {
        Pending = "pending",
        Delivered = "delivered",
        Failed = "failed",
        Missed = "missed",
    }
}

/// A set of event types, stored as one bit per type in the order of [`EventType::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventTypes(u8);

const _: () = assert!(EventType::ALL.len() <= u8::BITS as usize, "each event type must have a bit");

impl EventTypes {
    pub fn all() -> Self {
        EventType::ALL.iter().copied().collect()
    }

    pub fn contains(self, event: EventType) -> bool {
        self.0 & (1 << event as u8) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = EventType> {
        EventType::ALL.iter().copied().filter(move |event| self.contains(*event))
    }

    pub fn bits(self) -> u8 {
        self.0
    }

    /// Creates a set from its bits. Returns `None` if a bit is unknown.
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits & !Self::all().0 == 0).then_some(Self(bits))
    }
}

impl FromIterator<EventType> for EventTypes {
    fn from_iter<I: IntoIterator<Item = EventType>>(events: I) -> Self {
        Self(events.into_iter().fold(0, |bits, event| bits | 1 << event as u8))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    pub id: WebhookId,
    pub url: WebhookUrl,
    pub events: EventTypes,
    pub description: String,
    pub status: WebhookStatus,
    pub disabled_reason: Option<DisabledReason>,
    pub disabled_at: Option<Timestamp>,
    /// The number of times that the endpoint was disabled.
    pub epoch: u32,
    pub secret: WebhookSecret,
    /// The start of the outage about which the team got an alert ([`Failing::since`]).
    pub alerted_of: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl WebhookEndpoint {
    /// Disables an enabled endpoint. Its waiting deliveries then count as missed.
    pub fn disable(&mut self, reason: DisabledReason, at: Timestamp) {
        if self.status == WebhookStatus::Enabled {
            self.epoch += 1;
            self.status = WebhookStatus::Disabled;
            self.disabled_reason = Some(reason);
            self.disabled_at = Some(at);
        }
    }

    /// Enables the endpoint. Missed deliveries stay missed until they are sent again.
    pub fn enable(&mut self) {
        self.status = WebhookStatus::Enabled;
        self.disabled_reason = None;
        self.disabled_at = None;
    }

    pub fn is_enabled(&self) -> bool {
        self.status == WebhookStatus::Enabled
    }
}

/// An outage of an endpoint: an attempt has failed, and no attempt has succeeded since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The time of the first failed attempt.
    pub since: Timestamp,
    /// The same moment as `since`, by the clock of delivery schedules.
    pub steady: Timestamp,
}

impl Failing {
    /// Returns the time at which the team gets an alert, on the clock of delivery schedules.
    pub fn alert_at(self) -> Timestamp {
        self.steady + FAILING_ALERT_AFTER
    }
}

/// A finished attempt of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempted {
    pub at: Timestamp,
    pub status: Option<u16>,
    pub error: Option<AttemptError>,
    pub duration_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub event_id: EventId,
    pub event: EventType,
    /// The stored status. [`Delivery::status_in`] also considers the endpoint's epoch.
    pub status: DeliveryStatus,
    pub epoch: u32,
    pub attempts: u32,
    /// The number of successful deliveries to the endpoint before this delivery's first attempt.
    pub reached_before: Option<u64>,
    pub last_response_status: Option<u16>,
    pub last_response_body: Option<String>,
    pub last_error: Option<AttemptError>,
    pub last_attempt_at: Option<Timestamp>,
    pub next_attempt_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// The newest [`ATTEMPTS_KEPT`] attempts, oldest first, including attempts before the event was resent. It is empty
    /// for deliveries that older versions have stored.
    pub tried: Vec<Attempted>,
}

impl Delivery {
    /// Creates a delivery. `at` is the time of the event, and `now` is the current time by the clock of delivery
    /// schedules. If the endpoint is enabled, the delivery is due at `now`. Otherwise the delivery is missed.
    pub fn of_event(
        event_id: EventId,
        event: EventType,
        endpoint: &WebhookEndpoint,
        (at, now): (Timestamp, Timestamp),
    ) -> Self {
        let due = endpoint.is_enabled();
        Self {
            event_id,
            event,
            status: if due { DeliveryStatus::Pending } else { DeliveryStatus::Missed },
            epoch: endpoint.epoch,
            attempts: 0,
            reached_before: None,
            last_response_status: None,
            last_response_body: None,
            last_error: None,
            last_attempt_at: None,
            next_attempt_at: due.then_some(now),
            created_at: at,
            tried: Vec::new(),
        }
    }

    #[must_use]
    pub fn missed(self) -> Self {
        Self { status: DeliveryStatus::Missed, next_attempt_at: None, ..self }
    }

    /// True if no attempt is pending or planned and no response body is stored.
    pub fn is_clean(&self) -> bool {
        self.status != DeliveryStatus::Pending
            && self.next_attempt_at.is_none()
            && self.last_response_body.is_none()
    }

    #[must_use]
    pub fn cleaned(&self) -> Self {
        let waits = self.status == DeliveryStatus::Pending;
        Self {
            status: if waits { DeliveryStatus::Missed } else { self.status },
            last_response_body: None,
            next_attempt_at: None,
            ..self.clone()
        }
    }

    pub fn status_in(&self, epoch: u32) -> DeliveryStatus {
        match self.status {
            DeliveryStatus::Pending if self.epoch < epoch => DeliveryStatus::Missed,
            status => status,
        }
    }

    #[must_use]
    pub fn again(&self, epoch: u32, at: Timestamp) -> Self {
        Self {
            status: DeliveryStatus::Pending,
            epoch,
            attempts: 0,
            reached_before: None,
            next_attempt_at: Some(at),
            ..self.clone()
        }
    }
}
