use std::thread::{self, ThreadId};

use store::{Batch, MemoryBackend};
use tokio::task::yield_now;

use super::*;

fn business(number: u128) -> BusinessId {
    uuid::Uuid::from_u128(number).into()
}

fn memory() -> Store {
    Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap()
}

fn key(number: u16) -> Key {
    Key::new(&[7; 17]).with(&number.to_be_bytes())
}

/// Writes `rows` rows with `bytes` bytes each.
async fn fill(store: &Store, rows: u16, bytes: usize) {
    let mut batch = Batch::new();
    for number in 0..rows {
        batch.put(key(number), vec![b'x'; bytes]);
    }
    store.submit(business(1), batch, Box::new(|| ()));
    store.wait_durable(business(1)).await.unwrap();
}

/// A request that reads rows one by one until its limit is reached. Its result contains the thread of each step.
fn all_it_may() -> impl Step<Vec<ThreadId>> {
    let (mut number, mut threads) = (0, Vec::new());
    move |reader| {
        threads.push(thread::current().id());
        while !reader.is_used_up() {
            reader.get_raw(&key(number))?;
            number += 1;
        }
        Ok(reader.ends_request().then(|| threads.clone()))
    }
}

#[tokio::test]
async fn a_request_reads_its_budget_in_four_steps_and_others_get_turns_between_them() {
    let (store, scans) = (memory(), Scans::new(SCAN_ROWS_MAX));
    let turns = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&turns);
    let others = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::SeqCst);
            yield_now().await;
        }
    });
    let steps = scans.read(&store, business(1), all_it_may()).await.unwrap();
    others.abort();
    assert_eq!(steps.len(), STEPS);
    assert_eq!(turns.load(Ordering::SeqCst), STEPS as u64 - 1);
    // A step ends only after it has exceeded its budget. Each of the four steps may therefore read one row more than
    // its budget.
    assert!((SCAN_ROWS_MAX as u64..=SCAN_ROWS_MAX as u64 + 4).contains(&scans.rows_read()));
    assert_eq!(scans.under_way(), 0);
}

#[tokio::test]
async fn further_steps_run_on_another_thread() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open_disk(directory.path(), Box::new(|error| panic!("{error}"))).unwrap();
    let scans = Scans::new(100);
    let threads = scans.read(&store, business(1), all_it_may()).await.unwrap();
    assert_eq!(threads.len(), STEPS);
    assert_eq!(threads[0], thread::current().id());
    assert!(threads[1..].iter().all(|thread| *thread != threads[0]));
    let first = |_: &Reader<'_>| Ok(Some(thread::current().id()));
    assert_eq!(scans.read(&store, business(1), first).await.unwrap(), thread::current().id());
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_long_row_counts_as_several() {
    let store = memory();
    fill(&store, 3, ROW_BYTES * 3).await;
    let reader = Reader::new(&store, 4, 8);
    assert!(reader.get_raw(&key(0)).unwrap().is_some() && !reader.is_used_up());
    assert!(reader.get_raw(&key(9)).unwrap().is_none());
    assert!(reader.is_used_up() && !reader.ends_request(), "reading a missing row must count");
    let range = KeyRange { from: key(0), to: key(9) };
    assert_eq!(reader.scan(&range, Order::Ascending).take(1).count(), 1);
    assert!(reader.ends_request());
}

#[tokio::test(start_paused = true)]
async fn the_first_step_ends_when_its_time_is_over() {
    let store = memory();
    let mut reader = Reader::new(&store, 512, 2_048);
    reader.until = Some(Instant::now() + FIRST_STEP_TIME_MAX);
    for number in 0..40 {
        reader.get_raw(&key(number)).unwrap();
        assert!(!reader.is_used_up());
    }
    tokio::time::advance(FIRST_STEP_TIME_MAX).await;
    let more = (40..).find(|number| {
        reader.get_raw(&key(*number)).unwrap();
        reader.is_used_up()
    });
    assert!(more.is_some_and(|number| number <= 40 + ROWS_PER_LOOK as u16));
}

