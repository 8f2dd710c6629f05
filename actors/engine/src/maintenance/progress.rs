//! Progress of the background jobs of a business: erasure of contacts, wiping of events, and retention.

use std::collections::BTreeMap;

use domain::{BudgetKind, ErasureId, SteadyTime};
use store::Key;
use store::kept::Kept;

use super::age_marks::Round;
use crate::business::Theirs;

#[derive(Debug, Default)]
pub(crate) struct Chores {
    pub(super) under_way: bool,
    /// Whether the jobs start again after the current run.
    pub(super) asked: bool,
    pub(super) chore: Chore,
    /// The current erasure, as far as it is loaded.
    pub(super) erasing: Option<Erasing>,
    /// The last event that the wiping job has read.
    pub(super) wiped: Option<Key>,
    pub(super) round: Round,
    in_round: bool,
    /// Index of the kind that the retention job reads.
    pub(super) expiring: usize,
}

impl Chores {
    pub(crate) fn are_done(&self) -> bool {
        !self.under_way && self.chore == Chore::None
    }

    /// Starts a retention round if one is due.
    pub(super) fn is_round_under_way(&mut self, now: SteadyTime) -> bool {
        self.in_round |= self.round.is_under_way(now);
        self.in_round
    }

    pub(crate) fn look_anew(&mut self) {
        (self.round, self.expiring) = (Round::default(), 0);
    }

    pub(super) fn ends_round(&mut self, ends: bool) {
        self.in_round &= !ends;
    }
}

/// The number of changed records of each kind that a budget counts.
#[derive(Debug, Default)]
pub(super) struct Counts(pub(super) BTreeMap<BudgetKind, u64>);

impl Counts {
    pub(super) fn add<R: Kept>(&mut self) {
        if let Some(budget) = R::BUDGET {
            *self.0.entry(budget).or_default() += 1;
        }
    }
}

/// The background jobs, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Chore {
    #[default]
    None,
    Erasing,
    Wiping,
    Expiring,
}

#[derive(Debug)]
pub(super) struct Erasing {
    /// The newest erasure of this run. A record with a greater id contains none of these contacts.
    pub(super) newest: ErasureId,
    pub(super) theirs: Theirs,
    pub(super) stage: u8,
    pub(super) at: Option<Key>,
    /// The number of steps since the progress was last written.
    pub(super) unwritten: u32,
}
