//! An endpoint as the test knows it: the behaviour of its receiver, the changes to its status, and its
//! secrets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::client::{Client, Shop};
use crate::hooks::{Hook, subscribe};
use crate::namespace::Network;
use crate::receiver::{NO, OK, Received, Receiver, Reply, Then, now};

/// How a receiver behaves during a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Accepts every event immediately.
    Takes,
    /// Accepts every event after a delay.
    Slow,
    /// Refuses every event.
    Fails,
    /// Refuses every other event.
    Moody,
    /// Never responds.
    Hangs,
}

const MOODS: [Mood; 5] = [Mood::Takes, Mood::Slow, Mood::Fails, Mood::Moody, Mood::Hangs];

/// A requested change to an endpoint, with the times of request and response.
#[derive(Clone, Debug)]
pub(crate) struct Requested<T> {
    pub(crate) asked: DateTime<Utc>,
    /// The time of the response, or `None` if there was no response. Without a response, the outcome is
    /// unknown.
    pub(crate) answered: Option<DateTime<Utc>>,
    pub(crate) what: T,
}

/// An endpoint and its receiver, over all runs of the program.
pub(crate) struct Endpoint {
    pub(crate) hook: Hook,
    pub(crate) receiver: Arc<Receiver>,
    mood: Arc<AtomicU8>,
    /// All changes to the endpoint's status, in order.
    pub(crate) switches: Mutex<Vec<Requested<bool>>>,
    /// All secrets of the endpoint, in order. A secret is `None` if it was lost together with its response.
    pub(crate) secrets: Mutex<Vec<Requested<Option<String>>>>,
    /// The number of requests to the receiver that the test has already checked.
    pub(crate) checked: Mutex<usize>,
}

impl Endpoint {
    /// Starts a receiver and creates an endpoint for it. The receiver calls `noticed` for every request
    /// before it responds.
    pub(crate) async fn create(
        network: &Network,
        client: &Client,
        shop: &Shop,
        (name, address): (&str, &str),
        noticed: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let mood = Arc::new(AtomicU8::new(0));
        let (minded, number) = (Arc::clone(&mood), AtomicU64::new(0));
        let tls = network.authority.server(name);
        let receiver = Receiver::start(&format!("{address}:443"), tls, move |_| {
            noticed();
            let number = number.fetch_add(1, Ordering::Relaxed);
            reply(MOODS[usize::from(minded.load(Ordering::Relaxed))], number)
        });
        let asked = now();
        let hook = subscribe(client, shop, &format!("https://{name}/hook")).await;
        let answered = Some(now());
        let first = Requested { asked, answered, what: Some(hook.secret.clone()) };
        Self {
            hook,
            receiver,
            mood,
            switches: Mutex::new(vec![Requested { asked, answered, what: true }]),
            secrets: Mutex::new(vec![first]),
            checked: Mutex::default(),
        }
    }

    /// Sets the behaviour of the receiver.
    pub(crate) fn set_mood(&self, mood: Mood) {
        let place = MOODS.iter().position(|one| *one == mood).unwrap();
        self.mood.store(u8::try_from(place).unwrap(), Ordering::Relaxed);
    }

    pub(crate) fn set_any_mood(&self, number: usize) {
        self.set_mood(MOODS[number % MOODS.len()]);
    }

    /// Enables or disables the endpoint. Returns false if there was no response.
    pub(crate) async fn switch(&self, client: &Client, shop: &Shop, on: bool) -> bool {
        let body = json!({ "status": if on { "enabled" } else { "disabled" } });
        let asked = now();
        let number = {
            let mut switches = self.switches.lock();
            switches.push(Requested { asked, answered: None, what: on });
            switches.len() - 1
        };
        let answer = client.ask_operator("PATCH", &self.hook.path(shop), Some(body)).await;
        let Some(answer) = answer else { return false };
        assert_eq!(answer.status, 200, "{answer:?}");
        self.switches.lock()[number].answered = Some(now());
        true
    }

    /// Replaces the secret. Returns false if there was no response.
    pub(crate) async fn rotate(&self, client: &Client, shop: &Shop) -> bool {
        let asked = now();
        let number = {
            let mut secrets = self.secrets.lock();
            secrets.push(Requested { asked, answered: None, what: None });
            secrets.len() - 1
        };
        let path = format!("{}/rotate-secret", self.hook.path(shop));
        let Some(answer) = client.ask_operator("POST", &path, None).await else { return false };
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut secrets = self.secrets.lock();
        (secrets[number].answered, secrets[number].what) = (Some(now()), Some(answer.text("secret")));
        true
    }

