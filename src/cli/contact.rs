//! `receptionist contact`: whom a business knows.

use clap::{Args, Subcommand};

use super::arguments::{Changed, InBusiness, OneInBusiness, Paging};
use super::arguments::{Final, Sure};
use super::request::Body;
use super::task::{ContactTable, Task};
use super::typed::zone;

const COLUMNS: &[&str] = &["id", "name", "phone", "email", "locale", "created_at"];

/// Commands on contacts.
#[derive(Debug, Subcommand)]
pub enum ContactCommand {
    /// List contacts, the newest first
    List(List),
    /// Show a contact
    Show(OneInBusiness),
    /// Create a contact, with a name, a phone number or an email address at least
    Create(Create),
    /// Create the contacts of a CSV file; those who are there already, by phone or email, stay as they are
    Import(ImportTable),
    /// Change a contact; what is not given stays as it is
    Update(Update),
    /// Erase a contact for good, and what calls, messages and appointments say of them
    #[command(visible_alias = "delete")]
    Erase(Erase),
}

/// Whom to erase.
#[derive(Debug, Args)]
pub struct Erase {
    #[command(flatten)]
    one: OneInBusiness,
    #[command(flatten)]
    sure: Sure,
}

/// Which contacts to show.
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    of: InBusiness,
    /// Only the one with this phone number
    #[arg(long)]
    phone: Option<String>,
    /// Only the one with this email address
    #[arg(long)]
    email: Option<String>,
    /// Only those with this in their name, in any case
    #[arg(long, value_name = "TEXT")]
    q: Option<String>,
    #[command(flatten)]
    changed: Changed,
    #[command(flatten)]
    paging: Paging,
}

/// Who a new contact is.
#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    of: InBusiness,
    #[command(flatten)]
    details: Details,
}

/// Which contacts to import.
#[derive(Debug, Args)]
pub struct ImportTable {
    #[command(flatten)]
    of: InBusiness,
    /// A CSV file with a header line: name, phone, email, locale, timezone, in any order; - for standard input
    #[arg(long = "from", value_name = "FILE")]
    file: String,
    /// Only tell what is wrong, and who is there already
    #[arg(long)]
    dry_run: bool,
}

/// What changes in a contact.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    one: OneInBusiness,
    #[command(flatten)]
    details: Details,
    /// What the team notes of them
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    #[command(flatten)]
    clear: Clear,
}

/// What is known of a contact.
#[derive(Debug, Args)]
struct Details {
    /// Their name
    #[arg(long)]
    name: Option<String>,
    /// Their phone number
    #[arg(long)]
    phone: Option<String>,
    /// Their email address
    #[arg(long)]
    email: Option<String>,
    /// Their language: en or fr
    #[arg(long)]
    locale: Option<String>,
    /// Their time zone
    #[arg(long, value_name = "ZONE", value_parser = zone::parse)]
    timezone: Option<String>,
}

/// What is known no more.
#[derive(Debug, Args)]
struct Clear {
    /// Forget their name
    #[arg(long, conflicts_with = "name")]
    clear_name: bool,
    /// Forget their phone number
    #[arg(long, conflicts_with = "phone")]
    clear_phone: bool,
    /// Forget their email address
    #[arg(long, conflicts_with = "email")]
    clear_email: bool,
    /// Forget their language
    #[arg(long, conflicts_with = "locale")]
    clear_locale: bool,
    /// Forget their time zone
    #[arg(long, conflicts_with = "timezone")]
    clear_timezone: bool,
    /// Delete what the team notes of them
    #[arg(long, conflicts_with = "notes")]
    clear_notes: bool,
}

impl Clear {
    fn add_to(self, body: Body) -> Body {
        body.cleared("name", self.clear_name)
            .cleared("phone", self.clear_phone)
            .cleared("email", self.clear_email)
            .cleared("locale", self.clear_locale)
            .cleared("timezone", self.clear_timezone)
            .cleared("notes", self.clear_notes)
    }
}

impl Details {
    fn body(self) -> Body {
        Body::default()
            .given("name", self.name)
            .given("phone", self.phone)
            .given("email", self.email)
            .given("locale", self.locale)
            .given("timezone", self.timezone)
    }
}

impl ContactCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::List(List { of, phone, email, q, changed, paging }) => {
                let task = Task::list(of.path(&["contacts"]), COLUMNS, paging);
                let task = task.narrowed("phone", phone).narrowed("email", email).narrowed("q", q);
                task.narrowed_by(changed.filters())
            }
            Self::Show(one) => Task::get(one.path("contacts")),
            Self::Create(Create { of, details }) => Task::post(of.path(&["contacts"]), details.body()),
            Self::Import(ImportTable { of, file, dry_run }) => {
                Task::contacts(of.path(&[]), ContactTable { file, dry_run })
            }
            Self::Erase(Erase { one, sure }) => {
                Task::delete(one.path("contacts"), "erased; what tells of them goes from now on")
                    .asking(Final::Erases, sure)
            }
            Self::Update(Update { one, details, notes, clear }) => {
                Task::patch(one.path("contacts"), clear.add_to(details.body().given("notes", notes)))
            }
        }
    }
}
