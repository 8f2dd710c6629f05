//! The records of the sample business, as the lines of an import.
//!
//! Invariant: the records depend only on the current time and the language.

use chrono::{Days, NaiveDate, TimeDelta, Weekday};
use domain::{
    AppointmentId, BlockedTimeId, BusinessId, CallId, ContactId, Day, IdMint, KnowledgeId, Locale, MessageId,
    ServiceId, StaffId, Timestamp, WebhookId, sort_key,
};
use serde_json::{Value, json};

use super::NAME;
use super::team::{CAMILLE, SACHA, SERVICES, STAFF, hours};
use super::texts::{
    ALERTS, APPOINTMENT_NOTES, CALL_ANSWERED, CALL_BOOKED, CALL_WITH_MESSAGE, CONTACT_NOTES, CUSTOMER_NOTES,
    FIRST_NAMES, KNOWLEDGE, LAST_NAMES, MESSAGE_HANDLED, MESSAGES, TIME_OFF, WEBHOOK, text,
};
use super::visits::{AWA, JEAN, Numbers, REGULARS, Sample, TIME_OFF_DAYS, Visit, at};
use crate::moving::{FORMAT, VERSION};

pub(super) const SALON_PHONE: &str = "+33142345678";
const WEEK: [Weekday; 7] =
    [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun];

/// The lines of the import, and the ids of records that the later requests of `demo` need.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Records {
    pub(super) lines: String,
    pub(super) business_id: BusinessId,
    /// The id of the salon's service that the printed example commands book.
    pub(super) service_id: ServiceId,
    pub(super) camille: StaffId,
    pub(super) webhook_id: WebhookId,
}

fn clock(minute: i64) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn window(day: Weekday, (open, close): (i64, i64)) -> Value {
    let day = Day::ALL[day.num_days_from_sunday() as usize].to_string();
    json!({"day": day, "open": clock(open), "close": clock(close)})
}

pub(super) fn name_of(contact: usize) -> String {
    match contact {
        AWA => "Awa Diallo".to_owned(),
        JEAN => "Jean Petit".to_owned(),
        other => {
            let first = FIRST_NAMES[other % FIRST_NAMES.len()];
            format!("{first} {}", LAST_NAMES[(other * 7 + other / FIRST_NAMES.len()) % LAST_NAMES.len()])
        }
    }
}

pub(super) fn phone_of(contact: usize) -> String {
    let digits = match contact {
        AWA => 5678,
        JEAN => 5679,
        other => 1_000 + 17 * other,
    };
    format!("+3361234{digits:04}")
}

/// The lines of an import, in the required order: by kind, and by key within a kind.
struct Lines {
    text: String,
    /// The number of the business's records.
    count: u64,
}

impl Lines {
    fn add(&mut self, kind: &str, mut record: Value) {
        record["kind"] = kind.into();
        self.text.push_str(&format!("{record}\n"));
        self.count += 1;
    }

    fn add_sorted(&mut self, kind: &str, mut records: Vec<Value>) {
        // Appointments are sorted by start and then by id. Other records have no start and are sorted by id.
        records.sort_by_cached_key(|record| format!("{} {}", record["starts_at"], record["id"]));
        records.into_iter().for_each(|record| self.add(kind, record));
    }
}

/// Writes the records of each kind.
struct Writer {
    now: Timestamp,
    language: Locale,
    /// The day on which the business began to use the service.
    begun: Timestamp,
    numbers: Numbers,
    lines: Lines,
    service_ids: Vec<ServiceId>,
    staff_ids: Vec<StaffId>,
    /// The ids of the contacts. The id of contact number `n` is at index `n`.
    contact_ids: Vec<ContactId>,
    calls: Vec<Value>,
}

