//! `receptionist audit`: who changed what at a business, and what was done to the installation.

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
    /// List what was done to people's accounts, which exports and backups were begun and which businesses ended
    Installation(Paging),
}

impl AuditCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::List(list) => Task::list(list.of.path(&["audit"]), COLUMNS, list.paging),
            Self::Installation(paging) => Task::list(Path::installation_log(), COLUMNS, paging),
        }
    }
}
