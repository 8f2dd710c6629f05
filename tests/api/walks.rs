//! Tests of lists that are read while eight tasks write. A *walk* reads a list page by page to its end. A
//! walk neither skips nor repeats a record that exists during the whole walk. *Polling* repeats walks with
//! `updated_since`, and misses no change.

use std::collections::{HashMap, HashSet};
use std::future::Future;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Dice, Salon, Server, TestClock, id, ids};

const TASKS: u64 = 8;
const KEPT: usize = 12;
/// The number of rows that one request reads. A page with a higher limit ends after this number of rows.
const ROWS: usize = 15;

/// Starts eight tasks that each write `rounds` times. The clock advances from time to time.
fn writers<F: Future<Output = ()> + Send + 'static>(
    server: &Server,
    salon: &Salon,
    rounds: u64,
    write: impl Fn(Salon, Dice, u64) -> F + Clone + Send + 'static,
) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let (salon, clock, write): (_, TestClock, _) = (salon.clone(), server.clock.clone(), write.clone());
        tasks.spawn(async move {
            for round in 0..rounds {
                clock.advance_millis(i64::from(round % 2 == 0));
                let number = task * rounds + round;
                write(salon.clone(), Dice(number), number).await;
            }
        });
    }
    tasks
}

/// Whether every writer has finished.
fn ended(tasks: &mut JoinSet<()>) -> bool {
    while let Some(done) = tasks.try_join_next() {
        done.unwrap();
    }
    tasks.is_empty()
}

/// Reads the list again and again, each time with another page size, until the writers have finished.
/// Checks that each walk shows every record of `kept` exactly once.
async fn walk(salon: &Salon, path: &str, kept: &[Value], mut tasks: JoinSet<()>) {
    let kept: HashSet<String> = ids(kept).into_iter().collect();
    let mut sizes = 0;
    let mut last = false;
    while sizes < KEPT || !last {
        last = ended(&mut tasks);
        let limit = sizes % KEPT + 1;
        let seen = ids(&salon.api.walk(path, limit).await);
        let counted = seen.iter().filter(|one| kept.contains(*one)).count();
        let distinct: HashSet<_> = seen.into_iter().collect();
        assert!(kept.is_subset(&distinct), "{path} with the limit {limit} skipped a record");
        assert_eq!(counted, kept.len(), "{path} with the limit {limit} returned a record twice");
        sizes += 1;
    }
}

/// Polls the list until the writers have finished. Each poll begins at the newest timestamp of the earlier
/// polls. Checks at the end that the polls have returned the current version of every record.
async fn poll(salon: &Salon, path: &str, mut tasks: JoinSet<()>) {
    let mut since = "2000-01-01T00:00:00.000Z".to_owned();
    let mut known: HashMap<String, Value> = HashMap::new();
    let mut last = false;
    while !last {
        last = ended(&mut tasks);
        let page = salon.get(&format!("/{path}?updated_since={since}&limit=100")).await;
        let mut changes = page.list();
        if page.body["has_more"] == true {
            changes = salon.api.walk(&format!("/{path}?updated_since={since}"), 7).await;
        }
        for one in changes {
            let stamp = one["updated_at"].as_str().unwrap().to_owned();
            assert!(stamp >= since, "the list returned this change after a later one: {one}");
            since = stamp;
            known.insert(id(&one).to_owned(), one);
        }
    }
    let whole = salon.api.all(&format!("/{path}")).await;
    assert_eq!(whole.len(), known.len(), "{path}");
    for one in whole {
        assert_eq!(known[id(&one)], one, "{path}");
    }
}

async fn write_contact(salon: Salon, mut dice: Dice, number: u64) {
    let made = salon.contact(json!({ "name": format!("N{number}"), "email": format!("n{number}@b") })).await;
    for _ in 0..dice.below(3) {
        salon.patch_contact(&made, json!({ "name": format!("M{}", dice.below(1_000)) })).await;
    }
}

async fn write_call(salon: Salon, mut dice: Dice, number: u64) {
    let started = format!("2026-03-01T{:02}:{:02}:00Z", dice.below(24), dice.below(60));
    let from = format!("+3361{:07}", number / 2);
    salon.record_call(json!({ "started_at": started, "from_number": from })).await;
}

async fn write_message(salon: Salon, mut dice: Dice, _: u64) {
    let made = salon.message(json!({})).await;
    for status in ["read", "resolved"].into_iter().take(dice.below(3) as usize) {
        salon.try_patch_message(&made, json!({ "status": status })).await.is(200);
    }
}

