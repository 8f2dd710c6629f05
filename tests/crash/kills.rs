//! Kills the process while clients book, move and cancel. An acknowledged change is there afterwards,
//! whole. Any other change is there whole or not at all. `CRASH_ROUNDS` is the number of rounds on one
//! directory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::chance::{Rng, come, number_of, seed};
use crate::client::{Answer, Call, Client, Shop, check_overlaps, slot, text};
use crate::process::{Server, killed_at_start, serve};

const ROUNDS: usize = 5;
const CLIENTS: usize = 12;
const ACKNOWLEDGED_A_ROUND_MAX: usize = 400;
/// The number of half hours in which the bookings of a round start: few enough that many are refused.
const SLOTS: usize = 200;
/// The longest time between a response and the following kill.
const KILL_DELAY_MAX: Duration = Duration::from_micros(10_000);
const STAFF: usize = 3;
/// The number of earlier requests that are repeated.
const OLD_ANSWERS: usize = 40;

/// The clients' knowledge, over all rounds.
#[derive(Default)]
struct Book {
    /// The ids of the active appointments of this round, according to the responses.
    active: Vec<String>,
    /// The successful requests.
    acknowledged: Vec<(Call, Answer)>,
    /// The requests without a response.
    unknown: Vec<Call>,
    refused: usize,
}

impl Book {
    fn note(&mut self, call: Call, answer: Option<Answer>) {
        match answer {
            Some(answer) if answer.is_success() => {
                let id = answer.text("id");
                if call.path == "/appointments" {
                    self.active.push(id);
                } else if call.path.ends_with("/cancel") {
                    self.active.retain(|active| *active != id);
                }
                self.acknowledged.push((call, answer));
            }
            Some(answer) => {
                assert!(matches!(answer.status, 404 | 409 | 503), "{call:?}: {answer:?}");
                self.refused += 1;
            }
            None => self.unknown.push(call),
        }
    }
}

fn request(rng: &mut Rng, shop: &Shop, round: usize, active: &[String]) -> Call {
    let idempotency_key = uuid::Uuid::new_v4().to_string();
    let starts_at = slot(i64::try_from(round * SLOTS + rng.below(SLOTS)).unwrap());
    let kind = rng.below(5);
    if active.is_empty() || kind < 3 {
        return shop.booking(rng.below(STAFF), &starts_at, rng.below(500), idempotency_key);
    }
    let id = &active[rng.below(active.len())];
    if kind == 3 {
        return Call { path: format!("/appointments/{id}/cancel"), body: None, idempotency_key };
    }
    let body = json!({ "starts_at": starts_at, "staff_id": shop.staff[rng.below(STAFF)] });
    Call { path: format!("/appointments/{id}/reschedule"), body: Some(body), idempotency_key }
}

