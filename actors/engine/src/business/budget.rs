//! The budget and the usage of a business, and the progress of the count of its records.

use std::sync::Arc;

use domain::{Amount, Budget, BudgetKind, BusinessId, Refusal, Usage};
use store::kept::COUNTED;
use store::keys::kind;
use store::{Key, KeyRange, Promised, Waiting, keys};

pub(crate) struct BusinessBudget {
    pub(crate) limits: Budget,
    pub(crate) usage: Usage,
    pub(crate) waiting: Arc<Waiting>,
    /// The rows that have not been counted yet, or `None` when all rows are counted.
    pub(super) uncounted: Option<Uncounted>,
    /// The ranges of waiting mails and deliveries that have not been counted yet.
    pub(super) due: Vec<KeyRange>,
    /// True while contacts are being imported. During this time, audit entries do not record the usage.
    pub(super) is_importing: bool,
}

/// The rows that have not been counted yet: the rows of `kind` in `range`, and all rows of later kinds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uncounted {
    /// The index of the kind in [`COUNTED`].
    pub(super) kind: usize,
    pub(super) range: KeyRange,
}

impl BusinessBudget {
    pub(super) fn new(
        of: BusinessId,
        limits: Budget,
        recorded: Option<Usage>,
        waiting: Arc<Waiting>,
    ) -> Self {
        let all = Uncounted { kind: 0, range: keys::of_kind(of, COUNTED[0].kind) };
        Self {
            limits,
            usage: recorded.unwrap_or_default(),
            waiting,
            uncounted: recorded.is_none().then_some(all),
            due: vec![
                keys::mails_due(of),
                keys::of_kind(of, kind::NOTICE_WAITS),
                keys::of_kind(of, kind::DELIVERY_DUE),
            ],
            is_importing: false,
        }
    }

    pub(super) fn are_complete(&self) -> bool {
        self.uncounted.is_none() && self.due.is_empty()
    }

    /// The usage to record in an audit entry. Returns `None` until all rows are counted, and during an import.
    pub(super) fn recorded(&self, usage: Usage) -> Option<Usage> {
        (self.uncounted.is_none() && !self.is_importing).then_some(usage)
    }

    pub(super) fn used(&self) -> Usage {
        let mut usage = self.usage;
        usage.set(BudgetKind::WaitingDeliveries, self.waiting.amount());
        usage.set(BudgetKind::WaitingNotices, Amount { rows: self.waiting.notices(), bytes: 0 });
        usage
    }

    /// Reserves budget for at most `rows_max` waiting deliveries. Reserves nothing if the waiting deliveries have
    /// reached the byte limit.
    pub(super) fn promise_waiting(&self, rows_max: u64) -> Promised {
        let (allowed, waits) = (self.limits.allowed(BudgetKind::WaitingDeliveries), self.waiting.claimed());
        let room = if waits.bytes < allowed.bytes { allowed.rows.saturating_sub(waits.rows) } else { 0 };
        self.waiting.promise(room.min(rows_max))
    }

    /// True if the count has already passed the row with this key, or if all rows are counted. If the result is false,
    /// a later step counts the row. `place` is the index of the row's kind in [`COUNTED`].
    pub(super) fn has_counted(&self, place: usize, key: &Key) -> bool {
        self.uncounted.is_none_or(|left| place < left.kind || (place == left.kind && *key < left.range.from))
    }

    pub(super) fn check(&self, after: &Usage) -> Result<(), Refusal> {
        for kind in BudgetKind::kept() {
            let (before, after) = (self.usage.of(kind), after.of(kind));
            if after.rows > before.rows {
                let more = Amount {
                    rows: after.rows - before.rows,
                    bytes: after.bytes.saturating_sub(before.bytes),
                };
                self.limits.check(kind, before, more, kind.as_str())?;
            }
        }
        Ok(())
    }
}
