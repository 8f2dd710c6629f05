//! The engine's part of a turn in a conversation. The rules of the turn are in the crate [`talk`]. They ask questions
//! and request changes; this module uses the state of the business actor to answer the questions and make the changes.
//!
//! Invariants:
//! - A change obeys the rules for bookings by customers. The change becomes part of the decision of the turn,
//!   so the turn and its changes are one batch.
//! - A turn discloses and changes only appointments of the verified caller.

use std::sync::Arc;

use chrono::{Days, NaiveDate, NaiveTime, TimeDelta};
use domain::availability::{Slot, Terms};
use domain::booking::{self, BookRequest, MoveRequest, Party};
use domain::{
    Appointment, AppointmentId, AppointmentStatus, AuditAction, BookedAs, BudgetKind, Calendar,
    ContactDetails, ContactId, Conversation, Email, LocalTime, MessageDetails, Phone, Refusal, StaffId, Text,
    Timestamp, Urgency,
};
use serde::{Deserialize, Serialize};
use store::{Order, keys};
use talk::{
    Answer, Ask, BookAsk, Facts, MessageAsk, MoveAsk, OfferedService, OfferedStaff, OpenDay, Opening,
    OpeningsAsk, OwnAppointment, Refused,
};
use view::{AppointmentParties, SomeAppointmentView};

use super::codes::SentCode;
use super::commands::appointments::{Book, BookingContact, amend, book};
use super::commands::conversations::speaks_for;
use super::commands::messages;
use super::context::Context;
use super::decision::Decision;
use super::request::{Removed, Shown};
use super::state::State;
use crate::error::{EngineError, Result};

/// Parses a phone number that a person has written or said. The second parameter is the region of national numbers.
pub type ReadPhone = fn(&str, &str) -> Option<Phone>;

/// A limit on the bookings of callers. It contains a function that counts a booking under the phone number and the
/// email address that the caller has entered. The function returns false if the limit is reached.
#[derive(Clone)]
pub struct BookingLimit(Arc<CountBooking>);

type CountBooking = dyn Fn(Option<&Phone>, Option<&Email>) -> bool + Send + Sync;

impl BookingLimit {
    pub fn new(counts: impl Fn(Option<&Phone>, Option<&Email>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(counts))
    }
}

impl std::fmt::Debug for BookingLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BookingLimit(…)")
    }
}

/// Customers book and move appointments under the same rules as integrations.
const CUSTOMER: Party = Party::Integration { allow_pending: true };
/// The number of days whose opening hours are among the facts of a turn.
const HOURS_DAYS: u64 = 14;
/// The number of days that one search for bookable times covers.
const LOOK_DAYS: u64 = 7;
const OWN_MAX: usize = 20;
/// When the values in a list of rows exceed this number of bytes, the list ends.
const ROWS_BYTES_MAX: usize = 8 << 20;

/// Returns the facts about the business that a turn needs.
pub(super) fn facts(state: &State, now: Timestamp) -> Facts {
    let (business, website, receptionist) = (&state.business, &state.website, &state.receptionist);
    let mut staff: Vec<_> = state.staff.values().filter(|member| member.active).collect();
    staff.sort_by_key(|member| (member.position, member.id));
    let mut services: Vec<_> = state.services.values().filter(|service| service.active).collect();
    services.sort_by_key(|service| (service.position, service.id));
    let offered = services.into_iter().map(|service| OfferedService {
        id: service.id,
        name: service.name.clone(),
        staff: staff
            .iter()
            .filter(|member| member.service_ids.contains(&service.id))
            .map(|member| member.id)
            .collect(),
    });
    let calendar = Calendar::new(business, &state.special);
    let today = calendar.local_date(now);
    let days = (0..HOURS_DAYS).filter_map(|day| today.checked_add_days(Days::new(day)));
    let is_open = calendar
        .timeline_around(now, TimeDelta::milliseconds(1))
        .holds(now, now + TimeDelta::milliseconds(1));
    Facts {
        business: business.name.clone(),
        zone: business.zone,
        locale: business.locale,
        phone_region: business.phone_region.clone(),
        booking_mode: business.booking_mode,
        services: offered.filter(|service| !service.staff.is_empty()).collect(),
        staff: staff.iter().map(|member| OfferedStaff { id: member.id, name: member.name.clone() }).collect(),
        hours: days
            .map(|date| OpenDay {
                date,
                windows: calendar
                    .windows_on(date)
                    .map(|window| (time_of(window.open), time_of(window.close)))
                    .collect(),
            })
            .collect(),
        phone: website.phone.as_deref().map(str::to_owned),
        email: website.email.as_ref().map(|email| email.as_str().to_owned()),
        address: website.address.clone(),
        website_url: business.website_url.clone(),
        change_by_caller: website.change_by_caller,
        knowledge_public: receptionist.knowledge_public,
        handoff: receptionist.handoff_number.is_some() && is_open,
        greeting_en: receptionist.greeting.en.clone(),
        greeting_fr: receptionist.greeting.fr.clone(),
        instructions: receptionist.instructions.clone(),
        // No telephone carrier is connected, so every transfer fails, and the service can send no text messages. Codes
        // are sent by email.
        transfers_fail: true,
        asks_consent: false,
        sends_codes: state.outbox.transport().is_some(),
    }
}

