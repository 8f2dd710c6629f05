//! What a record says, line by line: for whoever may only look at it, and for two versions side by side.

use domain::{Denied, Refusal, Right};

use crate::dashboard::pages::prelude::*;

/// What a line is called, and what it says.
pub(super) type Line = (String, String);

/// A line; one that says nothing says so.
pub(super) fn line(view: &View, label: &str, value: &str) -> Line {
    let value = value.trim();
    (view.t(label), if value.is_empty() { view.t("nothing-there") } else { value.to_owned() })
}

/// The lines as facts.
pub(super) fn facts(lines: Vec<Line>) -> Vec<Fact> {
    lines.into_iter().map(|(label, value)| Fact { label, value, differs: false }).collect()
}

/// What was sent beside what is there, where somebody else has changed it meanwhile.
pub(super) fn versions(filled: &Filled, mine: Vec<Line>, theirs: Vec<Line>) -> Versions {
    if !filled.stale {
        return Versions::default();
    }
    let both = std::iter::zip(mine, theirs);
    Versions::new(both.map(|((label, mine), (_, theirs))| (label, mine, theirs)))
}

/// A page that does nothing but change is for whoever may.
///
/// # Errors
/// For everybody else, why not.
pub(super) fn only_for_changing(member: &Member, right: Right) -> Result<(), Refused> {
    if member.profile.suspended {
        return Err(Refused::Suspended);
    }
    if !member.may(right) {
        return Err(Refusal::NotAllowed(Denied::ReadOnly).into());
    }
    Ok(())
}
