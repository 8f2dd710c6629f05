//! Entity tags and their conditions (RFC 9110 §8.8.3, §13.1).
//!
//! A tag is a hash of the resource's JSON, so it is the same after a restart and on every machine. The
//! `headers` crate does not expose the tags of a condition, but the actor that decides a change needs
//! them.

use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::{Problem, ProblemCode};

/// A strong entity tag with its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ETag(String);

impl ETag {
    pub fn of(resource: &[u8]) -> Self {
        Self(view::etag(resource))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn header(&self) -> HeaderValue {
        // Quotes and base64url are visible ASCII, so the fallback is never used.
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static("\"\""))
    }
}

/// The value of `If-Match` or `If-None-Match`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Any,
    /// These versions, with quotes. The list may be empty.
    Tags(Vec<String>),
}

impl Condition {
    /// Reads `If-Match`. Weak tags are dropped, since they never match in a strong comparison.
    pub fn if_match(headers: &HeaderMap) -> Result<Option<Self>, Problem> {
        Self::read(headers, &IF_MATCH, "If-Match", false)
    }

    /// Reads `If-None-Match`. Weak tags count as strong ones, since the comparison is weak.
    pub fn if_none_match(headers: &HeaderMap) -> Result<Option<Self>, Problem> {
        Self::read(headers, &IF_NONE_MATCH, "If-None-Match", true)
    }

    pub fn matches(&self, tag: &ETag) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|named| named == tag.as_str()),
        }
    }

    fn read(
        headers: &HeaderMap,
        name: &HeaderName,
        path: &'static str,
        weak: bool,
    ) -> Result<Option<Self>, Problem> {
        let lines: Vec<_> = headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
        if lines.is_empty() {
            return Ok(None);
        }
        // Several lines of a header are one list.
        let malformed = || Problem::new(path, ProblemCode::NotEntityTags);
        parse(&lines.join(&b","[..]), weak).map(Some).ok_or_else(malformed)
    }
}

/// Parses `*` or a list of entity tags. Empty items are ignored (RFC 9110 §5.6.1.2).
fn parse(value: &[u8], weak: bool) -> Option<Condition> {
    if value.trim_ascii() == b"*" {
        return Some(Condition::Any);
    }
    let (mut rest, mut tags, mut found) = (value.trim_ascii_start(), Vec::new(), false);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
            continue;
        }
        let (is_weak, quoted) = match rest.strip_prefix(b"W/") {
            Some(after) => (true, after),
            None => (false, rest),
        };
        let inside = quoted.strip_prefix(b"\"")?;
        let end = inside.iter().position(|byte| *byte == b'"')?;
        let (opaque, after) = (&inside[..end], &inside[end + 1..]);
        if opaque.iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
            return None;
        }
        if weak || !is_weak {
            tags.push(format!("\"{}\"", String::from_utf8_lossy(opaque)));
        }
        found = true;
        rest = after.trim_ascii_start();
        if !rest.is_empty() && !rest.starts_with(b",") {
            return None;
        }
    }
    found.then_some(Condition::Tags(tags))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IF_MATCH, HeaderValue::from_bytes(line).unwrap());
            headers.append(IF_NONE_MATCH, HeaderValue::from_bytes(line).unwrap());
        }
        headers
    }

    fn tags(tags: &[&str]) -> Condition {
        Condition::Tags(tags.iter().map(|tag| (*tag).to_owned()).collect())
    }

    #[test]
    fn a_tag_follows_from_the_resource_alone() {
        assert_eq!(ETag::of(b"{}"), ETag::of(b"{}"));
        assert_ne!(ETag::of(b"{}"), ETag::of(b"[]"));
        assert_eq!(ETag::of(b"{}").as_str().len(), 24);
        assert_eq!(ETag::of(b"{}").header(), "\"RBNvo1WzZ4oRRq0W9-hkng\"");
    }

    #[test]
    fn conditions_are_read_as_the_standard_says() {
        assert_eq!(Condition::if_match(&HeaderMap::new()).unwrap(), None);
        let both = |lines: &[&[u8]]| {
            let headers = headers(lines);
            (
                Condition::if_match(&headers).unwrap().unwrap(),
                Condition::if_none_match(&headers).unwrap().unwrap(),
            )
        };
        assert_eq!(both(&[b" * "]), (Condition::Any, Condition::Any));
        assert_eq!(both(&[b"\"a\""]).0, tags(&["\"a\""]));
        assert_eq!(both(&[b", \"a,b\" ,\t\"\",,"]).0, tags(&["\"a,b\"", "\"\""]));
        assert_eq!(both(&[b"\"a\"", b"\"b\""]).0, tags(&["\"a\"", "\"b\""]));
        assert_eq!(both(&[b"W/\"a\", \"b\""]), (tags(&["\"b\""]), tags(&["\"a\"", "\"b\""])));
        assert_eq!(both(&[b"W/\"a\""]).0, tags(&[]));
    }

    #[test]
    fn malformed_conditions_are_refused_with_the_header_named() {
        let bad: [&[u8]; 11] = [
            b"",
            b",",
            b"a",
            b"\"a",
            b"a\"",
            b"\"a\" \"b\"",
            b"\"a\"b",
            b"w/\"a\"",
            b"*, \"a\"",
            b"\"a b\"",
            b"**",
        ];
        for line in bad {
            let error = Condition::if_match(&headers(&[line])).unwrap_err();
            assert!(format!("{error:?}").contains("If-Match"), "{error:?}");
            let error = Condition::if_none_match(&headers(&[line])).unwrap_err();
            assert!(format!("{error:?}").contains("If-None-Match"), "{error:?}");
        }
    }

    #[test]
    fn a_condition_matches_the_versions_it_names() {
        let tag = ETag::of(b"{}");
        assert!(Condition::Any.matches(&tag));
        assert!(tags(&["\"x\"", tag.as_str()]).matches(&tag));
        assert!(!tags(&["\"x\""]).matches(&tag) && !tags(&[]).matches(&tag));
    }
}
