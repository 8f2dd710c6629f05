//! Tests with damage during deletions that run in steps: the erasure of a contact, the removal of the contact's data
//! from events, and the deletion of a business. The last two entries of [`DAMAGES`] have another subject: a damaged row
//! of retention periods.

use super::*;

impl Map {
    pub(super) fn somebody(&self) -> Contact {
        let all = self.keys(kind::CONTACT).into_iter().map(|key| self.record::<Contact>(&key));
        all.into_iter().find(|contact| contact.name.is_some() && contact.phone.is_some()).unwrap()
    }

    fn erasing(&mut self, contact: &Contact) {
        let phone = contact.phone.as_deref().map(keys::identifier_digest);
        let record = ErasureRecord { id: other(), phone, email: None, former: None };
        self.put(&keys::erasure(self.of(), contact.id), record.encode());
        self.put(&keys::unfinished(self.of()), vec![]);
    }

    /// Begins the erasure of a contact: deletes the contact and its index rows, except rows of the kinds in
    /// `left`.
    fn erase_but(&mut self, left: &[u8]) {
        let (of, contact) = (self.of(), self.somebody());
        self.erasing(&contact);
        self.remove(&keys::contact(of, contact.id));
        let mut found_by = vec![
            keys::contact_by_update(of, contact.updated_at, contact.id),
            keys::contact_by_phone(of, contact.phone.as_deref().unwrap()),
        ];
        found_by.extend(contact.email.as_deref().map(|email| keys::contact_by_email(of, email)));
        for key in found_by {
            if !left.contains(&keys::kind_of(&key).unwrap()) {
                self.remove(&key);
            }
        }
        if !left.contains(&kind::CONTACT_SEARCH) {
            let row = self.first(kind::CONTACT_SEARCH);
            self.edit::<SearchRecord>(&row, |row| row.texts.retain(|(id, _)| *id != contact.id.uuid()));
        }
    }
}

pub(super) const DAMAGES: &[Damage] = &[
    (
        "a contact that exists although it is being erased",
        |m| {
            let contact = m.somebody();
            m.erasing(&contact);
        },
        "the contact that is being erased still exists",
    ),
    (
        "an erased contact with an index row by phone number",
        |m| m.erase_but(&[kind::CONTACT_BY_PHONE]),
        "no record has this index row",
    ),
    (
        "an erased contact with an index row by `updated_at`",
        |m| m.erase_but(&[kind::CONTACT_BY_UPDATE]),
        "no record has this index row",
    ),
    (
        "an erased contact in the index of search texts",
        |m| m.erase_but(&[kind::CONTACT_SEARCH]),
        "it contains a search text that record",
    ),
    (
        "an erasure in a business that is not listed as unfinished",
        |m| {
            m.erase_but(&[]);
            m.remove(&keys::unfinished(m.of()));
        },
        "in the list of unfinished businesses is missing",
    ),
    (
        "a damaged erasure",
        |m| {
            m.erase_but(&[]);
            let key = m.first(kind::ERASURE);
            m.0.get_mut(&key).unwrap().truncate(5);
        },
        "kind erasure",
    ),
    (
        "the progress of an erasure although no contact is being erased",
        |m| {
            let (key, record) =
                (keys::erasing(m.of()), ErasingRecord { newest: other(), stage: 1, at: vec![] });
            m.put(&key, record.encode());
        },
        "no contact is being erased",
    ),
    (
        "damaged progress of an erasure",
        |m| {
            m.erase_but(&[]);
            m.put(&keys::erasing(m.of()), vec![1, 2]);
        },
        "kind erasing",
    ),
    (
        "a missing event that is to be wiped",
        |m| {
            let record = WipeRecord { until: domain::SteadyTime::from_millis(5) };
            m.put(&keys::wipe(m.of(), other()), record.encode());
        },
        "the event that it names is missing",
    ),
    (
        "an event to be wiped in a business that is not listed as unfinished",
        |m| {
            let event = keys::id_at_end(&m.first(kind::EVENT)).unwrap();
            let record = WipeRecord { until: domain::SteadyTime::from_millis(5) };
            m.put(&keys::wipe(m.of(), event), record.encode());
        },
        "in the list of unfinished businesses is missing",
    ),
    (
        "a damaged row of an event that is to be wiped",
        |m| {
            let event = keys::id_at_end(&m.first(kind::EVENT)).unwrap();
            m.put(&keys::wipe(m.of(), event), vec![1]);
        },
        "kind wipe",
    ),
    (
        "a missing business in the list of unfinished businesses",
        |m| m.put(&keys::unfinished(other()), vec![]),
        "the business that it names is missing",
    ),
    (
        "a business that exists although it was deleted",
        |m| m.put(&keys::ending(m.of()), vec![]),
        "the deleted business still exists",
    ),
    (
        "a row in the list of deleted businesses that has a value",
        |m| m.put(&keys::ending(other()), vec![1]),
        "its value must be empty",
    ),
    (
        "rows of a business that has no profile and is not being deleted",
        |m| {
            let of = m.of();
            m.remove(&keys::profile(of));
            m.remove(&keys::business_index(of));
        },
        "its business has no profile",
    ),
    (
        "a damaged retention",
        |m| {
            let mut bytes = Retention { calls_days: Some(9), ..Retention::default() }.encode();
            bytes[2] = 0; // the number of days
            m.put(&keys::retention(m.of()), bytes);
        },
        "kind retention",
    ),
    (
        "a retention under another key",
        |m| {
            let mut key = keys::retention(m.of()).to_vec();
            *key.last_mut().unwrap() = 1;
            m.put(&key, Retention::default().encode());
        },
        "its record belongs to the key",
    ),
];

#[tokio::test]
async fn unfinished_cleanup_is_no_damage() {
    let good = good().await;
    // A contact is being erased. Its rows are deleted, but the recorded usage still includes them. Only findings about
    // this difference are allowed.
    let mut map = good.clone();
    map.erase_but(&[]);
    map.put(&keys::retention(map.of()), Retention::default().encode());
    let report = check(&map).unwrap();
    let differs = |finding: &String| finding.contains("differs from the rows found");
    assert!(report.findings.iter().all(differs), "{:?}", report.findings);
    // A business is being deleted. Some of its rows may be left, so there must be no finding.
    let (of, mut map) = (good.of(), good);
    map.put(&keys::ending(of), vec![]);
    map.remove(&keys::profile(of));
    map.remove(&keys::business_index(of));
    let report = check(&map).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}
