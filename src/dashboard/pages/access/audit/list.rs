//! The audit log of a business, newest first.

use chrono::NaiveDate;
use domain::{AuditAction, AuditEntry};

use super::entry::{Names, field, page_of};
use super::filters::{FILTERS, Filters};
use super::values::value;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::who::Whos;
use crate::dashboard::words::audit as words;

const SHOWN: usize = 50;
const NAME_CHARS_MAX: usize = 80;

#[derive(Template)]
#[template(path = "dashboard/pages/access/audit/list.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    here: String,
    filters: Filters,
    days: Vec<Day>,
    incomplete: bool,
    pages: Pages,
}

struct Day {
    label: String,
    rows: Vec<Row>,
}

struct Row {
    at: String,
    time: String,
    who: String,
    did: &'static str,
    of: String,
    name: String,
    path: String,
    /// The path of all entries of the record. A former member has none.
    all: Option<String>,
    changes: Vec<Change>,
}

struct Change {
    field: String,
    from: String,
    to: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    let view = member.view();
    let filters = Filters::of(&view, &member).await?;
    let part = member.part("audit", SHOWN, &FILTERS);
    let (filter, business) = (&filters.filter, &member.business);
    let found = part.read(|request| async move { business.audit_of(filter.clone(), &request).await }).await?;
    let actors: Vec<_> = found.items.iter().map(|entry| entry.actor).collect();
    let whos = member.whos(actors).await?;
    let (mut names, mut days) = (Names::default(), Vec::<(NaiveDate, Vec<Row>)>::new());
    for entry in found.items {
        let (day, name) = (days::day(entry.at, member.profile.zone), names.of(&member, &entry).await?);
        let row = row(&view, (&member, &filters), &whos, &entry, name);
        match days.last_mut().filter(|(last, _)| *last == day) {
            Some((_, rows)) => rows.push(row),
            None => days.push((day, vec![row])),
        }
    }
    let label = |day| capitalised(&view.words.date(day));
    let days = days.into_iter().map(|(day, rows)| Day { label: label(day), rows }).collect();
    let shown = Page {
        sheet: member.sheet("settings/audit"),
        here: member.path_to("settings/audit"),
        days,
        incomplete: found.is_incomplete,
        pages: part.pages(found.next.as_deref()),
        filters,
    };
    page(&shown)
}

fn row(
    view: &View,
    (member, filters): (&Member, &Filters),
    whos: &Whos,
    entry: &AuditEntry,
    name: Option<String>,
) -> Row {
    let zone = member.profile.zone;
    let changes = entry.changes.iter().filter(|change| change.field != "updated_at");
    let changes = changes.map(|change| Change {
        field: field(view, &change.field),
        from: value(view, &change.from, zone),
        to: value(view, &change.to, zone),
    });
    Row {
        at: entry.at.to_string(),
        time: days::clock(entry.at, zone),
        // A person who declined is not a member, so the entry shows no name.
        who: if entry.action == AuditAction::PersonDeclined {
            view.t("who-nameless")
        } else {
            whos.of(entry.actor).to_owned()
        },
        did: words::action(view.words.locale, entry.action),
        of: capitalised(words::kind(view.words.locale, entry.resource_type)),
        name: name.map(|name| plain(&name, NAME_CHARS_MAX)).unwrap_or_default(),
        path: page_of(member, entry).unwrap_or_default(),
        all: filters.address_id(entry).map(|id| format!("{}?id={id}", member.path_to("settings/audit"))),
        changes: changes.collect(),
    }
}
