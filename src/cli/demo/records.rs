//! The records of the sample business, as the lines of an import.
//!
//! Invariants:
//! - The records depend only on the instant and the language, so equal starts give equal data.
//! - Active appointments are at times that can be booked: within the hours of their staff member, on the
//!   grid, outside buffers and time off.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Europe::Paris;
use domain::{
    AppointmentId, BlockedTimeId, BusinessId, CallId, ContactId, Day, IdMint, KnowledgeId, Locale, MessageId,
    ResourceId, ServiceId, StaffId, Timestamp, WebhookId, sort_key,
};
use serde_json::{Value, json};

use super::NAME;
use super::texts::{
    ALERTS, APPOINTMENT_NOTES, CALL_ANSWERED, CALL_BOOKED, CALL_WITH_MESSAGE, CONTACT_NOTES, CUSTOMER_NOTES,
    FIRST_NAMES, KNOWLEDGE, LAST_NAMES, MESSAGE_HANDLED, MESSAGES, TIME_OFF, WEBHOOK, text,
};
use crate::moving::{FORMAT, VERSION};

const PAST_DAYS: i64 = 35;
const COMING_DAYS: i64 = 10;
/// The days of Sacha's time off, counted from today.
const TIME_OFF_DAYS: [i64; 2] = [6, 8];
/// The minutes between two bookable times.
const GRID: i64 = 30;
/// The number of contacts that exist at the start of the history. Every further contact is added with its
/// first visit.
const REGULARS: usize = 130;
/// The index of a contact with earlier visits, to whom no visit is assigned at random.
pub(super) const AWA: usize = 0;
const JEAN: usize = 1;
/// The days of the earlier visits of [`AWA`], counted from today.
const EARLIER_VISITS: [i64; 5] = [-310, -250, -195, -140, -85];
pub(super) const SALON_PHONE: &str = "+33142345678";

/// The indexes of the staff members in [`STAFF`].
const CAMILLE: usize = 0;
const DOMINIQUE: usize = 1;
const SACHA: usize = 2;

struct Offer {
    name: &'static str,
    description: &'static str,
    category: &'static str,
    minutes: i64,
    buffer_after: i64,
    cents: u32,
    color: u32,
}

const fn offer(
    (name, description, category): (&'static str, &'static str, &'static str),
    (minutes, buffer_after, cents, color): (i64, i64, u32, u32),
) -> Offer {
    Offer { name, description, category, minutes, buffer_after, cents, color }
}

static SERVICES: [Offer; 8] = [
    offer(("Coupe", "Shampooing, coupe, coiffage", "Coupes"), (45, 0, 5_200, 1)),
    offer(("Coupe homme", "Shampooing et coupe", "Coupes"), (30, 0, 2_900, 2)),
    offer(("Coupe enfant", "Jusqu’à 12 ans", "Coupes"), (30, 0, 2_200, 3)),
    offer(("Couleur", "Couleur et soin", "Couleur"), (90, 15, 7_450, 5)),
    offer(("Balayage", "Balayage, patine et soin", "Couleur"), (120, 15, 11_800, 6)),
    offer(("Brushing", "", "Coiffage"), (30, 0, 3_200, 8)),
    offer(("Chignon", "Mariages et soirées", "Coiffage"), (60, 0, 7_500, 9)),
    offer(("Barbe", "Taille et rasage", "Barbe"), (20, 0, 1_950, 11)),
];

struct Member {
    name: &'static str,
    color: u32,
    /// The indexes of the offered services in [`SERVICES`].
    offers: &'static [usize],
    days: [Weekday; 5],
    /// The working hours of each day, in minutes after midnight.
    windows: [(i64, i64); 2],
}

static STAFF: [Member; 4] = [
    Member {
        name: "Camille",
        color: 1,
        offers: &[0, 3, 4, 5, 6],
        days: [Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat],
        windows: [(540, 780), (840, 1080)],
    },
    Member {
        name: "Dominique",
        color: 4,
        offers: &[0, 1, 2, 5],
        days: [Weekday::Mon, Weekday::Tue, Weekday::Thu, Weekday::Fri, Weekday::Sat],
        windows: [(600, 840), (900, 1140)],
    },
    Member {
        name: "Sacha",
        color: 7,
        offers: &[0, 1, 2, 7],
        days: [Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun],
        windows: [(600, 840), (870, 1140)],
    },
    Member {
        name: "Yasmine",
        color: 10,
        offers: &[0, 2, 3, 5],
        days: [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Fri, Weekday::Sun],
        windows: [(540, 750), (810, 1050)],
    },
];

/// The opening hours of a day, in minutes after midnight.
fn hours(day: Weekday) -> (i64, i64) {
    if day == Weekday::Sun { (600, 1020) } else { (540, 1140) }
}

/// The hours of a staff member on a date: the windows within the opening hours.
fn windows(member: &Member, date: NaiveDate) -> Vec<(i64, i64)> {
    let day = date.weekday();
    let (open, close) = hours(day);
    let works = member.days.contains(&day);
    let within = member.windows.iter().map(|(from, to)| ((*from).max(open), (*to).min(close)));
    within.filter(|_| works).collect()
}

/// A generator of pseudorandom numbers that are the same at each start (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn minutes(&mut self, bound: usize) -> TimeDelta {
        TimeDelta::minutes(self.below(bound) as i64)
    }

    fn is_one_of(&mut self, hundred: usize) -> bool {
        self.below(100) < hundred
    }

    fn id<I: ResourceId>(&mut self, at: Timestamp) -> I {
        IdMint::default().next(at, self.next().to_be_bytes())
    }
}

