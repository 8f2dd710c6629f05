//! Tests with damaged people and damaged index rows of people.

use domain::{
    AlertChoices, Client, Link, LinkKind, Locale, Membership, MembershipStatus, Offer, Person, Role, Session,
};

use super::*;

/// Adds a member of the business with a session and a link.
pub(super) fn add(map: &mut Map) {
    let (at, of) = (Timestamp::from_millis(1_772_442_000_000), map.of());
    let person = Person {
        id: uuid::Uuid::from_u128(0x77).into(),
        email: "Ada@Example.com".into(),
        name: "Ada".into(),
        locale: Locale::En,
        clock: domain::ClockFormat::Auto,
        week_start: domain::WeekStart::Auto,
        confirmed: true,
        password: None,
        created_at: at,
        updated_at: at,
        last_sign_in_at: Some(at),
        sessions: vec![Session {
            id: other(),
            hash: [1; 32],
            created_at: at,
            last_used_at: at,
            password_at: at,
            client: Client::default(),
            restricted: false,
            business_id: None,
        }],
        link: Some(Link {
            hash: [2; 32],
            kind: LinkKind::Reset,
            created_at: at,
            confirms: true,
            business_id: None,
            email: None,
        }),
        links_from: at,
    };
    let mut batch = store::Batch::default();
    crate::people::write_person(None, Some(&person), &mut batch);
    let membership = Membership {
        person_id: person.id,
        role: Role::Owner,
        status: MembershipStatus::Active,
        accepted: true,
        staff_id: None,
        alerts: AlertChoices::default(),
        offer: Offer { email: "a@b.c".into(), name: String::new(), locale: Locale::En },
        created_at: at,
        updated_at: at,
    };
    crate::business::Write::Membership(membership).encode(of, &mut batch);
    for (key, value) in batch.writes() {
        map.put(key, value.unwrap().to_vec());
    }
}

fn row(map: &Map) -> Vec<u8> {
    map.installation(installation_kind::PERSON)
}

pub(super) const DAMAGES: &[Damage] = &[
    (
        "a person whose id differs from the id in its key",
        |m| {
            let key = row(m);
            m.edit::<Person>(&key, |person| person.id = other());
        },
        "its record belongs to the key",
    ),
    ("a missing person", |m| m.remove(&row(m)), "the person that it names is missing"),
    (
        "a person without an index row by email address",
        |m| m.remove(&m.installation(installation_kind::PERSON_BY_EMAIL)),
        "by email address is missing",
    ),
    (
        "a person whose email address differs from its index row",
        |m| {
            let key = row(m);
            m.edit::<Person>(&key, |person| person.email = "b@example.com".into());
        },
        "no record has this index row",
    ),
    (
        "a token without its row",
        |m| m.remove(&m.installation(installation_kind::PERSON_BY_TOKEN)),
        "by token is missing",
    ),
    (
        "a token of a session that has ended",
        |m| {
            let key = row(m);
            m.edit::<Person>(&key, |person| person.sessions.clear());
        },
        "no record has this index row",
    ),
    (
        "a membership that is missing in its person's list",
        |m| m.remove(&m.installation(installation_kind::MEMBER_OF)),
        "in the list of its person is missing",
    ),
    (
        "a membership that is missing in its business's list",
        |m| m.remove(&m.first(kind::MEMBERSHIP)),
        "no record has this index row",
    ),
    (
        "a membership with a missing staff member",
        |m| {
            let key = m.first(kind::MEMBERSHIP);
            m.edit::<Membership>(&key, |membership| membership.staff_id = Some(other()));
        },
        "the staff member that it names is missing",
    ),
];
