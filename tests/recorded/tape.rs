//! A recorded line, which contains a request and the parts of its response that must not change.
//!
//! The line contains the status, the headers that clients use, and the body. A message is replaced by its
//! facts, such as ids, numbers and names, because its wording may change. Fields that depend on the machine's clock are
//! replaced by a placeholder.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::facts::{facts, reason};
use crate::harness::Answer;

/// The maximum size of a recorded body. For a longer body, only its digest is recorded.
const BODY_BYTES_MAX: usize = 4 * 1024;
/// The maximum length of a recorded text of a request. For a longer text, only its beginning and its digest
/// are recorded.
const REQUEST_CHARS_MAX: usize = 300;

/// The response headers that clients use.
const HEADERS: [&str; 8] = [
    "content-type",
    "etag",
    "location",
    "link",
    "retry-after",
    "www-authenticate",
    "allow",
    "idempotent-replayed",
];

/// The headers of the rate limit. They are recorded only in the group of requests that reaches the limit.
const RATE_LIMITS: [&str; 3] = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
/// The rate limit in requests per minute for the groups that must not reach it.
pub(crate) const UNLIMITED: u32 = 1_000_000;

/// Fields whose values depend on the speed of the machine. `duration_ms` occurs in attempts of an endpoint test,
/// `last_used_at` in API keys, and `sequence` and `sha256` in the manifest of a backup.
const MEASURED: [&str; 4] = ["duration_ms", "last_used_at", "sequence", "sha256"];

/// A request and its response, as they are recorded.
pub(crate) struct Line {
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) path: String,
    pub(crate) status: u16,
    /// The error code of a refusal.
    pub(crate) code: String,
    pub(crate) text: String,
}

/// The parts of a request that are recorded.
pub(crate) struct Sent<'a> {
    /// The part of the credential that may be recorded, or an empty string.
    pub(crate) credential: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a [u8],
}

/// Creates the line. `hidden` is replaced by a placeholder.
pub(crate) fn line(sent: &Sent<'_>, answer: &Answer, hidden: &str) -> Line {
    let mut request = json!({ "path": format!("{} {}", sent.method, short(sent.path)) });
    if !sent.credential.is_empty() {
        request["credential"] = json!(sent.credential);
    }
    if !sent.headers.is_empty() {
        let headers = sent.headers.iter().map(|(name, value)| format!("{name}: {}", short(value)));
        request["headers"] = headers.collect();
    }
    if !sent.body.is_empty() {
        request["body"] = json!(short(&String::from_utf8_lossy(sent.body)));
    }
    let body = placed(&String::from_utf8_lossy(&answer.bytes), hidden);
    let shown: Value = serde_json::from_str(&body).unwrap_or_default();
    let mut response = json!({ "status": answer.status });
    let headers = recorded_headers(answer, has_measured(&shown));
    if !headers.is_empty() {
        response["headers"] = Value::Object(headers);
    }
    if !body.is_empty() {
        response["body"] = recorded_body(&body, shown.clone());
    }
    let has_words = sent.path == "/mcp" || answer.status >= 400;
    if !has_words && !body.is_empty() && !has_measured(&shown) {
        // A replayed response must be equal byte by byte, so the digest of its bytes is recorded.
        response["bytes"] = json!(digest(&body));
    }
    let text = placed(&json!({ "request": request, "response": response }).to_string(), hidden);
    Line {
        method: sent.method.to_owned(),
        path: sent.path.to_owned(),
        status: answer.status,
        code: answer.code().to_owned(),
        text,
    }
}

/// The headers to record. The entity tag is a digest of the body, so it is left out if the body has fields
/// that depend on the machine.
fn recorded_headers(answer: &Answer, is_measured: bool) -> Map<String, Value> {
    let unlimited = UNLIMITED.to_string();
    let is_limited = answer.headers.get(RATE_LIMITS[0]).is_some_and(|limit| *limit != *unlimited);
    let limits = RATE_LIMITS.into_iter().filter(|_| is_limited);
    let names = HEADERS.into_iter().chain(limits).filter(|name| !(is_measured && *name == "etag"));
    names.filter(|name| answer.has(name)).map(|name| (name.to_owned(), json!(answer.header(name)))).collect()
}

fn recorded_body(text: &str, mut body: Value) -> Value {
    if body.is_null() {
        return json!(digest(text));
    }
    replace_measured(&mut body);
    replace_words(&mut body);
    let recorded = body.to_string();
    if recorded.len() > BODY_BYTES_MAX { json!(digest(&recorded)) } else { body }
}

/// Replaces messages by their facts.
fn replace_words(body: &mut Value) {
    if let Some(error) = body.get_mut("error") {
        let is_a_time = error["code"] == "slot_unavailable";
        if let Some(message) = error["message"].as_str() {
            let mut named = facts(message);
            named.extend(is_a_time.then(|| reason(message)));
            error["message"] = json!(named);
        }
        for detail in error.get_mut("details").and_then(Value::as_array_mut).into_iter().flatten() {
            detail["message"] = json!(facts(detail["message"].as_str().unwrap_or_default()));
        }
    }
    let Some(result) = body.get_mut("result") else { return };
    let content = result.get("structuredContent").cloned();
    for part in result.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        let text = part["text"].as_str().unwrap_or_default();
        let is_same = content.is_some() && serde_json::from_str(text).ok() == content;
        part["text"] = if is_same { json!("the structured content") } else { json!(facts(text)) };
    }
}

fn replace_measured(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                if MEASURED.contains(&name.as_str()) {
                    *value = json!("measured");
                }
                replace_measured(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(replace_measured),
        _ => {}
    }
}

fn has_measured(value: &Value) -> bool {
    let mut replaced = value.clone();
    replace_measured(&mut replaced);
    replaced != *value
}

/// The text in which `hidden` is replaced by a placeholder.
fn placed(text: &str, hidden: &str) -> String {
    text.replace(hidden, "(directory)")
}

fn short(text: &str) -> String {
    if text.chars().count() <= REQUEST_CHARS_MAX {
        return text.to_owned();
    }
    let start: String = text.chars().take(80).collect();
    format!("{start}… {}", digest(text))
}

/// The length of a text and the beginning of its SHA-256.
fn digest(text: &str) -> String {
    let sum = Sha256::digest(text.as_bytes());
    let start: String = sum[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} bytes, sha256 {start}", text.len())
}
