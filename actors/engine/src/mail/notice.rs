//! When a notice is due, decides whether it is sent and to which address, and reads its content.
//!
//! Invariants:
//!
//! - A notice is sent only before its appointment starts, and only while its content matches the appointment.
//! - A notice is sent only if the current settings include it, or if the team has requested that it be sent
//!   again.
//! - Each change is announced once. If a change was undone before the customer got a notice about it, the customer
//!   already knows the current state, so no notice is sent.
//! - The notices of an appointment are sent one after another, so that the newest arrives last.
//! - If the customer may have received a notice that is not recorded as sent, it is unknown which state the
//!   customer knows. Therefore a later notice about the current state is sent.
//! - A limit counts a notice once, before its first attempt. The counts are stored, so they survive restarts. The key
//!   of a count contains a keyed hash of the address, not the address itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    Appointment, AppointmentId, Business, BusinessId, Contact, DropReason, Email, EmailConsent, Locale, Mail,
    MailId, MailStatus, Notice, NoticeKind, NoticeSettings, ResourceId, Service, StaffMember, TextConsent,
    Timestamp, Website, mailbox,
};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use store::records::{ConsentRecord, NoticeCountRecord, SentNotices};
use store::{Batch, Key, Order, Record, Store, StoreError, Tombstone, keys, unless_set_aside};
use view::ConsentView;

use super::actor::{MailKey, Message, State};
use super::letter::{Content, NoticeLetter, Recipient};
use super::send;
use super::write::{delete_mail, write_mail};
use crate::business::contact;
use crate::shared::Shared;

/// The time after which a notice is checked again if its business is suspended or has an undecodable profile.
const SUSPENDED_WAIT: TimeDelta = TimeDelta::minutes(10);
/// The time for which a notice waits while another notice of its appointment is being sent.
const IN_TURN_WAIT: TimeDelta = TimeDelta::seconds(1);
/// A wrong clock can make a reminder due too early. So if a reminder is due, but its `reminds_at` is further in the
/// future than this, the reminder waits until `reminds_at`.
const EARLY_MAX: TimeDelta = TimeDelta::minutes(1);

enum Verdict {
    Send {
        to: String,
    },
    /// The notice waits until this instant of the [`SteadyClock`](crate::clock::SteadyClock).
    Wait(Timestamp),
    Drop(DropReason),
    /// The business or the appointment was deleted, so the notice is deleted too.
    Delete,
}

impl State {
    pub(super) fn take_up_notice(
        &mut self,
        shared: &Arc<Shared>,
        mail: Mail,
        notice: Notice,
    ) -> Result<(), StoreError> {
        let key = MailKey::of(&mail);
        let after = match self.judge(shared, key, &notice)? {
            Verdict::Send { to } => {
                let is_allowed = mail.attempts > 0 || self.count_notice(shared, key, &to, &notice)?;
                if is_allowed {
                    self.sending.insert(key);
                    send::begin(self, shared, Mail { to: Some(to), ..mail });
                    return Ok(());
                }
                Some(self.dropped(&mail, DropReason::Limit, shared.clocks.now()))
            }
            Verdict::Wait(due) => Some(Mail { next_attempt_at: Some(due), ..mail.clone() }),
            Verdict::Drop(reason) => Some(self.dropped(&mail, reason, shared.clocks.now())),
            Verdict::Delete => None,
        };
        let mut batch = Batch::default();
        self.write_judged(&mut batch, &mail, after.as_ref());
        self.record(shared, &[key], batch, None);
        Ok(())
    }

    fn write_judged(&self, batch: &mut Batch, before: &Mail, after: Option<&Mail>) {
        match after {
            Some(after) => {
                if after.status == MailStatus::Dropped {
                    self.transport.note_tried(after.status);
                }
                write_mail(batch, after, Some(before));
            }
            None => delete_mail(batch, before),
        }
    }

