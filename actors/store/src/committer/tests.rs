//! Tests the committer with a backend that the test can block, and with simulated disks.

use std::sync::atomic::AtomicU64;
use std::sync::mpsc;

use parking_lot::Condvar;
use uuid::Uuid;

use super::*;
use crate::syncs::Syncs;
use crate::{Key, KeyRange, MemoryBackend, Order, Pairs, Space, Store, Tombstone, VALUE_BYTES_MAX};

/// A backend that records the calls it receives. Each sync blocks until the test lets it continue.
#[derive(Default)]
struct Gated {
    state: Mutex<GatedState>,
    changed: Condvar,
    syncs: Arc<Syncs>,
}

#[derive(Default)]
struct GatedState {
    written: Vec<Vec<Vec<u8>>>,
    syncs_begun: usize,
    syncs_allowed: usize,
    noted: usize,
    closed: bool,
    panic: bool,
}

impl Gated {
    fn new(syncs_allowed: usize) -> Arc<Self> {
        let gated = Self::default();
        gated.state.lock().syncs_allowed = syncs_allowed;
        Arc::new(gated)
    }

    fn allow(&self, syncs: usize) {
        self.state.lock().syncs_allowed += syncs;
        self.changed.notify_all();
    }

    fn wait_for_sync(&self, begun: usize) {
        let mut state = self.state.lock();
        while state.syncs_begun < begun {
            self.changed.wait(&mut state);
        }
    }

    fn group_sizes(&self) -> Vec<usize> {
        self.state.lock().written.iter().map(Vec::len).collect()
    }
}

impl Backend for Gated {
    fn record_tombstones(&self, _: &[Tombstone]) -> Result<(), StoreError> {
        Ok(())
    }

    fn keep_aside(&self, _: &[(BusinessId, String)]) -> Result<(), StoreError> {
        Ok(())
    }

    fn kept_aside(&self) -> Result<Vec<(BusinessId, String)>, StoreError> {
        Ok(Vec::new())
    }

    fn tombstones(&self) -> Result<Vec<Tombstone>, StoreError> {
        Ok(Vec::new())
    }

    fn sequence(&self) -> u64 {
        0
    }

    fn get(&self, _key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    fn scan<'a>(&'a self, _range: &KeyRange, _order: Order) -> Pairs<'a> {
        Box::new(std::iter::empty())
    }

    fn write(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.state.lock();
        assert!(!state.panic, "the backend panics");
        state.written.push(batch.writes().map(|(key, _)| key.to_vec()).collect());
        Ok(())
    }

    fn sync(&self) -> Result<(), StoreError> {
        let mut state = self.state.lock();
        state.syncs_begun += 1;
        self.changed.notify_all();
        while state.syncs_begun > state.syncs_allowed {
            self.changed.wait(&mut state);
        }
        Ok(())
    }

    fn apply(&self, _: &Batch) -> Result<(), StoreError> {
        Ok(())
    }

    fn note_durable(&self) -> Result<(), StoreError> {
        self.state.lock().noted += 1;
        Ok(())
    }

    fn syncs(&self) -> &Arc<Syncs> {
        &self.syncs
    }

    fn space(&self) -> std::io::Result<Space> {
        Ok(Space { free: 1, total: 1 })
    }

    fn close(&self) {
        self.state.lock().closed = true;
    }
}

fn business(byte: u8) -> BusinessId {
    Uuid::from_bytes([byte; 16]).into()
}

pub(super) fn change(bytes: usize) -> Batch {
    let mut batch = Batch::new();
    if bytes <= 4 + VALUE_BYTES_MAX {
        batch.put(Key::new(b"key!"), vec![0; bytes - 4]);
        return batch;
    }
    // A long value is stored in pieces, and the batch also counts the bytes of each piece's key.
    let value = |pieces: usize| bytes - (17 + 28 + 19 * pieces);
    let pieces = (1..).find(|pieces| value(*pieces).div_ceil(VALUE_BYTES_MAX) == *pieces).unwrap();
    batch.put(Key::new(&[0; 17]), vec![0; value(pieces)]);
    assert_eq!(batch.bytes(), bytes);
    batch
}

