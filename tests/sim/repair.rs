//! Runs the repair of timestamps on the store of a seed. The test passes the time of a random audit entry to the
//! repair as the present time. The test kills the repair several times. After the repair, no timestamp may be later
//! than the time of this audit entry.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;
use domain::{AuditEntry, ResourceId, Timestamp};
use engine::repair::repair_stamps;
use serde_json::Value;
use store::keys;
use uuid::Uuid;

use crate::life::Life;
use crate::rows::Rows;
use crate::sim::{Sim, runtime};

/// The number of times that the repair is killed before it may finish.
const KILLS: usize = 4;

/// The fields of a resource that contain timestamps.
const STAMPS: [&str; 5] = ["created_at", "updated_at", "disabled_at", "revoked_at", "handled_at"];

/// Returns all timestamps of a business, by resource and field.
fn stamps(rows: &Rows) -> BTreeMap<(Uuid, String), Timestamp> {
    let mut stamps = BTreeMap::new();
    for (id, shown) in &rows.shown {
        for field in STAMPS {
            if let Some(at) = shown[field].as_str() {
                stamps.insert((*id, field.to_owned()), Timestamp::parse(at).unwrap());
            }
        }
    }
    for ((endpoint, event), delivery) in &rows.deliveries {
        let of = |field: &str| (event.uuid(), format!("{field} to {endpoint}"));
        stamps.insert(of("created"), delivery.created_at);
        stamps.extend(delivery.last_attempt_at.map(|at| (of("tried"), at)));
    }
    let of = |entry: &AuditEntry| entry.id.uuid();
    stamps.extend(rows.audit.iter().map(|entry| ((of(entry), "at".to_owned()), entry.at)));
    stamps
}

/// Returns all resources without their timestamps.
fn unstamped(rows: &Rows) -> BTreeMap<Uuid, Value> {
    let mut shown = rows.shown.clone();
    for resource in shown.values_mut().filter_map(Value::as_object_mut) {
        STAMPS.iter().for_each(|field| _ = resource.remove(*field));
    }
    shown
}

impl Sim {
    pub(crate) fn repair(&mut self, before: &[Rows]) {
        let all: Vec<_> = before.iter().flat_map(|rows| rows.audit.iter().map(|entry| entry.at)).collect();
        let present = *self.dice.pick(&all);
        self.world.say(format_args!("timestamps are corrected as of {present}"));
        self.world.disk.set_sync_delay(Duration::from_millis(2));
        if self.aside.set_aside().is_some() {
            // The repair cannot change the rows of a business that is set aside, so some timestamps would stay in the
            // future. Therefore the repair is refused.
            let refused =
                runtime().block_on(async { repair_stamps(&self.world.store(), present, false).await });
            assert!(refused.is_err(), "a repair with a set-aside business must be refused");
            return;
        }
        let mut now = present;
        for _ in 0..KILLS {
            let runtime = runtime();
            runtime.block_on(async {
                let store = self.world.store();
                if store.contains(&keys::repair()).unwrap() {
                    // The repair is unfinished, and must continue with the time of its first run. The run below gets a
                    // later time, which must have no effect.
                    now = present + TimeDelta::hours(1);
                }
                let time = Duration::from_millis(self.dice.next() % 60);
                let _ = tokio::time::timeout(time, repair_stamps(&store, now, false)).await;
                let keep = self.dice.below(self.world.disk.unsynced() + 1);
                self.world.disk.crash(keep);
                self.world.say(format_args!("the repair was killed; {keep} unsynced batches survive"));
            });
        }
        let runtime = runtime();
        let rows: Vec<_> = runtime.block_on(async {
            let store = self.world.store();
            repair_stamps(&store, present, false).await.unwrap();
            let rows = self.shops.iter().map(|shop| Rows::checked(&store, shop.id)).collect();
            let again = repair_stamps(&store, present, false).await.unwrap();
            assert!(
                again.businesses.is_empty() && again.others == 0,
                "a second repair must change nothing: {again:?}"
            );
            store.close().await.unwrap();
            rows
        });
        drop(runtime);
        for (before, after) in before.iter().zip(&rows) {
            assert_eq!(unstamped(before), unstamped(after), "the repair must change only timestamps");
            assert_eq!(before.events, after.events);
            let (was, is) = (stamps(before), stamps(after));
            assert!(was.keys().eq(is.keys()), "timestamps are missing after the repair");
            let mut moved: Vec<_> = was.values().zip(is.values()).collect();
            moved.sort_unstable();
            assert!(moved.is_sorted_by_key(|(_, is)| **is), "the repair must keep the order: {moved:?}");
            for (was, is) in moved {
                assert!(*is <= present && (was > &present || was == is), "{was} was changed to {is}");
            }
        }
        self.lives_on();
    }

    /// Checks that the repaired store works like a store that was never repaired.
    fn lives_on(&mut self) {
        let runtime = runtime();
        runtime.block_on(async {
            self.begin_time();
            let life = Life::begin(&self.world).await;
            self.walk(&life).await;
            self.world.check();
            assert!(life.close().await);
            self.world.time.end();
        });
    }
}
