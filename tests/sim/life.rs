//! One run of the engine (`Life`): concurrent requests of all kinds, with faults.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::{AppointmentStatus, KeyId, Refusal, WebhookUrl};
use engine::business::commands::appointments::{Confirm, Decline};
use engine::business::{Idempotency, PageRequest, Request};
use engine::{BusinessHandle, Engine, EngineError};
use ports::Random;
use store::{RoomLevel, Weight};
use tokio::task::JoinHandle;

use crate::ledger::{Entry, Ledger, Tried};
use crate::network::{Mood, Name};
use crate::ops::Op;
use crate::sim::Sim;
use crate::terms::Terms;
use crate::world::World;

/// The maximum time for a response of the engine. A test of an endpoint takes the longest time.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);

/// A running engine, and the requests in progress.
pub(crate) struct Life {
    pub(crate) engine: Engine,
    tasks: Vec<JoinHandle<()>>,
    /// Whether the test has begun to close the engine.
    pub(crate) closing: Arc<AtomicBool>,
}

impl Life {
    pub(crate) async fn begin(world: &World) -> Self {
        Self { engine: world.start().await, tasks: Vec::new(), closing: Arc::default() }
    }

    pub(crate) fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.push(tokio::spawn(task));
    }

    /// Waits until no request is in progress any more.
    pub(crate) async fn quiet(&mut self) {
        for task in self.tasks.drain(..) {
            let ended = tokio::time::timeout(ANSWER_TIME_MAX, task).await;
            assert!(ended.is_ok(), "a request got no response");
        }
    }

    pub(crate) async fn close(&self) -> bool {
        self.closing.store(true, Ordering::SeqCst);
        self.engine.clone().close().await.is_ok()
    }
}

/// Sends a request and records the outcome.
async fn carry_out(
    (world, ledger, closing): (World, Arc<Ledger>, Arc<AtomicBool>),
    engine: Engine,
    handle: BusinessHandle,
    tried: Tried,
) {
    let idempotency = tried.is_remembered().then_some(Idempotency { key: tried.key, fingerprint: tried.key });
    let by = Request::by(tried.actor());
    let request = Request { if_match: tried.terms.if_match(), idempotency, ..by };
    let shop = handle.id();
    let answer = match tried.terms.lets_in(&engine).await {
        Ok(()) => tried.op.clone().ask(&handle, request).await,
        Err(error) => Err(error),
    };
    let name = format!("#{} {}", tried.number, tried.op.name());
    let Entry { came: before, times, asked, .. } = ledger.entry(tried.number);
    match &answer {
        Ok(answer) => {
            world.say(format_args!("{name} < {}", brief(&answer.value)));
            if tried.foreign {
                world.wrong(format_args!("{name} changed a record of another business"));
            }
            if let Some(why) = tried.terms.forbid() {
                world.wrong(format_args!("{name} was carried out although {why}"));
            }
            if let crate::ledger::Came::Done(body) = &before
                && (!answer.replayed || tried.op.again(body) != answer.value)
            {
                world.wrong(format_args!("{name} was carried out twice"));
            }
            if !answer.replayed && world.room_between(asked).0 >= refused_from(tried.op.weight()) {
                world.wrong(format_args!("{name} was carried out although the disk has no room for it"));
            }
            ledger.end(tried.number, &world.time, Some(answer));
        }
        Err(EngineError::Refused(refusal)) => {
            world.say(format_args!("{name} < refused: {refusal:?}"));
            let meant = matches!(refusal, Refusal::NotFound(_) | Refusal::Invalid(_));
            let in_progress = matches!(refusal, Refusal::IdempotencyInProgress);
            if tried.foreign && !meant
                || in_progress && times == 1
                || *refusal == Refusal::IdempotencyKeyReused
            {
                world.wrong(format_args!("{name} was refused for an unexpected reason: {refusal:?}"));
            }
            if !in_progress {
                ledger.end(tried.number, &world.time, None);
            }
        }
        Err(EngineError::DiskFull(_)) => {
            world.say(format_args!("{name} < no room"));
            let (most, least) = world.room_between(asked);
            // If the disk is exhausted and a change has no effect, the service refuses the change, even if its kind
            // releases space. To find out whether the change has an effect, the test reads the target of the change.
            // If the disk had enough space at any time since the request, this read proves nothing: another request
            // may have changed the target after the refusal. The test then accepts the refusal without a read.
            let in_vain = least == RoomLevel::Exhausted
                && (most == RoomLevel::Ample || !would_end(&engine.business(shop), &tried.op).await);
            if least < refused_from(tried.op.weight()) && !in_vain {
                world.wrong(format_args!("{name} was refused for lack of space, although there was enough"));
            }
            ledger.end(tried.number, &world.time, None);
        }
        Err(EngineError::Suspended) => {
            world.say(format_args!("{name} < suspended"));
            ledger.end(tried.number, &world.time, None);
        }
        Err(EngineError::KeyRevoked) if tried.terms.may_be_shut_out(&ledger) => {
            world.say(format_args!("{name} < its key is revoked"));
            // If the request was sent more than once, an earlier attempt may have made the change before the key was
            // revoked. So the refusal is recorded only if the request was sent once.
            if times == 1 {
                ledger.end(tried.number, &world.time, None);
            }
        }
        Err(error) => {
            world.say(format_args!("{name} < {error}"));
            let ends = world.failed() || closing.load(Ordering::SeqCst);
            let broken = world.was_broken(tried.shop);
            let excused = match error {
                EngineError::Stopping | EngineError::Store(_) => ends,
                EngineError::Failed => ends || broken,
                // This error occurs if the actor fails just before it takes the request.
                EngineError::Overloaded | EngineError::Resting(_) => broken,
                _ => false,
            };
            if !excused {
                world.wrong(format_args!("{name} failed: {error}"));
            }
        }
    }
}

