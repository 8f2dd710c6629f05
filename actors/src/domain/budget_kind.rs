//! What a business keeps that is counted against its budget.

use super::words::words;

words! {
    /// What is counted apart.
    BudgetKind {
        /// Services.
        Services = "services",
        /// Staff members.
        Staff = "staff",
        /// API keys that are not revoked.
        Keys = "keys",
        /// Contacts.
        Contacts = "contacts",
        /// Appointments, whatever their status.
        Appointments = "appointments",
        /// Calls.
        Calls = "calls",
        /// Messages.
        Messages = "messages",
        /// Pieces of knowledge.
        Knowledge = "knowledge",
        /// Deliveries that wait for an attempt; each counts the bytes of its event.
        WaitingDeliveries = "waiting_deliveries",
    }
}

impl BudgetKind {
    /// The kinds of records that a business keeps until somebody deletes them: all but the waiting deliveries.
    pub fn kept() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| *kind != Self::WaitingDeliveries)
    }

    /// Its place among all kinds.
    pub(super) fn place(self) -> usize {
        self as usize
    }
}
