//! API keys: the list, a new key, and revoking a key.

pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod revoke;

use domain::Scope;

use crate::dashboard::pages::prelude::*;

impl View {
    pub(super) fn scope(&self, scope: Scope) -> String {
        self.t(&format!("keys-scope-{}", scope.as_str().replace(':', "-")))
    }

    pub(super) fn scopes(&self, scopes: &[Scope]) -> String {
        if scopes.len() == Scope::ALL.len() {
            return self.t("keys-everything");
        }
        scopes.iter().map(|one| self.scope(*one)).collect::<Vec<_>>().join(" · ")
    }
}
