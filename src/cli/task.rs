//! A task consists of one request to the operator API, and of the format in which the command prints the response.

use chrono_tz::Tz;
use hyper::Method;

use super::arguments::{Irreversible, Paging};
use super::request::{Call, Path, Request, Term, Terms};

/// The number of rows per page when a whole list is read. It is the maximum of the service.
const WALK_PAGE_ROWS: u32 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    /// A record, with one line per field.
    Record,
    /// A record, with a note on standard error.
    RecordWithNote(&'static str),
    /// A record, with a note about its link.
    RecordWithLink,
    /// A list with one row per record and these columns, separated by spaces; see [`super::shown`].
    List(&'static str),
    /// Like [`Self::List`], but for a list without pages.
    Found(&'static str),
    /// A list of bookable times by day, in the zone of the business.
    Times,
    /// A list of time off, in the zone of the business.
    TimeOff,
    /// A record whose fields are objects. The record is shown as a table with one row per object. The text contains the
    /// columns of the table.
    ByField(&'static str),
    /// A record that contains a list. The list is shown as a table. The first text is the name of the field with the
    /// list, and the second text contains the columns of the table.
    Within(&'static str, &'static str),
    /// The response is a file.
    File,
    /// The response is empty. The text describes the result.
    Done(&'static str),
    /// The result of an import of contacts.
    Contacts,
    /// The response is a business. The command then imports holidays into this business.
    Holidays,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    limit: Option<u32>,
    cursor: Option<String>,
    /// The number of rows after which reading stops.
    pub(super) enough: usize,
}

impl Part {
    pub(super) fn whole() -> Self {
        Self { limit: None, cursor: None, enough: usize::MAX }
    }

    /// Reads pages until they have this number of rows, or until the list ends.
    pub(super) fn first(rows: u32) -> Self {
        Self { limit: Some(rows), cursor: None, enough: usize::try_from(rows).unwrap_or(usize::MAX) }
    }

    /// The path and query of the page at `cursor`, or of the first page.
    pub(super) fn target(&self, call: &Call, cursor: Option<&str>) -> String {
        let limit = self.limit.unwrap_or(WALK_PAGE_ROWS).to_string();
        let cursor = cursor.or(self.cursor.as_deref()).map(|cursor| ("cursor", cursor));
        call.target(&[Some(("limit", limit.as_str())), cursor].into_iter().flatten().collect::<Vec<_>>())
    }
}

impl From<Paging> for Part {
    fn from(paging: Paging) -> Self {
        // With a limit, the result is one page: the first page that is not empty.
        let enough = if paging.limit.is_some() { 1 } else { usize::MAX };
        Self { limit: paging.limit, cursor: paging.cursor, enough }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ImportFile {
    /// The path of the file, or `-` for standard input.
    pub(super) name: String,
    pub(super) dry_run: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    pub(super) request: Request,
    pub(super) show: Show,
    pub(super) part: Part,
    /// The zone in which times are shown. [`super::resolve`] sets it to the zone of the business.
    pub(super) zone: Tz,
    pub(super) import: ImportFile,
    pub(super) confirms: Option<Irreversible>,
}

impl Task {
    pub(super) fn new(method: Method, path: Path, body: Option<Terms>) -> Self {
        Self {
            request: Request { method, path, query: Terms::default(), body },
            show: Show::Record,
            part: Part::whole(),
            zone: Tz::UTC,
            import: ImportFile::default(),
            confirms: None,
        }
    }

    pub(super) fn get(path: Path) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub(super) fn list(path: Path, show: Show, paging: Paging) -> Self {
        Self { show, part: paging.into(), ..Self::get(path) }
    }

    /// Adds a parameter to the query, if there is a value for it.
    pub(super) fn narrowed(mut self, name: &str, value: Option<impl Into<Term>>) -> Self {
        self.request.query = self.request.query.given(name, value);
        self
    }

    pub(super) fn post(path: Path, body: Terms) -> Self {
        Self::new(Method::POST, path, Some(body))
    }

    pub(super) fn shown(self, show: Show) -> Self {
        Self { show, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_requested_by_limit_and_cursor() {
        let list = |limit, cursor: Option<&str>, status: Option<&str>| {
            let paging = Paging { limit, cursor: cursor.map(str::to_owned) };
            let task = Task::list(Path::businesses(), Show::List(""), paging).narrowed("status", status);
            (task.request.call(), task.part)
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
