//! The model of one business. It replays the audit log in order on plain values.
//!
//! The audit log contains the changes in order, with their actors. The ledger contains the requests and responses of
//! the changes. The replay yields the expected records, the expected events, and the endpoints that should get each
//! event.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use domain::{
    Actor, AuditAction, AuditEntry, AuditId, BusinessId, EventId, KeyId, ResourceId, Timestamp, WebhookId,
};
use engine::business::commands::customers::MoveByLink;
use serde_json::{Value, json};
use store::Tombstone;
use uuid::Uuid;

use crate::documented;
use crate::hooks::{Hook, Owed};
use crate::ledger::{self, Came, Entry, Ledger};
use crate::ops::Op;
use crate::rows::Rows;

/// The maximum difference between two consecutive timestamps if the clock does not advance. Usually the timestamps are
/// equal. Each read of a list ordered by `updated_at`, and each start of the engine, may increase the difference by one
/// millisecond.
const STAMP_STEPS_MAX: TimeDelta = TimeDelta::seconds(1);

/// The times of one run of the engine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// The start of the run, in simulated time.
    pub(crate) began: i64,
    pub(crate) ended: i64,
    /// The time at which the engine stopped working, either because its store failed or because the run ended.
    pub(crate) worked: i64,
    /// The time that the service used at the start of the run, in milliseconds. The clock that decides when
    /// deliveries are due runs evenly from this time on, even if the wall clock jumps.
    pub(crate) wall: i64,
    /// True if the wall clock jumped, if the wall clock was earlier than the stored time when the run began, or if the
    /// machine was suspended. The wall clock may then differ from the clock that decides when deliveries are due, and
    /// an attempt may have ended long after its start.
    pub(crate) jumped: bool,
    /// The time for which the machine was suspended. Deliveries that became due during this time had to wait
    /// for the next timer.
    pub(crate) suspended: i64,
    /// The time until which an outage of the service's network may have delayed deliveries.
    pub(crate) held_until: i64,
    /// Whether this seed has so few attempt permits that endpoints wait for each other.
    pub(crate) few_permits: bool,
}

/// The expected records and deliveries of a business.
pub(crate) struct Model {
    pub(crate) id: BusinessId,
    /// The newest timestamp of a change. The next timestamp may be later than the clock; see [`STAMP_STEPS_MAX`].
    newest_stamp: Timestamp,
    /// The newest entry of the audit log that was replayed. `count` is the number of entries that were replayed.
    replayed: Option<AuditId>,
    count: usize,
    /// The requests that have entries in the audit log.
    pub(crate) carried_out: BTreeSet<KeyId>,
    /// Each resource as the last response shows it.
    pub(crate) newest: BTreeMap<Uuid, Value>,
    /// All times at which each resource changed.
    pub(crate) stamps: BTreeSet<(Uuid, String)>,
    /// For each appointment, whether there was an event about its booking, and whether it was moved after its last
    /// confirmation.
    pub(crate) announced: BTreeMap<Uuid, (bool, bool)>,
    /// The number of contacts. `contacts_max` is the limit of the budget, if there is one.
    pub(crate) contacts: u64,
    pub(crate) contacts_max: Option<u64>,
    pub(crate) phones: BTreeMap<String, Uuid>,
    pub(crate) emails: BTreeMap<String, Uuid>,
    /// The buffers with which each appointment was booked, in minutes.
    pub(crate) buffers: BTreeMap<Uuid, (i64, i64)>,
    /// The number of times that each appointment was moved through a manage link.
    pub(crate) moves: BTreeMap<Uuid, u8>,
    /// The settings of the booking page that differ from their defaults.
    pub(crate) website: Value,
    /// Each special day as the last response shows it, by date.
    pub(crate) special: BTreeMap<String, Value>,
    pub(crate) hooks: BTreeMap<WebhookId, Hook>,
    pub(crate) revoked: BTreeSet<Tombstone>,
    /// The deliveries that the endpoints should get, by endpoint and event.
    pub(crate) owed: BTreeMap<(WebhookId, EventId), Owed>,
    /// The bytes of each event. They must be the same in every attempt of every run.
    events: BTreeMap<EventId, Vec<u8>>,
    /// For each delivery, the wall clock time of its last attempt, as of the end of the previous run.
    pub(crate) attempted: BTreeMap<(WebhookId, EventId), Option<Timestamp>>,
    /// For each endpoint, the times at which clients asked to send missed or failed events again.
    resends: BTreeMap<WebhookId, Vec<i64>>,
    /// The periods in which the business was suspended, in simulated time. A period ends when the request to resume the
    /// business is sent.
    pub(crate) suspended: Vec<(i64, i64)>,
}

