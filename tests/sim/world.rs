//! The state that outlives a run of the engine: disk, clock, random numbers, network and history.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use engine::{Engine, Limits};
use net::{Ports, Trust};
use parking_lot::Mutex;
use store::{MemoryBackend, RoomLevel, Store};

use crate::dice::Dice;
use crate::mails::Mails;
use crate::network::{Network, Shared};
use crate::receiver::authority;
use crate::time::{Time, shown};

/// The history of a seed as text. It has one line for each request, response, attempt, crash and clock jump.
pub(crate) struct Trace {
    /// Whether each line is printed immediately.
    aloud: bool,
    lines: Mutex<Vec<String>>,
    /// The first violation that was recorded. Code that cannot stop the seed records it, and [`World::check`] then
    /// stops the seed.
    wrong: Mutex<Option<String>>,
}

impl Trace {
    pub(crate) fn new() -> Self {
        let aloud = std::env::var_os("SIM_TRACE").is_some();
        Self { aloud, lines: Mutex::default(), wrong: Mutex::default() }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().clone()
    }

    pub(crate) fn last(&self, count: usize) -> String {
        let lines = self.lines.lock();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }

    #[allow(clippy::print_stdout, reason = "prints the history if `SIM_TRACE` is set")]
    fn add(&self, line: String) {
        if self.aloud {
            println!("{line}");
        }
        self.lines.lock().push(line);
    }
}

/// The maximum number of concurrent attempts if the seed is odd. It is so small that endpoints have to wait for
/// permits. While an endpoint waits, it has no actor.
const FEW_PLACES: usize = 12;

/// Everything that surrounds the engine. This value is cheap to clone.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) disk: MemoryBackend,
    pub(crate) time: Arc<Time>,
    pub(crate) network: Arc<Network>,
    pub(crate) mails: Arc<Mails>,
    pub(crate) trace: Arc<Trace>,
    /// The time at which the store failed in this run of the engine.
    failed: Arc<Mutex<Option<i64>>>,
    chance: Arc<Dice>,
    limits: Limits,
    /// The maximum number of concurrent attempts, or `None` for the usual maximum.
    pub(crate) places: Option<usize>,
    /// Each change in the disk's room level, and its time.
    pub(crate) room: Arc<Mutex<Vec<(i64, RoomLevel)>>>,
    /// The businesses whose actors have failed in this run of the engine because the test made them fail.
    broken: Arc<Mutex<BTreeSet<usize>>>,
}

thread_local! {
    /// The number of panics on this thread. All tasks of a seed run on one thread.
    static PANICS: Cell<u32> = const { Cell::new(0) };
}

/// The panic payload of a change that makes its actor fail.
pub(crate) struct Meant;

/// Counts panics from now on. The supervisor catches the panics of actors, so they would go unnoticed without the
/// count.
pub(crate) fn count_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if info.payload().is::<Meant>() {
                return;
            }
            PANICS.set(PANICS.get() + 1);
            before(info);
        }));
    });
}

/// Returns the limits of the engine for a seed. In most seeds, a list reads few rows per request, so that pages end
/// early. In a third of the seeds, fewer actors may run at the same time than there are businesses.
fn limits(seed: u64) -> Limits {
    let scan_rows = *Dice::new(seed ^ 0x5ca9).pick(&[4, 12, 60, 2_048]);
    let backup_rows = *Dice::new(seed ^ 0xbac1).pick(&[1, 3, 20]);
    let business_actors = *Dice::new(seed ^ 0xac70).pick(&[1, 10_000, 10_000]);
    Limits { scan_rows, backup_rows, business_actors, ..Limits::default() }
}

impl World {
    pub(crate) fn new(seed: u64, trace: Arc<Trace>) -> Self {
        PANICS.set(0);
        let time = Arc::new(Time::default());
        let network = Network::new(Arc::clone(&time), Arc::clone(&trace));
        Self {
            disk: MemoryBackend::new(),
            network: Arc::new(network),
            mails: Mails::new(seed),
            time,
            trace,
            failed: Arc::default(),
            room: Arc::default(),
            broken: Arc::default(),
            chance: Arc::new(Dice::new(seed ^ 0x00c0_ffee)),
            limits: limits(seed),
            places: (seed % 2 == 1).then_some(FEW_PLACES),
        }
    }

    pub(crate) async fn start(&self) -> Engine {
        let ports = Ports {
            resolver: Arc::clone(&self.network) as _,
            dialer: Arc::new(Shared(Arc::clone(&self.network))),
            trust: Trust::none().and(authority()).unwrap(),
            ..Ports::with_clock_and_random(Arc::clone(&self.time) as _, Arc::clone(&self.chance) as _)
        };
        let mut limits = self.limits;
        if let Some(places) = self.places {
            (limits.delivery_permits, limits.actors_at_rest) = (places, 0);
        }
        Engine::start_within(self.store(), ports, limits).await.unwrap()
    }

    /// Opens the store. No engine may be running at the same time.
    pub(crate) fn store(&self) -> Store {
        *self.failed.lock() = None;
        self.broken.lock().clear();
        let (failed, this) = (Arc::clone(&self.failed), self.clone());
        let on_fatal = Box::new(move |error: &_| {
            *failed.lock() = Some(this.time.now());
            this.say(format_args!("the store has failed: {error}"));
        });
        Store::in_memory(&self.disk, on_fatal).unwrap()
    }

    /// True if the store has failed. The real service ends when its store fails.
    pub(crate) fn failed(&self) -> bool {
        self.failed.lock().is_some()
    }

    pub(crate) fn failed_at(&self) -> Option<i64> {
        *self.failed.lock()
    }

    /// Records that the actor of a business will panic.
    pub(crate) fn note_broken(&self, shop: usize) {
        self.broken.lock().insert(shop);
    }

    pub(crate) fn was_broken(&self, shop: usize) -> bool {
        self.broken.lock().contains(&shop)
    }

    /// Adds a line to the history.
    pub(crate) fn say(&self, what: std::fmt::Arguments<'_>) {
        self.trace.say(self.time.now(), what);
    }

    /// Records a violation, in code that must not panic. [`Self::check`] panics later and stops the seed.
    pub(crate) fn wrong(&self, what: std::fmt::Arguments<'_>) {
        self.trace.wrong(self.time.now(), what);
    }

    /// Panics, and so stops the simulation of the seed, if a violation was recorded.
    pub(crate) fn check(&self) {
        assert_eq!(PANICS.get(), 0, "there was an unexpected panic in the engine");
        if let Some(wrong) = self.trace.wrong.lock().clone() {
            panic!("{wrong}");
        }
    }
}

impl Trace {
    pub(crate) fn say(&self, at: i64, what: std::fmt::Arguments<'_>) {
        self.add(format!("{} {what}", shown(at)));
    }

    pub(crate) fn wrong(&self, at: i64, what: std::fmt::Arguments<'_>) {
        self.say(at, format_args!("WRONG: {what}"));
        self.wrong.lock().get_or_insert_with(|| format!("{} {what}", shown(at)));
    }
}
