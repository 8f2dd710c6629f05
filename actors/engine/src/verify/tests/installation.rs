//! Tests with a damaged store as a whole, damaged businesses and damaged API keys.

use super::*;

pub(super) const DAMAGES: &[Damage] = &[
    ("a missing format", |m| m.remove(&keys::meta()), "the format of the store is missing"),
    (
        "a damaged record of the store itself",
        |m| m.0.get_mut(&*keys::meta()).unwrap().truncate(9),
        "kind meta",
    ),
    ("an interrupted upgrade", |m| m.put(&keys::upgrade(), vec![0, 2]), "an upgrade is not finished"),
    ("an interrupted repair", |m| m.put(&keys::repair(), vec![0; 8]), "a repair of timestamps"),
    (
        "an import of an existing business",
        |m| {
            let business = m.record::<Business>(&keys::profile(m.of()));
            m.put(&keys::moving(m.of()), business.encode());
        },
        "the business that is being imported already exists",
    ),
    (
        "an imported business whose id differs from the id in its key",
        |m| {
            let business = m.record::<Business>(&keys::profile(m.of()));
            m.put(&keys::moving(other()), business.encode());
        },
        "its record belongs to the key",
    ),
    ("a damaged import", |m| m.put(&keys::moving(other()), vec![9]), "kind business"),
    (
        "a row of an unknown kind",
        |m| m.put(&keys::profile(m.of())[..16].iter().copied().chain([0x7e; 17]).collect::<Vec<_>>(), vec![]),
        "the kind of its key is unknown",
    ),
    (
        "a key that is too long",
        |m| {
            let key = [&m.first(kind::CONTACT)[..], &[0]].concat();
            m.put(&key, vec![1]);
        },
        "its key has the wrong length",
    ),
    ("a key without a kind", |m| m.put(&[5; 16], vec![]), "no kind"),
    (
        "a business that is missing in the list",
        |m| m.remove(&keys::business_index(m.of())),
        "in the list of businesses is missing",
    ),
    (
        "a missing business that is in the list",
        |m| m.put(&keys::business_index(other()), vec![]),
        "the business that it names is missing",
    ),
    ("a business without a profile", |m| m.remove(&keys::profile(m.of())), "its business has no profile"),
    (
        "a profile of another business",
        |m| {
            let key = keys::profile(m.of());
            m.edit::<Business>(&key, |b| b.id = other());
        },
        "its record belongs to the key",
    ),
    (
        "a service whose id differs from the id in its key",
        |m| {
            let key = m.first(kind::SERVICE);
            m.edit::<Service>(&key, |s| s.id = other());
        },
        "its record belongs to the key",
    ),
    (
        "a damaged service",
        |m| {
            let key = m.first(kind::SERVICE);
            m.0.get_mut(&key).unwrap().push(0);
        },
        "kind service",
    ),
    (
        "a staff member who offers a missing service",
        |m| {
            let key = m.first(kind::STAFF);
            m.edit::<StaffMember>(&key, |s| s.service_ids.push(other()));
        },
        "the service that it names is missing",
    ),
    (
        "a missing service",
        |m| {
            let key = m.first(kind::SERVICE);
            m.remove(&key);
        },
        "the service that it names is missing",
    ),
    (
        "a missing staff member",
        |m| {
            let key = m.first(kind::STAFF);
            m.remove(&key);
        },
        "the staff member that it names is missing",
    ),
    (
        "a missing API key that is in the list",
        |m| {
            let key = m.installation(installation_kind::API_KEY);
            m.remove(&key);
        },
        "the API key that it names is missing",
    ),
    (
        "an API key that is missing in its business's list",
        |m| {
            let key = m.first(kind::KEY);
            m.remove(&key);
        },
        "in the list of its business is missing",
    ),
    (
        "an API key whose prefix differs from the prefix in its row's key",
        |m| {
            let key = m.installation(installation_kind::API_KEY);
            m.move_row(&key, &keys::api_key(*b"zzzzzzzz"));
        },
        "its record belongs to the key",
    ),
    (
        "a revoked API key that is active again",
        |m| {
            let key = keys::of_kind(BusinessId::INSTALLATION, installation_kind::API_KEY);
            let revoked = m.scan(&key, Order::Ascending).map(|row| row.unwrap().0);
            let revoked = revoked.filter(|key| m.record::<ApiKey>(key).revoked_at.is_some()).last().unwrap();
            m.edit::<ApiKey>(&revoked, |key| key.revoked_at = None);
        },
        "differs from the rows found",
    ),
    (
        "a use of a missing API key",
        |m| m.put(&keys::key_used(other()), vec![0; 8]),
        "the API key that it names is missing",
    ),
];
