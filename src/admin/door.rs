//! The gate before `/admin/v1` (the token) and the business that a path names.

use std::sync::Arc;

use actors::domain::{Actor, BusinessId};
use actors::{Engine, EngineError};
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
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

impl Door<()> for Operator {
    type Guest = ();

    async fn gate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, ()) -> F + Send,
    ) -> Response {
        match bearer(request.headers()) {
            Some(token) if self.token.is(token) => next(request, ()).await,
            _ => ApiError::Unauthorized.into_response(),
        }
    }

    async fn admit(
        &self,
        (): (),
        (parts, body): (Parts, Body),
        _: &Route<()>,
        params: Vec<(String, String)>,
    ) -> Result<Call, ApiError> {
        let mut caller = Caller {
            actor: Actor::Operator,
            business: None,
            phone_region: PhoneRegion::DEFAULT.to_owned(),
            idempotency_scope: None,
            principal: None,
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
