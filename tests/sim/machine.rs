//! Suspends, stops and restarts the machine. The clock is sometimes wrong afterwards.

use std::time::Duration;

use domain::BusinessId;
use store::records::ClockRecord;
use store::{Batch, Record, keys};

use crate::life::Life;
use crate::model::Span;
use crate::sim::{Sim, runtime};
use crate::wide::Workload;

/// The time within which an attempt in progress ends and all due deliveries are attempted.
const CAUGHT_UP: Duration = Duration::from_secs(45);
/// The interval at which the service stores its steady time (see `time.rs`), in milliseconds. It includes a margin for
/// writes to the disk.
const KEEPS_MILLIS: i64 = 65_000;

impl Sim {
    /// Suspends the machine. Afterwards, every delivery that has become due must be attempted, although no timer ran
    /// during the suspension.
    pub(crate) async fn some_suspension(&self, life: &mut Life) {
        if self.workload != Workload::Wide || !self.machine_dice.once_in(80) {
            return;
        }
        // After a jump of the wall clock, the service doubts the clock for some time. During this time the machine is
        // not suspended. If it were suspended, the model would not know when the service noticed the jump.
        if self.world.time.is_doubted() {
            return;
        }
        // Before the suspension, the test waits until no request and no attempt is in progress.
        life.quiet().await;
        tokio::time::sleep(CAUGHT_UP).await;
        let minutes = i64::try_from(self.machine_dice.between(1, 1_500)).unwrap();
        self.world.say(format_args!("the machine is suspended for {minutes} minutes"));
        self.world.time.suspend(minutes * 60_000);
        self.doubt_reads();
        tokio::time::sleep(CAUGHT_UP).await;
    }

    /// Stops the service for some time, or restarts the machine. After a restart, the clock may be slow until it is
    /// corrected.
    pub(crate) fn some_standstill(&self) {
        if self.workload != Workload::Wide {
            return;
        }
        if self.machine_dice.once_in(3) {
            let minutes = i64::try_from(self.machine_dice.between(1, 600)).unwrap();
            self.world.say(format_args!("the service is stopped for {minutes} minutes"));
            self.world.time.stand_still(minutes * 60_000);
        }
        if self.machine_dice.once_in(2) {
            self.world.say(format_args!("the machine is restarted"));
            self.world.time.reboot();
            if self.world.time.ahead() == 0 && self.machine_dice.once_in(3) {
                let hours = i64::try_from(self.machine_dice.between(1, 30_000)).unwrap();
                self.world.say(format_args!("the clock of the machine is {hours} hours slow"));
                self.world.time.set_ahead(-hours * 3_600_000 - 4_321);
            }
        }
    }

    /// If the wall clock is correct and the stored time of the service is later, sets the stored time to the wall
    /// clock. Does not change the timestamps of records. If `always` is false, the correction may be omitted at random.
    pub(crate) fn some_repaired_time(&mut self, always: bool) {
        let wall = self.world.time.wall();
        let is_wrong =
            self.world.time.ahead() == 0 && self.kept.as_ref().is_some_and(|kept| kept.wall > wall);
        if !is_wrong || !(always || self.workload != Workload::Wide || self.machine_dice.once_in(2)) {
            return;
        }
        self.world.say(format_args!("the stored time of the service is corrected"));
        let kept = self.kept.take().map(|kept| ClockRecord { wall, boot: None, ..kept });
        self.kept = kept.clone();
        runtime().block_on(async {
            let (store, mut batch) = (self.world.store(), Batch::new());
            kept.into_iter().for_each(|kept| batch.put(keys::clock(), kept.encode()));
            store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
            store.close().await.unwrap();
        });
    }

    /// Checks that the service stored its steady time about once a minute. When a run ends, the steady time since the
    /// last stored time is lost. The loss must be less than [`KEEPS_MILLIS`] plus the time for which the machine was
    /// suspended. The time after a failure of the store does not count as a loss. If the disk had no room at some time
    /// in the run, or if the run was too short to store the time, any loss is allowed.
    pub(crate) fn check_count(&self, span: Span, kept: &ClockRecord) {
        let lost = self.world.time.count() - (span.ended - span.worked) - kept.steady.millis();
        let nothing_kept = self.kept.as_ref() == Some(kept) && span.worked - span.began < KEEPS_MILLIS;
        let full = self.is_room_short(span);
        let lost_max = if nothing_kept || full { i64::MAX } else { KEEPS_MILLIS };
        assert!(
            (0..lost_max.saturating_add(span.suspended)).contains(&lost),
            "{lost} ms of steady time were lost"
        );
    }
}