/// Returns the level of free disk space at which the service begins to refuse changes of this weight.
fn refused_from(weight: Weight) -> RoomLevel {
    match weight {
        Weight::Grows => RoomLevel::Scarce,
        Weight::Keeps => RoomLevel::Exhausted,
        Weight::Frees => RoomLevel::Full,
    }
}

/// True if the change would have an effect, because its target still exists or is still active.
async fn would_end(handle: &BusinessHandle, op: &Op) -> bool {
    let appointment = async |id| handle.appointment(id).await.ok().flatten();
    match op {
        Op::Cancel(op) => appointment(op.id).await.is_some_and(|shown| shown.status.is_active()),
        Op::CancelAt(op) => appointment(op.change.id).await.is_some_and(|shown| shown.status.is_active()),
        Op::Confirm(Confirm { id }) | Op::Decline(Decline { id }) => {
            appointment(*id).await.is_some_and(|shown| shown.status == AppointmentStatus::Pending)
        }
        Op::PatchWebhook(op) => {
            handle.webhook(op.id).await.is_ok_and(|hook| hook.is_some_and(|hook| hook.is_enabled()))
        }
        Op::DeleteKnowledge(op) => handle.knowledge(op.id).await.is_ok_and(|shown| shown.is_some()),
        Op::CancelOnline(op) => handle
            .seen_by_link(&op.change.token)
            .await
            .is_ok_and(|seen| seen.is_some_and(|seen| seen.appointment.is_active())),
        // The removal is refused if a record refers to the service or staff member. The test does not look for such
        // records, so it assumes that the removal may have an effect.
        Op::RemoveService(_) | Op::RemoveStaff(_) => true,
        // The deletion has an effect if the endpoint exists.
        Op::DeleteWebhook(op) => handle.webhook(op.id).await.is_ok_and(|hook| hook.is_some()),
        Op::RevokeFeed(op) => {
            handle.feed(op.id).await.is_ok_and(|feed| feed.is_some_and(|feed| feed.revoked_at.is_none()))
        }
        Op::RevokeKey(op) => {
            let all = PageRequest { limit: 100, after: None };
            let keys = handle.keys(&all).await.map(|page| page.items).unwrap_or_default();
            keys.iter().any(|shown| shown.key.id == op.id && shown.revoked_at.is_none())
        }
        _ => false,
    }
}

/// Returns the part of a response body that the history shows.
fn brief(body: &[u8]) -> String {
    let shown = crate::ledger::json(body);
    let of = |field: &str| shown[field].as_str().unwrap_or_default().to_owned();
    format!("{} {} {} {}", of("id"), of("status"), of("starts_at"), of("updated_at"))
}

impl Sim {
    /// Returns a URL whose host belongs to no other endpoint.
    pub(crate) fn new_url(&self) -> WebhookUrl {
        let name = format!("h{}.example.com", self.world.network.len());
        self.world.network.add(name.clone());
        WebhookUrl::parse(&format!("https://{name}/hook")).unwrap()
    }

    /// Sends a change. Does not wait for the response.
    pub(crate) fn ask(&self, life: &mut Life, shop: usize, op: Op, foreign: bool) -> Tried {
        self.ask_on(life, shop, op, foreign, Terms::default())
    }

    /// Sends a change with conditions.
    pub(crate) fn ask_on(&self, life: &mut Life, shop: usize, op: Op, foreign: bool, terms: Terms) -> Tried {
        let mut key = [0; 32];
        self.dice.fill(&mut key);
        let by = KeyId::from(uuid::Builder::from_random_bytes(*key.first_chunk().unwrap()).into_uuid());
        let by = self.asker(&terms, by);
        let tried = Tried { number: self.ledger.len(), shop, by, key, op, foreign, terms };
        let place = if foreign { format!("{shop}, of another business") } else { shop.to_string() };
        self.world.say(format_args!("#{} {} at {place}: {:?}", tried.number, tried.op.name(), tried.op));
        self.ledger.ask(tried.clone(), &self.world.time);
        self.ask_again(life, &tried, false);
        tried
    }

