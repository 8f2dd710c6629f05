//! A seed's worth of requests at several businesses, with crashes, restarts and a clock that jumps. What is
//! acknowledged is there after every crash; what is not is there whole or not at all.

use std::collections::BTreeMap;
use std::time::Duration;

use actors::business::commands::appointments::{Book, Cancel, Confirm, Decline, Reschedule};
use actors::business::commands::catalog::{PatchService, PatchStaff};
use actors::business::commands::profile::PatchBusiness;
use actors::business::commands::{Audience, Change};
use actors::business::{Answer, AppointmentFilter, Decision, Desk, Idempotency, Request};
use actors::domain::booking::{MoveRequest, Party};
use actors::domain::{Actor, AppointmentId, BookingMode, KeyId, Timestamp};
use actors::{BusinessHandle, EngineError};
use chrono::TimeDelta;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::harness::{Seeded, Shop, World, at, everything_else_runs, json, text, walk};
use crate::rows::Rows;

const SEEDS: u64 = 12;
const LIVES: usize = 6;
const REQUESTS_A_LIFE: usize = 60;

#[derive(Clone, Debug)]
enum Op {
    Book(Book),
    Cancel(Cancel),
    Reschedule(Reschedule),
    Confirm(Confirm),
    Decline(Decline),
    PatchStaff(PatchStaff),
    PatchService(PatchService),
    PatchBusiness(PatchBusiness),
}

impl Change for Op {
    fn decide(self: Box<Self>, desk: &mut Desk<'_>) -> Result<Decision, EngineError> {
        match *self {
            Self::Book(change) => Box::new(change).decide(desk),
            Self::Cancel(change) => Box::new(change).decide(desk),
            Self::Reschedule(change) => Box::new(change).decide(desk),
            Self::Confirm(change) => Box::new(change).decide(desk),
            Self::Decline(change) => Box::new(change).decide(desk),
            Self::PatchStaff(change) => Box::new(change).decide(desk),
            Self::PatchService(change) => Box::new(change).decide(desk),
            Self::PatchBusiness(change) => Box::new(change).decide(desk),
        }
    }
}

/// A request that was made. Each has an actor and an idempotency key of its own, by which its traces are found.
#[derive(Clone)]
struct Tried {
    shop: usize,
    by: KeyId,
    key: [u8; 32],
    op: Op,
}

impl Tried {
    async fn run(self, handle: BusinessHandle) -> Result<Answer, EngineError> {
        let idempotency = Some(Idempotency { key: self.key, fingerprint: self.key });
        let request = Request { actor: Actor::ApiKey(self.by), if_match: None, idempotency };
        handle.change(request, self.op).await
    }
}

/// What the test knows must be so.
struct Model {
    rng: Seeded,
    shops: Vec<Shop>,
    /// Requests that succeeded, with the answer's body.
    acknowledged: Vec<(Tried, Value)>,
    /// Requests that were refused: they have left no trace.
    refused: Vec<Tried>,
    /// Appointments that anybody knows of, by shop.
    known: Vec<Vec<AppointmentId>>,
    clock_off: i64,
}

impl Model {
    fn op(&mut self, shop: usize) -> Op {
        let (rng, place) = (&self.rng, &self.shops[shop]);
        let starts_at = at(1, 0) + TimeDelta::minutes(30 * i64::try_from(rng.below(96)).unwrap());
        let staff = *rng.pick(&place.staff);
        let known = &self.known[shop];
        let party =
            if rng.once_in(2) { Party::Team } else { Party::Integration { allow_pending: rng.once_in(2) } };
        if known.is_empty() || rng.once_in(3) {
            let mut book = place.booking_with((!rng.once_in(3)).then_some(staff), starts_at, rng.below(12));
            book.request.party = party;
            return Op::Book(book);
        }
        let id = *rng.pick(known);
        match rng.below(12) {
            0..=2 => Op::Cancel(Cancel { id }),
            3..=5 => {
                let staff_id = rng.once_in(2).then_some(staff);
                Op::Reschedule(Reschedule { id, request: MoveRequest { starts_at, staff_id, party } })
            }
            6 | 7 => Op::Confirm(Confirm { id }),
            8 => Op::Decline(Decline { id }),
            9 => Op::PatchStaff(PatchStaff {
                id: staff,
                name: rng.once_in(2).then(|| text(&format!("Name {}", rng.below(99)))),
                active: Some(!rng.once_in(4)),
                zone: None,
                service_ids: None,
            }),
            10 => Op::PatchService(PatchService {
                id: place.service,
                name: None,
                description: None,
                duration_minutes: Some(*rng.pick(&[30, 60, 90])),
                active: None,
            }),
            _ => Op::PatchBusiness(PatchBusiness {
                name: None,
                zone: None,
                locale: None,
                website_url: None,
                booking_mode: Some(*rng.pick(BookingMode::ALL)),
                hours: None,
                phone_region: None,
                suspended: None,
                audience: Audience::Operator,
            }),
        }
    }