/// The records as of this instant, with texts in this language.
pub(super) fn records(now: Timestamp, language: Locale) -> Records {
    let mut sample = Sample::new(now);
    let visits = sample.visits();
    let (begun, numbers) = (sample.ago(400), sample.numbers);
    let header = json!({"format": FORMAT, "version": VERSION, "exported_at": now});
    let lines = Lines { text: format!("{header}\n"), count: 0 };
    let (service_ids, staff_ids, contact_ids, calls) = Default::default();
    let mut writer =
        Writer { now, language, begun, numbers, lines, service_ids, staff_ids, contact_ids, calls };
    let business_id = writer.business();
    writer.team();
    writer.time_off(sample.today);
    writer.contacts(&visits);
    writer.appointments(&visits);
    writer.other_calls();
    let messages = writer.messages();
    let calls = std::mem::take(&mut writer.calls);
    writer.lines.add_sorted("call", calls);
    writer.lines.add_sorted("message", messages);
    writer.knowledge();
    let webhook_id = writer.webhook();
    let Lines { mut text, count } = writer.lines;
    text.push_str(&format!("{}\n", json!({"kind": "business_end", "records": count})));
    text.push_str(&format!("{}\n", json!({"kind": "end", "businesses": 1})));
    let (service_id, camille) = (writer.service_ids[0], writer.staff_ids[CAMILLE]);
    Records { lines: text, business_id, service_id, camille, webhook_id }
}

/// A record that was created and last changed at this instant.
fn stamped(mut record: Value, at: Timestamp) -> Value {
    (record["created_at"], record["updated_at"]) = (json!(at), json!(at));
    record
}

impl Writer {
    fn business(&mut self) -> BusinessId {
        let id: BusinessId = self.numbers.id(self.now);
        let open: Vec<Value> = WEEK.into_iter().map(|day| window(day, hours(day))).collect();
        let business = json!({
            "id": id, "name": NAME, "timezone": "Europe/Paris", "locale": "fr",
            "website_url": "https://salon-lumiere.example", "booking_mode": "instant", "hours": open,
            "breaks": [], "phone_region": "FR", "suspended": false,
        });
        self.lines.add("business", stamped(business, self.begun));
        self.lines.add(
            "website",
            json!({
                "enabled": true, "slug": "salon-lumiere", "origins": [], "color": null, "phone": SALON_PHONE,
                "email": "bonjour@salon-lumiere.example", "address": "12 rue des Abbesses, 75018 Paris",
                "change_by_caller": true, "change_notice_minutes": 1440, "show_prices": true,
            }),
        );
        id
    }

    fn team(&mut self) {
        let (mut ids, begun) = (IdMint::default(), self.begun);
        let mut bytes = || self.numbers.next().to_be_bytes();
        self.service_ids = SERVICES.iter().map(|_| ids.next(begun, bytes())).collect();
        self.staff_ids = STAFF.iter().map(|_| ids.next(begun, bytes())).collect();
        for (position, (service, id)) in SERVICES.iter().zip(&self.service_ids).enumerate() {
            let record = json!({
                "id": id, "name": service.name, "description": service.description,
                "duration_minutes": service.minutes, "active": true, "buffer_before_minutes": 0,
                "buffer_after_minutes": service.buffer_after, "min_notice_minutes": 0,
                "max_advance_days": null, "price_cents": service.cents, "currency": "EUR",
                "category": service.category, "position": position, "color": service.color,
            });
            self.lines.add("service", stamped(record, begun));
        }
        for (position, (member, id)) in STAFF.iter().zip(&self.staff_ids).enumerate() {
            let offers: Vec<_> = member.offers.iter().map(|offer| self.service_ids[*offer]).collect();
            let days = WEEK.into_iter().filter(|day| member.days.contains(day));
            let hours: Vec<_> = days.flat_map(|day| member.windows.map(|hours| window(day, hours))).collect();
            let record = json!({
                "id": id, "name": member.name, "active": true, "timezone": "Europe/Paris",
                "service_ids": offers, "hours": hours, "position": position, "color": member.color,
            });
            self.lines.add("staff", stamped(record, begun));
        }
    }

    fn time_off(&mut self, today: NaiveDate) {
        let created_at = self.now - TimeDelta::days(12);
        let [first, last] = TIME_OFF_DAYS;
        let [starts_at, ends_at] = [first, last + 1].map(|day| {
            let days = Days::new(day.unsigned_abs());
            at(today.checked_add_days(days).unwrap_or(today), 0)
        });
        let time_off = json!({
            "id": self.numbers.id::<BlockedTimeId>(created_at), "staff_id": self.staff_ids[SACHA],
            "starts_at": starts_at, "ends_at": ends_at, "note": text(TIME_OFF, self.language),
            "created_at": created_at,
        });
        self.lines.add("time_off", time_off);
    }