/// Clients work until the process is killed. The client that gets the response of this number kills it.
async fn work_until_killed(
    server: &Arc<Server>,
    shop: &Arc<Shop>,
    book: &Arc<Mutex<Book>>,
    rng: &mut Rng,
    (round, answers): (usize, usize),
) {
    let delay = rng.moment(KILL_DELAY_MAX);
    let answered = Arc::new(AtomicUsize::new(0));
    let client = Client::of(server);
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut rng = rng.fork();
        let (server, shop, book) = (Arc::clone(server), Arc::clone(shop), Arc::clone(book));
        let (client, answered) = (client.clone(), Arc::clone(&answered));
        clients.push(tokio::spawn(async move {
            loop {
                let call = request(&mut rng, &shop, round, &book.lock().active);
                let answer = client.call(&shop, &call).await;
                let (ended, success) = (answer.is_none(), answer.as_ref().is_some_and(Answer::is_success));
                book.lock().note(call, answer);
                if ended {
                    return;
                }
                if success && answered.fetch_add(1, Ordering::SeqCst) + 1 == answers {
                    // The other clients are in the middle of requests.
                    come(delay).await;
                    server.kill();
                }
            }
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(server.wait().code(), None, "it was killed and did not end by itself: {}", server.errors());
}

/// The changes in the responses: appointment and time.
fn told_by<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> BTreeSet<(String, String)> {
    answers.into_iter().map(|answer| (answer.text("id"), answer.text("updated_at"))).collect()
}

/// Compares the service with its responses. First repeats the requests without a response: a replayed response shows
/// that the change exists, any other one that it did not.
async fn check(client: &Client, shop: &Shop, book: &mut Book, new: usize, rng: &mut Rng) {
    let before = client.appointments(shop, "").await;
    let there: BTreeMap<String, &Value> = before.iter().map(|a| (text(a, "id"), a)).collect();
    let logged_before = logged(client, shop).await;
    let unknown = std::mem::take(&mut book.unknown);
    check_acknowledged(&there, &logged_before, book, &unknown);

    for call in unknown {
        let answer = client.call(shop, &call).await.expect("it runs again");
        if answer.is_success() {
            let change = (answer.text("id"), answer.text("updated_at"));
            if answer.replayed {
                assert!(logged_before.contains(&change), "remembered and not carried out: {call:?}");
                assert!(there.contains_key(&change.0), "remembered and not listed: {call:?}");
            } else if call.path == "/appointments" {
                assert!(!there.contains_key(&change.0), "carried out and not remembered: {call:?}");
            }
        }
        book.note(call, Some(answer));
    }
    for _ in 0..OLD_ANSWERS.min(new) {
        let (call, first) = book.acknowledged[rng.below(new)].clone();
        replays(client, shop, &call, &first).await;
    }
    for (call, first) in &book.acknowledged[new..] {
        replays(client, shop, call, first).await;
    }

    let after = client.appointments(shop, "").await;
    check_overlaps(&after);
    let mut by_change = client.appointments(shop, "&updated_since=2000-01-01T00:00:00Z").await;
    by_change.sort_by_key(|a| (text(a, "starts_at"), text(a, "id")));
    assert_eq!(after, by_change, "the two lists differ");
    let told = told_by(book.acknowledged.iter().map(|(_, answer)| answer));
    let log = logged(client, shop).await;
    assert_eq!(log, told, "what the audit log tells is not what the answers tell");
    for appointment in &after {
        let shown = client.get(shop, &format!("/appointments/{}", text(appointment, "id"))).await;
        assert_eq!(&shown.body["data"], appointment);
        assert!(log.contains(&(text(appointment, "id"), text(appointment, "updated_at"))));
    }
}

/// The change of every response is in the log, and each appointment is as in its newest response or as a request
/// without a response has changed it since.
fn check_acknowledged(
    there: &BTreeMap<String, &Value>,
    logged: &BTreeSet<(String, String)>,
    book: &Book,
    unknown: &[Call],
) {
    // Two changes within a millisecond have the same stamp, and their order is unknown.
    let mut newest: HashMap<String, (String, Vec<&Value>)> = HashMap::new();
    for (call, answer) in &book.acknowledged {
        let change = (answer.text("id"), answer.text("updated_at"));
        assert!(
            logged.contains(&change),
            "an acknowledged change is not in the audit log: {call:?} {answer:?}"
        );
        let (stamp, bodies) = newest.entry(change.0).or_default();
        if *stamp < change.1 {
            (*stamp, *bodies) = (change.1, Vec::new());
        } else if *stamp > change.1 {
            continue;
        }
        bodies.push(&answer.body["data"]);
    }
    for (id, (stamp, bodies)) in newest {
        let shown =
            there.get(&id).unwrap_or_else(|| panic!("an acknowledged appointment is lost: {bodies:?}"));
        if !bodies.contains(shown) {
            assert!(unknown.iter().any(|call| call.path.contains(&id)), "{shown} is none of {bodies:?}");
            assert!(text(shown, "updated_at") >= stamp, "{shown} is before {bodies:?}");
        }
    }
}

/// The changes of appointments, from the audit log.
async fn logged(client: &Client, shop: &Shop) -> BTreeSet<(String, String)> {
    let log = client.audit(shop).await;
    let of_appointments = log.iter().filter(|entry| entry["resource_type"] == "appointment");
    of_appointments.map(|entry| (text(entry, "resource_id"), text(entry, "at"))).collect()
}

/// The repeated request gets the first response, byte for byte.
async fn replays(client: &Client, shop: &Shop, call: &Call, first: &Answer) {
    let again = client.call(shop, call).await.expect("it runs");
    assert!(again.replayed, "{call:?} was answered with {first:?} and is carried out again: {again:?}");
    assert_eq!((again.status, &again.body), (first.status, &first.body));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::print_stdout, reason = "whoever runs more rounds wants to see what came of them")]
async fn every_acknowledged_change_survives_a_kill() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    println!("the seed is {seed}");
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let mut rng = Rng(seed);
    let book = Arc::new(Mutex::new(Book::default()));
    let mut server = Arc::new(Server::on(&data_dir));
    let shop = Arc::new(Shop::create(&Client::of(&server), STAFF).await);
    let mut retried = 0;
    for round in 0..rounds {
        book.lock().active.clear();
        let new = book.lock().acknowledged.len();
        let answers = 1 + rng.below(ACKNOWLEDGED_A_ROUND_MAX);
        work_until_killed(&server, &shop, &book, &mut rng, (round, answers)).await;
        for _ in 0..rng.below(3) {
            killed_at_start(serve(&data_dir), rng.below(3));
        }
        server = Arc::new(Server::on(&data_dir));
        let mut taken = std::mem::take(&mut *book.lock());
        retried += taken.unknown.len();
        check(&Client::of(&server), &shop, &mut taken, new, &mut rng).await;
        *book.lock() = taken;
    }
    let book = book.lock();
    println!(
        "{rounds} rounds: {} answers and the {} changes they tell of found, {} refused, {retried} of unknown fate \
         tried again",
        book.acknowledged.len(),
        told_by(book.acknowledged.iter().map(|(_, answer)| answer)).len(),
        book.refused
    );
}