/// Converts a time of day. 24:00, the end of a day, becomes 00:00.
fn time_of(time: LocalTime) -> NaiveTime {
    let seconds = u32::from(time.minutes() % LocalTime::DAY_MINUTES) * 60;
    NaiveTime::from_num_seconds_from_midnight_opt(seconds, 0).unwrap_or_default()
}

/// The state of an appointment after a change that the turn makes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct PlannedView {
    id: AppointmentId,
    staff_id: StaffId,
    contact_id: Option<ContactId>,
    status: AppointmentStatus,
}

impl SomeAppointmentView for PlannedView {
    fn new(it: &Appointment, _: AppointmentParties<'_>) -> Self {
        Self { id: it.id, staff_id: it.staff_id, contact_id: it.contact_id, status: it.status }
    }
}

pub(super) struct TurnContext<'a, 'c> {
    pub(super) context: &'a mut Context<'c>,
    pub(super) conversation: &'a Conversation,
    pub(super) talk: &'a talk::Talk,
    pub(super) read_phone: ReadPhone,
    pub(super) limit: Option<BookingLimit>,
    /// The changes of this turn.
    pub(super) planned: Decision<Removed>,
    /// The contact of the last booking in this turn.
    pub(super) booked_by: Option<ContactId>,
    /// The newest code of the conversation.
    pub(super) code: Option<SentCode>,
    /// The contact to whom the code was sent, if the caller entered the right code in this turn.
    pub(super) verified: Option<ContactId>,
}

impl TurnContext<'_, '_> {
    pub(super) fn answer(&mut self, ask: &Ask) -> Result<Answer> {
        match ask {
            Ask::Openings(ask) => Ok(Answer::Openings(self.openings(ask)?)),
            Ask::Appointments { contact } => Ok(Answer::Appointments(self.own_appointments(*contact)?)),
            Ask::Passages { query } => {
                let state = self.context.state;
                Ok(Answer::Passages(state.knowledge_index()?.search(query)))
            }
            Ask::Phone { written } => {
                let region = &self.context.state.business.phone_region;
                let phone = (self.read_phone)(written, region);
                Ok(Answer::Phone(phone.map(|phone| phone.as_str().to_owned())))
            }
            Ask::Book(ask) => self.book(ask),
            Ask::Move(ask) => self.reschedule(ask),
            Ask::Cancel { appointment, starts_at, .. } => self.cancel(*appointment, *starts_at),
            Ask::Message(ask) => self.message(ask),
            Ask::SendCode { phone } => {
                self.send_code(phone)?;
                Ok(Answer::Done)
            }
            Ask::Consent { .. } => Ok(Answer::Done),
            Ask::CheckCode { code } => self.check_code(code),
        }
    }

