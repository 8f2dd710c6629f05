//! `receptionist time-off`: when staff members are away.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, Paging, staff};
use super::request::{Body, Path};
use super::task::Task;
use super::typed::{Kind, Typed};

/// Commands on time off.
#[derive(Debug, Subcommand)]
pub enum TimeOffCommand {
    /// List what a staff member has off, by its start, on the business's clocks
    List(List),
    /// Give a staff member time off
    Add(Add),
    /// Take time off back
    Delete(Delete),
}

/// Whose time off it is.
#[derive(Debug, Args)]
struct Member {
    #[command(flatten)]
    of: InBusiness,
    /// The staff member, by their id or name
    #[arg(long, value_name = "STAFF", required_unless_present = "named")]
    staff: Option<String>,
}

/// The path of a staff member's time off; without `--staff` they are named in the place where they once had to be.
fn path(Member { of, staff: asked }: Member, named: Option<String>) -> Path {
    let member = asked.map(staff).or(named.map(|named| Typed::new("STAFF", Kind::Staff, named)));
    of.path(&["staff"]).then(member.unwrap_or_else(|| staff(String::new()))).then("time-off")
}

/// Which time off to show.
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    member: Member,
    #[arg(value_name = "STAFF", hide = true, conflicts_with = "staff")]
    named: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

/// When they are away.
#[derive(Debug, Args)]
pub struct Add {
    #[command(flatten)]
    member: Member,
    #[arg(value_name = "STAFF", hide = true, conflicts_with = "staff")]
    named: Option<String>,
    /// The first whole day, such as 2026-08-03, today or tomorrow
    #[arg(long, value_name = "DAY", requires = "to", required_unless_present = "starts_at")]
    from: Option<String>,
    /// The last whole day
    #[arg(long, value_name = "DAY", requires = "from")]
    to: Option<String>,
    /// When it starts, such as '2026-03-02 9:00' of the business, or 2026-03-02T09:00:00Z
    #[arg(long, value_name = "TIME", requires = "ends_at", conflicts_with_all = ["from", "to"])]
    starts_at: Option<String>,
    /// When it ends
    #[arg(long, value_name = "TIME", requires = "starts_at")]
    ends_at: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// Which time off it is.
#[derive(Debug, Args)]
pub struct Delete {
    #[command(flatten)]
    member: Member,
    /// Its id
    id: String,
    /// Its id where the staff member is named before it
    #[arg(value_name = "ID", hide = true, conflicts_with = "staff")]
    named: Option<String>,
}

impl TimeOffCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::List(List { member, named, paging }) => Task::away(path(member, named), paging),
            Self::Add(Add { member, named, from, to, starts_at, ends_at, note }) => {
                let typed = |place, kind| move |text: String| Typed::new(place, kind, text);
                let day = Kind::Day { later_by: 0 };
                let body = Body::default()
                    .given("from", from.map(typed("--from", day)))
                    .given("to", to.map(typed("--to", day)))
                    .given("starts_at", starts_at.map(typed("--starts-at", Kind::Instant)))
                    .given("ends_at", ends_at.map(typed("--ends-at", Kind::Instant)))
                    .given("note", note);
                Task::post(path(member, named), body)
            }
            Self::Delete(Delete { member, id, named }) => {
                let (named, id) = named.map_or((None, id.clone()), |last| (Some(id), last));
                Task::delete(path(member, named).then(id), "deleted")
            }
        }
    }
}
