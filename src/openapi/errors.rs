//! The error responses of each operation. They are made from the service's error type, so that the
//! documented status, headers and body are those that the service sends.

use std::collections::BTreeMap;

use axum::http::{Method, StatusCode, header};
use domain::{Conflict, Named, Problem, ProblemCode, Refusal, SlotReason, WebhookStatus};
use serde_json::{Map, Value, json};

use super::operations::{Operation, component, headers_sent};
use crate::http::authorization::BadCredential;
use crate::http::body::{BODY_BYTES_MAX, BodyError, CSV, JSON};
use crate::rest::error::{ApiError, Code};
use crate::rest::output::Kind;
use crate::tables::FILE_BYTES_MAX;

/// The statuses whose responses differ between operations. Their responses are not shared components.
const OWN: [StatusCode; 3] = [StatusCode::FORBIDDEN, StatusCode::NOT_FOUND, StatusCode::CONFLICT];

/// The error responses of an operation. Responses that several operations share are added to `shared`.
pub(super) fn responses(operation: &Operation<'_>, shared: &mut Map<String, Value>) -> Value {
    let mut by_status: BTreeMap<u16, Vec<ApiError>> = BTreeMap::new();
    for error in possible(operation) {
        by_status.entry(error.status().0.as_u16()).or_default().push(error);
    }
    let responses = by_status.into_iter().map(|(status, errors)| {
        let response = response(&errors, operation.is_public);
        let of = errors[0].status().0;
        let of_file = [StatusCode::UNSUPPORTED_MEDIA_TYPE, StatusCode::PAYLOAD_TOO_LARGE].contains(&of)
            && media_type(operation) != JSON;
        let is_shared = of == StatusCode::FORBIDDEN && !operation.is_public;
        let described = if (OWN.contains(&of) && !is_shared) || of_file {
            response
        } else {
            let name = name(of);
            let known = shared.entry(name.clone()).or_insert_with(|| response.clone());
            assert_eq!(*known, response, "the responses called {name} differ");
            component("responses", &name)
        };
        (status.to_string(), described)
    });
    Value::Object(responses.collect())
}

/// The responses for a path or method that has no operation.
pub(super) fn for_unknown_paths(is_public: bool) -> Map<String, Value> {
    let errors = [ApiError::MethodNotAllowed("GET, POST, HEAD", ""), ApiError::NoSuchPath(None)];
    errors.map(|error| (name(error.status().0), response(&[error], is_public))).into_iter().collect()
}

/// The component name of a status, such as `NotFound`.
fn name(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or_default().replace(' ', "")
}

fn media_type(operation: &Operation<'_>) -> &'static str {
    operation.signature.takes.body.as_ref().map_or(JSON, |body| body.media_type)
}

fn possible(operation: &Operation<'_>) -> Vec<ApiError> {
    let mut errors = vec![
        Refusal::Invalid(vec![
            Problem::new("starts_at", ProblemCode::Required),
            Problem::new("contact.phone", ProblemCode::NotAString),
        ])
        .into(),
        if operation.is_public {
            ApiError::NoKey(BadCredential::Unknown)
        } else {
            ApiError::NoToken(BadCredential::Unknown)
        },
        ApiError::Panicked,
        ApiError::Unavailable,
    ];
    let retry_after = 17;
    errors.extend([ApiError::RateLimited(retry_after), ApiError::RateLimitUnavailable(retry_after)]);
    if let Some(scope) = operation.scope {
        errors.extend([ApiError::InsufficientScope(scope), ApiError::Forbidden]);
    }
    if !operation.is_public {
        errors.push(ApiError::UnknownAdminHost);
    }
    if let Some(id) = operation.ids.last() {
        errors.push(Refusal::NotFound(id.named).into());
    }
    if *operation.method != Method::GET {
        errors.extend(
            [BodyError::Timeout, BodyError::UnsupportedMediaType(media_type(operation))].map(ApiError::from),
        );
        // A body of JSON lines has no size limit.
        match media_type(operation) {
            JSON => errors.push(BodyError::TooLarge(BODY_BYTES_MAX).into()),
            CSV => errors.push(BodyError::FileTooLarge(FILE_BYTES_MAX).into()),
            _ => {}
        }
        if operation.changes() {
            errors.extend([Refusal::IdempotencyInProgress.into(), Refusal::IdempotencyKeyReused.into()]);
        }
        if operation.conditional && !operation.refuses.contains(&Code::Conflict) {
            errors.push(sample(Code::Conflict));
        }
    }
    let disabled = ProblemCode::now(WebhookStatus::Disabled);
    let disabled = Refusal::conflict(Conflict::EndpointDisabled, "status", disabled);
    errors.extend(operation.refuses.iter().map(|code| match (code, operation.signature.answers) {
        (Code::Conflict, Kind::Accepted) => disabled.clone().into(),
        (code, _) => sample(*code),
    }));
    errors
}

fn sample(code: Code) -> ApiError {
    match code {
        Code::NotFound => Refusal::NotFound(Named::Record),
        Code::Conflict => Refusal::conflict(
            Conflict::Changed,
            "If-Match",
            ProblemCode::EntityTagNow("\"RBNvo1WzZ4oRRq0W9-hkng\"".into()),
        ),
        Code::BookingDisabled => Refusal::BookingDisabled,
        Code::BookingRequiresConfirmation => Refusal::BookingRequiresConfirmation,
        Code::SlotUnavailable => Refusal::SlotUnavailable(SlotReason::Taken),
        other => unreachable!("no table lists {other:?} for a route"),
    }
    .into()
}

fn response(errors: &[ApiError], is_public: bool) -> Value {
    let status = errors[0].status().0;
    let codes: Vec<Value> = errors.iter().map(|error| json!(error.status().1)).collect();
    let words: Vec<String> = codes.iter().filter_map(Value::as_str).map(|code| format!("`{code}`")).collect();
    let examples: Map<String, Value> = errors
        .iter()
        .zip(&codes)
        .filter_map(|(error, code)| Some((code.as_str()?.to_owned(), json!({"value": error.body()}))))
        .collect();
    let mut headers = headers_sent(is_public, &[]);
    for (name, wanted) in [
        ("Allow", header::ALLOW),
        ("Retry-After", header::RETRY_AFTER),
        ("WWW-Authenticate", header::WWW_AUTHENTICATE),
    ] {
        let with = errors.iter().filter(|e| e.header().is_some_and(|(sent, _)| sent == wanted)).count();
        if with == errors.len() {
            headers.insert(name.into(), component("headers", name));
        } else if with > 0 {
            let sent = json!({"required": false, "schema": {"type": "integer", "minimum": 1},
                "description": "The number of seconds to wait before the next attempt. Absent if a retry cannot help."});
            headers.insert(name.into(), sent);
        }
    }
    json!({
        "description": format!("{}: {}.", status.canonical_reason().unwrap_or_default(), words.join(", ")),
        "headers": headers,
        "content": {"application/json": {"schema": component("schemas", "ErrorAnswer"), "examples": examples}},
    })
}
