//! The model of one business: replays its audit log in order on plain values.
//!
//! The audit log gives the order of the changes and their actors, and the ledger their requests and
//! responses. The replay gives the expected records, the expected events, and the endpoints of each event.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use domain::{Actor, AuditEntry, AuditId, BusinessId, EventId, KeyId, ResourceId, Timestamp, WebhookId};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::documented;
use crate::hooks::{Hook, Owed};
use crate::ledger::{self, Came, Entry, Ledger};
use crate::ops::Op;
use crate::rows::Rows;

/// How far a list by change and the starts may have put a stamp behind the one before: a millisecond each.
const STAMP_STEPS_MAX: TimeDelta = TimeDelta::seconds(1);

/// One life of the engine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// When it began, in simulated time.
    pub(crate) began: i64,
    /// When it ended.
    pub(crate) ended: i64,
    /// Until when it worked: when its store failed, or it ended.
    pub(crate) worked: i64,
    /// What the service believed it to be when it began, in milliseconds: schedules run evenly from there.
    pub(crate) wall: i64,
    /// Whether the wall clock jumped meanwhile, or was not believed at the start, or the machine was suspended: the wall
    /// clock and the schedules may differ, and an attempt may have ended long after it began.
    pub(crate) jumped: bool,
    /// For how long the machine was suspended meanwhile, and what became due in that time waited for a timer to look.
    pub(crate) suspended: i64,
    /// Until when an outage of ours may have held deliveries back.
    pub(crate) held_until: i64,
    /// Whether there were so few places for attempts that endpoints waited for each other's.
    pub(crate) few_places: bool,
}

/// What a business must be.
pub(crate) struct Model {
    pub(crate) id: BusinessId,
    /// The newest stamp; a list by change, or a start, puts the next one at most a little behind it.
    newest_stamp: Timestamp,
    /// The newest entry of the audit log that was replayed, and how many there were.
    replayed: Option<AuditId>,
    count: usize,
    /// The requests that have left entries.
    carried_out: BTreeSet<KeyId>,
    /// Each resource as it was answered last.
    pub(crate) newest: BTreeMap<Uuid, Value>,
    /// When each resource changed.
    pub(crate) stamps: BTreeSet<(Uuid, String)>,
    /// Of each appointment: whether it was announced, and whether it was moved since.
    pub(crate) announced: BTreeMap<Uuid, (bool, bool)>,
    /// How many contacts there are, and how many there may be, if that is bounded.
    pub(crate) contacts: u64,
    pub(crate) contacts_max: Option<u64>,
    pub(crate) phones: BTreeMap<String, Uuid>,
    pub(crate) emails: BTreeMap<String, Uuid>,
    /// What appointments were booked with: minutes before and after that they keep free.
    pub(crate) buffers: BTreeMap<Uuid, (i64, i64)>,
    /// The special days as they were answered last, by their dates.
    pub(crate) special: BTreeMap<String, Value>,
    pub(crate) hooks: BTreeMap<WebhookId, Hook>,
    /// The keys that were revoked.
    pub(crate) revoked: BTreeSet<KeyId>,
    /// To which endpoints each event is owed.
    pub(crate) owed: BTreeMap<(WebhookId, EventId), Owed>,
    /// The bytes of each event, as every attempt of every life sends them.
    events: BTreeMap<EventId, Vec<u8>>,
    /// When each delivery was tried last, by the wall clock, as of the life before.
    pub(crate) attempted: BTreeMap<(WebhookId, EventId), Option<Timestamp>>,
    /// When somebody asked that something be sent again.
    resends: BTreeMap<WebhookId, Vec<i64>>,
    /// From when to when it was surely suspended, in simulated time; the end is there once somebody asks for it.
    pub(crate) suspended: Vec<(i64, i64)>,
}

