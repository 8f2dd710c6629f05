//! The scopes of keys, in words.

use domain::Scope;

use crate::dashboard::pages::prelude::*;

pub(super) fn scope(view: &View, scope: Scope) -> String {
    view.t(&format!("keys-scope-{}", scope.as_str().replace(':', "-")))
}

pub(super) fn scopes(view: &View, scopes: &[Scope]) -> String {
    if scopes.len() == Scope::ALL.len() {
        return view.t("keys-everything");
    }
    scopes.iter().map(|one| scope(view, *one)).collect::<Vec<_>>().join(" · ")
}
