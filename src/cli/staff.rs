//! `receptionist staff`: who carries services out at a business.

use clap::{Args, Subcommand};

use super::arguments::{self, InBusiness, ListInBusiness};
use super::request::{Body, Path};
use super::task::Task;
use super::typed::hours::Week;
use super::typed::{Kind, Typed, zone};

const COLUMNS: &[&str] = &["id", "name", "active", "timezone", "service_ids", "hours"];

/// Commands on staff members.
#[derive(Debug, Subcommand)]
pub enum StaffCommand {
    /// Add a staff member
    Create(Create),
    /// List the staff of a business, inactive members too
    List(ListInBusiness),
    /// Change a staff member; what is not given stays as it is
    Update(Update),
    /// Delete a staff member that nothing refers to
    Delete(One),
}

/// One staff member.
#[derive(Debug, Args)]
pub struct One {
    #[command(flatten)]
    of: InBusiness,
    /// The staff member, by their id or name
    #[arg(value_name = "STAFF")]
    staff: String,
}

impl One {
    fn path(self) -> Path {
        self.of.path(&["staff"]).then(Typed::new("STAFF", Kind::Staff, self.staff))
    }
}

/// Who a new staff member is.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    /// Their name
    #[arg(long)]
    name: String,
    /// A service they offer, by its id or name; once for each
    #[arg(long, value_name = "SERVICE")]
    service: Vec<String>,
    #[command(flatten)]
    rest: Rest,
}

/// What changes in a staff member.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    one: One,
    /// Their name
    #[arg(long)]
    name: Option<String>,
    /// A service they offer, by its id or name; once for each, in place of those before
    #[arg(long, value_name = "SERVICE")]
    service: Vec<String>,
    /// They are there whenever the business is open
    #[arg(long, conflicts_with_all = ["hours", "no_hours"])]
    clear_hours: bool,
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
    #[arg(long, value_name = "ZONE", value_parser = zone::parse)]
    timezone: Option<String>,
    /// Whether they take appointments
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
    /// Their own hours of a day or some, such as mon-fri=9:00-13:00, once for each window; days that no --hours names they
    /// are not there
    #[arg(long, value_name = "DAY=OPEN-CLOSE", value_parser = Week::parse)]
    hours: Vec<Week>,
    /// They are there at no time
    #[arg(long, conflicts_with = "hours")]
    no_hours: bool,
}

impl Rest {
    fn add_to(self, body: Body) -> Body {
        let hours = self.hours.into_iter().flat_map(|week| week.0).collect();
        body.given("timezone", self.timezone).given("active", self.active).given_list(
            "hours",
            hours,
            self.no_hours,
        )
    }
}

impl StaffCommand {
    pub(super) fn into_task(self) -> Task {
        let services = |names: Vec<String>| names.into_iter().map(arguments::service).collect::<Vec<_>>();
        match self {
            Self::Create(Create { of, name, service, rest }) => {
                let body =
                    Body::default().with("name", name).given_list("service_ids", services(service), true);
                Task::post(of.path(&["staff"]), rest.add_to(body))
            }
            Self::List(list) => Task::list(list.of.path(&["staff"]), COLUMNS, list.paging),
            Self::Update(Update { one, name, service, clear_hours, no_services, rest }) => {
                let body = Body::default().given("name", name).given_list(
                    "service_ids",
                    services(service),
                    no_services,
                );
                Task::patch(one.path(), rest.add_to(body).cleared("hours", clear_hours))
            }
            Self::Delete(one) => Task::delete(one.path(), "deleted"),
        }
    }
}
