//! Tests of damage to the files of a store. A child process fills a store, and then closes the store or is killed. The
//! test damages a byte, a block or a file of a copy, and opens the copy. Three outcomes are permitted:
//!
//! - identical: every row is the same as before the damage;
//! - refused: the store does not open, or stops with an error while the test reads it;
//! - set aside: only rows of businesses that the store has set aside differ.
//!
//! Any other outcome is a silent loss. The test then prints the seed, the file, the offset and the kind of damage, and
//! fails.
//!
//! Random damage is at any place of a file. Targeted damage is at the ends of complete segments, in the headers of
//! segments and messages, at the boundaries of segments, and in the small files. `DAMAGES_RANDOM` and `DAMAGES_AIMED`
//! set how often the test damages a store, and `DAMAGES_SEED` repeats a run. The bytes of a store also depend on the
//! timing of its threads, so a seed does not always repeat a failure. With `DAMAGES_KEEP=DIR`, the test copies each
//! damaged store with a silent loss to DIR.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // the test fails at an error and prints its results

mod base;
#[path = "../power/chance.rs"]
mod chance;
mod check;
mod damages;
mod files;
mod loads;
#[allow(dead_code, reason = "this test does not use the functions that count segments")]
#[path = "../power/segments.rs"]
mod segments;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::base::Plan;
use self::chance::{Rng, home, is_selected, number_of, seed};
use self::check::{Outcome, compare, cost};
use self::loads::Load;

const NAME: &str = "a_damaged_store_is_identical_or_refused_or_names_the_businesses_set_aside";

const RANDOM: usize = 40;
const AIMED: usize = 20;
const STORES: usize = 24;
/// When sled opens a damaged log, it may overwrite free segments before it finds the damaged page. These segments
/// contain older states of pages, which a salvage before the opening could have used. A salvage after the opening may
/// therefore find fewer rows. The difference must be at most 1 / `LOST_PARTS` of the rows of the store.
const LOST_PARTS: usize = 100;
/// The minimum number of damaged copies per store. Creating a store takes long, so each store is copied several times.
const DAMAGES_A_STORE_MIN: usize = 10;
const SEGMENTS_MAX: usize = 12;

#[derive(Clone, Copy, Default)]
struct Count {
    identical: usize,
    refused: usize,
    set_aside: usize,
    silent: usize,
}

#[derive(Default)]
struct Table(BTreeMap<&'static str, Count>);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [work, arguments @ ..] = &arguments[..]
        && work == "work"
    {
        base::work(arguments);
        return ExitCode::SUCCESS;
    }
    if !is_selected(NAME) {
        return ExitCode::SUCCESS;
    }
    check::allow_quiet();
    let home = home();
    let seed = seed("DAMAGES_SEED");
    let table = run(home.path(), &mut Rng(seed), seed);
    print!("{table}");
    if table.total().silent > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run(home: &Path, rng: &mut Rng, seed: u64) -> Table {
    let (mut random, mut aimed) = (number_of("DAMAGES_RANDOM", RANDOM), number_of("DAMAGES_AIMED", AIMED));
    let each = (random + aimed).div_ceil(STORES).max(DAMAGES_A_STORE_MIN);
    let keep = std::env::var_os("DAMAGES_KEEP").map(PathBuf::from);
    let mut table = Table::default();
    // 16 consecutive stores cover all combinations of load (one of 4), end (clean stop or kill) and snapshot (yes, no).
    let first = rng.below(16);
    for number in 0.. {
        if random + aimed == 0 {
            break;
        }
        let turn = first + number;
        let combination = turn / 4 + turn;
        let plan = Plan {
            load: Load::ALL[turn % 4],
            // Most stores have few segments, because stores with many segments take more time.
            segments: 1 + rng.below(SEGMENTS_MAX).min(rng.below(SEGMENTS_MAX)),
            seed: rng.next(),
            is_killed: combination.is_multiple_of(2),
            has_snapshot: (combination / 2).is_multiple_of(2),
        };
        let base = plan.make(home);
        println!(
            "store {number}: {plan:?}, {} segments, {} rows",
            base.targets.segments.len(),
            base.rows.len()
        );
        for _ in 0..each.min(random + aimed) {
            let damage = if rng.below(random + aimed) < random {
                random -= 1;
                base.targets.random(rng)
            } else {
                aimed -= 1;
                base.targets.aimed(rng)
            };
            let copy = base.copy("damaged");
            damage.apply(&copy);
            let mut outcome = compare(&copy, &base.rows);
            if let Outcome::Refused { changed: Some(error) } = &outcome {
                let unopened = base.copy("unopened");
                damage.apply(&unopened);
                let lost = cost(&unopened, &copy, &base.rows);
                if lost * LOST_PARTS > base.rows.len() {
                    outcome =
                        Outcome::Silent(format!("a refused opening destroyed {lost} readable rows: {error}"));
                }
            }
            table.count(damage.kind, &outcome);
            let Outcome::Silent(difference) = outcome else { continue };
            println!("SILENT: DAMAGES_SEED={seed}, store {number}: {damage}: {difference}");
            if let Some(keep) = &keep {
                let kept = keep.join(format!("{seed}-{}", table.total().silent));
                files::copy(&base.dir, &kept);
                damage.apply(&kept);
            }
        }
    }
    table
}

impl Table {
    fn count(&mut self, kind: &'static str, outcome: &Outcome) {
        let count = self.0.entry(kind).or_default();
        match outcome {
            Outcome::Identical => count.identical += 1,
            Outcome::Refused { .. } => count.refused += 1,
            Outcome::SetAside => count.set_aside += 1,
            Outcome::Silent(_) => count.silent += 1,
        }
    }

    fn total(&self) -> Count {
        self.0.values().fold(Count::default(), |total, count| Count {
            identical: total.identical + count.identical,
            refused: total.refused + count.refused,
            set_aside: total.set_aside + count.set_aside,
            silent: total.silent + count.silent,
        })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["all", "identical", "refused", "set aside", "silent"];
        writeln!(f, "{:32}{}", "damage", columns.map(|column| format!("{column:>11}")).concat())?;
        for (kind, Count { identical, refused, set_aside, silent }) in
            self.0.iter().chain([(&"all", &self.total())])
        {
            let all = identical + refused + set_aside + silent;
            let row = [all, *identical, *refused, *set_aside, *silent];
            writeln!(f, "{kind:32}{}", row.map(|number| format!("{number:>11}")).concat())?;
        }
        Ok(())
    }
}
