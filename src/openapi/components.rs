//! The parameters and headers that operations share.

use serde_json::{Value, json};

use super::parts::Conventions;
use crate::http::idempotency::IDEMPOTENCY_KEY_CHARS_MAX;
use crate::http::request_id::REQUEST_ID_CHARS_MAX;

/// The request headers that mean something to some operations.
pub(super) fn parameters() -> Value {
    let header = |name: &str, schema: Value, about: &str| json!({"name": name, "in": "header", "required": false, "schema": schema, "description": about});
    let tags = json!({"type": "string", "pattern": "^(\\*|(W/)?\"[!#-~]*\"(, (W/)?\"[!#-~]*\")*)$"});
    let key = json!({"type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX, "pattern": "^[!-~]+$"});
    json!({
        "Idempotency-Key": header("Idempotency-Key", key, "Makes the change happen once: within 24 hours the same \
            request under the same key gives the first answer again, another request is refused."),
        "If-Match": header("If-Match", tags.clone(),
            "Entity tags, or `*`: the change is made only if the record still has one of them."),
        "If-None-Match": header("If-None-Match", tags,
            "Entity tags, or `*`: the answer is 304 if the record still has one of them."),
    })
}

/// The headers of answers.
pub(super) fn headers(conventions: Conventions) -> Value {
    let header = |required: bool, schema: Value, about: &str| json!({"required": required, "schema": schema, "description": about});
    let whole = |minimum: u32| json!({"type": "integer", "minimum": minimum});
    let text = || json!({"type": "string"});
    let mut headers = json!({
        "Allow": header(true, text(), "The methods of the path."),
        "ETag": header(true, json!({"type": "string", "pattern": "^\"[!#-~]+\"$"}), "The tag of this version, strong."),
        "Idempotent-Replayed": header(false, json!({"type": "string", "enum": ["true"]}),
            "There when this is the answer to an earlier request with the same `Idempotency-Key`."),
        "Retry-After": header(true, whole(1), "Seconds after which to try again."),
        "WWW-Authenticate": header(true, text(), "How to authenticate."),
        "X-RateLimit-Limit": header(true, whole(1), "Requests allowed per minute."),
        "X-RateLimit-Remaining": header(true, whole(0), "Requests left in this minute."),
        "X-RateLimit-Reset": header(true, whole(0), "Unix time in seconds at which the minute is over."),
        "X-Request-Id": header(true, json!({"type": "string", "minLength": 1, "maxLength": REQUEST_ID_CHARS_MAX}),
            "Names this request, in the service's log as well."),
    });
    if !conventions.rate_limited {
        drop_all(&mut headers, &["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]);
    }
    headers
}

fn drop_all(components: &mut Value, names: &[&str]) {
    if let Value::Object(components) = components {
        components.retain(|name, _| !names.contains(&name.as_str()));
    }
}