/// The expected effects of a change.
#[derive(Default)]
pub(crate) struct Effects {
    /// The action and the resource of each entry that the change adds to the audit log.
    pub(crate) noted: Vec<(&'static str, Uuid)>,
    /// The events that the change causes, by type, with the resource that they contain.
    pub(crate) events: BTreeMap<&'static str, Value>,
}

impl Model {
    pub(crate) fn new(id: BusinessId) -> Self {
        Self {
            id,
            newest_stamp: Timestamp::MIN,
            replayed: None,
            count: 0,
            carried_out: BTreeSet::new(),
            newest: BTreeMap::new(),
            events: BTreeMap::new(),
            stamps: BTreeSet::new(),
            announced: BTreeMap::new(),
            contacts: 0,
            contacts_max: None,
            phones: BTreeMap::new(),
            emails: BTreeMap::new(),
            buffers: BTreeMap::new(),
            moves: BTreeMap::new(),
            website: json!({}),
            special: BTreeMap::new(),
            hooks: BTreeMap::new(),
            revoked: BTreeSet::new(),
            owed: BTreeMap::new(),
            attempted: BTreeMap::new(),
            resends: BTreeMap::new(),
            suspended: Vec::new(),
        }
    }

    /// Records a request to send missed or failed events again.
    pub(crate) fn note_resend(&mut self, endpoint: WebhookId, asked: i64) {
        self.resends.entry(endpoint).or_default().push(asked);
    }

    /// Records an acknowledged suspension.
    pub(crate) fn note_suspended(&mut self, since: i64) {
        // The business may be resumed and suspended again in the same millisecond, and a delivery may be sent between
        // the two changes. The model must allow this delivery, so it records the new suspension as beginning at least
        // one millisecond after the end of the previous one.
        let since = self.suspended.last().map_or(since, |(_, until)| since.max(until + 1));
        self.suspended.push((since, i64::MAX));
    }

    /// Records a request to resume the business.
    pub(crate) fn note_let_in(&mut self, asked: i64) {
        if let Some((_, until)) = self.suspended.last_mut() {
            *until = asked.min(*until);
        }
    }

    /// Returns the time for which the business was suspended between two instants.
    pub(crate) fn suspended_for(&self, from: i64, until: i64) -> i64 {
        let within = |(since, to): &(i64, i64)| (until.min(*to) - from.max(*since)).max(0);
        self.suspended.iter().map(within).sum()
    }

    /// Passes the recorded requests for resends to the models of the endpoints.
    fn hand_resends(&mut self) {
        for (endpoint, hook) in &mut self.hooks {
            if let Some(resends) = self.resends.get(endpoint) {
                hook.resends.clone_from(resends);
            }
        }
    }

    /// Replays the changes made in a run, and checks all records.
    pub(crate) fn replay(&mut self, rows: &Rows, requests: &Ledger, span: Span) {
        assert!(rows.audit.len() >= self.count, "entries of the audit log are missing");
        let newest = self.count.checked_sub(1).map(|at| rows.audit[at].id);
        assert_eq!(newest, self.replayed, "entries of the audit log are missing");
        self.hand_resends();
        let news = &rows.audit[self.count..];
        let is_one = |a: &AuditEntry, b: &AuditEntry| match a.actor {
            Actor::ApiKey(_) => a.actor == b.actor,
            // A booking that also creates its contact has two entries.
            Actor::Customer => a.action == AuditAction::ContactCreated,
            _ => false,
        };
        for group in news.chunk_by(is_one) {
            let effects = match group[0].actor {
                Actor::ApiKey(by) => {
                    let entry = requests
                        .by(by)
                        .unwrap_or_else(|| panic!("no request caused this entry: {:?}", group[0]));
                    self.replay_request(rows, &entry, group, span)
                }
                Actor::Operator => self.replay_operator(&group[0]),
                Actor::System => self.replay_turn_off(rows, &group[0], span),
                Actor::Person(id) => panic!("no person made requests, but {id} is the actor"),
                Actor::Receptionist(_) => panic!("no request begins a conversation: {:?}", group[0]),
                Actor::Customer => self.replay_customer(rows, requests, group, span),
            };
            self.check_effects(rows, group, &effects, span);
            assert!(
                group[0].at >= self.newest_stamp,
                "a timestamp is earlier than the one before: {:?}",
                group[0]
            );
            self.newest_stamp = group[0].at;
            for entry in group {
                self.stamps.insert((entry.resource_id, entry.at.to_string()));
            }
            self.replayed = group.last().map(|entry| entry.id);
            self.count += group.len();
        }
        self.hand_resends();
        self.check_newest(rows);
        for (id, bytes) in &rows.events {
            let first = self.events.entry(*id).or_insert_with(|| bytes.clone());
            assert_eq!(first, bytes, "the event {id} has other bytes than before");
        }
    }

