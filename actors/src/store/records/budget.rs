//! What the operator allows a business to keep, and how much it keeps.

use serde::{Deserialize, Serialize};

use super::{Numbered, word};
use crate::domain::{Amount, Budget, BudgetKind, Limit, Usage};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct BudgetRecordV1 {
    /// The kind, and the most rows and bytes of it, for each kind of which something is said.
    limits: Vec<(u8, Option<u64>, Option<u64>)>,
}

record!(Budget, "budget", 1 => BudgetRecordV1);

impl Layout<Budget> for BudgetRecordV1 {
    fn freeze(value: &Budget) -> Self {
        let said = BudgetKind::ALL.iter().map(|kind| (*kind, value.limit(*kind)));
        let limits = said
            .filter(|(_, limit)| *limit != Limit::default())
            .map(|(kind, limit)| (kind.number(), limit.rows_max, limit.bytes_max))
            .collect();
        Self { limits }
    }

    fn thaw(self, record: &'static str) -> Result<Budget, StoreError> {
        let mut budget = Budget::default();
        for (kind, rows_max, bytes_max) in self.limits {
            budget.set(word(record, kind)?, Limit { rows_max, bytes_max });
        }
        Ok(budget)
    }
}

/// Rows and bytes of each kind that is kept, in the order of [`BudgetKind::kept`].
pub(super) type UsageRecord = Vec<(u64, u64)>;

/// How a usage is stored.
pub(super) fn freeze_usage(usage: Option<&Usage>) -> UsageRecord {
    let of_kind = |usage: &Usage, kind| {
        let Amount { rows, bytes } = usage.of(kind);
        (rows, bytes)
    };
    usage.map_or_else(Vec::new, |usage| BudgetKind::kept().map(|kind| of_kind(usage, kind)).collect())
}

/// The usage that is stored; `None` when it does not tell of every kind, as when a kind was new since.
pub(super) fn thaw_usage(stored: &UsageRecord) -> Option<Usage> {
    let mut usage = Usage::default();
    let mut amounts = stored.iter();
    for kind in BudgetKind::kept() {
        let (rows, bytes) = *amounts.next()?;
        usage.set(kind, Amount { rows, bytes });
    }
    Some(usage)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage};
    use super::*;

    #[test]
    fn a_budget_has_these_bytes() {
        check(&Budget::default(), "0100");
        let mut budget = Budget::default();
        budget.set(BudgetKind::Contacts, Limit { rows_max: Some(10), bytes_max: None });
        budget.set(BudgetKind::WaitingDeliveries, Limit { rows_max: None, bytes_max: Some(65_536) });
        check(&budget, "010204010a00090001fc00000100");
        check_damage(&budget, |bytes| bytes[2] = 99);
    }

    #[test]
    fn a_usage_that_lacks_a_kind_tells_nothing() {
        let mut usage = Usage::default();
        usage.set(BudgetKind::Knowledge, Amount { rows: 3, bytes: 300 });
        let mut stored = freeze_usage(Some(&usage));
        assert_eq!(thaw_usage(&stored), Some(usage));
        stored.pop();
        assert_eq!(thaw_usage(&stored), None);
        assert_eq!(thaw_usage(&freeze_usage(None)), None);
    }
}
