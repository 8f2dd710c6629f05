//! The stored records of a business whose receptionist has talked with callers, and the rules that they must
//! satisfy. The rules read only the records, so they also apply to conversations about which the client knows
//! little.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Actor, Amount, Appointment, AppointmentId, AuditAction, AuditEntry, AuditId, BudgetKind, BusinessId,
    CallId, CallRecord, Contact, ContactId, Conversation, ConversationId, EffectKind, InputKind, Locale,
    MessageId, ResourceId, ServiceId, Speaker, TakenMessage, Timestamp, Turn, Usage,
};
use engine::moving::Moved;
use store::keys::{self, kind};
use store::records::AuditRecord;
use store::{Order, Record, Store};
use uuid::Uuid;

use super::callers::{YES, number_in, words_in};
use crate::moves::all_of;

/// The beginnings of the lines (sentences of the receptionist) that report a change, in both languages.
const LINES: [(EffectKind, [&str; 2]); 5] = [
    (EffectKind::Booked, ["Booked: ", "Réservé : "]),
    (EffectKind::Requested, ["Requested: ", "Demandé : "]),
    (EffectKind::Moved, ["Moved: ", "Déplacé : "]),
    (EffectKind::Cancelled, ["Cancelled: ", "Annulé : "]),
    (EffectKind::MessageTaken, ["Your message is with the team.", "Votre message est transmis à l'équipe."]),
];
/// The claims of the hostile model. Before each claim, the conversation must have one of the listed effects.
const CLAIMS: [(&str, &[EffectKind]); 3] = [
    ("I have cancelled it", &[EffectKind::Cancelled]),
    ("You're in,", &[EffectKind::Booked, EffectKind::Requested]),
    ("C'est fait", &[EffectKind::Booked, EffectKind::Requested]),
];
/// Texts that the receptionist must never say to a caller.
const NEVER: [&str; 7] = ["human", "45 euros", "99 99", "Brenda", "a1 is", "**", "tool_call"];
const WRONG_NUMBER: [&str; 2] = ["That is not the code.", "Ce n'est pas le bon code."];
/// A service with this word in its name is private: only the contact of an appointment may hear about the appointment.
const PRIVATE: &str = "Ritual";
const MONTHS: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];

/// A change that a conversation has made. The effects of its turns and the audit log must state the same changes.
type Made = (ConversationId, EffectKind, Uuid);

pub(super) struct Records {
    pub(super) conversations: BTreeMap<ConversationId, Conversation>,
    pub(super) appointments: BTreeMap<AppointmentId, Appointment>,
    pub(super) messages: BTreeMap<MessageId, TakenMessage>,
    pub(super) calls: BTreeSet<CallId>,
    pub(super) contacts: BTreeMap<ContactId, Contact>,
    /// The services whose appointments are private.
    pub(super) private: BTreeSet<ServiceId>,
    /// The audit log, oldest first.
    pub(super) audit: Vec<AuditEntry>,
    /// The usage that the newest audit entry states, and the usage that is counted from the rows.
    pub(super) told: Option<Usage>,
    pub(super) counted: Amount,
    /// The conversations in an export.
    pub(super) exported: Vec<Conversation>,
    /// Whether an erasure is not complete.
    pub(super) is_erasing: bool,
}

impl Records {
    pub(super) fn read(store: &Store, of: BusinessId) -> Self {
        fn all<R: Record, I: Ord>(
            store: &Store,
            of: BusinessId,
            kind: u8,
            id: impl Fn(&R) -> I,
        ) -> BTreeMap<I, R> {
            let rows = store.records::<R>(&keys::of_kind(of, kind), Order::Ascending);
            rows.map(|row| row.unwrap().1).map(|record| (id(&record), record)).collect()
        }
        let mut counted = Amount::default();
        for row in store.scan(&keys::of_kind(of, kind::CONVERSATION), Order::Ascending) {
            counted = counted.plus(Amount::row(row.unwrap().1.len()));
        }
        let audit = store.records::<AuditRecord>(&keys::of_kind(of, kind::AUDIT), Order::Ascending);
        let audit: Vec<AuditRecord> = audit.map(|row| row.unwrap().1).collect();
        let services = all(store, of, kind::SERVICE, |service: &domain::Service| service.id);
        let private = services.into_iter().filter(|(_, service)| service.name.contains(PRIVATE));
        let exported = all_of(store, store.rows(), of, false).into_iter().filter_map(|moved| match moved {
            Moved::Conversation(it) => Some(it),
            _ => None,
        });
        let ids = store.scan(&keys::of_kind(of, kind::APPOINTMENT), Order::Ascending);
        let appointments = ids.map(|row| Appointment::decode(&row.unwrap().1).unwrap());
        Self {
            conversations: all(store, of, kind::CONVERSATION, |it: &Conversation| it.id),
            appointments: appointments.map(|it| (it.id, it)).collect(),
            messages: all(store, of, kind::MESSAGE, |it: &TakenMessage| it.id),
            calls: all(store, of, kind::CALL, |it: &CallRecord| it.id).into_keys().collect(),
            contacts: all(store, of, kind::CONTACT, |contact: &Contact| contact.id),
            private: private.map(|(id, _)| id).collect(),
            told: audit.last().and_then(|record| record.usage),
            audit: audit.into_iter().map(|record| record.entry).collect(),
            counted,
            exported: exported.collect(),
            is_erasing: store.scan(&keys::of_kind(of, kind::ERASURE), Order::Ascending).next().is_some(),
        }
    }