    /// Drops the waiting notices of a changed appointment that are now obsolete. The other waiting notices are
    /// checked when they are due. If the customer was erased, also removes the customer's address from finished
    /// notices. This is necessary because an attempt that ended during the erasure may have written the address
    /// again.
    pub(super) fn drop_overtaken(
        &mut self,
        shared: &Shared,
        of: BusinessId,
        id: AppointmentId,
    ) -> Result<(), StoreError> {
        // The notices must be read before the appointment. If the appointment was read first, a change could be
        // committed between the two reads. This function would then compare the new notice of this change with the old
        // appointment, and would wrongly drop the notice.
        let notices = notices_of(&shared.store, of, id)?;
        let Some(appointment) = appointment(&shared.store, of, id)? else { return Ok(()) };
        let (mut batch, mut judged, now) = (Batch::default(), Vec::new(), shared.clocks.now());
        for mail in notices {
            let key = MailKey::of(&mail);
            let Some(notice) = mail.notice.filter(|_| !self.is_left_alone(&key)) else { continue };
            if mail.status != MailStatus::Pending {
                if has_erased_address(&appointment) {
                    let after = without_former_address(&shared.store, mail.clone())?;
                    if after != mail {
                        write_mail(&mut batch, &after, Some(&mail));
                        judged.push(key);
                    }
                }
                continue;
            }
            let reason = self.overtaken(&shared.store, key, &notice, &appointment)?;
            if let Some(reason) = reason {
                self.write_judged(&mut batch, &mail, Some(&self.dropped(&mail, reason, now)));
                judged.push(key);
            }
        }
        self.record(shared, &judged, batch, None);
        Ok(())
    }

    fn judge(&self, shared: &Shared, key: MailKey, notice: &Notice) -> Result<Verdict, StoreError> {
        let Shared { store, .. } = shared;
        let Some(business) = store.look::<Business>(&keys::profile(key.of))? else {
            // The profile cannot be decoded. The notice waits until the profile is repaired.
            return Ok(Verdict::Wait(shared.steady.now() + SUSPENDED_WAIT));
        };
        let appointment = appointment(store, key.of, notice.appointment_id)?;
        let (Some(business), Some(appointment)) = (business, appointment) else { return Ok(Verdict::Delete) };
        if let Some(reason) = self.overtaken(store, key, notice, &appointment)? {
            return Ok(Verdict::Drop(reason));
        }
        let (now, steady) = (shared.clocks.now(), shared.steady.now());
        if now >= appointment.starts_at {
            return Ok(Verdict::Drop(DropReason::Ended));
        }
        if business.suspended {
            return Ok(Verdict::Wait(steady + SUSPENDED_WAIT.min(appointment.starts_at - now)));
        }
        if let Some(remind_at) = notice.reminds_at().filter(|at| *at > now + EARLY_MAX) {
            return Ok(Verdict::Wait(steady + (remind_at - now)));
        }
        let others = notices_of(store, key.of, appointment.id)?;
        if others.iter().any(|mail| self.sending.contains(&MailKey::of(mail))) {
            return Ok(Verdict::Wait(steady + IN_TURN_WAIT));
        }
        let settings = store.find::<NoticeSettings>(&keys::notices(key.of))?.unwrap_or_default();
        if !notice.again && !settings.include(notice, &appointment) {
            return Ok(Verdict::Drop(DropReason::Superseded));
        }
        let Some((to, _)) = address(store, key.of, &business, &appointment)? else {
            return Ok(Verdict::Drop(DropReason::NoAddress));
        };
        Ok(match email_consent(store, &shared.meta.secret, key.of, &to)? {
            EmailConsent::None => Verdict::Drop(DropReason::OptedOut),
            EmailConsent::NoReminders if notice.kind == NoticeKind::Reminder => {
                Verdict::Drop(DropReason::OptedOut)
            }
            EmailConsent::NoReminders | EmailConsent::All => Verdict::Send { to: to.as_str().to_owned() },
        })
    }