/// What a change must have brought with it.
#[derive(Default)]
pub(crate) struct Effects {
    /// Entries of the audit log, as action and resource.
    pub(crate) noted: Vec<(&'static str, Uuid)>,
    /// Events, with the resource as it is shown in them.
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
            special: BTreeMap::new(),
            hooks: BTreeMap::new(),
            revoked: BTreeSet::new(),
            owed: BTreeMap::new(),
            attempted: BTreeMap::new(),
            resends: BTreeMap::new(),
            suspended: Vec::new(),
        }
    }

    /// Somebody asks an endpoint to be sent something again.
    pub(crate) fn note_resend(&mut self, endpoint: WebhookId, asked: i64) {
        self.resends.entry(endpoint).or_default().push(asked);
    }

    /// It is suspended: the answer says so.
    pub(crate) fn note_suspended(&mut self, since: i64) {
        // Something may have been sent in the very instant in which it was let in and suspended anew.
        let since = self.suspended.last().map_or(since, |(_, until)| since.max(until + 1));
        self.suspended.push((since, i64::MAX));
    }

    /// Somebody asks that it be let in again.
    pub(crate) fn note_let_in(&mut self, asked: i64) {
        if let Some((_, until)) = self.suspended.last_mut() {
            *until = asked.min(*until);
        }
    }

    /// For how long after this instant it was suspended, until another one.
    pub(crate) fn suspended_for(&self, from: i64, until: i64) -> i64 {
        let within = |(since, to): &(i64, i64)| (until.min(*to) - from.max(*since)).max(0);
        self.suspended.iter().map(within).sum()
    }

    /// Hands the endpoints what was noted for them.
    fn hand_resends(&mut self) {
        for (endpoint, hook) in &mut self.hooks {
            if let Some(resends) = self.resends.get(endpoint) {
                hook.resends.clone_from(resends);
            }
        }
    }

    /// Replays what was changed in a life, and checks that all records are what they must be.
    pub(crate) fn replay(&mut self, rows: &Rows, requests: &Ledger, span: Span) {
        assert!(rows.audit.len() >= self.count, "the audit log has lost entries");
        let newest = self.count.checked_sub(1).map(|at| rows.audit[at].id);
        assert_eq!(newest, self.replayed, "the audit log has lost entries");
        self.hand_resends();
        let news = &rows.audit[self.count..];
        for group in news.chunk_by(|a, b| a.actor == b.actor && matches!(a.actor, Actor::ApiKey(_))) {
            let effects = match group[0].actor {
                Actor::ApiKey(by) => {
                    let entry = requests.by(by).unwrap_or_else(|| panic!("nobody asked for {:?}", group[0]));
                    self.replay_request(rows, &entry, group, span)
                }
                Actor::Operator => self.replay_operator(&group[0]),
                Actor::System => self.replay_turn_off(rows, &group[0], span),
                Actor::Person(id) => panic!("no person asked for anything here, and {id} did"),
            };
            self.check_effects(rows, group, &effects, span);
            assert!(group[0].at >= self.newest_stamp, "a stamp has gone back: {:?}", group[0]);
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
            assert_eq!(first, bytes, "event {id} is another one than it was");
        }
    }

    fn replay_request(&mut self, rows: &Rows, entry: &Entry, group: &[AuditEntry], span: Span) -> Effects {
        let tried = &entry.tried;
        let name = format!("#{} {}", tried.number, tried.op.name());
        assert!(entry.came != Came::Refused, "{name} was refused and has left traces: {group:?}");
        assert!(self.carried_out.insert(tried.by), "{name} was carried out twice: {group:?}");
        let body = entry.body().or_else(|| rows.remembered.get(&tried.key).map(|body| ledger::json(body)));
        let mut body = body.unwrap_or_else(|| panic!("half of {name} is there: {group:?}"));
        if let Op::AddKnowledge(add) = &tried.op {
            body["content"] = add.details.content.as_str().into(); // which is not remembered
        }
        self.check_stamp(entry, group[0].at, &name);
        self.check_terms(tried, &name);
        let window = (entry.asked, entry.answered.unwrap_or(span.ended));
        let effects = self.apply(&tried.op, &body, group, window);
        let noted: Vec<_> = group.iter().map(|entry| (entry.action.as_str(), entry.resource_id)).collect();
        assert_eq!(noted, effects.noted, "{name} has left other traces: {body}");
        // Integrations see no change of what the team notes.
        let is_seen = !matches!(tried.op, Op::NoteContact(_) | Op::PatchAppointment(_));
        if let Some(updated_at) = body["updated_at"].as_str().filter(|_| is_seen) {
            assert_eq!(updated_at, group[0].at.to_string(), "{name} was stamped otherwise");
        }
        effects
    }

    /// A change is stamped with what the service may believe it to be, or as the one before where that is later.
    fn check_stamp(&self, entry: &Entry, at: Timestamp, name: &str) {
        let (from, to) = entry.believed;
        assert!(at >= from, "{name} was stamped {at}, before {from}");
        let told = entry.answered.is_some() && entry.times == 1;
        assert!(
            !told || at >= entry.listed,
            "{name} was stamped {at}, and a list had shown all until {}",
            entry.listed
        );
        let latest = to.max(self.newest_stamp + STAMP_STEPS_MAX);
        assert!(!told || at <= latest, "{name} was stamped {at}, behind {to} and {}", self.newest_stamp);
    }

    /// The operator creates the business, and shuts its keys out for a while.
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
            other => panic!("the operator did not ask for {other}"),
        }
        Effects::default()
    }

    /// Checks that exactly the events were written that a group of entries calls for, each with a delivery for each
    /// endpoint that subscribed to it.
    fn check_effects(&mut self, rows: &Rows, group: &[AuditEntry], effects: &Effects, span: Span) {
        let last = group[group.len() - 1].id;
        let from = self.replayed.map_or(Uuid::nil(), ResourceId::uuid);
        let written = rows.events.range(EventId::from(from)..EventId::from(last.uuid()));
        let mut expected = effects.events.clone();
        for (id, bytes) in written {
            let event: Value = serde_json::from_slice(bytes).unwrap();
            let kind = event["type"].as_str().unwrap();
            let data = expected.remove(kind);
            let data = data.unwrap_or_else(|| panic!("nothing calls for {event}: {group:?}"));
            check_agree(&event["data"], &data, "an event and the answer");
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
            assert!(!wanted, "no event says {kind}, though endpoints wait for it: {group:?}");
        }
    }

    /// Every record is as it was answered last, and none is there that nobody asked for.
    fn check_newest(&self, rows: &Rows) {
        for (id, newest) in &self.newest {
            let shown = rows.shown.get(id);
            check_agree(
                shown.unwrap_or_else(|| panic!("{newest} is lost")),
                newest,
                "a record and its answer",
            );
        }
        assert_eq!(rows.special, self.special, "the special days are not as they were answered");
        for (id, shown) in &rows.shown {
            assert!(self.newest.contains_key(id), "nobody asked for {shown}");
        }
    }

    /// What every request left, or did not leave, beside its records.
    pub(crate) fn check_traces(&self, rows: &Rows, entries: &[Entry], kept_from: i64) {
        let audited: BTreeSet<_> = rows
            .audit
            .iter()
            .filter_map(|entry| if let Actor::ApiKey(by) = entry.actor { Some(by) } else { None })
            .collect();
        for entry in entries {
            let tried = &entry.tried;
            let name = format!("#{} {}", tried.number, tried.op.name());
            let (remembered, audited) = (rows.remembered.get(&tried.key), audited.contains(&tried.by));
            let kept = entry.count > kept_from;
            match &entry.came {
                Came::Done(body) => {
                    assert!(!kept || remembered.is_some(), "{name} was answered and is not remembered");
                    assert!(
                        remembered.is_none_or(|remembered| *remembered == tried.op.remembered(body)),
                        "{name} is remembered otherwise"
                    );
                    let shown = ledger::json(body);
                    if let (Some(id), Some(at)) = (shown["id"].as_str(), shown["updated_at"].as_str()) {
                        let stamp = (id.parse().unwrap(), at.to_owned());
                        assert!(self.stamps.contains(&stamp), "{name} was answered and is lost: {shown}");
                    }
                    let creates = matches!(
                        tried.op,
                        Op::Book(_)
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
                    assert!(!creates || audited, "{name} was answered and is lost");
                }
                Came::Refused => {
                    assert!(remembered.is_none() && !audited, "{name} was refused and left traces");
                }
                Came::Unknown => {
                    assert!(remembered.is_some() || !audited || !kept, "half of {name} is there");
                }
            }
        }
    }
}

/// Checks that two views of a resource agree wherever both say something.
pub(crate) fn check_agree(one: &Value, other: &Value, what: &str) {
    let (one, other) = (one.as_object().unwrap(), other.as_object().unwrap());
    for (field, value) in one {
        if let Some(known) = other.get(field) {
            assert_eq!(value, known, "{what} differ in {field}: {one:?} and {other:?}");
        }
    }
}
