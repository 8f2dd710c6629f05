//! `receptionist service`: what can be booked at a business.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness, OneInBusiness};
use super::task::{Body, Task, in_business};

const COLUMNS: &[&str] = &["id", "name", "duration_minutes", "active", "description"];

/// Commands on services.
#[derive(Debug, Subcommand)]
pub enum ServiceCommand {
    /// Create a service
    Create(Create),
    /// List the services of a business, inactive ones too
    List(ListInBusiness),
    /// Change a service; what is not given stays as it is
    Update(Update),
}

/// What a new service is.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    /// Its name
    #[arg(long)]
    name: String,
    /// How long it takes, in minutes
    #[arg(long, value_name = "MINUTES")]
    duration_minutes: u32,
    #[command(flatten)]
    rest: Rest,
}

/// What changes in a service.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    one: OneInBusiness,
    /// Its name
    #[arg(long)]
    name: Option<String>,
    /// How long it takes, in minutes
    #[arg(long, value_name = "MINUTES")]
    duration_minutes: Option<u32>,
    #[command(flatten)]
    rest: Rest,
}

/// What can be left out of a service.
#[derive(Debug, Args)]
struct Rest {
    /// What it is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Whether it can be booked
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
}

impl Rest {
    fn add_to(self, body: Body) -> Body {
        body.given("description", self.description).given("active", self.active)
    }
}

impl ServiceCommand {
    pub(super) fn into_task(self) -> Task {
        let path = |of: &InBusiness| in_business(&of.business, &["services"]);
        match self {
            Self::Create(Create { of, name, duration_minutes, rest }) => {
                let body = Body::default().with("name", name).with("duration_minutes", duration_minutes);
                Task::post(path(&of), rest.add_to(body))
            }
            Self::List(list) => Task::list(path(&list.of), COLUMNS, list.paging),
            Self::Update(Update { one, name, duration_minutes, rest }) => {
                let body = Body::default().given("name", name).given("duration_minutes", duration_minutes);
                Task::patch(in_business(&one.of.business, &["services", &one.id]), rest.add_to(body))
            }
        }
    }
}
