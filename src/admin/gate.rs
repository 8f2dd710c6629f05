//! The gate before `/admin/v1` (the token) and the business that a path names.

use std::sync::Arc;

use actors::domain::{Actor, BusinessId};
use actors::{Engine, EngineError};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};

use crate::config::AdminToken;
use crate::http::authorization::bearer;
use crate::http::cursor::Cursors;
use crate::http::reading::Reading;
use crate::rest::context::{Caller, IdempotencyScope, Incoming, Routed};
use crate::rest::error::ApiError;
use crate::rest::router::Gate;
use crate::rest::values::phone::PhoneRegion;

/// What the gate needs.
#[derive(Clone)]
pub(crate) struct TokenGate {
    pub(super) engine: Engine,
    pub(super) cursors: Cursors,
    pub(super) token: Arc<AdminToken>,
}

/// Who may call an endpoint: whoever has the token may call all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token;

impl Gate<Token> for TokenGate {
    type Identity = ();

    async fn authenticate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, ()) -> F + Send,
    ) -> Response {
        match bearer(request.headers()) {
            Some(token) if self.token.is(token) => next(request, ()).await,
            _ => ApiError::Unauthorized.into_response(),
        }
    }

    async fn authorize(&self, (): (), _: &Token, routed: Routed) -> Result<Incoming, ApiError> {
        let mut caller = Caller {
            actor: Actor::Operator,
            business: None,
            reading: Reading::by(PhoneRegion::default()),
            idempotency_scope: IdempotencyScope::Operator,
            principal: None,
        };
        // A business that is not there is told only after the syntax of the request, when a handler asks for it.
        let named = routed.params.iter().find(|(name, _)| name == "business_id");
        if let Some(id) = named.and_then(|(_, id)| id.parse::<BusinessId>().ok()) {
            let handle = self.engine.business(id);
            match handle.business().await {
                Ok(business) => {
                    caller.reading = PhoneRegion::reading(&business);
                    caller.business = Some(handle);
                }
                Err(EngineError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Incoming::new(&self.engine, &self.cursors, caller, routed))
    }
}
