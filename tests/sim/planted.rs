//! Between two runs, adds rows that cannot be decoded. Removes them after the next run. All other checks must still
//! succeed.
//!
//! Invariants:
//!
//! - The service does not change the added rows.
//! - The service ignores (*sets aside*) rows that it cannot decode. It sets aside only the added rows.

use std::collections::BTreeMap;

use domain::{AuditId, BlockedKey, BusinessId, ContactId, ResourceId, Timestamp};
use store::keys::kind;
use store::{Batch, Key, keys};
use uuid::Uuid;

use crate::dice::Dice;
use crate::life::Life;
use crate::sim::{Sim, runtime};
use crate::wide::Workload;

/// The maximum number of undecodable rows.
const PLANTED_MAX: usize = 12;

/// The undecodable rows that were added.
pub(crate) struct Planted {
    dice: Dice,
    rows: BTreeMap<Key, Vec<u8>>,
}

impl Planted {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed ^ 0x5e7a), rows: BTreeMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// True if some of the rows certainly still exist. Rows of the delivery log may have been deleted together with
    /// their endpoint.
    pub(crate) fn stays(&self) -> bool {
        self.rows.keys().any(|key| keys::kind_of(key).unwrap() != keys::kind::DELIVERY)
    }

    /// Returns an id that no record has. Its timestamp is 0, so it is smaller than the id of every record.
    fn id<I: ResourceId>(&self) -> I {
        Uuid::from_u128(u128::from(self.dice.next())).into()
    }

    fn value(&self) -> Vec<u8> {
        // The value cannot be decoded: it is a record with an unknown version, an empty value, or a truncated record.
        self.dice.pick(&[b"\xee and more".to_vec(), Vec::new(), vec![1]]).clone()
    }
}

impl Sim {
    /// From time to time, adds some rows that cannot be decoded.
    pub(crate) fn some_planted(&mut self) {
        let Planted { dice, .. } = &self.planted;
        if self.workload != Workload::Wide || self.shops.is_empty() || !dice.once_in(3) {
            return;
        }
        let mut batch = Batch::new();
        for _ in 0..=self.planted.dice.below(PLANTED_MAX) {
            let (key, value) = (self.key_to_plant(), self.planted.value());
            self.world.say(format_args!("{key:?} cannot be decoded"));
            batch.put(key, value.clone());
            self.planted.rows.insert(key, value);
        }
        self.write(batch);
    }

    /// Returns a key of a random kind. The service has stored no row with this key.
    fn key_to_plant(&self) -> Key {
        let Planted { dice, .. } = &self.planted;
        let shop = dice.pick(&self.shops);
        let (of, id) = (shop.id, || self.planted.id::<AuditId>().uuid());
        let then = Timestamp::from_millis(dice.next() as i64 >> 24);
        match dice.below(16) {
            0 => keys::service(of, id().into()),
            1 => keys::staff(of, id().into()),
            2 => keys::webhook(of, id().into()),
            3 => keys::knowledge(of, id().into()),
            4 => keys::contact(of, id().into()),
            5 => keys::of_id(of, kind::CONTACT_SEARCH, ContactId::from(id())),
            6 => keys::call(of, id().into()),
            7 => keys::call_by_start(of, then, id().into()),
            8 => keys::audit(of, id().into()),
            9 => keys::key_used(id().into()),
            10 => keys::api_key([b'!'; 8]),
            11 => keys::special_day(of, then.utc().date_naive()),
            12 => {
                let (staff_id, id) = (id().into(), id().into());
                keys::blocked_time(of, BlockedKey { staff_id, starts_at: then, id })
            }
            13 => keys::conversation(of, id().into()),
            14 => keys::gap(of, id().into()),
            _ => match shop.webhooks.first() {
                Some(endpoint) => keys::delivery(of, *endpoint, id().into()),
                None => keys::knowledge(of, id().into()),
            },
        }
    }

    /// Checks that the service has set aside only rows that the test has added, and that the daily count has found no
    /// missing rows.
    pub(crate) fn check_set_aside(&self, life: &Life) {
        let aside = life.engine.rows_set_aside();
        let planted = self.planted.rows.len();
        assert!(aside <= planted, "{aside} rows were set aside, but only {planted} are undecodable");
        let (_, different) = life.engine.businesses_counted();
        assert_eq!(different, 0, "the daily count reported missing rows");
    }

    /// Removes the added rows. They must be unchanged.
    pub(crate) fn unplant(&mut self) {
        if self.planted.is_empty() {
            return;
        }
        let mut batch = Batch::new();
        let rows = std::mem::take(&mut self.planted.rows);
        let runtime = runtime();
        let store = runtime.block_on(async { self.world.store() });
        for (key, value) in rows {
            let found = store.get_raw(&key).unwrap();
            // When an endpoint is deleted, its log is deleted too, including rows that cannot be decoded.
            if found.is_none() && keys::kind_of(&key).unwrap() == keys::kind::DELIVERY {
                continue;
            }
            assert_eq!(found.as_ref(), Some(&value), "the undecodable row {key:?} has changed");
            batch.delete(key);
        }
        runtime.block_on(store.close()).unwrap();
        drop((store, runtime));
        self.write(batch);
    }

    fn write(&self, batch: Batch) {
        runtime().block_on(async {
            let store = self.world.store();
            store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
            store.close().await.unwrap();
        });
    }
}
