//! Tests of requests from concurrent clients. The results are the same as if the service had carried out the
//! requests one after the other in some order.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Answer, Dice, Server, ids};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_64_concurrent_bookings_of_a_slot_one_succeeds() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut tasks = JoinSet::new();
    for n in 0..64 {
        let salon = salon.clone();
        let contact = json!({ "contact": { "phone": format!("+336110000{n:02}") } });
        tasks.spawn(async move { salon.try_book_with(&salon.colour, "2026-03-03T09:00:00Z", contact).await });
    }
    let answers: Vec<Answer> = tasks.join_all().await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 201);
    assert_eq!((won.len(), lost.len()), (1, 63));
    for answer in lost {
        answer.fails(409, "slot_unavailable").says("taken");
    }
    assert_eq!(salon.api.all("/appointments").await, [won[0].data()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_bookings_moves_and_cancellations_never_overlap() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut tasks = JoinSet::new();
    for task in 0..16 {
        let salon = salon.clone();
        tasks.spawn(async move {
            let mut dice = Dice(task);
            let mut mine: BTreeMap<String, Value> = BTreeMap::new();
            for _ in 0..20 {
                let start = format!("2026-03-03T{:02}:{}0:00Z", 8 + dice.below(9), 3 * dice.below(2));
                let service = [&salon.cut, &salon.massage, &salon.colour][dice.below(3) as usize];
                let answer = match mine.first_key_value() {
                    Some((_, one)) if dice.below(4) == 0 => salon.cancel(one).await.is(200).clone(),
                    Some((_, one)) if dice.below(3) == 0 => {
                        salon.try_move(one, json!({ "starts_at": start })).await
                    }
                    _ => salon.try_book(service, &start).await,
                };
                if answer.status >= 400 {
                    answer.fails(409, "slot_unavailable");
                } else {
                    let one = answer.data();
                    mine.insert(one["id"].as_str().unwrap().to_owned(), one);
                    mine.retain(|_, one| one["status"] == "confirmed");
                }
            }
            mine
        });
    }
    let mut booked: Vec<Value> = tasks.join_all().await.into_iter().flat_map(BTreeMap::into_values).collect();
    let mut listed = salon.api.all("/appointments?status=confirmed,pending").await;
    for list in [&mut booked, &mut listed] {
        list.sort_by_key(|one| one["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(booked, listed, "the list must contain exactly the appointments that the responses confirmed");
    assert!(listed.len() > 10);
    for (at, one) in listed.iter().enumerate() {
        for other in &listed[at + 1..] {
            let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
            let apart = text(one, "ends_at") <= text(other, "starts_at")
                || text(other, "ends_at") <= text(one, "starts_at")
                || one["staff_id"] != other["staff_id"];
            assert!(apart, "{one} overlaps with {other}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_request_from_32_tasks_books_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = salon.booking(&salon.cut, "2026-03-03T09:00:00Z", json!({}));
    let mut tasks = JoinSet::new();
    for _ in 0..32 {
        let call = salon.api.call("POST", "/appointments").json(&body).once("once");
        tasks.spawn(async move { call.await });
    }
    let answers: Vec<Answer> = tasks.join_all().await;
    let all = salon.api.all("/appointments").await;
    assert_eq!(all.len(), 1);
    let mut first = 0;
    for answer in answers {
        if answer.status == 201 {
            assert_eq!(answer.data(), all[0]);
            first += usize::from(!answer.has("idempotent-replayed"));
        } else {
            answer.fails(409, "idempotency_request_in_progress");
        }
    }
    assert_eq!(first, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_concurrent_requests_with_one_idempotency_key_one_is_carried_out() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for round in 0..8 {
        let mut tasks = JoinSet::new();
        for hour in [9, 10] {
            let start = format!("2026-03-{:02}T{hour:02}:00:00Z", 9 + round % 5);
            let body = salon.booking(&salon.cut, &start, json!({}));
            let call = salon.api.call("POST", "/appointments").json(&body).once(&format!("k{round}"));
            tasks.spawn(async move { call.await });
        }
        let mut statuses: Vec<_> = tasks.join_all().await.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert!(matches!(statuses[..], [201, 409 | 422]), "{statuses:?}");
    }
    assert_eq!(salon.api.all("/appointments").await.len(), 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_new_contact_of_many_bookings_is_created_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut tasks = JoinSet::new();
    for n in 0..18 {
        let salon = salon.clone();
        let start = format!("2026-03-03T{:02}:{}0:00Z", 8 + n / 2, 3 * (n % 2));
        tasks.spawn(async move { salon.book(&salon.cut, &start).await });
    }
    let contacts: HashSet<_> =
        tasks.join_all().await.iter().map(|one| one["contact_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(contacts.len(), 1);
}

/// Starts eight tasks that book appointments from Wednesday to Saturday and cancel some of them. Each task
/// books at most `rounds` times. The test may stop the tasks earlier.
fn disturb(server: &Server, salon: &crate::harness::Salon, rounds: usize) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for task in 0..8 {
        let (salon, clock) = (salon.clone(), server.clock.clone());
        tasks.spawn(async move {
            let mut dice = Dice(100 + task);
            for _ in 0..rounds {
                clock.advance_millis(1);
                let start = format!("2026-03-0{}T{:02}:00:00Z", 4 + dice.below(4), 8 + dice.below(8));
                let answer = salon.try_book(&salon.cut, &start).await;
                if answer.status == 201 && dice.below(3) > 0 {
                    clock.advance_millis(1);
                    salon.cancel(&answer.data()).await.is(200);
                }
            }
        });
    }
    tasks
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_are_read_during_writes_skip_and_repeat_no_appointment() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut there = HashSet::new();
    for day in 3..8 {
        for hour in [8, 10, 12, 14] {
            let start = format!("2026-03-0{day}T{hour:02}:30:00Z");
            there.insert(salon.book(&salon.cut, &start).await["id"].as_str().unwrap().to_owned());
        }
    }
    let mut tasks = disturb(&server, &salon, 12);
    let done = Arc::new(AtomicBool::new(false));
    let waiter = {
        let done = Arc::clone(&done);
        tokio::spawn(async move {
            while tasks.join_next().await.transpose().unwrap().is_some() {}
            done.store(true, Ordering::SeqCst);
        })
    };
    let mut walks = 0;
    while !done.load(Ordering::SeqCst) || walks < 3 {
        for (path, limit) in [("/appointments", 3), ("/appointments?updated_since=2026-03-02T06:00:00Z", 7)] {
            let seen = ids(&salon.api.walk(path, limit).await);
            let counted = seen.iter().filter(|id| there.contains(*id)).count();
            let distinct: HashSet<_> = seen.iter().cloned().collect();
            assert!(there.is_subset(&distinct), "{path} skipped a record");
            assert_eq!(counted, there.len(), "{path} returned a record twice");
        }
        walks += 1;
    }
    waiter.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn polling_updated_since_misses_no_change() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut tasks = disturb(&server, &salon, 15);
    let mut since = "2026-03-02T06:00:00.000Z".to_owned();
    let mut known: HashMap<String, Value> = HashMap::new();
    let mut last = false;
    loop {
        for one in salon.api.walk(&format!("/appointments?updated_since={since}"), 5).await {
            let stamp = one["updated_at"].as_str().unwrap().to_owned();
            assert!(stamp >= since, "the list returned this change after a later one: {one}");
            since = stamp;
            known.insert(one["id"].as_str().unwrap().to_owned(), one);
        }
        if last {
            break;
        }
        while let Some(done) = tasks.try_join_next() {
            done.unwrap();
        }
        last = tasks.is_empty();
    }
    let whole = salon.api.all("/appointments").await;
    assert_eq!(whole.len(), known.len());
    for one in whole {
        assert_eq!(known[one["id"].as_str().unwrap()], one);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_after_a_response_shows_its_change() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut tasks = JoinSet::new();
    for n in 0..18 {
        let salon = salon.clone();
        let start = format!("2026-03-03T{:02}:{}0:00Z", 8 + n / 2, 3 * (n % 2));
        tasks.spawn(async move {
            let booked = salon.book(&salon.cut, &start).await;
            assert_eq!(salon.show(&booked).await, booked);
            assert!(salon.api.all("/appointments").await.contains(&booked));
            let cancelled = salon.cancel(&booked).await.data();
            assert_eq!(salon.show(&booked).await, cancelled);
        });
    }
    tasks.join_all().await;
}
