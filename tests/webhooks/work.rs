//! Clients and operators that work until the program is killed. Clients book, move and cancel. Operators
//! disable and enable endpoints, replace secrets and resend events. Receivers accept events, refuse them, or
//! hang.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;

use crate::chance::Rng;
use crate::client::{Answer, Call, Client, Shop, slot};
use crate::ledger::Endpoint;
use crate::process::Server;

const CLIENTS: usize = 6;
/// A booking starts at one of this number of times, half an hour apart.
const SLOTS: usize = 500;
pub(crate) const STAFF: usize = 3;
/// The number of contacts for whom appointments are booked.
const CONTACTS: usize = 2_000;
/// Clients move or cancel only this number of the newest appointments, so the same appointments change often.
const RECENT: usize = 100;
/// The maximum pause of an operator between two calls.
const PAUSE: Duration = Duration::from_millis(20);
/// The maximum number of responses in a round.
const ANSWERS_MAX: usize = 300;

/// The kind of occurrence that a [`Trigger`] counts. When the count is reached, the trigger kills the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A response to a change that a client has made.
    Answer,
    /// A request that has arrived at a receiver. The receiver has not responded yet.
    Request,
    /// A response to a call of an operator.
    Operator,
}

pub(crate) const CAUSES: [Cause; 3] = [Cause::Answer, Cause::Request, Cause::Operator];

/// Kills the program at the chosen moment.
#[derive(Default)]
pub(crate) struct Trigger(Mutex<Option<Armed>>);

struct Armed {
    server: Arc<Server>,
    cause: Cause,
    left: usize,
    answers_left: usize,
}

impl Trigger {
    pub(crate) fn arm(&self, server: &Arc<Server>, cause: Cause, left: usize) {
        let armed = Armed { server: Arc::clone(server), cause, left, answers_left: ANSWERS_MAX };
        *self.0.lock() = Some(armed);
    }

    /// Counts an occurrence of this kind. Kills the program when the chosen count is reached, or after [`ANSWERS_MAX`]
    /// responses to clients.
    pub(crate) fn happened(&self, cause: Cause) {
        let mut slot = self.0.lock();
        let Some(armed) = slot.as_mut() else { return };
        if cause == armed.cause {
            armed.left = armed.left.saturating_sub(1);
        }
        if cause == Cause::Answer {
            armed.answers_left -= 1;
        }
        if armed.left == 0 || armed.answers_left == 0 {
            armed.server.kill();
            *slot = None;
        }
    }
}

/// The requests of the clients in all rounds, grouped by outcome.
#[derive(Default)]
pub(crate) struct Book {
    /// The ids of the appointments in the responses.
    known: Vec<String>,
    /// The responses with a 2xx status.
    pub(crate) acknowledged: Vec<Answer>,
    /// The requests that got no response.
    pub(crate) unknown: Vec<Call>,
}

impl Book {
    pub(crate) fn note(&mut self, call: Call, answer: Option<Answer>) {
        match answer {
            Some(answer) if answer.is_success() => {
                if call.path == "/appointments" {
                    self.known.push(answer.text("id"));
                }
                self.acknowledged.push(answer);
            }
            Some(answer) => assert!(matches!(answer.status, 409 | 503), "{call:?}: {answer:?}"),
            None => self.unknown.push(call),
        }
    }

    fn any_recent(&self, rng: &mut Rng) -> Option<String> {
        let recent = self.known.len().min(RECENT);
        (recent > 0).then(|| self.known[self.known.len() - 1 - rng.below(recent)].clone())
    }
}

fn request(rng: &mut Rng, shop: &Shop, book: &Mutex<Book>) -> Call {
    let idempotency_key = uuid::Uuid::new_v4().to_string();
    let starts_at = slot(i64::try_from(rng.below(SLOTS)).unwrap());
    let kind = rng.below(5);
    match book.lock().any_recent(rng) {
        Some(id) if kind == 3 => {
            let body = json!({ "starts_at": starts_at, "staff_id": shop.staff[rng.below(STAFF)] });
            Call { path: format!("/appointments/{id}/reschedule"), body: Some(body), idempotency_key }
        }
        Some(id) if kind == 4 => {
            Call { path: format!("/appointments/{id}/cancel"), body: None, idempotency_key }
        }
        _ => shop.booking(rng.below(STAFF), &starts_at, rng.below(CONTACTS), idempotency_key),
    }
}

/// Runs the clients and the operators until the trigger kills the program.
pub(crate) async fn work_until_killed(
    client: &Client,
    shop: &Arc<Shop>,
    endpoints: &[Arc<Endpoint>],
    (book, trigger): (&Arc<Mutex<Book>>, &Arc<Trigger>),
    rng: &mut Rng,
) {
    let mut working = Vec::new();
    for _ in 0..CLIENTS {
        let (client, shop, mut rng) = (client.clone(), Arc::clone(shop), rng.fork());
        let (book, trigger) = (Arc::clone(book), Arc::clone(trigger));
        working.push(tokio::spawn(async move {
            loop {
                let call = request(&mut rng, &shop, &book);
                let answer = client.call(&shop, &call).await;
                let (ended, success) = (answer.is_none(), answer.as_ref().is_some_and(Answer::is_success));
                book.lock().note(call, answer);
                if ended {
                    return;
                }
                if success {
                    trigger.happened(Cause::Answer);
                }
            }
        }));
    }
    for (number, endpoint) in endpoints.iter().enumerate() {
        let (client, shop, mut rng) = (client.clone(), Arc::clone(shop), rng.fork());
        let (endpoint, trigger) = (Arc::clone(endpoint), Arc::clone(trigger));
        working.push(tokio::spawn(async move {
            while operate(&client, &shop, (number, &endpoint), &mut rng).await {
                trigger.happened(Cause::Operator);
                rng.let_pass(PAUSE).await;
            }
        }));
    }
    for worker in working {
        worker.await.unwrap();
    }
}

/// Sends one random request about an endpoint to the API. Returns false if there was no response. No request
/// disables one of the first [`STEADY`] endpoints.
async fn operate(
    client: &Client,
    shop: &Shop,
    (number, endpoint): (usize, &Endpoint),
    rng: &mut Rng,
) -> bool {
    let kinds = if number < STEADY { 3 } else { 8 };
    match rng.below(kinds) {
        0 | 1 => endpoint.rotate(client, shop).await,
        2 => endpoint.resend_one(client, shop, rng.below(1 << 20)).await,
        3 => endpoint.resend_missed(client, shop).await.is_some(),
        4 | 5 => endpoint.switch(client, shop, false).await,
        _ => endpoint.switch(client, shop, true).await,
    }
}

/// The number of endpoints that are never disabled.
pub(crate) const STEADY: usize = 2;