    /// Compares a notice with its appointment and with the appointment's other notices. Returns the reason
    /// why the notice must not be sent any more, or `None` if it may be sent.
    fn overtaken(
        &self,
        store: &Store,
        key: MailKey,
        notice: &Notice,
        appointment: &Appointment,
    ) -> Result<Option<DropReason>, StoreError> {
        if appointment.contact_id.is_none() {
            return Ok(Some(DropReason::NoAddress));
        }
        if !notice.is_true_of(appointment) {
            return Ok(Some(DropReason::Superseded));
        }
        // The loop computes two values from the earlier notices:
        // - `known` is the state of the appointment that the customer knows. If a notice was sent, it is the state in
        //   the last sent notice. If no notice was sent, it is the state before the change that the first notice
        //   announces (the field `before`). If this change is the booking, the field is `None`.
        // - `is_uncertain` is true if the customer may have received another notice after the last sent notice.
        let (mut known, mut is_uncertain) = (None, false);
        for mail in notices_of(store, key.of, appointment.id)? {
            let Some(other) = mail.notice.filter(|other| mail.id != key.id && other.hours == notice.hours)
            else {
                continue;
            };
            let (is_sent, is_dropped) = (mail.status == MailStatus::Sent, other.dropped.is_some());
            let is_later = mail.id > key.id && !is_dropped;
            if notice.kind == NoticeKind::Reminder {
                if other.stated() == notice.stated() && (is_sent || is_later) {
                    return Ok(Some(DropReason::Superseded));
                }
            } else if is_later {
                return Ok(Some(DropReason::Superseded));
            } else if is_sent {
                (known, is_uncertain) = (Some(Some(other.stated())), false);
            } else if self.may_have_arrived(&mail) {
                is_uncertain = true;
            } else {
                known = known.or(Some(mail.before));
            }
        }
        let restores = !is_uncertain && !notice.again && known == Some(Some(notice.stated()));
        Ok(restores.then_some(DropReason::Superseded))
    }

    /// Whether the customer may have received a notice that is not recorded as sent.
    fn may_have_arrived(&self, mail: &Mail) -> bool {
        let key = MailKey::of(mail);
        let was_due = mail.next_attempt_at.is_some_and(|due| due <= self.began);
        mail.attempts > 0 || was_due || self.sending.contains(&key) || self.tried.contains(&key)
    }

    /// Returns the notice's mail, marked as dropped. Its number of attempts is at least 1 if the customer may have
    /// received the mail, even if no attempt is recorded.
    fn dropped(&self, mail: &Mail, reason: DropReason, at: Timestamp) -> Mail {
        let attempts = mail.attempts.max(self.may_have_arrived(mail).into());
        Mail { attempts, ..mail.dropped(reason, at) }
    }
}

fn notices_of(store: &Store, of: BusinessId, id: AppointmentId) -> Result<Vec<Mail>, StoreError> {
    let mut mails = Vec::new();
    for row in store.scan(&keys::notices_of(of, id), Order::Ascending) {
        let id: MailId = keys::id_at_end(&row?.0)?;
        mails.extend(store.look::<Mail>(&keys::mail(of, id))?.flatten());
    }
    Ok(mails)
}

pub(crate) fn appointment(
    store: &Store,
    of: BusinessId,
    id: AppointmentId,
) -> Result<Option<Appointment>, StoreError> {
    let start = store.find_as(&keys::appointment_start(of, id), keys::millis_from_value)?;
    let Some(start) = start else { return Ok(None) };
    store.find::<Appointment>(&keys::appointment(of, start, id))
}

/// True if a notice must not be sent because its appointment has changed or its contact was erased.
pub(super) fn is_overtaken(store: &Store, of: BusinessId, notice: &Notice) -> Result<bool, StoreError> {
    let appointment = appointment(store, of, notice.appointment_id)?;
    Ok(appointment.is_some_and(|it| !notice.is_true_of(&it) || it.contact_id.is_none()))
}

/// Returns the address and the language of the customer of an appointment, or `None` if the customer has no address.
fn address(
    store: &Store,
    of: BusinessId,
    business: &Business,
    appointment: &Appointment,
) -> Result<Option<(Email, Locale)>, StoreError> {
    let Some(id) = appointment.contact_id else { return Ok(None) };
    let Some(contact) = unless_set_aside(contact(store, of, id))?.flatten() else { return Ok(None) };
    let booked_as = appointment.booked_as.as_ref();
    let email = booked_as.and_then(|booked_as| booked_as.email.clone()).or(contact.email);
    let locale = booked_as.map(|booked_as| booked_as.locale).or(contact.locale).unwrap_or(business.locale);
    Ok(email.map(|email| (email, locale)))
}

