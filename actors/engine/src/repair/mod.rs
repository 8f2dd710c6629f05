//! Repairing stamps: what a wrong clock has stamped with instants of the future is brought back to the present.
//!
//! It works on a store that no engine runs on. What always holds:
//!
//! - within a business stamps keep their order: those of the future move into the time between the newest of the others
//!   and the present, a millisecond apart where there is room ([`map`]);
//! - a record and its index rows move in one batch; ids, the bytes of events, what the audit log quotes, and instants
//!   that a client gave (`starts_at`, `ends_at`, `started_at`) stay;
//! - it can be ended at any moment and begun again: the instant that is taken for the present, and each business's map,
//!   are on the disk before the first record moves. Until it has come to its end no engine starts on the store.

mod map;
mod rows;

use std::collections::BTreeMap;

use domain::{Business, BusinessId, Person, ResourceId, SteadyTime, Timestamp};
use store::keys::{installation_kind, kind};
use store::records::{AuditRecord, ClockRecord, IdempotencyRecord, MetaRecord};
use store::{Batch, BulkWriter, Key, KeyRange, Noted, Order, Record, Store, StoreError, keys};

use self::map::{StampMap, Stamps};
use self::rows::{Moved, each_of};
use crate::people::write_person;
use crate::upgrade;

/// How many stamps one row of a kept map holds: 32 KiB.
const STAMPS_PER_PART: usize = 4_096;

/// Why stamps could not be repaired.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The directory holds no store that a service has used.
    #[error("there is no store in it")]
    NoStore,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was repaired, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The instant that was taken for the present.
    pub present: Timestamp,
    /// Whether it goes on with a repair that had been begun.
    pub resumed: bool,
    /// The businesses in which anything moved, in the order of their creation.
    pub businesses: Vec<BusinessReport>,
    /// How many rows moved that belong to no business.
    pub others: u64,
}

/// What was repaired in one business, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessReport {
    /// Which.
    pub id: BusinessId,
    /// Its name.
    pub name: String,
    /// How many records of each kind.
    pub records: BTreeMap<&'static str, u64>,
}

/// Refuses a store on which a repair was begun and has not come to its end.
pub(crate) fn check_finished(store: &Store) -> Result<(), StoreError> {
    if store.contains(&keys::repair())? { Err(StoreError::RepairUnfinished) } else { Ok(()) }
}

/// Brings every stamp that is later than `present` back to it, or says what that would change. A repair that had been
/// begun goes on with the instant that was the present then.
///
/// # Errors
/// When there is no store, or it fails.
pub async fn repair_stamps(store: &Store, present: Timestamp, dry_run: bool) -> Result<Report, RepairError> {
    let Some(meta) = store.get::<MetaRecord>(&keys::meta())? else { return Err(RepairError::NoStore) };
    upgrade::check(&meta)?;
    // Lifted later, a business that was left out would bear stamps of the future.
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
        repair.settle().await?;
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

/// The keys of a business, but for the map itself.
fn stamped(of: BusinessId) -> KeyRange {
    KeyRange { from: keys::profile(of), to: keys::repair_part(of, 0) }
}

/// A repair under way.
struct Repair<'a> {
    store: &'a Store,
    writer: BulkWriter,
    /// The instant behind which nothing was stamped.
    present: Timestamp,
    /// The store's steady time.
    steady: SteadyTime,
    dry_run: bool,
}

