//! How much a business keeps and may keep, and how far that is counted.

use std::sync::Arc;

use domain::{Amount, Budget, BudgetKind, BusinessId, Refusal, Usage};
use store::kept::COUNTED;
use store::keys::kind;
use store::{Key, KeyRange, Promised, Waiting, keys};

/// How much a business keeps, how much it may, and how far that is counted.
pub(crate) struct Accounts {
    pub(crate) budget: Budget,
    pub(crate) usage: Usage,
    pub(crate) waiting: Arc<Waiting>,
    /// What is still to be counted of the records; `None` when all are.
    pub(super) kept: Option<Left>,
    /// What is still to be counted of the deliveries and mails that wait.
    pub(super) due: Vec<KeyRange>,
}

/// The rows that are still to be counted: of one kind from a key on, and all of the kinds behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    /// The place of the kind in [`COUNTED`].
    pub(super) kind: usize,
    pub(super) range: KeyRange,
}

impl Accounts {
    /// The accounts of a business, with its usage if an entry of its audit log tells it.
    pub(super) fn new(of: BusinessId, budget: Budget, told: Option<Usage>, waiting: Arc<Waiting>) -> Self {
        let all = Left { kind: 0, range: keys::of_kind(of, COUNTED[0].kind) };
        Self {
            budget,
            usage: told.unwrap_or_default(),
            waiting,
            kept: told.is_none().then_some(all),
            due: vec![keys::mails_due(of), keys::of_kind(of, kind::DELIVERY_DUE)],
        }
    }

    /// Whether everything is counted.
    pub(super) fn are_complete(&self) -> bool {
        self.kept.is_none() && self.due.is_empty()
    }

    /// The usage that an entry of the audit log may tell.
    pub(super) fn telling(&self, usage: Usage) -> Option<Usage> {
        self.kept.is_none().then_some(usage)
    }

    /// How much there is of every kind, what waits included.
    pub(super) fn used(&self) -> Usage {
        let mut usage = self.usage;
        usage.set(BudgetKind::WaitingDeliveries, self.waiting.amount());
        usage
    }

    /// Promises room for so many more deliveries that wait, or for as many as may: for none where their bytes are used
    /// up.
    pub(super) fn promise_waiting(&self, rows_max: u64) -> Promised {
        let (allowed, waits) = (self.budget.allowed(BudgetKind::WaitingDeliveries), self.waiting.claimed());
        let room = if waits.bytes < allowed.bytes { allowed.rows.saturating_sub(waits.rows) } else { 0 };
        self.waiting.promise(room.min(rows_max))
    }

    /// Whether a row is counted already, or will be met by a later step.
    pub(super) fn has_counted(&self, place: usize, key: &Key) -> bool {
        self.kept.is_none_or(|left| place < left.kind || (place == left.kind && *key < left.range.from))
    }

    /// Refuses what creates a record for which there is no room.
    pub(super) fn check(&self, after: &Usage) -> Result<(), Refusal> {
        for kind in BudgetKind::kept() {
            let (before, after) = (self.usage.of(kind), after.of(kind));
            if after.rows > before.rows {
                let more = Amount {
                    rows: after.rows - before.rows,
                    bytes: after.bytes.saturating_sub(before.bytes),
                };
                self.budget.check(kind, before, more, kind.as_str())?;
            }
        }
        Ok(())
    }
}
