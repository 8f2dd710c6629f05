//! `receptionist key`: the API keys of a business. A key itself is shown once, by the call that makes it.

use actors::domain::Scope;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness, OneInBusiness};
use super::request::Body;
use super::task::Task;

const COLUMNS: &[&str] = &["id", "prefix", "name", "scopes", "created_at", "last_used_at", "revoked_at"];

/// Commands on API keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it; it is shown only this once
    Create(Create),
    /// List the keys of a business, revoked ones too
    List(ListInBusiness),
    /// Revoke a key at once and for good
    Revoke(OneInBusiness),
}

/// What a new key may do.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    /// What its owner calls it
    #[arg(long)]
    name: String,
    /// A scope, such as appointments:read; once for each
    #[arg(long, required_unless_present = "all_scopes",
        value_parser = PossibleValuesParser::new(Scope::ALL.iter().map(|scope| scope.as_str())))]
    scope: Vec<String>,
    /// Every scope there is
    #[arg(long, conflicts_with = "scope")]
    all_scopes: bool,
}

impl KeyCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::Create(Create { of, name, scope, all_scopes }) => {
                let every = || Scope::ALL.iter().map(Scope::to_string).collect();
                let scopes: Vec<String> = if all_scopes { every() } else { scope };
                let body = Body::default().with("name", name).with("scopes", scopes);
                Task::post(of.path(&["keys"]), body)
                    .with_note("the key is shown only this once; keep it where secrets are kept")
            }
            Self::List(list) => Task::list(list.of.path(&["keys"]), COLUMNS, list.paging),
            Self::Revoke(one) => Task::delete(one.path("keys"), "revoked"),
        }
    }
}