    fn request(&mut self) -> Tried {
        let shop = self.rng.below(self.shops.len());
        let op = self.op(shop);
        let mut key = [0; 32];
        actors::ports::Random::fill(&self.rng, &mut key);
        let by = uuid::Builder::from_random_bytes(*key.first_chunk().unwrap()).into_uuid().into();
        Tried { shop, by, key, op }
    }

    /// Takes note of what came of a request; gives it back when nobody knows.
    fn note(&mut self, tried: Tried, result: Result<Answer, EngineError>) -> Option<Tried> {
        match result {
            Ok(answer) => {
                let body = json(&answer);
                if let Op::Book(_) = tried.op {
                    self.known[tried.shop].push(body["id"].as_str().unwrap().parse().unwrap());
                }
                self.acknowledged.push((tried, body));
                None
            }
            Err(EngineError::Refused(_)) => {
                self.refused.push(tried);
                None
            }
            Err(EngineError::Stopping | EngineError::Failed | EngineError::Store(_)) => Some(tried),
            Err(error) => panic!("{error}"),
        }
    }

    /// One life of the engine; gives back the requests of which nobody knows what came.
    async fn live(&mut self, world: &World) -> Vec<Tried> {
        world.disk.set_sync_delay(Duration::from_millis(self.rng.next() % 4));
        let mut asked: Vec<(Tried, JoinHandle<_>)> = Vec::new();
        for _ in 0..REQUESTS_A_LIFE {
            let tried = self.request();
            let handle = world.at(&self.shops[tried.shop]);
            asked.push((tried.clone(), tokio::spawn(tried.run(handle))));
            if self.rng.once_in(6) {
                tokio::time::sleep(Duration::from_millis(self.rng.next() % 9)).await;
            }
            if self.clock_off == 0 && self.rng.once_in(20) {
                // Not a day forward, behind which idempotency keys would have outlived their time.
                let hours = 22 - i64::try_from(self.rng.below(1_500)).unwrap();
                world.clock.jump(TimeDelta::hours(hours));
                self.clock_off += hours;
            } else if self.rng.once_in(8) {
                world.clock.jump(TimeDelta::hours(-std::mem::take(&mut self.clock_off)));
            }
            if self.rng.once_in(60) {
                tokio::time::sleep(Duration::from_secs(700)).await; // long enough to be put away
            }
        }
        world.clock.jump(TimeDelta::hours(-std::mem::take(&mut self.clock_off)));
        if self.rng.once_in(4) {
            everything_else_runs().await;
            world.engine.clone().close().await.unwrap();
        } else {
            world.disk.crash(self.rng.below(world.disk.unsynced() + 1));
            world.end_of_life().await;
        }
        let mut unknown = Vec::new();
        for (tried, answer) in asked {
            let answer = answer.await.unwrap();
            unknown.extend(self.note(tried, answer));
        }
        unknown
    }

    /// What lies on the disk between two lives agrees with itself and with every answer.
    async fn check_disk(&self, world: &World, unknown: &[Tried]) -> Vec<Rows> {
        let store = world.store();
        let rows: Vec<_> = self.shops.iter().map(|shop| Rows::checked(&store, shop.id)).collect();
        store.close().await.unwrap();
        for (tried, body) in &self.acknowledged {
            let rows = &rows[tried.shop];
            let remembered = &rows.remembered.get(&tried.key);
            let remembered = remembered.expect("an acknowledged change is remembered");
            assert_eq!(&serde_json::from_slice::<Value>(remembered).unwrap(), body);
            if matches!(tried.op, Op::Book(_)) {
                let id = body["id"].as_str().unwrap().parse().unwrap();
                assert!(rows.appointments.contains_key(&id), "an acknowledged booking is lost: {body}");
                assert!(rows.audit.contains_key(&tried.by), "{body}");
            }
        }
        for tried in &self.refused {
            let rows = &rows[tried.shop];
            assert!(!rows.remembered.contains_key(&tried.key) && !rows.audit.contains_key(&tried.by));
        }
        for tried in unknown {
            let rows = &rows[tried.shop];
            let (remembered, audited) =
                (rows.remembered.contains_key(&tried.key), rows.audit.contains_key(&tried.by));
            // A change that came to nothing is remembered, but has no entry.
            assert!(remembered || !audited, "half of {:?} is there", tried.op);
            if let Op::Book(_) = tried.op {
                assert_eq!(remembered, audited, "half of {:?} is there", tried.op);
            }
        }
        rows
    }