    fn replay_request(&mut self, rows: &Rows, entry: &Entry, group: &[AuditEntry], span: Span) -> Effects {
        let tried = &entry.tried;
        let name = format!("#{} {}", tried.number, tried.op.name());
        let body = entry.body().or_else(|| rows.remembered.get(&tried.key).map(|body| ledger::json(body)));
        let mut body = body.unwrap_or_else(|| panic!("{name} was carried out only in part: {group:?}"));
        if let Op::AddKnowledge(add) = &tried.op {
            body["content"] = add.details.content.as_str().into(); // the stored response does not contain the content
        }
        self.replay_with(entry, &body, group, span)
    }

    /// Replays a request. `body` is the state of the resource after it.
    pub(crate) fn replay_with(
        &mut self,
        entry: &Entry,
        body: &Value,
        group: &[AuditEntry],
        span: Span,
    ) -> Effects {
        let tried = &entry.tried;
        let name = format!("#{} {}", tried.number, tried.op.name());
        assert!(entry.came != Came::Refused, "{name} was refused, but has audit entries: {group:?}");
        assert!(self.carried_out.insert(tried.by), "{name} was carried out twice: {group:?}");
        self.check_stamp(entry, group[0].at, &name);
        self.check_terms(tried, &name);
        let window = (entry.asked, entry.answered.unwrap_or(span.ended));
        let effects = self.apply(&tried.op, body, group, window);
        let noted: Vec<_> = group.iter().map(|entry| (entry.action.as_str(), entry.resource_id)).collect();
        assert_eq!(noted, effects.noted, "{name} has unexpected audit entries: {body}");
        // Integrations do not see changes of the kinds below, except some of the changes to messages. A change that
        // they do not see leaves `updated_at` unchanged, and `apply` checks this.
        let is_seen = !matches!(
            tried.op,
            Op::NoteContact(_) | Op::PatchAppointment(_) | Op::MarkCall(_) | Op::PatchMessage(_)
        );
        if let Some(updated_at) = body["updated_at"].as_str().filter(|_| is_seen) {
            assert_eq!(
                updated_at,
                group[0].at.to_string(),
                "{name} has another timestamp than its audit entry"
            );
        }
        effects
    }

    /// Checks the timestamp of a change. The timestamp must be the time that the service used, or the previous
    /// timestamp if that is later.
    fn check_stamp(&self, entry: &Entry, at: Timestamp, name: &str) {
        let (from, to) = entry.believed;
        assert!(at >= from, "{name} has the timestamp {at}, which is earlier than {from}");
        let told = entry.answered.is_some() && entry.times == 1;
        assert!(
            !told || at >= entry.listed,
            "{name} has the timestamp {at}, but a list had shown all changes until {}",
            entry.listed
        );
        let latest = to.max(self.newest_stamp + STAMP_STEPS_MAX);
        assert!(
            !told || at <= latest,
            "{name} has the timestamp {at}, which is later than {to} and {}",
            self.newest_stamp
        );
    }

    /// Replays a change that the operator made. The operator creates the business and sometimes suspends it.
    fn replay_operator(&mut self, entry: &AuditEntry) -> Effects {
        let id = self.id.uuid();
        match entry.action.as_str() {
            "business.created" => {
                self.newest.insert(id, json!({ "id": id, "booking_mode": "instant", "suspended": false }));
            }
            "business.updated" => {
                let business = self.newest.get_mut(&id).unwrap();
                for change in &entry.changes {
                    business[&change.field] = serde_json::from_str(&change.to).unwrap();
                }
                business["updated_at"] = entry.at.to_string().into();
            }
            "website.updated" => {
                for change in &entry.changes {
                    self.website[&change.field] = serde_json::from_str(&change.to).unwrap();
                }
            }
            other => panic!("the operator did not request {other}"),
        }
        Effects::default()
    }

