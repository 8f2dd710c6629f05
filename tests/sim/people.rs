//! A simulation of people who send concurrent requests: invitations, links, passwords, sign-ins, sign-outs and
//! removals. The disk loses unsynced writes.
//!
//! The model records, for each person, the last acknowledged account and memberships, and which tokens are valid or
//! revoked. The simulation of each seed consists of several runs of the engine.
//!
//! Invariants:
//!
//! - After a crash, the account is in the acknowledged state, or in the state that the request in progress would have
//!   caused.
//! - A revoked token or link stays revoked.
//! - An email address belongs to only one person.
//! - `verify` finds no problem.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::{
    Actor, Address, BookingMode, BusinessId, Client, LinkKind, Locale, Membership, MembershipStatus, Person,
    PersonId, Refusal, Role, Timestamp, WeeklyBreaks,
};
use engine::business::Request;
use engine::business::commands::people::RemoveMember;
use engine::business::commands::profile::PatchBusiness;
use engine::people::{From, Hashing, Invitation, People, SignIn, Token};
use engine::{Engine, EngineError, Limits, NewBusiness};
use net::Ports;
use parking_lot::Mutex;
use ports::Clock;
use store::{MemoryBackend, Store};
use tokio::time::Instant;

use crate::dice::Dice;
use crate::shop::{every_day, text};
use crate::sim::runtime;

const SEEDS: u64 = 24;
const LIVES: usize = 5;
const STEPS_A_LIFE: usize = 24;
const SHOPS: usize = 3;
const PASSWORDS: [&str; 3] =
    ["correct horse battery staple", "gargle fjord zipper amount", "plinth omelette quasar dew"];

/// A clock of the simulated time. In each run, it continues from the end of the previous run.
pub(crate) struct Wall {
    before: AtomicI64,
    began: Mutex<Option<Instant>>,
}

impl Wall {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { before: AtomicI64::new(1_772_438_400_000), began: Mutex::new(None) })
    }

    pub(crate) fn begin(&self) {
        *self.began.lock() = Some(Instant::now());
    }

    pub(crate) fn end(&self) {
        let passed = self.began.lock().take().map_or(0, |began| began.elapsed().as_millis());
        self.before.fetch_add(i64::try_from(passed).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.steady().as_millis()).unwrap())
    }

    fn steady(&self) -> Duration {
        let before = u64::try_from(self.before.load(Ordering::SeqCst)).unwrap();
        let elapsed = self.began.lock().map(|began| began.elapsed()).unwrap_or_default();
        Duration::from_millis(before) + elapsed
    }
}

/// The expected state of a person.
#[derive(Default)]
struct Known {
    id: Option<PersonId>,
    account: Option<Person>,
    members: BTreeMap<usize, Membership>,
    /// The index of the person's password in [`PASSWORDS`].
    password: Option<usize>,
    /// The tokens of sessions that are valid according to the acknowledged requests.
    live: Vec<Token>,
    /// The valid tokens of sessions in which the person can only set a password.
    restricted: Vec<Token>,
    /// The revoked tokens of sessions. `dead_links` are the revoked tokens of links.
    dead: Vec<Token>,
    dead_links: Vec<Token>,
    link: Option<Token>,
    /// Whether a request is in progress whose outcome is unknown.
    in_flight: bool,
    /// The number of times that each kind of request was carried out.
    did: BTreeMap<&'static str, usize>,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Invite(usize),
    InviteTwice(usize, usize),
    Link(usize, LinkKind),
    UseLink,
    SetPassword(usize),
    SignIn,
    SignOut,
    Remove(usize),
    Decline(usize),
}

struct World {
    disk: MemoryBackend,
    wall: Arc<Wall>,
    dice: Arc<Dice>,
    shops: Vec<BusinessId>,
    people: Vec<Arc<Mutex<Known>>>,
    seed: u64,
}

fn email(number: usize, shout: bool) -> Address {
    let text = format!("person{number}@example.com");
    Address::new(&if shout { text.to_uppercase() } else { text }).unwrap()
}

fn from() -> From {
    let address = IpAddr::from(Ipv4Addr::LOCALHOST);
    From::new(address, address, "simulated")
}

impl World {
    async fn open(&self) -> Engine {
        let store = Store::in_memory(&self.disk, Box::new(|error| panic!("{error}"))).unwrap();
        let ports = Ports::with_clock_and_random(Arc::clone(&self.wall) as _, Arc::clone(&self.dice) as _);
        let mut limits = Limits { hashing: Hashing::Cheap, ..Limits::default() };
        // In every third seed, at most one business actor and one person actor run at the same time.
        if self.seed.is_multiple_of(3) {
            (limits.business_actors, limits.person_actors) = (1, 1);
        }
        Engine::start_within(store, ports, limits).await.unwrap()
    }

