//! Checks the rows on the disk, and the mails that the relay has accepted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::TimeDelta;
use domain::{
    Appointment, AppointmentId, BusinessId, Contact, DropReason, EmailConsent, Locale, Mail, MailStatus,
    NoticeKind, NoticeSettings, Stated, Timestamp,
};
use engine::business::commands::customers::ManageToken;
use store::keys::{self, kind};
use store::records::{LinkRecord, LinksRecord};
use store::{Order, Record, Store};

use super::World;
use super::model::{History, Told, expected, first_erasure, history, includes};
use super::relay::Taken;
use crate::customers::LINKS_MAX;
use crate::sim::runtime;

/// The time within which the team can revert a change before its notice is sent.
const TAKEN_BACK: TimeDelta = TimeDelta::seconds(15);
/// The service checks each notice before sending. The relay accepts the notice at most this long after the check.
const UNDER_WAY: TimeDelta = TimeDelta::seconds(5);
/// The maximum number of notices about changes by customers that are sent to one address within [`COUNTED_FOR`].
const BY_CUSTOMERS_MAX: usize = 6;
/// The maximum number of all notices that are sent to one address within [`COUNTED_FOR`].
const TO_MAX: usize = 20;
const COUNTED_FOR: TimeDelta = TimeDelta::hours(24);

impl World {
    /// Checks the rows on the disk. At the end of the simulation, no notice may be waiting. Returns the number of
    /// notices, and how many of them were sent.
    pub(super) fn check(&self, is_the_end: bool) -> (usize, usize) {
        let runtime = runtime();
        let store = runtime.block_on(async { self.store() });
        let report = engine::verify::check(store.rows()).unwrap();
        assert!(report.is_whole(), "seed {}: {:?}", self.seed, report.findings);
        let mut counted = (0, 0);
        let mut written: HashMap<String, Mail> = HashMap::new();
        let mut addresses = HashMap::new();
        for shop in &self.shops {
            let Some(of) = shop.lock().id else { continue };
            let mails: Vec<Mail> = rows(&store, of, kind::MAIL);
            let appointments: HashMap<AppointmentId, Appointment> =
                rows::<Appointment>(&store, of, kind::APPOINTMENT)
                    .into_iter()
                    .map(|it| (it.id, it))
                    .collect();
            self.check_rows(&store, of, (&mails, &appointments));
            let history = history(&store, of);
            for appointment in appointments.values() {
                let about = |mail: &&Mail| mail.notice.is_some_and(|it| it.appointment_id == appointment.id);
                let mails: Vec<&Mail> = mails.iter().filter(about).collect();
                self.check_settings(appointment, &mails, &history);
                if is_erased(&store, of, appointment) {
                    assert!(
                        !is_the_end || is_clean(&store, of, appointment, &mails),
                        "seed {}: an erased address is left: {appointment:?}, {mails:?}",
                        self.seed
                    );
                } else {
                    self.check_sent(appointment, &mails, &history, is_the_end);
                    addresses.insert(appointment.id, address(&store, of, appointment));
                }
            }
            counted.0 += mails.len();
            counted.1 += mails.iter().filter(|mail| mail.status == MailStatus::Sent).count();
            written.extend(mails.into_iter().map(|mail| (mail.message_id.clone(), mail)));
        }
        for (id, taken) in &*self.relay.taken.lock() {
            let mail =
                written.get(id).unwrap_or_else(|| panic!("seed {}: {id} is not on the disk", self.seed));
            for taken in taken {
                check_taken(mail, taken);
                self.check_consent(mail, taken);
                self.check_recipient(&store, taken);
            }
        }
        self.check_limits(&written, &addresses);
        runtime.block_on(store.close()).unwrap();
        counted
    }

