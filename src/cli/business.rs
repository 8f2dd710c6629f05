//! `receptionist business`: the profile, the opening hours and the operator's settings of a business.

use std::convert::Infallible;

use clap::{Args, Subcommand};

use super::arguments::{Paging, business};
use super::confirm::{Final, Sure};
use super::request::{Body, Path};
use super::task::Task;
use super::typed::hours::Week;
use super::typed::{Kind, Typed, zone};

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
        /// The business, by its id or name [default: the only one there is]
        business: Option<String>,
    },
    /// Change a business; what is not given stays as it is
    Update(Box<Update>),
    /// End a business for good: its keys let nobody in any more, and everything of it is deleted
    Delete(Delete),
}

/// Which business to end.
#[derive(Debug, Args)]
pub struct Delete {
    /// The business, by its id or name
    business: String,
    #[command(flatten)]
    sure: Sure,
}

/// What a new business is.
#[derive(Debug, Args)]
pub struct Create {
    /// Its name
    #[arg(long)]
    name: String,
    /// The time zone of its days and opening hours, such as Europe/Paris
    #[arg(long, value_name = "ZONE", value_parser = zone::parse)]
    timezone: String,
    #[command(flatten)]
    profile: Profile,
}

/// What changes in a business.
#[derive(Debug, Args)]
pub struct Update {
    /// The business, by its id or name [default: the only one there is]
    business: Option<String>,
    /// Its name
    #[arg(long)]
    name: Option<String>,
    /// The time zone of its days and opening hours, such as Europe/Paris
    #[arg(long, value_name = "ZONE", value_parser = zone::parse)]
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
    /// The opening hours of a day or some, such as mon-fri=9:00-18:00; days that no --hours names are closed
    #[arg(long, value_name = "DAY=OPEN-CLOSE", value_parser = Week::parse)]
    hours: Vec<Week>,
    /// The region in which national phone numbers are read, such as FR [default: the country of the time zone]
    #[arg(long, value_name = "REGION", value_parser = region)]
    phone_region: Option<String>,
}

impl Profile {
    fn add_to(self, body: Body, closed: bool) -> Body {
        body.given("locale", self.locale)
            .given("website_url", self.website_url)
            .given("booking_mode", self.booking_mode)
            .given_list("hours", self.hours.into_iter().flat_map(|week| week.0).collect(), closed)
            .given("phone_region", self.phone_region)
    }
}

/// A region's code in capitals.
#[allow(clippy::unnecessary_wraps, reason = "clap reads values with functions that may fail")]
fn region(text: &str) -> Result<String, Infallible> {
    Ok(text.to_uppercase())
}

impl BusinessCommand {
    pub(super) fn into_task(self) -> Task {
        let one = |id| Path::business(business("BUSINESS", id), &[]);
        match self {
            Self::Create(Create { name, timezone, profile }) => {
                let region = Typed::new("--phone-region", Kind::RegionOfZone, timezone.as_str());
                let body = Body::default().with("name", name).with("timezone", timezone);
                // What was given takes its place.
                let body = body.with("phone_region", region);
                Task::post(Path::businesses(), profile.add_to(body, false))
            }
            Self::List(paging) => Task::list(Path::businesses(), COLUMNS, paging),
            Self::Show { business } => Task::get(one(business)),
            Self::Delete(Delete { business, sure }) => {
                Task::delete(one(Some(business)), "ended; its rows go from now on").asking(Final::Ends, sure)
            }
            Self::Update(update) => {
                let body = Body::default().given("name", update.name).given("timezone", update.timezone);
                let body = update
                    .profile
                    .add_to(body, update.closed)
                    .cleared("website_url", update.clear_website_url)
                    .given("suspended", update.suspended);
                Task::patch(one(update.business), body)
            }
        }
    }
}
