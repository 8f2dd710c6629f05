//! The guests of the guest houses (see `guests`), the words that occur only in their data, and the requests about them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::TimeDelta;
use domain::booking::BookRequest;
use domain::{
    AppointmentId, BusinessId, CallDetails, CallId, CallStatus, ContactId, Direction, Email, Locale,
    MessageDetails, MessageId, Phone, ServiceId, StaffId, Timestamp, WebhookId,
};
use engine::business::commands::appointments::Book;
use engine::business::commands::calls::RecordCall;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::customers::BookOnline;
use engine::business::commands::messages::TakeMessage;
use parking_lot::Mutex;

use super::imports::Import;
use crate::shop::text;

/// The state of an erasure, a merge or a deletion, as far as the client knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gone {
    /// The action was not requested.
    #[default]
    No,
    /// The action was requested, and its outcome is unknown.
    Maybe,
    /// The action was acknowledged.
    Yes,
}

/// A guest, whose data contains words that occur in no other data.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) contact: ContactId,
    pub(super) number: usize,
    pub(super) gone: Gone,
    /// Whether the guest was merged into another guest.
    pub(super) merged: Gone,
    /// The guests with whom a merge was requested, in either direction.
    pub(super) links: BTreeSet<ContactId>,
    pub(super) appointments: BTreeSet<AppointmentId>,
    pub(super) calls: BTreeSet<CallId>,
    pub(super) messages: BTreeSet<MessageId>,
    /// The requests whose responses contain data of the guest. Each has its idempotency key and its response.
    pub(super) answered: Vec<([u8; 32], Repeatable, Vec<u8>)>,
}

/// A request that can be repeated.
#[derive(Clone, Debug)]
pub(super) enum Repeatable {
    Create(CreateContact),
    Patch(PatchContact),
    Call(Box<RecordCall>),
    Take(Box<TakeMessage>),
    Book(Box<Book>),
}

/// A guest house.
pub(super) struct Guest {
    pub(super) id: BusinessId,
    pub(super) service: ServiceId,
    pub(super) staff: StaffId,
    pub(super) webhooks: Vec<WebhookId>,
    pub(super) people: BTreeMap<ContactId, Person>,
    pub(super) ended: Gone,
    /// Whether the retention of the business may have deleted expired records.
    pub(super) expires: bool,
    pub(super) imports: Vec<Import>,
}

/// All guest houses, as their clients know them.
#[derive(Clone, Default)]
pub(crate) struct Guests {
    pub(super) all: Arc<Mutex<Vec<Guest>>>,
    /// The number of guests that were created so far.
    pub(super) people: Arc<Mutex<usize>>,
    /// The URLs of the endpoints of the guest houses. The test does not check deliveries to them.
    pub(crate) urls: Arc<Mutex<BTreeSet<String>>>,
}

impl Guest {
    /// Records that a merge of `from` into `into` was requested. From then on, the erasure of either guest may erase
    /// both.
    pub(super) fn link(&mut self, into: ContactId, from: ContactId) {
        // If `from` was already merged into another guest, the engine merges that other guest into `into`.
        for id in self.linked(from) {
            let merged = &mut self.people.get_mut(&id).unwrap().merged;
            *merged = merged.asked();
        }
        for (one, other) in [(into, from), (from, into)] {
            self.people.get_mut(&one).unwrap().links.insert(other);
        }
        let group = self.linked(from);
        if group.iter().any(|id| self.people[id].gone != Gone::No) {
            self.may_be_gone(&group);
        }
    }

    /// Records a request to erase a guest. Returns the guests that the request certainly erases.
    pub(super) fn ask_to_erase(&mut self, contact: ContactId) -> BTreeSet<ContactId> {
        self.may_be_gone(&self.linked(contact));
        // If this guest was merged into another guest, that guest is erased too. This is certain only if the merge was
        // acknowledged and no other merge of this guest was requested.
        let mut certain = BTreeSet::from([contact]);
        let person = &self.people[&contact];
        if person.merged == Gone::Yes && person.links.len() == 1 {
            certain.extend(&person.links);
        }
        certain
    }

    fn may_be_gone(&mut self, group: &BTreeSet<ContactId>) {
        for id in group {
            let gone = &mut self.people.get_mut(id).unwrap().gone;
            *gone = gone.asked();
        }
    }

    /// Returns the guests who may be merged with this guest, directly or through other guests.
    fn linked(&self, contact: ContactId) -> BTreeSet<ContactId> {
        let (mut group, mut left) = (BTreeSet::new(), vec![contact]);
        while let Some(id) = left.pop() {
            if group.insert(id) {
                left.extend(&self.people[&id].links);
            }
        }
        group
    }
}

impl Guests {
    pub(crate) fn ids(&self) -> Vec<BusinessId> {
        self.all.lock().iter().map(|guest| guest.id).collect()
    }

    /// True if an endpoint of the guest houses has this URL.
    pub(crate) fn have_url(&self, url: &str) -> bool {
        self.urls.lock().contains(url)
    }
}

pub(super) fn name(number: usize) -> String {
    format!("Guest-{number}-of-nobody")
}

pub(super) fn phone(number: usize) -> Phone {
    Phone::from_e164(format!("+4420{number:08}")).unwrap()
}

pub(super) fn email(number: usize) -> Email {
    Email::new(&format!("guest-{number}@nobody.example")).unwrap()
}

/// Returns the words that occur only in the data of the guest with this number.
pub(super) fn words(number: usize) -> [String; 4] {
    [name(number).to_lowercase(), phone(number).as_str().to_owned(), format!("guest-{number}@"), said(number)]
}

pub(super) fn said(number: usize) -> String {
    format!("said by guest {number}.")
}

pub(super) fn call(number: usize, contact_id: Option<ContactId>, now: Timestamp) -> RecordCall {
    let details = CallDetails {
        status: if number.is_multiple_of(2) { CallStatus::Missed } else { CallStatus::Completed },
        from_number: Some(phone(number)),
        contact_id,
        summary: Some(text(&said(number).repeat(if number.is_multiple_of(3) { 300 } else { 1 }))),
        ..CallDetails::of(Direction::Inbound, now - TimeDelta::seconds(60), now)
    };
    RecordCall { details, contact_name: Some(text(&name(number))) }
}

/// Returns a booking on the booking page. The form contains all of the guest's [`words`].
pub(super) fn book_online(number: usize, request: BookRequest) -> BookOnline {
    BookOnline {
        request,
        name: text(&name(number)),
        phone: Some(phone(number)),
        email: Some(email(number)),
        note: Some(text(&said(number))),
        locale: Locale::En,
        texts: false,
    }
}

pub(super) fn message(number: usize, contact_id: Option<ContactId>, call_id: Option<CallId>) -> TakeMessage {
    let details = MessageDetails {
        call_id,
        contact_id,
        caller_name: Some(text(&name(number))),
        caller_phone: Some(phone(number)),
        ..MessageDetails::of(text(&said(number)))
    };
    TakeMessage { details }
}

impl Person {
    pub(super) fn new(contact: ContactId, number: usize) -> Self {
        let (appointments, calls, messages) = Default::default();
        Self {
            contact,
            number,
            gone: Gone::No,
            merged: Gone::No,
            links: BTreeSet::new(),
            appointments,
            calls,
            messages,
            answered: Vec::new(),
        }
    }
}

impl Gone {
    pub(super) fn asked(self) -> Self {
        if self == Self::Yes { Self::Yes } else { Self::Maybe }
    }
}
