//! Reads the rows of a business between two runs, and checks that they are consistent with each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{
    Amount, ApiKey, Appointment, AppointmentId, AuditEntry, AuditId, BlockedTime, Budget, BudgetKind,
    Business, BusinessId, CallRecord, CallStatus, Contact, ContactId, Delivery, Direction, EventId, Feed,
    Knowledge, ResourceId, Service, SlugOwner, SpecialDay, StaffMember, TakenMessage, Timestamp, Usage,
    WebhookEndpoint, WebhookId, Website,
};
use engine::business::commands::customers::ManageToken;
use serde::Serialize;
use serde_json::{Value, json};
use store::keys::{self, MessagesOf, installation_kind, kind};
use store::records::{
    AuditRecord, CallRow, IdempotencyRecord, LinkRecord, LinksRecord, SearchRecord, status_number,
};
use store::{Key, Order, Record, Store};
use uuid::Uuid;
use view::{
    FeedView, KeyCreatorView, KeyView, OperatorBusinessView, OperatorCallView, OperatorContactView,
    OperatorMessageView, OperatorServiceView, OperatorStaffView, SomeCallView, SpecialDayView, TimeOffView,
    WebhookView,
};

use crate::customers::LINKS_MAX;

/// The rows of one business.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) appointments: BTreeMap<AppointmentId, Appointment>,
    pub(crate) contacts: BTreeMap<ContactId, Contact>,
    pub(crate) calls: BTreeMap<Uuid, CallRecord>,
    pub(crate) messages: BTreeMap<Uuid, TakenMessage>,
    pub(crate) endpoints: BTreeMap<WebhookId, WebhookEndpoint>,
    pub(crate) events: BTreeMap<EventId, Vec<u8>>,
    pub(crate) deliveries: BTreeMap<(WebhookId, EventId), Delivery>,
    /// The due rows: the endpoint, the due time and the event of each pending delivery.
    pub(crate) due: BTreeSet<(WebhookId, Timestamp, EventId)>,
    /// The audit log, oldest first.
    pub(crate) audit: Vec<AuditEntry>,
    /// The usage (rows and bytes) that the newest audit entry states. `kept` is the usage that the test has counted.
    told: Option<Usage>,
    kept: Usage,
    /// The stored responses, by idempotency key.
    pub(crate) remembered: HashMap<[u8; 32], Vec<u8>>,
    /// Every resource as a response shows it, but without the names of other resources.
    pub(crate) shown: BTreeMap<Uuid, Value>,
    /// The endpoints for which a row stores the number of successful deliveries.
    pub(crate) reached: BTreeSet<WebhookId>,
    /// The endpoints of the business that have an entry in the installation's list of endpoints.
    pub(crate) listed: BTreeSet<WebhookId>,
    /// The special days, by date.
    pub(crate) special: BTreeMap<String, Value>,
    /// The manage links of each appointment, and in `link_of` the appointment of each link.
    pub(crate) links: BTreeMap<AppointmentId, LinksRecord>,
    link_of: BTreeMap<[u8; 32], AppointmentId>,
    indexes: BTreeMap<Vec<u8>, Vec<u8>>,
    expected: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The rows of search texts, by kind: the end of the row's key, and the row's value. The end of the key is the id
    /// of the row's last record.
    filed: BTreeMap<u8, Vec<(Vec<u8>, SearchRecord)>>,
    /// The keys of all rows, except the rows that contain a piece of a long value.
    whole: BTreeSet<Vec<u8>>,
    /// The keys of the long values, which are stored in pieces.
    in_pieces: BTreeSet<Vec<u8>>,
}

