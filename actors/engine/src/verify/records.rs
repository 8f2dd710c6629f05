//! Checks of records with their index rows and references.

use domain::{
    AlertsRead, Alias, Appointment, AppointmentId, BusinessId, CalendarId, CalendarSyncStatus, CalendarWrite,
    CallId, Contact, ContactId, Conversation, ConversationId, Delivery, EventId, Mail, MailId, Person,
    PersonId, ResourceId, TakenMessage, WebhookEndpoint, WebhookId,
};
use serde::Deserialize;
use store::kept::Kind;
use store::keys::{installation_kind, kind};
use store::records::{ErasureRecord, LinkRecord, LinksRecord, SearchRecord};
use store::{Key, Order, keys};
use view::API_VERSION;

use super::findings::Checker;
use crate::business::{ROW_RECORDS_MAX, row_key};
use crate::delivery::Reached;
use crate::mail::mail_rows;

/// The parts of a stored event that identify it.
#[derive(Deserialize)]
struct Envelope {
    id: EventId,
    business_id: BusinessId,
    api_version: String,
}

impl Checker<'_> {
    /// Checks an index row of an appointment. The key ends with the id of the appointment, and the value is its start.
    pub(super) fn index_of_appointments(&mut self, value: &[u8]) {
        let Some(id) = self.id::<AppointmentId>() else { return };
        let Some(starts_at) = self.read(keys::millis_from_value(value)) else { return };
        self.leads_to::<Appointment>(&keys::appointment(self.of, starts_at, id), value);
    }

    /// Checks the list of manage links of an appointment.
    pub(super) fn links(&mut self, value: &[u8]) {
        let Some(links) = self.decoded::<LinksRecord>(value) else { return };
        let Some(id) = self.id::<AppointmentId>() else { return };
        self.refers("appointment", &keys::appointment_start(self.of, id));
        for hash in links.hashes {
            let link = self.record::<LinkRecord>(&keys::link(self.of, &hash));
            if link.is_none_or(|link| link.appointment_id != id) {
                self.wrong("a manage link that it names is missing or belongs to another appointment");
            }
        }
    }

    pub(super) fn link(&mut self, value: &[u8]) {
        let Some(link) = self.decoded::<LinkRecord>(value) else { return };
        let links = self.record::<LinksRecord>(&keys::links(self.of, link.appointment_id));
        let key = self.key;
        let is_listed = |hash: &[u8; 32]| keys::link(self.of, hash) == key;
        if !links.is_some_and(|links| links.hashes.iter().any(is_listed)) {
            self.wrong("its appointment does not name this manage link");
        }
    }

    /// Checks the search text of the current record if the search index already contains the record.
    pub(super) fn search_text_of(&mut self, rows: u8, text: &str) {
        let Some(id) = self.id::<ContactId>().map(ResourceId::uuid) else { return };
        let range = keys::of_kind(self.of, rows).starting_at(row_key(self.of, rows, id));
        let next = self.rows.scan(&range, Order::Ascending).next().transpose();
        let Some(Some((key, _))) = self.read(next) else { return };
        // If the index row is unreadable, nothing is reported here. The check of the index row itself reports it.
        let Some(row) = self.record::<SearchRecord>(&Key::new(&key)) else { return };
        let found = row.texts.iter().find(|(of, _)| *of == id).map_or("", |(_, found)| found);
        if found != text {
            self.wrong("the index of search texts contains another text for this record");
        }
    }

    /// Checks a row of search texts. The texts themselves are compared when the check reaches their records.
    pub(super) fn search_texts(&mut self, kind: &Kind, value: &[u8]) {
        let Some(row) = self.decoded::<SearchRecord>(value) else { return };
        let Some(last) = self.id::<ContactId>().map(ResourceId::uuid) else { return };
        if row.texts.len() > ROW_RECORDS_MAX || row.texts.last().is_some_and(|(id, _)| *id > last) {
            self.wrong("it contains too many search texts, or search texts of later records");
        }
        for (id, text) in row.texts {
            let record = self.value(&row_key(self.of, kind.rows, id));
            if record.is_none_or(|value| (kind.search_text)(&value).is_ok_and(|found| found != text)) {
                self.wrong(format_args!("it contains a search text that record {id} does not have"));
            }
        }
    }

    pub(super) fn index_of_contacts(&mut self, kind: u8, value: &[u8]) {
        let of_whom = if kind == kind::CONTACT_BY_UPDATE { &*self.key } else { value };
        let Some(id) = self.read(keys::id_at_end::<ContactId>(of_whom)) else { return };
        let contact = keys::contact(self.of, id);
        if self.record::<Contact>(&contact).is_none() {
            let erasure = self.record::<ErasureRecord>(&keys::erasure(self.of, id));
            if erasure.is_some_and(|erasure| erasure.phone.is_none()) {
                return; // the contact could not be decoded, and the erasure will find this row
            }
        }
        self.leads_to::<Contact>(&contact, value);
    }

    /// Checks the row of a merged contact. The survivor of the merge must exist: an erasure of the survivor also
    /// deletes the rows of the contacts that were merged into it.
    pub(super) fn alias(&mut self, value: &[u8]) {
        let Some(alias) = self.kept::<Alias>(value) else { return };
        self.refers("contact", &keys::contact(self.of, alias.into));
        if self.is_there(&keys::contact(self.of, alias.from)) {
            self.wrong("the contact that was merged still exists");
        }
    }

    pub(super) fn index_of_aliases(&mut self, kind: u8, value: &[u8]) {
        let from = if kind == kind::MERGING { value } else { &*self.key };
        let Some(from) = self.read(keys::id_at_end::<ContactId>(from)) else { return };
        self.leads_to::<Alias>(&keys::alias(self.of, from), value);
    }

    /// Checks the copy of an appointment in a calendar.
    pub(super) fn calendar_write(&mut self, value: &[u8]) {
        let Some(write) = self.kept::<CalendarWrite>(value) else { return };
        let (of, id) = (self.of, write.appointment_id);
        // A disconnected calendar stays in the list of calendars until the rows of its copies are deleted.
        if !self.is_there(&keys::calendar_index(of, write.calendar_id)) {
            self.wrong("the calendar that it belongs to is missing");
        }
        self.refers("appointment", &keys::appointment_start(of, id));
        let start = self.value(&keys::appointment_start(of, id));
        let start = start.and_then(|value| keys::millis_from_value(&value).ok());
        let appointment = start.and_then(|at| self.record::<Appointment>(&keys::appointment(of, at, id)));
        if appointment.is_some_and(|it| it.calendar_sync_status == CalendarSyncStatus::NotConnected) {
            self.wrong("its appointment is not connected to a calendar");
        }
    }

    pub(super) fn index_of_writes(&mut self, kind: u8, value: &[u8]) {
        let key = self.key;
        let first = key.get(..33).unwrap_or_default();
        let write = match kind {
            kind::CALENDAR_WRITE_OF => keys::id_at_end(first)
                .and_then(|appointment| Ok((keys::id_at_end::<CalendarId>(&key)?, appointment))),
            _ => keys::id_at_end(first).and_then(|calendar| Ok((calendar, keys::id_at_end(&key)?))),
        };
        let Some((calendar, appointment)) = self.read(write) else { return };
        self.leads_to::<CalendarWrite>(&keys::calendar_write(self.of, calendar, appointment), value);
    }

    /// Checks that at least one calendar has a copy of the appointment ([`CalendarWrite`]).
    pub(super) fn has_writes(&mut self, id: AppointmentId) {
        let writes = keys::calendar_writes_of(self.of, id);
        let first = self.rows.scan(&writes, Order::Ascending).next().transpose();
        if self.read(first).is_some_and(|first| first.is_none()) {
            self.wrong("its copy in a connected calendar is missing");
        }
    }

    pub(super) fn message(&mut self, value: &[u8]) {
        let Some(message) = self.kept::<TakenMessage>(value) else { return };
        // A missing call is no damage in two cases. If there is a retention period, the call may have expired. If the
        // call's conversation is open, the call is not saved yet.
        if let Some(call) = message.call_id
            && !self.is_there(&keys::call(self.of, call))
            && !self.is_there(&keys::retention(self.of))
            && !self.is_of_open_conversation(call)
        {
            self.refers("call", &keys::call(self.of, call));
        }
    }

    fn is_of_open_conversation(&mut self, call: CallId) -> bool {
        let open = keys::of_kind(self.of, kind::CONVERSATION_OPEN);
        let ids: Vec<_> = self
            .rows
            .scan(&open, Order::Ascending)
            .filter_map(|row| keys::id_at_end::<ConversationId>(&row.ok()?.0).ok())
            .collect();
        ids.into_iter().any(|id| {
            let conversation = self.record::<Conversation>(&keys::conversation(self.of, id));
            conversation.is_some_and(|conversation| conversation.call_id == Some(call))
        })
    }

    pub(super) fn event(&mut self, value: &[u8]) {
        let Some(id) = self.id::<EventId>() else { return };
        if value.is_empty() {
            return; // the event was wiped
        }
        let event = serde_json::from_slice::<Envelope>(value);
        let is_its_own =
            |it: Envelope| it.id == id && it.business_id == self.of && it.api_version == API_VERSION;
        if !event.is_ok_and(is_its_own) {
            self.wrong("its bytes are damaged or belong to another event");
        }
    }

    /// Checks a row of a webhook endpoint's deliveries.
    pub(super) fn of_endpoint(&mut self, kind: u8, value: &[u8]) {
        let endpoint = keys::id_at_end::<WebhookId>(self.key.get(..33).unwrap_or_default());
        let Some(id) = self.read(endpoint) else { return };
        let Some(endpoint) = self.record::<WebhookEndpoint>(&keys::webhook(self.of, id)) else {
            // A deleted endpoint stays in the list of endpoints until its last row is deleted. As long as the list
            // contains the endpoint, the checked row is correct, even if the record of the endpoint is missing.
            if !self.is_there(&keys::endpoint_index(self.of, id)) {
                self.wrong("the webhook endpoint that it belongs to is missing");
            }
            return;
        };
        match kind {
            kind::DELIVERY => self.delivery(&endpoint, value),
            kind::DELIVERY_DUE => self.due_delivery(&endpoint, value),
            _ if Reached::decode(value).is_err() => self.wrong("it has neither 8 nor 24 bytes"),
            _ => {}
        }
    }

    fn delivery(&mut self, endpoint: &WebhookEndpoint, value: &[u8]) {
        let Some(delivery) = self.decoded::<Delivery>(value) else { return };
        let (of, event) = (self.of, delivery.event_id);
        self.stands_at(&keys::delivery(of, endpoint.id, event));
        self.refers("event", &keys::event(of, event));
        // If the endpoint was disabled while the delivery waited, the delivery counts as missed, and its row in the
        // list of due deliveries is not required.
        if let Some(at) = delivery.next_attempt_at
            && delivery.epoch == endpoint.epoch
        {
            self.expect(
                "in the list of due deliveries",
                &keys::delivery_due(of, endpoint.id, at, event),
                b"",
            );
        }
    }

    fn due_delivery(&mut self, endpoint: &WebhookEndpoint, value: &[u8]) {
        let Some((at, event)) = self.read(keys::instant_and_id::<EventId>(&self.key)) else { return };
        let delivery = self.record::<Delivery>(&keys::delivery(self.of, endpoint.id, event));
        let Some(delivery) = delivery else { return self.wrong("the delivery that is due is missing") };
        if delivery.next_attempt_at != Some(at) && delivery.epoch == endpoint.epoch {
            self.wrong("the delivery is due at another time");
        }
        self.has_no_value(value);
    }

    pub(super) fn mail(&mut self, value: &[u8]) {
        let Some(mail) = self.decoded::<Mail>(value) else { return };
        self.stands_at(&keys::mail(self.of, mail.id));
        if mail.business_id.unwrap_or(BusinessId::INSTALLATION) != self.of {
            self.wrong("it is a mail of another business");
        }
        for (name, row) in mail_rows(self.of, &mail) {
            self.expect(name, &row, b"");
        }
    }

    pub(super) fn index_of_mails(&mut self, value: &[u8]) {
        let Some(id) = self.id::<MailId>() else { return };
        let (of, key) = (self.of, self.key);
        let mail = self.record::<Mail>(&keys::mail(of, id));
        self.belongs(mail.is_some_and(|mail| mail_rows(of, &mail).any(|(_, row)| row == key)));
        self.has_no_value(value);
    }

    /// Checks that a read position is not after the newest remaining alert.
    pub(super) fn alerts_read(&mut self, value: &[u8]) {
        let Some(read) = self.decoded::<AlertsRead>(value) else { return };
        let Some(person) = self.id::<PersonId>() else { return };
        self.stands_at(&keys::alerts_read(self.of, person));
        let newest = self.rows.scan(&keys::alerts(self.of, person), Order::Descending).next().transpose();
        let Some(Some((newest, _))) = self.read(newest) else { return };
        let newest = self.read(keys::alert_at(&newest));
        if newest.is_some_and(|(_, number)| number < read.until) {
            self.wrong("more alerts are marked as read than exist");
        }
    }

    /// Checks an account, one of its index rows, or a row in a person's list of memberships.
    pub(super) fn of_person(&mut self, kind: u8, value: &[u8]) {
        let key = self.key;
        match kind {
            installation_kind::PERSON => {
                let Some(person) = self.decoded::<Person>(value) else { return };
                self.stands_at(&keys::person(person.id));
                let id = *person.id.uuid().as_bytes();
                self.expect("by email address", &keys::person_by_email(&person.email_folded()), &id);
                for token in tokens(&person) {
                    self.expect("by token", &keys::person_by_token(&token), &id);
                }
            }
            installation_kind::MEMBER_OF => {
                let person = self.read(keys::id_at_end::<PersonId>(key.get(..33).unwrap_or_default()));
                let (Some(person), Some(business)) = (person, self.id::<BusinessId>()) else { return };
                self.stands_at(&keys::member_of(person, business));
                let membership = keys::membership(business, person);
                let is_there = self.is_there(&membership);
                self.belongs(is_there);
                self.has_no_value(value);
            }
            _ => {
                let Some(id) = self.read(keys::id_at_end::<PersonId>(value)) else { return };
                let Some(person) = self.record::<Person>(&keys::person(id)) else {
                    return self.wrong("the person that it names is missing");
                };
                self.belongs(if kind == installation_kind::PERSON_BY_EMAIL {
                    keys::person_by_email(&person.email_folded()) == key
                } else {
                    tokens(&person).any(|token| keys::person_by_token(&token) == key)
                });
            }
        }
    }
}

fn tokens(person: &Person) -> impl Iterator<Item = [u8; 32]> {
    let sessions = person.sessions.iter().map(|session| session.hash);
    sessions.chain(person.link.iter().map(|link| link.hash))
}