    /// The newest state of each appointment, by the audit log: the answer to whoever changed it last.
    fn check_newest(&self, rows: &[Rows]) {
        let mut newest: BTreeMap<uuid::Uuid, (&actors::domain::AuditEntry, &Tried, &Value)> = BTreeMap::new();
        for (tried, body) in &self.acknowledged {
            for entry in rows[tried.shop].audit.get(&tried.by).into_iter().flatten() {
                let place = newest.entry(entry.resource_id).or_insert((entry, tried, body));
                if place.0.id <= entry.id {
                    *place = (entry, tried, body);
                }
            }
        }
        for (entry, tried, body) in newest.values() {
            let rows = &rows[tried.shop];
            let Some(appointment) = rows.appointments.get(&AppointmentId::from(entry.resource_id)) else {
                continue;
            };
            let later = |other: &actors::domain::AuditEntry| {
                other.resource_id == entry.resource_id && other.id > entry.id
            };
            if !rows.audit.values().flatten().any(later) {
                let state = (appointment.status.to_string(), appointment.starts_at.to_string());
                let shown = (body["status"].as_str().unwrap(), body["starts_at"].as_str().unwrap());
                assert_eq!((state.0.as_str(), state.1.as_str()), shown, "an acknowledged change is undone");
                assert_eq!(body["updated_at"], appointment.updated_at.to_string());
            }
        }
    }

    /// What the engine shows agrees with the disk.
    async fn check_lists(&self, world: &World, rows: &[Rows]) {
        for (shop, rows) in self.shops.iter().zip(rows) {
            let handle = world.at(shop);
            let all = AppointmentFilter::default();
            let by_start = walk(7, async |page| handle.appointments(&all, &page).await).await;
            assert!(by_start.is_sorted_by_key(|shown| (shown.starts_at, shown.id)));
            let changed = AppointmentFilter { updated_since: Some(Timestamp::MIN), ..all };
            let by_change = walk(5, async |page| handle.appointments(&changed, &page).await).await;
            assert!(by_change.is_sorted_by_key(|shown| (shown.updated_at, shown.id)));
            assert_eq!((by_start.len(), by_change.len()), (rows.appointments.len(), rows.appointments.len()));
            for shown in by_start.iter().chain(&by_change) {
                let got = handle.appointment(shown.id).await.unwrap().unwrap();
                assert_eq!(serde_json::to_value(shown).unwrap(), serde_json::to_value(&got).unwrap());
                assert_eq!(rows.appointments[&shown.id].updated_at, shown.updated_at);
            }
        }
    }

    /// A request of which nobody knew what came is tried again: it is replayed exactly when it was carried out.
    async fn try_again(&mut self, world: &World, rows: &[Rows], unknown: Vec<Tried>) {
        for tried in unknown {
            let before = rows[tried.shop].remembered.get(&tried.key);
            let answer = tried.clone().run(world.at(&self.shops[tried.shop])).await;
            match (&answer, before) {
                (Ok(answer), Some(body)) => assert!(answer.replayed && answer.body == body),
                (Ok(answer), None) => assert!(!answer.replayed),
                (Err(EngineError::Refused(_)), None) => {}
                (other, _) => panic!("{:?} was carried out, and again: {other:?}", tried.op),
            }
            assert!(self.note(tried, answer).is_none());
        }
    }
}

async fn run(seed: u64) {
    let mut world = World::new(seed).await;
    let mut shops = Vec::new();
    for staff in [1, 2, 3] {
        shops.push(world.shop(staff).await);
    }
    let mut model = Model {
        rng: Seeded::new(seed ^ 0x5eed),
        known: vec![Vec::new(); shops.len()],
        shops,
        acknowledged: Vec::new(),
        refused: Vec::new(),
        clock_off: 0,
    };
    for _ in 0..LIVES {
        let unknown = model.live(&world).await;
        let rows = model.check_disk(&world, &unknown).await;
        model.check_newest(&rows);
        world.open_again().await;
        model.check_lists(&world, &rows).await;
        model.try_again(&world, &rows, unknown).await;
    }
    assert!(model.acknowledged.len() > REQUESTS_A_LIFE, "the workload does too little");
}

/// Prints the seed of a run that fails.
struct Seed(u64);

impl Drop for Seed {
    #[allow(clippy::print_stderr, reason = "whoever reads a failed test needs its seed")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the seed is {}", self.0);
        }
    }
}

#[test]
fn whatever_happens_nothing_acknowledged_is_lost_and_no_time_is_booked_twice() {
    for seed in 0..SEEDS {
        let _seed = Seed(seed);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(run(seed));
    }
}