async fn write_appointment(salon: Salon, mut dice: Dice, _: u64) {
    let mut at = || format!("2026-03-0{}T{:02}:00:00Z", 3 + dice.below(5), 8 + dice.below(8));
    let answer = salon.try_book(&salon.cut, &at()).await;
    if answer.status == 201 {
        let booked = answer.data();
        salon.try_move(&booked, json!({ "starts_at": at() })).await;
        if dice.below(2) == 0 {
            salon.cancel(&booked).await.is(200);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walking_contacts_while_others_write_skips_and_repeats_nothing() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let mut kept = Vec::new();
    for number in 0..KEPT {
        server.clock.advance_millis(i64::from(number % 3 == 0));
        kept.push(salon.contact(json!({ "name": format!("Kept {number}") })).await);
    }
    walk(&salon, "/contacts", &kept, writers(&server, &salon, 6, write_contact)).await;
    walk(&salon, "/contacts?q=kEPT", &kept, writers(&server, &salon, 1, write_message)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walking_contacts_that_are_being_changed_repeats_none() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let mut kept = Vec::new();
    for number in 0..KEPT {
        kept.push(salon.contact(json!({ "name": format!("Kept {number}") })).await);
    }
    let changed = kept.clone();
    let change = move |salon: Salon, mut dice: Dice, number: u64| {
        let one = changed[dice.below(KEPT as u64) as usize].clone();
        async move {
            salon.patch_contact(&one, json!({ "name": format!("Kept {number}") })).await;
        }
    };
    walk(&salon, "/contacts", &kept, writers(&server, &salon, 10, change)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walking_calls_while_others_write_skips_and_repeats_nothing() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let mut kept = Vec::new();
    for number in 0..KEPT {
        let started = format!("2026-03-01T{:02}:30:00Z", number / 2);
        kept.push(salon.record_call(json!({ "started_at": started })).await);
    }
    walk(&salon, "/calls", &kept, writers(&server, &salon, 8, write_call)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walking_messages_while_others_write_skips_and_repeats_nothing() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let mut kept = Vec::new();
    for _ in 0..KEPT {
        kept.push(salon.message(json!({ "status": "resolved" })).await);
    }
    walk(&salon, "/messages", &kept, writers(&server, &salon, 6, write_message)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walking_by_updated_since_skips_no_permanent_record() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let mut kept = Vec::new();
    for number in 0..KEPT {
        kept.push(salon.contact(json!({ "name": format!("Kept {number}") })).await);
    }
    let path = "/contacts?updated_since=2000-01-01T00:00:00Z";
    walk(&salon, path, &kept, writers(&server, &salon, 6, write_contact)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walking_appointments_in_either_order_skips_no_permanent_record() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    let mut kept = Vec::new();
    for number in 0..KEPT {
        server.clock.advance_millis(i64::from(number % 3 == 0));
        let booked = salon.book(&salon.cut, &format!("2026-03-1{}T1{}:00:00Z", number / 6, number % 6)).await;
        kept.push(booked);
    }
    // The list is ordered by `updated_at`: by the time of the last change for changed appointments, and by
    // the time of booking for the others.
    for booked in kept.iter().step_by(3) {
        server.clock.advance_millis(1);
        salon.cancel(booked).await.is(200);
    }
    walk(&salon, "/appointments", &kept, writers(&server, &salon, 8, write_appointment)).await;
    let path = "/appointments?updated_since=2000-01-01T00:00:00Z";
    walk(&salon, path, &kept, writers(&server, &salon, 8, write_appointment)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_appointment_that_is_being_moved_is_always_found() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, "2026-03-10T10:00:00Z").await;
    let moving = booked.clone();
    let turn = move |salon: Salon, mut dice: Dice, _: u64| {
        let moving = moving.clone();
        async move {
            let to = format!("2026-03-1{}T1{}:00:00Z", dice.below(2), dice.below(6));
            salon.try_move(&moving, json!({ "starts_at": to })).await;
        }
    };
    let mut tasks = writers(&server, &salon, 10, turn);
    while !ended(&mut tasks) {
        salon.show(&booked).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn polling_contacts_misses_no_change() {
    let server = Server::open().await;
    let salon = server.salon().await;
    poll(&salon, "contacts", writers(&server, &salon, 10, write_contact)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn polling_appointments_misses_no_change() {
    let server = Server::reading(ROWS).await;
    let salon = server.salon().await;
    poll(&salon, "appointments", writers(&server, &salon, 10, write_appointment)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn polling_calls_and_messages_misses_no_change() {
    let server = Server::open().await;
    let salon = server.salon().await;
    poll(&salon, "calls", writers(&server, &salon, 6, write_call)).await;
    poll(&salon, "messages", writers(&server, &salon, 6, write_message)).await;
}