impl Rows {
    /// Reads the rows of a business. Checks that the index rows are exactly those that the records require.
    pub(crate) fn checked(store: &Store, of: BusinessId) -> Self {
        let mut rows = Self::default();
        for row in store.scan(&keys::all(of), Order::Ascending) {
            let (key, value) = row.unwrap();
            rows.add(store, of, key, &value);
        }
        rows.check_search_texts();
        let beyond = |these: &BTreeMap<Vec<u8>, Vec<u8>>, those: &BTreeMap<Vec<u8>, Vec<u8>>| {
            let only = these.iter().filter(|(key, value)| those.get(*key) != Some(value));
            only.map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>()
        };
        let (more, less) = (beyond(&rows.indexes, &rows.expected), beyond(&rows.expected, &rows.indexes));
        assert!(rows.in_pieces.is_subset(&rows.whole), "there are pieces of a value that does not exist");
        assert_eq!((more, less), (vec![], vec![]), "the index rows differ from the records");
        for appointment in rows.appointments.values() {
            let is_there = appointment.contact_id.is_none_or(|id| {
                rows.contacts.contains_key(&id) || store.contains(&keys::erasure(of, id)).unwrap()
            });
            assert!(is_there, "the contact of an appointment is missing");
        }
        assert_eq!(rows.told, Some(rows.kept), "the usage in the newest audit entry differs from the rows");
        rows.check_overlaps();
        rows.check_links();
        rows.check_deliveries(store, of);
        rows
    }