fn panic_on_fatal() -> OnFatal {
    Box::new(|error| panic!("the store failed: {error}"))
}

fn ignore_fatal() -> OnFatal {
    Box::new(|_| {})
}

fn nothing() -> Done {
    Box::new(|| {})
}

/// Returns a committer whose first sync is blocked, so that later changes wait in its queue.
fn busy(gated: &Arc<Gated>) -> Committer {
    let committer = Committer::on_thread(Arc::clone(gated) as Arc<dyn Backend>, panic_on_fatal()).unwrap();
    committer.submit(business(1), ChangeKind::ToSend, change(10), nothing());
    gated.wait_for_sync(1);
    committer
}

#[tokio::test]
async fn a_change_is_acknowledged_after_it_was_recorded_as_durable() {
    let gated = Gated::new(9);
    let committer = Committer::on_thread(Arc::clone(&gated) as Arc<dyn Backend>, panic_on_fatal()).unwrap();
    for number in 1..=5 {
        let (answer, answered) = tokio::sync::oneshot::channel();
        let backend = Arc::clone(&gated);
        let done = Box::new(move || _ = answer.send(backend.state.lock().noted));
        committer.submit(business(1), ChangeKind::ToSend, change(10), done);
        assert_eq!(answered.await.unwrap(), number);
    }
    committer.close().await.unwrap();
}

#[tokio::test]
async fn a_group_ends_at_64_changes() {
    for (queued, groups) in [(64, vec![1, 64]), (65, vec![1, 64, 1])] {
        let gated = Gated::new(0);
        let committer = busy(&gated);
        for _ in 0..queued {
            committer.submit(business(1), ChangeKind::ToSend, change(10), nothing());
        }
        assert_eq!(committer.queued(), queued);
        gated.allow(100);
        committer.close().await.unwrap();
        assert_eq!(gated.group_sizes(), groups);
        let stats = committer.stats();
        assert_eq!((stats.changes, stats.groups), (queued as u64 + 1, groups.len() as u64));
        let greatest = stats.group_changes.buckets.last();
        assert_eq!((greatest, stats.group_changes.above, stats.queued), (Some(&(64, 1)), 0, 0));
        assert_eq!(stats.bytes, 10 * (queued as u64 + 1));
    }
}

#[tokio::test]
async fn a_group_ends_at_the_maximum_of_bytes_but_takes_at_least_one_change() {
    let half = GROUP_BYTES_MAX / 2;
    let mut large = change(half + 1);
    large.append(change(half + 1));
    for (changes, groups) in [
        (vec![change(half), change(half)], vec![1, 2]),
        (vec![change(half), change(half + 1)], vec![1, 1, 1]),
        (vec![change(half), change(half), change(4)], vec![1, 2, 1]),
        (vec![large.clone()], vec![1, 2]),
        (vec![change(4), large, change(4)], vec![1, 1, 2, 1]),
    ] {
        let gated = Gated::new(0);
        let committer = busy(&gated);
        for batch in changes {
            committer.submit(business(1), ChangeKind::ToSend, batch, nothing());
        }
        gated.allow(100);
        committer.close().await.unwrap();
        assert_eq!(gated.group_sizes(), groups);
    }
}

