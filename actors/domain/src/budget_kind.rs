//! The kinds of rows that a budget limits.

use super::words::words;

words! {
    BudgetKind {
        Services = "services",
        Staff = "staff",
        Keys = "keys",
        Contacts = "contacts",
        Appointments = "appointments",
        Calls = "calls",
        Messages = "messages",
        Knowledge = "knowledge",
        /// Deliveries that wait for an attempt. Each counts the bytes of its event.
        WaitingDeliveries = "waiting_deliveries",
    }
}

impl BudgetKind {
    /// The kinds of records that stay until they are deleted: all except waiting deliveries.
    pub fn kept() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| *kind != Self::WaitingDeliveries)
    }

    pub(super) fn place(self) -> usize {
        self as usize
    }
}