    fn add(&mut self, store: &Store, of: BusinessId, key: Vec<u8>, value: &[u8]) {
        const PIECE: u8 = 0x80;
        if keys::kind_of(&key).unwrap() & PIECE != 0 {
            // The key of a piece consists of the key of its value and a number. The store joins the pieces when it
            // reads the value.
            let mut whole = key[..key.len() - 2].to_vec();
            whole[16] &= !PIECE;
            self.in_pieces.insert(whole);
            return;
        }
        self.whole.insert(key.clone());
        let counted = match keys::kind_of(&key).unwrap() {
            kind::SERVICE => Some(BudgetKind::Services),
            kind::STAFF => Some(BudgetKind::Staff),
            kind::APPOINTMENT => Some(BudgetKind::Appointments),
            kind::CONTACT => Some(BudgetKind::Contacts),
            kind::CALL => Some(BudgetKind::Calls),
            kind::MESSAGE => Some(BudgetKind::Messages),
            kind::KNOWLEDGE => Some(BudgetKind::Knowledge),
            _ => None,
        };
        if let Some(kind) = counted {
            self.kept.add(kind, Amount::row(value.len()));
        }
        match keys::kind_of(&key).unwrap() {
            kind::PROFILE => self.show(of, &OperatorBusinessView::from(&Business::decode(value).unwrap())),
            kind::SERVICE => {
                let service = Service::decode(value).unwrap();
                self.show(service.id, &OperatorServiceView::from(&service));
            }
            kind::STAFF => {
                let member = StaffMember::decode(value).unwrap();
                self.show(member.id, &OperatorStaffView::from(&member));
            }
            kind::WEBHOOK => {
                let endpoint = WebhookEndpoint::decode(value).unwrap();
                self.show(endpoint.id, &WebhookView::from(&endpoint));
                self.endpoints.insert(endpoint.id, endpoint);
            }
            kind::KEY => {
                let prefix = keys::prefix_from_value(value).unwrap();
                let key = store.get::<ApiKey>(&keys::api_key(prefix)).unwrap();
                let key = key.expect("a listed key must exist");
                assert_eq!(key.business_id, of);
                if key.revoked_at.is_none() {
                    self.kept.add(BudgetKind::Keys, Amount::row(key.encode().len()));
                }
                self.show(key.id, &KeyView::from(&key));
            }
            kind::FEED => {
                let feed = Feed::decode(value).unwrap();
                let by_token = store.get_raw(&keys::feed_by_token(&feed.hash)).unwrap();
                let lives = feed.revoked_at.is_none();
                assert_eq!(by_token, lives.then(|| keys::feed_value(of, feed.id)), "feed {}", feed.id);
                if lives {
                    self.expect(keys::live_feed(of, feed.staff_id, feed.id), feed.hash.to_vec());
                }
                self.show(feed.id, &FeedView::new(&feed, KeyCreatorView::new(feed.created_by, None)));
            }
            kind::APPOINTMENT => self.add_appointment(of, &key, value),
            kind::CONTACT => self.add_contact(of, value),
            kind::CALL => self.add_call(of, value),
            kind::MESSAGE => self.add_message(of, value),
            kind::BUDGET => _ = Budget::decode(value).unwrap(),
            kind::SPECIAL_DAY => {
                let day = SpecialDay::decode(value).unwrap();
                assert_eq!(
                    *key,
                    *keys::special_day(of, day.date),
                    "the key has another date than the special day"
                );
                let shown = serde_json::to_value(SpecialDayView::from(&day)).unwrap();
                self.special.insert(day.date.to_string(), shown);
            }
            kind::BLOCKED_TIME => {
                let time = BlockedTime::decode(value).unwrap();
                assert_eq!(
                    *key,
                    *keys::blocked_time(of, time.key()),
                    "the key does not match the start of the time off"
                );
                self.show(time.id, &TimeOffView::from(&time));
            }
            kind::KNOWLEDGE => {
                let knowledge = Knowledge::decode(value).unwrap();
                self.show(knowledge.id, &knowledge);
            }
            kind::EVENT => _ = self.events.insert(keys::id_at_end(&key).unwrap(), value.to_vec()),
            kind::DELIVERY => {
                let delivery = Delivery::decode(value).unwrap();
                self.deliveries.insert((id_in(&key), delivery.event_id), delivery);
            }
            kind::DELIVERY_DUE => {
                assert!(value.is_empty());
                let (at, event) = keys::instant_and_id(&key).unwrap();
                self.due.insert((id_in(&key), at, event));
            }
            // The modules `mails` and `notices` check these rows.
            kind::MAIL
            | kind::MAIL_DUE
            | kind::MAIL_GATHERED
            | kind::NOTICE_OF
            | kind::NOTICE_WAITS
            | kind::CONSENT => {}
            kind::DELIVERY_REACHED => {
                assert!(matches!(value.len(), 8 | 24));
                self.reached.insert(id_in(&key));
            }
            kind::AUDIT => {
                let record = AuditRecord::decode(value).unwrap();
                self.told = record.usage;
                self.audit.push(record.entry);
            }
            kind::IDEMPOTENCY => {
                let hash = *key.last_chunk::<32>().unwrap();
                self.remembered.insert(hash, IdempotencyRecord::decode(value).unwrap().body);
            }
            kind::AGE => {
                let until: AuditId = keys::id_at_end(value).unwrap();
                assert!(self.audit.iter().any(|entry| entry.id == until), "the row refers to no audit entry");
            }
            kind::CONTACT_SEARCH | kind::CALL_SEARCH | kind::MESSAGE_SEARCH => {
                let rows = self.filed.entry(key[16]).or_default();
                rows.push((key[17..].to_vec(), SearchRecord::decode(value).unwrap()));
            }
            kind::LINKS => {
                let links = LinksRecord::decode(value).unwrap();
                self.links.insert(keys::id_at_end(&key).unwrap(), links);
            }
            kind::LINK => {
                let link = LinkRecord::decode(value).unwrap();
                self.link_of.insert(*key.last_chunk::<32>().unwrap(), link.appointment_id);
            }
            kind::WEBSITE => {
                if let Some(slug) = Website::decode(value).unwrap().slug {
                    let owner = store.get::<SlugOwner>(&keys::slug(slug.as_str())).unwrap();
                    assert!(
                        owner.is_some_and(|owner| owner.business_id == of && owner.reserved_until.is_none()),
                        "the slug of the booking page belongs to another business"
                    );
                }
            }
            kind::CONTACT_IMPORT => panic!("an import of contacts is not finished"),
            kind::RETENTION
            | kind::NOTICES
            | kind::REMINDING
            | kind::ERASURE
            | kind::ERASING
            | kind::WIPE
            | kind::ALIAS
            | kind::ALIAS_OF
            | kind::MERGING => {}
            _ => _ = self.indexes.insert(key, value.to_vec()),
        }
    }

    fn show(&mut self, id: impl ResourceId, view: &impl Serialize) {
        self.shown.insert(id.uuid(), serde_json::to_value(view).unwrap());
    }

    fn expect(&mut self, key: Key, value: Vec<u8>) {
        self.expected.insert(key.to_vec(), value);
    }

