//! `receptionist staff`: who carries services out at a business.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness, OneInBusiness};
use super::task::{Body, Task, in_business};

const COLUMNS: &[&str] = &["id", "name", "active", "timezone", "service_ids"];

/// Commands on staff members.
#[derive(Debug, Subcommand)]
pub enum StaffCommand {
    /// Add a staff member
    Create(Create),
    /// List the staff of a business, inactive members too
    List(ListInBusiness),
    /// Change a staff member; what is not given stays as it is
    Update(Update),
}

/// Who a new staff member is.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    /// Their name
    #[arg(long)]
    name: String,
    /// A service they offer; once for each
    #[arg(long, value_name = "ID")]
    service: Vec<String>,
    #[command(flatten)]
    rest: Rest,
}

/// What changes in a staff member.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    one: OneInBusiness,
    /// Their name
    #[arg(long)]
    name: Option<String>,
    /// A service they offer; once for each, in place of those before
    #[arg(long, value_name = "ID")]
    service: Vec<String>,
    /// They offer no service any more
    #[arg(long, conflicts_with = "service")]
    no_services: bool,
    #[command(flatten)]
    rest: Rest,
}

/// What can be left out of a staff member.
#[derive(Debug, Args)]
struct Rest {
    /// The time zone they see times in, such as Europe/Paris
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Whether they take appointments
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
}

impl Rest {
    fn add_to(self, body: Body) -> Body {
        body.given("timezone", self.timezone).given("active", self.active)
    }
}

impl StaffCommand {
    pub(super) fn into_task(self) -> Task {
        let path = |of: &InBusiness| in_business(&of.business, &["staff"]);
        match self {
            Self::Create(Create { of, name, service, rest }) => {
                let body = Body::default().with("name", name).with("service_ids", service);
                Task::post(path(&of), rest.add_to(body))
            }
            Self::List(list) => Task::list(path(&list.of), COLUMNS, list.paging),
            Self::Update(Update { one, name, service, no_services, rest }) => {
                let body =
                    Body::default().given("name", name).given_list("service_ids", service, no_services);
                Task::patch(in_business(&one.of.business, &["staff", &one.id]), rest.add_to(body))
            }
        }
    }
}