/// Returns the recipient of a notice and the appointment. The `link` of the recipient is `None`. Returns `None` if the
/// business or the appointment is missing, or if the customer has no address.
pub(crate) fn recipient(
    store: &Store,
    of: BusinessId,
    notice: &Notice,
) -> Result<Option<(Recipient, Appointment)>, StoreError> {
    let Some(business) = store.find::<Business>(&keys::profile(of))? else { return Ok(None) };
    let Some(appointment) = appointment(store, of, notice.appointment_id)? else { return Ok(None) };
    let address = address(store, of, &business, &appointment)?;
    Ok(address.map(|(email, locale)| {
        let address = email.as_str().to_owned();
        (Recipient { address, name: String::new(), locale, role: None, link: None }, appointment)
    }))
}

pub(super) fn content(
    store: &Store,
    of: BusinessId,
    notice: &Notice,
    to: &Recipient,
) -> Result<Option<Content>, StoreError> {
    let Some(business) = store.find::<Business>(&keys::profile(of))? else { return Ok(None) };
    let appointment = appointment(store, of, notice.appointment_id)?;
    // If the appointment has changed since the attempt began, the notice is not sent.
    let Some(appointment) = appointment.filter(|it| notice.is_true_of(it)) else { return Ok(None) };
    let Some(manage) = to.link.clone() else { return Ok(None) };
    let service = store.find::<Service>(&keys::service(of, appointment.service_id))?;
    let staff = store.find::<StaffMember>(&keys::staff(of, appointment.staff_id))?;
    Ok(Some(Content::Notice(Box::new(NoticeLetter {
        kind: notice.kind,
        region: business.phone_region,
        website: store.find::<Website>(&keys::website(of))?.unwrap_or_default(),
        appointment,
        service: service.map(|service| service.name),
        staff: staff.map(|staff| staff.name),
        manage,
    }))))
}

/// Returns the reason why an attempt found nothing to send: the appointment was changed or deleted, or its contact has
/// no address any more.
pub(super) fn why_not_made(store: &Store, of: BusinessId, notice: &Notice) -> Result<DropReason, StoreError> {
    let appointment = appointment(store, of, notice.appointment_id)?;
    let is_true = appointment.is_some_and(|it| notice.is_true_of(&it));
    Ok(if is_true { DropReason::NoAddress } else { DropReason::Superseded })
}

/// Whether an erasure may have removed the address to which the notices of the appointment were sent.
fn has_erased_address(appointment: &Appointment) -> bool {
    let entered = appointment.booked_as.as_ref();
    appointment.contact_id.is_none() || entered.is_some_and(|booked_as| booked_as.email.is_none())
}

/// Removes the address from the mail of a notice if the customer no longer has this address, for example because the
/// customer was erased during an attempt to send the mail.
pub(super) fn without_former_address(store: &Store, mail: Mail) -> Result<Mail, StoreError> {
    let (Some(notice), Some(of)) = (mail.notice, mail.business_id) else { return Ok(mail) };
    let now = recipient(store, of, &notice)?.map(|(recipient, _)| recipient.address);
    Ok(if mail.to == now { mail } else { Mail { to: None, last_error: None, ..mail } })
}

/// A keyed hash of an address or a phone number. It is used in the key of a row instead of the address or the
/// number.
fn hash(secret: &[u8; 32], purpose: &str, of: BusinessId, what: &str) -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes a key of any length");
    let mac = mac.chain_update(purpose.as_bytes()).chain_update(b"\0").chain_update(of.uuid().as_bytes());
    mac.chain_update(what.as_bytes()).finalize().into_bytes().into()
}

/// The key of the row that counts events under a limit, for example the codes to a contact.
pub(crate) fn count_key(secret: &[u8; 32], limit: &str, of: BusinessId, what: &str) -> Key {
    keys::notice_count(&hash(secret, limit, of, what))
}

fn email_hash(secret: &[u8; 32], of: BusinessId, email: &str) -> [u8; 32] {
    hash(secret, "consent email", of, &mailbox(email))
}

