//! `receptionist audit`: who changed what at a business, and in people's accounts.

use clap::Subcommand;

use super::arguments::{ListInBusiness, Paging};
use super::request::Path;
use super::task::Task;

const COLUMNS: &[&str] =
    &["at", "actor.type", "actor.id", "action", "resource_type", "resource_id", "changes"];

/// Commands on the audit log.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// List the changes, the newest first
    List(ListInBusiness),
    /// List what was done to people's accounts, the newest first
    Accounts(Paging),
}

impl AuditCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::List(list) => Task::list(list.of.path(&["audit"]), COLUMNS, list.paging),
            Self::Accounts(paging) => Task::list(Path::accounts_log(), COLUMNS, paging),
        }
    }
}
