//! `receptionist business`: the profile, the opening hours and the operator's settings of a business.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::arguments::Paging;
use super::task::{BUSINESSES, Body, Task, in_business};

const COLUMNS: &[&str] = &["id", "name", "timezone", "booking_mode", "suspended", "created_at"];

/// Commands on businesses.
#[derive(Debug, Subcommand)]
pub enum BusinessCommand {
    /// Create a business
    Create(Create),
    /// List all businesses
    List(Paging),
    /// Show a business
    Show {
        /// The business's id
        id: String,
    },
    /// Change a business; what is not given stays as it is
    Update(Box<Update>),
}

/// What a new business is.
#[derive(Debug, Args)]
pub struct Create {
    /// Its name
    #[arg(long)]
    name: String,
    /// The time zone of its days and opening hours, such as Europe/Paris
    #[arg(long, value_name = "ZONE")]
    timezone: String,
    #[command(flatten)]
    profile: Profile,
}

/// What changes in a business.
#[derive(Debug, Args)]
pub struct Update {
    /// The business's id
    id: String,
    /// Its name
    #[arg(long)]
    name: Option<String>,
    /// The time zone of its days and opening hours, such as Europe/Paris
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    #[command(flatten)]
    profile: Profile,
    /// Forget its web site
    #[arg(long, conflicts_with = "website_url")]
    clear_website_url: bool,
    /// No opening hours at all
    #[arg(long, conflicts_with = "hours")]
    closed: bool,
    /// Shut its keys out, or let them in again
    #[arg(long, value_name = "BOOL")]
    suspended: Option<bool>,
}

/// What can be left out of a business.
#[derive(Debug, Args)]
struct Profile {
    /// The default language for callers: en or fr
    #[arg(long)]
    locale: Option<String>,
    /// Its web site
    #[arg(long, value_name = "URL")]
    website_url: Option<String>,
    /// How appointments come about: instant, request or off
    #[arg(long, value_name = "MODE")]
    booking_mode: Option<String>,
    /// The opening hours of one day, such as monday=09:00-18:00; once for each day, the others are closed
    #[arg(long, value_name = "DAY=OPEN-CLOSE", value_parser = Hours::parse)]
    hours: Vec<Hours>,
    /// The region in which national phone numbers are read, such as FR
    #[arg(long, value_name = "REGION")]
    phone_region: Option<String>,
}

impl Profile {
    fn add_to(self, body: Body, closed: bool) -> Body {
        body.given("locale", self.locale)
            .given("website_url", self.website_url)
            .given("booking_mode", self.booking_mode)
            .given_list("hours", self.hours, closed)
            .given("phone_region", self.phone_region)
    }
}

/// The opening hours of one day, as typed; the service says whether they make sense.
#[derive(Clone, Debug)]
struct Hours {
    day: String,
    open: String,
    close: String,
}

impl Hours {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let split = || {
            let (day, window) = text.split_once('=')?;
            let (open, close) = window.split_once('-')?;
            Some(Self { day: day.into(), open: open.into(), close: close.into() })
        };
        split().ok_or("write DAY=OPEN-CLOSE, such as monday=09:00-18:00")
    }
}

impl From<Hours> for Value {
    fn from(hours: Hours) -> Self {
        json!({"day": hours.day, "open": hours.open, "close": hours.close})
    }
}

impl BusinessCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::Create(Create { name, timezone, profile }) => {
                let body = Body::default().with("name", name).with("timezone", timezone);
                Task::post(BUSINESSES.into(), profile.add_to(body, false))
            }
            Self::List(paging) => Task::list(BUSINESSES.into(), COLUMNS, paging),
            Self::Show { id } => Task::get(in_business(&id, &[])),
            Self::Update(update) => {
                let body = Body::default().given("name", update.name).given("timezone", update.timezone);
                let body = update
                    .profile
                    .add_to(body, update.closed)
                    .given("website_url", update.clear_website_url.then_some(Value::Null))
                    .given("suspended", update.suspended);
                Task::patch(in_business(&update.id, &[]), body)
            }
        }
    }
}
