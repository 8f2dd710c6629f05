//! The gate of `/mcp`: Host and Origin, then key and rate limit as for `/v1`. Each tool checks its own
//! scope.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use engine::Principal;

use crate::api::{Access, KeyGate};
use crate::origins::Origins;
use crate::rest::context::{Incoming, Routed};
use crate::rest::error::ApiError;
use crate::rest::router::Gate;

#[derive(Clone)]
pub(super) struct McpGate {
    keys: Arc<KeyGate>,
    origins: Origins,
}

impl McpGate {
    pub(super) fn new(keys: Arc<KeyGate>, origins: Origins) -> Self {
        Self { keys, origins }
    }
}

impl Gate<Access> for McpGate {
    type Identity = Arc<Principal>;

    async fn authenticate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, Arc<Principal>) -> F + Send,
    ) -> Response {
        match self.origins.refused(request.headers()) {
            Some(header) => ApiError::ForeignOrigin(header).into_response(),
            None => self.keys.authenticate(request, next).await,
        }
    }

    async fn authorize(
        &self,
        principal: Arc<Principal>,
        access: &Access,
        routed: Routed,
    ) -> Result<Incoming, ApiError> {
        self.keys.authorize(principal, access, routed).await
    }
}
