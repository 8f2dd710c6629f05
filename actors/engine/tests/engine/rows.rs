//! Checks that the rows of a business are consistent with each other, also after a crash.

use std::collections::{BTreeMap, HashMap};

use domain::{
    Actor, Appointment, AppointmentId, AuditEntry, BusinessId, Contact, ContactId, KeyId, ResourceId,
    StaffId, Timestamp,
};
use store::kept;
use store::keys::{self, kind};
use store::records::{IdempotencyRecord, SearchRecord};
use store::{Order, Record, Store};

/// The rows of one business.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) appointments: BTreeMap<AppointmentId, Appointment>,
    pub(crate) contacts: BTreeMap<ContactId, Contact>,
    /// The audit entries of each API key, oldest first.
    pub(crate) audit: HashMap<KeyId, Vec<AuditEntry>>,
    /// The stored responses, by idempotency key.
    pub(crate) remembered: HashMap<[u8; 32], Vec<u8>>,
}

impl Rows {
    /// Reads the rows of a business. Checks that its index rows are exactly the rows that its records
    /// require.
    pub(crate) fn checked(store: &Store, of: BusinessId) -> Self {
        let mut rows = Self::default();
        let (mut indexes, mut expected) = (BTreeMap::new(), BTreeMap::new());
        let mut search_texts = SearchTexts::default();
        for row in store.scan(&keys::all(of), Order::Ascending) {
            let (key, value) = row.unwrap();
            match keys::kind_of(&key).unwrap() {
                kind::APPOINTMENT => rows.add_appointment(of, (&key, &value), &mut expected),
                kind::CONTACT => {
                    rows.add_contact(of, &value, &mut expected);
                    search_texts.add(kind::CONTACT, &key, &value);
                }
                kind::AUDIT => {
                    let entry = AuditEntry::decode(&value).unwrap();
                    if let Actor::ApiKey(by) = entry.actor {
                        rows.audit.entry(by).or_default().push(entry);
                    }
                }
                kind::IDEMPOTENCY => {
                    let hash = *key.last_chunk::<32>().unwrap();
                    rows.remembered.insert(hash, IdempotencyRecord::decode(&value).unwrap().body);
                }
                kind::APPOINTMENT_START
                | kind::APPOINTMENT_BY_CONTACT
                | kind::APPOINTMENT_BY_UPDATE
                | kind::CONTACT_BY_PHONE
                | kind::CONTACT_BY_EMAIL
                | kind::CONTACT_BY_UPDATE => _ = indexes.insert(key, value),
                kind => search_texts.add(kind, &key, &value),
            }
        }
        search_texts.check();
        assert_eq!(indexes, expected, "the index rows differ from the records");
        for appointment in rows.appointments.values() {
            assert!(appointment.contact_id.is_none_or(|id| rows.contacts.contains_key(&id)));
        }
        rows.check_overlaps();
        rows
    }

    fn add_appointment(
        &mut self,
        of: BusinessId,
        (key, value): (&[u8], &[u8]),
        expected: &mut BTreeMap<Vec<u8>, Vec<u8>>,
    ) {
        let a = Appointment::decode(value).unwrap();
        assert_eq!(
            *key,
            *keys::appointment(of, a.starts_at, a.id),
            "the key does not match the start of the appointment"
        );
        let start = keys::millis_value(a.starts_at);
        expected.insert(keys::appointment_start(of, a.id).to_vec(), start.clone());
        if let Some(contact) = a.contact_id {
            let row = keys::appointment_by_contact(of, contact, a.starts_at, a.id);
            expected.insert(row.to_vec(), Vec::new());
        }
        if a.updated_at != a.created_at {
            expected.insert(keys::appointment_by_update(of, a.updated_at, a.id).to_vec(), start);
        }
        self.appointments.insert(a.id, a);
    }

    fn add_contact(&mut self, of: BusinessId, value: &[u8], expected: &mut BTreeMap<Vec<u8>, Vec<u8>>) {
        let contact = Contact::decode(value).unwrap();
        let id = contact.id.uuid().as_bytes().to_vec();
        if let Some(phone) = &contact.phone {
            expected.insert(keys::contact_by_phone(of, phone).to_vec(), id.clone());
        }
        if let Some(email) = &contact.email {
            expected.insert(keys::contact_by_email(of, email).to_vec(), id);
        }
        expected.insert(keys::contact_by_update(of, contact.updated_at, contact.id).to_vec(), Vec::new());
        self.contacts.insert(contact.id, contact);
    }

    fn check_overlaps(&self) {
        let mut by_staff: BTreeMap<StaffId, Vec<(Timestamp, Timestamp, AppointmentId)>> = BTreeMap::new();
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
}

/// The stored rows of search texts, and the expected search texts of all records. The keys of both maps are the kinds
/// of the rows.
#[derive(Default)]
struct SearchTexts {
    filed: BTreeMap<u8, Vec<(Vec<u8>, SearchRecord)>>,
    records: BTreeMap<u8, Vec<(Vec<u8>, String)>>,
}

impl SearchTexts {
    fn add(&mut self, kind: u8, key: &[u8], value: &[u8]) {
        let id = key[key.len() - 16..].to_vec();
        if kept::searched_in(kind).is_some() {
            let row = SearchRecord::decode(value).unwrap();
            self.filed.entry(kind).or_default().push((id, row));
        } else if let Some((rows, of)) = kept::kind(kind).and_then(|of| Some((of.search?, of))) {
            let text = (of.search_text)(value).unwrap();
            self.records.entry(rows).or_default().push((id, text));
        }
    }

    /// Checks that the rows contain the search texts of all records up to a certain id, and no other texts. This id is
    /// in the key of the last row. The service adds the texts of records with greater ids later.
    fn check(&self) {
        for (kind, rows) in &self.filed {
            let last = &rows.last().unwrap().0;
            let mut from = Vec::new();
            let mut filed = Vec::new();
            for (key, row) in rows {
                assert!(row.texts.len() <= 64);
                for (id, text) in &row.texts {
                    assert!(id.as_bytes()[..] > from[..] && id.as_bytes()[..] <= key[..], "{id}");
                    filed.push((id.as_bytes().to_vec(), text.clone()));
                }
                from.clone_from(key);
            }
            let records = self.records.get(kind).map_or(&[][..], Vec::as_slice);
            let expected = records.iter().filter(|(id, text)| id <= last && !text.is_empty());
            assert_eq!(filed, expected.cloned().collect::<Vec<_>>(), "search texts of kind {kind:#04x}");
        }
    }
}