    /// Checks that each change has caused exactly its notices.
    fn check_rows(
        &self,
        store: &Store,
        of: BusinessId,
        (mails, appointments): (&[Mail], &HashMap<AppointmentId, Appointment>),
    ) {
        let erased_at = first_erasure(store, of);
        // After an erasure, changes to the contact's appointments need not cause notices.
        let (mut required, mut optional) = (BTreeMap::<Told, usize>::new(), BTreeMap::<Told, usize>::new());
        let (expected, added) = expected(store, of, appointments);
        for told in added {
            *optional.entry(told).or_default() += 1;
        }
        for (at, told) in expected {
            let is_optional = erased_at.is_some_and(|erased_at| erased_at <= at)
                && is_erased(store, of, &appointments[&told.0]);
            *if is_optional { &mut optional } else { &mut required }.entry(told).or_default() += 1;
        }
        for mail in mails {
            let notice = mail.notice.unwrap_or_else(|| panic!("{mail:?} is no notice"));
            let told = (notice.appointment_id, notice.kind, notice.starts_at, notice.staff_id, notice.hours);
            let is_made = [&mut required, &mut optional].into_iter().any(|expected| {
                let count = expected.entry(told).or_default();
                let is_left = *count > 0;
                *count -= usize::from(is_left);
                is_left
            });
            assert!(is_made, "seed {}: no change made {mail:?}", self.seed);
            let is_taken = self.relay.taken.lock().contains_key(&mail.message_id);
            assert!(mail.status != MailStatus::Sent || is_taken, "the relay did not accept {mail:?}");
        }
        required.retain(|_, count| *count > 0);
        assert!(required.is_empty(), "seed {}: these notices are missing: {required:?}", self.seed);
    }

    /// Checks the notices about one appointment. `mails` is sorted, oldest first.
    fn check_sent(&self, appointment: &Appointment, mails: &[&Mail], history: &History, is_the_end: bool) {
        let seed = self.seed;
        let (mut last, mut is_tried): (Option<&Mail>, bool) = (None, false);
        let mut reminded: BTreeMap<(Timestamp, Option<u8>), usize> = BTreeMap::new();
        for mail in mails {
            let notice = mail.notice.unwrap();
            assert!(
                !is_the_end || mail.status != MailStatus::Pending,
                "seed {seed}: {mail:?} waits after the start of {appointment:?}"
            );
            if notice.kind == NoticeKind::Reminder {
                let is_taken = self.relay.taken.lock().contains_key(&mail.message_id);
                let count = reminded.entry((notice.starts_at, notice.hours)).or_default();
                *count += usize::from(is_taken);
                assert!(*count <= 1, "seed {seed}: {mail:?} was sent twice");
            } else if mail.status == MailStatus::Sent {
                let is_news = last.is_none_or(|last| last.notice.unwrap().stated() != notice.stated());
                assert!(is_news || is_tried, "seed {seed}: {mail:?} repeats {last:?}");
                (last, is_tried) = (Some(*mail), false);
            } else {
                is_tried |= mail.attempts > 0;
            }
        }
        if !is_the_end {
            return;
        }
        let is_excused = |mail: &Mail| is_excused(mail) || is_excluded(mail, appointment, history);
        // The last change has no notice if the settings at the time of the change excluded the notice.
        let is_of_last_change = |mail: &&&Mail| {
            mail.created_at == appointment.updated_at && mail.notice.unwrap().is_true_of(appointment)
        };
        let is_reminder = |mail: &&&Mail| mail.notice.unwrap().kind == NoticeKind::Reminder;
        let of_last_change = || mails.iter().filter(is_of_last_change);
        if let Some(newest) = of_last_change().rfind(|mail| !is_reminder(mail)) {
            let last = self.last_taken(appointment.id);
            let stated = newest.notice.unwrap().stated();
            // If the relay has accepted no mail about the appointment, the customer knows only the state before the
            // first notice. The field `before` of the first notice's mail contains this state.
            let undone = mails.iter().find(|mail| !is_reminder(mail)).and_then(|mail| mail.before);
            let known = last.as_ref().map(|last| Stated::from(&last.letter.appointment)).or(undone);
            let known = known == Some(stated);
            assert!(
                known || newest.status == MailStatus::Failed || is_excused(newest),
                "seed {seed}: the customer does not know of {newest:?}, last: {last:?}, all: {mails:#?}"
            );
        }
        for mail in of_last_change().filter(is_reminder) {
            let notice = mail.notice.unwrap();
            let sent = reminded[&(notice.starts_at, notice.hours)] > 0;
            assert!(
                sent || mail.status == MailStatus::Failed || is_excused(mail),
                "seed {seed}: {mail:?} was not sent for {appointment:?}"
            );
        }
    }

