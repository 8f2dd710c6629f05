//! Exports and imports while the engine runs.
//!
//! Invariants:
//!
//! - An export contains the rows that are on the disk at one moment. This moment is after the request and before the
//!   first record of the export. So the export contains every change that was acknowledged before the request.
//! - An export can be imported into another store, even after an interrupted import. A new export from that store then
//!   equals the first export.
//! - An import into the running service, under another id, imports the business either completely or not at all. After
//!   the import is acknowledged, the business exists.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, Business, BusinessId, ResourceId, Timestamp, Website};
use engine::moving::{Import, ImportOptions, Leaving, Moved};
use engine::{Engine, EngineError, ExportError};
use net::Ports;
use parking_lot::Mutex;
use ports::{Clock, Random};
use store::{Key, KeyRange, MemoryBackend, Order, Pairs, Record, Rows, Store, StoreError, keys};
use uuid::Uuid;
use view::ImportedView;

use crate::dice::Dice;
use crate::life::Life;
use crate::sim::Sim;
use crate::wide::Workload;

/// The maximum number of records of a business that is imported into the running service. A longer import would rarely
/// finish before a crash.
const ARRIVING_MAX: usize = 400;
/// The maximum pause between two records of an export or import, in milliseconds.
const REST_MAX: u64 = 20;

/// An export that is in progress or finished.
#[derive(Default)]
struct Leaves {
    /// The number of commits at the moment when the first records arrived. It is `None` before this moment.
    upto: Option<u64>,
    moved: Vec<Moved>,
    /// Whether the finished export is complete. The field is `None` while the export is in progress.
    whole: Option<bool>,
}

/// The outcome of an import into the running service, as far as the client knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    Maybe,
    Refused,
    Acknowledged,
}

/// The exports and imports of a seed.
pub(crate) struct Moves {
    dice: Dice,
    leaving: Option<(BusinessId, u64, Arc<Mutex<Leaves>>)>,
    /// The records of the last small export of a business in `shops`. They are later imported as another business.
    last: Vec<Moved>,
    arrived: Vec<(BusinessId, Vec<Moved>, Arc<Mutex<Arrival>>)>,
}

impl Moves {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed ^ 0xe4b0), leaving: None, last: Vec::new(), arrived: Vec::new() }
    }

    /// True if no export is in progress. During an export, a backup must not restart the recorded history of the disk,
    /// because the check of the export needs the history since the export began.
    pub(crate) fn is_idle(&self) -> bool {
        self.leaving.is_none()
    }
}

/// The rows that a disk contained after one of its commits.
struct AsOf(BTreeMap<Vec<u8>, Vec<u8>>);

impl Rows for AsOf {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.get(key).cloned())
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        let (from, to) = (range.from.to_vec(), range.to.to_vec());
        let rows = self.0.iter().filter(move |(key, _)| **key >= from && **key < to);
        let rows = rows.map(|(key, value)| Ok((key.clone(), value.clone())));
        match order {
            Order::Ascending => Box::new(rows),
            Order::Descending => Box::new(rows.rev()),
        }
    }
}

/// Returns the records of an export of a business. The list is empty if the business does not exist.
pub(crate) fn all_of(store: &Store, rows: &dyn Rows, of: BusinessId, with_secrets: bool) -> Vec<Moved> {
    let profile = rows.get(&keys::profile(of)).unwrap();
    let Some(profile) = profile else { return Vec::new() };
    let (mut leaving, mut moved) =
        (Leaving::of(Business::decode(&profile).unwrap(), with_secrets), Vec::new());
    loop {
        let records = leaving.next(store, rows).unwrap();
        if records.is_empty() {
            return moved;
        }
        moved.extend(records);
    }
}

/// True if a business has exactly the imported records. The booking page may differ: if another business has its slug,
/// the import removes the slug and disables the page.
fn has_arrived(there: &[Moved], moved: &[Moved]) -> bool {
    let without_slug = |record: &Moved| match record {
        Moved::Website(website) => Moved::Website(Website { enabled: false, slug: None, ..website.clone() }),
        other => other.clone(),
    };
    there == moved || there == moved.iter().map(without_slug).collect::<Vec<_>>()
}

/// A clock whose time is later than every timestamp, and a generator of random numbers.
struct Late(Dice);

impl Clock for Late {
    fn now(&self) -> Timestamp {
        Timestamp::parse("2200-01-01T00:00:00Z").unwrap()
    }

    fn steady(&self) -> Duration {
        Duration::ZERO
    }
}

impl Random for Late {
    fn fill(&self, bytes: &mut [u8]) {
        bytes
            .chunks_mut(8)
            .for_each(|chunk| chunk.copy_from_slice(&self.0.next().to_be_bytes()[..chunk.len()]));
    }
}

