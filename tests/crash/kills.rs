//! Kills the process while clients book, move and cancel. After the restart, each acknowledged change is
//! complete. Any other change is complete or was not made. `CRASH_ROUNDS` sets the number of rounds, which
//! all use the same directory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::chance::{Rng, number_of, seed, sleep_for};
use crate::client::{Answer, Call, Client, Shop, check_overlaps, slot, text};
use crate::process::{Server, killed_at_start, serve};

const ROUNDS: usize = 5;
const CLIENTS: usize = 12;
const ACKNOWLEDGED_A_ROUND_MAX: usize = 400;
/// The number of possible start times of the bookings in one round. The start times are half an hour apart. The number
/// is small, so that many bookings are refused.
const SLOTS: usize = 200;
/// The maximum time between a response and the kill that follows it.
const KILL_DELAY_MAX: Duration = Duration::from_micros(10_000);
const STAFF: usize = 3;
/// After each round, at most this number of successful requests of earlier rounds are repeated.
const OLD_ANSWERS: usize = 40;

/// The requests of the clients in all rounds, grouped by outcome.
#[derive(Default)]
struct Book {
    /// The ids of this round's appointments that are not cancelled, according to the responses.
    active: Vec<String>,
    /// The successful requests.
    acknowledged: Vec<(Call, Answer)>,
    /// The requests that got no response.
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

/// Runs clients until the process is killed. The successful responses to all clients are counted together. The client
/// that receives the response with the number `answers` kills the process.
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
                    // During this pause, the other clients send requests, so the kill interrupts some requests.
                    sleep_for(delay).await;
                    server.kill();
                }
            }
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(
        server.wait().code(),
        None,
        "the process must be killed, but it ended by itself: {}",
        server.errors()
    );
}

/// The changes that the responses confirm, each as an appointment and a timestamp.
fn changes_in<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> BTreeSet<(String, String)> {
    answers.into_iter().map(|answer| (answer.text("id"), answer.text("updated_at"))).collect()
}

/// Compares the service with the responses. First repeats each request that got no response. If the service
/// then returns a stored response, the change was made before the kill. Any other response shows that the
/// change was not made before the kill.
async fn check(client: &Client, shop: &Shop, book: &mut Book, new: usize, rng: &mut Rng) {
    let before = client.appointments(shop, "").await;
    let there: BTreeMap<String, &Value> = before.iter().map(|a| (text(a, "id"), a)).collect();
    let logged_before = logged(client, shop).await;
    let unknown = std::mem::take(&mut book.unknown);
    check_acknowledged(&there, &logged_before, book, &unknown);

    for call in unknown {
        let answer = client.call(shop, &call).await.expect("the restarted service did not respond");
        if answer.is_success() {
            let change = (answer.text("id"), answer.text("updated_at"));
            if answer.replayed {
                assert!(
                    logged_before.contains(&change),
                    "the response was stored, but the change was not made: {call:?}"
                );
                assert!(
                    there.contains_key(&change.0),
                    "the response was stored, but the appointment is not listed: {call:?}"
                );
            } else if call.path == "/appointments" {
                assert!(
                    !there.contains_key(&change.0),
                    "the change was made, but its response was not stored: {call:?}"
                );
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

    check_search(client, shop).await;
    let after = client.appointments(shop, "").await;
    check_overlaps(&after);
    let mut by_change = client.appointments(shop, "&updated_since=2000-01-01T00:00:00Z").await;
    by_change.sort_by_key(|a| (text(a, "starts_at"), text(a, "id")));
    assert_eq!(after, by_change, "the list ordered by start and the list ordered by `updated_at` differ");
    let told = changes_in(book.acknowledged.iter().map(|(_, answer)| answer));
    let log = logged(client, shop).await;
    assert_eq!(log, told, "the audit log does not match the responses");
    for appointment in &after {
        let shown = client.get(shop, &format!("/appointments/{}", text(appointment, "id"))).await;
        assert_eq!(&shown.body["data"], appointment);
        assert!(log.contains(&(text(appointment, "id"), text(appointment, "updated_at"))));
    }
}

/// Checks the search against the list of all contacts: a search must find exactly the contacts whose names match.
async fn check_search(client: &Client, shop: &Shop) {
    let list = format!("/businesses/{}/contacts", shop.id);
    let contacts = client.operator_list(&list).await;
    for (words, number) in [("contact%204", "Contact 4"), ("contact%20123", "Contact 123"), ("00", "none")] {
        let expected: Vec<_> =
            contacts.iter().filter(|contact| text(contact, "name").starts_with(number)).collect();
        let found = client.operator_list(&format!("{list}?search={words}")).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{words}");
    }
}

/// Checks that the audit log contains the change that each response confirms. Each appointment must be as in its
/// newest response, unless a request without a response has changed it later.
fn check_acknowledged(
    there: &BTreeMap<String, &Value>,
    logged: &BTreeSet<(String, String)>,
    book: &Book,
    unknown: &[Call],
) {
    // Two changes in the same millisecond have the same timestamp, so their order is unknown.
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
            there.get(&id).unwrap_or_else(|| panic!("an acknowledged appointment is missing: {bodies:?}"));
        if !bodies.contains(shown) {
            assert!(unknown.iter().any(|call| call.path.contains(&id)), "{shown} matches none of {bodies:?}");
            assert!(text(shown, "updated_at") >= stamp, "{shown} is older than {bodies:?}");
        }
    }
}

/// The changes to appointments in the audit log.
async fn logged(client: &Client, shop: &Shop) -> BTreeSet<(String, String)> {
    let log = client.audit(shop).await;
    let of_appointments = log.iter().filter(|entry| entry["resource_type"] == "appointment");
    of_appointments.map(|entry| (text(entry, "resource_id"), text(entry, "at"))).collect()
}

/// Repeats a request and checks that the response is the first one, byte for byte.
async fn replays(client: &Client, shop: &Shop, call: &Call, first: &Answer) {
    let again = client.call(shop, call).await.expect("the service must respond");
    assert!(again.replayed, "{call:?} got the response {first:?} and was carried out again: {again:?}");
    assert_eq!((again.status, &again.body), (first.status, &first.body));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::print_stdout, reason = "prints a summary when more rounds than the default are run")]
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
        "{rounds} rounds: {} responses and their {} changes found, {} requests refused, {retried} with an unknown \
         outcome repeated",
        book.acknowledged.len(),
        changes_in(book.acknowledged.iter().map(|(_, answer)| answer)).len(),
        book.refused
    );
}
