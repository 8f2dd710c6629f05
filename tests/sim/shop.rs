//! A business as its clients see it, and the requests that they may send next.

use chrono::TimeDelta;
use chrono_tz::Tz;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    AppointmentId, Attendance, BlockedTimeId, BookingMode, BudgetKind, BusinessId, CallDetails, CallId,
    CallOutcome, CallStatus, ContactDetails, ContactId, ContactPatch, Day, DayHours, Direction,
    DisabledReason, Email, EventType, EventTypes, FeedDetail, FeedId, KeyId, KnowledgeDetails, KnowledgeId,
    LocalTime, Locale, MessageDetails, MessageId, MessageStatus, Phone, Scopes, ServiceId, Source, StaffId,
    Text, Timestamp, Urgency, WebhookId, WebhookSecret, WebhookStatus, WebhookUrl, WeeklyHours,
};
use engine::business::commands::ForOperator;
use engine::business::commands::appointments::{
    Book, BookingContact, Cancel, Confirm, Decline, PatchAppointment, Reschedule,
};
use engine::business::commands::budget::{LimitPatch, PatchBudget};
use engine::business::commands::calls::{MarkCall, RecordCall};
use engine::business::commands::catalog::{
    CreateService, CreateStaff, PatchService, PatchStaff, SetServiceStaff,
};
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::customers::ManageToken;
use engine::business::commands::feeds::{CreateFeed, RevokeFeed};
use engine::business::commands::keys::{CreateKey, RevokeKey};
use engine::business::commands::knowledge::AddKnowledge;
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::webhooks::{CreateWebhook, DeleteWebhook, PatchWebhook, RotateSecret};
use ports::Random;
use serde_json::Value;

use crate::dice::Dice;
use crate::ops::Op;

/// The durations of services in minutes. Some durations are not a multiple of the interval between start times,
/// so their appointments end between two start times.
const MINUTES: [u32; 5] = [30, 31, 45, 61, 90];
/// The clients create a feed only while they know fewer feeds than this number. It is far below the maximum of the
/// service, because the business may have more feeds: if a crash loses the response to a creation, the clients do not
/// know the new feed.
const FEEDS_MADE: usize = 4;

/// A business as its clients see it.
pub(crate) struct Shop {
    pub(crate) id: BusinessId,
    pub(crate) zone: Tz,
    pub(crate) services: Vec<ServiceId>,
    pub(crate) staff: Vec<StaffId>,
    pub(crate) appointments: Vec<AppointmentId>,
    pub(crate) contacts: Vec<ContactId>,
    pub(crate) calls: Vec<CallId>,
    pub(crate) messages: Vec<MessageId>,
    pub(crate) knowledge: Vec<KnowledgeId>,
    pub(crate) webhooks: Vec<WebhookId>,
    pub(crate) keys: Vec<KeyId>,
    /// All feeds, including revoked ones.
    feeds: Vec<FeedId>,
    /// The time off that was created: the staff member and the id.
    pub(crate) times_off: Vec<(StaffId, BlockedTimeId)>,
    /// The manage links of appointments. Older links may have expired.
    pub(crate) links: Vec<(AppointmentId, ManageToken)>,
    /// The maximum number of endpoints.
    endpoints_max: usize,
}

pub(crate) fn text<const MIN: usize, const MAX: usize>(text: &str) -> Text<MIN, MAX> {
    Text::new(text.into()).unwrap()
}

pub(crate) fn phone(number: usize) -> Phone {
    Phone::from_e164(format!("+1555{number:07}")).unwrap()
}

pub(crate) fn email(number: usize) -> Email {
    Email::new(&format!("c{number}@example.org")).unwrap()
}

/// Returns the same opening hours for every day.
pub(crate) fn every_day(open: u16, close: u16) -> WeeklyHours {
    let time = |minutes| LocalTime::from_minutes(minutes).unwrap();
    let day = |day: &Day| DayHours { day: *day, open: time(open), close: time(close) };
    WeeklyHours::new(Day::ALL.iter().map(day).collect()).unwrap()
}