struct Visit {
    service: usize,
    staff: usize,
    contact: usize,
    day: i64,
    starts_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
    source: &'static str,
    status: &'static str,
    attendance: Option<&'static str>,
}

impl Visit {
    fn ends_at(&self) -> Timestamp {
        self.starts_at + TimeDelta::minutes(SERVICES[self.service].minutes)
    }
}

/// The lines of the import, and the ids of records that the later requests of `demo` need.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Records {
    pub(super) lines: String,
    pub(super) business_id: BusinessId,
    /// The service in the example commands that `demo` prints.
    pub(super) service_id: ServiceId,
    pub(super) camille: StaffId,
    pub(super) webhook_id: WebhookId,
}

struct Sample {
    now: Timestamp,
    today: NaiveDate,
    numbers: Numbers,
}

impl Sample {
    fn date(&self, day: i64) -> NaiveDate {
        let days = Days::new(day.unsigned_abs());
        let date =
            if day < 0 { self.today.checked_sub_days(days) } else { self.today.checked_add_days(days) };
        date.unwrap_or(self.today)
    }

    fn ago(&self, days: i64) -> Timestamp {
        self.now - TimeDelta::days(days)
    }

    /// A confirmed visit at this time. If its start or end has passed, the attendance says so.
    fn visit(&mut self, day: i64, minute: i64, (staff, service): (usize, usize)) -> Visit {
        let starts_at = at(self.date(day), minute);
        // A visit is booked up to 14 days before it. A visit in the more distant future was booked within the
        // last three days.
        let before = starts_at - TimeDelta::hours(3) - self.numbers.minutes(14 * 24 * 60);
        let created_at = before.min(self.now - TimeDelta::minutes(5) - self.numbers.minutes(3 * 24 * 60));
        let source = ["voice", "voice", "voice", "website", "website", "dashboard", "dashboard", "sms"];
        let source = source[self.numbers.below(source.len())];
        let ended = starts_at + TimeDelta::minutes(SERVICES[service].minutes) <= self.now;
        let attendance = match starts_at <= self.now {
            true if ended => Some("completed"),
            true => Some("arrived"),
            false => None,
        };
        let status = "confirmed";
        let (contact, updated_at) = (JEAN, created_at);
        Visit { service, staff, contact, day, starts_at, created_at, updated_at, source, status, attendance }
    }

    /// Fills the working hours of each staff member with visits. Later days get fewer visits.
    fn visits(&mut self) -> Vec<Visit> {
        let mut visits = Vec::new();
        for day in -PAST_DAYS..=COMING_DAYS {
            let busy = match day {
                0 => 95,
                day if day < 0 => 85,
                day => usize::try_from(80 - 6 * day).unwrap_or_default(),
            };
            for (staff, member) in STAFF.iter().enumerate() {
                if staff == SACHA && (TIME_OFF_DAYS[0]..=TIME_OFF_DAYS[1]).contains(&day) {
                    continue;
                }
                for (open, close) in windows(member, self.date(day)) {
                    let mut minute = open;
                    while minute < close {
                        let service = member.offers[self.numbers.below(member.offers.len())];
                        let Offer { minutes, buffer_after, .. } = SERVICES[service];
                        if !self.numbers.is_one_of(busy) || minute + minutes > close {
                            minute += GRID;
                            continue;
                        }
                        visits.push(self.visit(day, minute, (staff, service)));
                        minute += (minutes + buffer_after + GRID - 1) / GRID * GRID;
                    }
                }
            }
        }
        self.assign_contacts(&mut visits);
        self.mark(&mut visits);
        for (number, day) in EARLIER_VISITS.into_iter().enumerate() {
            let works = |day: &i64| !windows(&STAFF[CAMILLE], self.date(*day)).is_empty();
            let day = (day..day + 7).find(works).unwrap_or(day);
            let service = if number % 2 == 0 { 3 } else { 0 };
            let visit = self.visit(day, 660, (CAMILLE, service));
            visits.push(Visit { contact: AWA, ..visit });
        }
        visits.sort_by_key(|visit| visit.starts_at);
        visits
    }