    /// Returns all violations of the rules.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for it in self.conversations.values() {
            self.check_turns(it, &mut faults);
            self.check_fields(it, &mut faults);
        }
        self.check_changes(&mut faults);
        if self.told.is_some_and(|told| told.of(BudgetKind::Conversations) != self.counted) {
            faults.push(format!("the usage differs from {:?}", self.counted));
        }
        let ended: Vec<_> = self.conversations.values().filter(|it| !it.is_unfinished()).collect();
        let is_same = |one: &Conversation, other: &Conversation| {
            Conversation { token: None, ..one.clone() } == Conversation { token: None, ..other.clone() }
        };
        let exported: BTreeMap<_, _> = self.exported.iter().map(|it| (it.id, it)).collect();
        for one in &ended {
            match exported.get(&one.id) {
                Some(other) if is_same(one, other) => {}
                // An export shows no data of a contact whose erasure is not complete.
                Some(other) if self.is_erasing && is_same(&one.erased(), other) => {}
                other => {
                    faults.push(format!("the export differs: it has {other:#?}, the store has {one:#?}"));
                }
            }
        }
        if exported.len() != ended.len() {
            faults.push(format!(
                "the export has {} conversations, and {} ended",
                exported.len(),
                ended.len()
            ));
        }
        faults
    }

    /// Checks the receptionist's turns: each change follows a yes, lines state only changes that were made, and no data
    /// of another caller is disclosed.
    fn check_turns(&self, it: &Conversation, faults: &mut Vec<String>) {
        let mut fault =
            |turn: &Turn, what: &str| faults.push(format!("{} turn {}: {what}: {turn:?}", it.id, turn.seq));
        let mut known: BTreeSet<String> = it
            .contact_id
            .filter(|_| it.verified)
            .and_then(|id| self.contacts.get(&id)?.name.as_deref())
            .map(words_in)
            .unwrap_or_default();
        let mut made: BTreeSet<EffectKind> = BTreeSet::new();
        // The receptionist's text to which the caller's next turn responds.
        let mut asked = "";
        for (at, turn) in it.turns.iter().enumerate() {
            if turn.seq as usize != at + 1 {
                fault(turn, "the numbers of the turns have a gap");
            }
            if turn.by == Speaker::Caller {
                known.extend(words_in(&turn.text));
            }
            if turn.by == Speaker::Team {
                asked = "";
            }
            if turn.by != Speaker::Receptionist {
                continue;
            }
            made.extend(turn.effects.iter().map(|effect| effect.kind));
            let text = turn.text.as_str();
            let is_readable = !text.is_empty();
            for (kind, lines) in LINES {
                let says = lines.iter().any(|line| text.contains(line));
                let has = turn.effects.iter().any(|effect| effect.kind == kind);
                if says && !made.contains(&kind) {
                    fault(turn, "a change is stated that was not made");
                }
                if has && !says && is_readable {
                    fault(turn, "a change has no line");
                }
            }
            for (claim, kinds) in CLAIMS {
                if text.contains(claim) && !kinds.iter().any(|kind| made.contains(kind)) {
                    fault(turn, "a change is claimed that was not made");
                }
            }
            if NEVER.iter().any(|words| text.contains(words)) || !words_in(text).is_subset(&known) {
                fault(turn, "the caller receives words that are not for them");
            }
            if text.contains(PRIVATE) && !self.has_private(it) && !self.is_being_erased(it) {
                fault(turn, "an appointment of another contact is disclosed");
            }
            let changes = turn.effects.iter().filter(|effect| is_of_appointment(effect.kind));
            for effect in changes.filter(|_| is_readable) {
                let earlier = it.turns[..at].iter().flat_map(|turn| &turn.effects);
                let nth = earlier.filter(|other| *other == effect).count();
                let time = self.time_of(&(it.id, effect.kind, effect.on.unwrap().1), nth);
                let says = it.turns[..at].last().filter(|turn| turn.by == Speaker::Caller);
                if !says.is_some_and(|turn| is_yes(turn, asked)) {
                    fault(turn, "the caller has not agreed");
                }
                match time {
                    Some(time) if states(asked, time) && states(text, time) => {}
                    _ => fault(turn, &format!("the change was not read back in {asked:?}, but {time:?}")),
                }
            }
            // After a wrong confirmation number, the receptionist says only that the number is wrong, and does not
            // repeat the read-back. So the caller's next turn still answers the previous read-back.
            if !WRONG_NUMBER.contains(&text) {
                asked = text;
            }
        }
    }

    /// True if the caller is verified and has an appointment for a private service. The conversation may then disclose
    /// this appointment.
    fn has_private(&self, it: &Conversation) -> bool {
        let is_theirs = |appointment: &Appointment| {
            self.private.contains(&appointment.service_id) && appointment.contact_id == it.contact_id
        };
        it.verified && it.contact_id.is_some() && self.appointments.values().any(is_theirs)
    }

    /// True if the contact was erased and an erasure is still in progress. The contact's data may already be erased
    /// from the appointments, although the conversation still contains its text.
    fn is_being_erased(&self, it: &Conversation) -> bool {
        self.is_erasing && it.contact_id.is_some_and(|id| !self.contacts.contains_key(&id))
    }

    fn check_fields(&self, it: &Conversation, faults: &mut Vec<String>) {
        let mut fault = |what: &str| faults.push(format!("{}: {what}: {it:?}", it.id));
        let named = |is_one: fn(EffectKind) -> bool| -> BTreeSet<Uuid> {
            it.effects()
                .filter(|effect| is_one(effect.kind))
                .filter_map(|effect| Some(effect.on?.1))
                .collect()
        };
        let appointments: BTreeSet<_> = it.appointment_ids.iter().map(|id| id.uuid()).collect();
        let messages: BTreeSet<_> = it.message_ids.iter().map(|id| id.uuid()).collect();
        if named(is_of_appointment) != appointments
            || named(|kind| kind == EffectKind::MessageTaken) != messages
        {
            fault("the ids differ from the effects");
        }
        if it.is_open() == it.ended_at.is_some() || it.is_open() == it.outcome.is_some() {
            fault("the status and the end differ");
        }
        if let (Some(outcome), Some(by)) = (it.outcome, it.ended_by)
            && ![true, false].into_iter().any(|is_active| it.outcome_of(by, |_| is_active) == outcome)
        {
            fault("the outcome differs from the effects");
        }
        if it.call_id.is_some_and(|call| self.calls.contains(&call) == it.is_unfinished()) {
            fault("a call is missing, or was saved before the end");
        }
        for id in &it.message_ids {
            let Some(message) = self.messages.get(id) else {
                fault("a message is missing");
                continue;
            };
            let mut rest = message.body.clone();
            let mut said: Vec<&str> =
                it.turns.iter().filter(|turn| turn.by == Speaker::Caller).map(|turn| &*turn.text).collect();
            said.sort_by_key(|text| std::cmp::Reverse(text.len()));
            for text in said.into_iter().filter(|text| !text.is_empty()) {
                rest = rest.replace(text, "");
            }
            let is_erased = it.turns.iter().all(|turn| turn.text.is_empty());
            if !is_erased && !rest.trim().is_empty() {
                fault(&format!("the message contains other words than the caller's: {rest}"));
            }
        }
    }

    /// Compares the changes in the effects of the conversations with the changes in the audit log. Each must occur
    /// exactly once in both.
    fn check_changes(&self, faults: &mut Vec<String>) {
        let mut effects: Vec<Made> = Vec::new();
        for it in self.conversations.values() {
            let of_turns = it.effects().filter(|effect| is_change(effect.kind));
            effects.extend(of_turns.map(|effect| (it.id, effect.kind, effect.on.unwrap().1)));
        }
        let deleted: BTreeSet<Uuid> = self
            .audit
            .iter()
            .filter(|entry| entry.action == AuditAction::ConversationDeleted)
            .map(|entry| entry.resource_id)
            .collect();
        let is_kept =
            |id: &ConversationId| self.conversations.contains_key(id) || !deleted.contains(&id.uuid());
        let mut changes: Vec<Made> = self.audit.iter().filter_map(made_by).collect();
        changes.retain(|(id, ..)| is_kept(id));
        effects.sort();
        changes.sort();
        if effects != changes {
            let only = |these: &[Made], those: &[Made]| {
                these.iter().filter(|made| !those.contains(made)).copied().collect::<Vec<_>>()
            };
            let (more, less) = (only(&effects, &changes), only(&changes, &effects));
            faults.push(format!("the effects and the audit log differ: {more:?} {less:?}"));
        }
        for entry in &self.audit {
            let is_allowed = match entry.action {
                AuditAction::AppointmentBooked => {
                    matches!(entry.actor, Actor::Receptionist(_) | Actor::Operator)
                }
                AuditAction::AppointmentRequested
                | AuditAction::AppointmentRescheduled
                | AuditAction::AppointmentCancelled
                | AuditAction::MessageTaken => matches!(entry.actor, Actor::Receptionist(_)),
                AuditAction::AppointmentConfirmed | AuditAction::AppointmentDeclined => false,
                _ => true,
            };
            if !is_allowed {
                faults.push(format!("a change was made outside of conversations: {entry:?}"));
            }
        }
        for id in self.appointments.keys() {
            let is_made = |entry: &AuditEntry| {
                let actions = [AuditAction::AppointmentBooked, AuditAction::AppointmentRequested];
                entry.resource_id == id.uuid() && actions.contains(&entry.action)
            };
            if self.audit.iter().filter(|entry| is_made(entry)).count() != 1 {
                faults.push(format!("the appointment {id} was not made once"));
            }
        }
    }

    /// The time at which the appointment starts once this change is made. A conversation may make several changes of
    /// the same kind to the same appointment, for example move it twice. `nth` is the number of such changes before
    /// this one.
    fn time_of(&self, made: &Made, nth: usize) -> Option<Timestamp> {
        let mut time = self.appointments.get(&made.2.into())?.starts_at;
        let mut times: BTreeMap<AuditId, Timestamp> = BTreeMap::new();
        for entry in self.audit.iter().rev().filter(|entry| entry.resource_id == made.2) {
            times.insert(entry.id, time);
            if let Some(change) = entry.changes.iter().find(|change| change.field == "starts_at") {
                time = Timestamp::parse(&serde_json::from_str::<String>(&change.from).unwrap()).unwrap();
            }
        }
        let mut of_change = self.audit.iter().filter(|entry| made_by(entry).as_ref() == Some(made));
        of_change.nth(nth).map(|entry| times[&entry.id])
    }
}