#[tokio::test]
#[should_panic(expected = "more than its bound of 5")]
async fn a_request_that_reads_beyond_its_bound_panics() {
    let greedy = |reader: &Reader<'_>| {
        (0..5 + ITEM_READS_MAX as u16 + 1).try_for_each(|number| reader.get_raw(&key(number)).map(drop))?;
        Ok(Some(()))
    };
    let _ = Scans::new(5).read(&memory(), business(1), greedy).await;
}

#[tokio::test]
async fn businesses_take_turns() {
    let scans = Scans::new(1);
    let (granted, mut grants) = tokio::sync::mpsc::unbounded_channel();
    for number in [1, 1, 1, 2, 3, 3, 4] {
        let (scans, granted) = (Arc::clone(&scans), granted.clone());
        tokio::spawn(async move {
            granted.send((number, scans.wait_turn(business(number)).await.unwrap())).unwrap();
        });
        yield_now().await;
    }
    let mut held = Vec::new();
    let mut order = Vec::new();
    while order.len() < 7 {
        let (number, place) = grants.recv().await.unwrap();
        order.push(number);
        held.push(place);
        if held.len() == SCANS_MAX {
            // All permits for scans are taken, so no other request may get one now.
            for _ in 0..20 {
                yield_now().await;
            }
            assert!(grants.try_recv().is_err());
            drop(held.remove(0));
        }
    }
    assert_eq!(order, [1, 2, 3, 4, 1, 3, 1]);
    held.clear();
    assert_eq!(scans.under_way(), 0);
    drop(scans.wait_turn(business(5)).await.unwrap());
    assert_eq!(scans.turns.lock().len(), 1, "a business without waiting requests must have no entry");
}

#[tokio::test]
async fn requests_beyond_the_queue_are_refused_and_dropped_ones_leave_it() {
    let scans = Scans::new(1);
    let ticket = |number| scans.waiting.take_owned(business(number)).unwrap();
    let of_one: Vec<_> = (0..WAITING_PER_BUSINESS_MAX).map(|_| ticket(1)).collect();
    assert!(matches!(scans.wait_turn(business(1)).await, Err(EngineError::Overloaded)));
    let others: Vec<_> =
        (0..WAITING_MAX - WAITING_PER_BUSINESS_MAX).map(|number| ticket(2 + number as u128 / 10)).collect();
    assert!(matches!(scans.wait_turn(business(9_999)).await, Err(EngineError::Overloaded)));
    assert_eq!(scans.under_way(), WAITING_MAX);
    drop((of_one, others));
    let held = scans.wait_turn(business(1)).await.unwrap();
    let waiting = Arc::clone(&scans);
    let waits = tokio::spawn(async move { waiting.wait_turn(business(1)).await });
    yield_now().await;
    waits.abort();
    assert!(waits.await.is_err());
    assert_eq!(scans.under_way(), 1);
    drop(held);
    assert_eq!(scans.under_way(), 0);
    drop(scans.wait_turn(business(1)).await.unwrap());
}

#[tokio::test]
async fn a_request_that_is_dropped_while_it_reads_ends_with_its_step() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open_disk(directory.path(), Box::new(|error| panic!("{error}"))).unwrap();
    let scans = Scans::new(100);
    let (begun, begins) = oneshot::channel();
    let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
    let steps = Arc::new(AtomicU64::new(0));
    let (counted, mut begun) = (Arc::clone(&steps), Some(begun));
    let step = move |reader: &Reader<'_>| {
        while !reader.is_used_up() {
            reader.get_raw(&key(0))?;
        }
        // The second step waits until the test has dropped the request.
        if counted.fetch_add(1, Ordering::SeqCst) == 1 {
            begun.take().map(|begun| begun.send(()));
            let _ = goes_on.recv();
        }
        Ok(reader.ends_request().then_some(()))
    };
    let of = (Arc::clone(&scans), store.clone());
    let reading = tokio::spawn(async move { of.0.read(&of.1, business(1), step).await });
    begins.await.unwrap();
    reading.abort();
    assert!(reading.await.is_err());
    assert_eq!(scans.under_way(), 1, "the permit must still be in use");
    go_on.send(()).unwrap();
    // The next request of the business gets its turn only after the thread has ended.
    drop(scans.wait_turn(business(1)).await.unwrap());
    assert_eq!(steps.load(Ordering::SeqCst), 2);
    store.close().await.unwrap();
}
