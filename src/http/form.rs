//! Submitted forms, and query strings as lists of fields.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::body::{self, BODY_BYTES_MAX, BodyError};
use super::query::pairs;

pub(crate) const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The decoded fields of a form, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    fields: Vec<(String, String)>,
}

impl Form {
    pub(crate) async fn read(headers: &HeaderMap, body: Body, bytes_max: usize) -> Result<Self, BodyError> {
        body::read_within(bytes_max, MEDIA_TYPE, headers, body).await.map(|bytes| Self::parse(&bytes))
    }

    /// Reads a form in either media type: URL-encoded as browsers send it, or `multipart/form-data`, which
    /// mail programs send as well (RFC 8058).
    pub(crate) async fn read_any(
        headers: &HeaderMap,
        body: Body,
        bytes_max: usize,
    ) -> Result<Self, BodyError> {
        let Some(boundary) = boundary(headers) else { return Self::read(headers, body, bytes_max).await };
        let bytes = body::read_within(bytes_max, MULTIPART, headers, body).await?;
        Ok(Self::parse_parts(&String::from_utf8_lossy(&bytes), boundary))
    }

    /// Reads a `multipart/form-data` form with files. In the returned form, the content of a file is encoded in base64.
    /// A form without files may be URL-encoded instead.
    pub(crate) async fn read_with_file(
        headers: &HeaderMap,
        body: Body,
        bytes_max: usize,
    ) -> Result<Self, BodyError> {
        let Some(boundary) = boundary(headers) else {
            return Self::read(headers, body, BODY_BYTES_MAX).await;
        };
        let bytes = body::read_file(bytes_max, MULTIPART, headers, body).await?;
        let delimiter = format!("--{boundary}");
        let (mut fields, mut begins) = (Vec::new(), 0);
        for end in memchr::memmem::find_iter(&bytes, delimiter.as_bytes()) {
            fields.extend(part(&bytes[begins..end]));
            begins = end + delimiter.len();
        }
        Ok(Self { fields })
    }

    /// Parses the parts of a body with this boundary (RFC 7578). Malformed parts are ignored.
    fn parse_parts(body: &str, boundary: &str) -> Self {
        let delimiter = format!("--{boundary}");
        let field = |part: &str| {
            let (head, value) = part.strip_prefix("\r\n")?.strip_suffix("\r\n")?.split_once("\r\n\r\n")?;
            let (_, name) = head.split_once("; name=\"")?;
            Some((name.split('"').next()?.to_owned(), value.to_owned()))
        };
        Self { fields: body.split(&delimiter).filter_map(field).collect() }
    }

    /// Parses a query string or a body. Browsers send line breaks as CR LF, which becomes LF.
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

/// Returns the name and the value of a part. If the part is a file, the value is its content, encoded in base64.
fn part(part: &[u8]) -> Option<(String, String)> {
    let part = part.strip_prefix(b"\r\n")?.strip_suffix(b"\r\n")?;
    let head_ends = memchr::memmem::find(part, b"\r\n\r\n")?;
    let (head, value) = (std::str::from_utf8(&part[..head_ends]).ok()?, &part[head_ends + 4..]);
    let (_, name) = head.split_once("; name=\"")?;
    let value = match head.contains("; filename=") {
        true => STANDARD.encode(value),
        false => String::from_utf8_lossy(value).into_owned(),
    };
    Some((name.split('"').next()?.to_owned(), value))
}

/// The boundary of a `multipart/form-data` body, or `None` for another media type.
fn boundary(headers: &HeaderMap) -> Option<&str> {
    let declared = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let (essence, parameters) = declared.split_once(';')?;
    if !essence.trim().eq_ignore_ascii_case(MULTIPART) {
        return None;
    }
    let value = parameters.split(';').find_map(|one| one.trim().strip_prefix("boundary="))?;
    Some(value.trim_matches('"')).filter(|boundary| !boundary.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_form_of_a_mail_program_has_either_media_type() {
        let parts = "--x y\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n\
                     --x y\r\nContent-Disposition: form-data; name=\"what\"\r\n\r\nall\r\n--x y--\r\n";
        let fields = "List-Unsubscribe=One-Click&what=all";
        for (kind, body) in [("multipart/form-data; boundary=\"x y\"", parts), (MEDIA_TYPE, fields)] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())]);
            let form = Form::read_any(&headers, Body::from(body), 1_000).await.unwrap();
            assert_eq!(form, Form::parse(fields.as_bytes()), "{kind}");
            let refused = Form::read_any(&headers, Body::from(body), 10).await.unwrap_err();
            assert!(matches!(refused, BodyError::TooLarge(_)), "{kind}");
        }
        for kind in ["text/plain", "multipart/form-data", "multipart/form-data; boundary="] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())]);
            let refused = Form::read_any(&headers, Body::from(fields), 1_000).await.unwrap_err();
            assert!(matches!(refused, BodyError::UnsupportedMediaType(_)), "{kind}");
        }
    }

    #[tokio::test]
    async fn the_content_of_a_file_is_in_base64() {
        let body = b"--xy\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\nid\r\n--xy\r\n\
            Content-Disposition: form-data; name=\"file\"; filename=\"a;b.csv\"\r\nContent-Type: text/csv\r\n\r\n\
            Zo\xe9\r\n\r\n\r\n--xy--\r\n";
        let kind = "multipart/form-data; boundary=xy".parse().unwrap();
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, kind)]);
        let read = |bytes_max| Form::read_with_file(&headers, Body::from(&body[..]), bytes_max);
        let form = read(1_000).await.unwrap();
        assert_eq!(form, Form::of([("form", "id"), ("file", &STANDARD.encode(b"Zo\xe9\r\n\r\n"))]));
        assert_eq!(read(100).await.unwrap_err(), BodyError::FileTooLarge(100));
        let none = HeaderMap::new();
        let form = Form::read_with_file(&none, Body::from("form=id"), 1_000).await.unwrap();
        assert_eq!(form, Form::of([("form", "id")]));
    }

    #[test]
    fn fields_are_decoded() {
        let form = Form::parse(b"name=Zo%C3%A9+B&name=again&empty=");
        assert_eq!((form.get("name"), form.get("empty"), form.get("none")), ("Zoé B", "", ""));
        assert_eq!((form.find("empty"), form.find("none")), (Some(""), None));
        assert_eq!(Form::parse(b"text=a%0D%0Ab%0Ac").get("text"), "a\nb\nc");
    }
}
