//! `receptionist service`: what can be booked at a business.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness};
use super::request::{Body, Path};
use super::task::Task;
use super::typed::{Kind, Typed};

const COLUMNS: &[&str] = &[
    "id",
    "name",
    "duration_minutes",
    "active",
    "buffer_before_minutes",
    "buffer_after_minutes",
    "min_notice_minutes",
    "max_advance_days",
    "price_cents",
    "currency",
    "description",
];

/// Commands on services.
#[derive(Debug, Subcommand)]
pub enum ServiceCommand {
    /// Create a service
    Create(Create),
    /// List the services of a business, inactive ones too
    List(ListInBusiness),
    /// Change a service; what is not given stays as it is
    Update(Box<Update>),
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
    #[arg(long, visible_alias = "minutes", value_name = "MINUTES")]
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
    #[arg(long, visible_alias = "minutes", value_name = "MINUTES")]
    duration_minutes: Option<u32>,
    #[command(flatten)]
    rest: Rest,
    /// Customers can book it as far ahead as they like
    #[arg(long, conflicts_with = "max_advance_days")]
    clear_max_advance_days: bool,
    /// Forget its price
    #[arg(long, conflicts_with_all = ["price_cents", "currency"])]
    clear_price: bool,
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
    /// How many minutes before an appointment the staff member is kept free
    #[arg(long, value_name = "MINUTES")]
    buffer_before_minutes: Option<u32>,
    /// How many minutes after an appointment the staff member is kept free
    #[arg(long, value_name = "MINUTES")]
    buffer_after_minutes: Option<u32>,
    /// How many minutes before it begins customers have to book
    #[arg(long, value_name = "MINUTES")]
    min_notice_minutes: Option<u32>,
    /// How many days ahead customers can book at most
    #[arg(long, value_name = "DAYS")]
    max_advance_days: Option<u32>,
    /// What it costs, in hundredths of the currency; only the team sees it
    #[arg(long, value_name = "CENTS")]
    price_cents: Option<u32>,
    /// The currency of the price, such as EUR
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
}

impl Rest {
    fn add_to(self, body: Body) -> Body {
        body.given("description", self.description)
            .given("active", self.active)
            .given("buffer_before_minutes", self.buffer_before_minutes)
            .given("buffer_after_minutes", self.buffer_after_minutes)
            .given("min_notice_minutes", self.min_notice_minutes)
            .given("max_advance_days", self.max_advance_days)
            .given("price_cents", self.price_cents)
            .given("currency", self.currency)
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
            Self::Update(update) => {
                let body = Body::default()
                    .given("name", update.name)
                    .given("duration_minutes", update.duration_minutes);
                let body = update
                    .rest
                    .add_to(body)
                    .cleared("max_advance_days", update.clear_max_advance_days)
                    .cleared("price_cents", update.clear_price);
                Task::patch(update.one.path(), body)
            }
            Self::Delete(one) => Task::delete(one.path(), "deleted"),
        }
    }
}
