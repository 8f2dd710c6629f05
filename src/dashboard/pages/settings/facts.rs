//! The lines of a record, for read-only pages and for two versions next to each other.

use domain::{Denied, Refusal, Right};

use crate::dashboard::pages::prelude::*;

/// A line. An empty value is shown as such.
pub(super) fn line(view: &View, label: &str, value: &str) -> Line {
    let value = value.trim();
    (view.t(label), if value.is_empty() { view.t("nothing-there") } else { value.to_owned() })
}

/// The submitted version next to the current one, if the form is stale.
pub(super) fn versions(filled: &Filled, mine: Vec<Line>, theirs: Vec<Line>) -> Versions {
    let both = std::iter::zip(mine, theirs);
    filled.versions(both.map(|((label, mine), (_, theirs))| (label, mine, theirs)))
}

/// Checks the right for a page that has only a form.
///
/// # Errors
/// Returns an error if the business is suspended or the member may not make the change.
pub(super) fn only_for_changing(member: &Member, right: Right) -> Result<(), Refused> {
    if member.profile.suspended {
        return Err(Refused::Suspended);
    }
    if !member.may(right) {
        return Err(Refusal::NotAllowed(Denied::ReadOnly).into());
    }
    Ok(())
}
