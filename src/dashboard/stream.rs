//! `B/stream`: what changes in a business, as server-sent events (HTML living standard §9.2), for the pages that are open.
//!
//! An event carries a kind and an id and nothing of the record: a page fetches the part that shows it from its own
//! address. What always holds: whether the person may hear of it is asked anew for each event; a stream ends with the
//! session, with the membership and with the service; many changes at once are told together, so that a busy business
//! does not keep its pages fetching. What changes between the reading of a page and the opening of its stream is told as
//! well: the page's `?as_of=` says how far what it shows had come. The first event is `hello`, by which a page knows that
//! nothing on the way holds events back.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use domain::{Access, Right, Role};
use engine::{LiveChange, LiveEvent, LiveSubscription};
use futures_util::stream::{StreamExt, once, unfold};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::asked::Member;
use super::refused::Refused;
use super::route::Answered;

/// Between two tellings passes so long at least.
const PAUSE: Duration = Duration::from_secs(1);
/// Behind so much silence a comment is sent, so that whatever is in between keeps the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// How many records are told one by one; of more it is said that anything may have changed.
const TOLD_MAX: usize = 32;

/// What one has to be allowed to see to hear of this kind of thing; what is not known is nobody's.
fn right(kind: &str) -> Option<Right> {
    Some(match kind {
        "appointment" | "contact" | "message" | "call" => Right::Day,
        "alert" => Right::Own,
        "business" | "service" | "staff" | "time_off" | "knowledge" => Right::Settings,
        "api_key" | "webhook" | "delivery" | "mail" => Right::Integrations,
        "person" => Right::People,
        "retention" => Right::Data,
        _ => return None,
    })
}

