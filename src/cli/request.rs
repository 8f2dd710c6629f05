//! A request to the operator API. At first, it contains texts as the operator typed them. These texts are then
//! *resolved*: each one is replaced by the value to send.
//!
//! Invariants: a typed text stays inside one path segment or one query value, since special characters are
//! encoded. A body contains only given values.

use hyper::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::typed::Typed;

/// The characters that are percent-encoded in a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~').remove(b'.');

/// A value of a request: a final value, or a typed text that must be resolved first.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Plain(Value),
    Typed(Typed),
    List(Vec<Term>),
}

impl Term {
    fn typed(&mut self) -> Vec<&mut Term> {
        match self {
            Self::Plain(_) => Vec::new(),
            Self::Typed(_) => vec![self],
            Self::List(terms) => terms.iter_mut().flat_map(Term::typed).collect(),
        }
    }

    /// The value to send. An unresolved text is sent unchanged.
    fn value(&self) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Typed(typed) => typed.text.clone().into(),
            Self::List(terms) => terms.iter().map(Term::value).collect(),
        }
    }

    pub(super) fn text(&self) -> String {
        match self.value() {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }
}

impl<T: Into<Value>> From<T> for Term {
    fn from(value: T) -> Self {
        Self::Plain(value.into())
    }
}

impl From<Typed> for Term {
    fn from(typed: Typed) -> Self {
        Self::Typed(typed)
    }
}

/// The parameters of a query, or the properties of a body. `contact.name` is a property of `contact`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Terms(Vec<(String, Term)>);

impl Terms {
    /// Sets the value with this name.
    pub(super) fn with(mut self, name: &str, value: impl Into<Term>) -> Self {
        self.0.retain(|(other, _)| other != name);
        self.0.push((name.to_owned(), value.into()));
        self
    }

    pub(super) fn given(self, name: &str, value: Option<impl Into<Term>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    fn typed(&mut self) -> Vec<&mut Term> {
        self.0.iter_mut().flat_map(|(_, term)| term.typed()).collect()
    }

    fn body(&self) -> Value {
        let mut body = json!({});
        for (name, term) in &self.0 {
            let property = name.split('.').fold(&mut body, |object, name| &mut object[name]);
            *property = term.value();
        }
        body
    }
}

/// The segments of the path of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Path(Vec<Term>);

impl Path {
    pub(super) fn businesses() -> Self {
        Self::default().then("businesses")
    }

    /// The path of a business with these segments appended.
    pub(super) fn business(business: Typed, segments: &[&str]) -> Self {
        segments.iter().fold(Self::businesses().then(business), |path, segment| path.then(*segment))
    }

    pub(super) fn then(mut self, segment: impl Into<Term>) -> Self {
        self.0.push(segment.into());
        self
    }

    /// The path to send, percent-encoded.
    pub(super) fn text(&self) -> String {
        let mut path = "/admin/v1".to_owned();
        for segment in &self.0 {
            path.push('/');
            let segment = segment.text();
            // The segments `.` and `..` would change the path, so their dots are encoded.
            let is_dots = segment.bytes().all(|byte| byte == b'.');
            let set = if is_dots { NON_ALPHANUMERIC } else { ENCODED };
            path.extend(utf8_percent_encode(&segment, set));
        }
        path
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: Path,
    pub(super) query: Terms,
    pub(super) body: Option<Terms>,
}

impl Request {
    /// The texts that must still be resolved, beginning with those of the path.
    pub(super) fn typed(&mut self) -> Vec<&mut Term> {
        let path = self.path.0.iter_mut().flat_map(Term::typed);
        path.chain(self.query.typed()).chain(self.body.iter_mut().flat_map(Terms::typed)).collect()
    }

    pub(super) fn call(&self) -> Call {
        Call {
            method: self.method.clone(),
            path: self.path.text(),
            query: self.query.0.iter().map(|(name, term)| (name.clone(), term.text())).collect(),
            body: self.body.as_ref().map(Terms::body),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) method: Method,
    /// The percent-encoded path, without the query.
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Option<Value>,
}

impl Call {
    /// The path with the query. The parameters in `more` are appended to the query.
    pub(super) fn target(&self, more: &[(&str, &str)]) -> String {
        if self.query.is_empty() && more.is_empty() {
            return self.path.clone();
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.query).extend_pairs(more);
        format!("{}?{}", self.path, query.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed::Kind;

    fn request(path: Path) -> Request {
        Request { method: Method::GET, path, query: Terms::default(), body: None }
    }

    fn business(text: &str) -> Typed {
        Typed::new("--business", Kind::Business, text)
    }

    #[test]
    fn a_typed_text_stays_in_its_segment() {
        let path = |text, segments| request(Path::business(business(text), segments)).call().path;
        assert_eq!(path("0190-ab", &["keys"]), "/admin/v1/businesses/0190-ab/keys");
        assert_eq!(path("../x?y#z é", &[]), "/admin/v1/businesses/..%2Fx%3Fy%23z%20%C3%A9");
        assert_eq!(path("..", &[]), "/admin/v1/businesses/%2E%2E");
    }

    #[test]
    fn a_typed_text_stays_in_its_query_value() {
        let query = Terms::default().with("status", "a b").with("q", "é&limit=1");
        let call = Request { query, ..request(Path::businesses()) }.call();
        assert_eq!(
            call.target(&[("limit", "5"), ("cursor", "c+1")]),
            "/admin/v1/businesses?status=a+b&q=%C3%A9%26limit%3D1&limit=5&cursor=c%2B1"
        );
        assert_eq!(request(Path::businesses()).call().target(&[]), "/admin/v1/businesses");
    }

    #[test]
    fn every_unresolved_term_is_found_and_the_business_is_first() {
        let service = |text| Typed::new("--service", Kind::Service, text);
        let ids = Term::List(vec![service("3").into(), service("4").into()]);
        let body = Terms::default().with("ids", ids).with("inner.b", service("2"));
        let mut request = Request {
            query: Terms::default().with("service_id", service("1")),
            body: Some(body),
            ..request(Path::business(business("0"), &["services"]))
        };
        let texts: Vec<String> = request.typed().iter().map(|term| term.text()).collect();
        assert_eq!(texts, ["0", "1", "3", "4", "2"]);
    }
}
