//! Corrects timestamps that a wrong clock set in the future. They are set to the *present* (the
//! time at which the repair began) or to an earlier time. The repair works on a stopped store.
//!
//! Invariants:
//!
//! - The timestamps of a business keep their order. Future timestamps are moved to times between the newest
//!   timestamp that is not in the future and the present. They are one millisecond apart if this interval
//!   is long enough ([`map`]).
//! - A record and its index rows are written again in one batch.
//! - Ids, the bytes of events, old values quoted in the audit log, and times that clients sent (`starts_at`,
//!   `ends_at`, `started_at`) do not change.
//! - The repair can stop at any moment and continue. The time at which the repair began, and each business's
//!   map from old to new timestamps, are durable before the first record is rewritten. No engine starts
//!   before the end of the repair.

mod map;
mod rows;

use std::collections::BTreeMap;

use domain::{Business, BusinessId, Person, ResourceId, SteadyTime, Timestamp};
use store::keys::{installation_kind, kind};
use store::records::{AuditRecord, ClockRecord, IdempotencyRecord, MetaRecord};
use store::{Batch, BulkWriter, Key, KeyRange, Noted, Order, Record, Store, StoreError, keys};

use self::map::{StampMap, Stamps};
use self::rows::each_of;
use crate::people::write_person;
use crate::upgrade;

/// The maximum number of stamps in one row of a business's map. A row with this number is 32 KiB long.
const STAMPS_PER_PART: usize = 4_096;

#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    #[error("the directory contains no store")]
    NoStore,
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub present: Timestamp,
    /// Whether this repair continued an earlier repair that had been interrupted.
    pub resumed: bool,
    pub businesses: Vec<BusinessReport>,
    pub others: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessReport {
    pub id: BusinessId,
    pub name: String,
    pub records: BTreeMap<&'static str, u64>,
}

pub(crate) fn check_finished(store: &Store) -> Result<(), StoreError> {
    if store.contains(&keys::repair())? { Err(StoreError::RepairUnfinished) } else { Ok(()) }
}

/// Corrects every timestamp that is later than `present`. If the store contains an unfinished repair, continues this
/// repair and uses its stored present instead of `present`.
pub async fn repair_stamps(store: &Store, present: Timestamp, dry_run: bool) -> Result<Report, RepairError> {
    let Some(meta) = store.get::<MetaRecord>(&keys::meta())? else { return Err(RepairError::NoStore) };
    upgrade::check(&meta)?;
    // The repair cannot read a business that is set aside, so it cannot correct the future stamps of this business.
    // Therefore it is refused while a business is set aside.
    if let Some((business, _)) = store.businesses_set_aside().first() {
        return Err(StoreError::BusinessSetAside { business: *business }.into());
    }
    let begun = store.get_raw(&keys::repair())?;
    let present = begun.as_deref().map_or(Ok(present), keys::millis_from_value)?;
    let clock = store.get::<ClockRecord>(&keys::clock())?;
    let steady = clock.as_ref().map_or(SteadyTime::from_millis(present.millis()), |clock| clock.steady);
    let writer = BulkWriter::new(store, BusinessId::INSTALLATION);
    let mut repair = Repair { store, writer, present, steady, dry_run };
    if begun.is_none() {
        let mut batch = Batch::default();
        batch.put(keys::repair(), keys::millis_value(present));
        repair.write(batch).await?;
        repair.writer.wait_durable().await?;
    }
    let mut report = Report { present, resumed: begun.is_some(), businesses: Vec::new(), others: 0 };
    let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    while let Some((key, _)) = store.scan(&range, Order::Ascending).next().transpose()? {
        range = range.after(Key::new(&key));
        report.businesses.extend(repair.business(keys::id_at_end(&key)?).await?);
    }
    report.others = repair.installation(meta, clock).await?;
    Ok(report)
}

/// The keys of a business, except the keys of its map of timestamps.
fn stamped(of: BusinessId) -> KeyRange {
    KeyRange { from: keys::profile(of), to: keys::repair_part(of, 0) }
}

