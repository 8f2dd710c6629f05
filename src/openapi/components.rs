//! The parameters and headers that operations share.

use serde_json::{Value, json};

use super::parts::Conventions;
use crate::http::idempotency::IDEMPOTENCY_KEY_CHARS_MAX;
use crate::http::request_id::REQUEST_ID_CHARS_MAX;

/// The request headers that only some operations read.
pub(super) fn parameters() -> Value {
    let header = |name: &str, schema: Value, about: &str| json!({"name": name, "in": "header", "required": false, "schema": schema, "description": about});
    let tags = json!({"type": "string", "pattern": "^(\\*|(W/)?\"[!#-~]*\"(, (W/)?\"[!#-~]*\")*)$"});
    let key = json!({"type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_CHARS_MAX, "pattern": "^[!-~]+$"});
    json!({
        "Idempotency-Key": header("Idempotency-Key", key, "Makes the change happen once. Within 24 hours, the same \
            request with the same key returns the first response again, and a different request is refused."),
        "If-Match": header("If-Match", tags.clone(),
            "Entity tags, or `*`. The service makes the change only if the record's current tag is one of them."),
        "If-None-Match": header("If-None-Match", tags,
            "Entity tags, or `*`. The service answers 304 if the record's current tag is one of them."),
    })
}

/// The headers of responses.
pub(super) fn headers(conventions: Conventions) -> Value {
    let header = |required: bool, schema: Value, about: &str| json!({"required": required, "schema": schema, "description": about});
    let whole = |minimum: u32| json!({"type": "integer", "minimum": minimum});
    let text = || json!({"type": "string"});
    let mut headers = json!({
        "Allow": header(true, text(), "The methods that the path supports."),
        "ETag": header(true, json!({"type": "string", "pattern": "^\"[!#-~]+\"$"}), "The strong entity tag of this version of the record."),
        "Idempotent-Replayed": header(false, json!({"type": "string", "enum": ["true"]}),
            "Present if this is the stored response to an earlier request with the same `Idempotency-Key`."),
        "Retry-After": header(true, whole(1), "The number of seconds to wait before the next attempt."),
        "WWW-Authenticate": header(true, text(), "The required authentication scheme."),
        "X-RateLimit-Limit": header(true, whole(1), "The number of requests allowed per minute."),
        "X-RateLimit-Remaining": header(true, whole(0), "The number of requests left in the current minute."),
        "X-RateLimit-Reset": header(true, whole(0), "The Unix time in seconds at which the current minute ends."),
        "X-Request-Id": header(true, json!({"type": "string", "minLength": 1, "maxLength": REQUEST_ID_CHARS_MAX}),
            "Identifies this request. The service's log contains it."),
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
