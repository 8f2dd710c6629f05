//! Tests with damaged alerts. The fixture store has no alerts, so the tests add them.

use domain::{About, Alert, AlertKind, AlertsRead};

use super::*;

/// A store with three alerts of one person, two of them read, and an alert of another person.
fn with_alerts(good: &Map) -> Map {
    let mut rows = good.clone();
    let (of, at) = (good.of(), Timestamp::from_millis(5));
    let somebody = uuid::Uuid::from_u128(8).into();
    for (person_id, number) in [(other(), 4), (other(), 5), (other(), 6), (somebody, 9)] {
        let about = About { kind: AlertKind::MessageTaken, id: uuid::Uuid::from_u128(1), at };
        let id = uuid::Uuid::from_u128(u128::from(number)).into();
        let alert = Alert { id, person_id, number, about, read_at: None };
        rows.put(&keys::alert(of, person_id, number), alert.encode());
    }
    rows.put(&keys::alerts_read(of, other()), AlertsRead { until: 5, at }.encode());
    // A person without alerts may have a read position. It is not damage.
    rows.put(&keys::alerts_read(of, uuid::Uuid::from_u128(9).into()), AlertsRead { until: 5, at }.encode());
    rows
}

const DAMAGES: &[Damage] = &[
    (
        "an alert is missing between two others",
        |m| m.remove(&keys::alert(m.of(), other(), 5)),
        "earlier alerts of this person are missing",
    ),
    (
        "an alert whose number differs from the number in its key",
        |m| m.edit::<Alert>(&m.first(kind::ALERT), |alert| alert.number += 1),
        "its record belongs to the key",
    ),
    (
        "an alert whose person differs from the person in its key",
        |m| {
            m.edit::<Alert>(&m.first(kind::ALERT), |alert| {
                alert.person_id = uuid::Uuid::from_u128(10).into();
            });
        },
        "its record belongs to the key",
    ),
    (
        "an alert that cannot be decoded",
        |m| {
            let key = m.first(kind::ALERT);
            m.put(&key, vec![1, 2]);
        },
        "kind alert is damaged",
    ),
    (
        "the newest alert that was read is missing",
        |m| {
            m.remove(&keys::alert(m.of(), other(), 5));
            m.remove(&keys::alert(m.of(), other(), 6));
        },
        "more alerts are marked as read than exist",
    ),
    (
        "the mark of read alerts cannot be decoded",
        |m| m.put(&keys::alerts_read(m.of(), other()), vec![1, 0, 0]),
        "kind alerts read is damaged",
    ),
];

#[tokio::test]
async fn damage_of_alerts_is_found_and_named() {
    each_is_found(&with_alerts(&good().await), DAMAGES);
}
