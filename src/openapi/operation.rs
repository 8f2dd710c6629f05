//! One row of a table, as the document tells of it.

use axum::http::Method;

use crate::rest::input::PathId;
use crate::rest::output::Kind;
use crate::rest::route::Signature;

/// One row of the table with what its handler's signature says.
pub(super) struct Operation<'a> {
    pub(super) method: &'a Method,
    pub(super) signature: Signature,
    /// Whether it goes by `If-Match`.
    pub(super) conditional: bool,
    /// The ids in the path, in its order.
    pub(super) ids: Vec<PathId>,
}

impl Operation<'_> {
    /// Whether it changes something that is there, or adds to it: then it can be made to happen once.
    pub(super) fn changes(&self) -> bool {
        matches!(
            self.signature.answers,
            Kind::Changed | Kind::Created | Kind::Done | Kind::Ending | Kind::Gone
        )
    }
}
