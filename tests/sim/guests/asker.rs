//! Sends requests to the guest houses (see `guests`), and records the acknowledged ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::{Actor, ContactId, Refusal};
use engine::business::commands::customers::BookOnline;
use engine::business::{Answer, Change, Gives, Idempotency, Request};
use engine::{BusinessHandle, EngineError};

use super::people::{Gone, Guests, Person, Repeatable};
use crate::ledger::json;
use crate::shop::id;
use crate::world::World;

/// A client of one guest house.
pub(super) struct Client {
    pub(super) world: World,
    pub(super) handle: BusinessHandle,
    pub(super) closing: Arc<AtomicBool>,
    pub(super) guests: Guests,
    pub(super) at: usize,
}

impl Client {
    pub(super) async fn ask<C: Change + 'static>(&self, key: [u8; 32], change: C) -> Option<Answer<Vec<u8>>> {
        let idempotency = Some(Idempotency { key, fingerprint: key });
        let request = Request { idempotency, ..Request::by(Actor::Operator) };
        match self.handle.change(request, change).await {
            Ok(answer) => Some(answer.map(|value| <C::Gives as Gives>::render(&value))),
            Err(error) => {
                self.refused(&error);
                None
            }
        }
    }

    /// Checks that a refusal has a valid reason.
    pub(super) fn refused(&self, error: &EngineError) {
        let ends = self.world.failed() || self.closing.load(Ordering::SeqCst);
        let excused = match error {
            EngineError::Refused(refusal) => !matches!(refusal, Refusal::IdempotencyKeyReused),
            EngineError::DiskFull(_) | EngineError::Suspended => true,
            EngineError::NotFound => self.guests.all.lock()[self.at].ended != Gone::No,
            _ => ends,
        };
        if !excused {
            self.world.wrong(format_args!("a guest's request failed: {error}"));
        }
    }

    /// Records acknowledged data of a guest.
    pub(super) fn note(&self, contact: ContactId, note: impl FnOnce(&mut Person)) {
        if let Some(person) = self.guests.all.lock()[self.at].people.get_mut(&contact) {
            note(person);
        }
    }

    pub(super) async fn make(&self, contact: ContactId, key: [u8; 32], asked: Repeatable) {
        let answer = match asked.clone() {
            Repeatable::Create(change) => self.ask(key, change).await,
            Repeatable::Patch(change) => self.ask(key, change).await,
            Repeatable::Call(change) => self.ask(key, *change).await,
            Repeatable::Take(change) => self.ask(key, *change).await,
            Repeatable::Book(change) => self.ask(key, *change).await,
        };
        let Some(answer) = answer else { return };
        let body = json(&answer.value);
        // During the request, the contact may have been erased, and another contact with the same phone number may have
        // been created. Therefore the id of the contact is read from the response.
        let shown = match &asked {
            Repeatable::Create(_) | Repeatable::Patch(_) => &body["id"],
            _ => &body["contact_id"],
        };
        let contact = if shown.is_null() { contact } else { id(shown) };
        self.note(contact, |person| {
            match &asked {
                Repeatable::Call(_) => _ = person.calls.insert(id(&body["id"])),
                Repeatable::Take(_) => _ = person.messages.insert(id(&body["id"])),
                Repeatable::Book(_) => _ = person.appointments.insert(id(&body["id"])),
                Repeatable::Create(_) | Repeatable::Patch(_) => {}
            }
            person.answered.push((key, asked, answer.value));
        });
    }

    /// Books on the booking page.
    pub(super) async fn book_online(&self, contact: ContactId, key: [u8; 32], change: BookOnline) {
        let idempotency = Some(Idempotency { key, fingerprint: key });
        let request = Request { idempotency, ..Request::by(Actor::Customer) };
        match self.handle.change(request, change).await {
            Ok(answer) => {
                self.note(contact, |person| _ = person.appointments.insert(answer.value.appointment_id));
            }
            Err(error) => self.refused(&error),
        }
    }

    /// Repeats a request. The new response must equal the recorded response, with one exception: if the test has
    /// requested a merge of the contact into another contact, or an erasure of any contact with the same number, the
    /// new response may show the current state instead.
    pub(super) async fn make_again(
        &self,
        contact: ContactId,
        number: usize,
        (key, asked, first): ([u8; 32], Repeatable, Vec<u8>),
    ) {
        let gone = || {
            let all = self.guests.all.lock();
            let people = &all[self.at].people;
            let person = people.get(&contact)?;
            // The erasure of another contact with the same number also removes the number from the records of `person`.
            let loses_number =
                people.values().any(|other| other.number == person.number && other.gone != Gone::No);
            Some(if person.merged == Gone::No && !loses_number { Gone::No } else { Gone::Maybe })
        };
        let before = gone();
        let answer = match asked {
            Repeatable::Create(change) => self.ask(key, change).await,
            Repeatable::Patch(change) => self.ask(key, change).await,
            Repeatable::Call(change) => self.ask(key, *change).await,
            Repeatable::Take(change) => self.ask(key, *change).await,
            Repeatable::Book(change) => self.ask(key, *change).await,
        };
        let answered_anew = answer.as_ref().is_none_or(|answer| !answer.replayed);
        if answered_anew && let Some(person) = self.guests.all.lock()[self.at].people.get_mut(&contact) {
            // The service may now have stored another response for this idempotency key, so the test forgets the
            // response that it had recorded.
            person.answered.retain(|(of, ..)| *of != key);
        }
        let Some(answer) = answer else { return };
        // Another task may have repeated the same request at the same time. If the response to that task was new, that
        // task has removed the recorded response. Without a recorded response, this task compares nothing.
        let all = self.guests.all.lock();
        let of_first = |person: &Person| person.answered.iter().any(|(of, ..)| *of == key);
        let is_recorded = all[self.at].people.get(&contact).is_some_and(of_first);
        drop(all);
        let is_there = before == Some(Gone::No) && gone() == Some(Gone::No);
        if is_recorded && is_there && answer.replayed && first != answer.value {
            let [first, now] = [&first[..], &answer.value[..]].map(String::from_utf8_lossy);
            self.world.wrong(format_args!(
                "the first response to guest {number} was {first}, and the response to the repeated request was {now}"
            ));
        }
        if !answer.replayed {
            // The idempotency key was older than a day, so the service handled the repetition as a new request. The new
            // response contains data of the guest.
            let body = json(&answer.value);
            let shown = if body["contact_id"].is_null() { &body["id"] } else { &body["contact_id"] };
            let made: ContactId = id(shown);
            let mut all = self.guests.all.lock();
            if body.get("email").is_some() && !all[self.at].people.contains_key(&made) {
                all[self.at].people.insert(made, Person::new(made, number));
            }
        }
    }
}
