//! The expected alerts of each person, computed from the audit log and the records of a business.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{
    Actor, Alert, Appointment, AppointmentStatus, AuditEntry, AuditedKind, BusinessId, CallRecord,
    CallStatus, FieldChange, Mail, MailStatus, PersonId, ResourceId, Role, StaffId, TakenMessage, Timestamp,
    Urgency,
};
use serde_json::{Value, json};
use store::keys::{self, kind};
use store::records::AuditRecord;
use store::{Order, Record, Store};
use uuid::Uuid;

use super::{AlertKind, Shop, TEAM, Told};

/// The expected alerts and mails.
#[derive(Default)]
pub(super) struct Expected {
    /// The expected alerts of each person, in order.
    pub(super) shown: BTreeMap<PersonId, Vec<Shown>>,
    /// For each alert, the number of mails that contain it.
    pub(super) mailed: BTreeMap<Told, usize>,
}

/// An alert that one person is expected to see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shown {
    what: (AlertKind, Uuid, Timestamp),
    /// True if the person wants to see this alert in the dashboard. If false, the person wants it only by mail. The
    /// dashboard then shows the alert only if its mail was dropped because too many mails were pending.
    is_asked: bool,
}

/// A person of the team, as of the audit entry that is being replayed.
struct Member {
    role: Role,
    is_active: bool,
    staff: Option<StaffId>,
    /// The alert settings of the person, by kind.
    settings: Value,
}

/// An appointment, as of the audit entry that is being replayed.
#[derive(Clone)]
struct Booked {
    status: String,
    staff: StaffId,
    /// Whether the appointment was confirmed at any time. The kind of later alerts depends on this.
    known: bool,
}

fn field<'a>(changes: &'a [FieldChange], name: &str) -> Option<&'a FieldChange> {
    changes.iter().find(|change| change.field == name)
}

fn text(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap()
}

/// Returns the default settings of a person, as documented.
fn by_default(role: Role, is_staff: bool) -> Value {
    let runs = role != Role::Member;
    let of = |email: &str, scope: &str| json!({ "email": email, "in_app": true, "scope": scope });
    let for_who_runs = || of(if runs { "now" } else { "off" }, "all");
    let own = |runs_it: bool| match (runs, is_staff) {
        (true, _) => of(if runs_it { "now" } else { "off" }, "all"),
        (false, true) => of("now", "mine"),
        (false, false) => of("off", "all"),
    };
    json!({
        "webhook_disabled": for_who_runs(),
        "webhook_failing": for_who_runs(),
        "calendar_failed": own(true),
        "calendar_event_changed": own(false),
        "urgent_message": of("now", "all"),
        "message_taken": for_who_runs(),
        "call_missed": for_who_runs(),
        "appointment_requested": own(true),
        "appointment_booked": own(false),
        "appointment_rescheduled": own(false),
        "appointment_cancelled": own(false),
    })
}

fn rows<R: Record>(store: &Store, of: BusinessId, kind: u8) -> Vec<R> {
    let rows = store.scan(&keys::of_kind(of, kind), Order::Ascending);
    rows.map(|row| R::decode(&row.unwrap().1).unwrap()).collect()
}

impl Expected {
    /// Computes the expected alerts and mails from the audit log and the records of a business.
    pub(super) fn of(store: &Store, shop: &Shop) -> Self {
        let of = shop.id.unwrap();
        let entries: Vec<AuditEntry> =
            rows::<AuditRecord>(store, of, kind::AUDIT).into_iter().map(|record| record.entry).collect();
        let mut appointments = as_they_began(&entries, &rows(store, of, kind::APPOINTMENT));
        let messages: HashMap<Uuid, TakenMessage> = rows::<TakenMessage>(store, of, kind::MESSAGE)
            .into_iter()
            .map(|message| (message.id.uuid(), message))
            .collect();
        let calls: HashMap<Uuid, CallRecord> = rows::<CallRecord>(store, of, kind::CALL)
            .into_iter()
            .map(|call| (call.id.uuid(), call))
            .collect();
        let (mut team, mut expected) = (BTreeMap::new(), Self::default());
        for entry in &entries {
            let id = entry.resource_id;
            let (kind, staff) = match entry.action.as_str() {
                "person.added" => {
                    let number = shop.people.iter().position(|person| person.uuid() == id);
                    let (role, staff) = TEAM[number.unwrap()];
                    let staff = staff.map(|staff| shop.staff[staff]);
                    let settings = by_default(role, staff.is_some());
                    team.insert(PersonId::from(id), Member { role, is_active: false, staff, settings });
                    continue;
                }
                "person.changed" | "person.notifications_changed" => {
                    change_member(team.get_mut(&PersonId::from(id)).unwrap(), &entry.changes);
                    continue;
                }
                "message.taken" => {
                    let message = &messages[&id];
                    let urgent = message.urgency == Urgency::Urgent;
                    let kind = if urgent { AlertKind::UrgentMessage } else { AlertKind::MessageTaken };
                    (kind, vec![message.staff_id])
                }
                "call.completed" if calls[&id].status == CallStatus::Completed => continue,
                "call.completed" => (AlertKind::CallMissed, Vec::new()),
                action if action.starts_with("appointment.") => {
                    let appointment = appointments.get_mut(&id).unwrap();
                    match happens(action, appointment, &entry.changes) {
                        Some((kind, staff)) => (kind, staff.into_iter().map(Some).collect()),
                        None => continue,
                    }
                }
                _ => continue,
            };
            expected.tell(&team, entry.actor, (kind, id, entry.at), &staff);
        }
        expected
    }