/// Reads the id in a response.
pub(crate) fn id<I: std::str::FromStr<Err: std::fmt::Debug>>(value: &Value) -> I {
    value.as_str().unwrap().parse().unwrap()
}

impl Shop {
    pub(crate) fn new(id: BusinessId, zone: Tz, endpoints_max: usize) -> Self {
        Self {
            id,
            zone,
            services: Vec::new(),
            staff: Vec::new(),
            appointments: Vec::new(),
            contacts: Vec::new(),
            calls: Vec::new(),
            messages: Vec::new(),
            knowledge: Vec::new(),
            webhooks: Vec::new(),
            keys: Vec::new(),
            feeds: Vec::new(),
            times_off: Vec::new(),
            links: Vec::new(),
            endpoints_max,
        }
    }

    /// Records the response to a change.
    pub(crate) fn learn(&mut self, op: &Op, body: &Value) {
        match op {
            Op::Book(_) | Op::BookOnce(_) => {
                let appointment = id(&body["id"]);
                if !self.appointments.contains(&appointment) {
                    self.appointments.push(appointment);
                }
                let contact = id(&body["contact_id"]);
                if !self.contacts.contains(&contact) {
                    self.contacts.push(contact);
                }
            }
            Op::BookOnline(_) => {
                let appointment = id(&body["appointment_id"]);
                if !self.appointments.contains(&appointment) {
                    self.appointments.push(appointment);
                }
                if let Some(token) = body["token"].as_str() {
                    self.links.push((appointment, ManageToken::parse(token).unwrap()));
                }
            }
            Op::CreateContact(_) => self.contacts.push(id(&body["id"])),
            Op::RecordCall(_) => self.calls.push(id(&body["id"])),
            Op::TakeMessage(_) => self.messages.push(id(&body["id"])),
            Op::CreateService(_) => self.services.push(id(&body["id"])),
            Op::CreateStaff(_) => self.staff.push(id(&body["id"])),
            Op::CreateKey(_) => self.keys.push(id(&body["id"])),
            Op::CreateFeed(_) => self.feeds.push(id(&body["id"])),
            Op::CreateWebhook(_) => self.webhooks.push(id(&body["id"])),
            Op::AddKnowledge(_) => self.knowledge.push(id(&body["id"])),
            Op::DeleteKnowledge(gone) => self.knowledge.retain(|known| *known != gone.id),
            Op::RemoveService(gone) => self.services.retain(|known| *known != gone.id),
            Op::RemoveStaff(gone) => {
                self.staff.retain(|known| *known != gone.id);
                self.times_off.retain(|(of, _)| *of != gone.id);
            }
            Op::AddTimeOff(add) => self.times_off.push((add.staff_id, id(&body["id"]))),
            Op::DeleteTimeOff(gone) => self.times_off.retain(|(_, known)| *known != gone.id),
            Op::DeleteWebhook(gone) => self.webhooks.retain(|known| *known != gone.id),
            _ => {}
        }
    }

    /// Returns the next random change. A new endpoint gets the URL that `url` returns.
    pub(crate) fn next(&self, dice: &Dice, now: Timestamp, url: impl FnOnce() -> WebhookUrl) -> Op {
        let known = dice.any(&self.appointments);
        match (dice.below(100), known) {
            (30..=31, Some(id)) if dice.once_in(2) => {
                let notes = Some(dice.maybe(3, || text(&format!("Note {}", dice.below(9)))));
                PatchAppointment { notes, ..PatchAppointment::of(id) }.into()
            }
            (26 | 27, Some(id)) => self.override_rules(dice, now, id),
            (28..=31, Some(id)) => {
                let attendance = (!dice.once_in(4)).then(|| *dice.pick(Attendance::ALL));
                PatchAppointment { attendance: Some(attendance), ..PatchAppointment::of(id) }.into()
            }
            (32..=39, Some(id)) => Cancel { id }.into(),
            (40..=52, Some(id)) => self.reschedule(dice, now, id).into(),
            (53..=57, Some(id)) => Confirm { id }.into(),
            (58..=60, Some(id)) => Decline { id }.into(),
            (61..=86, _) => self.next_around(dice, now),
            (87..=99, _) => self.next_webhook(dice, url),
            _ => self.book(dice, now).into(),
        }
    }

