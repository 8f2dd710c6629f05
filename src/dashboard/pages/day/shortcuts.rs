//! The keyboard shortcuts of the dashboard. A script shows this page in a dialog, where a person can turn the
//! shortcuts off.

use domain::Right;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/day/shortcuts.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    everywhere: Vec<(&'static str, String)>,
    calendar: Vec<(&'static str, String)>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let keys = |all: &[(&'static str, &str)]| all.iter().map(|(key, id)| (*key, member.t(id))).collect();
    let everywhere = [
        ("t", "shortcuts-today"),
        ("c", "shortcuts-calendar"),
        ("n", "shortcuts-book"),
        ("/", "shortcuts-search"),
        ("?", "shortcuts-list"),
    ];
    let calendar = [("←", "shortcuts-before"), ("→", "shortcuts-after"), ("m", "shortcuts-move")];
    // A person who is not allowed to book sees no shortcut for booking.
    let may = |key: &&(&'static str, &str)| key.0 != "n" || member.may(Right::Day);
    let everywhere: Vec<_> = everywhere.iter().filter(may).copied().collect();
    page(&Page { everywhere: keys(&everywhere), calendar: keys(&calendar), sheet: member.sheet("") })
}