    fn add_appointment(&mut self, of: BusinessId, key: &[u8], value: &[u8]) {
        let a = Appointment::decode(value).unwrap();
        assert_eq!(
            *key,
            *keys::appointment(of, a.starts_at, a.id),
            "the key does not match the start of the appointment"
        );
        let start = keys::millis_value(a.starts_at);
        self.expect(keys::appointment_start(of, a.id), start.clone());
        if let Some(contact) = a.contact_id {
            self.expect(keys::appointment_by_contact(of, contact, a.starts_at, a.id), Vec::new());
        }
        if a.updated_at != a.created_at {
            self.expect(keys::appointment_by_update(of, a.updated_at, a.id), start);
        }
        self.show(
            a.id,
            &json!({
                "status": a.status, "starts_at": a.starts_at, "ends_at": a.ends_at, "service_id": a.service_id,
                "staff_id": a.staff_id, "contact_id": a.contact_id, "source": a.source,
                "created_at": a.created_at, "updated_at": a.updated_at, "notes": a.notes,
                "attendance": a.attendance,
            }),
        );
        self.appointments.insert(a.id, a);
    }

    fn add_contact(&mut self, of: BusinessId, value: &[u8]) {
        let contact = Contact::decode(value).unwrap();
        let id = contact.id.uuid().as_bytes().to_vec();
        if let Some(phone) = &contact.phone {
            self.expect(keys::contact_by_phone(of, phone), id.clone());
        }
        if let Some(email) = &contact.email {
            self.expect(keys::contact_by_email(of, email), id);
        }
        self.expect(keys::contact_by_update(of, contact.updated_at, contact.id), Vec::new());
        self.show(contact.id, &OperatorContactView::from(&contact));
        self.contacts.insert(contact.id, contact);
    }

    fn add_call(&mut self, of: BusinessId, value: &[u8]) {
        let call = CallRecord::decode(value).unwrap();
        self.expect(keys::call_by_start(of, call.started_at, call.id), CallRow::from(&call).encode());
        self.expect(keys::call_by_update(of, call.updated_at, call.id), Vec::new());
        let is_missed = call.direction == Direction::Inbound && call.status != CallStatus::Completed;
        if is_missed && call.handled_at.is_none() {
            self.expect(keys::call_unhandled(of, call.started_at, call.id), Vec::new());
        }
        if let Some(contact) = call.contact_id {
            self.expect(keys::call_by_contact(of, contact, call.started_at, call.id), Vec::new());
        }
        self.show(call.id, &OperatorCallView::new(&call, None));
        if let Some(shown) = self.shown.get_mut(&call.id.uuid()).and_then(Value::as_object_mut) {
            shown.remove("contact_name");
        }
        self.calls.insert(call.id.uuid(), call);
    }

    fn add_message(&mut self, of: BusinessId, value: &[u8]) {
        let message = TakenMessage::decode(value).unwrap();
        let lists = [
            Some(MessagesOf::Business),
            Some(MessagesOf::Status(status_number(message.status))),
            message.contact_id.map(MessagesOf::Contact),
            message.call_id.map(MessagesOf::Call),
        ];
        for list in lists.into_iter().flatten() {
            self.expect(keys::message_in(of, list, message.created_at, message.id), Vec::new());
        }
        self.expect(keys::message_by_update(of, message.updated_at, message.id), Vec::new());
        self.show(message.id, &OperatorMessageView::from(&message));
        self.messages.insert(message.id.uuid(), message);
    }

    fn check_overlaps(&self) {
        let mut by_staff: BTreeMap<_, Vec<(Timestamp, Timestamp, AppointmentId)>> = BTreeMap::new();
        for a in self.appointments.values().filter(|a| a.is_active()) {
            by_staff.entry(a.staff_id).or_default().push((a.starts_at, a.ends_at, a.id));
        }
        for held in by_staff.values_mut() {
            held.sort_unstable();
            for pair in held.windows(2) {
                assert!(pair[0].1 <= pair[1].0, "{:?} and {:?} overlap", pair[0], pair[1]);
            }
        }
    }

