//! The budget of a business: a limit on rows and bytes for each kind of record. The operator sets the limits.
//!
//! Invariant: a limit refuses only new records of its kind, never a change to an existing record.

use super::words::words;
use super::{Conflict, Problem, ProblemCode, Refusal};

words! {
    /// Stored usages and limits identify a kind by its position in this list. A new kind must therefore be added at the
    /// end.
    BudgetKind {
        Services = "services",
        Staff = "staff",
        Keys = "keys",
        Contacts = "contacts",
        Appointments = "appointments",
        Calls = "calls",
        Messages = "messages",
        Knowledge = "knowledge",
        /// Deliveries that wait for an attempt. The size of a delivery is the size of its event.
        WaitingDeliveries = "waiting_deliveries",
        /// Notices to customers that have not been sent yet. Their bytes are not counted.
        WaitingNotices = "waiting_notices",
        /// Conversations of the receptionist. At the limit, a new conversation replaces an ended one.
        Conversations = "conversations",
    }
}

impl BudgetKind {
    /// Returns the kinds of records that stay until they are deleted. These are all kinds except waiting deliveries and
    /// waiting notices.
    pub fn kept() -> impl Iterator<Item = Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|kind| !matches!(kind, Self::WaitingDeliveries | Self::WaitingNotices))
    }

    fn place(self) -> usize {
        self as usize
    }
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The default limits. They are high enough for a chain of salons for many years.
const DEFAULTS: [(BudgetKind, Amount); BudgetKind::ALL.len()] = [
    (BudgetKind::Services, Amount { rows: 1_000, bytes: 16 * MIB }),
    (BudgetKind::Staff, Amount { rows: 1_000, bytes: 64 * MIB }),
    (BudgetKind::Keys, Amount { rows: 100, bytes: MIB }),
    (BudgetKind::Contacts, Amount { rows: 1_000_000, bytes: GIB }),
    (BudgetKind::Appointments, Amount { rows: 5_000_000, bytes: 2 * GIB }),
    (BudgetKind::Calls, Amount { rows: 5_000_000, bytes: 8 * GIB }),
    (BudgetKind::Messages, Amount { rows: 1_000_000, bytes: 4 * GIB }),
    (BudgetKind::Knowledge, Amount { rows: 10_000, bytes: 256 * MIB }),
    (BudgetKind::WaitingDeliveries, Amount { rows: 100_000, bytes: GIB }),
    (BudgetKind::WaitingNotices, Amount { rows: 100_000, bytes: GIB }),
    (BudgetKind::Conversations, Amount { rows: 100_000, bytes: GIB }),
];

/// The largest possible limit. It is the largest integer that every JSON parser represents exactly.
pub const BUDGET_MAX: u64 = (1 << 53) - 1;

/// An amount of rows and bytes. The bytes are the lengths of the encoded records, without keys and index
/// rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub rows: u64,
    pub bytes: u64,
}