    /// Returns a random start time within the 32 hours that begin tomorrow at 07:00 UTC. Most start times are on the
    /// hour or the half hour.
    pub(crate) fn some_time(dice: &Dice, now: Timestamp) -> Timestamp {
        let day = 86_400_000;
        let tomorrow = Timestamp::from_millis((now.millis() / day + 1) * day);
        let steps = i64::try_from(dice.below(64)).unwrap() + 14;
        tomorrow + TimeDelta::minutes(if dice.once_in(20) { 30 * steps + 7 } else { 30 * steps })
    }

    fn party(dice: &Dice) -> Party {
        if dice.once_in(3) { Party::TEAM } else { Party::Integration { allow_pending: !dice.once_in(3) } }
    }

    /// Returns the duration that the team chooses, or `None` if it chooses none.
    pub(crate) fn duration(dice: &Dice, party: Party) -> Option<TimeDelta> {
        let is_chosen = !matches!(party, Party::Integration { .. }) && dice.once_in(3);
        is_chosen.then(|| TimeDelta::minutes(i64::try_from(dice.below(86)).unwrap() + 5))
    }

    fn details(dice: &Dice) -> ContactDetails {
        let number = dice.below(14);
        ContactDetails {
            name: Some(text(&format!("Contact {number}"))),
            phone: Some(phone(number)),
            email: dice.maybe(3, || email(dice.below(14))),
            locale: dice.maybe(3, || Locale::Fr),
            zone: None,
        }
    }

    pub(crate) fn book(&self, dice: &Dice, now: Timestamp) -> Book {
        let known = dice.any(&self.contacts).filter(|_| dice.once_in(3));
        let party = Self::party(dice);
        Book {
            request: BookRequest {
                service_id: *dice.pick(&self.services),
                starts_at: Self::some_time(dice, now),
                staff_id: dice.maybe(2, || *dice.pick(&self.staff)),
                source: *dice.pick(Source::ALL),
                party,
                duration: Self::duration(dice, party),
            },
            contact: known
                .map_or_else(|| BookingContact::Described(Self::details(dice)), BookingContact::Known),
        }
    }

    pub(crate) fn reschedule(&self, dice: &Dice, now: Timestamp, id: AppointmentId) -> Reschedule {
        let party = Self::party(dice);
        let request = MoveRequest {
            starts_at: Self::some_time(dice, now),
            staff_id: dice.maybe(3, || *dice.pick(&self.staff)),
            party,
            duration: Self::duration(dice, party),
        };
        Reschedule { id, request }
    }

    fn next_around(&self, dice: &Dice, now: Timestamp) -> Op {
        match dice.below(20) {
            0..=2 => CreateContact { details: Self::details(dice) }.into(),
            3..=5 => match dice.any(&self.contacts) {
                Some(id) if dice.once_in(3) => {
                    let notes = Some(dice.maybe(3, || text(&format!("Note {}", dice.below(9)))));
                    let alert = Some(dice.maybe(3, || text(&format!("Alert {}", dice.below(9)))));
                    let patch = ContactPatch { notes, alert, ..ContactPatch::default() };
                    ForOperator(PatchContact { id, patch }).into()
                }
                Some(id) => PatchContact { id, patch: patch(dice) }.into(),
                None => CreateContact { details: Self::details(dice) }.into(),
            },
            6 if !self.calls.is_empty() => {
                MarkCall { id: *dice.pick(&self.calls), handled: !dice.once_in(3) }.into()
            }
            6..=8 => self.call(dice, now).into(),
            9..=10 => self.message(dice).into(),
            11 | 12 => match dice.any(&self.messages) {
                Some(id) => PatchMessage {
                    status: Some(*dice.pick(MessageStatus::ALL)),
                    staff_id: dice.maybe(2, || dice.any(&self.staff)),
                    notes: dice.maybe(3, || dice.maybe(3, || text(&format!("Note {}", dice.below(9))))),
                    snoozed_until: dice.maybe(3, || dice.maybe(3, || now + TimeDelta::hours(2))),
                    ..PatchMessage::of(id)
                }
                .into(),
                None => self.message(dice).into(),
            },
            13 => AddKnowledge {
                details: KnowledgeDetails {
                    title: text("Parking"),
                    // Some texts are so long that they are stored in pieces.
                    content: text(&"Behind the house. ".repeat(if dice.once_in(4) { 2_700 } else { 3 })),
                    source_url: None,
                    locale: Some(Locale::En),
                },
            }
            .into(),
            14 => self.next_key(dice),
            _ => self.next_of_business(dice),
        }
    }