    /// Checks the rows of search texts. The key of each row contains an id. A row must contain exactly the texts of the
    /// records whose ids are greater than the id of the previous row, and not greater than the id of the row. Records
    /// with ids greater than the id of the last row are in no row yet. There must be fewer than 192 of these records.
    fn check_search_texts(&self) {
        let contacts = self.contacts.values().map(|it| (it.id.uuid(), it.search_text())).collect();
        let calls = self.calls.values().map(|it| (it.id.uuid(), it.search_text())).collect();
        let messages = self.messages.values().map(|it| (it.id.uuid(), it.search_text())).collect();
        let all: [(u8, Vec<(Uuid, String)>); 3] =
            [(kind::CONTACT_SEARCH, contacts), (kind::CALL_SEARCH, calls), (kind::MESSAGE_SEARCH, messages)];
        for (kind, records) in all {
            let rows = self.filed.get(&kind).map_or(&[][..], Vec::as_slice);
            let (mut from, mut filed) = (Vec::new(), Vec::new());
            for (last, row) in rows {
                assert!(row.texts.len() <= 64, "a row has {} search texts", row.texts.len());
                for (id, text) in &row.texts {
                    let bytes = id.as_bytes();
                    assert!(bytes[..] > from[..] && bytes[..] <= last[..], "{id} is in the wrong row");
                    filed.push((*id, text.clone()));
                }
                from.clone_from(last);
            }
            let is_filed = |(id, _): &&(Uuid, String)| id.as_bytes()[..] <= from[..];
            let unfiled = records.iter().filter(|record| !is_filed(record)).count();
            assert!(unfiled < 3 * 64, "{unfiled} records are unfiled");
            let expected = records.iter().filter(is_filed).filter(|(_, text)| !text.is_empty());
            assert_eq!(
                filed,
                expected.cloned().collect::<Vec<_>>(),
                "the search texts of kind {kind:#04x} differ from the records"
            );
        }
    }

    /// Compares the links that are listed for each appointment with the links that refer to the appointment.
    fn check_links(&self) {
        let mut link_of = BTreeMap::new();
        for (appointment, links) in &self.links {
            assert!(self.appointments.contains_key(appointment), "{appointment} has links, but is missing");
            assert!(links.hashes.len() <= LINKS_MAX, "{appointment} has {} links", links.hashes.len());
            for hash in &links.hashes {
                let other = link_of.insert(*hash, *appointment);
                assert_eq!(other, None, "a link occurs twice");
            }
        }
        assert_eq!(link_of, self.link_of, "the links differ from those that are listed for the appointments");
    }

    /// Checks that the manage link of a customer still exists, unless it may have expired.
    pub(crate) fn check_link(&self, id: AppointmentId, token: &ManageToken) {
        let links = &self.links[&id];
        assert!(
            links.hashes.contains(&token.hash()) || links.hashes.len() == LINKS_MAX,
            "a link of {id} is missing"
        );
    }

    /// Checks that every pending delivery has a due row, that the event of every delivery exists, and that every
    /// endpoint has an entry in the installation's list of endpoints.
    fn check_deliveries(&mut self, store: &Store, of: BusinessId) {
        for ((endpoint, event), delivery) in &self.deliveries {
            if !self.endpoints.contains_key(endpoint) {
                continue;
            }
            assert!(self.events.contains_key(event), "the event {event} of a delivery is missing");
            if let Some(at) = delivery.next_attempt_at {
                assert!(
                    self.due.contains(&(*endpoint, at, *event)) || self.was_missed(*endpoint, delivery),
                    "{event} is pending for {endpoint}, but has no due row"
                );
            }
        }
        for (endpoint, _, event) in self.due.iter().filter(|due| self.endpoints.contains_key(&due.0)) {
            assert!(
                self.deliveries.contains_key(&(*endpoint, *event)),
                "{event} has a due row, but no delivery"
            );
        }
        let listed = keys::of_kind(BusinessId::INSTALLATION, installation_kind::ENDPOINT_INDEX);
        self.listed = store
            .scan(&listed, Order::Ascending)
            .map(|row| keys::business_and_endpoint(&row.unwrap().0).unwrap())
            .filter_map(|(business, endpoint)| (business == of).then_some(endpoint))
            .collect();
        for endpoint in self.endpoints.keys() {
            assert!(self.listed.contains(endpoint), "{endpoint} is not in the list of all endpoints");
        }
    }

    /// True if a delivery was pending when its endpoint was disabled.
    fn was_missed(&self, endpoint: WebhookId, delivery: &Delivery) -> bool {
        delivery.epoch < self.endpoints[&endpoint].epoch
    }
}

/// Returns the endpoint's id in the key of a delivery.
fn id_in(key: &[u8]) -> WebhookId {
    Uuid::from_slice(&key[17..33]).unwrap().into()
}