impl Repair<'_> {
    /// Has a batch written, unless this only tells what would be.
    async fn write(&mut self, batch: Batch) -> Result<(), StoreError> {
        let batch = if self.dry_run { Batch::default() } else { batch };
        self.writer.write(batch).await.map(drop)
    }

    /// Waits until all that was written is on the disk.
    async fn settle(&mut self) -> Result<(), StoreError> {
        self.writer.settle().await
    }

    /// Goes through a range, and has written what each row comes to, unless this only tells what would be.
    async fn walk(
        &mut self,
        range: KeyRange,
        mut row: impl FnMut(&Key, &[u8]) -> Result<Batch, StoreError>,
    ) -> Result<(), StoreError> {
        let (dry_run, store) = (self.dry_run, self.store);
        let rewrite = self.writer.rewrite(range, |key, value| {
            // What does not decode stays as it is.
            let batch = store.usable(key, row(key, value))?;
            Ok(if dry_run { Batch::default() } else { batch.unwrap_or_default() })
        });
        rewrite.await
    }

    /// Repairs one business; gives what moved, if anything did.
    async fn business(&mut self, of: BusinessId) -> Result<Option<BusinessReport>, StoreError> {
        let map = match self.kept_map(of)? {
            Some(map) => map,
            None => self.make_map(of).await?,
        };
        let mut records: BTreeMap<&'static str, u64> = BTreeMap::new();
        let (store, present) = (self.store, self.present);
        if !map.is_empty() {
            self.walk(stamped(of), |key, value| {
                let moved = each_of(store, of, key, value, present, &mut |stamp| *stamp = map.moved(*stamp))?;
                let Some(Moved { batch, name }) = moved else { return Ok(Batch::default()) };
                *records.entry(name).or_default() += 1;
                Ok(batch)
            })
            .await?;
        }
        let keys_moved = self.idempotency(of).await?;
        if keys_moved > 0 {
            records.insert("idempotency keys", keys_moved);
        }
        self.settle().await?; // the map is needed until everything has moved
        self.walk(keys::of_kind(of, kind::REPAIR), |key, value| {
            let mut batch = Batch::default();
            batch.delete_whole(*key, value.len());
            Ok(batch)
        })
        .await?;
        if records.is_empty() {
            return Ok(None);
        }
        let name = store.get::<Business>(&keys::profile(of))?.map(|business| business.name);
        Ok(Some(BusinessReport { id: of, name: name.unwrap_or_default(), records }))
    }

    /// The map of a business that was begun, if it is whole.
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

    /// Makes the map of a business, and has it on the disk: its head last, which tells that it is whole.
    async fn make_map(&mut self, of: BusinessId) -> Result<StampMap, StoreError> {
        let mut stamps = Stamps::new();
        let (store, present) = (self.store, self.present);
        self.walk(stamped(of), |key, value| {
            each_of(store, of, key, value, present, &mut |stamp| stamps.add(*stamp, present))?;
            Ok(Batch::default())
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
            // Parts of a map that was not finished may lie behind these.
            let behind = keys::of_kind(of, kind::REPAIR).after(keys::repair_part(of, number));
            self.walk(behind, |key, _| {
                let mut batch = Batch::default();
                batch.delete(*key);
                Ok(batch)
            })
            .await?;
            let mut head = Batch::default();
            head.put(keys::repair_part(of, 0), keys::millis_value(map.newest_kept()));
            self.write(head).await?;
            self.settle().await?;
        }
        Ok(map)
    }

    /// Remembers the keys again from now on that steady time has not reached.
    async fn idempotency(&mut self, of: BusinessId) -> Result<u64, StoreError> {
        let (steady, mut moved) = (self.steady, 0);
        self.walk(keys::idempotency_from(of, steady.day()), |key, value| {
            let mut batch = Batch::default();
            let record = IdempotencyRecord::decode(value)?;
            if record.answered > steady {
                moved += 1;
                let (_, hash) = keys::day_and_hash(key)?;
                batch.delete_whole(*key, value.len());
                let record = IdempotencyRecord { answered: steady, ..record };
                batch.put(keys::idempotency(of, steady.day(), &hash), record.encode());
            }
            Ok(batch)
        })
        .await?;
        Ok(moved)
    }

    /// Repairs what belongs to no business, and ends the repair.
    async fn installation(
        &mut self,
        meta: MetaRecord,
        clock: Option<ClockRecord>,
    ) -> Result<u64, StoreError> {
        let (present, mut moved) = (self.present, 0);
        self.walk(keys::of_kind(BusinessId::INSTALLATION, installation_kind::KEY_USED), |key, value| {
            let mut batch = Batch::default();
            if keys::millis_from_value(value)? > present {
                moved += 1;
                batch.put(*key, keys::millis_value(present));
            }
            Ok(batch)
        })
        .await?;
        self.walk(keys::of_kind(BusinessId::INSTALLATION, installation_kind::PERSON), |_, value| {
            let mut batch = Batch::default();
            let before = Person::decode(value)?;
            let mut after = before.clone();
            // What lets in by a stamp of the future lets nobody in; whoever it was signs in again.
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
                write_person(Some(&before), Some(&after), &mut batch);
            }
            Ok(batch)
        })
        .await?;
        self.walk(keys::of_kind(BusinessId::INSTALLATION, installation_kind::AUDIT), |key, value| {
            let mut batch = Batch::default();
            let mut record = AuditRecord::decode(value)?;
            if record.entry.at > present {
                moved += 1;
                record.entry.at = present;
                batch.put_over(*key, record.encode(), value.len());
            }
            Ok(batch)
        })
        .await?;
        let mut batch = Batch::default();
        if meta.created_at > present {
            moved += 1;
            batch.put(keys::meta(), MetaRecord { created_at: present, ..meta }.encode());
        }
        if let Some(clock) = clock {
            moved += u64::from(clock.wall > present);
            // What the steady clock says of the time since is of a time that was wrong.
            let (newest, wall, boot) = (clock.newest.min(present), clock.wall.min(present), None);
            batch.put(keys::clock(), ClockRecord { newest, wall, boot, ..clock }.encode());
            if !self.dry_run {
                self.store.note_instant(Noted::BelievedTime, wall);
            }
        }
        self.settle().await?; // nothing is left to do once this is written
        batch.delete(keys::repair());
        self.write(batch).await?;
        self.settle().await?;
        Ok(moved)
    }
}

impl std::fmt::Display for BusinessReport {
    /// One line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}:", self.id.uuid(), self.name)?;
        for (number, (name, count)) in self.records.iter().enumerate() {
            write!(f, "{} {count} {name}", if number == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
