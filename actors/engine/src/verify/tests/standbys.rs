//! Tests with damage to entries of the standby list.

use domain::{Amount, BudgetKind, Standby};

use super::*;

/// Adds an entry of the first contact.
fn add(map: &mut Map) {
    let of = map.of();
    let contact = map.record::<Contact>(&map.first(kind::CONTACT));
    let service = map.record::<Service>(&map.first(kind::SERVICE));
    let (id, created_at) = (uuid::Uuid::from_u128(9).into(), contact.created_at);
    let wish = "Any morning".into();
    let entry = Standby { id, contact_id: Some(contact.id), service_id: service.id, wish, created_at };
    map.put(&keys::standby(of, id), entry.encode());
    map.put(&keys::standby_by_contact(of, contact.id, created_at, id), Vec::new());
    map.edit::<AuditRecord>(&map.last(kind::AUDIT), |newest| {
        let usage = newest.usage.as_mut().unwrap();
        usage.add(BudgetKind::Standbys, Amount::row(entry.encode().len()));
    });
}

const DAMAGES: &[Damage] = &[
    ("an entry that cannot be decoded", |m| m.put(&m.first(kind::STANDBY), vec![0xee]), "version"),
    (
        "an entry at the key of another entry",
        |m| m.move_row(&m.first(kind::STANDBY), &keys::standby(m.of(), other())),
        "its record belongs to the key",
    ),
    ("a missing entry", |m| m.remove(&m.first(kind::STANDBY)), "no record has this index row"),
    (
        "an entry without its index row by contact",
        |m| m.remove(&m.first(kind::STANDBY_BY_CONTACT)),
        "its index row by contact is missing",
    ),
    (
        "an index row of an entry without a contact",
        |m| m.edit::<Standby>(&m.first(kind::STANDBY), |entry| entry.contact_id = None),
        "no record has this index row",
    ),
    (
        "an entry of a missing contact",
        |m| {
            let key = m.first(kind::STANDBY);
            m.edit::<Standby>(&key, |entry| entry.contact_id = Some(other()));
        },
        "the contact that it names is missing",
    ),
];

#[tokio::test]
async fn damage_to_the_standby_list_is_found_and_named() {
    let mut good = good().await;
    add(&mut good);
    each_is_found(&good, DAMAGES);
}
