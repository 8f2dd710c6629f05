//! The requests and responses, as the clients recorded them.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{KeyId, Timestamp};
use engine::business::Answer;
use parking_lot::Mutex;
use serde_json::Value;
use uuid::Uuid;

use crate::ops::Op;
use crate::terms::Terms;
use crate::time::Time;

/// A request that was made. Each has an actor and an idempotency key of its own, by which its traces are found.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    pub(crate) number: usize,
    pub(crate) shop: usize,
    pub(crate) by: KeyId,
    pub(crate) key: [u8; 32],
    pub(crate) op: Op,
    /// Whether it names what belongs to another business, so that it must be refused.
    pub(crate) foreign: bool,
    /// On which terms.
    pub(crate) terms: Terms,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Came {
    /// Nobody knows.
    Unknown,
    /// It was carried out, and this was answered.
    Done(Vec<u8>),
    /// It was refused and has changed nothing.
    Refused,
}

/// A request and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) tried: Tried,
    /// When it was made, in simulated time.
    pub(crate) asked: i64,
    /// When it was answered.
    pub(crate) answered: Option<i64>,
    /// What the service's count of steady time was when it was made, the least of all times.
    pub(crate) count: i64,
    /// What the service may have believed it to be from when it was made until it was answered: the earliest, the
    /// latest.
    pub(crate) believed: (Timestamp, Timestamp),
    /// Up to when a list by change had shown everything before it was made: its stamp is no earlier.
    pub(crate) listed: Timestamp,
    pub(crate) came: Came,
    /// How often it was made.
    pub(crate) times: u32,
}

impl Entry {
    /// The answer's JSON.
    pub(crate) fn body(&self) -> Option<Value> {
        match &self.came {
            Came::Done(body) => Some(json(body)),
            _ => None,
        }
    }

    /// The same of a new key, if it was shown: an answer that is given again does not show it.
    pub(crate) fn shown_key(&self) -> Option<Value> {
        self.body().filter(|body| body["key"].is_string())
    }
}

/// The JSON of a body; null of one that is empty.
pub(crate) fn json(body: &[u8]) -> Value {
    if body.is_empty() { Value::Null } else { serde_json::from_slice(body).unwrap() }
}

/// A resource that somebody saw in a state, which must be there from then on.
pub(crate) struct Seen {
    pub(crate) shop: usize,
    pub(crate) id: Uuid,
    pub(crate) updated_at: String,
    pub(crate) how: &'static str,
}

/// Every request of a seed.
#[derive(Default)]
pub(crate) struct Ledger {
    entries: Mutex<Vec<Entry>>,
    by: Mutex<BTreeMap<KeyId, usize>>,
    /// Requests whose answers nobody has looked at yet.
    news: Mutex<Vec<usize>>,
    seen: Mutex<Vec<Seen>>,
}

impl Ledger {
    /// How many requests there are, which is the number of the next.
    pub(crate) fn len(&self) -> usize {
        self.entries.lock().len()
    }

    /// Takes down a new request.
    pub(crate) fn ask(&self, tried: Tried, time: &Time) {
        self.by.lock().insert(tried.by, tried.number);
        let (asked, count, believed) = (time.now(), time.count(), time.believed());
        let listed = time.stamped_from(tried.shop);
        let (answered, came, times) = (None, Came::Unknown, 1);
        self.entries.lock().push(Entry { tried, asked, answered, count, believed, listed, came, times });
    }

    /// Takes down what came of it. What was refused at first may be carried out when it is tried again.
    pub(crate) fn end(&self, number: usize, time: &Time, answer: Option<&Answer<Vec<u8>>>) {
        let entry = &mut self.entries.lock()[number];
        let came = answer.map_or(Came::Refused, |answer| Came::Done(answer.value.clone()));
        if let Came::Done(_) = entry.came {
            return;
        }
        (entry.answered, entry.came) = (Some(time.now()), came);
        // The wall clock may have been put back since it was made.
        let earliest = time.believed().0 - TimeDelta::milliseconds(time.now() - entry.asked);
        entry.believed = (entry.believed.0.min(earliest), time.latest_believed());
        entry.listed = entry.listed.min(time.stamped_from(entry.tried.shop));
        self.news.lock().push(number);
    }

    /// It was made once more.
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

    /// The requests from this number on.
    pub(crate) fn since(&self, number: usize) -> Vec<Entry> {
        self.entries.lock()[number..].to_vec()
    }

    /// The requests that were answered since this was asked last, in the order of the answers.
    pub(crate) fn news(&self) -> Vec<Entry> {
        let news = std::mem::take(&mut *self.news.lock());
        news.into_iter().map(|number| self.entry(number)).collect()
    }

    /// Takes down a resource that somebody saw.
    pub(crate) fn saw(&self, shop: usize, resource: &Value, how: &'static str) {
        let (Some(id), Some(updated_at)) = (resource["id"].as_str(), resource["updated_at"].as_str()) else {
            return;
        };
        let seen = Seen { shop, id: id.parse().unwrap(), updated_at: updated_at.to_owned(), how };
        self.seen.lock().push(seen);
    }

    /// What was seen since this was asked last.
    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock())
    }
}
