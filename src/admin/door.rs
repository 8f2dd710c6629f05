//! The gate before `/admin/v1` (the token) and the business that a path names.

use std::sync::Arc;

use actors::domain::{Actor, BusinessId};
use actors::{Engine, EngineError};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::config::AdminToken;
use crate::http::call::{Call, Caller, bearer};
use crate::http::cursor::Cursors;
use crate::http::error::ApiError;
use crate::http::routes::{Door, Route};
use crate::http::values::PhoneRegion;

/// What the gate and the handlers need.
#[derive(Clone)]
pub(crate) struct Operator {
    pub(super) engine: Engine,
    pub(super) cursors: Cursors,
    pub(super) token: Arc<AdminToken>,
}

/// The layer before the whole listener: unknown paths, too, ask for the token first.
pub(super) async fn gate(State(operator): State<Operator>, request: Request, next: Next) -> Response {
    match bearer(request.headers()) {
        Some(token) if operator.token.is(token) => next.run(request).await,
        _ => ApiError::Unauthorized.into_response(),
    }
}

impl Door<()> for Operator {
    async fn admit(
        &self,
        request: Request,
        _: &Route<()>,
        params: Vec<(String, String)>,
    ) -> Result<Call, ApiError> {
        let mut caller = Caller {
            actor: Actor::Operator,
            business: None,
            phone_region: PhoneRegion::DEFAULT.to_owned(),
            idempotency_scope: None,
        };
        // A business that is not there is told only after the syntax of the request, when a handler asks for it.
        let named = params.iter().find(|(name, _)| name == "business_id");
        if let Some(id) = named.and_then(|(_, id)| id.parse::<BusinessId>().ok()) {
            let handle = self.engine.business(id);
            match handle.business().await {
                Ok(business) => {
                    caller.phone_region = business.phone_region;
                    caller.business = Some(handle);
                }
                Err(EngineError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (parts, body) = request.into_parts();
        Ok(Call {
            engine: self.engine.clone(),
            cursors: self.cursors.clone(),
            caller,
            parts,
            params,
            body,
            canonical: Vec::new(),
            described: None,
        })
    }
}
