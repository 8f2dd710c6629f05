//! The model of a webhook endpoint: its states over time, the deliveries that it should get, and the requests that it
//! has received.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{AuditEntry, DeliveryStatus, EventId, WebhookId, WebhookSecret, WebhookStatus};
use engine::business::commands::webhooks::{CreateWebhook, PatchWebhook};
use hmac::{Hmac, Mac};
use serde_json::Value;
use sha2::Sha256;

use crate::model::{Effects, Model, Span};
use crate::network::Received;
use crate::rows::Rows;

/// The maximum duration of an attempt, plus a margin for writes to the disk, in milliseconds.
pub(crate) const ATTEMPT_MILLIS: i64 = 10_500;
/// After an endpoint was disabled or deleted, its attempts end within this many milliseconds. The time begins when the
/// service responds to the request that disables or deletes the endpoint.
const END_MILLIS: i64 = 200;
/// The delay after each failed attempt, in milliseconds.
pub(crate) const RETRY_MILLIS: [i64; 8] =
    [30_000, 120_000, 600_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000];

/// A delivery that an endpoint should get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owed {
    /// Whether the endpoint was enabled at the time of the event. If it was not, the delivery is missed.
    pub(crate) on: bool,
    /// The number of times that the endpoint had been disabled before the event.
    pub(crate) epoch: u32,
    /// An instant of simulated time. The event happened at this instant or later.
    pub(crate) since: i64,
}

/// A state of an endpoint, and the time from which it was valid.
#[derive(Clone, Debug)]
struct Version {
    /// The earliest time at which this state may have begun, in simulated time.
    from: i64,
    /// The latest time at which this state may have begun, in simulated time.
    latest_start: i64,
    on: bool,
    there: bool,
    url: String,
    secret: [u8; 32],
}

#[derive(Debug)]
pub(crate) struct Hook {
    versions: Vec<Version>,
    events: Vec<&'static str>,
    /// The number of times that the endpoint was disabled.
    pub(crate) epoch: u32,
    /// The attempts in this run, by event. Each attempt has the time of its arrival, the text of its timestamp and
    /// signature, and a flag. The flag is true if the attempt certainly got a 2xx response in time.
    attempts: BTreeMap<EventId, Vec<(i64, String, bool)>>,
    /// The time at which the endpoint last sent a 2xx response.
    pub(crate) taken: Option<i64>,
    /// The events to which the endpoint has sent a 2xx response, with the time of the last such response.
    pub(crate) got: BTreeMap<EventId, i64>,
    /// The times at which clients asked to send missed or failed events again.
    pub(crate) resends: Vec<i64>,
}

impl Hook {
    pub(crate) fn new(create: &CreateWebhook, body: &Value, (from, latest_start): (i64, i64)) -> Self {
        let secret = body["secret"].as_str().unwrap().strip_prefix("whsec_").unwrap();
        let version = Version {
            from,
            latest_start,
            on: true,
            there: true,
            url: create.url.as_str().to_owned(),
            secret: BASE64_STANDARD.decode(secret).unwrap().try_into().unwrap(),
        };
        Self {
            versions: vec![version],
            events: create.events.iter().map(|event| event.as_str()).collect(),
            epoch: 0,
            attempts: BTreeMap::new(),
            taken: None,
            got: BTreeMap::new(),
            resends: Vec::new(),
        }
    }

    fn now(&self) -> &Version {
        self.versions.last().unwrap()
    }

    fn next(&mut self, (from, latest_start): (i64, i64)) -> &mut Version {
        let next = Version { from, latest_start, ..self.now().clone() };
        self.versions.push(next);
        self.versions.last_mut().unwrap()
    }

    pub(crate) fn is_on(&self) -> bool {
        self.now().on
    }

    pub(crate) fn is_there(&self) -> bool {
        self.now().there
    }

    /// True if the endpoint should get events of this type.
    pub(crate) fn wants(&self, kind: &str) -> bool {
        self.is_there() && self.events.contains(&kind)
    }

    pub(crate) fn patch(&mut self, patch: &PatchWebhook, body: &Value, window: (i64, i64)) {
        let was_on = self.is_on();
        let next = self.next(window);
        if let Some(url) = &patch.url {
            url.as_str().clone_into(&mut next.url);
        }
        if let Some(status) = patch.status {
            next.on = status == WebhookStatus::Enabled;
        }
        let (on, url) = (next.on, next.url.clone());
        if let Some(events) = patch.events {
            self.events = events.iter().map(|event| event.as_str()).collect();
        }
        self.epoch += u32::from(was_on && !on);
        assert_eq!(body["status"], if on { "enabled" } else { "disabled" });
        assert_eq!(body["url"], url);
    }

    pub(crate) fn rotate(&mut self, secret: &WebhookSecret, window: (i64, i64)) {
        self.next(window).secret = *secret.bytes();
    }

    pub(crate) fn delete(&mut self, window: (i64, i64)) {
        let next = self.next(window);
        (next.on, next.there) = (false, false);
    }

    pub(crate) fn has_url(&self, url: &str) -> bool {
        self.versions.iter().any(|version| version.url == url)
    }

    /// Returns the reason why a request cannot have been meant for this endpoint. Returns `None` if it may have been.
    fn reject(&self, received: &Received) -> Option<String> {
        let mut why = "the endpoint was never enabled with this URL".to_owned();
        for (at, version) in self.versions.iter().enumerate() {
            if version.url != received.url || !(version.there && (version.on || received.test)) {
                continue;
            }
            let until = self.versions.get(at + 1).map_or(i64::MAX, |next| {
                let ends = !next.on && version.on && !received.test;
                next.latest_start + if ends { END_MILLIS } else { ATTEMPT_MILLIS }
            });
            if received.at < version.from || received.at > until {
                why = "the endpoint was enabled with this URL at another time".to_owned();
                continue;
            }
            if sign(&version.secret, received) == received.signature {
                return None;
            }
            why = "the signature does not match the secret at that time".to_owned();
        }
        Some(why)
    }

