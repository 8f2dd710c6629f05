//! How far a business has come with what it does in steps beside what is asked for: erasing contacts, wiping events,
//! deleting what is kept no longer.

use domain::{ErasureId, SteadyTime};
use serde::Serialize;
use store::Key;

use super::ages::Round;
use super::theirs::Theirs;

/// What is done in steps, and how far that has come.
#[derive(Debug, Default)]
pub(crate) struct Chores {
    /// Whether a step is under way.
    pub(super) under_way: bool,
    /// Whether it is to begin anew once it has come to its end.
    pub(super) asked: bool,
    /// What is done now.
    pub(super) chore: Chore,
    /// The erasing that is under way, as far as it is known.
    pub(super) erasing: Option<Erasing>,
    /// The event to be wiped that was looked at last.
    pub(super) wiped: Option<Key>,
    /// The rounds that look for what is kept no longer.
    pub(super) round: Round,
    /// Whether one is under way.
    in_round: bool,
    /// Which kind of records it looks through.
    pub(super) expiring: usize,
}

impl Chores {
    /// Whether nothing is under way.
    pub(super) fn are_done(&self) -> bool {
        !self.under_way && self.chore == Chore::None
    }

    /// Whether there is a round that looks for what is kept no longer; one begins if it is time.
    pub(super) fn is_round_under_way(&mut self, now: SteadyTime) -> bool {
        self.in_round |= self.round.is_under_way(now);
        self.in_round
    }

    /// Has a round begin at once.
    pub(super) fn look_anew(&mut self) {
        (self.round, self.expiring) = (Round::default(), 0);
    }

    /// Takes note of whether the round has come to its end.
    pub(super) fn ends_round(&mut self, ends: bool) {
        self.in_round &= !ends;
    }
}

/// To how many records of each kind something was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) appointments: u64,
    pub(super) calls: u64,
    pub(super) messages: u64,
}

/// What is done in steps, in the order in which it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Chore {
    /// Nothing.
    #[default]
    None,
    /// Erasing contacts.
    Erasing,
    /// Wiping events that tell of them.
    Wiping,
    /// Deleting what is kept no longer.
    Expiring,
}

/// The contacts that are being erased together, and how far that has come.
#[derive(Debug)]
pub(super) struct Erasing {
    /// The newest erasure that takes part: whatever has a greater id tells of none of them.
    pub(super) newest: ErasureId,
    /// Who they are.
    pub(super) theirs: Theirs,
    /// The number of the stage, among those of the erasing.
    pub(super) stage: u8,
    /// The row of it that was looked at last.
    pub(super) at: Option<Key>,
    /// How many steps ago that was written.
    pub(super) unwritten: u32,
}
