//! The clients of a business: customers, integrations and the team.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    Actor, AppointmentId, BookingMode, ContactDetails, Email, Locale, NoticeScope, Source, Timestamp,
};
use engine::business::Request;
use engine::business::commands::appointments::{Book, BookingContact, Cancel, Confirm, Decline, Reschedule};
use engine::business::commands::customers::{BookOnline, CancelByLink, ManageToken, MoveByLink};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::notices::StopNotices;
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::website::PatchNotices;
use engine::{BusinessHandle, EngineError};
use parking_lot::Mutex;
use ports::Clock;
use uuid::Uuid;
use view::AppointmentView;

use super::relay::Relay;
use super::{Shop, id_of};
use crate::dice::Dice;
use crate::shop::text;

/// A client of one business.
pub(super) struct Client {
    pub(super) business: BusinessHandle,
    pub(super) dice: Arc<Dice>,
    pub(super) relay: Arc<Relay>,
    pub(super) shop: Shop,
    pub(super) slot: Arc<Mutex<Shop>>,
    pub(super) now: Timestamp,
}

impl Client {
    /// Returns a number that no other request has, and a time that is usually free.
    fn next(&self) -> (i64, Timestamp) {
        let mut shop = self.slot.lock();
        shop.booked += 1;
        let first = Timestamp::from_millis((self.now.millis() / 3_600_000 + 1) * 3_600_000);
        (shop.booked, first + TimeDelta::hours(shop.booked * 7 % 300 + 2))
    }

    /// Returns an email address. It is either one of three shared addresses, or the customer's own.
    fn email(&self, number: i64) -> Email {
        let number = if self.dice.once_in(3) { number % 3 } else { number };
        Email::new(&format!("c{number}@example.org")).unwrap()
    }

    fn locale(&self) -> Locale {
        *self.dice.pick(&[Locale::En, Locale::Fr])
    }

    fn request(&self, starts_at: Timestamp, source: Source) -> BookRequest {
        BookRequest {
            service_id: self.shop.service.unwrap(),
            starts_at,
            staff_id: Some(*self.dice.pick(&self.shop.staff)),
            source,
            party: self.party(),
            duration: None,
        }
    }

    fn party(&self) -> Party {
        if self.dice.once_in(3) { Party::TEAM } else { Party::Integration { allow_pending: true } }
    }

    fn actor(&self) -> Actor {
        let key = Uuid::from_u128(u128::from(self.dice.next())).into();
        if self.dice.once_in(3) { Actor::ApiKey(key) } else { Actor::Operator }
    }

    pub(super) async fn book_online(&self) -> Result<(), EngineError> {
        let (number, starts_at) = self.next();
        let online = BookOnline {
            request: self.request(starts_at, Source::Website),
            name: text("Ada"),
            phone: None,
            email: Some(self.email(number)),
            note: None,
            locale: self.locale(),
            texts: false,
        };
        let booked = self.business.change(Request::by(Actor::Customer), online).await?.value;
        let mut shop = self.slot.lock();
        shop.appointments.push(booked.appointment_id);
        shop.links.push(ManageToken::parse(&booked.token.unwrap()).unwrap());
        Ok(())
    }

    pub(super) async fn book(&self) -> Result<(), EngineError> {
        let (number, starts_at) = self.next();
        let source = *self.dice.pick(&[Source::Voice, Source::Sms, Source::Api, Source::Dashboard]);
        let (email, locale) = (Some(self.email(number)), self.dice.maybe(2, || self.locale()));
        let contact = ContactDetails { email, locale, ..ContactDetails::default() };
        let book =
            Book { request: self.request(starts_at, source), contact: BookingContact::Described(contact) };
        let booked = self.business.change(Request::by(self.actor()), book).await?;
        self.slot.lock().appointments.push(id_of(&booked));
        Ok(())
    }

    fn some_appointment(&self) -> Option<AppointmentId> {
        self.dice.any(&self.shop.appointments)
    }