    fn tell(
        &mut self,
        team: &BTreeMap<PersonId, Member>,
        by: Actor,
        (kind, id, at): (AlertKind, Uuid, Timestamp),
        staff: &[Option<StaffId>],
    ) {
        for (person, member) in team {
            if !member.is_active || by == Actor::Person(*person) {
                continue;
            }
            if kind == AlertKind::WebhookDisabled && member.role == Role::Member {
                continue;
            }
            let setting = &member.settings[kind.as_str()];
            let is_own = member.staff.is_some() && staff.contains(&member.staff);
            if setting["scope"] == "mine" && !is_own {
                continue;
            }
            let (is_asked, is_mailed) = (setting["in_app"] == true, setting["email"] != "off");
            if is_asked || is_mailed {
                self.shown.entry(*person).or_default().push(Shown { what: (kind, id, at), is_asked });
            }
            if is_mailed {
                *self.mailed.entry((*person, kind, id)).or_default() += 1;
            }
        }
    }

    /// Checks that each person has exactly the expected alerts, in order and with consecutive numbers. One exception
    /// is allowed: if a person wants an alert only by mail, and the mail is dropped because too many mails are pending,
    /// the dashboard shows the alert. Returns, for each person, the number of alerts that are shown for this reason.
    pub(super) fn check_alerts(
        &self,
        store: &Store,
        (of, is_bounded): (BusinessId, bool),
    ) -> HashMap<PersonId, usize> {
        let mut found: BTreeMap<PersonId, Vec<_>> = BTreeMap::new();
        for alert in rows::<Alert>(store, of, kind::ALERT) {
            let theirs = found.entry(alert.person_id).or_default();
            theirs.push((alert.about.kind, alert.about.id, alert.about.at));
            assert_eq!(alert.number, theirs.len() as u64, "the numbers of the alerts have a gap");
        }
        let mut unasked = HashMap::new();
        for (person, expected) in &self.shown {
            let mut theirs = found.remove(person).unwrap_or_default().into_iter().peekable();
            for shown in expected.iter().filter(|shown| shown.is_asked || is_bounded) {
                let is_there = theirs.next_if_eq(&shown.what).is_some();
                assert!(is_there || !shown.is_asked, "{shown:?} must be shown to {person}");
                *unasked.entry(*person).or_default() += usize::from(is_there && !shown.is_asked);
            }
            assert_eq!(theirs.next(), None, "{person} has alerts that their settings do not include");
        }
        assert!(found.is_empty(), "a person without expected alerts has alerts");
        unasked
    }

