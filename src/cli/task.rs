//! What a command comes down to: one request to the operator API, and how its answer is shown.
//!
//! Words that the operator typed stay inside one segment of a path or one value of a query, whatever they contain.

use hyper::Method;
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::arguments::Paging;

/// How many rows a page has while a whole list is walked; the most that the service gives.
const WALK_PAGE_ROWS: u32 = 100;

/// One request to the operator API.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) method: Method,
    /// The path, percent-encoded, without a query.
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

/// How the answer to a request is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Show {
    /// One record, a line for each of its fields.
    Record,
    /// As a record, with a note for the person who reads it.
    RecordWithNote(&'static str),
    /// A list, a row for each record with these columns; `actor.type` is a field of a field.
    Table { columns: &'static [&'static str], part: Part },
    /// A record whose fields are objects, a row for each; the first column is the field's name.
    ByField(&'static [&'static str]),
    /// There is nothing in the answer; this says what happened.
    Done(&'static str),
}

/// Which part of a list is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    limit: Option<u32>,
    cursor: Option<String>,
    filters: Vec<(&'static str, String)>,
}

impl Part {
    /// Whether the walk goes on to the end of the list.
    pub(super) fn is_whole(&self) -> bool {
        self.limit.is_none()
    }

    /// The path and query of the page at `cursor`, or of the first page that was asked for.
    pub(super) fn target(&self, path: &str, cursor: Option<&str>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("limit", &self.limit.unwrap_or(WALK_PAGE_ROWS).to_string());
        for (name, value) in &self.filters {
            query.append_pair(name, value);
        }
        if let Some(cursor) = cursor.or(self.cursor.as_deref()) {
            query.append_pair("cursor", cursor);
        }
        format!("{path}?{}", query.finish())
    }
}

impl From<Paging> for Part {
    fn from(paging: Paging) -> Self {
        Self { limit: paging.limit, cursor: paging.cursor, filters: Vec::new() }
    }
}

/// A request and how its answer is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    pub(super) request: Request,
    pub(super) show: Show,
}

impl Task {
    pub(super) fn get(path: String) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub(super) fn list(path: String, columns: &'static [&'static str], paging: Paging) -> Self {
        Self { show: Show::Table { columns, part: paging.into() }, ..Self::get(path) }
    }

    /// The list narrowed by a filter, if there is a value for it.
    pub(super) fn narrowed(mut self, name: &'static str, value: Option<String>) -> Self {
        if let (Show::Table { part, .. }, Some(value)) = (&mut self.show, value) {
            part.filters.push((name, value));
        }
        self
    }

    pub(super) fn post(path: String, body: Body) -> Self {
        Self::new(Method::POST, path, Some(body))
    }

    /// A POST whose path says everything.
    pub(super) fn act(path: String) -> Self {
        Self::new(Method::POST, path, None)
    }

    pub(super) fn patch(path: String, body: Body) -> Self {
        Self::new(Method::PATCH, path, Some(body))
    }

    pub(super) fn delete(path: String, done: &'static str) -> Self {
        Self { show: Show::Done(done), ..Self::new(Method::DELETE, path, None) }
    }

    /// Shows the answer's fields as rows of a table.
    pub(super) fn by_field(self, columns: &'static [&'static str]) -> Self {
        Self { show: Show::ByField(columns), ..self }
    }

    pub(super) fn with_note(self, note: &'static str) -> Self {
        Self { show: Show::RecordWithNote(note), ..self }
    }

    fn new(method: Method, path: String, body: Option<Body>) -> Self {
        Self { request: Request { method, path, body: body.map(Body::into_value) }, show: Show::Record }
    }
}

/// The body of a request: what was given, and only that.
#[derive(Default)]
pub(super) struct Body(Map<String, Value>);

impl Body {
    /// Adds a property.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a property if there is a value for it.
    pub(super) fn given(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a list if it has an element, or if it is to be emptied.
    pub(super) fn given_list(self, name: &str, values: Vec<impl Into<Value>>, emptied: bool) -> Self {
        let given = emptied || !values.is_empty();
        self.given(name, given.then_some(values))
    }

    /// Adds an object.
    pub(super) fn with_object(self, name: &str, body: Body) -> Self {
        self.with(name, body.into_value())
    }

    /// Adds an object if it has a property.
    pub(super) fn given_object(self, name: &str, body: Body) -> Self {
        let given = !body.0.is_empty();
        self.given(name, given.then(|| body.into_value()))
    }

    fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// The path of all businesses.
pub(super) const BUSINESSES: &str = "/admin/v1/businesses";

/// The path of a business, followed by these segments.
pub(super) fn in_business(business: &str, segments: &[&str]) -> String {
    let mut path = format!("{BUSINESSES}/");
    push_encoded(&mut path, business);
    for segment in segments {
        path.push('/');
        push_encoded(&mut path, segment);
    }
    path
}

fn push_encoded(path: &mut String, segment: &str) {
    for byte in segment.bytes() {
        // A dot is encoded as well: no segment of ours has one, and `..` must not lead elsewhere.
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~') {
            path.push(char::from(byte));
        } else {
            path.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stays_in_its_segment() {
        assert_eq!(in_business("0190-ab", &["keys"]), "/admin/v1/businesses/0190-ab/keys");
        assert_eq!(in_business("../x?y#z é", &[]), "/admin/v1/businesses/%2E%2E%2Fx%3Fy%23z%20%C3%A9");
    }

    #[test]
    fn a_page_is_asked_for_by_limit_and_cursor() {
        let whole = Part { limit: None, cursor: None, filters: Vec::new() };
        assert!(whole.is_whole());
        assert_eq!(whole.target("/p", None), "/p?limit=100");
        assert_eq!(whole.target("/p", Some("a+b/c=")), "/p?limit=100&cursor=a%2Bb%2Fc%3D");

        let page =
            Part { limit: Some(5), cursor: Some("c&d".into()), filters: vec![("status", "a b".into())] };
        assert!(!page.is_whole());
        assert_eq!(page.target("/p", None), "/p?limit=5&status=a+b&cursor=c%26d");
        assert_eq!(page.target("/p", Some("next")), "/p?limit=5&status=a+b&cursor=next");
    }
}
