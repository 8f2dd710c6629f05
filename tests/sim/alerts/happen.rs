//! Random events of a business: bookings and their changes, messages and calls. People also read their alerts.

use chrono::TimeDelta;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    Actor, AlertChoice, AlertEmail, AlertKind, AlertScope, BookingMode, CallDetails, CallStatus,
    ContactDetails, Direction, Locale, MessageDetails, PersonId, Phone, Source, Timestamp, Urgency,
};
use engine::business::commands::alerts::ReadAlerts;
use engine::business::commands::appointments::{Book, BookingContact, Cancel, Confirm, Decline, Reschedule};
use engine::business::commands::calls::RecordCall;
use engine::business::commands::customers::{BookOnline, CancelByLink, ManageToken, MoveByLink};
use engine::business::commands::messages::TakeMessage;
use engine::business::commands::profile::PatchBusiness;
use engine::business::{PageRequest, Request};
use engine::{BusinessHandle, EngineError};
use parking_lot::Mutex;

use super::{Shop, id_of};
use crate::dice::Dice;
use crate::shop::text;

pub(super) async fn book(
    business: &BusinessHandle,
    request: Request,
    dice: &Dice,
    slot: &Mutex<Shop>,
    now: Timestamp,
) -> Result<(), EngineError> {
    if dice.once_in(8) {
        let mode = *dice.pick(&[BookingMode::Instant, BookingMode::Request]);
        let change = PatchBusiness { booking_mode: Some(mode), ..PatchBusiness::default() };
        return business.change(Request::by(Actor::Operator), change).await.map(|_| ());
    }
    let (shop, number) = {
        let mut shop = slot.lock();
        shop.booked += 1;
        (shop.clone(), shop.booked)
    };
    let starts_at = next_hour(now) + TimeDelta::hours(number % 400 + 40);
    let phone = Phone::from_e164(format!("+1555{:07}", number % 9)).unwrap();
    let booking = BookRequest {
        service_id: shop.service.unwrap(),
        starts_at,
        staff_id: Some(*dice.pick(&shop.staff)),
        source: Source::Api,
        party: party(dice),
        duration: None,
    };
    if dice.once_in(4) {
        let online = BookOnline {
            request: booking,
            name: text("Ada"),
            phone: Some(phone),
            email: None,
            note: None,
            locale: Locale::En,
            texts: false,
        };
        let booked = business.change(Request::by(Actor::Customer), online).await?.value;
        let token = ManageToken::parse(&booked.token.unwrap()).unwrap();
        let mut shop = slot.lock();
        shop.appointments.push(booked.appointment_id);
        shop.links.push(token);
        return Ok(());
    }
    let change = Book {
        request: booking,
        contact: BookingContact::Described(ContactDetails { phone: Some(phone), ..Default::default() }),
    };
    let answer = business.change(request, change).await?;
    slot.lock().appointments.push(id_of(&answer));
    Ok(())
}

fn next_hour(now: Timestamp) -> Timestamp {
    Timestamp::from_millis((now.millis() / 3_600_000 + 1) * 3_600_000)
}

fn party(dice: &Dice) -> Party {
    if dice.once_in(3) { Party::TEAM } else { Party::Integration { allow_pending: true } }
}

pub(super) async fn change_some(
    business: &BusinessHandle,
    request: Request,
    dice: &Dice,
    shop: &Shop,
    slot: &Mutex<Shop>,
    now: Timestamp,
) -> Result<(), EngineError> {
    if shop.appointments.is_empty() {
        return Ok(());
    }
    let id = *dice.pick(&shop.appointments);
    if dice.once_in(4) && !shop.links.is_empty() {
        return change_by_link(business, dice, shop, slot, now).await;
    }
    match dice.below(4) {
        0 => business.change(request, Cancel { id }).await.map(drop),
        1 => business.change(request, Confirm { id }).await.map(drop),
        2 => business.change(request, Decline { id }).await.map(drop),
        _ => {
            let to = MoveRequest {
                starts_at: next_start(slot, now),
                staff_id: dice.maybe(2, || *dice.pick(&shop.staff)),
                party: party(dice),
                duration: None,
            };
            business.change(request, Reschedule { id, request: to }).await.map(drop)
        }
    }
}