struct Repair<'a> {
    store: &'a Store,
    writer: BulkWriter,
    present: Timestamp,
    steady: SteadyTime,
    dry_run: bool,
}

impl Repair<'_> {
    async fn write(&mut self, batch: Batch) -> Result<(), StoreError> {
        let batch = if self.dry_run { Batch::default() } else { batch };
        self.writer.write(batch).await.map(drop)
    }

    async fn walk(
        &mut self,
        range: KeyRange,
        mut row: impl FnMut(&Key, &[u8], &mut Batch) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (dry_run, store) = (self.dry_run, self.store);
        let rewrite = self.writer.rewrite(range, |key, value| {
            let mut batch = Batch::default();
            let is_usable = store.usable(key, row(key, value, &mut batch))?.is_some();
            Ok(if is_usable && !dry_run { batch } else { Batch::default() })
        });
        rewrite.await
    }

    async fn business(&mut self, of: BusinessId) -> Result<Option<BusinessReport>, StoreError> {
        let map = match self.kept_map(of)? {
            Some(map) => map,
            None => self.make_map(of).await?,
        };
        let mut records: BTreeMap<&'static str, u64> = BTreeMap::new();
        let (store, present) = (self.store, self.present);
        if !map.is_empty() {
            self.walk(stamped(of), |key, value, batch| {
                let moved = each_of(store, of, key, value, present, &mut |stamp| *stamp = map.moved(*stamp))?;
                if let Some(moved) = moved {
                    *records.entry(moved.name).or_default() += 1;
                    *batch = moved.batch;
                }
                Ok(())
            })
            .await?;
        }
        let keys_moved = self.idempotency(of).await?;
        if keys_moved > 0 {
            records.insert("idempotency keys", keys_moved);
        }
        self.writer.wait_durable().await?; // the map is needed until the corrected rows are durable
        self.walk(keys::of_kind(of, kind::REPAIR), |key, value, batch| {
            batch.delete_whole(*key, value.len());
            Ok(())
        })
        .await?;
        if records.is_empty() {
            return Ok(None);
        }
        let name = store.get::<Business>(&keys::profile(of))?.map(|business| business.name);
        Ok(Some(BusinessReport { id: of, name: name.unwrap_or_default(), records }))
    }

    /// Reads the map of timestamps of an interrupted repair. Returns `None` if the map was not completely written.
    fn kept_map(&self, of: BusinessId) -> Result<Option<StampMap>, StoreError> {
        let Some(head) = self.store.get_raw(&keys::repair_part(of, 0))? else { return Ok(None) };
        let newest_kept = keys::millis_from_value(&head)?;
        let mut stamps = Vec::new();
        for row in self.store.scan(&keys::of_kind(of, kind::REPAIR), Order::Ascending).skip(1) {
            for stamp in row?.1.chunks(8) {
                stamps.push(keys::millis_from_value(stamp)?.millis());
            }
        }
        Ok(Some(StampMap::new(Stamps { newest_kept, later: stamps }, self.present)))
    }

    /// Writes a business's map of timestamps. Its head row is written last and marks the map as complete.
    async fn make_map(&mut self, of: BusinessId) -> Result<StampMap, StoreError> {
        let mut stamps = Stamps::new();
        let (store, present) = (self.store, self.present);
        self.walk(stamped(of), |key, value, _| {
            each_of(store, of, key, value, present, &mut |stamp| stamps.add(*stamp, present)).map(drop)
        })
        .await?;
        let map = StampMap::new(stamps, present);
        if !map.is_empty() {
            let mut number = 0;
            for part in map.later().chunks(STAMPS_PER_PART) {
                number += 1;
                let mut batch = Batch::default();
                let bytes = part.iter().flat_map(|stamp| stamp.to_be_bytes()).collect();
                batch.put(keys::repair_part(of, number), bytes);
                self.write(batch).await?;
            }
            let stale = keys::of_kind(of, kind::REPAIR).after(keys::repair_part(of, number));
            self.walk(stale, |key, _, batch| {
                batch.delete(*key);
                Ok(())
            })
            .await?;
            let mut head = Batch::default();
            head.put(keys::repair_part(of, 0), keys::millis_value(map.newest_kept()));
            self.write(head).await?;
            self.writer.wait_durable().await?;
        }
        Ok(map)
    }

    /// If the steady time of an idempotency key is in the future, replaces it with the current steady time.
    async fn idempotency(&mut self, of: BusinessId) -> Result<u64, StoreError> {
        let (steady, mut moved) = (self.steady, 0);
        self.walk(keys::idempotency_from(of, steady.day()), |key, value, batch| {
            let record = IdempotencyRecord::decode(value)?;
            if record.answered > steady {
                moved += 1;
                let (_, hash) = keys::day_and_hash(key)?;
                batch.delete_whole(*key, value.len());
                let record = IdempotencyRecord { answered: steady, ..record };
                batch.put(keys::idempotency(of, steady.day(), &hash), record.encode());
            }
            Ok(())
        })
        .await?;
        Ok(moved)
    }

    async fn installation(
        &mut self,
        meta: MetaRecord,
        clock: Option<ClockRecord>,
    ) -> Result<u64, StoreError> {
        let (present, mut moved) = (self.present, 0);
        let all = |kind| keys::of_kind(BusinessId::INSTALLATION, kind);
        for kind in [installation_kind::KEY_USED, installation_kind::FEED_FETCHED] {
            self.walk(all(kind), |key, value, batch| {
                if keys::millis_from_value(value)? > present {
                    moved += 1;
                    batch.put(*key, keys::millis_value(present));
                }
                Ok(())
            })
            .await?;
        }
        self.walk(all(installation_kind::PERSON), |_, value, batch| {
            let before = Person::decode(value)?;
            let mut after = before.clone();
            // Sessions and links with timestamps in the future are deleted. If a session is deleted, the person must
            // sign in again.
            after.sessions.retain(|session| {
                let stamps = [session.created_at, session.last_used_at, session.password_at];
                stamps.into_iter().all(|stamp| stamp <= present)
            });
            after.link.take_if(|link| link.created_at > present);
            after.created_at = after.created_at.min(present);
            after.updated_at = after.updated_at.min(present);
            after.last_sign_in_at = after.last_sign_in_at.map(|at| at.min(present));
            if after != before {
                moved += 1;
                write_person(Some(&before), Some(&after), batch);
            }
            Ok(())
        })
        .await?;
        self.walk(all(installation_kind::AUDIT), |key, value, batch| {
            let mut record = AuditRecord::decode(value)?;
            if record.entry.at > present {
                moved += 1;
                record.entry.at = present;
                batch.put_over(*key, record.encode(), value.len());
            }
            Ok(())
        })
        .await?;
        let mut batch = Batch::default();
        if meta.created_at > present {
            moved += 1;
            batch.put(keys::meta(), MetaRecord { created_at: present, ..meta }.encode());
        }
        if let Some(clock) = clock {
            moved += u64::from(clock.wall > present);
            // The boot instant was computed with a wrong wall clock, so it is cleared.
            let (newest, wall, boot) = (clock.newest.min(present), clock.wall.min(present), None);
            batch.put(keys::clock(), ClockRecord { newest, wall, boot, ..clock }.encode());
            if !self.dry_run {
                self.store.note_instant(Noted::BelievedTime, wall);
            }
        }
        self.writer.wait_durable().await?; // all other rows must be durable before the repair ends
        batch.delete(keys::repair());
        self.write(batch).await?;
        self.writer.wait_durable().await?;
        Ok(moved)
    }
}

impl std::fmt::Display for BusinessReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}:", self.id.uuid(), self.name)?;
        for (number, (name, count)) in self.records.iter().enumerate() {
            write!(f, "{} {count} {name}", if number == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