    fn contacts(&mut self, visits: &[Visit]) {
        let language = self.language;
        let count = visits.iter().map(|visit| visit.contact + 1).max().unwrap_or_default().max(REGULARS);
        let mut contacts = Vec::with_capacity(count);
        for contact in 0..count {
            let theirs = visits.iter().filter(|visit| visit.contact == contact);
            let first = theirs.map(|visit| visit.created_at).min();
            let regular =
                self.begun + TimeDelta::days(2 * (contact % REGULARS) as i64) + self.numbers.minutes(600);
            let created_at = first.filter(|at| contact >= REGULARS || *at < regular).unwrap_or(regular);
            let id: ContactId = self.numbers.id(created_at);
            let name = name_of(contact);
            let email = format!("{}@example.com", sort_key(&name).replace(' ', "."));
            let alert = match contact {
                AWA => Some(ALERTS[0]),
                other if other + 1 == CONTACT_NOTES.len() => Some(ALERTS[1]),
                _ => None,
            };
            let record = json!({
                "id": id, "name": name, "phone": phone_of(contact), "locale": "fr", "timezone": null,
                "email": (contact % 3 != 1).then_some(email),
                "notes": CONTACT_NOTES.get(contact).map(|pair| text(*pair, language)),
                "alert": alert.map(|pair| text(pair, language)),
            });
            self.contact_ids.push(id);
            contacts.push(stamped(record, created_at));
        }
        self.lines.add_sorted("contact", contacts);
    }

    /// The appointments, and the calls in which some of them were booked.
    fn appointments(&mut self, visits: &[Visit]) {
        let (now, language, mut appointments) = (self.now, self.language, Vec::new());
        for (number, visit) in visits.iter().enumerate() {
            let Visit { service, staff, source, created_at, .. } = *visit;
            let id: AppointmentId = self.numbers.id(created_at);
            let notes = (number % 19 == 5).then(|| APPOINTMENT_NOTES[number % APPOINTMENT_NOTES.len()]);
            let customer_note = (source == "website" && number % 5 == 0).then(|| CUSTOMER_NOTES[number % 4]);
            let offer = &SERVICES[service];
            appointments.push(json!({
                "id": id, "status": visit.status, "starts_at": visit.starts_at, "ends_at": visit.ends_at(),
                "buffer_before_minutes": 0, "buffer_after_minutes": offer.buffer_after,
                "service_id": self.service_ids[service], "staff_id": self.staff_ids[staff],
                "contact_id": self.contact_ids[visit.contact], "source": source,
                "calendar_sync_status": "not_connected", "announced": visit.status != "pending",
                "move_unannounced": false, "notes": notes.map(|pair| text(pair, language)),
                "customer_note": customer_note.map(|pair| text(pair, language)), "booked_as": null,
                "attendance": visit.attendance, "created_at": created_at, "updated_at": visit.updated_at,
            }));
            if source == "voice" && created_at > now - TimeDelta::days(21) {
                let summary = text(CALL_BOOKED[number % CALL_BOOKED.len()], language);
                let mut call = self.call(created_at, visit.contact);
                call["outcome"] = "appointment_booked".into();
                call["summary"] = summary.replace("{}", offer.name).into();
                call["appointment_id"] = json!(id);
                self.calls.push(call);
            }
        }
        self.lines.add_sorted("appointment", appointments);
    }

    /// Adds a question or a missed call for each day. The team has handled the missed calls.
    fn other_calls(&mut self) {
        for day in 1..21 {
            let ended_at = self.now - TimeDelta::days(day) - self.numbers.minutes(240);
            let mut call = self.call(ended_at, 20 + day as usize);
            if day % 4 == 0 {
                (call["status"], call["outcome"]) = ("missed".into(), "hangup".into());
                call["duration_seconds"] = 0.into();
                call["handled_at"] = json!(ended_at + TimeDelta::minutes(45));
            } else {
                call["outcome"] = "question_answered".into();
                let summary = CALL_ANSWERED[day as usize % CALL_ANSWERED.len()];
                call["summary"] = text(summary, self.language).into();
            }
            self.calls.push(call);
        }
    }

