//! The error responses of the JSON APIs. Only this module maps errors to a status and a body.
//!
//! Invariants:
//! - The body is `{"error": {"code", "message", "details"?}}`.
//! - The body of an internal error has no details. The error is logged once, in the request's span, so the
//!   log has its request id.

use std::error::Error;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{Conflict, Named, Problem, ProblemCode, Refusal, Scope};
use engine::EngineError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::english;
use crate::http::authorization::BadCredential;
use crate::http::body::BodyError;
use crate::http::router::Panicked;

/// The default `Retry-After` in seconds, for a 503 and for a conflict with a running request or job.
const RETRY_SECONDS: u64 = 1;

/// The `Retry-After` in seconds, for an error whose cause an operator must remove.
const OPERATOR_RETRY_SECONDS: u64 = 60;

/// The error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ErrorCode")]
pub(crate) enum Code {
    InvalidRequest,
    Unauthorized,
    Forbidden,
    InsufficientScope,
    NotFound,
    Conflict,
    IdempotencyKeyReused,
    IdempotencyRequestInProgress,
    BookingDisabled,
    BookingRequiresConfirmation,
    SlotUnavailable,
    RateLimited,
    RateLimitUnavailable,
    MethodNotAllowed,
    InternalError,
}

/// The errors of a request. The number in a variant is the `Retry-After` in seconds.
#[derive(Debug)]
pub(crate) enum ApiError {
    Refusal(Refusal),
    NoKey(BadCredential),
    NoToken(BadCredential),
    /// The token of a conversation is missing or malformed.
    NoConversationToken(BadCredential),
    InsufficientScope(Scope),
    /// The business of the API key is suspended.
    Forbidden,
    /// The value of this header (`Host` or `Origin`) is not an address of the service.
    ForeignOrigin(&'static str),
    /// The `Host` is not a name of the operator listener.
    UnknownAdminHost,
    /// The path is unknown. If paths of list operations match its beginning, the value is the longest of these paths.
    /// Otherwise the value is `None`.
    NoSuchPath(Option<&'static str>),
    /// The first text is the value of the header `Allow`. The second text lists the actions on the record of the path.
    MethodNotAllowed(&'static str, &'static str),
    Body(BodyError),
    /// The request is not valid HTTP. The text is the reason.
    Malformed(&'static str),
    /// The key has used up its quota for this minute.
    RateLimited(u64),
    /// The rate limit's table of addresses is full.
    RateLimitUnavailable(u64),
    /// The business actor failed repeatedly and waits for its restart. Nothing was changed.
    Resting(u64),
    Unavailable,
    DiskFull,
    /// The service does not know its public URL, so it shows no pages.
    NoPublicUrl,
    Internal(Box<dyn Error + Send + Sync>),
    /// A handler panicked. The panic hook has logged it.
    Panicked,
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(refusal)
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self::Refusal(Refusal::Invalid(vec![problem]))
    }
}

impl From<Vec<Problem>> for ApiError {
    fn from(problems: Vec<Problem>) -> Self {
        Self::Refusal(Refusal::Invalid(problems))
    }
}

impl From<Panicked> for ApiError {
    fn from(Panicked: Panicked) -> Self {
        Self::Panicked
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Refused(refusal) => Self::Refusal(refusal),
            EngineError::NotFound => Refusal::NotFound(Named::Business).into(),
            EngineError::KeyRevoked => Self::NoKey(BadCredential::Unknown),
            EngineError::Suspended => Self::Forbidden,
            EngineError::Overloaded | EngineError::Stopping | EngineError::NotIndexed => Self::Unavailable,
            EngineError::DiskFull(_) => Self::DiskFull,
            EngineError::Resting(left) => Self::Resting(left.as_secs_f64().ceil() as u64),
            error @ (EngineError::Failed | EngineError::Store(_)) => Self::internal(error),
        }
    }
}

impl ApiError {
    pub(crate) fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    pub(crate) fn invalid(path: impl Into<String>, code: impl Into<ProblemCode>) -> Self {
        Self::Refusal(Refusal::invalid(path, code))
    }