/// Passes all records to an import. Returns whether the import accepts all of them, or `None` if the import fails.
async fn give(importing: &mut Import, moved: Vec<Moved>, dice: &Dice) -> Option<bool> {
    for (line, record) in (2..).zip(moved) {
        if dice.once_in(20) {
            tokio::time::sleep(Duration::from_millis(dice.next() % REST_MAX)).await;
        }
        if !importing.take(line, record).await.ok()?.is_empty() {
            return Some(false);
        }
        importing.rest().await.ok()?;
    }
    Some(true)
}

impl Sim {
    /// Starts an export or an import from time to time. Checks exports that are finished.
    pub(crate) async fn some_move(&mut self, life: &mut Life) {
        if self.workload != Workload::Wide {
            return;
        }
        self.look_at_export().await;
        if self.moves.leaving.is_none() && self.moves.dice.once_in(25) {
            self.leave(life);
        }
        if !self.moves.last.is_empty() && self.moves.dice.once_in(40) {
            self.arrive(life);
        }
    }

    fn leave(&mut self, life: &mut Life) {
        let guests = self.guests.ids();
        let shops = self.shops.iter().map(|shop| shop.id);
        let of = *self.moves.dice.pick(&shops.chain(guests).collect::<Vec<_>>());
        if self.backups.is_idle() {
            self.world.disk.note_history();
        }
        let (from, leaves) = (self.world.disk.applies(), Arc::<Mutex<Leaves>>::default());
        self.world.say(format_args!("{of} is exported after {from} commits"));
        let (engine, disk, of_task) = (life.engine.clone(), self.world.disk.clone(), Arc::clone(&leaves));
        let dice = Dice::new(self.moves.dice.next());
        life.spawn(async move {
            let mut export = match engine.export(Actor::Operator, Some(of), true) {
                Ok(export) => export,
                Err(_) => return of_task.lock().whole = Some(false),
            };
            loop {
                let records = match export.next().await {
                    Ok(records) => records,
                    Err(ExportError::Incomplete(differences)) => panic!("missing records: {differences}"),
                    Err(_) => return of_task.lock().whole = Some(false),
                };
                {
                    let mut leaves = of_task.lock();
                    leaves.upto.get_or_insert_with(|| disk.applies());
                    if records.is_empty() {
                        return leaves.whole = Some(true);
                    }
                    leaves.moved.extend(records);
                }
                tokio::time::sleep(Duration::from_millis(dice.next() % REST_MAX)).await;
            }
        });
        self.moves.leaving = Some((of, from, leaves));
    }

    async fn look_at_export(&mut self) {
        let Some((of, from, leaves)) = &self.moves.leaving else { return };
        let (of, from, leaves) = (
            *of,
            *from,
            std::mem::take(&mut *{
                let leaves = leaves.lock();
                if leaves.whole.is_none() {
                    return;
                }
                leaves
            }),
        );
        self.moves.leaving = None;
        let (Some(true), Some(upto)) = (leaves.whole, leaves.upto) else {
            self.world.say(format_args!("the export of {of} is incomplete"));
            return;
        };
        let elsewhere = MemoryBackend::new();
        let store = Store::in_memory(&elsewhere, Box::new(|error| panic!("{error}"))).unwrap();
        let as_of = |sequence| all_of(&store, &AsOf(self.world.disk.rows_as_of(sequence)), of, true);
        let point = (from..=upto).find(|sequence| as_of(*sequence) == leaves.moved);
        assert!(point.is_some(), "the export of {of} matches no state between the commits {from} and {upto}");
        self.world.say(format_args!("{of} is exported as of commit {}", point.unwrap_or_default()));
        store.close().await.unwrap();
        self.arrive_elsewhere(elsewhere, &leaves.moved).await;
        let is_of_model = self.shops.iter().any(|shop| shop.id == of);
        if is_of_model && leaves.moved.len() < ARRIVING_MAX {
            self.moves.last = leaves.moved;
        }
    }

    /// Starts an import of the export into another service, and interrupts the import. Then imports the export
    /// completely, and exports the business from the other service. The second export must equal the first.
    async fn arrive_elsewhere(&self, disk: MemoryBackend, moved: &[Moved]) {
        let Some(Moved::Business(business)) = moved.first() else { return };
        let open = || Store::in_memory(&disk, Box::new(|_| ())).unwrap();
        let late = Arc::new(Late(Dice::new(self.moves.dice.next())));
        let ports = Ports::with_clock_and_random(Arc::clone(&late) as _, late);
        let cut_short = (moved.len() - 1).min(self.moves.dice.below(moved.len() + 1));
        for records in [cut_short, moved.len()] {
            let engine = Engine::start(open(), ports.clone()).await.unwrap();
            let mut import = loop {
                match engine.import(ImportOptions::default()) {
                    Ok(import) => break import,
                    // The service must first remove the interrupted import.
                    Err(EngineError::Refused(_)) => tokio::time::sleep(Duration::from_millis(1)).await,
                    Err(error) => panic!("{error}"),
                }
            };
            for (line, record) in (2..).zip(&moved[..records]) {
                assert_eq!(import.take(line, record.clone()).await.unwrap(), [], "{record:?}");
            }
            if records < moved.len() {
                disk.crash(self.moves.dice.below(disk.unsynced() + 1));
                drop(import);
                let _ = engine.close().await;
                continue;
            }
            let (businesses, records) = import.count();
            let view = ImportedView {
                businesses,
                records,
                exported_at: Timestamp::MIN,
                dry_run: false,
                lost_slugs: Vec::new(),
            };
            import.finish(view, Actor::Operator, None).await.unwrap();
            engine.close().await.unwrap();
            let store = open();
            assert!(
                has_arrived(&all_of(&store, store.rows(), business.id, true), moved),
                "the second export must equal the first"
            );
            let report = engine::verify::check(store.rows()).unwrap();
            assert!(report.is_whole(), "{:?}", report.findings);
            store.close().await.unwrap();
        }
    }

