//! A record of all requests and responses, as the clients have seen them.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{Actor, KeyId, Timestamp};
use engine::business::Answer;
use parking_lot::Mutex;
use serde_json::Value;
use uuid::Uuid;

use crate::ops::Op;
use crate::terms::Terms;
use crate::time::Time;

/// A request. The values of `by` and `key` occur in no other request, so they identify the rows of the request.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    pub(crate) number: usize,
    pub(crate) shop: usize,
    pub(crate) by: KeyId,
    pub(crate) key: [u8; 32],
    pub(crate) op: Op,
    /// Whether the request names a resource of another business. It must then be refused.
    pub(crate) foreign: bool,
    /// The conditions on which the request depends.
    pub(crate) terms: Terms,
}

/// The outcome of a request, as the client knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Came {
    /// The client got no response.
    Unknown,
    /// The request was carried out, with this response.
    Done(Vec<u8>),
    /// The request was refused, and changed nothing.
    Refused,
}

/// A request and its outcome.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) tried: Tried,
    /// The simulated time of the request.
    pub(crate) asked: i64,
    /// The simulated time of the response.
    pub(crate) answered: Option<i64>,
    /// The minimum possible steady time of the service (see `time.rs`) when the request was sent, in milliseconds.
    pub(crate) count: i64,
    /// The earliest and the latest time that the service's clock can have shown between the request and the response.
    pub(crate) believed: (Timestamp, Timestamp),
    /// The earliest timestamp that the requested change can get. A list ordered by `updated_at` that was returned
    /// before the request already contained all changes before this time.
    pub(crate) listed: Timestamp,
    pub(crate) came: Came,
    /// The number of times that the request was sent.
    pub(crate) times: u32,
}

impl Tried {
    /// Returns the actor of the request.
    pub(crate) fn actor(&self) -> Actor {
        if self.op.is_by_customer() { Actor::Customer } else { Actor::ApiKey(self.by) }
    }

    /// True if the request has an idempotency key. Some requests of customers have none.
    pub(crate) fn is_remembered(&self) -> bool {
        !self.op.is_by_customer() || !self.number.is_multiple_of(5)
    }
}

impl Entry {
    /// Returns the response as JSON.
    pub(crate) fn body(&self) -> Option<Value> {
        match &self.came {
            Came::Done(body) => Some(json(body)),
            _ => None,
        }
    }

    /// Returns the response as JSON if it contains the new API key. The response to a repeated request does not contain
    /// the key.
    pub(crate) fn shown_key(&self) -> Option<Value> {
        self.body().filter(|body| body["key"].is_string())
    }
}

/// Returns a body as JSON, or null if the body is empty.
pub(crate) fn json(body: &[u8]) -> Value {
    if body.is_empty() { Value::Null } else { serde_json::from_slice(body).unwrap() }
}

/// A state of a resource that a client has seen. The state must therefore be durable.
pub(crate) struct Seen {
    pub(crate) shop: usize,
    pub(crate) id: Uuid,
    pub(crate) updated_at: String,
    pub(crate) how: &'static str,
}

/// All requests of a seed.
#[derive(Default)]
pub(crate) struct Ledger {
    entries: Mutex<Vec<Entry>>,
    by: Mutex<BTreeMap<KeyId, usize>>,
    /// The requests that got a response and that [`Ledger::news`] has not returned yet.
    news: Mutex<Vec<usize>>,
    seen: Mutex<Vec<Seen>>,
}

impl Ledger {
    /// Returns the number of requests, which is also the number of the next request.
    pub(crate) fn len(&self) -> usize {
        self.entries.lock().len()
    }

    /// Records a new request.
    pub(crate) fn ask(&self, tried: Tried, time: &Time) {
        self.by.lock().insert(tried.by, tried.number);
        let (asked, count, believed) = (time.now(), time.count(), time.believed());
        let listed = time.stamped_from(tried.shop);
        let (answered, came, times) = (None, Came::Unknown, 1);
        self.entries.lock().push(Entry { tried, asked, answered, count, believed, listed, came, times });
    }

    /// Records the outcome of a request. If the request was refused before, the new outcome replaces the refusal,
    /// because a repeated request may be carried out. A success is never replaced.
    pub(crate) fn end(&self, number: usize, time: &Time, answer: Option<&Answer<Vec<u8>>>) {
        let entry = &mut self.entries.lock()[number];
        let came = answer.map_or(Came::Refused, |answer| Came::Done(answer.value.clone()));
        if let Came::Done(_) = entry.came {
            return;
        }
        (entry.answered, entry.came) = (Some(time.now()), came);
        // The wall clock may have been set back since the request. `earliest` is the time of the request
        // according to the current wall clock.
        let earliest = time.believed().0 - TimeDelta::milliseconds(time.now() - entry.asked);
        entry.believed = (entry.believed.0.min(earliest), time.latest_believed());
        entry.listed = entry.listed.min(time.stamped_from(entry.tried.shop));
        self.news.lock().push(number);
    }

    /// Records that the request was repeated.
    pub(crate) fn again(&self, number: usize, time: &Time) {
        let entry = &mut self.entries.lock()[number];
        entry.times += 1;
        entry.count = entry.count.min(time.count());
        entry.believed.0 = entry.believed.0.min(time.believed().0);
    }

    pub(crate) fn entry(&self, number: usize) -> Entry {
        self.entries.lock()[number].clone()
    }

    pub(crate) fn by(&self, by: KeyId) -> Option<Entry> {
        let number = *self.by.lock().get(&by)?;
        Some(self.entry(number))
    }

    /// Returns the first request that has this property.
    pub(crate) fn find(&self, is_it: impl Fn(&Entry) -> bool) -> Option<Entry> {
        self.entries.lock().iter().find(|entry| is_it(entry)).cloned()
    }

    /// Returns the requests with this number or a higher one.
    pub(crate) fn since(&self, number: usize) -> Vec<Entry> {
        self.entries.lock()[number..].to_vec()
    }

    /// Returns the requests that have received a response since the last call, in the order of the responses.
    pub(crate) fn news(&self) -> Vec<Entry> {
        let news = std::mem::take(&mut *self.news.lock());
        news.into_iter().map(|number| self.entry(number)).collect()
    }

    /// Records a state of a resource that a client has seen.
    pub(crate) fn saw(&self, shop: usize, resource: &Value, how: &'static str) {
        let (Some(id), Some(updated_at)) = (resource["id"].as_str(), resource["updated_at"].as_str()) else {
            return;
        };
        let seen = Seen { shop, id: id.parse().unwrap(), updated_at: updated_at.to_owned(), how };
        self.seen.lock().push(seen);
    }

    /// Returns the states that were recorded since the last call.
    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock())
    }
}
