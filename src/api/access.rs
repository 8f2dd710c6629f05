//! Who may call an endpoint of the public API.

use domain::Scope;

/// Who may call an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Any valid key, even of a suspended business.
    AnyKey,
    /// Any valid key, unless its business is suspended; which scope is needed, the handler says.
    ActiveKey,
    /// A key with this scope.
    Scope(Scope),
}

impl Access {
    /// The scope that the key needs.
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
