//! One row of a route table as the document describes it.

use axum::http::Method;

use crate::rest::input::PathId;
use crate::rest::output::Kind;
use crate::rest::route::Signature;

pub(super) struct Operation<'a> {
    pub(super) method: &'a Method,
    pub(super) signature: Signature,
    /// Whether the operation reads `If-Match`.
    pub(super) conditional: bool,
    /// The ids in the path, in the path's order.
    pub(super) ids: Vec<PathId>,
}

impl Operation<'_> {
    /// Whether the operation changes or creates records. Such an operation takes an `Idempotency-Key`.
    pub(super) fn changes(&self) -> bool {
        matches!(
            self.signature.answers,
            Kind::Changed | Kind::Created | Kind::Done | Kind::Ending | Kind::Gone
        )
    }
}
