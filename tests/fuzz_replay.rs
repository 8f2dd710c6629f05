//! A short run of every fuzz target on stable Rust. The inputs are the corpus and inputs that are derived from the
//! corpus with a seed. `FUZZ_RUNS` sets the number of derived inputs of each target, and `FUZZ_SEED` sets the seed.
//! Runs with the same values have the same inputs.
//!
//! `cargo fuzz` uses the same targets and the same corpus, but it searches for new inputs by code coverage.
//! `tests/README.md` explains how to run `cargo fuzz`.

#![allow(clippy::unwrap_used, reason = "a test may panic, and `unwrap` shows the line")]

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

#[allow(unreachable_pub, reason = "for cargo fuzz, these modules are a separate library")]
#[path = "fuzz/src/lib.rs"]
mod targets;

/// Words that are sometimes inserted into inputs.
const WORDS: [&str; 36] = [
    "\n",
    "\n\n",
    "\n---\n",
    "{service_id}",
    "{contact_id}",
    "{webhook_id}",
    "null",
    "\"\"",
    "{}",
    "[]",
    "-1",
    "1e999",
    "\\u0000",
    "\\ud800",
    "%00",
    "%2B",
    "&limit=1",
    "cursor=",
    "updated_since=2026-03-02T06:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "0000-01-01T00:00:00Z",
    "https://",
    "127.1",
    "[::ffff:10.0.0.1]",
    "xn--",
    "\u{ff0e}",
    "If-Match: *\n",
    "Idempotency-Key: k\n",
    "\"staff\":\"anna\",",
    "\"service\":",
    "\"2026-03-29T02:30\"",
    "\"starts_at\":\"2026-03-04T10:00\",",
    "\"cursor\":\"\",",
    "book_appointment\n",
    "\"id\":1,",
    "tools/call",
];

/// Random numbers from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().unwrap())
}

/// The inputs in the corpus of a target, sorted by file name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut paths: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{target} has no corpus");
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// An input from the corpus, with one to four changes.
fn mutated(dice: &mut Dice, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut input = corpus[dice.below(corpus.len())].clone();
    for _ in 0..=dice.below(4) {
        let at = dice.below(input.len() + 1);
        match dice.below(7) {
            0 => _ = input.splice(at..at, WORDS[dice.below(WORDS.len())].bytes()),
            1 => input.truncate(at),
            2 => {
                let other = &corpus[dice.below(corpus.len())];
                input.splice(at.., other[dice.below(other.len())..].iter().copied());
            }
            3 => {
                let end = (at + dice.below(9)).min(input.len());
                input.drain(at..end);
            }
            4 => input.insert(at, dice.next() as u8),
            kind => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = if kind == 5 { dice.next() as u8 } else { *byte ^ (1 << dice.below(8)) };
                }
            }
        }
    }
    input
}

/// Runs a target on its corpus and on derived inputs. Prints the input at which the target fails.
fn replay(target: &str, usual: u64, check: fn(&[u8])) {
    let corpus = corpus(target);
    let mut dice = Dice(number("FUZZ_SEED", 1));
    let made: Vec<_> = (0..number("FUZZ_RUNS", usual)).map(|_| mutated(&mut dice, &corpus)).collect();
    for input in corpus.iter().chain(&made) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(input))) {
            let shown: String = input.escape_ascii().to_string();
            #[allow(clippy::print_stderr, reason = "prints the input that failed")]
            {
                eprintln!("{target} fails for b\"{shown}\"");
            }
            resume_unwind(panic);
        }
    }
}

#[test]
fn records_encode_to_themselves_and_decoding_never_panics() {
    replay("records", 50_000, targets::records::check);
    let read: BTreeSet<_> = corpus("records")
        .iter()
        .filter(|input| targets::records::of_kind(input[0], &input[1..]))
        .map(|input| input[0])
        .collect();
    assert_eq!(read, (0..targets::records::KINDS).collect(), "the corpus must have a record of every kind");
}

#[test]
fn cursors_open_only_under_their_own_binding() {
    replay("cursors", 5_000, targets::cursors::check);
}

#[test]
fn two_implementations_of_the_url_and_address_rules_agree() {
    replay("urls", 10_000, targets::urls::check);
}

#[test]
fn the_store_agrees_with_a_map_through_crashes_and_reopening() {
    assert!(
        corpus("store").iter().any(|input| targets::store::on_disk(input)),
        "the corpus must have an input that runs on disk"
    );
    replay("store", 3_000, targets::store::check);
}

#[test]
fn every_request_gets_a_response_in_the_documented_format() {
    replay("requests", 500, targets::requests::check);
}

#[test]
fn every_message_of_an_assistant_gets_a_readable_response() {
    replay("assistants", 500, targets::assistants::check);
}

#[test]
fn the_corpus_has_a_successful_call_of_every_tool() {
    let done: BTreeSet<_> =
        corpus("assistants").iter().flat_map(|input| targets::assistants::done(input)).collect();
    for tool in targets::assistants::tools() {
        assert!(done.contains(tool), "{tool}: {done:?}");
    }
}

#[test]
fn the_corpus_has_a_request_that_succeeds_for_every_route() {
    let mut tried = BTreeSet::new();
    for input in corpus("requests") {
        let text = String::from_utf8(input.clone()).unwrap();
        let statuses = targets::requests::answered(&input);
        let lines: Vec<_> = text.split("\n---\n").filter_map(|request| request.lines().next()).collect();
        assert_eq!(statuses.len(), lines.len(), "{text}");
        for (line, _) in lines.into_iter().zip(statuses).filter(|(_, status)| *status < 300) {
            let (method, path) = line.split_once(' ').unwrap();
            // Inputs delete only spare records, so `{spare_service_id}` counts as `{service_id}`.
            tried.insert((method.to_owned(), path.split('?').next().unwrap().replace("{spare_", "{")));
        }
    }
    // The test skips these routes. No input contains a backup request, because the service would write to the path in
    // it. Requests for the other routes cannot succeed: no relay is configured, no calendar server responds, and no
    // input contains the id of a conversation or of a question.
    let apart = [
        "/admin/v1/backup",
        "/admin/v1/mail",
        "/admin/v1/businesses/{business_id}/notices/log/",
        "/admin/v1/businesses/{business_id}/calendars",
        "/admin/v1/businesses/{business_id}/conversations/",
        "/admin/v1/businesses/{business_id}/receptionist/gaps/",
    ];
    let routes = receptionist::service::routes().into_iter();
    for (method, path) in routes.filter(|(_, path)| !apart.iter().any(|start| path.starts_with(start))) {
        assert!(
            tried.contains(&(method.to_string(), path.to_owned())),
            "{method} {path} was not requested: {tried:?}"
        );
    }
}