    /// Assigns a contact to each visit. A contact comes at most once in ten days, and some contacts come for
    /// the first time.
    fn assign_contacts(&mut self, visits: &mut [Visit]) {
        let mut known = REGULARS;
        let mut last = vec![i64::MIN; known];
        for visit in visits {
            let is_new = visit.day > -PAST_DAYS + 7 && self.numbers.is_one_of(8);
            visit.contact = if is_new {
                last.push(visit.day);
                known += 1;
                known - 1
            } else {
                let first = 2 + self.numbers.below(known - 2);
                let mut all = (first..known).chain(2..first);
                let free = all.find(|one| last[*one].saturating_add(10) < visit.day);
                free.unwrap_or(first)
            };
            last[visit.contact] = visit.day;
        }
    }

    /// Cancels some visits, makes one a missed visit and one a request, and assigns two visits to [`AWA`].
    fn mark(&mut self, visits: &mut [Visit]) {
        for visit in visits.iter_mut().filter(|visit| visit.day != 0) {
            if self.numbers.is_one_of(5) {
                let before = (visit.starts_at - TimeDelta::hours(20)).min(self.now - TimeDelta::minutes(3));
                visit.updated_at = before.max(visit.created_at);
                (visit.status, visit.attendance) = ("cancelled", None);
            }
        }
        let is_kept = |visit: &&mut Visit| visit.status == "confirmed";
        let mut latest = visits.iter_mut().rev().filter(is_kept);
        if let Some(visit) = latest.find(|one| one.day < 0 && one.staff == DOMINIQUE) {
            (visit.contact, visit.attendance) = (JEAN, Some("no_show"));
        }
        if let Some(visit) = visits.iter_mut().filter(is_kept).find(|one| one.day > 0 && one.staff != CAMILLE)
        {
            let asked_at = self.now - TimeDelta::minutes(40);
            (visit.status, visit.source) = ("pending", "website");
            (visit.created_at, visit.updated_at) = (asked_at, asked_at);
        }
        let of_camille = |visit: &&mut Visit| is_kept(visit) && visit.staff == CAMILLE;
        for is_next in [true, false] {
            let mut found = visits.iter_mut().filter(of_camille);
            if let Some(visit) =
                found.find(|one| if is_next { one.day > 1 } else { one.day < -PAST_DAYS + 7 })
            {
                visit.contact = AWA;
            }
        }
    }
}