fn is_of_appointment(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Booked | EffectKind::Requested | EffectKind::Moved | EffectKind::Cancelled)
}

fn is_change(kind: EffectKind) -> bool {
    is_of_appointment(kind) || kind == EffectKind::MessageTaken
}

fn made_by(entry: &AuditEntry) -> Option<Made> {
    let Actor::Receptionist(id) = entry.actor else { return None };
    let kind = match entry.action {
        AuditAction::AppointmentBooked => EffectKind::Booked,
        AuditAction::AppointmentRequested => EffectKind::Requested,
        AuditAction::AppointmentRescheduled => EffectKind::Moved,
        AuditAction::AppointmentCancelled => EffectKind::Cancelled,
        AuditAction::MessageTaken => EffectKind::MessageTaken,
        _ => return None,
    };
    Some((id, kind, entry.resource_id))
}

/// Whether the caller agrees to the change that the receptionist has read back.
fn is_yes(turn: &Turn, asked: &str) -> bool {
    let text = turn.text.to_lowercase();
    match number_in(asked) {
        Some(number) => text == number,
        None if turn.input == Some(InputKind::Keys) => text == "1",
        None => YES.contains(&text.as_str()),
    }
}

/// Whether a text states this instant, in one of the languages.
fn states(text: &str, at: Timestamp) -> bool {
    [Locale::En, Locale::Fr].into_iter().any(|locale| text.contains(&written(at, locale)))
}

/// The date and time of an instant in UTC, as the lines state them.
fn written(at: Timestamp, locale: Locale) -> String {
    let at = at.utc();
    match locale {
        Locale::En => at.format("%-d %B at %H:%M").to_string(),
        Locale::Fr => {
            let clock = if at.format("%M").to_string() == "00" { "%-H h" } else { "%-H h %M" };
            let month: usize = at.format("%-m").to_string().parse().unwrap();
            let day = match at.format("%-d").to_string().as_str() {
                "1" => "1er".to_owned(),
                day => day.to_owned(),
            };
            format!("{day} {} à {}", MONTHS[month - 1], at.format(clock))
        }
    }
}