#[tokio::test]
async fn acknowledgements_are_sent_after_the_sync_and_in_order() {
    let gated = Gated::new(0);
    let committer = busy(&gated);
    let (answers, answered) = mpsc::channel();
    for number in 0..200 {
        let answers = answers.clone();
        // Every fourth change is a barrier, which takes its turn like any other change.
        let batch = if number % 4 == 0 { Batch::new() } else { change(10) };
        committer.submit(
            business(1),
            ChangeKind::ToSend,
            batch,
            Box::new(move || answers.send(number).unwrap()),
        );
    }
    gated.allow(1);
    gated.wait_for_sync(2);
    // The group is written, but its sync is blocked. No change may be acknowledged yet.
    assert_eq!(answered.try_recv(), Err(mpsc::TryRecvError::Empty));
    assert_eq!(committer.synced_through(business(1)), 1);
    gated.allow(100);
    committer.close().await.unwrap();
    drop(answers);
    assert_eq!(answered.iter().collect::<Vec<_>>(), (0..200).collect::<Vec<_>>());
    assert_eq!(committer.stats().barriers, 50);
    assert!(gated.state.lock().closed);
}

#[test]
fn a_barrier_alone_writes_and_syncs_nothing() {
    let gated = Gated::new(0);
    let committer = Committer::on_thread(Arc::clone(&gated) as Arc<dyn Backend>, panic_on_fatal()).unwrap();
    let (answer, answered) = mpsc::channel();
    let ticket = committer.submit(
        business(1),
        ChangeKind::ToSend,
        Batch::new(),
        Box::new(move || answer.send(()).unwrap()),
    );
    answered.recv().unwrap();
    assert_eq!(committer.synced_through(business(1)), ticket.unwrap());
    let stats = committer.stats();
    assert_eq!((stats.barriers, stats.groups, stats.changes), (1, 0, 0));
    assert_eq!(gated.state.lock().syncs_begun, 0);
    gated.allow(1);
}

