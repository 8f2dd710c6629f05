//! The search in contacts, appointments, calls and messages, by names, phone numbers and email addresses.
//! The frame of every page contains the search field. With JavaScript, the results also appear below the field.

use domain::{FoundKind, Search};
use view::FoundView;

use crate::dashboard::pages::prelude::*;
use crate::rest::values::phone::trunk_prefixes;

/// The maximum length of a search text, in characters. The operator API has the same limit.
const CHARS_MAX: usize = 200;

#[derive(Template)]
#[template(path = "dashboard/pages/records/search.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    q: &'a str,
    groups: Vec<Group>,
}

/// The found records of a kind.
struct Group {
    label: String,
    icon: &'static str,
    rows: Vec<Row>,
}

struct Row {
    path: String,
    title: String,
    subtitle: String,
    at: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    let q = member.query.get("q").trim();
    let found = match q.chars().count() {
        1..=CHARS_MAX => member.business.search(&Search::new(q, trunk_prefixes())).await?,
        _ => Vec::new(),
    };
    let groups = FoundKind::ALL.iter().map(|kind| group(&member, *kind, &found));
    let groups = groups.filter(|group| !group.rows.is_empty()).collect();
    page(&Page { sheet: member.sheet("search"), q, groups })
}

fn group(member: &Member, kind: FoundKind, found: &[FoundView]) -> Group {
    // `page` is the name of the page that lists the records of this kind. The path of each record contains this name.
    // The name is also the id of the text for the group's label. Only appointments have another text for the label.
    let (page, icon) = match kind {
        FoundKind::Contact => ("contacts", "person"),
        FoundKind::Appointment => ("appointments", "calendar"),
        FoundKind::Call => ("calls", "phone"),
        FoundKind::Message => ("messages", "message"),
    };
    let of_kind = found.iter().filter(|found| found.kind == kind);
    let row = |found: &FoundView| {
        let mut texts =
            found.texts.iter().map(|it| if it.is_phone { member.phone(&it.text) } else { it.text.clone() });
        Row {
            path: member.path_to(&format!("{page}/{}", found.id)),
            title: texts.next().unwrap_or_default(),
            subtitle: texts.collect::<Vec<_>>().join(" · "),
            at: found.at.map(|at| member.moment_heading(at)).unwrap_or_default(),
        }
    };
    let label = member.t(if kind == FoundKind::Appointment { "find-appointments" } else { page });
    Group { label, icon, rows: of_kind.map(row).collect() }
}
