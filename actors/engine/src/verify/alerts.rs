//! Checks of alerts and of their read positions.

use domain::{Alert, AlertsRead, PersonId};
use store::{Order, keys};

use super::findings::Checker;

/// Checks an alert against the last one. The numbers of a person's alerts have no gaps.
pub(super) fn alert(checker: &mut Checker<'_>, last: &mut Option<(PersonId, u64)>, value: &[u8]) {
    let key = checker.key;
    let at = checker.read(keys::alert_at(&key));
    let before = std::mem::replace(last, at);
    let Some(alert) = checker.decoded::<Alert>(value) else { return };
    checker.stands_at(&keys::alert(checker.of, alert.person_id, alert.number));
    if before.is_some_and(|(person, number)| person == alert.person_id && number + 1 < alert.number) {
        checker.wrong("earlier alerts of this person are missing");
    }
}

/// Checks a read position. It is not after the newest remaining alert.
pub(super) fn read(checker: &mut Checker<'_>, value: &[u8]) {
    let (of, key) = (checker.of, checker.key);
    let Some(read) = checker.decoded::<AlertsRead>(value) else { return };
    let Some(person) = checker.read(keys::id_at_end::<PersonId>(&key)) else { return };
    checker.stands_at(&keys::alerts_read(of, person));
    let newest = checker.rows.scan(&keys::alerts(of, person), Order::Descending).next().transpose();
    let Some(Some((newest, _))) = checker.read(newest) else { return };
    let newest = checker.read(keys::alert_at(&newest));
    if newest.is_some_and(|(_, number)| number < read.until) {
        checker.wrong("more alerts are marked as read than exist");
    }
}