    /// Sends a request again.
    pub(crate) fn ask_again(&self, life: &mut Life, tried: &Tried, again: bool) {
        if again {
            if !tried.is_remembered() {
                return;
            }
            self.ledger.again(tried.number, &self.world.time);
            self.world.say(format_args!("#{} {} again", tried.number, tried.op.name()));
        }
        let handle = life.engine.business(self.shops[tried.shop].id);
        let notes = (self.world.clone(), Arc::clone(&self.ledger), Arc::clone(&life.closing));
        life.spawn(carry_out(notes, life.engine.clone(), handle, tried.clone()));
    }

    /// Passes the new responses to the models.
    pub(crate) fn learn(&mut self) {
        self.learn_links();
        for entry in self.ledger.news() {
            if let Some(body) = entry.body() {
                self.shops[entry.tried.shop].learn(&entry.tried.op, &body);
                self.ledger.saw(entry.tried.shop, &body, "returned");
            }
        }
    }

    /// Sends one random request.
    pub(crate) fn some_request(&mut self, life: &mut Life) {
        let shop = self.dice.below(self.shops.len());
        let now = self.world.time.truth();
        let op = self.shops[shop].next(&self.dice, now, || self.new_url());
        if op.names_its_own() && self.dice.once_in(30) {
            let other = (shop + 1) % self.shops.len();
            self.ask(life, other, op, true);
            return;
        }
        if matches!(op, Op::CreateWebhook(_)) && self.shops[shop].webhooks.is_empty() && self.dice.once_in(2)
        {
            return;
        }
        let tried = self.ask(life, shop, op, false);
        if self.dice.once_in(12) {
            self.ask_again(life, &tried, true);
        }
    }

    /// Repeats a request that got its response some time ago.
    pub(crate) fn some_repeat(&self, life: &mut Life) {
        let entries = self.ledger.since(self.ledger.len().saturating_sub(40));
        let kept_from = self.kept_from();
        let kept = |entry: &&Entry| entry.body().is_some() && entry.count > kept_from;
        let kept: Vec<_> = entries.iter().filter(kept).collect();
        if !kept.is_empty() {
            let tried = self.dice.pick(&kept).tried.clone();
            self.ask_again(life, &tried, true);
        }
    }

    /// Changes the state of the network or the behaviour of a host.
    pub(crate) fn some_weather(&self) {
        let hosts = self.world.network.len();
        if hosts == 0 {
            return;
        }
        let host = self.dice.below(hosts);
        if self.dice.once_in(4) {
            let slow = self.dice.between(1, 8);
            let names = [
                Name::Moved,
                Name::Inside,
                Name::Mixed,
                Name::Flips,
                Name::Gone,
                Name::Hangs,
                Name::Slow(slow),
                Name::Right,
                Name::Right,
            ];
            self.world.network.set_name(host, *self.dice.pick(&names));
            return;
        }
        let seconds = self.dice.between(1, 12);
        let moods = [
            Mood::Takes,
            Mood::Takes,
            Mood::TakesSlowly(seconds),
            Mood::TakesOnce,
            Mood::Floods,
            Mood::Fails(500),
            Mood::Fails(500),
            Mood::Fails(410),
            Mood::Redirects,
            Mood::Hangs,
            Mood::Mute,
            Mood::Closes,
            Mood::Babbles,
            Mood::Flaps(3),
            Mood::Impostor,
            Mood::Refuses,
            Mood::Swallows,
            Mood::Elsewhere,
        ];
        self.world.network.set_mood(host, *self.dice.pick(&moods));
    }

    /// Advances simulated time, usually a little and sometimes a lot.
    pub(crate) async fn some_time(&self) {
        let wait = match self.dice.below(60) {
            0 => Duration::from_secs(self.dice.between(1_000, 30_000)),
            1 | 2 => Duration::from_secs(self.dice.between(60, 1_000)),
            3..=6 => Duration::from_secs(self.dice.between(1, 60)),
            7..=30 => Duration::from_millis(self.dice.between(0, 9)),
            _ => return tokio::task::yield_now().await,
        };
        tokio::time::sleep(wait).await;
    }

    /// Makes the wall clock jump, or corrects it again.
    pub(crate) fn some_jump(&self) {
        let hours = |bound: usize| i64::try_from(self.dice.below(bound)).unwrap();
        let ahead = if self.world.time.ahead() == 0 {
            let ahead = match self.dice.below(4) {
                0 => hours(30_000),
                1 => -hours(30_000),
                _ => 20 - hours(1_500),
            };
            // The second term varies the length of the jumps. If two jumps had the same length, the service could
            // treat them as one jump.
            ahead * 3_600_000 + i64::from(self.world.time.jumps() % 25) * 130_000 + 1_234
        } else {
            0
        };
        self.world.say(format_args!("the wall clock is {} hours ahead", ahead / 3_600_000));
        self.world.time.set_ahead(ahead);
    }

    /// Makes the next write or the next sync of the disk fail.
    pub(crate) fn some_fault(&self) {
        if self.dice.once_in(2) {
            self.world.say(format_args!("the next write will fail"));
            self.world.disk.fail_next_write();
        } else {
            self.world.say(format_args!("the next sync will fail"));
            self.world.disk.fail_next_sync();
        }
    }
}