    fn openings(&self, ask: &OpeningsAsk) -> Result<Vec<Opening>> {
        let schedule = self.context.schedule();
        let moving = ask.moving.map(|id| self.context.state.appointment(id)).transpose()?.flatten();
        let (mut found, mut days_found, mut day): (Vec<Opening>, Vec<NaiveDate>, _) =
            (Vec::new(), Vec::new(), ask.from);
        let calendar = Calendar::new(schedule.business, schedule.special);
        while day <= ask.to && days_found.len() <= ask.days_max as usize {
            let last = day.checked_add_days(Days::new(LOOK_DAYS - 1)).unwrap_or(ask.to).min(ask.to);
            let slots = match &moving {
                Some(moving) => {
                    schedule.slots_to_move(moving, moving.staff_id, (day, last), Terms::Integration, None)
                }
                None => schedule.slots(ask.service, ask.staff, (day, last), Terms::Integration),
            };
            // A service or staff member that has become inactive has no bookable times.
            let slots = match slots {
                Err(Refusal::Invalid(_)) => return Ok(Vec::new()),
                slots => slots?,
            };
            let zone = schedule.business.zone;
            let fits = |slot: &Slot| {
                let time = slot.starts_at.utc().with_timezone(&zone).time();
                ask.times.as_ref().is_none_or(|times| times.contains(time))
            };
            for slot in slots.into_iter().filter(fits) {
                let date = calendar.local_date(slot.starts_at);
                if days_found.last() != Some(&date) {
                    days_found.push(date);
                    if days_found.len() > ask.days_max as usize {
                        break;
                    }
                }
                let staff = match &moving {
                    Some(moving) => Some(moving.staff_id),
                    None => schedule.taker(ask.service, ask.staff, slot.starts_at, Terms::Integration),
                };
                found.extend(staff.map(|staff| Opening { starts_at: slot.starts_at, staff }));
            }
            let Some(next) = last.succ_opt() else { break };
            day = next;
        }
        Ok(found)
    }

    fn own_appointments(&self, contact: ContactId) -> Result<Vec<OwnAppointment>> {
        if !self.is_verified(contact)? {
            return Ok(Vec::new());
        }
        self.coming_appointments(contact)
    }

    /// Returns the upcoming active appointments of a contact, at most [`OWN_MAX`].
    pub(super) fn coming_appointments(&self, contact: ContactId) -> Result<Vec<OwnAppointment>> {
        let (state, now) = (self.context.state, self.context.now);
        let from = keys::appointment_by_contact(state.id, contact, now, uuid::Uuid::nil().into());
        let range = keys::appointments_of_contact(state.id, contact).starting_at(from);
        let mut own = Vec::new();
        for (key, _) in state.rows(&range, OWN_MAX * 4)? {
            let Some(it) = state.appointment(keys::id_at_end(&key)?)? else { continue };
            if own.len() < OWN_MAX && it.is_active() {
                own.push(self.own_appointment(&it));
            }
        }
        Ok(own)
    }

    /// True if the contact exists, and the caller was verified as this contact or sends text messages from its phone
    /// number.
    fn is_verified(&self, contact: ContactId) -> Result<bool> {
        let is_theirs =
            self.verified == Some(contact) || self.talk.verified && self.talk.contact == Some(contact);
        Ok(is_theirs && self.context.contact(contact)?.is_some())
    }

    fn own_appointment(&self, it: &Appointment) -> OwnAppointment {
        let state = self.context.state;
        OwnAppointment {
            id: it.id,
            service: it.service_id,
            service_name: state.services.get(&it.service_id).map(|it| it.name.clone()).unwrap_or_default(),
            staff: it.staff_id,
            staff_name: state.staff.get(&it.staff_id).map(|it| it.name.clone()).unwrap_or_default(),
            starts_at: it.starts_at,
            changeable: self.is_changeable(it),
        }
    }

    fn is_changeable(&self, it: &Appointment) -> bool {
        let (state, now) = (self.context.state, self.context.now);
        let notice = state
            .website
            .change_notice_minutes
            .or_else(|| state.services.get(&it.service_id).map(|service| service.min_notice_minutes));
        it.is_active()
            && state.website.change_by_caller
            && it.starts_at > now
            && it.starts_at >= now + TimeDelta::minutes(notice.unwrap_or_default().into())
    }