    async fn found(&mut self, engine: &Engine) {
        for number in 0..SHOPS {
            let new = NewBusiness {
                name: text(&format!("Shop {number}")),
                zone: chrono_tz::UTC,
                locale: Locale::En,
                website_url: None,
                booking_mode: BookingMode::Instant,
                hours: every_day(0, 1440),
                breaks: WeeklyBreaks::default(),
                phone_region: "US".into(),
            };
            self.shops.push(engine.create_business(new, Actor::Operator).await.unwrap().id);
        }
    }

    fn some_op(&self, known: &Known) -> Op {
        let shop = self.dice.below(SHOPS);
        if known.id.is_none() {
            return if self.dice.once_in(2) {
                Op::InviteTwice(shop, (shop + 1) % SHOPS)
            } else {
                Op::Invite(shop)
            };
        }
        match self.dice.below(11) {
            0 => Op::Invite(shop),
            1 | 2 => Op::Link(shop, *self.dice.pick(&[LinkKind::Reset, LinkKind::Enter])),
            3 | 4 => Op::UseLink,
            5 | 6 => Op::SetPassword(self.dice.below(PASSWORDS.len())),
            7 => Op::SignIn,
            8 => Op::SignOut,
            9 => Op::Decline(shop),
            _ => Op::Remove(shop),
        }
    }

    /// Checks every account after a crash. If no request for the account was in progress at the crash, the account must
    /// have its acknowledged state. If a request was in progress, its outcome is unknown, so the test records the
    /// present state of the account.
    async fn check(&self, engine: &Engine) {
        let people = engine.people();
        for (number, slot) in self.people.iter().enumerate() {
            let mut known = std::mem::take(&mut *slot.lock());
            if let Some(id) = known.id {
                let account = people.person(id).await.unwrap();
                assert!(account.is_some(), "the account is missing");
                if !known.in_flight {
                    assert_eq!(account, known.account, "the account differs from the acknowledged one");
                }
                for (at, shop) in self.shops.iter().enumerate() {
                    let member = people.member(&engine.business(*shop), id).await.ok();
                    let member = member.map(|(_, membership)| membership);
                    if !known.in_flight {
                        assert_eq!(
                            member.as_ref(),
                            known.members.get(&at),
                            "a membership differs from the acknowledged one"
                        );
                    }
                    match member {
                        Some(membership) => known.members.insert(at, membership),
                        None => known.members.remove(&at),
                    };
                }
                let mut live = Vec::new();
                for token in std::mem::take(&mut known.live) {
                    let lets_in = people.session(&token).await.unwrap().is_some();
                    assert!(lets_in || known.in_flight, "a valid session does not exist any more");
                    if lets_in { live.push(token) } else { known.dead.push(token) }
                }
                known.live = live;
                if known.in_flight {
                    // The test does not know whether the last request has changed the password. It tries to
                    // sign in with each password to find out which one is set.
                    known.password = None;
                    for (which, password) in PASSWORDS.iter().enumerate() {
                        let came = people.sign_in(email(number, false).as_str(), password, from()).await;
                        if let SignIn::In(token) = came.unwrap() {
                            known.password = Some(which);
                            known.live.push(token);
                        }
                    }
                    if let Some(link) = known.link.take() {
                        match people.open_link(&link).await {
                            Ok(_) => known.link = Some(link),
                            Err(_) => known.dead_links.push(link),
                        }
                    }
                    known.account = people.person(id).await.unwrap();
                }
                for token in &known.dead {
                    assert!(people.session(token).await.unwrap().is_none(), "a revoked session works again");
                }
                for link in &known.dead_links {
                    let used = people.use_link(link, Client::default()).await;
                    assert!(
                        matches!(used, Err(EngineError::Refused(Refusal::Expired))),
                        "a revoked link works again"
                    );
                }
            }
            known.in_flight = false;
            *slot.lock() = known;
        }
    }
}

fn refused<T>(came: &Result<T, EngineError>) -> bool {
    matches!(came, Err(EngineError::Refused(_)))
}