    pub(crate) fn status(&self) -> (StatusCode, Code) {
        match self {
            Self::Refusal(refusal) => match refusal {
                Refusal::Invalid(_) => (StatusCode::BAD_REQUEST, Code::InvalidRequest),
                Refusal::NotFound(_) => (StatusCode::NOT_FOUND, Code::NotFound),
                Refusal::Conflict { .. } | Refusal::UnderWay { .. } => (StatusCode::CONFLICT, Code::Conflict),
                Refusal::NotAllowed(_) => (StatusCode::FORBIDDEN, Code::Forbidden),
                Refusal::Expired => (StatusCode::GONE, Code::NotFound),
                Refusal::BookingDisabled => (StatusCode::CONFLICT, Code::BookingDisabled),
                Refusal::BookingRequiresConfirmation => {
                    (StatusCode::CONFLICT, Code::BookingRequiresConfirmation)
                }
                Refusal::SlotUnavailable(_) => (StatusCode::CONFLICT, Code::SlotUnavailable),
                Refusal::IdempotencyInProgress => (StatusCode::CONFLICT, Code::IdempotencyRequestInProgress),
                Refusal::IdempotencyKeyReused => {
                    (StatusCode::UNPROCESSABLE_ENTITY, Code::IdempotencyKeyReused)
                }
            },
            Self::NoKey(_) | Self::NoToken(_) | Self::NoConversationToken(_) => {
                (StatusCode::UNAUTHORIZED, Code::Unauthorized)
            }
            Self::InsufficientScope(_) => (StatusCode::FORBIDDEN, Code::InsufficientScope),
            Self::Forbidden | Self::ForeignOrigin(_) | Self::UnknownAdminHost => {
                (StatusCode::FORBIDDEN, Code::Forbidden)
            }
            Self::NoSuchPath(_) => (StatusCode::NOT_FOUND, Code::NotFound),
            Self::MethodNotAllowed(..) => (StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed),
            Self::Body(BodyError::TooLarge(_) | BodyError::FileTooLarge(_)) => {
                (StatusCode::PAYLOAD_TOO_LARGE, Code::InvalidRequest)
            }
            Self::Body(BodyError::UnsupportedMediaType(_)) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::InvalidRequest)
            }
            Self::Body(BodyError::Timeout) => (StatusCode::REQUEST_TIMEOUT, Code::InvalidRequest),
            Self::Malformed(_) | Self::Body(BodyError::Broken) => {
                (StatusCode::BAD_REQUEST, Code::InvalidRequest)
            }
            Self::RateLimited(_) => (StatusCode::TOO_MANY_REQUESTS, Code::RateLimited),
            Self::RateLimitUnavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, Code::RateLimitUnavailable),
            Self::Unavailable | Self::Resting(_) | Self::DiskFull | Self::NoPublicUrl => {
                (StatusCode::SERVICE_UNAVAILABLE, Code::InternalError)
            }
            Self::Internal(_) | Self::Panicked => (StatusCode::INTERNAL_SERVER_ERROR, Code::InternalError),
        }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            Self::Refusal(refusal) => match refusal {
                Refusal::Invalid(problems) => summary(problems),
                Refusal::NotFound(named) => format!("there is no such {}", english::named(*named)),
                Refusal::Conflict { conflict, .. } => english::conflict(conflict),
                Refusal::UnderWay { what, .. } => english::under_way(*what).into(),
                Refusal::NotAllowed(denied) => english::denied(*denied).into(),
                Refusal::Expired => "the link was used or has expired, or the session has ended".into(),
                Refusal::BookingDisabled => "the business takes no bookings".into(),
                Refusal::BookingRequiresConfirmation => {
                    "the business confirms each booking: send allow_pending: true to request one".into()
                }
                Refusal::SlotUnavailable(reason) => english::slot(*reason).into(),
                Refusal::IdempotencyInProgress => {
                    "the first request with this Idempotency-Key is still being carried out".into()
                }
                Refusal::IdempotencyKeyReused => "this Idempotency-Key was used with another request".into(),
            },
            Self::NoKey(BadCredential::Malformed) => {
                "The API key is malformed. Send the complete key, as it was shown when it was created.".into()
            }
            Self::NoKey(BadCredential::Unknown) => "The API key is unknown or was revoked.".into(),
            Self::NoKey(fault) => header_fault(*fault, "<API_KEY>"),
            Self::NoToken(BadCredential::Malformed | BadCredential::Unknown) => {
                "The operator token is wrong. Send the token in RECEPTIONIST_ADMIN_TOKEN, or in the file admin-token in the \
                 service's data directory."
                    .into()
            }
            Self::NoToken(fault) => header_fault(*fault, "<OPERATOR_TOKEN>"),
            Self::NoConversationToken(fault) => header_fault(*fault, "<TOKEN_OF_THE_CONVERSATION>"),
            Self::InsufficientScope(scope) => format!("this key lacks the scope {scope}"),
            Self::Forbidden => "the business of this key is suspended".into(),
            Self::ForeignOrigin(header) => format!(
                "the {header} of the request is neither the service's public address (RECEPTIONIST_PUBLIC_URL) nor \
                loopback"
            ),
            Self::UnknownAdminHost => {
                "The Host of the request is not a host name of the operator listener. Use an IP address or \
                localhost, or add the name to RECEPTIONIST_ADMIN_HOSTS."
                    .into()
            }
            Self::NoSuchPath(None) => "There is no such path.".into(),
            Self::NoSuchPath(Some(list)) => {
                let listed = list.rsplit('/').next().unwrap_or_default();
                format!("There is no such path. GET {list} lists {listed}.")
            }
            Self::MethodNotAllowed(allow, "") => format!("This path allows {allow}."),
            Self::MethodNotAllowed(allow, actions) => format!("This path allows {allow}. See also {actions}."),
            Self::Body(BodyError::TooLarge(max)) => format!("the body must have at most {max} bytes"),
            Self::Body(BodyError::FileTooLarge(max)) => format!("the file must have at most {max} bytes"),
            Self::Body(BodyError::UnsupportedMediaType(expected)) => {
                format!("the Content-Type of the body must be {expected}")
            }
            Self::Body(BodyError::Timeout) => "the body did not arrive in time".into(),
            Self::Malformed(problem) => (*problem).into(),
            Self::Body(BodyError::Broken) => "the body could not be read to its end".into(),
            Self::RateLimited(_) => "too many requests in this minute".into(),
            Self::RateLimitUnavailable(_) => "the rate limit cannot be checked at the moment".into(),
            Self::Unavailable => "the service is busy or shutting down; nothing was changed".into(),
            Self::Resting(_) => {
                "the business has failed and will be started again soon; nothing was changed".into()
            }
            Self::DiskFull => "the service's disk is nearly full; nothing was changed".into(),
            Self::NoPublicUrl => english::conflict(&Conflict::NoPublicUrl),
            Self::Internal(_) | Self::Panicked => "an internal error occurred".into(),
        }
    }

    pub(crate) fn body(&self) -> Body<'_> {
        let details = self.details().iter();
        let details = details.map(|Problem { path, code }| Detail { path, message: english::problem(code) });
        Body { error: Fault { code: self.status().1, message: self.message(), details: details.collect() } }
    }

    pub(crate) fn details(&self) -> &[Problem] {
        match self {
            Self::Refusal(Refusal::Invalid(problems)) => problems,
            Self::Refusal(Refusal::Conflict { details, .. } | Refusal::UnderWay { details, .. }) => details,
            _ => &[],
        }
    }

    pub(crate) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Self::NoKey(_) | Self::NoToken(_) | Self::NoConversationToken(_) => {
                Some((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")))
            }
            Self::MethodNotAllowed(allow, _) => Some((header::ALLOW, HeaderValue::from_static(allow))),
            // The end of the request is unknown, so the connection cannot carry another request.
            Self::Body(
                BodyError::TooLarge(_) | BodyError::FileTooLarge(_) | BodyError::Timeout | BodyError::Broken,
            )
            | Self::Malformed(_) => Some((header::CONNECTION, HeaderValue::from_static("close"))),
            Self::RateLimited(retry_after)
            | Self::RateLimitUnavailable(retry_after)
            | Self::Resting(retry_after) => Some((header::RETRY_AFTER, HeaderValue::from(*retry_after))),
            Self::DiskFull | Self::NoPublicUrl => {
                Some((header::RETRY_AFTER, HeaderValue::from(OPERATOR_RETRY_SECONDS)))
            }
            Self::Unavailable | Self::Refusal(Refusal::IdempotencyInProgress | Refusal::UnderWay { .. }) => {
                Some((header::RETRY_AFTER, HeaderValue::from(RETRY_SECONDS)))
            }
            _ => None,
        }
    }

    /// Logs the error if it is an internal error. Must be called exactly once per request.
    pub(crate) fn log(&self) {
        if let Self::Internal(cause) = self {
            let cause: &(dyn Error + 'static) = cause.as_ref();
            tracing::error!(error = cause, "a request failed because of an error of the service");
        }
    }
}

