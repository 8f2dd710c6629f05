//! Checks of a business as a whole, and of rows that must be compared with the rows before them: appointments, alerts,
//! the audit log and the usage.

use std::collections::HashMap;

use domain::{
    Alert, Amount, ApiKey, Appointment, AppointmentId, AuditId, BlockedTime, BudgetKind, Business,
    BusinessId, CalendarSyncStatus, ConnectedCalendar, ContactId, EventId, Feed, KeyCreator, Membership,
    PersonId, SlugOwner, StaffId, StaffMember, Timestamp, Usage, Website,
};
use store::kept::{self, Counted, counted};
use store::keys::kind;
use store::records::{AuditRecord, ConsentRecord, ErasingRecord, ErasureRecord, WipeRecord};
use store::{Order, Record, keys};

use super::findings::Checker;

#[derive(Default)]
pub(super) struct InBusiness {
    held: HashMap<StaffId, (Timestamp, AppointmentId)>,
    /// `kept` is the usage that the check has counted so far. `recorded` is the usage in the newest audit entry.
    kept: Usage,
    recorded: Option<Usage>,
    newest: Option<Timestamp>,
    last_alert: Option<(PersonId, u64)>,
    /// Whether the business is being deleted or imported. If so, its rows are not checked.
    pub(super) is_skipped: bool,
}

impl InBusiness {
    /// Begins the checks of a business, or of the installation, at its first row.
    pub(super) fn begin(checker: &mut Checker<'_>) -> Self {
        let of = checker.of;
        if of != BusinessId::INSTALLATION {
            // While a business is being deleted or imported, its rows may be incomplete, so they are not checked.
            if checker.is_ended(of) || checker.is_there(&keys::moving(of)) {
                return Self { is_skipped: true, ..Self::default() };
            }
            checker.report.businesses += 1;
            if !checker.is_there(&keys::profile(of)) {
                checker.wrong("its business has no profile");
            }
        }
        Self::default()
    }

    pub(super) fn end(&self, checker: &mut Checker<'_>) {
        if self.recorded.is_some_and(|recorded| recorded != self.kept) {
            checker.wrong("the usage in the newest entry of the audit log differs from the rows found");
        }
    }