    fn next_key(&self, dice: &Dice) -> Op {
        if dice.once_in(3) {
            match dice.any(&self.feeds).filter(|_| dice.once_in(2)) {
                Some(id) => return RevokeFeed { id }.into(),
                None if self.feeds.len() < FEEDS_MADE => {
                    let (detail, origin) = (FeedDetail::Services, "https://desk.example.com".into());
                    return CreateFeed { staff_id: None, detail, origin }.into();
                }
                None => {}
            }
        }
        match dice.any(&self.keys).filter(|_| dice.once_in(2)) {
            Some(id) => RevokeKey { id }.into(),
            None => CreateKey { name: text("A key"), scopes: Scopes::all() }.into(),
        }
    }

    /// Returns a random change by the team.
    fn next_of_business(&self, dice: &Dice) -> Op {
        match dice.below(10) {
            0 if self.services.len() < 5 => Self::service(dice).into(),
            1 if self.staff.len() < 4 => self.member(dice).into(),
            0..=2 => {
                let patched = PatchService::of(*dice.pick(&self.services));
                PatchService {
                    name: dice.maybe(3, || text(&format!("Cut {}", dice.below(9)))),
                    duration_minutes: dice.maybe(2, || *dice.pick(&MINUTES)),
                    active: Some(!dice.once_in(5)),
                    ..patched
                }
                .into()
            }
            3 if dice.once_in(2) => SetServiceStaff {
                id: *dice.pick(&self.services),
                staff_ids: self.staff.iter().copied().filter(|_| !dice.once_in(3)).collect(),
            }
            .into(),
            3..=5 => {
                let patched = PatchStaff::of(*dice.pick(&self.staff));
                PatchStaff {
                    name: dice.maybe(2, || text(&format!("Name {}", dice.below(99)))),
                    active: Some(!dice.once_in(5)),
                    service_ids: dice.maybe(4, || self.services.clone()),
                    ..patched
                }
                .into()
            }
            9 => Self::budget(dice).into(),
            _ => PatchBusiness {
                locale: dice.maybe(5, || *dice.pick(&[Locale::En, Locale::Fr])),
                website_url: dice.maybe(5, || Some("https://shop.example.net/".into())),
                booking_mode: Some(if dice.once_in(2) {
                    BookingMode::Instant
                } else {
                    *dice.pick(BookingMode::ALL)
                }),
                hours: dice.maybe(3, || match dice.below(3) {
                    0 => every_day(0, 1440),
                    1 => every_day(420, 1260),
                    _ => every_day(1_080, 300),
                }),
                ..PatchBusiness::default()
            }
            .into(),
        }
    }

    /// Returns a change to the budget: a low limit for one kind of record, or the default.
    fn budget(dice: &Dice) -> PatchBudget {
        let kinds: Vec<_> = BudgetKind::kept().collect();
        let kind = if dice.once_in(2) { BudgetKind::Contacts } else { *dice.pick(&kinds) };
        let rows_max = Some(dice.maybe(2, || dice.between(0, 20)));
        PatchBudget { limits: vec![(kind, LimitPatch { rows_max, bytes_max: None })] }
    }

    /// Returns a change to the budget that allows the next booking.
    pub(crate) fn room() -> PatchBudget {
        let limit = LimitPatch { rows_max: Some(None), bytes_max: None };
        PatchBudget { limits: vec![(BudgetKind::Contacts, limit), (BudgetKind::Appointments, limit)] }
    }

    pub(crate) fn service(dice: &Dice) -> CreateService {
        CreateService::lasting(text("Cut"), *dice.pick(&MINUTES))
    }

