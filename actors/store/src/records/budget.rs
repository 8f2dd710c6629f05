//! The limits of a business, and its usage.

use domain::{Amount, Budget, BudgetKind, Limit};

use crate::StoreError;
use crate::codec::{Field, Fields, Record, encoded, fields};

const BUDGET: &str = "budget";

fields! {
    Amount { rows, bytes }
    Limit { rows_max, bytes_max }
}

/// Only kinds with a limit are stored.
impl Record for Budget {
    fn encode(&self) -> Vec<u8> {
        let limits = BudgetKind::ALL.iter().map(|kind| (*kind, self.limit(*kind)));
        let limits: Vec<_> = limits.filter(|(_, limit)| *limit != Limit::default()).collect();
        encoded(BUDGET, 1, |bytes| limits.write(bytes))
    }

    fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut fields = Fields::of(BUDGET, &[1], bytes)?;
        let mut budget = Self::default();
        for (kind, limit) in Vec::<(BudgetKind, Limit)>::read(&mut fields)? {
            budget.set(kind, limit);
        }
        fields.end()?;
        Ok(budget)
    }
}

/// Rows and bytes of each kind, in the order of [`BudgetKind::kept`]. A usage that lacks a kind, because the kind is
/// newer, is decoded as none.
pub(super) mod usage {
    use domain::Usage;

    use super::{Amount, BudgetKind, Field, Fields, StoreError};

    pub(in super::super) fn write(usage: &Option<Usage>, to: &mut Vec<u8>) {
        let amounts = |usage: &Usage| BudgetKind::kept().map(|kind| usage.of(kind)).collect();
        usage.as_ref().map_or_else(Vec::new, amounts).write(to);
    }

    pub(in super::super) fn read(from: &mut Fields<'_>) -> Result<Option<Usage>, StoreError> {
        let (mut usage, mut kinds) = (Usage::default(), BudgetKind::kept());
        for amount in Vec::<Amount>::read(from)? {
            let Some(kind) = kinds.next() else { break };
            usage.set(kind, amount);
        }
        Ok(kinds.next().is_none().then_some(usage))
    }
}

#[cfg(test)]
mod tests {
    use domain::Usage;

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
        let read = |bytes: &[u8]| usage::read(&mut Fields::of("usage", &[1], bytes).unwrap()).unwrap();
        let mut kept = Usage::default();
        kept.set(BudgetKind::Knowledge, Amount { rows: 3, bytes: 300 });
        let mut bytes = vec![1];
        usage::write(&Some(kept), &mut bytes);
        assert_eq!(read(&bytes), Some(kept));
        let lacking: Vec<_> = BudgetKind::kept().skip(1).map(|_| Amount::default()).collect();
        let mut bytes = vec![1];
        lacking.write(&mut bytes);
        assert_eq!(read(&bytes), None);
        assert_eq!(read(&[1, 0]), None);
    }
}
