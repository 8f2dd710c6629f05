//! A panic while an answer is found is a 500, and ends nothing else.

use std::panic::AssertUnwindSafe;

use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::error::ApiError;

/// The answer, or [`ApiError::Panicked`] when finding it panicked. A handler keeps no state that a panic could leave
/// half-changed: state lives behind the engine's handles.
pub(crate) async fn caught<T>(answer: impl Future<Output = Result<T, ApiError>>) -> Result<T, ApiError> {
    AssertUnwindSafe(answer).catch_unwind().await.unwrap_or(Err(ApiError::Panicked))
}

/// The same of an answer that is no row of a table: a panic is a 500 in the error envelope.
pub(crate) async fn caught_open(answer: impl Future<Output = Response>) -> Response {
    caught(async { Ok(answer.await) }).await.unwrap_or_else(IntoResponse::into_response)
}