    /// Checks that the settings allowed each notice that was sent.
    fn check_settings(&self, appointment: &Appointment, mails: &[&Mail], history: &History) {
        let taken = self.relay.taken.lock();
        for mail in mails {
            for taken in taken.get(&mail.message_id).into_iter().flatten() {
                let is_set = applied(history, taken.at).any(|set| includes(set, mail, appointment));
                assert!(is_set, "seed {}: the settings exclude {mail:?}", self.seed);
            }
        }
    }

    /// Returns the last mail about an appointment that the relay has accepted.
    fn last_taken(&self, id: AppointmentId) -> Option<Taken> {
        let taken = self.relay.taken.lock();
        let about = taken.values().flatten().filter(|taken| taken.letter.appointment.id == id);
        about.max_by_key(|taken| taken.at).cloned()
    }

    /// Checks the language of a mail, and that its link belongs to the appointment and to the address.
    fn check_recipient(&self, store: &Store, taken: &Taken) {
        let (Taken { of, to, letter, locale, .. }, seed) = (taken, self.seed);
        let about = &letter.appointment;
        let contact = about.contact_id.unwrap();
        let erased = self.relay.erased.lock();
        let is_late = erased.iter().any(|(at, id)| *id == contact && taken.at > *at + UNDER_WAY);
        assert!(!is_late, "seed {seed}: the contact of {about:?} was erased");
        let Some(contact) = store.find::<Contact>(&keys::contact(*of, contact)).unwrap() else { return };
        let entered = about.booked_as.as_ref().map(|entered| entered.locale);
        let expected = entered.or(contact.locale).unwrap_or(Locale::En);
        assert_eq!(*locale, expected, "seed {seed}: the mail about {about:?} is in another language");
        let token = ManageToken::parse(letter.manage.url.rsplit('/').next().unwrap()).unwrap();
        assert_eq!(token.business_id(), *of, "seed {seed}: the link of {about:?} leads to another business");
        let links = store.find::<LinksRecord>(&keys::links(*of, about.id)).unwrap().unwrap_or_default();
        match store.find::<LinkRecord>(&keys::link(*of, &token.hash())).unwrap() {
            Some(link) => assert_eq!((link.appointment_id, link.to), (about.id, Some(to.to_lowercase()))),
            None => assert_eq!(links.hashes.len(), LINKS_MAX, "seed {seed}: a link of {about:?} is lost"),
        }
    }

    /// Checks that the mails to an address are within the limits. A notice may be dropped because of a limit
    /// only if the limit was reached.
    fn check_limits(&self, written: &HashMap<String, Mail>, addresses: &HashMap<AppointmentId, String>) {
        let seed = self.seed;
        let by_customer = |id: &String| written[id].notice.unwrap().by_customer;
        // The list contains the first attempt of each notice, oldest first. A notice is counted before its attempt
        // begins.
        let (mut tried, mut ids) = (Vec::new(), BTreeSet::new());
        for (at, id, to) in &*self.relay.tried.lock() {
            if ids.insert(id.clone()) {
                tried.push((*at, id.clone(), to.to_lowercase()));
            }
        }
        let until = |to: &str, at: Timestamp| {
            let of_day =
                |one: &&(Timestamp, String, String)| one.0 <= at && one.0 + COUNTED_FOR > at && one.2 == to;
            let ids: Vec<_> = tried.iter().filter(of_day).map(|(_, id, _)| by_customer(id)).collect();
            (ids.iter().filter(|by_customer| **by_customer).count(), ids.len())
        };
        for (at, id, to) in &tried {
            let (by_customers, all) = until(to, *at);
            assert!(
                all <= TO_MAX && (!by_customer(id) || by_customers <= BY_CUSTOMERS_MAX),
                "seed {seed}: {to} got {all} mails in a day, {by_customers} of them about changes by customers"
            );
        }
        for mail in written.values() {
            let notice = mail.notice.unwrap();
            if notice.dropped != Some(DropReason::Limit) {
                continue;
            }
            let at = mail.last_attempt_at.unwrap();
            // After an erasure, the address is unknown, so the limit on its mails cannot be checked.
            let Some(to) = addresses.get(&notice.appointment_id) else { continue };
            let (by_customers, all) = until(to, at);
            let is_above = all >= TO_MAX || notice.by_customer && by_customers >= BY_CUSTOMERS_MAX;
            assert!(is_above, "seed {seed}: {mail:?} was within the limits");
        }
    }