    pub(crate) fn member(&self, dice: &Dice) -> CreateStaff {
        CreateStaff::offering(text(&format!("Staff {}", dice.below(99))), self.services.clone())
    }

    fn call(&self, dice: &Dice, now: Timestamp) -> RecordCall {
        let (from, to) = (Some(phone(dice.below(18))), Some(phone(100)));
        let outbound = dice.once_in(3);
        let (from_number, to_number) = if outbound { (to, from) } else { (from, to) };
        let ended_at = now - TimeDelta::seconds(i64::try_from(dice.below(5_000)).unwrap());
        let outcome = *dice.pick(CallOutcome::ALL);
        RecordCall {
            details: CallDetails {
                status: match outcome {
                    CallOutcome::Hangup | CallOutcome::Other => CallStatus::Missed,
                    CallOutcome::Voicemail => CallStatus::Failed,
                    _ => CallStatus::Completed,
                },
                outcome,
                from_number,
                to_number,
                contact_id: dice.any(&self.contacts).filter(|_| dice.once_in(4)),
                summary: Some(text("They asked.")),
                appointment_id: dice.any(&self.appointments).filter(|_| dice.once_in(4)),
                message_id: dice.any(&self.messages).filter(|_| dice.once_in(4)),
                ..CallDetails::of(
                    if outbound { Direction::Outbound } else { Direction::Inbound },
                    ended_at - TimeDelta::seconds(90),
                    ended_at,
                )
            },
            contact_name: dice.maybe(2, || text("Caller")),
        }
    }

    fn message(&self, dice: &Dice) -> TakeMessage {
        TakeMessage {
            details: MessageDetails {
                call_id: dice.any(&self.calls).filter(|_| dice.once_in(2)),
                contact_id: dice.any(&self.contacts).filter(|_| dice.once_in(2)),
                caller_name: Some(text("Ada")),
                caller_phone: dice.maybe(2, || phone(dice.below(14))),
                urgency: *dice.pick(Urgency::ALL),
                staff_id: dice.any(&self.staff).filter(|_| dice.once_in(3)),
                ..MessageDetails::of(text("Please call back."))
            },
        }
    }

    fn next_webhook(&self, dice: &Dice, url: impl FnOnce() -> WebhookUrl) -> Op {
        let known = dice.any(&self.webhooks);
        match (dice.below(20), known) {
            (4..=7, Some(id)) => {
                let mut secret = [0; 32];
                dice.fill(&mut secret);
                RotateSecret { id, secret: WebhookSecret::new(secret) }.into()
            }
            (8, Some(id)) => DeleteWebhook { id }.into(),
            (9..=19, Some(id)) => PatchWebhook {
                id,
                url: dice.maybe(4, url),
                events: dice.maybe(4, || events(dice)),
                description: dice.maybe(4, || text(&format!("Hook {}", dice.below(9)))),
                status: dice.maybe(2, || {
                    if dice.once_in(3) { WebhookStatus::Disabled } else { WebhookStatus::Enabled }
                }),
                reason: DisabledReason::Api,
            }
            .into(),
            _ if self.webhooks.len() < self.endpoints_max => Self::webhook(dice, url()).into(),
            _ => self.next_key(dice),
        }
    }

    pub(crate) fn webhook(dice: &Dice, url: WebhookUrl) -> CreateWebhook {
        CreateWebhook { url, events: events(dice), description: Text::default() }
    }
}

/// Returns all event types, or some of them.
fn events(dice: &Dice) -> EventTypes {
    let some = (1..=3).map(|_| *dice.pick(EventType::ALL)).collect();
    if dice.once_in(3) { some } else { EventTypes::all() }
}

fn patch(dice: &Dice) -> ContactPatch {
    ContactPatch {
        name: dice.maybe(2, || dice.maybe(2, || text(&format!("Renamed {}", dice.below(9))))),
        phone: dice.maybe(2, || dice.maybe(2, || phone(dice.below(18)))),
        email: dice.maybe(2, || dice.maybe(2, || email(dice.below(18)))),
        locale: dice.maybe(3, || Some(Locale::En)),
        zone: dice.maybe(3, || Some(chrono_tz::Europe::Paris)),
        ..ContactPatch::default()
    }
}
