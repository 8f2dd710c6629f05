//! `receptionist budget`: how much a business may keep of each kind, and how much it keeps.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;

use super::arguments::InBusiness;
use super::request::Body;
use super::task::Task;

const COLUMNS: &[&str] = &["kind", "rows", "rows_max", "bytes", "bytes_max"];

/// Commands on budgets.
#[derive(Debug, Subcommand)]
pub enum BudgetCommand {
    /// Show what is allowed and what is used of each kind
    Show(InBusiness),
    /// Set how much of one kind is allowed; what is not given stays as it is
    Set(Set),
}

/// What is allowed of one kind.
#[derive(Debug, Args)]
pub struct Set {
    #[command(flatten)]
    of: InBusiness,
    /// What is counted
    #[arg(long, value_enum)]
    kind: Kind,
    /// At most so many rows, or `default`
    #[arg(long, value_name = "COUNT", value_parser = Bound::parse)]
    rows_max: Option<Bound>,
    /// At most so many bytes, or `default`
    #[arg(long, value_name = "BYTES", value_parser = Bound::parse)]
    bytes_max: Option<Bound>,
}

/// What is counted apart, as the operator API calls it.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Kind {
    /// Services
    Services,
    /// Staff members
    Staff,
    /// API keys that are not revoked
    Keys,
    /// Contacts
    Contacts,
    /// Appointments
    Appointments,
    /// Calls
    Calls,
    /// Messages
    Messages,
    /// Pieces of knowledge
    Knowledge,
    /// Deliveries that wait for an attempt
    WaitingDeliveries,
}

/// A number, or the default.
#[derive(Clone, Copy, Debug)]
struct Bound(Option<u64>);

impl Bound {
    fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "default" => Ok(Self(None)),
            number => {
                number.parse().map(|number| Self(Some(number))).map_err(|_| "a whole number, or `default`")
            }
        }
    }
}

impl From<Bound> for Value {
    fn from(bound: Bound) -> Self {
        bound.0.into()
    }
}

impl BudgetCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::Show(of) => Task::get(of.path(&["budget"])).by_field(COLUMNS),
            Self::Set(Set { of, kind, rows_max, bytes_max }) => {
                let limits = Body::default().given("rows_max", rows_max).given("bytes_max", bytes_max);
                let name =
                    kind.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
                let body = Body::default().with_object(&name, limits);
                Task::patch(of.path(&["budget"]), body).by_field(COLUMNS)
            }
        }
    }
}