    pub(super) fn look(&mut self, checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
        let of = checker.of;
        if !keys::has_width(&checker.key, kind) {
            return checker.wrong("the kind of its key is unknown, or its key has the wrong length");
        }
        if let Some((_, Counted { budget, decodes: Some(_), .. })) = counted(kind) {
            checker.report.records += 1;
            self.kept.add(budget, Amount::row(value.len()));
        }
        if kind::UNFINISHED.contains(&kind) {
            checker.expect("in the list of unfinished businesses", &keys::unfinished(of), b"");
        }
        match kind {
            kind::PROFILE => {
                let Some(business) = checker.kept::<Business>(value) else { return };
                checker.stands_at(&keys::profile(business.id));
                checker.expect("in the list of businesses", &keys::business_index(of), b"");
            }
            kind::ERASURE => {
                _ = checker.decoded::<ErasureRecord>(value);
                let Some(id) = checker.id::<ContactId>() else { return };
                if checker.is_there(&keys::contact(of, id)) {
                    checker.wrong("the contact that is being erased still exists");
                }
            }
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
                let Some(event) = checker.id::<EventId>() else { return };
                checker.refers("event", &keys::event(of, event));
            }
            kind::REMINDING => {}
            kind::STAFF => {
                let Some(member) = checker.kept::<StaffMember>(value) else { return };
                member.service_ids.iter().for_each(|id| checker.refers("service", &keys::service(of, *id)));
            }
            kind::BLOCKED_TIME => {
                let Some(time) = checker.kept::<BlockedTime>(value) else { return };
                checker.refers("staff member", &keys::staff(of, time.staff_id));
            }
            kind::WEBSITE => {
                let Some(website) = checker.kept::<Website>(value) else { return };
                if let Some(slug) = website.slug {
                    let owner = SlugOwner { business_id: of, reserved_until: None };
                    checker.expect("in the list of slugs", &keys::slug(slug.as_str()), &owner.encode());
                }
            }
            kind::MEMBERSHIP => {
                let Some(membership) = checker.kept::<Membership>(value) else { return };
                checker.refers("person", &keys::person(membership.person_id));
                if let Some(staff) = membership.staff_id {
                    checker.refers("staff member", &keys::staff(of, staff));
                }
            }
            kind::APPOINTMENT => self.appointment(checker, value),
            kind::APPOINTMENT_START | kind::APPOINTMENT_BY_UPDATE => checker.index_of_appointments(value),
            kind::LINKS => checker.links(value),
            kind::LINK => checker.link(value),
            // An interrupted import of contacts is not damage: when the service loads the business, it deletes the
            // contacts of the import.
            kind::CONTACT_IMPORT => _ = checker.read(keys::id_at_end::<ContactId>(value)),
            kind::CONTACT_BY_PHONE | kind::CONTACT_BY_EMAIL | kind::CONTACT_BY_UPDATE => {
                checker.index_of_contacts(kind, value);
            }
            kind::ALIAS => checker.alias(value),
            kind::ALIAS_OF | kind::MERGING => checker.index_of_aliases(kind, value),
            kind::FEED => {
                let Some(feed) = checker.kept::<Feed>(value) else { return };
                // The deletion of a staff member revokes the feeds of the staff member, but not a feed that the
                // operator created. Such a feed may therefore refer to a missing staff member.
                let ends = feed.revoked_at.is_none() && feed.created_by != KeyCreator::Operator;
                if let Some(staff) = feed.staff_id.filter(|_| ends) {
                    checker.refers("staff member", &keys::staff(of, staff));
                }
            }
            kind::CALENDAR => {
                let Some(calendar) = checker.kept::<ConnectedCalendar>(value) else { return };
                checker.refers("staff member", &keys::staff(of, calendar.staff_id));
            }
            kind::CALENDAR_WRITE => checker.calendar_write(value),
            kind::CALENDAR_WRITE_OF | kind::CALENDAR_WRITE_DUE | kind::CALENDAR_WRITE_FAILED => {
                checker.index_of_writes(kind, value);
            }
            kind::MESSAGE => checker.message(value),
            kind::EVENT => checker.event(value),
            kind::DELIVERY | kind::DELIVERY_DUE | kind::DELIVERY_REACHED => {
                checker.of_endpoint(kind, value);
            }
            kind::MAIL => checker.mail(value),
            kind::MAIL_DUE | kind::MAIL_GATHERED | kind::NOTICE_OF | kind::NOTICE_WAITS => {
                checker.index_of_mails(value);
            }
            kind::CONSENT => _ = checker.decoded::<ConsentRecord>(value),
            kind::ALERT => self.alert(checker, value),
            kind::ALERTS_READ => checker.alerts_read(value),
            kind::KEY => self.key(checker, value),
            kind::AUDIT => {
                let Some(AuditRecord { entry, usage }) = checker.decoded(value) else { return };
                checker.stands_at(&keys::audit(of, entry.id));
                if self.newest.is_some_and(|newest| newest > entry.at) {
                    checker.wrong("its timestamp is earlier than the timestamp of the previous entry");
                }
                (self.newest, self.recorded) = (Some(entry.at), usage);
            }
            kind::IDEMPOTENCY => checker.remembered(value),
            kind::AGE => {
                let until = checker.read(keys::id_at_end::<AuditId>(value));
                let is_gone = until.is_some_and(|until| !checker.is_there(&keys::audit(of, until)));
                // If a retention period is set, the audit entry may have expired.
                if is_gone && !checker.is_there(&keys::retention(of)) {
                    checker.wrong("it refers to a missing entry of the audit log");
                }
            }
            // These rows exist only during a repair. The check of the installation reports an unfinished repair.
            kind::REPAIR => {}
            other => match (kept::kind(other), kept::searched_in(other), kept::indexed_by(other)) {
                (Some(kind), ..) => checker.record_of(kind, value),
                (_, Some(kind), _) => checker.search_texts(kind, value),
                (.., Some(kind)) => checker.index_of(kind, value),
                (None, None, None) => checker.wrong("its kind is not known"),
            },
        }
    }

    /// Checks an appointment. Appointments arrive in the order of their starts.
    fn appointment(&mut self, checker: &mut Checker<'_>, value: &[u8]) {
        let Some(a) = checker.kept::<Appointment>(value) else { return };
        let of = checker.of;
        if a.calendar_sync_status != CalendarSyncStatus::NotConnected {
            checker.has_writes(a.id);
        }
        checker.refers("service", &keys::service(of, a.service_id));
        checker.refers("staff member", &keys::staff(of, a.staff_id));
        if a.updated_at < a.created_at {
            checker.wrong("its last change is earlier than its creation");
        }
        if !a.is_active() {
            return;
        }
        let latest = self.held.entry(a.staff_id).or_insert((a.starts_at, a.id));
        if latest.0 > a.starts_at {
            checker
                .wrong(format_args!("appointment {} overlaps {} of the same staff member", a.id, latest.1));
        }
        if latest.0 < a.ends_at {
            *latest = (a.ends_at, a.id);
        }
    }

    /// Checks an alert against the previous alert. The numbers of a person's alerts are consecutive.
    fn alert(&mut self, checker: &mut Checker<'_>, value: &[u8]) {
        let at = checker.read(keys::alert_at(&checker.key));
        let before = std::mem::replace(&mut self.last_alert, at);
        let Some(alert) = checker.decoded::<Alert>(value) else { return };
        checker.stands_at(&keys::alert(checker.of, alert.person_id, alert.number));
        if before.is_some_and(|(person, number)| person == alert.person_id && number + 1 < alert.number) {
            checker.wrong("earlier alerts of this person are missing");
        }
    }

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
}