/// Sends a request, checks its effects, and records the acknowledged state.
async fn carry_out(engine: Engine, shops: Vec<BusinessId>, slot: Arc<Mutex<Known>>, number: usize, op: Op) {
    let people = engine.people();
    let (id, link) = {
        let mut known = slot.lock();
        known.in_flight = true;
        (known.id, known.link.clone())
    };
    match op {
        Op::Invite(shop) => invite(&engine, shops[shop], &slot, number, false).await,
        Op::InviteTwice(one, other) => {
            let both = (
                invite(&engine, shops[one], &slot, number, false),
                invite(&engine, shops[other], &slot, number, true),
            );
            tokio::join!(both.0, both.1);
        }
        Op::Link(shop, kind) => {
            let asked = (id.unwrap(), Some(kind));
            let made =
                people.make_link(&engine.business(shops[shop]), Request::by(Actor::Operator), asked).await;
            if let Ok(made) = made {
                slot.lock().new_link(made.token.unwrap());
            }
        }
        Op::UseLink => {
            let Some(link) = link else { return done(&engine, &shops, &slot).await };
            let opened = people.use_link(&link, Client::default()).await.unwrap();
            let token = opened.session.unwrap();
            let restricted = people.session(&token).await.unwrap().unwrap().session.restricted;
            assert_eq!(restricted, opened.kind != LinkKind::Enter);
            assert!(refused(&people.use_link(&link, Client::default()).await), "a link worked twice");
            slot.lock().used_link(link, token, restricted);
        }
        Op::SetPassword(which) => {
            let Some(token) = slot.lock().live.last().cloned() else {
                return done(&engine, &shops, &slot).await;
            };
            if let Ok(new) = people.set_password(&token, PASSWORDS[which]).await {
                let others = slot.lock().new_password(which, new);
                for token in others {
                    assert!(
                        people.session(&token).await.unwrap().is_none(),
                        "a new password did not end an earlier session"
                    );
                }
            }
        }
        Op::SignIn => {
            let password = slot.lock().password;
            for (number_of, text) in PASSWORDS.iter().enumerate() {
                let came = people.sign_in(email(number, true).as_str(), text, from()).await.unwrap();
                match came {
                    SignIn::In(token) => {
                        assert_eq!(Some(number_of), password, "a password that is not the newest works");
                        let mut known = slot.lock();
                        known.note("signed in");
                        known.live.push(token);
                    }
                    SignIn::Wrong => assert_ne!(Some(number_of), password, "the newest password is refused"),
                    // All failed sign-ins come from one network address, so the limit of this address may be reached.
                    SignIn::TooMany(_) => {}
                    SignIn::Known => unreachable!(),
                }
            }
        }
        Op::SignOut => {
            let Some(token) = slot.lock().live.first().cloned() else {
                return done(&engine, &shops, &slot).await;
            };
            people.sign_out(&token).await.unwrap();
            assert!(people.session(&token).await.unwrap().is_none());
            slot.lock().ended(&token);
        }
        Op::Decline(shop) => {
            let Some(token) = slot.lock().live.last().cloned() else {
                return done(&engine, &shops, &slot).await;
            };
            let offered = slot.lock().members.get(&shop).map(|membership| membership.status);
            let business = engine.business(shops[shop]);
            let declined = people.decline(&business, &token).await;
            if declined.is_ok() {
                slot.lock().note("declined");
                assert_eq!(
                    offered,
                    Some(MembershipStatus::Invited),
                    "a person declined an invitation that did not exist"
                );
                let member = people.member(&business, id.unwrap()).await;
                assert!(refused(&member), "a person who declined is a member");
            } else {
                assert!(refused(&declined), "{declined:?}");
            }
        }
        Op::Remove(shop) => {
            let business = engine.business(shops[shop]);
            let removed =
                business.change(Request::by(Actor::Operator), RemoveMember { id: id.unwrap() }).await;
            if removed.is_ok() {
                slot.lock().note("removed");
                let rename = PatchBusiness { name: Some(text("Mine")), ..PatchBusiness::default() };
                let after = business.change(Request::by(Actor::Person(id.unwrap())), rename).await;
                assert!(
                    matches!(after, Err(EngineError::NotFound)),
                    "a removed person can still change the business"
                );
            }
        }
    }
    done(&engine, &shops, &slot).await;
}

/// Reads the person and the person's memberships after a completed operation, and records them as the expected state.
async fn done(engine: &Engine, shops: &[BusinessId], slot: &Arc<Mutex<Known>>) {
    let people: People = engine.people();
    let Some(id) = slot.lock().id else { return };
    let account = people.person(id).await.unwrap();
    let mut members = BTreeMap::new();
    for (number, shop) in shops.iter().enumerate() {
        if let Ok((_, membership)) = people.member(&engine.business(*shop), id).await {
            assert!(membership.status != MembershipStatus::Active || membership.accepted);
            members.insert(number, membership);
        }
    }
    let mut known = slot.lock();
    (known.account, known.members, known.in_flight) = (account, members, false);
}

async fn invite(engine: &Engine, shop: BusinessId, slot: &Arc<Mutex<Known>>, number: usize, shout: bool) {
    let invitation = Invitation {
        email: email(number, shout),
        name: None,
        locale: None,
        role: Role::Admin,
        staff_id: None,
    };
    let people = engine.people();
    let asked = people.invite(&engine.business(shop), Request::by(Actor::Operator), invitation).await;
    let Ok(invited) = asked else { return assert!(refused(&asked), "{asked:?}") };
    let id = invited.answer.value.person.id;
    let mut known = slot.lock();
    assert!(known.id.is_none_or(|before| before == id), "two people have the same address");
    known.id = Some(id);
    if let Some(link) = invited.link {
        known.new_link(link.token);
    }
}