/// Returns a start time that no earlier request has used.
fn next_start(slot: &Mutex<Shop>, now: Timestamp) -> Timestamp {
    let mut shop = slot.lock();
    shop.booked += 1;
    next_hour(now) + TimeDelta::hours(shop.booked % 400 + 40)
}

async fn change_by_link(
    business: &BusinessHandle,
    dice: &Dice,
    shop: &Shop,
    slot: &Mutex<Shop>,
    now: Timestamp,
) -> Result<(), EngineError> {
    let token = dice.pick(&shop.links).clone();
    let Some(seen) = business.seen_by_link(&token).await? else { return Ok(()) };
    let (expected_starts_at, by) = (seen.appointment.starts_at, Request::by(Actor::Customer));
    if dice.once_in(2) {
        return business.change(by, CancelByLink { token, expected_starts_at }).await.map(drop);
    }
    let starts_at = next_start(slot, now);
    business.change(by, MoveByLink { token, starts_at, expected_starts_at }).await.map(drop)
}

pub(super) fn message(dice: &Dice, shop: &Shop) -> TakeMessage {
    let details = MessageDetails {
        caller_name: Some(text("Grace")),
        urgency: *dice.pick(&[Urgency::Normal, Urgency::Urgent]),
        staff_id: dice.maybe(2, || *dice.pick(&shop.staff)),
        ..MessageDetails::of(text("Ring back"))
    };
    TakeMessage { details }
}

pub(super) fn call(dice: &Dice, now: Timestamp) -> RecordCall {
    let details = CallDetails {
        status: *dice.pick(&[CallStatus::Completed, CallStatus::Missed, CallStatus::Failed]),
        from_number: Some(Phone::from_e164("+15550009999".to_owned()).unwrap()),
        ..CallDetails::of(Direction::Inbound, now - TimeDelta::minutes(2), now - TimeDelta::minutes(1))
    };
    RecordCall { details, contact_name: None }
}

pub(super) fn choices(dice: &Dice) -> Vec<(AlertKind, AlertChoice)> {
    let email = [AlertEmail::Now, AlertEmail::Daily, AlertEmail::Off];
    let scope = [AlertScope::All, AlertScope::Mine];
    let one = || {
        let choice = AlertChoice {
            email: dice.maybe(2, || *dice.pick(&email)),
            in_app: dice.maybe(3, || !dice.once_in(3)),
            scope: dice.maybe(3, || *dice.pick(&scope)),
        };
        (*dice.pick(AlertKind::ALL), choice)
    };
    vec![one(), one()]
}

/// Marks one alert or all alerts of a person as read. Checks that the list of alerts then shows them as
/// read.
pub(super) async fn read(
    business: &BusinessHandle,
    dice: &Dice,
    person: PersonId,
) -> Result<(), EngineError> {
    let page = PageRequest { limit: 100, after: None };
    let alerts = business.alerts(person, &page).await?.items;
    assert!(alerts.is_sorted_by(|one, other| one.number > other.number));
    let by = || Request::by(Actor::Person(person));
    let number = dice.maybe(2, || alerts.first().map(|alert| alert.number)).flatten();
    business.change(by(), ReadAlerts { number }).await?;
    let unread = |of: Vec<domain::Alert>| of.iter().filter(|alert| alert.read_at.is_none()).count();
    let after = business.alerts(person, &page).await?.items;
    // Alerts may have been added meanwhile, so the check compares only those that existed before.
    let known: Vec<_> =
        after.into_iter().filter(|alert| alerts.iter().any(|one| one.number == alert.number)).collect();
    match number {
        Some(number) => assert!(known.iter().any(|one| one.number == number && one.read_at.is_some())),
        None => assert_eq!(unread(known), 0),
    }
    Ok(())
}
