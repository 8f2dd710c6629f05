//! Entity tags, and the headers `If-Match` and `If-None-Match` (RFC 9110 §8.8.3, §13.1). A tag is a hash of the
//! resource's JSON. The actor that makes a change checks `If-Match`. The `headers` crate is not used, since its types
//! do not give access to the single tags of these headers.

use axum::http::header::{IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use domain::{Problem, ProblemCode};
use engine::business::IfMatch;

pub fn header(tag: &str) -> HeaderValue {
    // Quotes and base64url are visible ASCII, so the fallback is never used.
    HeaderValue::from_str(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Reads `If-Match`. Weak tags are dropped, since they never match in a strong comparison.
pub fn if_match(headers: &HeaderMap) -> Result<Option<IfMatch>, Problem> {
    read(headers, &IF_MATCH, "If-Match", false)
}

/// Whether `If-None-Match` contains this tag. The comparison is weak, so the weak form of the tag matches
/// too.
pub fn is_known(headers: &HeaderMap, tag: &str) -> Result<bool, Problem> {
    Ok(match read(headers, &IF_NONE_MATCH, "If-None-Match", true)? {
        None => false,
        Some(IfMatch::Any) => true,
        Some(IfMatch::Tags(tags)) => tags.iter().any(|named| named == tag),
    })
}

fn read(
    headers: &HeaderMap,
    name: &HeaderName,
    path: &'static str,
    weak: bool,
) -> Result<Option<IfMatch>, Problem> {
    let lines: Vec<_> = headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    // If the header occurs several times, its values form one list.
    let malformed = || Problem::new(path, ProblemCode::NotEntityTags);
    parse(&lines.join(&b","[..]), weak).map(Some).ok_or_else(malformed)
}

/// Parses `*` or a list of entity tags. Empty items are ignored (RFC 9110 §5.6.1.2).
fn parse(value: &[u8], weak: bool) -> Option<IfMatch> {
    if value.trim_ascii() == b"*" {
        return Some(IfMatch::Any);
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
    found.then_some(IfMatch::Tags(tags))
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

    fn tags(tags: &[&str]) -> IfMatch {
        IfMatch::Tags(tags.iter().map(|tag| (*tag).to_owned()).collect())
    }

    #[test]
    fn a_tag_depends_only_on_the_resource() {
        assert_eq!(view::etag(b"{}"), view::etag(b"{}"));
        assert_ne!(view::etag(b"{}"), view::etag(b"[]"));
        assert_eq!(header(&view::etag(b"{}")), "\"RBNvo1WzZ4oRRq0W9-hkng\"");
    }

    #[test]
    fn conditions_are_parsed_as_in_the_standard() {
        assert_eq!(if_match(&HeaderMap::new()).unwrap(), None);
        let strong = |lines: &[&[u8]]| if_match(&headers(lines)).unwrap().unwrap();
        let weak = |lines: &[&[u8]]| read(&headers(lines), &IF_NONE_MATCH, "", true).unwrap().unwrap();
        assert_eq!((strong(&[b" * "]), weak(&[b" * "])), (IfMatch::Any, IfMatch::Any));
        assert_eq!(strong(&[b"\"a\""]), tags(&["\"a\""]));
        assert_eq!(strong(&[b", \"a,b\" ,\t\"\",,"]), tags(&["\"a,b\"", "\"\""]));
        assert_eq!(strong(&[b"\"a\"", b"\"b\""]), tags(&["\"a\"", "\"b\""]));
        assert_eq!(strong(&[b"W/\"a\", \"b\""]), tags(&["\"b\""]));
        assert_eq!(weak(&[b"W/\"a\", \"b\""]), tags(&["\"a\"", "\"b\""]));
        assert_eq!(strong(&[b"W/\"a\""]), tags(&[]));
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
            let error = if_match(&headers(&[line])).unwrap_err();
            assert!(format!("{error:?}").contains("If-Match"), "{error:?}");
            let error = is_known(&headers(&[line]), "").unwrap_err();
            assert!(format!("{error:?}").contains("If-None-Match"), "{error:?}");
        }
    }

    #[test]
    fn a_condition_matches_the_listed_versions() {
        let tag = view::etag(b"{}");
        let known = |line: &str| is_known(&headers(&[line.as_bytes()]), &tag).unwrap();
        assert!(known("*") && known(&format!("\"x\", {tag}")) && known(&format!("W/{tag}")));
        assert!(!known("\"x\"") && !is_known(&HeaderMap::new(), &tag).unwrap());
    }
}
