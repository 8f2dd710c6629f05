//! Tests with damaged manage links.

use store::records::{LinkRecord, LinksRecord};

use super::*;

/// Adds a manage link of the first appointment.
pub(super) fn add(map: &mut Map) {
    let of = map.of();
    let appointment_id = keys::id_at_end(&map.first(kind::APPOINTMENT_START)).unwrap();
    let hash = [7; 32];
    map.put(&keys::links(of, appointment_id), LinksRecord { hashes: vec![hash], moves: 0 }.encode());
    map.put(&keys::link(of, &hash), LinkRecord { appointment_id, to: None }.encode());
}

pub(super) const DAMAGES: &[Damage] = &[
    (
        "a link that its appointment does not name",
        |m| {
            let key = m.first(kind::LINKS);
            m.edit::<LinksRecord>(&key, |links| links.hashes.clear());
        },
        "its appointment does not name this manage link",
    ),
    (
        "a missing list of links",
        |m| m.remove(&m.first(kind::LINKS)),
        "its appointment does not name this manage link",
    ),
    ("a missing link", |m| m.remove(&m.first(kind::LINK)), "a manage link that it names is missing"),
    (
        "a link of another appointment",
        |m| {
            let key = m.first(kind::LINK);
            m.edit::<LinkRecord>(&key, |link| link.appointment_id = other());
        },
        "belongs to another appointment",
    ),
    (
        "links of a missing appointment",
        |m| {
            let links = m.first(kind::LINKS);
            m.move_row(&links, &keys::links(m.of(), other()));
            let key = m.first(kind::LINK);
            m.edit::<LinkRecord>(&key, |link| link.appointment_id = other());
        },
        "the appointment that it names is missing",
    ),
];