fn header_fault(fault: BadCredential, credential: &str) -> String {
    let fault = match fault {
        BadCredential::Missing => "The request has no Authorization header.",
        BadCredential::Repeated => "The request has more than one Authorization header.",
        _ => "The Authorization header contains no bearer token.",
    };
    format!("{fault} Send Authorization: Bearer {credential}.")
}

fn summary(problems: &[Problem]) -> String {
    match problems {
        [] => "the request is invalid".into(),
        [one] if one.path.is_empty() => format!("the request is invalid: {}", english::problem(&one.code)),
        [one] => format!("the request is invalid: {} {}", one.path, english::problem(&one.code)),
        many => format!("the request is invalid: {} problems", many.len()),
    }
}

/// The response to a request that was refused or failed.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErrorAnswer")]
pub(crate) struct Body<'a> {
    /// The error.
    error: Fault<'a>,
}

/// The error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErrorObject")]
struct Fault<'a> {
    /// The code, for programs.
    code: Code,
    /// The message, for people.
    message: String,
    /// The problems with their paths, if the error concerns parts of the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail<'a>>,
}

/// One problem.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ErrorDetail")]
struct Detail<'a> {
    /// The path, such as `hours[0].open` or the name of a parameter or header; empty for the whole request.
    path: &'a str,
    /// The problem.
    message: String,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.log();
        // Serializing strings cannot fail, so the body is never empty.
        let body = serde_json::to_vec(&self.body()).unwrap_or_default();
        let mut response =
            (self.status().0, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        if let Some((name, value)) = self.header() {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

#[cfg(test)]
mod tests;