    /// Checks that the customer had not unsubscribed from emails of this kind before the mail was composed.
    fn check_consent(&self, mail: &Mail, taken: &Taken) {
        let is_reminder = taken.letter.kind == NoticeKind::Reminder;
        for (at, of, to, consent) in &*self.relay.stopped.lock() {
            let is_meant = mail.business_id == Some(*of) && taken.to == *to && taken.at > *at + UNDER_WAY;
            let is_stopped = *consent == EmailConsent::None || is_reminder;
            assert!(!is_meant || !is_stopped, "seed {}: {to} had stopped {mail:?}", self.seed);
        }
    }
}

/// True if the contact of the appointment was erased.
fn is_erased(store: &Store, of: BusinessId, appointment: &Appointment) -> bool {
    appointment.contact_id.is_none_or(|id| store.find::<Contact>(&keys::contact(of, id)).unwrap().is_none())
}

/// True if the log, the links and the appointment no longer contain the address of an erased contact.
fn is_clean(store: &Store, of: BusinessId, appointment: &Appointment, mails: &[&Mail]) -> bool {
    let has_address = |mail: &&Mail| mail.to.is_some() || mail.last_error.is_some();
    let entered = appointment.booked_as.as_ref().and_then(|entered| entered.email.as_ref());
    let links = store.find::<LinksRecord>(&keys::links(of, appointment.id)).unwrap();
    !mails.iter().any(has_address) && entered.is_none() && links.is_none()
}

/// Returns the email address of an appointment's customer.
fn address(store: &Store, of: BusinessId, appointment: &Appointment) -> String {
    let entered = appointment.booked_as.as_ref().and_then(|entered| entered.email.clone());
    let contact = || store.find::<Contact>(&keys::contact(of, appointment.contact_id.unwrap())).unwrap();
    entered.or_else(|| contact().unwrap().email).unwrap().as_str().to_lowercase()
}

/// True if a notice was dropped because the appointment had started, a limit was reached or the customer had opted out.
fn is_excused(mail: &Mail) -> bool {
    let reason = mail.notice.and_then(|notice| notice.dropped);
    matches!(reason, Some(DropReason::Ended | DropReason::Limit | DropReason::OptedOut))
}

/// Returns the settings that may have applied when the service last checked a notice. The notice was sent or dropped at
/// the time `at`.
fn applied(history: &History, at: Timestamp) -> impl Iterator<Item = &NoticeSettings> {
    let until = history.iter().skip(1).map(|(from, _)| *from).chain([Timestamp::MAX]);
    let all = history.iter().zip(until);
    all.filter(move |((from, _), until)| *from <= at && *until > at - UNDER_WAY).map(|((_, set), _)| set)
}

/// True if a notice was dropped because the settings excluded it.
fn is_excluded(mail: &Mail, about: &Appointment, history: &History) -> bool {
    let is_superseded = mail.notice.and_then(|notice| notice.dropped) == Some(DropReason::Superseded);
    let at = mail.last_attempt_at.unwrap_or(mail.created_at);
    is_superseded && applied(history, at).any(|set| !includes(set, mail, about))
}

/// Compares a mail with its row.
fn check_taken(mail: &Mail, taken: &Taken) {
    let (notice, about) = (mail.notice.unwrap(), &taken.letter.appointment);
    assert_eq!(taken.letter.kind, notice.kind, "{mail:?}");
    assert!(notice.is_true_of(about), "{mail:?} was sent for {about:?}");
    assert!(taken.at < about.starts_at + TimeDelta::minutes(2), "{mail:?} was sent after the start");
    if let Some(entered) = &about.booked_as {
        assert_eq!(entered.email.as_deref(), Some(&*taken.to), "{mail:?}");
    }
    if let Some(hours) = notice.hours {
        assert!(taken.at >= notice.starts_at - TimeDelta::hours(hours.into()), "{mail:?} was sent too early");
    } else if !notice.by_customer {
        assert!(taken.at >= mail.created_at + TAKEN_BACK, "{mail:?} was sent too early");
    }
}

pub(super) fn rows<R: Record>(store: &Store, of: BusinessId, kind: u8) -> Vec<R> {
    let rows = store.scan(&keys::of_kind(of, kind), Order::Ascending);
    rows.map(|row| R::decode(&row.unwrap().1).unwrap()).collect()
}
