//! Runs the committer: as a thread if the store is on a disk, as a task in simulations. Both take the same steps.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Core;
use super::queue::Group;
#[cfg(any(test, feature = "simulation"))]
use crate::memory::Session;
use crate::{Backend, StoreError, keys};

pub(super) fn start_thread(core: Arc<Core>, backend: Arc<dyn Backend>) -> Result<JoinHandle<()>, StoreError> {
    let start = std::thread::Builder::new().name("committer".into());
    let thread = start.spawn(move || thread(&core, &*backend));
    thread.map_err(StoreError::preparing("starting the thread", "committer"))
}

#[allow(
    clippy::disallowed_methods,
    reason = "only the thread measures real time; a simulation uses the task"
)]
fn thread(core: &Arc<Core>, backend: &dyn Backend) {
    let _end = End(Arc::clone(core));
    while let Some(group) = core.queue.take_blocking(Instant::now()) {
        let started = Instant::now();
        let mut synced_in = Duration::ZERO;
        if group.writing > 0 {
            let committed = write(core, backend, &group).and_then(|()| {
                let written = Instant::now();
                backend.sync()?;
                synced_in = written.elapsed();
                apply(core, backend, &group)
            });
            if let Err(error) = committed {
                return core.fail(&error);
            }
        }
        let took = started.elapsed();
        core.counters.timed(&group, took, synced_in);
        if let Some(rest) = group.rest(took) {
            core.queue.rest_until(started + took + rest);
        }
        if core.has_failed() {
            return;
        }
        if let Err(error) = publish(core, backend, group) {
            return core.fail(&error);
        }
    }
    finish(core, backend);
}

/// Does the same work as `thread`, but as an async task for simulations and tests. The task never reads the time, so
/// that a simulation is deterministic.
#[cfg(any(test, feature = "simulation"))]
pub(super) async fn task(core: Arc<Core>, backend: Arc<Session>) {
    let _end = End(Arc::clone(&core));
    while let Some(group) = core.queue.take().await {
        if group.writing > 0 {
            let mut committed = write(&core, &*backend, &group);
            if committed.is_ok() {
                backend.before_sync().await;
                committed = backend.sync().and_then(|()| apply(&core, &*backend, &group));
            }
            if let Err(error) = committed {
                return core.fail(&error);
            }
        }
        if core.has_failed() {
            return;
        }
        if let Err(error) = publish(&core, &*backend, group) {
            return core.fail(&error);
        }
    }
    finish(&core, &*backend);
}

fn write(core: &Core, backend: &dyn Backend, group: &Group) -> Result<(), StoreError> {
    for tap in core.taps() {
        tap.save(backend, &group.batch)?;
    }
    if !group.batch.tombstones().is_empty() {
        backend.record_tombstones(group.batch.tombstones())?;
    }
    backend.write(&group.batch)
}

fn apply(core: &Core, backend: &dyn Backend, group: &Group) -> Result<(), StoreError> {
    backend.apply(&group.batch)?;
    // The counter must increase before `publish` acknowledges the group, so that caches of API keys and sessions do not
    // miss the change.
    if group.batch.writes().any(|(key, _)| keys::lets_in(key)) {
        core.credentials_generation.fetch_add(1, Ordering::AcqRel);
    }
    Ok(())
}

/// Records the number of the durable batch, and then acknowledges the changes. If a fault of the disk removes the batch
/// later, the next start detects the loss by this number.
fn publish(core: &Core, backend: &dyn Backend, group: Group) -> Result<(), StoreError> {
    core.counters.add(&group);
    if group.writing > 0 {
        backend.note_durable()?;
    }
    core.publish(group.changes);
    Ok(())
}

fn finish(core: &Core, backend: &dyn Backend) {
    if core.has_failed() {
        return;
    }
    match backend.sync().and_then(|()| backend.save()) {
        Ok(()) => backend.close(),
        Err(error) => core.fail(&error),
    }
}

/// Reports the end of the committer when this value is dropped. A panic of the committer counts as a failure of the
/// store.
struct End(Arc<Core>);

impl Drop for End {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.0.has_failed() {
            self.0.fail(&StoreError::Panicked);
        }
        self.0.end();
    }
}
