//! The API keys of a business, in the order of creation.

use chrono::TimeDelta;
use domain::{Right, Timestamp};
use view::{KeyCreatorView, OperatorKeyView};

use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
/// An unused key is highlighted after this time.
const IDLE: TimeDelta = TimeDelta::days(30);

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/list.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    keys: Vec<OperatorKeyView>,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let part = member.part("keys", SHOWN, &[]);
    let found = member.business.keys(&part.request).await?;
    page(&Page {
        sheet: member.sheet("settings/keys"),
        done: member.done(&[("revoked", "keys-revoked")]),
        keys: found.items,
        pages: part.pages(found.next.as_deref()),
    })
}

impl Page<'_> {
    /// The time since the last use, if the key is highlighted for it.
    fn idle(&self, used_at: Timestamp) -> Option<String> {
        let unused = self.sheet.member.business.now() - used_at;
        (unused >= IDLE).then(|| self.sheet.member.count("keys-idle", unused.num_days().unsigned_abs()))
    }

    fn creator(&self, by: &KeyCreatorView) -> String {
        match (by.id, &by.name) {
            (None, _) => self.sheet.member.t("who-operator"),
            (Some(_), None) => self.sheet.member.t("who-gone"),
            (Some(_), Some(name)) if name.trim().is_empty() => self.sheet.member.t("who-nameless"),
            (Some(_), Some(name)) => name.clone(),
        }
    }
}
