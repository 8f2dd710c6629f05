//! The API keys of a business, in the order of creation.

use chrono::TimeDelta;
use domain::{Right, Timestamp};
use view::{KeyCreatorView, OperatorKeyView};

use super::super::when::When;
use super::scopes::scopes;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
/// An unused key is highlighted after this time.
const IDLE: TimeDelta = TimeDelta::days(30);

#[derive(Template)]
#[template(path = "dashboard/pages/access/keys/list.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    done: String,
    base: String,
    may_change: bool,
    keys: Vec<Row>,
    pages: Pages,
}

struct Row {
    id: String,
    name: String,
    prefix: String,
    may: String,
    created: When,
    by: String,
    used: Used,
}

/// The last use of a key, as the list shows it.
enum Used {
    Revoked(When),
    Never,
    Idle(String),
    Lately(When),
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, now) = (member.view(), member.desk.engine.now());
    let part = member.part("keys", SHOWN, &[]);
    let found = member.business.keys(&part.request).await?;
    let shown = Page {
        sheet: member.sheet("settings/keys"),
        done: member.done(&[("revoked", "keys-revoked")]),
        base: member.path_to("settings/keys"),
        may_change: member.may(Right::Integrations),
        keys: found.items.into_iter().map(|key| row(&view, &member, key, now)).collect(),
        pages: part.pages(found.next.as_deref()),
    };
    page(&shown)
}

fn row(view: &View, member: &Member, key: OperatorKeyView, now: Timestamp) -> Row {
    let zone = member.profile.zone;
    let used = match (key.revoked_at, key.last_used_at) {
        (Some(at), _) => Used::Revoked(When::day(view, at, zone)),
        (None, None) => Used::Never,
        (None, Some(at)) if now - at >= IDLE => {
            Used::Idle(view.count("keys-idle", (now - at).num_days().unsigned_abs()))
        }
        (None, Some(at)) => Used::Lately(When::ago(view, at, now, zone)),
    };
    Row {
        id: key.key.id.to_string(),
        name: key.key.name,
        prefix: key.key.prefix,
        may: scopes(view, &key.key.scopes),
        created: When::day(view, key.key.created_at, zone),
        by: creator(view, key.created_by),
        used,
    }
}

fn creator(view: &View, by: KeyCreatorView) -> String {
    match (by.id, by.name) {
        (None, _) => view.t("who-operator"),
        (Some(_), None) => view.t("who-gone"),
        (Some(_), Some(name)) if name.trim().is_empty() => view.t("who-nameless"),
        (Some(_), Some(name)) => name,
    }
}

impl Row {
    fn is_revoked(&self) -> bool {
        matches!(self.used, Used::Revoked(_))
    }
}
