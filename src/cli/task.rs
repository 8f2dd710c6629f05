//! What a command comes down to: one request to the operator API, and how its answer is shown.

use chrono_tz::Tz;
use hyper::Method;

use super::arguments::Paging;
use super::arguments::{Final, Sure};
use super::request::{Body, Call, Path, Request, Term};

/// How many rows a page has while a whole list is walked; the most that the service gives.
const WALK_PAGE_ROWS: u32 = 100;

/// How the answer to a request is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Show {
    /// One record, a line for each of its fields.
    Record,
    /// As a record, with a note for the person who reads it.
    RecordWithNote(&'static str),
    /// As a record, with a note of its link: that it is shown once, or why there is none.
    RecordWithLink,
    /// A list.
    List { rows: Rows, part: Part },
    /// A record whose fields are objects, a row for each; the first column is the field's name.
    ByField(&'static [&'static str]),
    /// A business, and then what became of a table of contacts.
    Contacts(ContactTable),
    /// A business, and then what became of a calendar of holidays.
    Holidays(HolidayFile),
    /// There is nothing in the answer; this says what happened.
    Done(&'static str),
}

/// How the rows of a list are shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rows {
    /// A row for each record with these columns; see [`super::shown`].
    Table(&'static [&'static str]),
    /// Open times, by the day that it is in this zone.
    Times(Tz),
    /// When somebody is away, as the clocks of this zone show it.
    Away(Tz),
}

/// Which part of a list is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    limit: Option<u32>,
    cursor: Option<String>,
    /// With how many rows the walk ends before the list does.
    pub(super) enough: usize,
}

impl Part {
    /// All of it.
    pub(super) fn whole() -> Self {
        Self { limit: None, cursor: None, enough: usize::MAX }
    }

    /// Its first rows, so many at least if there are as many.
    pub(super) fn first(rows: u32) -> Self {
        Self { limit: Some(rows), cursor: None, enough: usize::try_from(rows).unwrap_or(usize::MAX) }
    }

    /// The path and query of the page at `cursor`, or of the first page that was asked for.
    pub(super) fn target(&self, call: &Call, cursor: Option<&str>) -> String {
        let limit = self.limit.unwrap_or(WALK_PAGE_ROWS).to_string();
        let cursor = cursor.or(self.cursor.as_deref()).map(|cursor| ("cursor", cursor));
        call.target(&[Some(("limit", limit.as_str())), cursor].into_iter().flatten().collect::<Vec<_>>())
    }
}

impl From<Paging> for Part {
    fn from(paging: Paging) -> Self {
        // One page if a limit was asked for, the first that is not empty.
        let enough = if paging.limit.is_some() { 1 } else { usize::MAX };
        Self { limit: paging.limit, cursor: paging.cursor, enough }
    }
}

/// A table of contacts that is to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContactTable {
    /// The file, or `-` for standard input.
    pub(super) file: String,
    /// Whether nothing is to be made.
    pub(super) dry_run: bool,
}

/// A calendar of public holidays that is to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HolidayFile {
    /// The file, or `-` for standard input.
    pub(super) file: String,
    /// Whether nothing is to be closed.
    pub(super) dry_run: bool,
}

/// A request and how its answer is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    pub(super) request: Request,
    pub(super) show: Show,
    /// What somebody has to want, if anything.
    pub(super) asks: Option<Final>,
}

impl Task {
    pub(super) fn get(path: Path) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub(super) fn list(path: Path, columns: &'static [&'static str], paging: Paging) -> Self {
        Self { show: Show::List { rows: Rows::Table(columns), part: paging.into() }, ..Self::get(path) }
    }

    /// A list of open times, which are shown in the zone of the business.
    pub(super) fn times(path: Path, paging: Paging) -> Self {
        Self { show: Show::List { rows: Rows::Times(Tz::UTC), part: paging.into() }, ..Self::get(path) }
    }

    /// A list of when somebody is away, which is shown in the zone of the business.
    pub(super) fn away(path: Path, paging: Paging) -> Self {
        Self { show: Show::List { rows: Rows::Away(Tz::UTC), part: paging.into() }, ..Self::get(path) }
    }

    /// The list narrowed by a filter, if there is a value for it.
    pub(super) fn narrowed(mut self, name: &str, value: Option<impl Into<Term>>) -> Self {
        self.request.query.extend(value.map(|value| (name.to_owned(), value.into())));
        self
    }

    pub(super) fn post(path: Path, body: Body) -> Self {
        Self::new(Method::POST, path, Some(body))
    }

    pub(super) fn patch(path: Path, body: Body) -> Self {
        Self::new(Method::PATCH, path, Some(body))
    }

    pub(super) fn delete(path: Path, done: &'static str) -> Self {
        Self { show: Show::Done(done), ..Self::new(Method::DELETE, path, None) }
    }

    /// The same, once somebody at the terminal has said so, unless they have already.
    pub(super) fn asking(self, what: Final, sure: Sure) -> Self {
        Self { asks: (!sure.yes).then_some(what), ..self }
    }

    /// Imports a table of contacts into the business at this path.
    pub(super) fn contacts(path: Path, import: ContactTable) -> Self {
        Self { show: Show::Contacts(import), ..Self::get(path) }
    }

    /// Imports a calendar of holidays into the business at this path.
    pub(super) fn holidays(path: Path, import: HolidayFile) -> Self {
        Self { show: Show::Holidays(import), ..Self::get(path) }
    }

    /// Shows the answer's fields as rows of a table.
    pub(super) fn by_field(self, columns: &'static [&'static str]) -> Self {
        Self { show: Show::ByField(columns), ..self }
    }

    /// Says this in place of the answer, in which there is nothing.
    pub(super) fn done(self, done: &'static str) -> Self {
        Self { show: Show::Done(done), ..self }
    }

    pub(super) fn with_note(self, note: &'static str) -> Self {
        Self { show: Show::RecordWithNote(note), ..self }
    }

    /// Tells of the answer's link beside it.
    pub(super) fn with_link(self) -> Self {
        Self { show: Show::RecordWithLink, ..self }
    }

    pub(super) fn new(method: Method, path: Path, body: Option<Body>) -> Self {
        Self { request: Request { method, path, query: Vec::new(), body }, show: Show::Record, asks: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_asked_for_by_limit_and_cursor() {
        let list = |limit, cursor: Option<&str>, status: Option<&str>| {
            let paging = Paging { limit, cursor: cursor.map(str::to_owned) };
            let task = Task::list(Path::businesses(), &[], paging).narrowed("status", status);
            let Show::List { part, .. } = task.show else { panic!("a list") };
            (task.request.call(), part)
        };
        let of = |text: &str| format!("/admin/v1/businesses?{text}");
        let (call, part) = list(None, None, None);
        assert_eq!(part.enough, usize::MAX);
        assert_eq!(part.target(&call, None), of("limit=100"));
        assert_eq!(part.target(&call, Some("a+b/c=")), of("limit=100&cursor=a%2Bb%2Fc%3D"));

        let (call, part) = list(Some(5), Some("c&d"), Some("a b"));
        assert_eq!(part.enough, 1);
        assert_eq!(part.target(&call, None), of("status=a+b&limit=5&cursor=c%26d"));
        assert_eq!(part.target(&call, Some("next")), of("status=a+b&limit=5&cursor=next"));
    }
}
