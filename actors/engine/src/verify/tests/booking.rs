//! Tests with damaged appointments and contacts.

use super::*;

pub(super) const DAMAGES: &[Damage] = &[
    (
        "a missing appointment",
        |m| {
            let key = m.first(kind::APPOINTMENT);
            m.remove(&key);
        },
        "no record has this index row",
    ),
    (
        "an appointment whose start differs from the start in its key",
        |m| {
            let key = m.first(kind::APPOINTMENT);
            m.edit::<Appointment>(&key, |a| a.starts_at = a.starts_at - TimeDelta::minutes(5));
        },
        "its record belongs to the key",
    ),
    (
        "an appointment without its index row by id",
        |m| {
            let key = m.first(kind::APPOINTMENT_START);
            m.remove(&key);
        },
        "its index row by id is missing",
    ),
    (
        "an index row by id with another start",
        |m| {
            let key = m.first(kind::APPOINTMENT_START);
            m.put(&key, keys::millis_value(Timestamp::from_millis(5)));
        },
        "its index row by id has a wrong value",
    ),
    (
        "an appointment without its index row by contact",
        |m| {
            let key = m.first(kind::APPOINTMENT_BY_CONTACT);
            m.remove(&key);
        },
        "its index row by contact is missing",
    ),
    (
        "an appointment without its index row by `updated_at`",
        |m| {
            let key = m.first(kind::APPOINTMENT_BY_UPDATE);
            m.remove(&key);
        },
        "its index row by `updated_at` is missing",
    ),
    (
        "an index row by `updated_at` with a time at which nothing changed",
        |m| {
            let (of, key) = (m.of(), m.first(kind::APPOINTMENT));
            let a: Appointment = m.record(&key);
            m.put(
                &keys::appointment_by_update(of, a.updated_at + TimeDelta::hours(1), a.id),
                keys::millis_value(a.starts_at),
            );
        },
        "no record has this index row",
    ),
    (
        "an appointment with a missing contact",
        |m| m.edit_where::<Appointment>(kind::APPOINTMENT, |_| true, |a| a.contact_id = Some(other())),
        "the contact that it names is missing",
    ),
    (
        "two overlapping appointments of a staff member",
        |m| {
            let of = m.of();
            let active = m
                .keys(kind::APPOINTMENT)
                .into_iter()
                .map(|key| m.record::<Appointment>(&key))
                .find(Appointment::is_active)
                .unwrap();
            let twin = Appointment {
                id: other(),
                starts_at: active.starts_at + TimeDelta::minutes(10),
                created_at: active.updated_at,
                ..active
            };
            let start = keys::millis_value(twin.starts_at);
            m.put(&keys::appointment(of, twin.starts_at, twin.id), twin.encode());
            m.put(&keys::appointment_start(of, twin.id), start);
            m.put(
                &keys::appointment_by_contact(of, twin.contact_id.unwrap(), twin.starts_at, twin.id),
                vec![],
            );
        },
        "overlaps",
    ),
    (
        "a cancelled appointment that is active again and overlaps another",
        |m| {
            let cancelled = |a: &Appointment| a.status == AppointmentStatus::Cancelled;
            let of = m.of();
            let key = m.keys(kind::APPOINTMENT).into_iter().find(|key| cancelled(&m.record(key))).unwrap();
            let held: Appointment = m.record(&key);
            let again = Appointment {
                id: other(),
                status: AppointmentStatus::Confirmed,
                created_at: held.updated_at,
                ..held.clone()
            };
            m.edit::<Appointment>(&key, |a| a.status = AppointmentStatus::Confirmed);
            m.put(&keys::appointment(of, again.starts_at, again.id), again.encode());
        },
        "overlaps",
    ),
    (
        "an appointment that was changed before its creation",
        |m| {
            m.edit_where::<Appointment>(
                kind::APPOINTMENT,
                |_| true,
                |a| a.updated_at = a.created_at - TimeDelta::hours(1),
            );
        },
        "its last change is earlier than its creation",
    ),
    (
        "a missing contact",
        |m| {
            let key = m.first(kind::CONTACT);
            m.remove(&key);
        },
        "the contact that it names is missing",
    ),
    (
        "a contact whose phone number differs from its index row",
        |m| {
            m.edit_where::<Contact>(
                kind::CONTACT,
                |c| c.phone.is_some(),
                |c| c.phone = Some(domain::Phone::from_e164("+33699999999".into()).unwrap()),
            );
        },
        "its index row by phone number is missing",
    ),
    (
        "an index row by phone number that names another contact",
        |m| {
            let (one, two) = (m.first(kind::CONTACT_BY_PHONE), m.last(kind::CONTACT));
            let id = two[17..].to_vec();
            m.put(&one, id);
        },
        "by phone number has a wrong value",
    ),
    (
        "an index row by phone number that names no contact",
        |m| {
            let key = keys::contact_by_phone(m.of(), "+1");
            m.put(&key, vec![9; 16]);
        },
        "no record has this index row",
    ),
    (
        "a contact without its index row by email address",
        |m| {
            let key = m.first(kind::CONTACT_BY_EMAIL);
            m.remove(&key);
        },
        "its index row by email address is missing",
    ),
    (
        "a contact without its index row by `updated_at`",
        |m| {
            let key = m.first(kind::CONTACT_BY_UPDATE);
            m.remove(&key);
        },
        "its index row by `updated_at` is missing",
    ),
    (
        "a contact without its search text",
        |m| m.edit_where::<SearchRecord>(kind::CONTACT_SEARCH, |_| true, |row| _ = row.texts.pop()),
        "the index of search texts contains another text",
    ),
    (
        "another search text than that of the contact",
        |m| {
            let text = "\u{1}another".to_owned();
            m.edit_where::<SearchRecord>(kind::CONTACT_SEARCH, |_| true, |row| row.texts[0].1 = text);
        },
        "it contains a search text that record",
    ),
    (
        "a search text of a missing contact",
        |m| {
            let more = (uuid::Uuid::nil(), "\u{1}x".to_owned());
            m.edit_where::<SearchRecord>(kind::CONTACT_SEARCH, |_| true, |row| row.texts.insert(0, more));
        },
        "it contains a search text that record",
    ),
    (
        "a search text in the row of earlier contacts",
        |m| {
            let (first, row) = (m.record::<Contact>(&m.first(kind::CONTACT)), m.first(kind::CONTACT_SEARCH));
            m.move_row(&row, &row_key(m.of(), kind::CONTACT_SEARCH, first.id.uuid()));
        },
        "or search texts of later records",
    ),
];
