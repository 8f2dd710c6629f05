//! `receptionist service`: what can be booked at a business.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness};
use super::request::{Body, Path};
use super::task::Task;
use super::typed::{Kind, Typed};

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
    /// Delete a service that nothing refers to
    Delete(One),
}

/// One service.
#[derive(Debug, Args)]
pub struct One {
    #[command(flatten)]
    of: InBusiness,
    /// The service, by its id or name
    #[arg(value_name = "SERVICE")]
    service: String,
}

impl One {
    fn path(self) -> Path {
        self.of.path(&["services"]).then(Typed::new("SERVICE", Kind::Service, self.service))
    }
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
    one: One,
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
        match self {
            Self::Create(Create { of, name, duration_minutes, rest }) => {
                let body = Body::default().with("name", name).with("duration_minutes", duration_minutes);
                Task::post(of.path(&["services"]), rest.add_to(body))
            }
            Self::List(list) => Task::list(list.of.path(&["services"]), COLUMNS, list.paging),
            Self::Update(Update { one, name, duration_minutes, rest }) => {
                let body = Body::default().given("name", name).given("duration_minutes", duration_minutes);
                Task::patch(one.path(), rest.add_to(body))
            }
            Self::Delete(one) => Task::delete(one.path(), "deleted"),
        }
    }
}
