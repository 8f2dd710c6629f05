//! Submitted forms, and query strings as lists of fields.

use axum::body::Body;
use axum::http::HeaderMap;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::body::{self, BodyError};
use super::query::pairs;

pub(crate) const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// The decoded fields of a form, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    fields: Vec<(String, String)>,
}

impl Form {
    pub(crate) async fn read(headers: &HeaderMap, body: Body, bytes_max: usize) -> Result<Self, BodyError> {
        body::read_within(bytes_max, MEDIA_TYPE, headers, body).await.map(|bytes| Self::parse(&bytes))
    }

    /// Parses a query string or a body. The CR LF of browsers becomes LF.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        Self { fields: pairs(bytes).map(|(name, value)| (name, value.replace("\r\n", "\n"))).collect() }
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(crate) fn of<N: Into<String>, V: Into<String>>(fields: impl IntoIterator<Item = (N, V)>) -> Self {
        Self { fields: fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        let fields = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.fields).finish();
        Sha256::digest(fields).into()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.fields.iter().map(|(name, value)| name.len() + value.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded() {
        let form = Form::parse(b"name=Zo%C3%A9+B&name=again&empty=");
        assert_eq!((form.get("name"), form.get("empty"), form.get("none")), ("Zoé B", "", ""));
        assert_eq!((form.find("empty"), form.find("none")), (Some(""), None));
        assert_eq!(Form::parse(b"text=a%0D%0Ab%0Ac").get("text"), "a\nb\nc");
    }
}