    pub(super) async fn change(&self) -> Result<(), EngineError> {
        let Some(id) = self.some_appointment() else { return Ok(()) };
        let by = Request::by(self.actor());
        match self.dice.below(5) {
            0 => self.business.change(by, Cancel { id }).await.map(drop),
            1 => self.business.change(by, Confirm { id }).await.map(drop),
            2 => self.business.change(by, Decline { id }).await.map(drop),
            _ => {
                let staff_id = self.dice.maybe(2, || *self.dice.pick(&self.shop.staff));
                let request =
                    MoveRequest { starts_at: self.next().1, staff_id, party: self.party(), duration: None };
                self.business.change(by, Reschedule { id, request }).await.map(drop)
            }
        }
    }

    /// The team moves an appointment and, after a short or a long time, moves it back.
    pub(super) async fn take_back(&self) -> Result<(), EngineError> {
        let Some(id) = self.some_appointment() else { return Ok(()) };
        let Some(shown) = self.business.appointment(id).await? else {
            return Ok(());
        };
        for starts_at in [self.next().1, shown.starts_at] {
            let request =
                MoveRequest { starts_at, staff_id: Some(shown.staff_id), party: Party::TEAM, duration: None };
            self.business.change(Request::by(Actor::Operator), Reschedule { id, request }).await?;
            tokio::time::sleep(Duration::from_secs(*self.dice.pick(&[0, 1, 14, 16, 40]))).await;
        }
        Ok(())
    }

    pub(super) async fn change_by_link(&self) -> Result<(), EngineError> {
        let by = Request::by(Actor::Customer);
        let count = self.shop.links.len();
        let Some(token) = (count > 0).then(|| self.shop.links[self.dice.below(count)].clone()) else {
            return Ok(());
        };
        let Some(seen) = self.business.seen_by_link(&token).await? else { return Ok(()) };
        let expected_starts_at = seen.appointment.starts_at;
        if self.dice.once_in(3) {
            return self.business.change(by, CancelByLink { token, expected_starts_at }).await.map(drop);
        }
        let starts_at = self.next().1;
        self.business.change(by, MoveByLink { token, starts_at, expected_starts_at }).await.map(drop)
    }

    /// A customer stops reminders or all emails, through the link in a mail.
    pub(super) async fn stop(&self) -> Result<(), EngineError> {
        let of = self.business.id();
        let links: Vec<(String, String)> = {
            let taken = self.relay.taken.lock();
            let theirs = taken.values().flatten().filter(|taken| taken.of == of);
            theirs.map(|taken| (taken.to.clone(), taken.letter.manage.url.clone())).collect()
        };
        if links.is_empty() || !self.dice.once_in(4) {
            return Ok(());
        }
        let (to, url) = self.dice.pick(&links);
        let token = ManageToken::parse(url.rsplit('/').next().unwrap()).unwrap();
        let stop = StopNotices { token, all: self.dice.once_in(2) };
        let consent = self.business.change(Request::by(Actor::Customer), stop).await?.value.email;
        let now = self.relay.wall.now();
        self.relay.stopped.lock().push((now, of, to.clone(), consent));
        Ok(())
    }

    /// Erases the contact of an appointment.
    pub(super) async fn erase(&self) -> Result<(), EngineError> {
        let Some(id) = self.some_appointment().filter(|_| self.dice.once_in(3)) else { return Ok(()) };
        let shown: Option<AppointmentView> = self.business.appointment(id).await?;
        let Some(id) = shown.and_then(|shown| shown.contact_id) else { return Ok(()) };
        self.business.change(Request::by(Actor::Operator), EraseContact { id }).await?;
        self.relay.erased.lock().push((self.relay.wall.now(), id));
        Ok(())
    }

    /// Changes a setting.
    pub(super) async fn set(&self) -> Result<(), EngineError> {
        let by = Request::by(Actor::Operator);
        if self.dice.once_in(2) {
            let mode = *self.dice.pick(&[BookingMode::Instant, BookingMode::Instant, BookingMode::Request]);
            let change = PatchBusiness { booking_mode: Some(mode), ..PatchBusiness::default() };
            return self.business.change(by, change).await.map(drop);
        }
        let scopes = [NoticeScope::Online, NoticeScope::All, NoticeScope::All, NoticeScope::Off];
        let hours = [vec![24], vec![24, 2], vec![], vec![168, 1]];
        let change = PatchNotices {
            email: Some(*self.dice.pick(&scopes)),
            reminder_hours: Some(self.dice.pick(&hours).clone()),
            ..PatchNotices::default()
        };
        self.business.change(by, change).await.map(drop)
    }
}