    /// Returns the appointment if it belongs to the verified caller, can be changed, and starts at `starts_at`.
    fn changeable_appointment(&self, id: AppointmentId, starts_at: Timestamp) -> Result<Option<Appointment>> {
        let Some(it) = self.context.state.appointment(id)? else { return Ok(None) };
        let contact = self.context.state.contact_of(it.contact_id)?;
        let is_theirs = match contact {
            Some(contact) => self.is_verified(contact.id)?,
            None => false,
        };
        Ok(Some(it).filter(|it| is_theirs && it.starts_at == starts_at && self.is_changeable(it)))
    }

    fn book(&mut self, ask: &BookAsk) -> Result<Answer> {
        let phone = ask.phone.as_ref().and_then(|phone| Phone::from_e164(phone.clone()).ok());
        let email = ask.email.as_deref().and_then(|email| Email::new(email).ok());
        let Ok(name) = Text::new(ask.name.clone()) else { return Ok(Answer::Refused(Refused::Limit)) };
        if !self.context.state.has_room(&[BudgetKind::Appointments, BudgetKind::Contacts]) {
            return Ok(Answer::Refused(Refused::Limit));
        }
        let entered = (phone.clone(), email.clone());
        let booked_as = BookedAs {
            name: Some(ask.name.clone()),
            phone: phone.clone(),
            email: email.clone(),
            locale: self.talk.locale,
            texts: false,
        };
        let contact = match self.talk.contact.filter(|_| self.talk.verified) {
            Some(contact) if self.context.contact(contact)?.is_some() => BookingContact::Known(contact),
            _ => BookingContact::Entered(ContactDetails {
                name: Some(name),
                phone,
                email,
                ..ContactDetails::default()
            }),
        };
        let request = BookRequest {
            service_id: ask.service,
            starts_at: ask.starts_at,
            staff_id: Some(ask.staff),
            source: self.conversation.channel.source(),
            party: CUSTOMER,
            duration: None,
        };
        let names = |appointment: &mut Appointment| appointment.booked_as = Some(booked_as);
        let booked = book(self.context, Book { request, contact }, names, |planned: PlannedView| {
            Decision::<Shown<PlannedView>>::answering(planned)
        });
        if let (Ok(_), Some(BookingLimit(counts))) = (&booked, &self.limit)
            && !counts(entered.0.as_ref(), entered.1.as_ref())
        {
            return Ok(Answer::Refused(Refused::Limit));
        }
        self.plan(booked)
    }

    fn reschedule(&mut self, ask: &MoveAsk) -> Result<Answer> {
        if self.changeable_appointment(ask.appointment, ask.expected_starts_at)?.is_none() {
            return Ok(Answer::Refused(Refused::Changed));
        }
        let request =
            MoveRequest { starts_at: ask.starts_at, staff_id: None, party: CUSTOMER, duration: None };
        let (at, schedule) = (self.context.at, self.context.schedule());
        let moved = amend(self.context, ask.appointment, AuditAction::AppointmentRescheduled, |before| {
            booking::reschedule(&schedule, before, &request, at)
        });
        self.plan(moved)
    }

    fn cancel(&mut self, id: AppointmentId, starts_at: Timestamp) -> Result<Answer> {
        if self.changeable_appointment(id, starts_at)?.is_none() {
            return Ok(Answer::Refused(Refused::Changed));
        }
        let at = self.context.at;
        let cancelled = amend::<PlannedView>(self.context, id, AuditAction::AppointmentCancelled, |before| {
            Ok(booking::cancel(before, at))
        });
        Ok(match self.plan(cancelled)? {
            Answer::Booked { .. } => Answer::Done,
            other => other,
        })
    }

    /// Adds the decision about an appointment to the changes of this turn. If the booking rules refuse the appointment,
    /// returns [`Answer::Refused`] instead of an error, so that the conversation can continue.
    fn plan(&mut self, decided: Result<Decision<Shown<PlannedView>>>) -> Result<Answer> {
        let refused = |refused| Ok(Answer::Refused(refused));
        match decided {
            Ok(decision) => {
                let planned = std::mem::replace(&mut self.planned, Decision::gone());
                let (planned, view) = planned.with(decision);
                self.planned = planned;
                self.booked_by = view.contact_id.or(self.booked_by);
                let confirmed = view.status == AppointmentStatus::Confirmed;
                Ok(Answer::Booked { appointment: view.id, staff: view.staff_id, confirmed })
            }
            Err(EngineError::Refused(Refusal::SlotUnavailable(_) | Refusal::Invalid(_))) => {
                refused(Refused::Taken)
            }
            Err(EngineError::Refused(Refusal::BookingDisabled)) => refused(Refused::Limit),
            Err(EngineError::Refused(Refusal::Conflict { conflict, .. })) => refused(match conflict {
                domain::Conflict::BudgetUsedUp(_) => Refused::Limit,
                _ => Refused::Changed,
            }),
            Err(error) => Err(error),
        }
    }