    /// The messages, which were left in calls.
    fn messages(&mut self) -> Vec<Value> {
        let (language, mut messages) = (self.language, Vec::new());
        for (number, body) in MESSAGES.into_iter().enumerate() {
            let left_at = self.now - TimeDelta::days(2 * number as i64 + 1) - TimeDelta::minutes(70);
            let contact = 50 + number;
            let mut call = self.call(left_at, contact);
            let message_id: MessageId = self.numbers.id(left_at);
            (call["outcome"], call["message_id"]) = ("message_taken".into(), json!(message_id));
            call["summary"] = text(CALL_WITH_MESSAGE, language).into();
            let is_open = number == 0;
            let handled_at = left_at + TimeDelta::minutes(55);
            messages.push(json!({
                "id": message_id, "call_id": call["id"], "contact_id": self.contact_ids[contact],
                "caller_name": name_of(contact), "caller_phone": phone_of(contact),
                "body": text(body, language), "urgency": "normal",
                "staff_id": self.staff_ids[number % STAFF.len()],
                "status": if is_open { "new" } else { "resolved" },
                "notes": (!is_open).then(|| text(MESSAGE_HANDLED, language)),
                "snoozed_until": is_open.then(|| self.now + TimeDelta::hours(20)),
                "created_at": left_at, "updated_at": if is_open { left_at } else { handled_at },
            }));
            self.calls.push(call);
        }
        messages
    }

    fn knowledge(&mut self) {
        let (language, mut knowledge) = (self.language, Vec::new());
        for (number, [title, content]) in KNOWLEDGE.into_iter().enumerate() {
            let at = self.begun + TimeDelta::days(number as i64);
            let record = json!({
                "id": self.numbers.id::<KnowledgeId>(at), "title": text(title, language),
                "content": text(content, language), "source_url": null, "locale": language,
            });
            knowledge.push(stamped(record, at));
        }
        self.lines.add_sorted("knowledge", knowledge);
    }

    fn webhook(&mut self) -> WebhookId {
        let id: WebhookId = self.numbers.id(self.begun);
        let off_at = self.now - TimeDelta::hours(26);
        // The reserved domain `.example` has no addresses, and the endpoint is disabled, so nothing is sent.
        let webhook = json!({
            "id": id, "url": "https://newsletter.salon-lumiere.example/hooks/receptionist",
            "events": ["appointment.booked", "call.completed", "message.taken", "contact.created"],
            "description": text(WEBHOOK, self.language), "status": "disabled", "disabled_reason": "failures",
            "disabled_at": off_at, "secret": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "created_at": self.begun, "updated_at": off_at,
        });
        self.lines.add("webhook", webhook);
        id
    }

    /// A completed call of a contact. It ended a few seconds before it was recorded.
    fn call(&mut self, recorded_at: Timestamp, contact: usize) -> Value {
        let id: CallId = self.numbers.id(recorded_at);
        let seconds = 50 + 13 * (contact as i64 % 9);
        let ended_at = recorded_at - TimeDelta::seconds(4);
        json!({
            "id": id, "direction": "inbound", "status": "completed", "outcome": "other",
            "from_number": phone_of(contact), "to_number": SALON_PHONE,
            "contact_id": self.contact_ids[contact],
            "started_at": ended_at - TimeDelta::seconds(seconds), "ended_at": ended_at,
            "duration_seconds": seconds, "locale": "fr", "summary": null, "recording_url": null,
            "appointment_id": null, "message_id": null, "handled_at": null, "created_at": recorded_at,
            "updated_at": recorded_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_starts_give_equal_records_and_the_language_changes_only_texts() {
        let now = Timestamp::parse("2026-11-23T08:30:00Z").unwrap();
        let [english, again, french] = [Locale::En, Locale::En, Locale::Fr].map(|one| records(now, one));
        assert_eq!(english, again);
        assert_ne!(english.lines, french.lines);
        let starts = |records: &Records| -> Vec<Value> {
            let lines = records.lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            lines.map(|line| json!([line["kind"], line["id"], line["starts_at"]])).collect()
        };
        assert_eq!(starts(&english), starts(&french));
    }
}
