//! `receptionist special-day`: dates on which a business is closed, or open at other hours than those of the week.

use clap::{ArgGroup, Args, Subcommand};

use super::arguments::{InBusiness, Paging};
use super::request::{Body, Path};
use super::task::{HolidayFile, Task};
use super::typed::hours::Window;
use super::typed::{Kind, Typed};

const COLUMNS: &[&str] = &["date", "closed", "windows", "note"];

/// Commands on special days.
#[derive(Debug, Subcommand)]
pub enum SpecialDayCommand {
    /// List special days, by their dates
    List(List),
    /// Say when a business is open on a date, in place of what the week says
    Set(Set),
    /// Have a date be as the week says again
    Delete(Date),
    /// Close on the days of a public-holiday calendar; dates that are special already stay as they are
    Import(ImportCalendar),
}

/// Which special days to show.
#[derive(Debug, Args)]
pub struct List {
    #[command(flatten)]
    of: InBusiness,
    /// Only those on this day or later, such as 2026-12-01 or today
    #[arg(long, value_name = "DAY")]
    from: Option<String>,
    /// Only those on this day or earlier
    #[arg(long, value_name = "DAY")]
    to: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

/// One date.
#[derive(Debug, Args)]
pub struct Date {
    #[command(flatten)]
    of: InBusiness,
    /// The date, such as 2026-12-24, today or tomorrow
    #[arg(value_name = "DATE")]
    date: String,
}

impl Date {
    fn path(self) -> Path {
        let date = Typed::new("DATE", Kind::Day { later_by: 0 }, self.date);
        self.of.path(&["special-days"]).then(date)
    }
}

/// What a date is.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("how").args(["closed", "windows"]).required(true)))]
pub struct Set {
    #[command(flatten)]
    date: Date,
    /// Nothing opens on it
    #[arg(long)]
    closed: bool,
    /// A window that opens on it, such as 9:00-12:00; once for each
    #[arg(long = "window", id = "windows", value_name = "OPEN-CLOSE", value_parser = Window::parse)]
    windows: Vec<Window>,
    /// What day it is
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// Which calendar to import.
#[derive(Debug, Args)]
pub struct ImportCalendar {
    #[command(flatten)]
    of: InBusiness,
    /// An iCalendar file, of which all-day events count from today on; - for standard input
    #[arg(long = "ics", value_name = "FILE")]
    file: String,
    /// Only tell what would be closed, which appointments begin then, and what is special already
    #[arg(long)]
    dry_run: bool,
}

impl SpecialDayCommand {
    pub(super) fn into_task(self) -> Task {
        let day =
            |place, text: Option<String>| text.map(|text| Typed::new(place, Kind::Day { later_by: 0 }, text));
        match self {
            Self::List(List { of, from, to, paging }) => {
                Task::list(of.path(&["special-days"]), COLUMNS, paging)
                    .narrowed("from", day("--from", from))
                    .narrowed("to", day("--to", to))
            }
            Self::Set(Set { date, closed, windows, note }) => {
                let body = Body::default()
                    .given("closed", closed.then_some(true))
                    .given_list("windows", windows, false)
                    .given("note", note);
                Task::put(date.path(), body)
            }
            Self::Delete(date) => Task::remove(date.path()),
            Self::Import(ImportCalendar { of, file, dry_run }) => {
                Task::holidays(of.path(&[]), HolidayFile { file, dry_run })
            }
        }
    }
}
