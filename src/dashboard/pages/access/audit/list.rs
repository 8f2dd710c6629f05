//! The audit log of a business, newest first.

use std::collections::HashMap;

use chrono::NaiveDate;
use domain::{AuditAction, AuditEntry, FieldChange};
use uuid::Uuid;

use super::entry::page_of;
use super::filters::{FILTERS, Filters};
use crate::dashboard::days::by_day;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::who::Whos;
use crate::dashboard::words::audit as words;

const SHOWN: usize = 50;
const NAME_CHARS_MAX: usize = 80;

#[derive(Template)]
#[template(path = "dashboard/pages/access/audit/list.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    here: String,
    filters: Filters,
    entries: Vec<AuditEntry>,
    whos: Whos,
    /// The names of the records, by id.
    names: HashMap<Uuid, String>,
    incomplete: bool,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let filters = Filters::of(&member).await?;
    let part = member.part("audit", SHOWN, &FILTERS);
    let (filter, business) = (&filters.filter, &member.business);
    let found = part.read(|request| async move { business.audit_of(filter.clone(), &request).await }).await?;
    let actors: Vec<_> = found.items.iter().map(|entry| entry.actor).collect();
    page(&Page {
        sheet: member.sheet("settings/audit"),
        here: member.path_to("settings/audit"),
        whos: member.whos(actors).await?,
        names: member.record_names(&found.items).await?,
        entries: found.items,
        incomplete: found.is_incomplete,
        pages: part.pages(found.next.as_deref()),
        filters,
    })
}

impl Page<'_> {
    fn days(&self) -> Vec<(NaiveDate, &[AuditEntry])> {
        by_day(&self.entries, |entry| self.sheet.member.day(entry.at))
    }

    fn day(&self, day: NaiveDate) -> String {
        capitalised(&self.sheet.member.words.date(day))
    }

    /// The actor's name. A person who declined is not a member, so the entry shows no name.
    fn who(&self, entry: &AuditEntry) -> String {
        match entry.action {
            AuditAction::PersonDeclined => self.sheet.member.t("who-nameless"),
            _ => self.whos.of(entry.actor).to_owned(),
        }
    }

    fn did(&self, entry: &AuditEntry) -> &'static str {
        words::action(self.sheet.member.words.locale, entry.action)
    }

    fn kind(&self, entry: &AuditEntry) -> String {
        capitalised(words::kind(self.sheet.member.words.locale, entry.resource_type))
    }

    fn path(&self, entry: &AuditEntry) -> Option<String> {
        page_of(self.sheet.member, entry)
    }

    fn name(&self, entry: &AuditEntry) -> Option<String> {
        self.names.get(&entry.resource_id).map(|name| plain(name, NAME_CHARS_MAX))
    }

    fn changes<'b>(&self, entry: &'b AuditEntry) -> Vec<&'b FieldChange> {
        entry.changes.iter().filter(|change| change.field != "updated_at").collect()
    }
}
