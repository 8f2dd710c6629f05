//! Webhook endpoints and the deliveries of events to them (spec §3, §6).
//!
//! An endpoint that is turned off starts a new *epoch*. A delivery that waits belongs to the epoch in which it was
//! scheduled; one of an earlier epoch was missed. So turning off touches the endpoint alone, however much waits.

use super::words::words;
use super::{AttemptError, EventId, EventType, Timestamp, WebhookId};

/// How many endpoints a business may have.
pub const ENDPOINTS_MAX: usize = 25;

words! {
    /// Whether an endpoint is sent events.
    WebhookStatus {
        /// It is.
        Enabled = "enabled",
        /// It is not.
        Disabled = "disabled",
    }
}

words! {
    /// Why an endpoint is disabled.
    DisabledReason {
        /// An event failed all its attempts while nothing reached the endpoint.
        Failures = "failures",
        /// An integration disabled it.
        Api = "api",
        /// The operator disabled it.
        Operator = "operator",
    }
}

words! {
    /// Where a delivery stands.
    DeliveryStatus {
        /// An attempt is due or under way.
        Pending = "pending",
        /// The receiver took it.
        Delivered = "delivered",
        /// Every attempt failed.
        Failed = "failed",
        /// The endpoint was off.
        Missed = "missed",
    }
}

/// The types of events an endpoint is sent, one bit each in the order of [`EventType::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventTypes(u8);

const _: () = assert!(EventType::ALL.len() <= u8::BITS as usize, "every type has a bit");

impl EventTypes {
    /// Every type there is.
    pub fn all() -> Self {
        EventType::ALL.iter().copied().collect()
    }

    /// Whether the type is among them.
    pub fn contains(self, event: EventType) -> bool {
        self.0 & (1 << event as u8) != 0
    }

    /// The types in the order of the specification.
    pub fn iter(self) -> impl Iterator<Item = EventType> {
        EventType::ALL.iter().copied().filter(move |event| self.contains(*event))
    }

    /// The set as bits, for the store.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The set with these bits; `None` when one of them is no type.
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits & !Self::all().0 == 0).then_some(Self(bits))
    }
}

impl FromIterator<EventType> for EventTypes {
    fn from_iter<I: IntoIterator<Item = EventType>>(events: I) -> Self {
        Self(events.into_iter().fold(0, |bits, event| bits | 1 << event as u8))
    }
}

/// The key that deliveries to an endpoint are signed with; it never shows itself in a log.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// The secret of these random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key's bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

/// An HTTPS endpoint that a business's events are sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// Its id.
    pub id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// Which events.
    pub events: EventTypes,
    /// What it is for; empty when nobody said.
    pub description: String,
    /// Whether it is sent events.
    pub status: WebhookStatus,
    /// Why it is disabled, while it is.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when it is disabled, while it is.
    pub disabled_at: Option<Timestamp>,
    /// How often it has been turned off.
    pub epoch: u32,
    /// What its deliveries are signed with.
    pub secret: WebhookSecret,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl WebhookEndpoint {
    /// Turns it off: what waits is missed from now on.
    pub fn disable(&mut self, reason: DisabledReason, at: Timestamp) {
        if self.status == WebhookStatus::Enabled {
            self.epoch += 1;
            self.status = WebhookStatus::Disabled;
            self.disabled_reason = Some(reason);
            self.disabled_at = Some(at);
        }
    }

    /// Turns it on again. What it missed stays missed until it is resent.
    pub fn enable(&mut self) {
        self.status = WebhookStatus::Enabled;
        self.disabled_reason = None;
        self.disabled_at = None;
    }

    /// Whether it is on.
    pub fn is_enabled(&self) -> bool {
        self.status == WebhookStatus::Enabled
    }
}

/// The delivery of one event to one endpoint, and what came of it so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The event.
    pub event_id: EventId,
    /// Its type.
    pub event: EventType,
    /// Where it stands, but for the endpoint's epoch: see [`Delivery::status_in`].
    pub status: DeliveryStatus,
    /// The endpoint's epoch in which it was scheduled.
    pub epoch: u32,
    /// How many attempts of the present schedule have ended.
    pub attempts: u32,
    /// How often anything had reached the endpoint when the first attempt began; `None` before that.
    pub reached_before: Option<u64>,
    /// The status of the newest answer.
    pub last_response_status: Option<u16>,
    /// The first KiB of the newest answer.
    pub last_response_body: Option<String>,
    /// Why the newest attempt failed.
    pub last_error: Option<AttemptError>,
    /// When the newest attempt began.
    pub last_attempt_at: Option<Timestamp>,
    /// When the next attempt is due, while one is.
    pub next_attempt_at: Option<Timestamp>,
    /// When the event happened.
    pub created_at: Timestamp,
}

impl Delivery {
    /// The delivery of an event that happened at `at`: due at once, which is at `now` on the clock of schedules, or
    /// missed while the endpoint is off.
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
        }
    }

    /// The same, but never sent unless that is asked for: more waits already than may.
    #[must_use]
    pub fn missed(self) -> Self {
        Self { status: DeliveryStatus::Missed, next_attempt_at: None, ..self }
    }

    /// Whether it is at its end, in every epoch, and nothing is left of what was answered.
    pub fn is_clean(&self) -> bool {
        self.status != DeliveryStatus::Pending
            && self.next_attempt_at.is_none()
            && self.last_response_body.is_none()
    }

    /// The same without what was answered; where it waited it is missed.
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

    /// Where it stands at an endpoint of this epoch.
    pub fn status_in(&self, epoch: u32) -> DeliveryStatus {
        match self.status {
            DeliveryStatus::Pending if self.epoch < epoch => DeliveryStatus::Missed,
            status => status,
        }
    }

    /// The same event again, with a new schedule that starts at once.
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
