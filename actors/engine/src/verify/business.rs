//! Checks of a business as a whole: profile, offers, API keys, knowledge, logs and usage.

use std::collections::HashMap;

use domain::{
    Amount, ApiKey, AppointmentId, AuditId, BlockedTime, BudgetKind, Business, BusinessId, ContactId,
    EventId, PersonId, ResourceId, StaffId, StaffMember, Timestamp, Usage,
};
use store::kept::{self, Counted, counted};
use store::keys::kind;
use store::records::{AuditRecord, ErasingRecord, ErasureRecord, WipeRecord};
use store::{Order, Record, keys};

use super::findings::Checker;

/// The values that are remembered between the rows of a business.
#[derive(Default)]
pub(super) struct InBusiness {
    /// The end of each staff member's last appointment, and its id.
    pub(super) held: HashMap<StaffId, (Timestamp, AppointmentId)>,
    /// The counted usage, and the usage in the newest audit entry.
    kept: Usage,
    told: Option<Usage>,
    newest: Option<Timestamp>,
    /// The person and the number of the last alert.
    pub(super) last_alert: Option<(PersonId, u64)>,
    /// Whether the business is being deleted or imported. The rows of such a business are not checked.
    pub(super) is_nobodys: bool,
}

impl InBusiness {
    /// Begins a business, or the installation, at its first row.
    pub(super) fn begin(checker: &mut Checker<'_>) -> Self {
        let of = checker.of;
        if of != BusinessId::INSTALLATION {
            if checker.is_nobodys(of) {
                return Self { is_nobodys: true, ..Self::default() };
            }
            checker.report.businesses += 1;
            if !checker.is_there(&keys::profile(of)) {
                checker.wrong("its business has no profile");
            }
        }
        Self::default()
    }

    pub(super) fn end(&self, checker: &mut Checker<'_>) {
        if self.told.is_some_and(|told| told != self.kept) {
            checker.wrong("the usage in the newest entry of the audit log differs from the rows found");
        }
    }

    pub(super) fn count(&mut self, checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
        let Some((_, Counted { budget, decodes: Some(_), .. })) = counted(kind) else { return };
        checker.report.records += 1;
        self.kept.add(budget, Amount::row(value.len()));
    }

    pub(super) fn look(&mut self, checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
        let of = checker.of;
        match kind {
            kind::PROFILE => {
                let Some(business) = checker.kept::<Business>(value) else { return };
                checker.stands_at(&keys::profile(business.id));
                checker.expect("in the list of businesses", &keys::business_index(of), b"");
            }
            kind::ERASURE => erasure(checker, value),
            kind::ERASING => {
                _ = checker.decoded::<ErasingRecord>(value);
                checker.stands_at(&keys::erasing(of));
                let erasures = keys::of_kind(of, kind::ERASURE);
                let first = checker.rows.scan(&erasures, Order::Ascending).next().transpose();
                if checker.read(first).is_some_and(|first| first.is_none()) {
                    checker.wrong("no contact is being erased");
                }
            }
            kind::WIPE => {
                _ = checker.decoded::<WipeRecord>(value);
                let Some(event) = id_in::<EventId>(checker) else { return };
                checker.refers("event", &keys::event(of, event));
                checker.expect("in the list of unfinished businesses", &keys::unfinished(of), b"");
            }
            kind::STAFF => {
                let Some(member) = checker.kept::<StaffMember>(value) else { return };
                member.service_ids.iter().for_each(|id| checker.refers("service", &keys::service(of, *id)));
            }
            kind::BLOCKED_TIME => {
                let Some(time) = checker.kept::<BlockedTime>(value) else { return };
                checker.refers("staff member", &keys::staff(of, time.staff_id));
            }
            kind::KEY => self.key(checker, value),
            kind::AUDIT => self.entry(checker, value),
            kind::IDEMPOTENCY => checker.remembered(value),
            kind::AGE => {
                let until = checker.read(keys::id_at_end::<AuditId>(value));
                let is_gone = until.is_some_and(|until| !checker.is_there(&keys::audit(of, until)));
                // With a retention, the entry may have expired.
                if is_gone && !checker.is_there(&keys::retention(of)) {
                    checker.wrong("it refers to a missing entry of the audit log");
                }
            }
            // An unfinished repair is reported once, for the installation.
            kind::REPAIR => {}
            other => match kept::kind(other) {
                Some(kind) => checker.kept_as(kind, value),
                None => checker.wrong("its kind is not known"),
            },
        }
    }

    /// Checks that an API key is listed and exists among the keys of all businesses.
    fn key(&mut self, checker: &mut Checker<'_>, value: &[u8]) {
        let Some(prefix) = checker.read(keys::prefix_from_value(value)) else { return };
        let row = checker.value(&keys::api_key(prefix));
        let key = row.as_ref().and_then(|row| ApiKey::decode(row).ok());
        let (Some(row), Some(key)) = (row, key) else {
            return checker.wrong("the API key that it names is missing");
        };
        checker.stands_at(&keys::key(key.business_id, key.id));
        if key.revoked_at.is_none() {
            self.kept.add(BudgetKind::Keys, Amount::row(row.len()));
        }
    }

    fn entry(&mut self, checker: &mut Checker<'_>, value: &[u8]) {
        let Some(AuditRecord { entry, usage }) = checker.decoded(value) else { return };
        checker.stands_at(&keys::audit(checker.of, entry.id));
        if self.newest.is_some_and(|newest| newest > entry.at) {
            checker.wrong("its timestamp is earlier than that of the entry before it");
        }
        (self.newest, self.told) = (Some(entry.at), usage);
    }
}

/// Checks that the contact of an erasure is deleted.
fn erasure(checker: &mut Checker<'_>, value: &[u8]) {
    let of = checker.of;
    _ = checker.decoded::<ErasureRecord>(value);
    let Some(id) = id_in::<ContactId>(checker) else { return };
    if checker.is_there(&keys::contact(of, id)) {
        checker.wrong("the contact that is being erased still exists");
    }
    checker.expect("in the list of unfinished businesses", &keys::unfinished(of), b"");
}

/// The 16 bytes after the kind in the key, as an id.
pub(super) fn id_in<I: ResourceId>(checker: &Checker<'_>) -> Option<I> {
    keys::id_at_end(checker.key.get(17..33)?).ok()
}