    /// Checks that a group of entries has caused exactly the expected events. Each event must have a delivery for every
    /// subscribed endpoint.
    fn check_effects(&mut self, rows: &Rows, group: &[AuditEntry], effects: &Effects, span: Span) {
        let last = group[group.len() - 1].id;
        let from = self.replayed.map_or(Uuid::nil(), ResourceId::uuid);
        let written = rows.events.range(EventId::from(from)..EventId::from(last.uuid()));
        let mut expected = effects.events.clone();
        for (id, bytes) in written {
            let event: Value = serde_json::from_slice(bytes).unwrap();
            let kind = event["type"].as_str().unwrap();
            let data = expected.remove(kind);
            let data = data.unwrap_or_else(|| panic!("the event {event} has no cause: {group:?}"));
            check_agree(&event["data"], &data, "an event and the response");
            assert_eq!(event["id"], id.to_string());
            assert_eq!(event["business_id"], self.id.to_string());
            assert_eq!(event["created_at"], group[0].at.to_string());
            assert_eq!(event["api_version"], "v1");
            documented::check(&event);
            for (endpoint, hook) in self.hooks.iter().filter(|(_, hook)| hook.wants(kind)) {
                let owed = Owed { on: hook.is_on(), epoch: hook.epoch, since: span.began };
                self.owed.insert((*endpoint, *id), owed);
            }
        }
        for kind in expected.keys() {
            let wanted = self.hooks.values().any(|hook| hook.wants(kind));
            assert!(!wanted, "no event of the type {kind} exists, but endpoints should get it: {group:?}");
        }
    }

    /// Checks that every record equals the last response about it, and that no other record exists.
    fn check_newest(&self, rows: &Rows) {
        for (id, newest) in &self.newest {
            let shown = rows.shown.get(id);
            check_agree(
                shown.unwrap_or_else(|| panic!("{newest} is missing")),
                newest,
                "a record and its response",
            );
        }
        for (id, moves) in &self.moves {
            let counted = rows.links[&(*id).into()].moves;
            assert_eq!(counted, *moves, "{id} was moved through links a different number of times");
        }
        assert_eq!(rows.special, self.special, "the special days differ from the responses");
        for (id, shown) in &rows.shown {
            assert!(self.newest.contains_key(id), "no request created {shown}");
        }
    }

    /// Checks the other rows that every request leaves: the row of its idempotency key, and its audit entries.
    pub(crate) fn check_traces(&self, rows: &Rows, entries: &[Entry], kept_from: i64) {
        for entry in entries {
            let tried = &entry.tried;
            let name = format!("#{} {}", tried.number, tried.op.name());
            let (remembered, audited) =
                (rows.remembered.get(&tried.key), self.carried_out.contains(&tried.by));
            let kept = entry.count > kept_from;
            match &entry.came {
                Came::Done(body) => {
                    let kept = kept && tried.is_remembered();
                    assert!(!kept || remembered.is_some(), "{name} got a response that is not stored");
                    assert!(
                        remembered.is_none_or(|remembered| *remembered == tried.op.remembered(body)),
                        "{name} has another stored response"
                    );
                    let shown = ledger::json(body);
                    if let (Some(id), Some(at)) = (shown["id"].as_str(), shown["updated_at"].as_str()) {
                        let stamp = (id.parse().unwrap(), at.to_owned());
                        assert!(
                            self.stamps.contains(&stamp),
                            "{name} was acknowledged, but its change is missing: {shown}"
                        );
                    }
                    let creates = matches!(
                        tried.op,
                        Op::Book(_)
                            | Op::BookOnline(_)
                            | Op::CreateKey(_)
                            | Op::DeleteWebhook(_)
                            | Op::DeleteKnowledge(_)
                            | Op::RemoveService(_)
                            | Op::RemoveStaff(_)
                            | Op::DeleteSpecialDay(_)
                            | Op::AddTimeOff(_)
                            | Op::DeleteTimeOff(_)
                    );
                    let creates =
                        creates || (matches!(tried.op, Op::BookOnce(_)) && shown["already_booked"] == false);
                    let moves = |change: &MoveByLink| change.starts_at != change.expected_starts_at;
                    let creates =
                        creates || matches!(&tried.op, Op::MoveOnline(online) if moves(&online.change));
                    assert!(!creates || audited, "{name} was acknowledged, but has no audit entry");
                }
                Came::Refused => {
                    assert!(remembered.is_none() && !audited, "{name} was refused, but has left rows");
                }
                Came::Unknown => {
                    let kept = kept && tried.is_remembered();
                    assert!(remembered.is_some() || !audited || !kept, "{name} was carried out partly");
                }
            }
        }
    }
}

/// Checks that two views of a resource agree in all fields that both contain.
pub(crate) fn check_agree(one: &Value, other: &Value, what: &str) {
    let (one, other) = (one.as_object().unwrap(), other.as_object().unwrap());
    for (field, value) in one {
        if let Some(known) = other.get(field) {
            assert_eq!(value, known, "{what} differ in {field}: {one:?} and {other:?}");
        }
    }
}