    fn message(&mut self, ask: &MessageAsk) -> Result<Answer> {
        let Ok(body) = Text::new(ask.body.clone()) else { return Ok(Answer::Refused(Refused::Limit)) };
        if !self.context.state.has_room(&[BudgetKind::Messages]) {
            return Ok(Answer::Refused(Refused::Limit));
        }
        // If the caller is verified, `known` is the contact that the caller has proved to be. If there is no such
        // contact, `known` is the contact with the caller's phone number, or the contact of a booking in this
        // conversation.
        let known = self.talk.contact.filter(|_| self.talk.verified).or(self.conversation.contact_id);
        let contact = known.map(|id| self.context.contact(id)).transpose()?.flatten();
        let caller_phone = ask.phone.as_ref().and_then(|phone| Phone::from_e164(phone.clone()).ok());
        let contact = contact.filter(|it| speaks_for(caller_phone.as_ref(), self.conversation, Some(it)));
        let details = MessageDetails {
            call_id: self.conversation.call_id,
            contact_id: contact.map(|contact| contact.id),
            caller_name: ask.name.clone().and_then(|name| Text::new(name).ok()),
            caller_phone,
            urgency: if ask.urgent { Urgency::Urgent } else { Urgency::Normal },
            staff_id: ask.staff.filter(|staff| self.context.staff(*staff).is_some()),
            ..MessageDetails::of(body)
        };
        match messages::take(self.context, details) {
            Ok(decision) => {
                let planned = std::mem::replace(&mut self.planned, Decision::gone());
                let (planned, view) = planned.with(decision);
                self.planned = planned;
                Ok(Answer::Message(view.message.id))
            }
            Err(EngineError::Refused(_)) => Ok(Answer::Refused(Refused::Limit)),
            Err(error) => Err(error),
        }
    }
}

impl State {
    /// Returns the first rows of a range, including the changes that are not durable yet.
    pub(super) fn rows(&self, range: &store::KeyRange, max: usize) -> Result<Vec<(store::Key, Vec<u8>)>> {
        let (mut rows, mut bytes) = (std::collections::BTreeMap::new(), 0);
        for row in self.store.scan(range, Order::Ascending).take(max) {
            let (key, value) = row?;
            bytes += value.len();
            rows.insert(store::Key::new(&key), value);
            if bytes > ROWS_BYTES_MAX {
                break;
            }
        }
        for (key, value) in self.overlay.range(range) {
            match value {
                Some(value) => rows.insert(*key, value.to_vec()),
                None => rows.remove(key),
            };
        }
        Ok(rows.into_iter().take(max).collect())
    }
}

/// The stored state of an open conversation.
#[derive(Serialize, Deserialize)]
pub(crate) struct Session {
    pub(super) talk: talk::Talk,
    pub(super) choices: Vec<view::ChoiceView>,
    /// The receptionist does not answer until this time.
    pub(super) silent_until: Option<Timestamp>,
    #[serde(flatten)]
    pub(crate) used: Used,
}

/// The parts of a session that the engine uses. The rules in [`talk`] do not use these parts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Used {
    /// The number of tokens of the model that the conversation has used.
    pub(super) tokens: u64,
    /// The newest code that was sent for the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<SentCode>,
}

impl Session {
    /// Decodes the session of a conversation. Returns `None` if the conversation was erased, or if another version of
    /// the service wrote a session that this version cannot decode.
    pub(crate) fn of(conversation: &Conversation) -> Option<Self> {
        serde_json::from_slice(&conversation.session).ok()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        view::render(self)
    }
}