    /// Resends the missed events. Returns the number of these events, or 0 if the endpoint is disabled.
    /// Returns `None` if there was no response.
    pub(crate) async fn resend_missed(&self, client: &Client, shop: &Shop) -> Option<u64> {
        let path = format!("{}/resend-missed", self.hook.path(shop));
        let answer = client.ask_operator("POST", &path, None).await?;
        if answer.status == 409 {
            return Some(0);
        }
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.body["data"]["resent"].as_u64()
    }

    /// Resends an event that the receiver has already got. Returns false if there was no response. The
    /// service may refuse the request.
    pub(crate) async fn resend_one(&self, client: &Client, shop: &Shop, number: usize) -> bool {
        let received = self.receiver.received_at(number);
        let Some(received) = received else { return true };
        let path = format!("{}/deliveries/{}/resend", self.hook.path(shop), received.id());
        let Some(answer) = client.ask_operator("POST", &path, None).await else { return false };
        assert!(matches!(answer.status, 202 | 409), "{answer:?}");
        true
    }

    /// Reads the status of the endpoint after a restart. If the response with the newest secret was lost,
    /// replaces the secret.
    pub(crate) async fn take_stock(&self, client: &Client, shop: &Shop) {
        let asked = now();
        let shown = client.operator("GET", &self.hook.path(shop), None).await;
        let on = shown["data"]["status"] == "enabled";
        let known = self.switches.lock().last().cloned().unwrap();
        let unanswered = known.answered.is_none();
        assert!(
            unanswered || known.what == on,
            "an acknowledged change to the status is missing: {known:?} {shown}"
        );
        self.switches.lock().push(Requested { asked, answered: Some(now()), what: on });
        let lost = self.secrets.lock().last().unwrap().answered.is_none();
        if lost {
            assert!(self.rotate(client, shop).await);
        }
    }

    /// Whether the endpoint was certainly enabled from this moment until now.
    pub(crate) fn was_on_since(&self, moment: DateTime<Utc>) -> bool {
        let switches = self.switches.lock();
        let off = switches.iter().rposition(|switch| !switch.what);
        let on = &switches[off.map_or(0, |off| off + 1)..];
        on.iter().find_map(|switch| switch.answered).is_some_and(|answered| answered < moment)
    }

    /// If the endpoint was certainly disabled at this moment, returns the time until which it certainly
    /// stayed disabled.
    pub(crate) fn off_until(&self, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let switches = self.switches.lock();
        let begun = switches.iter().rposition(|switch| switch.answered.is_some_and(|at| at < moment))?;
        if switches[begun].what {
            return None;
        }
        // Only a request to enable the endpoint ends the disabled state.
        let next_on = switches[begun + 1..].iter().find(|switch| switch.what)?;
        // `moment` is truncated to milliseconds, so the true moment may be up to a millisecond later.
        (next_on.asked > moment + TimeDelta::milliseconds(1)).then_some(next_on.asked)
    }

    /// Checks the signature of a request. It must be made with a secret that was valid at the start of the
    /// attempt.
    pub(crate) fn check_signature(&self, request: &Received) {
        let secrets = self.secrets.lock();
        // The timestamp is truncated to seconds, so the attempt began less than a second after it.
        let stamp: i64 = request.header("webhook-timestamp").parse().unwrap();
        let began = DateTime::from_timestamp(stamp, 0).unwrap();
        let by = secrets
            .iter()
            .rposition(|secret| secret.what.as_ref().is_some_and(|secret| request.is_signed_with(secret)));
        let Some(by) = by else {
            let lost = secrets.iter().enumerate().any(|(number, secret)| {
                let replaced = secrets[number + 1..].iter().find_map(|next| next.answered);
                secret.what.is_none()
                    && secret.asked <= request.at
                    && replaced.is_none_or(|replaced| replaced > began)
            });
            assert!(lost, "the signature matches no known secret: {request:?}");
            return;
        };
        assert!(secrets[by].asked <= request.at);
        let replaced = secrets[by + 1..].iter().find_map(|next| next.answered);
        if let Some(replaced) = replaced {
            assert!(
                replaced > began,
                "the signature uses a secret that was replaced at {replaced}: {request:?}"
            );
        }
    }
}

fn reply(mood: Mood, number: u64) -> Reply {
    match mood {
        Mood::Takes => Reply::now(OK, Then::GoesOn),
        Mood::Slow => Reply { after: Duration::from_millis(number % 40), ..Reply::now(OK, Then::GoesOn) },
        Mood::Moody if number.is_multiple_of(2) => Reply::now(OK, Then::GoesOn),
        Mood::Fails | Mood::Moody => Reply::now(NO, Then::GoesOn),
        Mood::Hangs => Reply::now("", Then::Hangs),
    }
}

/// The instant in a property of a record.
pub(crate) fn instant(record: &Value, property: &str) -> DateTime<Utc> {
    record[property]
        .as_str()
        .unwrap()
        .parse()
        .unwrap_or_else(|_| panic!("{property} is missing or no instant in {record}"))
}
