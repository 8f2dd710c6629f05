//! A response with methods that check it.

use std::fmt;

use hyper::HeaderMap;
use hyper::body::Bytes;
use serde_json::Value;

#[derive(Clone)]
pub(crate) struct Answer {
    pub(super) what: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
    /// The JSON body, or null if the body is empty.
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn new(what: String, status: u16, headers: HeaderMap, bytes: Bytes) -> Self {
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Self { what, status, headers, bytes, body }
    }

    /// Asserts that the header occurs exactly once, and returns its value.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        let values: Vec<_> = self.headers.get_all(name).iter().collect();
        assert_eq!(values.len(), 1, "the header {name} must occur exactly once: {self}");
        values[0].to_str().unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    #[track_caller]
    pub(crate) fn etag(&self) -> String {
        self.header("etag").to_owned()
    }

    #[track_caller]
    pub(crate) fn number(&self, header: &str) -> i64 {
        self.header(header).parse().unwrap()
    }

    #[track_caller]
    pub(crate) fn is(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Asserts the status 200 or 201, and returns the resource in the response.
    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        assert!(matches!(self.status, 200 | 201), "{self}");
        self.body["data"].clone()
    }

    /// Asserts the status 201, and returns the created resource.
    #[track_caller]
    pub(crate) fn created(&self) -> Value {
        self.is(201).data()
    }

    #[track_caller]
    pub(crate) fn list(&self) -> Vec<Value> {
        self.is(200).body["data"]
            .as_array()
            .unwrap_or_else(|| panic!("the body contains no list: {self}"))
            .clone()
    }

    /// Asserts an error with this status and code.
    #[track_caller]
    pub(crate) fn fails(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.code()), (status, code), "{self}");
        self
    }

    /// Asserts a 400 error that names exactly these paths.
    #[track_caller]
    pub(crate) fn invalid_at(&self, paths: &[&str]) -> &Self {
        self.fails(400, "invalid_request");
        assert_eq!(super::paths(self), paths, "{self}");
        self
    }

    /// Asserts that the error message contains this text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(self.message().contains(text), "{self}");
        self
    }

    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    pub(crate) fn message(&self) -> &str {
        self.body["error"]["message"].as_str().unwrap_or_default()
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.bytes);
        let shown: String = body.chars().take(2000).collect();
        write!(f, "{} -> {} {shown}", self.what, self.status)
    }
}

/// The paths that an error names, in the order of the error.
pub(crate) fn paths(answer: &Answer) -> Vec<String> {
    let details = answer.body["error"]["details"].as_array().cloned().unwrap_or_default();
    details.iter().map(|detail| detail["path"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn ids(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn starts(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["starts_at"].as_str().unwrap().to_owned()).collect()
}