impl Known {
    fn note(&mut self, what: &'static str) {
        *self.did.entry(what).or_default() += 1;
    }

    /// Records a new link. The older link becomes invalid. The sessions in which the person can only set a password
    /// are revoked.
    fn new_link(&mut self, link: Token) {
        self.note("link made");
        let restricted = std::mem::take(&mut self.restricted);
        self.live.retain(|token| !restricted.contains(token));
        self.dead.extend(restricted);
        self.dead_links.extend(self.link.replace(link));
    }

    /// Records the use of a link. If the account was not confirmed, the use revokes all other tokens.
    fn used_link(&mut self, link: Token, token: Token, restricted: bool) {
        if !self.account.as_ref().is_some_and(|account| account.confirmed) {
            self.dead.append(&mut self.live);
            self.password = None;
        }
        self.note("link used");
        self.dead_links.push(link);
        self.link = None;
        if restricted {
            self.restricted.push(token.clone());
        }
        self.live.push(token);
    }

    /// Records a new password, and the token of the session that starts with it. The new password revokes the tokens of
    /// all earlier sessions. Returns the revoked tokens.
    fn new_password(&mut self, which: usize, token: Token) -> Vec<Token> {
        self.note("password set");
        let ended = std::mem::replace(&mut self.live, vec![token]);
        self.dead.extend(ended.iter().cloned());
        self.dead_links.extend(self.link.take());
        self.password = Some(which);
        ended
    }

    fn ended(&mut self, token: &Token) {
        self.note("signed out");
        self.live.retain(|live| live != token);
        self.dead.push(token.clone());
    }
}

/// Runs a seed. Returns the number of times that each kind of request was carried out.
fn run(seed: u64) -> BTreeMap<&'static str, usize> {
    let wall = Wall::new();
    let people = (0..6).map(|_| Arc::default()).collect();
    let (disk, dice) = (MemoryBackend::new(), Arc::new(Dice::new(seed)));
    let mut world = World { disk, wall, dice, shops: Vec::new(), people, seed };
    for life in 0..LIVES {
        let runtime = runtime();
        runtime.block_on(async {
            world.wall.begin();
            let engine = world.open().await;
            if life == 0 {
                world.found(&engine).await;
            }
            world.check(&engine).await;
            world.disk.set_sync_delay(Duration::from_millis(world.dice.next() % 4));
            for _ in 0..STEPS_A_LIFE {
                let mut tasks = Vec::new();
                for (number, slot) in world.people.iter().enumerate() {
                    if world.dice.once_in(2) {
                        let op = world.some_op(&slot.lock());
                        let (engine, shops) = (engine.clone(), world.shops.clone());
                        tasks.push(tokio::spawn(carry_out(engine, shops, Arc::clone(slot), number, op)));
                    }
                }
                if world.dice.once_in(STEPS_A_LIFE) {
                    // The run ends here, although requests are still in progress.
                    tokio::time::sleep(Duration::from_millis(world.dice.next() % 12)).await;
                    world.wall.end();
                    return;
                }
                for task in tasks {
                    task.await.unwrap_or_else(|error| panic!("seed {}: {error}", world.seed));
                }
                tokio::time::sleep(Duration::from_secs(world.dice.next() % 20)).await;
            }
            if world.dice.once_in(2) {
                engine.close().await.unwrap();
            }
            world.wall.end();
        });
        let keep = world.dice.below(world.disk.unsynced() + 1);
        world.disk.crash(keep);
        drop(runtime);
        let runtime = self::runtime();
        let store = runtime
            .block_on(async { Store::in_memory(&world.disk, Box::new(|error| panic!("{error}"))).unwrap() });
        let report = engine::verify::check(store.rows()).unwrap();
        assert!(report.is_whole(), "seed {seed}: {:?}", report.findings);
        runtime.block_on(store.close()).unwrap();
    }
    let mut did: BTreeMap<&'static str, usize> = BTreeMap::new();
    for slot in &world.people {
        for (what, times) in &slot.lock().did {
            *did.entry(what).or_default() += times;
        }
    }
    did
}

#[test]
fn acknowledged_changes_of_people_and_revocations_survive_crashes() {
    let mut did: BTreeMap<&'static str, usize> = BTreeMap::new();
    for seed in 1..=SEEDS {
        for (what, times) in run(seed) {
            *did.entry(what).or_default() += times;
        }
    }
    for what in ["link made", "link used", "password set", "signed in", "signed out", "removed", "declined"] {
        assert!(
            did.get(what).is_some_and(|times| *times >= 10),
            "{what} was carried out too seldom: {did:?}"
        );
    }
}