fn phone_hash(secret: &[u8; 32], of: BusinessId, phone: &str) -> [u8; 32] {
    hash(secret, "consent texts", of, phone)
}

pub(crate) fn email_consent_key(secret: &[u8; 32], of: BusinessId, email: &str) -> Key {
    keys::consent(of, &email_hash(secret, of, email))
}

/// Writes a customer's consent to emails at an address, and adds it to the list of tombstones. A restore of an older
/// backup reads the consent in the list and writes it again.
pub(crate) fn write_email_consent(
    rows: &mut Batch,
    (secret, of): (&[u8; 32], BusinessId),
    email: &str,
    consent: EmailConsent,
) {
    let record = ConsentRecord { email: Some(consent), texts: None };
    write_consent(rows, of, email_hash(secret, of, email), record);
}

/// Writes a customer's consent to text messages at a phone number, like [`write_email_consent`].
pub(crate) fn write_text_consent(
    rows: &mut Batch,
    (secret, of): (&[u8; 32], BusinessId),
    phone: &str,
    consent: TextConsent,
) {
    let record = ConsentRecord { email: None, texts: Some(consent) };
    write_consent(rows, of, phone_hash(secret, of, phone), record);
}

/// Writes the row of a consent, or deletes it if the consent equals the default.
fn write_consent(rows: &mut Batch, of: BusinessId, hash: [u8; 32], record: ConsentRecord) {
    let (key, default) = (keys::consent(of, &hash), (EmailConsent::All, TextConsent::Unknown));
    if record.email.unwrap_or(default.0) == default.0 && record.texts.unwrap_or(default.1) == default.1 {
        rows.delete(key);
    } else {
        rows.put(key, record.encode());
    }
    rows.add_tombstone(Tombstone::Consent(of, hash, record));
}

fn email_consent(
    store: &Store,
    secret: &[u8; 32],
    of: BusinessId,
    email: &Email,
) -> Result<EmailConsent, StoreError> {
    let consent = store.find::<ConsentRecord>(&email_consent_key(secret, of, email.as_str()))?;
    Ok(consent.and_then(|consent| consent.email).unwrap_or(EmailConsent::All))
}

/// The consent for the email address and the phone number of a contact. `read` returns the record with a key.
pub(crate) fn consent_of(
    read: impl Fn(&Key) -> Result<Option<ConsentRecord>, StoreError>,
    secret: &[u8; 32],
    of: BusinessId,
    contact: &Contact,
) -> Result<ConsentView, StoreError> {
    let found = |key: Option<Key>| key.map_or(Ok(None), |key| read(&key));
    let email = found(contact.email.as_ref().map(|email| email_consent_key(secret, of, email.as_str())))?;
    let texts =
        found(contact.phone.as_deref().map(|phone| keys::consent(of, &phone_hash(secret, of, phone))))?;
    let email = email.and_then(|consent| consent.email).unwrap_or(EmailConsent::All);
    let texts = texts.and_then(|consent| consent.texts).unwrap_or(TextConsent::Unknown);
    Ok(ConsentView {
        email: contact.email.is_some().then_some(email),
        texts: contact.phone.is_some().then_some(texts),
    })
}

/// A limit on the number of notices within the time [`COUNTED_FOR`].
struct Limit {
    name: &'static str,
    max: u32,
    /// The length of a period. The store contains one entry per period, with the number of notices in the period. A
    /// period begins with its first notice. If the length is zero, each notice has its own entry.
    together: TimeDelta,
}

const COUNTED_FOR: TimeDelta = TimeDelta::hours(24);
const BY_CUSTOMERS_TO: Limit = Limit { name: "notices by customers", max: 6, together: TimeDelta::zero() };
const TO: Limit = Limit { name: "notices to", max: 20, together: TimeDelta::zero() };
const OF_BUSINESS: Limit = Limit { name: "notices of", max: 2_000, together: TimeDelta::minutes(10) };
/// When a notice is counted, this many stored rows of counts are checked. A checked row is deleted if no limit needs it
/// any more.
const STALE_LOOKS: usize = 2;

impl Limit {
    fn counts(&self, sent: &SentNotices, now: Timestamp) -> bool {
        sent.at + COUNTED_FOR + self.together > now
    }
}