    /// If the newest attempt of this event in this run of the engine certainly got a 2xx response in time, returns the
    /// time at which the attempt arrived.
    pub(crate) fn got_quickly(&self, event: EventId) -> Option<i64> {
        self.attempts.get(&event)?.last().filter(|(_, _, quick)| *quick).map(|(at, _, _)| *at)
    }

    /// True if the endpoint may have been disabled or deleted at this moment.
    pub(crate) fn was_ended_at(&self, at: i64) -> bool {
        let ended = |version: &Version| {
            !version.on && (version.from..=version.latest_start + END_MILLIS).contains(&at)
        };
        self.versions.iter().any(ended)
    }

    /// Forgets the attempts of the run that has ended, because attempts are only compared within a run.
    pub(crate) fn forget_attempts(&mut self) {
        self.attempts.clear();
    }

    /// Records an attempt. Checks that it did not arrive too early.
    fn attempt(&mut self, event: EventId, received: &Received) {
        let quick = received.status / 100 == 2 && received.status != 204;
        if received.status / 100 == 2 {
            self.taken = Some(received.at);
            self.got.insert(event, received.at);
        }
        let earlier = self.attempts.entry(event).or_default();
        let marks = format!("{} {}", received.stamp, received.signature);
        if let Some((at, known, _)) = earlier.last()
            && *known == marks
            && received.at - *at < ATTEMPT_MILLIS
        {
            return; // this is a second connection of the same attempt
        }
        if let Some((at, _, taken)) = earlier.last() {
            let resent = self.resends.iter().any(|asked| (at - ATTEMPT_MILLIS..=received.at).contains(asked));
            if resent {
                earlier.clear();
            } else {
                assert!(!taken, "{event} was accepted, but was sent to {} again", received.url);
                let made = earlier.len();
                assert!(made <= RETRY_MILLIS.len(), "{event} was attempted too often at {}", received.url);
                let (waited, delay) = (received.at - at, RETRY_MILLIS[made - 1]);
                assert!(
                    waited >= delay,
                    "after {made} attempts, {event} was attempted again after only {waited} ms at {}",
                    received.url
                );
            }
        }
        // If `quick` is true, the receiver has accepted the event, and no further attempt may follow. So the attempt is
        // always recorded. If `quick` is false and the connection was lost, the attempt is not recorded, because the
        // service may start the next attempt without a delay.
        if quick || !received.cut_off {
            earlier.push((received.at, marks, quick));
        }
    }
}

/// Returns the signature that the request must have, according to the Standard Webhooks specification.
fn sign(secret: &[u8; 32], received: &Received) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(format!("{}.{}.{}", received.event, received.stamp, received.body).as_bytes());
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

impl Model {
    /// Checks a request to one of this business's endpoints.
    pub(crate) fn check_received(&mut self, rows: &Rows, received: &Received) {
        let (endpoint, hook) = self
            .hooks
            .iter()
            .map(|(id, hook)| (*id, hook))
            .find(|(_, hook)| hook.has_url(&received.url))
            .expect("an endpoint must have this URL");
        if let Some(why) = hook.reject(received) {
            panic!("{} must not get this request ({why}): {received:?}", received.url);
        }
        // An attempt that began before the business was suspended may arrive during the suspension.
        let (since, until) = (received.at - ATTEMPT_MILLIS, received.at + 1);
        assert!(
            self.suspended_for(since, until) < until - since,
            "a suspended business has sent an event: {received:?}"
        );
        let hook = self.hooks.get_mut(&endpoint).unwrap();
        if received.test {
            return;
        }
        let event: EventId = received.event.parse().unwrap();
        let bytes = rows.events.get(&event);
        let bytes = bytes.unwrap_or_else(|| panic!("{event} was sent but never occurred: {received:?}"));
        assert!(received.body.as_bytes() == bytes, "{event} was sent with other bytes: {}", received.body);
        assert!(
            self.owed.contains_key(&(endpoint, event)),
            "{event} was sent to {endpoint}, which should not get it"
        );
        hook.attempt(event, received);
    }

    /// Replays an audit entry about an endpoint that the service itself has disabled. The service does this when the
    /// endpoint has failed for too long.
    pub(crate) fn replay_turn_off(&mut self, rows: &Rows, entry: &AuditEntry, span: Span) -> Effects {
        assert_eq!(entry.action.as_str(), "webhook.turned_off");
        let id: WebhookId = entry.resource_id.into();
        let hook = self.hooks.get_mut(&id).unwrap();
        assert!(hook.is_on(), "{id} was disabled twice");
        let of_this = |row: &(&(WebhookId, EventId), &domain::Delivery)| {
            row.0.0 == id && row.1.epoch == hook.epoch && row.1.status == DeliveryStatus::Failed
        };
        let resent = hook.resends.iter().any(|asked| *asked >= span.began);
        let failed = rows.deliveries.iter().filter(of_this).any(|(_, delivery)| delivery.attempts == 9);
        assert!(
            failed || resent || !rows.endpoints.contains_key(&id),
            "{id} was disabled although no delivery had failed"
        );
        let from = hook.now().from;
        hook.next((from, span.ended)).on = false;
        hook.epoch += 1;
        if let Some(shown) = self.newest.get_mut(&entry.resource_id) {
            for change in &entry.changes {
                shown[&change.field] = serde_json::from_str(&change.to).unwrap();
            }
            shown["updated_at"] = entry.at.to_string().into();
            assert_eq!(shown["disabled_reason"], "failures");
        }
        Effects::default()
    }
}