/// The instant of a local date and time at the salon.
fn at(date: NaiveDate, minute: i64) -> Timestamp {
    let local = date.and_time(chrono::NaiveTime::MIN) + TimeDelta::minutes(minute);
    let instant: Option<DateTime<Utc>> = Paris.from_local_datetime(&local).earliest().map(|at| at.to_utc());
    instant.unwrap_or(local.and_utc()).into()
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

/// The records as of this instant, with texts in this language.
pub(super) fn records(now: Timestamp, language: Locale) -> Records {
    let today = now.utc().with_timezone(&Paris).date_naive();
    let mut sample = Sample { now, today, numbers: Numbers(7) };
    let visits = sample.visits();
    let begun = sample.ago(400);
    let numbers = &mut sample.numbers;
    let stamps = |mut record: Value, at: Timestamp| {
        (record["created_at"], record["updated_at"]) = (json!(at), json!(at));
        record
    };
    let business_id: BusinessId = numbers.id(now);
    let mut lines = Lines { text: String::new(), count: 0 };
    lines.text = format!("{}\n", json!({"format": FORMAT, "version": VERSION, "exported_at": now}));

    let week =
        [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun];
    let open: Vec<Value> = week.into_iter().map(|day| window(day, hours(day))).collect();
    let business = json!({
        "id": business_id, "name": NAME, "timezone": "Europe/Paris", "locale": "fr",
        "website_url": "https://salon-lumiere.example", "booking_mode": "instant", "hours": open, "breaks": [],
        "phone_region": "FR", "suspended": false,
    });
    lines.add("business", stamps(business, begun));
    lines.add(
        "website",
        json!({
            "enabled": true, "slug": "salon-lumiere", "origins": [], "color": null, "phone": SALON_PHONE,
            "email": "bonjour@salon-lumiere.example", "address": "12 rue des Abbesses, 75018 Paris",
            "change_by_caller": true, "change_notice_minutes": 1440, "show_prices": true,
        }),
    );

    let mut ids = IdMint::default();
    let bytes = |numbers: &mut Numbers| numbers.next().to_be_bytes();
    let service_ids = SERVICES.each_ref().map(|_| ids.next::<ServiceId>(begun, bytes(numbers)));
    let staff_ids = STAFF.each_ref().map(|_| ids.next::<StaffId>(begun, bytes(numbers)));
    for (position, (service, id)) in SERVICES.iter().zip(service_ids).enumerate() {
        let record = json!({
            "id": id, "name": service.name, "description": service.description,
            "duration_minutes": service.minutes, "active": true, "buffer_before_minutes": 0,
            "buffer_after_minutes": service.buffer_after, "min_notice_minutes": 0, "max_advance_days": null,
            "price_cents": service.cents, "currency": "EUR", "category": service.category,
            "position": position, "color": service.color,
        });
        lines.add("service", stamps(record, begun));
    }
    for (position, (member, id)) in STAFF.iter().zip(staff_ids).enumerate() {
        let offers: Vec<ServiceId> = member.offers.iter().map(|offer| service_ids[*offer]).collect();
        let hours = week.into_iter().filter(|day| member.days.contains(day));
        let hours = hours.flat_map(|day| member.windows.map(|hours| window(day, hours)));
        let record = json!({
            "id": id, "name": member.name, "active": true, "timezone": "Europe/Paris", "service_ids": offers,
            "hours": hours.collect::<Vec<_>>(), "position": position, "color": member.color,
        });
        lines.add("staff", stamps(record, begun));
    }
    let off_at = now - TimeDelta::days(12);
    let [first, last] = TIME_OFF_DAYS;
    let dates = [first, last + 1].map(|day| {
        let days = Days::new(day.unsigned_abs());
        at(today.checked_add_days(days).unwrap_or(today), 0)
    });
    let time_off = json!({
        "id": numbers.id::<BlockedTimeId>(off_at), "staff_id": staff_ids[SACHA], "starts_at": dates[0],
        "ends_at": dates[1], "note": text(TIME_OFF, language), "created_at": off_at,
    });
    lines.add("time_off", time_off);

    let count = visits.iter().map(|visit| visit.contact + 1).max().unwrap_or_default().max(REGULARS);
    let mut contact_ids: Vec<ContactId> = Vec::with_capacity(count);
    let mut contacts = Vec::with_capacity(count);
    for contact in 0..count {
        let first =
            visits.iter().filter(|visit| visit.contact == contact).map(|visit| visit.created_at).min();
        let regular = begun + TimeDelta::days(2 * (contact % REGULARS) as i64) + numbers.minutes(600);
        let created_at = first.filter(|at| contact >= REGULARS || *at < regular).unwrap_or(regular);
        let id: ContactId = numbers.id(created_at);
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
        contact_ids.push(id);
        contacts.push(stamps(record, created_at));
    }
    lines.add_sorted("contact", contacts);

    let (mut appointments, mut calls) = (Vec::new(), Vec::new());
    for (number, visit) in visits.iter().enumerate() {
        let Visit { service, staff, source, created_at, .. } = *visit;
        let id: AppointmentId = numbers.id(created_at);
        let notes = (number % 19 == 5).then(|| APPOINTMENT_NOTES[number % APPOINTMENT_NOTES.len()]);
        let customer_note = (source == "website" && number % 5 == 0).then(|| CUSTOMER_NOTES[number % 4]);
        let offer = &SERVICES[service];
        let record = json!({
            "id": id, "status": visit.status, "starts_at": visit.starts_at, "ends_at": visit.ends_at(),
            "buffer_before_minutes": 0, "buffer_after_minutes": offer.buffer_after,
            "service_id": service_ids[service], "staff_id": staff_ids[staff],
            "contact_id": contact_ids[visit.contact], "source": source,
            "calendar_sync_status": "not_connected", "announced": visit.status != "pending",
            "move_unannounced": false, "notes": notes.map(|pair| text(pair, language)),
            "customer_note": customer_note.map(|pair| text(pair, language)), "booked_as": null,
            "attendance": visit.attendance, "created_at": created_at, "updated_at": visit.updated_at,
        });
        appointments.push(record);
        if source == "voice" && created_at > now - TimeDelta::days(21) {
            let summary = text(CALL_BOOKED[number % CALL_BOOKED.len()], language).replace("{}", offer.name);
            let mut call =
                call(numbers.id(created_at), created_at, (visit.contact, contact_ids[visit.contact]));
            (call["outcome"], call["summary"]) = ("appointment_booked".into(), summary.into());
            call["appointment_id"] = json!(id);
            calls.push(call);
        }
    }
    // A question or a missed call each day. The team has handled the missed calls.
    for day in 1..21 {
        let ended_at = now - TimeDelta::days(day) - numbers.minutes(240);
        let contact = 20 + day as usize;
        let mut call = call(numbers.id(ended_at), ended_at, (contact, contact_ids[contact]));
        if day % 4 == 0 {
            (call["status"], call["outcome"]) = ("missed".into(), "hangup".into());
            (call["duration_seconds"], call["handled_at"]) =
                (0.into(), json!(ended_at + TimeDelta::minutes(45)));
        } else {
            call["outcome"] = "question_answered".into();
            call["summary"] = text(CALL_ANSWERED[day as usize % CALL_ANSWERED.len()], language).into();
        }
        calls.push(call);
    }
    let mut messages = Vec::new();
    for (number, body) in MESSAGES.into_iter().enumerate() {
        let left_at = now - TimeDelta::days(2 * number as i64 + 1) - TimeDelta::minutes(70);
        let contact = 50 + number;
        let (call_id, message_id): (CallId, MessageId) = (numbers.id(left_at), numbers.id(left_at));
        let mut call = call(call_id, left_at, (contact, contact_ids[contact]));
        (call["outcome"], call["message_id"]) = ("message_taken".into(), json!(message_id));
        call["summary"] = text(CALL_WITH_MESSAGE, language).into();
        calls.push(call);
        let is_open = number == 0;
        let handled_at = left_at + TimeDelta::minutes(55);
        messages.push(json!({
            "id": message_id, "call_id": call_id, "contact_id": contact_ids[contact],
            "caller_name": name_of(contact), "caller_phone": phone_of(contact), "body": text(body, language),
            "urgency": "normal", "staff_id": staff_ids[number % STAFF.len()],
            "status": if is_open { "new" } else { "resolved" },
            "notes": (!is_open).then(|| text(MESSAGE_HANDLED, language)),
            "snoozed_until": is_open.then(|| now + TimeDelta::hours(20)),
            "created_at": left_at, "updated_at": if is_open { left_at } else { handled_at },
        }));
    }
    lines.add_sorted("appointment", appointments);
    lines.add_sorted("call", calls);
    lines.add_sorted("message", messages);

    let mut knowledge = Vec::new();
    for (number, [title, content]) in KNOWLEDGE.into_iter().enumerate() {
        let at = begun + TimeDelta::days(number as i64);
        let record = json!({
            "id": numbers.id::<KnowledgeId>(at), "title": text(title, language),
            "content": text(content, language), "source_url": null, "locale": language,
        });
        knowledge.push(stamps(record, at));
    }
    lines.add_sorted("knowledge", knowledge);
    let webhook_id: WebhookId = numbers.id(begun);
    let off_at = now - TimeDelta::hours(26);
    // The reserved domain `.example` has no addresses, and the endpoint is off, so nothing is sent.
    let webhook = json!({
        "id": webhook_id, "url": "https://newsletter.salon-lumiere.example/hooks/receptionist",
        "events": ["appointment.booked", "call.completed", "message.taken", "contact.created"],
        "description": text(WEBHOOK, language), "status": "disabled", "disabled_reason": "failures",
        "disabled_at": off_at, "secret": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "created_at": begun, "updated_at": off_at,
    });
    lines.add("webhook", webhook);
    let count = lines.count;
    lines.text.push_str(&format!("{}\n", json!({"kind": "business_end", "records": count})));
    lines.text.push_str(&format!("{}\n", json!({"kind": "end", "businesses": 1})));
    let [service_id, ..] = service_ids;
    Records { lines: lines.text, business_id, service_id, camille: staff_ids[CAMILLE], webhook_id }
}

/// A completed call of a contact. It ended a few seconds before it was recorded.
fn call(id: CallId, recorded_at: Timestamp, (contact, contact_id): (usize, ContactId)) -> Value {
    let seconds = 50 + 13 * (contact as i64 % 9);
    let ended_at = recorded_at - TimeDelta::seconds(4);
    json!({
        "id": id, "direction": "inbound", "status": "completed", "outcome": "other",
        "from_number": phone_of(contact), "to_number": SALON_PHONE, "contact_id": contact_id,
        "started_at": ended_at - TimeDelta::seconds(seconds), "ended_at": ended_at,
        "duration_seconds": seconds, "locale": "fr", "summary": null, "recording_url": null,
        "appointment_id": null, "message_id": null, "handled_at": null, "created_at": recorded_at,
        "updated_at": recorded_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(now: &str) -> Sample {
        let now = Timestamp::parse(now).unwrap();
        let today = now.utc().with_timezone(&Paris).date_naive();
        Sample { now, today, numbers: Numbers(7) }
    }

    /// Instants on each day of a week, at different times, and near both clock changes.
    const INSTANTS: [&str; 9] = [
        "2026-11-23T08:30:00Z",
        "2026-11-24T11:00:00Z",
        "2026-11-25T16:45:00Z",
        "2026-11-26T03:00:00Z",
        "2026-11-27T13:00:00Z",
        "2026-11-28T22:30:00Z",
        "2026-11-29T09:59:00Z",
        "2027-03-27T12:00:00Z",
        "2026-10-25T00:30:00Z",
    ];

    #[test]
    fn active_visits_are_at_bookable_times_and_today_is_busy() {
        for now in INSTANTS {
            let mut sample = sample(now);
            let visits = sample.visits();
            let active = |visit: &&Visit| visit.status != "cancelled";
            for (staff, member) in STAFF.iter().enumerate() {
                let theirs: Vec<_> = visits.iter().filter(active).filter(|one| one.staff == staff).collect();
                for visit in &theirs {
                    let offer = &SERVICES[visit.service];
                    assert!(member.offers.contains(&visit.service), "{now}: {}", offer.name);
                    let local = visit.starts_at.utc().with_timezone(&Paris);
                    let minute = i64::from(chrono::Timelike::num_seconds_from_midnight(&local) / 60);
                    let is_within = |(open, close): &(i64, i64)| {
                        *open <= minute && minute + offer.minutes <= *close && minute % GRID == 0
                    };
                    assert!(windows(member, local.date_naive()).iter().any(is_within), "{now}: {local}");
                    assert!(visit.created_at < visit.starts_at.min(sample.now), "{now}: {local}");
                    assert!(visit.updated_at <= sample.now && visit.updated_at >= visit.created_at);
                    let is_off = (TIME_OFF_DAYS[0]..=TIME_OFF_DAYS[1]).contains(&visit.day);
                    assert!(staff != SACHA || !is_off, "{now}: {local}");
                }
                for pair in theirs.windows(2) {
                    let buffer = TimeDelta::minutes(SERVICES[pair[0].service].buffer_after);
                    assert!(pair[0].ends_at() + buffer <= pair[1].starts_at, "{now}");
                }
            }
            let count = |test: fn(&Visit) -> bool| visits.iter().filter(|visit| test(visit)).count();
            assert!(count(|visit| visit.day == 0) >= 8, "{now}");
            assert_eq!(count(|visit| visit.status == "pending"), 1, "{now}");
            assert_eq!(count(|visit| visit.attendance == Some("no_show")), 1, "{now}");
            assert!(count(|visit| visit.status == "cancelled") > 5, "{now}");
            assert!(count(|visit| visit.contact == AWA) > EARLIER_VISITS.len(), "{now}");
            for visit in &visits {
                let may_attend = visit.status == "confirmed" && visit.starts_at <= sample.now;
                assert_eq!(visit.attendance.is_some(), may_attend, "{now}");
            }
        }
    }

    #[test]
    fn equal_starts_give_equal_records_and_the_language_changes_only_texts() {
        let now = Timestamp::parse(INSTANTS[0]).unwrap();
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
