//! Retention periods, the export of the business, and information about erasure.
//!
//! Invariants:
//! - If a shorter period would delete data, a page asks for confirmation before the period takes effect.
//! - Only an owner may shorten the retention period of the audit log.

use axum::body::Body;
use axum::http::{HeaderValue, Method, header};
use axum::response::IntoResponse;
use chrono::TimeDelta;
use domain::{Actor, Right};
use engine::business::commands::erasure::PatchRetention;
use view::RetentionView;

use super::parts::{Done, how_many_days, line, numbers, versions};
use crate::admin::retention::RetentionPatch;
use crate::dashboard::pages::prelude::*;
use crate::http::body::JSON_LINES;
use crate::moving::stream;

/// The retention periods that the page offers, in days. `USUAL_OF_LOG` is for the audit log, `USUAL` for other records.
const USUAL: [u32; 8] = [30, 90, 180, 365, 730, 1_095, 1_825, 3_650];
const USUAL_OF_LOG: [u32; 7] = [90, 180, 365, 730, 1_095, 1_825, 3_650];
const KEPT: [(&str, &str); 4] = [
    ("calls_days", "calls"),
    ("messages_days", "messages"),
    ("appointments_days", "data-appointments"),
    (LOG, "settings-audit"),
];
const LOG: &str = "audit_days";

#[derive(Template)]
#[template(path = "dashboard/pages/settings/data.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    filled: Filled,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    fields: Vec<Field>,
    /// The retention period of the audit log, for a member who is not allowed to change it.
    log: String,
}

#[derive(Template)]
#[template(path = "dashboard/pages/settings/shorter.html", config = "src/askama.toml")]
struct Shorter<'a> {
    sheet: Sheet<'a>,
    goes: Vec<String>,
    fields: Vec<(String, String)>,
}

fn values(kept: &RetentionView) -> Form {
    let days = [kept.calls_days, kept.messages_days, kept.appointments_days, kept.audit_days];
    let text = |days: Option<u32>| days.map(|days| days.to_string()).unwrap_or_default();
    Form::of(std::iter::zip(KEPT, days).map(|((name, _), days)| (name, text(days))))
}

fn how_long(view: &View, days: &str) -> String {
    match days.trim().parse() {
        Ok(days) => how_many_days(view, days),
        Err(_) if days.trim().is_empty() => view.t("data-for-ever"),
        Err(_) => days.to_owned(),
    }
}

fn lines(view: &View, form: &Form) -> Vec<Line> {
    KEPT.iter().map(|(name, label)| line(view, label, &how_long(view, form.get(name)))).collect()
}

fn theirs(member: &Member) -> impl Iterator<Item = (&'static str, &'static str)> {
    let log = member.may(Right::Ownership);
    KEPT.into_iter().filter(move |(name, _)| log || *name != LOG)
}

pub(crate) async fn show(member: Member) -> Answered {
    let kept = member.business.retention().await?;
    let filled = member.filled(&member.path_to("settings/data"), || values(&kept));
    shown(&member, &kept, filled, Done::said(&member)).await
}

async fn shown(member: &Member, kept: &RetentionView, mut filled: Filled, done: Done) -> Answered {
    let (view, now) = (&member.view, values(kept));
    let field = |(name, label): (&str, &str)| {
        let usual = if name == LOG { &USUAL_OF_LOG[..] } else { &USUAL[..] };
        let for_ever = Some(view.t("data-for-ever"));
        let options = numbers(usual, filled.get(name), for_ever, |days| how_many_days(view, days));
        let label = if name == LOG { "data-log" } else { label };
        filled.field(view, Field::select(name, view.t(label), options))
    };
    let fields = theirs(member).map(field).collect();
    let shown = Page {
        sheet: member.sheet("settings/data"),
        done,
        tag: filled.tag(kept),
        versions: versions(&filled, lines(view, filled.values()), lines(view, &now)),
        facts: lines(view, &now),
        fields,
        log: if member.may(Right::Ownership) { String::new() } else { how_long(view, now.get(LOG)) },
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let mut body = member.body();
    for (name, _) in theirs(&member).filter(|(name, _)| member.form.find(name).is_some()) {
        body = body.optional_number(name);
    }
    let (kept, read) = (member.business.retention().await?, body.read::<RetentionPatch>());
    let goes = goes(&member, &values(&kept));
    if read.is_ok() && !goes.is_empty() && member.form.find("sure").is_none() {
        return ask(&member, goes);
    }
    let done = async {
        member.change(PatchRetention::from(read?)).await?;
        Ok(member.path_to("settings/data?done=saved"))
    };
    member.answered(done.await, |filled| shown(&member, &kept, filled, Done::default())).await
}

/// Sentences about the data that the new, shorter periods delete.
fn goes(member: &Member, now: &Form) -> Vec<String> {
    let days = |form: &Form, name: &str| form.get(name).trim().parse().unwrap_or(u32::MAX);
    let shorter = theirs(member).filter(|(name, _)| days(&member.form, name) < days(now, name));
    let texts = shorter.filter_map(|(name, label)| {
        let kept = TimeDelta::days(days(&member.form, name).into());
        let before = member.business.now().utc().checked_sub_signed(kept)?.timestamp_millis();
        let before = member.full_date(member.day(domain::Timestamp::from_millis(before)));
        Some(member.says("data-goes", &[("what", member.t(label)), ("before", before)]))
    });
    texts.collect()
}

fn ask(member: &Member, goes: Vec<String>) -> Answered {
    let names = theirs(member).map(|(name, _)| name).chain(["tag"]);
    let shown = Shorter {
        sheet: member.sheet_below("settings/data"),
        goes,
        fields: names.map(|name| (name.into(), member.form.get(name).into())).collect(),
    };
    page(&shown)
}

/// The export of the business, in the format of the operator API, without webhook endpoints.
pub(crate) async fn export(member: Member) -> Answered {
    let id = member.business.id();
    let name = format!("attachment; filename=\"business-{}.jsonl\"", member.today());
    let name = HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment"));
    let heads =
        [(header::CONTENT_TYPE, HeaderValue::from_static(JSON_LINES)), (header::CONTENT_DISPOSITION, name)];
    if member.head.method == Method::HEAD {
        // A HEAD request starts no export.
        return Ok((heads, Body::empty()).into_response());
    }
    let person = member.signed_in.person.id;
    member.desk.limits.exports.count(person, member.desk.engine.now()).map_err(Refused::too_many)?;
    let by = Actor::Person(person);
    let export = member.desk.engine.export(by, Some(id), false)?;
    tracing::info!(business.id = %id, "an export begins");
    Ok((heads, Body::from_stream(stream(export, member.desk.engine.now()))).into_response())
}