/// The newest counts of notices. Their rows were submitted to the store, but may not be durable yet.
#[derive(Debug, Default)]
pub(super) struct NoticeCounts {
    rows: BTreeMap<Key, NoticeCountRecord>,
    under_way: usize,
    /// The last row that was checked for deletion.
    looked_at: Option<Key>,
}

impl NoticeCounts {
    pub(super) fn counted(&mut self) {
        self.under_way -= 1;
        if self.under_way == 0 {
            self.rows.clear();
        }
    }

    fn read(&self, store: &Store, key: &Key) -> Result<NoticeCountRecord, StoreError> {
        match self.rows.get(key) {
            Some(record) => Ok(record.clone()),
            None => Ok(store.find(key)?.unwrap_or_default()),
        }
    }

    /// Checks the next stored rows of counts. Deletes each row whose notices are too old for every limit.
    fn delete_stale(&mut self, store: &Store, now: Timestamp, batch: &mut Batch) -> Result<(), StoreError> {
        let all = keys::of_kind(BusinessId::INSTALLATION, keys::installation_kind::NOTICE_COUNT);
        let left = self.looked_at.map_or(all, |at| all.after(at));
        let rows = store.scan(&left, Order::Ascending).take(STALE_LOOKS).collect::<Result<Vec<_>, _>>()?;
        self.looked_at = rows.last().map(|(key, _)| Key::new(key));
        for (key, value) in &rows {
            let key = Key::new(key);
            let record = store.find_in::<NoticeCountRecord>(&key, value)?;
            let is_stale =
                record.is_some_and(|record| record.sent.iter().all(|sent| !OF_BUSINESS.counts(sent, now)));
            if is_stale && !self.rows.contains_key(&key) {
                batch.delete(key);
            }
        }
        Ok(())
    }
}

impl State {
    /// Counts a notice under its limits. If a limit is reached, counts nothing and returns false. A notice
    /// whose first attempt was interrupted was already counted, so it is not counted again.
    fn count_notice(
        &mut self,
        shared: &Shared,
        MailKey { of, id }: MailKey,
        to: &str,
        notice: &Notice,
    ) -> Result<bool, StoreError> {
        let (now, to, everywhere) = (shared.steady.now(), mailbox(to), BusinessId::INSTALLATION);
        let limits = [
            notice.by_customer.then_some((BY_CUSTOMERS_TO, everywhere, &*to)),
            Some((TO, everywhere, &*to)),
            Some((OF_BUSINESS, of, "")),
        ];
        let mut rows = Vec::new();
        for (limit, of, what) in limits.into_iter().flatten() {
            let key = count_key(&shared.meta.secret, limit.name, of, what);
            let mut record = self.counts.read(&shared.store, &key)?;
            if record.ids.contains(&id) {
                return Ok(true);
            }
            record.sent.retain(|sent| limit.counts(sent, now));
            if record.sent.iter().map(|sent| sent.count).sum::<u32>() >= limit.max {
                return Ok(false);
            }
            match record.sent.last_mut().filter(|last| now < last.at + limit.together) {
                Some(last) => last.count += 1,
                None => record.sent.push(SentNotices { at: now, count: 1 }),
            }
            if limit.together.is_zero() {
                record.ids.push(id);
                let ended = record.ids.len().saturating_sub(record.sent.len());
                record.ids.drain(..ended);
            }
            rows.push((key, record));
        }
        let mut batch = Batch::default();
        rows.iter().for_each(|(key, record)| batch.put(*key, record.encode()));
        self.counts.rows.extend(rows);
        self.counts.delete_stale(&shared.store, now, &mut batch)?;
        let myself = self.myself.clone();
        let done = move || {
            let _ = myself.cast(Message::Counted);
        };
        // Notices of several businesses may change the same row of counts. The store keeps the order only among the
        // changes to one business. Therefore all rows of counts are submitted as changes to the installation. So the
        // newest version of each row is committed last.
        if shared.store.submit_outcome(BusinessId::INSTALLATION, batch, Box::new(done)).is_some() {
            self.counts.under_way += 1;
        }
        Ok(true)
    }
}
