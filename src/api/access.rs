//! The access rules of the public API's routes.

use domain::Scope;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Any valid key, even of a suspended business.
    AnyKey,
    /// Any valid key of an active business. The handler checks the scope.
    ActiveKey,
    /// A key with this scope.
    Scope(Scope),
}

impl Access {
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Self::AnyKey | Self::ActiveKey => None,
            Self::Scope(scope) => Some(scope),
        }
    }
}

impl From<Scope> for Access {
    fn from(scope: Scope) -> Self {
        Self::Scope(scope)
    }
}