    /// Imports an export into the running service, as a different business.
    fn arrive(&mut self, life: &mut Life) {
        let mut moved: Vec<_> = std::mem::take(&mut self.moves.last);
        let Some(Moved::Business(business)) = moved.first_mut() else { return };
        // The new id must keep the version and the variant of the UUID.
        let id =
            business.id.uuid().as_u128() & !0x3fff_ffff | u128::from(self.moves.dice.next() & 0x3fff_ffff);
        let id = BusinessId::from(Uuid::from_u128(id));
        business.id = id;
        moved.retain(|record| !matches!(record, Moved::Webhook(_)));
        let count = moved.len() as u64 - 1;
        if let Some(Moved::End { records }) = moved.last_mut() {
            *records = count;
        }
        self.world.say(format_args!("{id} is imported"));
        let arrival = Arc::new(Mutex::new(Arrival::Maybe));
        let (engine, world, of_task) = (life.engine.clone(), self.world.clone(), Arc::clone(&arrival));
        let (dice, given) = (Dice::new(self.moves.dice.next()), moved.clone());
        life.spawn(async move {
            // The service refuses an import while another one is in progress or while the disk is full. If this task
            // stops during the import, the service removes the imported records.
            let Ok(mut importing) = engine.import(ImportOptions::default()) else {
                return *of_task.lock() = Arrival::Refused;
            };
            if dice.once_in(4) {
                let part = given[..dice.below(given.len())].to_vec();
                give(&mut importing, part, &dice).await;
                world.say(format_args!("the import of {id} is interrupted"));
                return *of_task.lock() = Arrival::Refused;
            }
            match give(&mut importing, given, &dice).await {
                Some(true) => {}
                Some(false) => {
                    world.say(format_args!("the import of {id} is refused"));
                    let _ = importing.take_back().await;
                    return *of_task.lock() = Arrival::Refused;
                }
                None => return,
            }
            let (businesses, records) = importing.count();
            let exported_at = Timestamp::MIN;
            let view =
                ImportedView { businesses, records, exported_at, dry_run: false, lost_slugs: Vec::new() };
            if importing.finish(view, Actor::Operator, None).await.is_ok() {
                *of_task.lock() = Arrival::Acknowledged;
                world.say(format_args!("the import of {id} is acknowledged"));
                let found = engine.business(id).business().await;
                if let Err(EngineError::NotFound) = found {
                    world.wrong(format_args!("the import of {id} was acknowledged, but {id} is not found"));
                }
            }
        });
        self.moves.arrived.push((id, moved, arrival));
    }

    /// Forgets the export in progress, because it ends with the run of the engine.
    pub(crate) fn end_moves(&mut self) {
        self.moves.leaving = None;
    }

    /// Checks the imported businesses on the disk. At the end of the simulation, no import may be
    /// incomplete.
    pub(crate) fn check_moves(&mut self, store: &Store, is_the_end: bool) {
        for (id, moved, arrival) in &self.moves.arrived {
            let (there, arrival) = (all_of(store, store.rows(), *id, false), *arrival.lock());
            let known = store.contains(&keys::moving(*id)).unwrap();
            let rows = store.rows().scan(&keys::all(*id), Order::Ascending).count();
            if there.is_empty() {
                let decided = store.contains(&keys::moving(BusinessId::INSTALLATION)).unwrap();
                assert!(
                    arrival != Arrival::Acknowledged || known && decided,
                    "the import of {id} was acknowledged, but the business is missing"
                );
                assert!(rows == 0 || known, "{rows} rows of {id} belong to no business and no import");
                assert!(!is_the_end || !known, "the import of {id} is incomplete at the end");
            } else {
                assert!(
                    arrival != Arrival::Refused,
                    "the import of {id} was refused, but the business exists"
                );
                assert!(has_arrived(&there, moved), "{id} differs from the imported records");
                assert!(!known, "{id} exists, but its import is not finished");
            }
        }
        if is_the_end {
            let row = store.contains(&Key::new(&keys::moving(BusinessId::INSTALLATION))).unwrap();
            assert!(!row, "an import is not finished");
        }
    }
}
