//! The walk through all rows of a store.

use domain::BusinessId;
use store::keys::kind;
use store::{Key, Order, Rows, StoreError, every_row, keys, piece_of, whole_value};

use super::business::InBusiness;
use super::findings::{Checker, Report};
use super::installation::Installation;
use super::{alerts, appointments, contacts, conversations, mails, people, webhooks};

/// Checks every row.
///
/// # Errors
/// Returns an error if a row cannot be read for a reason other than damage.
pub fn check(rows: &dyn Rows) -> Result<Report, StoreError> {
    let mut checker = Checker::of(rows);
    let (mut installation, mut business) = (Installation::default(), InBusiness::default());
    for row in rows.scan(&every_row(), Order::Ascending) {
        let (key, row) = match row {
            Err(StoreError::Damaged { record, reason }) => {
                checker.report.add(format!("a record of kind {record} is damaged: {reason}"));
                break;
            }
            row => row?,
        };
        checker.report.rows += 1;
        let (before, (Ok(of), Ok(kind))) = (checker.of, (keys::business_of(&key), keys::kind_of(&key)))
        else {
            checker.key = Key::new(&key);
            checker.wrong("its key has no kind");
            continue;
        };
        if of != before {
            business.end(&mut checker);
            (checker.of, checker.key) = (of, Key::new(&key));
            business = InBusiness::begin(&mut checker);
        }
        checker.key = Key::new(&key);
        if business.is_nobodys {
            continue;
        }
        if let Some(whole) = piece_of(&key) {
            if rows.get(&whole)?.is_none() {
                checker.wrong("it is a piece of a missing value");
            }
            continue;
        }
        let whole = whole_value(rows, &key, row);
        let Some(Some(value)) = checker.read(whole) else { continue };
        if of == BusinessId::INSTALLATION {
            installation.look(&mut checker, kind, &value);
        } else {
            look(&mut checker, &mut business, kind, &value);
        }
        if let Some(error) = checker.failed.take() {
            return Err(error);
        }
    }
    business.end(&mut checker);
    installation.end(&mut checker);
    Ok(checker.report)
}

fn look(checker: &mut Checker<'_>, business: &mut InBusiness, kind: u8, value: &[u8]) {
    if !keys::has_width(&checker.key, kind) {
        return checker.wrong("the kind of its key is unknown, or its key has the wrong length");
    }
    business.count(checker, kind, value);
    match kind {
        kind::APPOINTMENT => appointments::appointment(checker, &mut business.held, value),
        kind::APPOINTMENT_START | kind::APPOINTMENT_BY_CONTACT | kind::APPOINTMENT_BY_UPDATE => {
            appointments::index(checker, kind, value);
        }
        kind::CONTACT => contacts::contact(checker, value),
        kind::CONTACT_NAMES => contacts::names(checker, value),
        kind::CONTACT_BY_PHONE | kind::CONTACT_BY_EMAIL | kind::CONTACT_BY_UPDATE => {
            contacts::index(checker, kind, value);
        }
        kind::CALL => conversations::call(checker, value),
        kind::CALL_BY_START | kind::CALL_BY_CONTACT | kind::CALL_BY_UPDATE => {
            conversations::index_of_calls(checker, value);
        }
        kind::MESSAGE => conversations::message(checker, value),
        kind::MESSAGE_BY_CREATION
        | kind::MESSAGE_BY_STATUS
        | kind::MESSAGE_BY_CONTACT
        | kind::MESSAGE_BY_CALL
        | kind::MESSAGE_BY_UPDATE => conversations::index_of_messages(checker, value),
        kind::EVENT | kind::DELIVERY | kind::DELIVERY_DUE | kind::DELIVERY_REACHED => {
            webhooks::look(checker, kind, value);
        }
        kind::MEMBERSHIP => people::membership(checker, value),
        kind::MAIL | kind::MAIL_DUE | kind::MAIL_GATHERED => mails::look(checker, kind, value),
        kind::ALERT => alerts::alert(checker, &mut business.last_alert, value),
        kind::ALERTS_READ => alerts::read(checker, value),
        _ => business.look(checker, kind, value),
    }
}