#[tokio::test]
async fn tickets_increase_and_acknowledgements_follow_the_order_of_each_lane() {
    let gated = Gated::new(usize::MAX / 2);
    let committer = Committer::on_thread(Arc::clone(&gated) as Arc<dyn Backend>, panic_on_fatal()).unwrap();
    let answered = Arc::new(Mutex::new(Vec::new()));
    let tickets: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let submit = |thread: u8| {
            let (committer, answered) = (&committer, &answered);
            move || {
                let one = |_| {
                    let ticket = Arc::new(AtomicU64::new(0));
                    let (seen, answered) = (Arc::clone(&ticket), Arc::clone(answered));
                    // The closure may run before `ticket` is set below. In this case, the closure records 0.
                    let done = Box::new(move || answered.lock().push(seen.load(Ordering::SeqCst)));
                    let given =
                        committer.submit(business(thread), ChangeKind::ToSend, change(10), done).unwrap();
                    ticket.store(given, Ordering::SeqCst);
                    given
                };
                (0..500).map(one).collect()
            }
        };
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(submit(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    committer.close().await.unwrap();
    for (thread, of_thread) in (0..).zip(&tickets) {
        assert!(of_thread.is_sorted_by(|a, b| a < b));
        assert_eq!(committer.synced_through(business(thread)), *of_thread.last().unwrap());
    }
    let mut all: Vec<u64> = tickets.iter().flatten().copied().collect();
    all.sort_unstable();
    assert_eq!(all, (1..=4000).collect::<Vec<_>>());
    let answered = answered.lock();
    for of_thread in &tickets {
        let of_thread: Vec<_> = answered.iter().filter(|ticket| of_thread.contains(ticket)).collect();
        assert!(of_thread.is_sorted());
    }
}

#[tokio::test]
async fn settled_waits_only_for_changes_that_were_queued_before() {
    let gated = Gated::new(0);
    let committer = busy(&gated);
    let mut waiting = Box::pin(committer.wait_durable(business(1), ChangeKind::Any));
    let other = committer.wait_durable(business(2), ChangeKind::Any);
    other.await.unwrap(); // this lane has no queued changes
    assert!(futures_ready(waiting.as_mut()).is_none());
    committer.submit(business(1), ChangeKind::ToSend, change(10), nothing());
    let second = committer.wait_durable(business(1), ChangeKind::Any);
    gated.allow(1);
    waiting.await.unwrap();
    gated.wait_for_sync(2);
    let mut second = Box::pin(second);
    assert!(futures_ready(second.as_mut()).is_none());
    gated.allow(100);
    second.await.unwrap();
    committer.wait_durable(business(1), ChangeKind::Any).await.unwrap();
    committer.close().await.unwrap();
}

#[tokio::test]
async fn a_wait_for_changes_to_send_skips_outcomes_of_attempts() {
    let gated = Gated::new(0);
    let committer = Committer::on_thread(Arc::clone(&gated) as Arc<dyn Backend>, panic_on_fatal()).unwrap();
    committer.submit(business(1), ChangeKind::Any, change(10), nothing());
    let mut waiting = Box::pin(committer.wait_durable(business(1), ChangeKind::ToSend));
    assert!(futures_ready(waiting.as_mut()).is_some() && !committer.is_settled(business(1)));
    committer.submit(business(1), ChangeKind::ToSend, change(10), nothing());
    committer.submit(business(1), ChangeKind::Any, change(10), nothing());
    let mut waiting = Box::pin(committer.wait_durable(business(1), ChangeKind::ToSend));
    assert!(futures_ready(waiting.as_mut()).is_none());
    gated.allow(100);
    waiting.await.unwrap();
    committer.close().await.unwrap();
}

fn futures_ready<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}

fn counting() -> (OnFatal, Arc<AtomicU64>) {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let on_fatal = move |_: &StoreError| {
        counted.fetch_add(1, Ordering::SeqCst);
    };
    (Box::new(on_fatal), count)
}

#[tokio::test(start_paused = true)]
async fn after_a_failure_no_change_is_acknowledged_or_accepted() {
    for fail_apply in [true, false] {
        let disk = MemoryBackend::new();
        let (on_fatal, fatal) = counting();
        let store = Store::in_memory(&disk, on_fatal).unwrap();
        let submit = |batch| {
            let (answer, answered) = tokio::sync::oneshot::channel();
            let ticket = store.submit(business(1), batch, Box::new(move || answer.send(()).unwrap()));
            (ticket, answered)
        };
        submit(change(10)).1.await.unwrap();
        if fail_apply {
            disk.fail_next_write();
        } else {
            disk.fail_next_sync();
        }
        // The 65 changes form two groups. The first group fails, so the second group is never written.
        let lost: Vec<_> = (0..65).map(|_| submit(change(10)).1).collect();
        let settled = store.wait_durable(business(1));
        for answered in lost {
            answered.await.unwrap_err();
        }
        assert!(matches!(settled.await, Err(StoreError::Stopped)));
        assert!(store.failed());
        assert_eq!(fatal.load(Ordering::SeqCst), 1);
        let (ticket, answered) = submit(Batch::new());
        assert_eq!(ticket, None);
        answered.await.unwrap_err();
        assert!(matches!(store.wait_durable(business(1)).await, Err(StoreError::Stopped)));
        assert!(
            matches!(store.wait_durable(business(2)).await, Err(StoreError::Stopped)),
            "after a failure no business is settled"
        );
        assert!(matches!(store.close().await, Err(StoreError::Stopped)));
        assert_eq!((store.synced_through(business(1)), disk.syncs()), (1, 1));
        assert_eq!(disk.applies(), if fail_apply { 1 } else { 2 });
        assert_eq!(fatal.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn a_panic_in_an_acknowledgement_affects_no_other_change() {
    let gated = Gated::new(100);
    let committer = Committer::on_thread(Arc::clone(&gated) as Arc<dyn Backend>, panic_on_fatal()).unwrap();
    committer.submit(business(1), ChangeKind::ToSend, change(10), Box::new(|| panic!("the answer panics")));
    let (answer, answered) = tokio::sync::oneshot::channel();
    committer.submit(business(1), ChangeKind::ToSend, change(10), Box::new(move || answer.send(()).unwrap()));
    answered.await.unwrap();
    committer.close().await.unwrap();
}

#[tokio::test]
async fn a_panic_of_the_backend_is_a_failure() {
    let gated = Gated::new(0);
    gated.state.lock().panic = true;
    let (on_fatal, fatal) = counting();
    let committer = Committer::on_thread(Arc::clone(&gated) as Arc<dyn Backend>, on_fatal).unwrap();
    let (answer, answered) = tokio::sync::oneshot::channel::<()>();
    committer.submit(business(1), ChangeKind::ToSend, change(10), Box::new(move || answer.send(()).unwrap()));
    answered.await.unwrap_err();
    assert!(matches!(committer.close().await, Err(StoreError::Stopped)));
    assert_eq!(fatal.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_task_takes_the_same_steps_as_a_thread() {
    let disk = MemoryBackend::new();
    let store = Store::in_memory(&disk, ignore_fatal()).unwrap();
    disk.hold_syncs();
    let (answer, mut answered) = tokio::sync::oneshot::channel();
    store.submit(business(1), change(10), Box::new(move || answer.send(()).unwrap()));
    let mut settled = Box::pin(store.wait_durable(business(1)));
    while disk.applies() == 0 {
        tokio::task::yield_now().await;
    }
    // The change is written, but not yet durable, visible or acknowledged.
    assert!(!store.contains(&Key::new(b"key!")).unwrap());
    assert!(futures_ready(settled.as_mut()).is_none());
    assert!(answered.try_recv().is_err());
    assert_eq!((disk.unsynced(), disk.syncs(), store.stats().groups), (1, 0, 0));
    disk.release_syncs();
    answered.await.unwrap();
    settled.await.unwrap();
    assert_eq!((disk.unsynced(), disk.syncs()), (0, 1));
    store.close().await.unwrap();
    assert!(matches!(store.get_raw(&Key::new(b"key!")), Err(StoreError::Closed)));
    assert_eq!(store.submit(business(1), change(10), nothing()), None);

    let store = Store::in_memory(&disk, ignore_fatal()).unwrap();
    assert!(store.contains(&Key::new(b"key!")).unwrap());
    disk.set_sync_delay(std::time::Duration::from_millis(7));
    let before = tokio::time::Instant::now();
    let (answer, answered) = tokio::sync::oneshot::channel();
    store.submit(business(1), change(10), Box::new(move || answer.send(()).unwrap()));
    answered.await.unwrap();
    assert_eq!(before.elapsed().as_millis(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_crash_before_the_sync_loses_the_group_without_an_acknowledgement() {
    let disk = MemoryBackend::new();
    let store = Store::in_memory(&disk, ignore_fatal()).unwrap();
    disk.hold_syncs();
    let (answer, answered) = tokio::sync::oneshot::channel::<()>();
    store.submit(business(1), change(10), Box::new(move || answer.send(()).unwrap()));
    while disk.applies() == 0 {
        tokio::task::yield_now().await;
    }
    disk.crash(0);
    let after = Store::in_memory(&disk, ignore_fatal()).unwrap();
    assert!(!after.contains(&Key::new(b"key!")).unwrap());
    answered.await.unwrap_err();
    assert!(store.failed());
}

#[tokio::test]
async fn dropping_the_last_handle_writes_the_queued_changes() {
    let gated = Gated::new(0);
    let committer = busy(&gated);
    let (answer, answered) = tokio::sync::oneshot::channel();
    committer.submit(business(1), ChangeKind::ToSend, change(10), Box::new(move || answer.send(()).unwrap()));
    drop(committer);
    gated.allow(100);
    answered.await.unwrap();
}

#[test]
#[should_panic(expected = "more than the store allows")]
fn a_change_above_the_bound_is_refused() {
    let committer = Committer::on_thread(Gated::new(9), ignore_fatal()).unwrap();
    let mut batch = Batch::new();
    while batch.bytes() <= CHANGE_BYTES_MAX {
        batch.append(change(GROUP_BYTES_MAX));
    }
    committer.submit(business(1), ChangeKind::ToSend, batch, nothing());
}