    /// Checks that the outbox and its log contain exactly the expected mails, and returns the mails that must arrive.
    /// There are two exceptions:
    ///
    /// - The access of the person `shut_out` is sometimes disabled, so this person may have fewer mails.
    /// - In a seed with a limit on pending mails (`waiting_max`), mails above the limit are dropped, so every person
    ///   may have fewer mails.
    ///
    /// If a mail is dropped, the dashboard shows its alerts, even to a person who wants them only by mail. `unasked`
    /// contains, for each person, the number of alerts that the dashboard shows for this reason. The mails with these
    /// alerts were dropped, so no mail in the outbox or its log may contain them.
    pub(super) fn check_mails(
        &self,
        store: &Store,
        (of, shut_out): (BusinessId, PersonId),
        (waiting_max, unasked): (Option<usize>, &HashMap<PersonId, usize>),
    ) -> BTreeSet<Told> {
        let (mut told, mut more, mut failed) =
            (BTreeMap::<Told, usize>::new(), HashMap::<PersonId, usize>::new(), BTreeSet::new());
        let mut waiting = 0;
        for mail in rows::<Mail>(store, of, kind::MAIL) {
            waiting += usize::from(mail.status == MailStatus::Pending);
            let person = mail.person_id;
            *more.entry(person).or_default() += mail.more as usize;
            for about in &mail.about {
                *told.entry((person, about.kind, about.id)).or_default() += 1;
                if mail.status == MailStatus::Failed {
                    failed.insert((person, about.kind, about.id));
                }
            }
        }
        for (told, times) in &told {
            assert!(
                self.mailed.get(told).is_some_and(|asked| times <= asked),
                "{told:?} was mailed too often"
            );
        }
        let mut left: HashMap<PersonId, usize> = HashMap::new();
        for (asked, times) in &self.mailed {
            *left.entry(asked.0).or_default() += times - told.get(asked).copied().unwrap_or_default();
        }
        for (person, left) in left {
            let counted = more.get(&person).copied().unwrap_or_default();
            let shown = unasked.get(&person).copied().unwrap_or_default();
            let is_right = if waiting_max.is_some() { left >= counted + shown } else { left == counted };
            assert!(person == shut_out || is_right, "{left} alerts for {person} are in no mail");
        }
        assert!(
            waiting_max.is_none_or(|most| waiting <= most),
            "{waiting} mails are pending, which exceeds the limit"
        );
        let all: Vec<_> =
            if waiting_max.is_some() { told.keys().collect() } else { self.mailed.keys().collect() };
        all.into_iter().filter(|told| told.0 != shut_out && !failed.contains(*told)).copied().collect()
    }
}

fn change_member(member: &mut Member, changes: &[FieldChange]) {
    for FieldChange { field, to, .. } in changes {
        match field.as_str() {
            "status" => member.is_active = text(to) == "active",
            "staff_id" => member.staff = Some(text(to).parse().unwrap()),
            "role" => panic!("the test does not change roles"),
            kind if member.settings.get(kind).is_some() => {
                member.settings[kind] = serde_json::from_str(to).unwrap();
            }
            _ => {}
        }
    }
}

/// Returns each appointment as it was when it was booked. This is computed by undoing the later changes.
fn as_they_began(entries: &[AuditEntry], all: &[Appointment]) -> HashMap<Uuid, Booked> {
    let booked = |one: &Appointment| {
        let status = match one.status {
            AppointmentStatus::Pending => "pending",
            AppointmentStatus::Confirmed => "confirmed",
            AppointmentStatus::Declined => "declined",
            AppointmentStatus::Cancelled => "cancelled",
        };
        Booked { status: status.to_owned(), staff: one.staff_id, known: false }
    };
    let mut appointments: HashMap<_, _> = all.iter().map(|one| (one.id.uuid(), booked(one))).collect();
    for entry in entries.iter().rev().filter(|entry| entry.action.kind() == AuditedKind::Appointment) {
        let appointment = appointments.get_mut(&entry.resource_id).unwrap();
        if let Some(status) = field(&entry.changes, "status") {
            appointment.status = text(&status.from);
        }
        if let Some(staff) = field(&entry.changes, "staff_id") {
            appointment.staff = text(&staff.from).parse().unwrap();
        }
    }
    appointments
}

/// Returns the kind of alert that an entry of the audit log causes, and the staff members whom it concerns.
fn happens(
    action: &str,
    appointment: &mut Booked,
    changes: &[FieldChange],
) -> Option<(AlertKind, Vec<StaffId>)> {
    let before = appointment.clone();
    if let Some(status) = field(changes, "status") {
        appointment.status = text(&status.to);
    }
    if let Some(staff) = field(changes, "staff_id") {
        appointment.staff = text(&staff.to).parse().unwrap();
    }
    appointment.known |= appointment.status == "confirmed";
    let kind = match action {
        "appointment.requested" => AlertKind::AppointmentRequested,
        "appointment.booked" => AlertKind::AppointmentBooked,
        "appointment.rescheduled" if appointment.status == "pending" => AlertKind::AppointmentRequested,
        "appointment.rescheduled" => AlertKind::AppointmentRescheduled,
        "appointment.confirmed" if before.known => AlertKind::AppointmentRescheduled,
        "appointment.confirmed" => AlertKind::AppointmentBooked,
        "appointment.cancelled" => AlertKind::AppointmentCancelled,
        "appointment.declined" if before.known => AlertKind::AppointmentCancelled,
        "appointment.declined" => return None,
        other => panic!("the model does not know the action {other}"),
    };
    Some((kind, vec![before.staff, appointment.staff]))
}
