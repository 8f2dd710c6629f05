use domain::{Conflict, Named, SlotReason, UnderWay};
use serde_json::json;

use super::*;
use crate::http::testing::parts;

async fn check(error: impl Into<ApiError>, status: u16, code: &str, message: &str) {
    let (got, headers, body) = parts(error.into().into_response()).await;
    assert_eq!((got, &body["error"]["code"]), (status, &json!(code)));
    assert!(body["error"]["message"].as_str().unwrap().contains(message), "{body}");
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test]
async fn every_fault_has_its_status_and_code() {
    let conflict = Refusal::conflict(Conflict::AddressTaken, "phone", ProblemCode::Taken);
    check(
        Refusal::invalid("name", ProblemCode::Required),
        400,
        "invalid_request",
        "invalid: name is required",
    )
    .await;
    check(Refusal::NotFound(Named::Contact), 404, "not_found", "there is no such contact").await;
    check(conflict, 409, "conflict", "another account has this address").await;
    check(
        Refusal::under_way(UnderWay::Backup, "backup", ProblemCode::NotTicked),
        409,
        "conflict",
        "a backup is",
    )
    .await;
    check(Refusal::BookingDisabled, 409, "booking_disabled", "").await;
    check(Refusal::BookingRequiresConfirmation, 409, "booking_requires_confirmation", "allow_pending").await;
    check(Refusal::SlotUnavailable(SlotReason::Taken), 409, "slot_unavailable", "the time is taken").await;
    check(Refusal::IdempotencyInProgress, 409, "idempotency_request_in_progress", "").await;
    check(Refusal::IdempotencyKeyReused, 422, "idempotency_key_reused", "").await;
    for (fault, key, token) in [
        (
            BadCredential::Missing,
            "no Authorization header. Send Authorization: Bearer <API_KEY>.",
            "<OPERATOR_TOKEN>",
        ),
        (BadCredential::Repeated, "more than one", "more than one"),
        (BadCredential::NotBearer, "no bearer token", "no bearer token"),
        (BadCredential::Malformed, "The API key is malformed", "The operator token is wrong"),
        (BadCredential::Unknown, "The API key is unknown or was revoked.", "The operator token is wrong"),
    ] {
        check(ApiError::NoKey(fault), 401, "unauthorized", key).await;
        check(ApiError::NoToken(fault), 401, "unauthorized", token).await;
    }
    check(ApiError::UnknownAdminHost, 403, "forbidden", "RECEPTIONIST_ADMIN_HOSTS").await;
    check(ApiError::InsufficientScope(Scope::CallsRead), 403, "insufficient_scope", "calls:read").await;
    check(ApiError::Forbidden, 403, "forbidden", "").await;
    check(ApiError::ForeignOrigin("Host"), 403, "forbidden", "the Host of the request is neither").await;
    check(ApiError::NoSuchPath(None), 404, "not_found", "There is no such path.").await;
    let lists = "There is no such path. GET /v1/services lists services.";
    check(ApiError::NoSuchPath(Some("/v1/services")), 404, "not_found", lists).await;
    check(ApiError::MethodNotAllowed("GET", ""), 405, "method_not_allowed", "GET").await;
    check(BodyError::TooLarge(16_384), 413, "invalid_request", "16384 bytes").await;
    check(BodyError::UnsupportedMediaType("text/x"), 415, "invalid_request", "must be text/x").await;
    check(BodyError::Timeout, 408, "invalid_request", "").await;
    check(BodyError::Broken, 400, "invalid_request", "").await;
    check(ApiError::RateLimited(7), 429, "rate_limited", "").await;
    check(ApiError::RateLimitUnavailable(7), 503, "rate_limit_unavailable", "").await;
    check(ApiError::Unavailable, 503, "internal_error", "nothing was changed").await;
    check(
        ApiError::DiskFull,
        503,
        "internal_error",
        "the service's disk is nearly full; nothing was changed",
    )
    .await;
    check(ApiError::internal("disk on fire"), 500, "internal_error", "internal error").await;
    check(ApiError::Panicked, 500, "internal_error", "").await;
}

#[tokio::test]
async fn headers_match_the_status() {
    for (error, name, value) in [
        (ApiError::NoKey(BadCredential::Missing), "www-authenticate", "Bearer"),
        (ApiError::MethodNotAllowed("GET, POST", ""), "allow", "GET, POST"),
        (ApiError::RateLimited(59), "retry-after", "59"),
        (ApiError::RateLimitUnavailable(2), "retry-after", "2"),
        (ApiError::Unavailable, "retry-after", "1"),
        (ApiError::DiskFull, "retry-after", "60"),
        (ApiError::NoPublicUrl, "retry-after", "60"),
        (Refusal::IdempotencyInProgress.into(), "retry-after", "1"),
        (Refusal::under_way(UnderWay::Import, "", ProblemCode::NotTicked).into(), "retry-after", "1"),
        (BodyError::Timeout.into(), "connection", "close"),
    ] {
        assert_eq!(error.into_response().headers()[name], value);
    }
}

#[tokio::test]
async fn details_exist_only_if_they_are_not_empty() {
    let problems =
        vec![Problem::new("a", ProblemCode::Required), Problem::new("b[0]", ProblemCode::NotAString)];
    let (_, _, body) = parts(ApiError::from(Refusal::Invalid(problems)).into_response()).await;
    let expected = json!({"error": {"code": "invalid_request", "message": "the request is invalid: 2 problems",
        "details": [{"path": "a", "message": "is required"}, {"path": "b[0]", "message": "must be a string"}]}});
    assert_eq!(body, expected);
    let (_, _, body) = parts(ApiError::internal("secret").into_response()).await;
    let expected = json!({"error": {"code": "internal_error", "message": "an internal error occurred"}});
    assert_eq!(body, expected);
}