impl Amount {
    pub fn row(bytes: usize) -> Self {
        Self { rows: 1, bytes: bytes as u64 }
    }

    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self { rows: self.rows.saturating_add(more.rows), bytes: self.bytes.saturating_add(more.bytes) }
    }

    /// Subtracts an amount. Panics if `less` is greater than the amount, which shows that a row was counted
    /// wrongly.
    #[must_use]
    pub fn minus(self, less: Self) -> Self {
        let rest = self.rows.checked_sub(less.rows).zip(self.bytes.checked_sub(less.bytes));
        let Some((rows, bytes)) = rest else { panic!("{less:?} is more than {self:?}") };
        Self { rows, bytes }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage([Amount; BudgetKind::ALL.len()]);

impl Usage {
    pub fn of(&self, kind: BudgetKind) -> Amount {
        self.0[kind.place()]
    }

    pub fn set(&mut self, kind: BudgetKind, amount: Amount) {
        self.0[kind.place()] = amount;
    }

    pub fn add(&mut self, kind: BudgetKind, row: Amount) {
        self.set(kind, self.of(kind).plus(row));
    }

    pub fn remove(&mut self, kind: BudgetKind, row: Amount) {
        self.set(kind, self.of(kind).minus(row));
    }
}

/// The operator's limit for one kind. A field is `None` if the default applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    pub rows_max: Option<u64>,
    pub bytes_max: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget([Limit; BudgetKind::ALL.len()]);

impl Budget {
    pub fn limit(&self, kind: BudgetKind) -> Limit {
        self.0[kind.place()]
    }

    pub fn set(&mut self, kind: BudgetKind, limit: Limit) {
        self.0[kind.place()] = limit;
    }

    pub fn allowed(&self, kind: BudgetKind) -> Amount {
        let (limit, (_, default)) = (self.limit(kind), DEFAULTS[kind.place()]);
        Amount {
            rows: limit.rows_max.unwrap_or(default.rows),
            bytes: limit.bytes_max.unwrap_or(default.bytes),
        }
    }

    pub fn has_room(&self, kind: BudgetKind, used: Amount, more: Amount) -> bool {
        let (allowed, after) = (self.allowed(kind), used.plus(more));
        after.rows <= allowed.rows && after.bytes <= allowed.bytes
    }

    /// Checks that the budget has room for the additional amount `more`. The error names `path`: a property
    /// of the request, or the name of the kind.
    pub fn check(&self, kind: BudgetKind, used: Amount, more: Amount, path: &str) -> Result<(), Refusal> {
        if self.has_room(kind, used, more) {
            return Ok(());
        }
        let allowed = self.allowed(kind);
        let problem = if used.plus(more).rows > allowed.rows {
            ProblemCode::RowsFull { kind, max: allowed.rows, used: used.rows }
        } else {
            ProblemCode::BytesFull { kind, max: allowed.bytes, used: used.bytes, more: more.bytes }
        };
        let details = vec![Problem::new(path, problem)];
        Err(Refusal::Conflict { conflict: Conflict::BudgetUsedUp(kind), details })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(rows_max: u64, bytes_max: u64) -> Budget {
        let mut budget = Budget::default();
        budget.set(BudgetKind::Contacts, Limit { rows_max: Some(rows_max), bytes_max: Some(bytes_max) });
        budget
    }

    #[test]
    fn the_defaults_have_the_order_of_the_kinds() {
        for (place, (kind, amount)) in DEFAULTS.iter().enumerate() {
            assert_eq!(kind.place(), place);
            assert_eq!(Budget::default().allowed(*kind), *amount);
            assert!(amount.rows <= BUDGET_MAX && amount.bytes <= BUDGET_MAX);
        }
    }

    #[test]
    fn a_record_fits_up_to_the_limit_and_not_beyond_it() {
        let (kind, used) = (BudgetKind::Contacts, Amount { rows: 9, bytes: 90 });
        let check =
            |rows, bytes, more| budget(rows, bytes).check(BudgetKind::Contacts, used, more, "contact");
        check(10, 100, Amount::row(10)).unwrap();
        let refused = |refusal: Result<(), Refusal>| match refusal.unwrap_err() {
            Refusal::Conflict { conflict, details } => {
                assert_eq!(conflict, Conflict::BudgetUsedUp(BudgetKind::Contacts));
                assert_eq!(details[0].path, "contact");
                details[0].code.clone()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(check(9, 100, Amount::row(10))), ProblemCode::RowsFull { kind, max: 9, used: 9 });
        assert_eq!(
            refused(check(10, 99, Amount::row(10))),
            ProblemCode::BytesFull { kind, max: 99, used: 90, more: 10 }
        );
        assert_eq!(refused(check(0, 0, Amount::row(0))), ProblemCode::RowsFull { kind, max: 0, used: 9 });
    }

    #[test]
    fn one_kind_is_counted_apart_from_the_others() {
        let mut usage = Usage::default();
        usage.add(BudgetKind::Calls, Amount::row(7));
        usage.add(BudgetKind::Calls, Amount::row(5));
        usage.remove(BudgetKind::Calls, Amount::row(7));
        assert_eq!(usage.of(BudgetKind::Calls), Amount::row(5));
        assert_eq!(usage.of(BudgetKind::Messages), Amount::default());
    }

    #[test]
    #[should_panic(expected = "is more than")]
    fn removing_a_row_that_was_never_counted_panics() {
        Usage::default().remove(BudgetKind::Calls, Amount::row(1));
    }
}