/// The stream.
pub(super) async fn show(member: Member) -> Answered {
    let watching = member.business.watch();
    // Behind the beginning of that: what changes from here on is heard.
    let now = member.desk.as_of(&member.business);
    let unheard =
        Unheard { more: member.query.find("as_of").is_some_and(|as_of| as_of != now), ..Unheard::default() };
    let stopping = member.desk.stopping.clone();
    let listens = Listens { watching, stopping, member, unheard, next: Instant::now() };
    let events = unfold(listens, |mut listens| async move {
        let told = listens.told().await.ok().flatten()?;
        Some((Ok::<_, Infallible>(told), listens))
    });
    let hello = once(ready(Ok(Event::default().event("hello").data("{}"))));
    let mut response =
        Sse::new(hello.chain(events)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would keep the events back until it has a buffer full of them.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

struct Listens {
    member: Member,
    watching: LiveSubscription,
    stopping: watch::Receiver<bool>,
    unheard: Unheard,
    /// When the next telling may be.
    next: Instant,
}

/// What has happened and is not told yet.
#[derive(Debug, Default, PartialEq, Eq)]
struct Unheard {
    /// Each once, however often it has changed.
    changed: BTreeSet<(&'static str, Uuid)>,
    /// Whether there is more than is kept.
    more: bool,
}

impl Unheard {
    fn add(&mut self, happened: LiveChange) {
        if self.changed.len() < TOLD_MAX {
            self.changed.insert((happened.kind, happened.id));
        } else {
            self.more |= !self.changed.contains(&(happened.kind, happened.id));
        }
    }

    fn is_empty(&self) -> bool {
        self.changed.is_empty() && !self.more
    }

    /// The data of the next event about what this role may see, if there is any.
    fn take(&mut self, role: Role) -> Option<serde_json::Value> {
        if std::mem::take(&mut self.more) {
            self.changed.clear();
            return Some(json!({}));
        }
        while let Some((kind, id)) = self.changed.pop_first() {
            if right(kind).is_some_and(|right| role.access(right) != Access::Hidden) {
                return Some(json!({ "kind": kind, "id": id }));
            }
        }
        None
    }
}

impl Listens {
    /// The data with the id of a membership where it has that of a person, which tells since when there is an account; no
    /// id for a person who is not of the business any more.
    async fn without_person_ids(&self, mut data: serde_json::Value) -> Result<serde_json::Value, Refused> {
        if data["kind"] == "person" {
            let everybody = self.member.everybody().await?;
            let found = everybody.iter().find(|person| data["id"] == person.id.to_string());
            data["id"] = json!(found.map(|person| person.membership_id));
        }
        Ok(data)
    }

    /// Waits for the next event; nothing when the stream has ended.
    async fn told(&mut self) -> Result<Option<Event>, Refused> {
        loop {
            if !self.unheard.is_empty() {
                let Some(role) = self.role().await? else { return Ok(None) };
                let told = self.unheard.take(role);
                if self.unheard.is_empty() {
                    self.next = Instant::now() + PAUSE;
                }
                if let Some(data) = told {
                    let data = self.without_person_ids(data).await?;
                    return Ok(Some(Event::default().data(data.to_string())));
                }
            }
            if !self.hear().await {
                return Ok(None);
            }
        }
    }

    /// Hears what happens, until something has and the pause is over; false when there is nothing more to hear. During
    /// the pause nobody is woken: what happens meanwhile is looked at behind it.
    async fn hear(&mut self) -> bool {
        while self.unheard.is_empty() {
            let heard = tokio::select! {
                _ = self.stopping.wait_for(|stopping| *stopping) => return false,
                heard = self.watching.next() => heard,
            };
            let Some(heard) = heard else { return false };
            self.note(heard);
        }
        tokio::select! {
            _ = self.stopping.wait_for(|stopping| *stopping) => return false,
            () = sleep_until(self.next) => {}
        }
        while let Some(heard) = self.watching.heard() {
            self.note(heard);
        }
        true
    }

    fn note(&mut self, heard: LiveEvent) {
        let me = self.member.signed_in.person.id;
        match heard {
            LiveEvent::Missed => self.unheard.more = true,
            LiveEvent::Changed(happened) if happened.person.is_none_or(|person| person == me) => {
                self.unheard.add(happened);
            }
            LiveEvent::Changed(_) => {}
        }
    }

    /// What the person is in the business by now; nothing where the session or the membership has ended.
    async fn role(&self) -> Result<Option<Role>, Refused> {
        let Some((_, signed_in)) = self.member.signed_in().await? else { return Ok(None) };
        let belongs = self.member.people().belongs(signed_in.person.id).await?;
        let here = belongs.iter().find(|one| one.business_id == self.member.business.id());
        Ok(here.filter(|one| one.membership.is_active()).map(|one| one.membership.role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn happened(kind: &'static str, id: u128) -> LiveChange {
        LiveChange { kind, id: Uuid::from_u128(id), person: None }
    }

    #[test]
    fn what_changes_often_is_told_once_and_much_as_one() {
        let mut unheard = Unheard::default();
        for _ in 0..3 {
            unheard.add(happened("appointment", 1));
        }
        assert!(unheard.take(Role::Member).is_some());
        assert_eq!((unheard.take(Role::Member), unheard.is_empty()), (None, true));
        (0..=TOLD_MAX as u128).for_each(|id| unheard.add(happened("call", id)));
        assert_eq!(unheard.take(Role::Member), Some(json!({})));
        assert!(unheard.is_empty());
    }

    #[test]
    fn members_hear_nothing_of_keys_and_webhooks_and_nobody_of_what_is_not_known() {
        for kind in ["api_key", "webhook", "delivery", "mail", "person", "unknown"] {
            let mut unheard = Unheard::default();
            unheard.add(happened(kind, 1));
            assert_eq!(unheard.take(Role::Member), None, "{kind}");
        }
        let mut unheard = Unheard::default();
        unheard.add(happened("api_key", 1));
        assert!(unheard.take(Role::Admin).is_some());
    }
}
