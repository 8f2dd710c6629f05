//! Open pages receive the changes to a business as a stream of server-sent events (HTML living standard
//! §9.2).
//!
//! An event contains at most the kind and the id of a changed record. When the event arrives, the page fetches its
//! changed part.
//! When the first event, `hello`, arrives, the page knows that no proxy delays events.
//!
//! Invariants:
//! - The stream checks the person's access again for each event.
//! - The stream ends when the session or the membership ends, or when the service stops.
//! - Several changes to a record within one second cause only one event. So a busy business does not cause constant
//!   fetches.
//! - The page sends the change marker of its rendering as `?as_of=`. If the business has changed between the rendering
//!   and the start of the stream, the first event after `hello` says that any record may have changed.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use domain::{Access, AuditedKind, ResourceId, Right, Role};
use engine::{LiveChange, LiveEvent, LiveKind, LiveSubscription};
use futures_util::stream::{StreamExt, once, unfold};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::input::Member;
use super::refused::Refused;
use super::route::Answered;

const PAUSE: Duration = Duration::from_secs(1);
/// After this time without an event the stream sends a comment, so that proxies keep the connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// The maximum number of changed records for which the page gets one event each. If more records have changed, a single
/// event says that any record may have changed.
const EVENTS_MAX: usize = 32;

/// The right that a person needs for events of this kind. `None` means that no page gets events of this kind.
fn right(kind: LiveKind) -> Option<Right> {
    match kind {
        LiveKind::Alert => Some(Right::Own),
        LiveKind::Delivery => Some(Right::Integrations),
        LiveKind::Of(kind) => kind.right(),
    }
}

pub(super) async fn show(member: Member) -> Answered {
    let watching = member.business.watch();
    // The stream subscribes to changes before it reads the change marker. In the opposite order, it would miss a change
    // between the two steps.
    let now = member.desk.as_of(&member.business);
    let unheard =
        Unheard { more: member.query.find("as_of").is_some_and(|as_of| as_of != now), ..Unheard::default() };
    let stopping = member.desk.stopping.clone();
    let listens = Listens { watching, stopping, member, unheard, next: Instant::now() };
    let events = unfold(listens, |mut listens| async move {
        let event = listens.next_event().await.ok().flatten()?;
        Some((Ok::<_, Infallible>(event), listens))
    });
    let hello = once(ready(Ok(Event::default().event("hello").data("{}"))));
    let mut response =
        Sse::new(hello.chain(events)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Without this header, nginx would buffer the events.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

struct Listens {
    member: Member,
    watching: LiveSubscription,
    stopping: watch::Receiver<bool>,
    unheard: Unheard,
    next: Instant,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Unheard {
    changed: BTreeSet<(LiveKind, Uuid)>,
    more: bool,
}

/// An event of the stream.
#[derive(Debug, PartialEq, Eq)]
enum StreamEvent {
    One(LiveKind, Uuid),
    /// Any record may have changed.
    All,
}

impl Unheard {
    fn add(&mut self, happened: LiveChange) {
        if self.changed.len() < EVENTS_MAX {
            self.changed.insert((happened.kind, happened.id));
        } else {
            self.more |= !self.changed.contains(&(happened.kind, happened.id));
        }
    }

    fn is_empty(&self) -> bool {
        self.changed.is_empty() && !self.more
    }

    fn take(&mut self, role: Role) -> Option<StreamEvent> {
        if std::mem::take(&mut self.more) {
            self.changed.clear();
            return Some(StreamEvent::All);
        }
        while let Some((kind, id)) = self.changed.pop_first() {
            if right(kind).is_some_and(|right| role.access(right) != Access::Hidden) {
                return Some(StreamEvent::One(kind, id));
            }
        }
        None
    }
}

impl Listens {
    /// The data of an event. The id of a person is replaced by the id of the membership, since a person's id
    /// contains the creation time of the account. A person who is no longer a member has no id in the event.
    async fn data(&self, event: StreamEvent) -> Result<serde_json::Value, Refused> {
        let StreamEvent::One(kind, id) = event else { return Ok(json!({})) };
        let id = if kind == LiveKind::Of(AuditedKind::Person) {
            let everybody = self.member.everybody().await?;
            let found = everybody.iter().find(|person| person.id.uuid() == id);
            found.map(|person| person.membership_id.uuid())
        } else {
            Some(id)
        };
        Ok(json!({ "kind": kind.as_str(), "id": id }))
    }

    /// Waits for the next event. Returns `None` at the end of the stream.
    async fn next_event(&mut self) -> Result<Option<Event>, Refused> {
        loop {
            if !self.unheard.is_empty() {
                let Some(role) = self.role().await? else { return Ok(None) };
                let changes = self.unheard.take(role);
                if self.unheard.is_empty() {
                    self.next = Instant::now() + PAUSE;
                }
                if let Some(event) = changes {
                    let data = self.data(event).await?;
                    return Ok(Some(Event::default().data(data.to_string())));
                }
            }
            if !self.hear().await {
                return Ok(None);
            }
        }
    }

    /// Waits until there is a change, and until the pause after the previous event is over. Then also collects the
    /// other changes that have arrived. They are collected only at the end of the pause, so that the task does not wake
    /// for each change. Returns false when the stream ends.
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

    /// The person's current role, or `None` if the session or the membership has ended.
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

    fn happened(kind: AuditedKind, id: u128) -> LiveChange {
        LiveChange { kind: LiveKind::Of(kind), id: Uuid::from_u128(id), person: None }
    }

    #[test]
    fn repeated_changes_are_reported_once_and_many_as_one_event() {
        let mut unheard = Unheard::default();
        for _ in 0..3 {
            unheard.add(happened(AuditedKind::Appointment, 1));
        }
        assert!(unheard.take(Role::Member).is_some());
        assert_eq!((unheard.take(Role::Member), unheard.is_empty()), (None, true));
        (0..=EVENTS_MAX as u128).for_each(|id| unheard.add(happened(AuditedKind::Call, id)));
        assert_eq!(unheard.take(Role::Member), Some(StreamEvent::All));
        assert!(unheard.is_empty());
    }

    #[test]
    fn members_get_no_changes_of_keys_webhooks_and_hidden_kinds() {
        use AuditedKind as K;
        let hidden = [K::ApiKey, K::Webhook, K::Mail, K::Person, K::Backup].map(LiveKind::Of);
        for kind in hidden.into_iter().chain([LiveKind::Delivery]) {
            let mut unheard = Unheard::default();
            unheard.add(LiveChange { kind, id: Uuid::from_u128(1), person: None });
            assert_eq!(unheard.take(Role::Member), None, "{kind:?}");
        }
        let mut unheard = Unheard::default();
        unheard.add(happened(AuditedKind::ApiKey, 1));
        assert!(unheard.take(Role::Admin).is_some());
    }
}
