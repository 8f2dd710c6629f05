//! Checks of the installation's rows: the format, the lists of businesses, keys and endpoints, the clock.

use std::collections::HashSet;

use domain::{ApiKey, Business, BusinessId, Feed, KeyId, SlugOwner, Website};
use store::kept::Kept;
use store::keys::{self, installation_kind, kind};
use store::records::{AuditRecord, ClockRecord, MetaRecord, NoticeCountRecord, RoundRecord};

use super::findings::Checker;
use crate::upgrade;

#[derive(Default)]
pub(super) struct Installation {
    has_meta: bool,
    keys: HashSet<KeyId>,
}

impl Installation {
    pub(super) fn look(&mut self, checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
        match kind {
            installation_kind::META => {
                self.has_meta = true;
                let Some(meta) = checker.decoded::<MetaRecord>(value) else { return };
                if let Err(error) = upgrade::check(&meta) {
                    checker.failed.get_or_insert(error);
                }
                checker.stands_at(&keys::meta());
            }
            installation_kind::API_KEY => {
                let Some(key) = checker.decoded::<ApiKey>(value) else { return };
                if !key.prefix.is_ascii() || key.prefix.len() < 8 {
                    return checker.wrong("its prefix is too short");
                }
                let prefix = keys::api_key_prefix(&key);
                checker.stands_at(&keys::api_key(prefix));
                checker.expect("in the list of its business", &keys::key(key.business_id, key.id), &prefix);
                self.keys.insert(key.id);
            }
            installation_kind::KEY_USED => {
                let Some(id) = checker.id::<KeyId>() else { return };
                checker.stands_at(&keys::key_used(id));
                checker.read(keys::millis_from_value(value));
                if !self.keys.contains(&id) {
                    checker.wrong("the API key that it names is missing");
                }
            }
            installation_kind::FEED_BY_TOKEN => {
                let Some((of, id)) = checker.read(keys::business_and_feed(value)) else { return };
                let feed = checker.record::<Feed>(&keys::feed(of, id));
                let index = feed.map(|feed| feed.index(of)).unwrap_or_default();
                let belongs = index.iter().any(|row| row.key == checker.key && row.value == value);
                let is_ended = checker.is_ended(of);
                checker.belongs(belongs || is_ended);
            }
            installation_kind::FEED_FETCHED => {
                let named = checker.read(keys::business_and_feed(checker.key.get(17..).unwrap_or_default()));
                let Some((of, id)) = named else { return };
                checker.stands_at(&keys::feed_fetched(of, id));
                checker.read(keys::millis_from_value(value));
                if !checker.is_ended(of) {
                    checker.refers("feed", &keys::feed(of, id));
                }
            }
            installation_kind::ENDPOINT_INDEX => {
                let named = checker.read(keys::business_and_endpoint(&checker.key));
                let Some((of, endpoint)) = named else { return };
                checker.stands_at(&keys::endpoint_index(of, endpoint));
                if !checker.is_ended(of) {
                    checker.refers("business", &keys::profile(of));
                }
            }
            installation_kind::CALENDAR_INDEX => {
                let Some((of, calendar)) = checker.read(keys::business_and_calendar(&checker.key)) else {
                    return;
                };
                checker.stands_at(&keys::calendar_index(of, calendar));
                checker.has_no_value(value);
                if !checker.is_ended(of) {
                    checker.refers("business", &keys::profile(of));
                }
            }
            installation_kind::BUSINESS_INDEX | installation_kind::ENDING | installation_kind::UNFINISHED => {
                let Some(of) = checker.id::<BusinessId>() else { return };
                let (row, is_ended) = match kind {
                    installation_kind::BUSINESS_INDEX => (keys::business_index(of), false),
                    installation_kind::ENDING => (keys::ending(of), true),
                    _ => (keys::unfinished(of), checker.is_ended(of)),
                };
                checker.stands_at(&row);
                if kind == installation_kind::ENDING && checker.is_there(&keys::profile(of)) {
                    checker.wrong("the deleted business still exists");
                } else if !is_ended {
                    checker.refers("business", &keys::profile(of));
                }
                checker.has_no_value(value);
            }
            installation_kind::SLUG => {
                let Some(owner) = checker.decoded::<SlugOwner>(value) else { return };
                let of = owner.business_id;
                // If a restore repeats the deletion of a business, it does not delete the slug of the business.
                // Therefore a slug without its business is not damage.
                if owner.reserved_until.is_some() || !checker.is_there(&keys::profile(of)) {
                    return;
                }
                let slug = checker.record::<Website>(&keys::website(of)).and_then(|website| website.slug);
                if slug.is_none_or(|slug| keys::slug(slug.as_str()) != checker.key) {
                    checker.wrong("its business has another slug");
                }
            }
            installation_kind::PERSON
            | installation_kind::PERSON_BY_EMAIL
            | installation_kind::PERSON_BY_TOKEN
            | installation_kind::MEMBER_OF => checker.of_person(kind, value),
            installation_kind::AUDIT => {
                let Some(AuditRecord { entry, .. }) = checker.decoded(value) else { return };
                checker.stands_at(&keys::audit(BusinessId::INSTALLATION, entry.id));
            }
            installation_kind::CLOCK => _ = checker.decoded::<ClockRecord>(value),
            installation_kind::ROUND => _ = checker.decoded::<RoundRecord>(value),
            // Stored responses to requests that are not about one business, such as the creation of a business.
            kind::IDEMPOTENCY => checker.remembered(value),
            installation_kind::NOTICE_COUNT => _ = checker.decoded::<NoticeCountRecord>(value),
            // Mails that concern only an account.
            kind::MAIL => checker.mail(value),
            kind::MAIL_DUE | kind::MAIL_GATHERED => checker.index_of_mails(value),
            installation_kind::MOVING => moving(checker, value),
            installation_kind::REPAIR => checker.wrong("a repair of timestamps is not finished"),
            installation_kind::UPGRADE => checker.wrong("an upgrade is not finished"),
            _ => checker.wrong("its kind is not known"),
        }
    }

    pub(super) fn end(&self, checker: &mut Checker<'_>) {
        if !self.has_meta && checker.report.rows > 0 {
            checker.report.add("installation: the row with the format of the store is missing".into());
        }
    }
}

/// Checks a row of an import. The row contains a business, or marks all imported businesses as valid.
fn moving(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(of) = checker.id::<BusinessId>() else { return };
    checker.stands_at(&keys::moving(of));
    if of == BusinessId::INSTALLATION {
        return checker.has_no_value(value);
    }
    let Some(business) = checker.decoded::<Business>(value) else { return };
    checker.stands_at(&keys::moving(business.id));
    if checker.is_there(&keys::profile(of)) || checker.is_there(&keys::business_index(of)) {
        checker.wrong("the business that is being imported already exists");
    }
}
