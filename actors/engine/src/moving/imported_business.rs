//! A business that is being imported. Each record is checked against the earlier records and then written.
//!
//! Invariants:
//!
//! - An invalid record is not written.
//! - No written record contains data of a contact who was erased on this installation.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use domain::{
    Actor, Appointment, AuditAction, AuditEntry, AuditId, Budget, Business, BusinessId, CallId, CallRecord,
    Contact, ContactId, ENDPOINTS_MAX, IdMint, ImportProblem, MailStatus, Named, NoticeSettings, Problem,
    ProblemCode, Refusal, ResourceId, Retention, RetentionSet, TakenMessage, Timestamp, check_unique,
};
use store::kept::SearchChange;
use store::keys::kind;
use store::records::{AuditRecord, ErasureRecord};
use store::{Batch, Key, LONG_VALUE_BYTES_MAX, Order, Pair, Record, Store, StoreError, keys};
use uuid::Uuid;

use super::checks::{self, ImportedRecords, check, stamps};
use super::record::{Moved, MovedKind, Wrong};
use super::service::Moving;
use super::staged::Staged;
use super::take::Pace;
use crate::business::{ErasedContacts, SearchRows, Write, within_budget};
use crate::error::EngineError;
use crate::mail::write_mail;
use crate::shared::Shared;

/// The maximum number of calls that are reported because they refer to a missing message. Further such calls are only
/// counted.
pub const MISSING_MAX: usize = 100;
const CALLS_PER_STEP: usize = 64;

pub(super) struct ImportedBusiness {
    of: BusinessId,
    moving: Arc<Moving>,
    notices: NoticeSettings,
    /// The number of waiting reminders that were written.
    reminders: u64,
    staged: Staged,
    known: ImportedRecords,
    retention: Option<Retention>,
    search_texts: BTreeMap<u8, SearchRows>,
    /// The number of imported records, including the business itself.
    pub(super) records: u64,
    endpoints: usize,
    /// The number of the line with the first call. The other calls are on the following lines.
    first_call: Option<u64>,
    newest: (Uuid, Timestamp),
    /// The ids of the contacts of this business who were erased in this store. If `erase_again` is false, the records
    /// of these contacts are refused.
    erased: BTreeSet<ContactId>,
    erase_again: bool,
    /// The imported contacts who were erased in this store. Their data is removed from the imported records.
    theirs: ErasedContacts,
    their_calls: HashSet<CallId>,
}

impl ImportedBusiness {
    /// Writes the row that marks the business as being imported, before any other row of the business.
    pub(super) async fn begin(
        moving: &Arc<Moving>,
        business: &Business,
        now: Timestamp,
        (erased, erase_again): (BTreeSet<ContactId>, bool),
    ) -> Result<Self, EngineError> {
        let id = business.id;
        let mut staged = Staged::new(moving.shared.store.clone(), id);
        staged.put(keys::moving(id), business.encode()).await?;
        staged.wait_durable().await?;
        let newest = (id.uuid(), business.updated_at.max(now));
        Ok(Self {
            of: id,
            moving: Arc::clone(moving),
            notices: NoticeSettings::default(),
            reminders: 0,
            staged,
            known: ImportedRecords::default(),
            retention: None,
            search_texts: BTreeMap::new(),
            records: 1,
            endpoints: 0,
            first_call: None,
            newest,
            erased,
            erase_again,
            theirs: ErasedContacts::default(),
            their_calls: HashSet::new(),
        })
    }

    pub(super) async fn record(
        &mut self,
        line: u64,
        mut moved: Moved,
        now: Timestamp,
    ) -> Result<Vec<Problem>, EngineError> {
        self.records += 1;
        let mut problems = Vec::new();
        if let Moved::Retention(retention) = moved {
            self.known.in_order(MovedKind::Retention, &[], &mut problems);
            if problems.is_empty() {
                self.known.came(MovedKind::Retention, Vec::new());
                self.retention = Some(retention);
            }
            return Ok(problems);
        }
        // A line without a kind and a key is the `end` line of a business, which is not a record.
        let of = self.of;
        let (Some(kind), Some(key)) = (moved.kind(), moved.key(of)) else { return Ok(problems) };
        let (place, stamped) = (key.to_vec(), moved.stamps());
        let id = if kind.has_id() { keys::id_at_end::<BusinessId>(&key)?.uuid() } else { Uuid::nil() };
        self.known.in_order(kind, &place, &mut problems);
        if kind.has_id() {
            stamps(BusinessId::from(id), stamped, now, &mut problems);
        } else {
            checks::stamped(stamped, now, &mut problems);
        }
        if let Moved::Contact(contact) = &moved
            && self.erased.contains(&contact.id)
        {
            self.check_contact(contact, &mut problems)?;
            // The contact was erased in this store. An erasure removes a phone number or email address only from
            // records whose ids are smaller than the id of the erasure. Here the erasure gets the greatest possible id,
            // so the contact's number and address are removed from all imported records.
            let bound = Uuid::max().into();
            let [phone, email] = [contact.phone.as_deref(), contact.email.as_deref()]
                .map(|identifier| identifier.map(keys::identifier_digest));
            self.theirs.add(contact.id, Some(&ErasureRecord { id: bound, phone, email, former: None }));
            check(&mut problems, self.erase_again, "id", ImportProblem::ErasedHere);
            if problems.is_empty() {
                self.came(kind, place, (id, stamped.1));
            }
            return Ok(problems);
        }
        let write = match self.without_them(moved)? {
            Moved::Service(service) => {
                self.known.services.insert(service.id);
                Write::Service(service)
            }
            Moved::Staff(member) => {
                for (at, id) in member.service_ids.iter().enumerate() {
                    let code = ProblemCode::NotOfTheBusiness(Named::Service);
                    let is_known = self.known.services.contains(id);
                    check(&mut problems, is_known, format!("service_ids[{at}]"), code);
                }
                self.known.staff.insert(member.id);
                Write::Staff(member)
            }
            Moved::SpecialDay(day) => {
                self.known.special_day(day.date, &mut problems);
                Write::put(of, None, &day)
            }
            Moved::TimeOff(time) => {
                self.known.time_off(&time, &mut problems);
                Write::put(of, None, &time)
            }
            Moved::Contact(after) => {
                self.check_contact(&after, &mut problems)?;
                Write::Contact { before: None, after }
            }
            Moved::Appointment(after) => {
                self.known.of_appointment(&after, &mut problems);
                self.check_contact_id(after.contact_id, &mut problems)?;
                let is_new = !self.staged.has(keys::appointment_start(of, after.id))?;
                check(&mut problems, is_new, "id", ProblemCode::Taken);
                if problems.is_empty() {
                    self.known.booked(&after);
                }
                Write::Appointment { before: None, after }
            }
            Moved::Call(call) => {
                let call = self.check_call(call, &mut problems)?;
                self.first_call = self.first_call.or(Some(line));
                Write::Call { before: None, after: call }
            }
            Moved::Message(after) => {
                self.check_message(&after, &mut problems)?;
                Write::Message { before: None, after }
            }
            Moved::Conversation(it) => {
                self.check_contact_id(it.contact_id, &mut problems)?;
                let starts_first = it.ended_at.is_none_or(|ended_at| ended_at >= it.started_at);
                check(&mut problems, starts_first, "ended_at", ProblemCode::Before("started_at"));
                let fits = it.bytes_max() <= LONG_VALUE_BYTES_MAX;
                check(&mut problems, fits, "turns", ImportProblem::LineBytesMax(LONG_VALUE_BYTES_MAX));
                if !fits {
                    return Ok(problems);
                }
                Write::put(of, None, &it)
            }
            Moved::Webhook(endpoint) => Write::Webhook(endpoint),
            Moved::Notices(settings) => {
                self.notices = settings.clone();
                Write::Notices(settings)
            }
            // The row that reserves the slug for the business is written when the business is opened.
            Moved::Website(website) => {
                let has_slug = website.slug.is_some() || !website.enabled;
                check(&mut problems, has_slug, "slug", ProblemCode::Required);
                let is_line = !website.address.as_deref().unwrap_or_default().contains(char::is_control);
                check(&mut problems, is_line, "address", ProblemCode::NotOneLine);
                Write::put(of, None, &website)
            }
            mut other => {
                let contact = other.contact().and_then(|contact| *contact);
                self.check_contact_id(contact, &mut problems)?;
                let mut rows = Batch::default();
                other.put(of, &mut rows);
                Write::Rows(rows)
            }
        };
        if !problems.is_empty() {
            return Ok(problems);
        }
        self.came(kind, place, (id, stamped.1));
        match &write {
            Write::Webhook(_) if self.endpoints == ENDPOINTS_MAX => {
                return Ok(vec![Problem::new("", ImportProblem::EndpointsMax(ENDPOINTS_MAX))]);
            }
            // The row in the installation's list of endpoints is written when the business is opened.
            Write::Webhook(endpoint) => {
                self.endpoints += 1;
                self.staged.put(keys::webhook(self.of, endpoint.id), endpoint.encode()).await?;
            }
            write => problems = self.staged.write(write).await?,
        }
        if !problems.is_empty() {
            return Ok(problems);
        }
        if let Write::Appointment { after, .. } = &write {
            self.write_reminders(after).await?;
        }
        if let Some(SearchChange { rows, id, text, .. }) = write.search_change() {
            let mut batch = Batch::default();
            let texts = self.search_texts.entry(rows).or_insert_with(|| SearchRows::new(of, rows));
            texts.add(id, text, &mut batch);
            self.staged.add(batch).await?;
        }
        Ok(problems)
    }

    fn came(&mut self, kind: MovedKind, place: Vec<u8>, (id, at): (Uuid, Timestamp)) {
        self.newest = (self.newest.0.max(id), self.newest.1.max(at));
        self.known.came(kind, place);
    }

    fn without_them(&mut self, moved: Moved) -> Result<Moved, StoreError> {
        if self.theirs.is_empty() {
            return Ok(moved);
        }
        if let Moved::Call(call) = &moved
            && self.theirs.is_their_call(call)
        {
            self.their_calls.insert(call.id);
        }
        moved.without(&self.theirs, |call| Ok(self.their_calls.contains(&call)))
    }

    /// Writes the reminders of a future appointment if the service sends mails. Reminders for which the budget has no
    /// room are marked as dropped.
    async fn write_reminders(&mut self, appointment: &Appointment) -> Result<(), EngineError> {
        let Moving { shared, outbox, .. } = &*self.moving;
        let (now, steady) = (shared.clocks.now(), shared.steady.now());
        let mut rows = Batch::default();
        for reminder in self.notices.reminders(appointment, now) {
            let due = reminder.reminds_at().map_or(steady, |at| steady + (at - now));
            let mail = outbox.mint_notice(shared.mint_id(now), (self.of, reminder, due), (now, steady));
            let Some(mail) = mail else { break };
            let mail = within_budget(&Budget::default(), self.reminders, mail, now);
            self.reminders += u64::from(mail.status == MailStatus::Pending);
            write_mail(&mut rows, &mail, None);
        }
        if !rows.is_empty() {
            self.staged.add(rows).await?;
        }
        Ok(())
    }

    fn check_contact(&self, contact: &Contact, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        let is_reachable = contact.name.is_some() || contact.phone.is_some() || contact.email.is_some();
        check(problems, is_reachable, "", ProblemCode::NamePhoneOrEmail);
        let of = self.of;
        let holder = |key| -> Result<Option<ContactId>, StoreError> {
            self.staged.short(key)?.map(|id| keys::id_at_end(&id)).transpose()
        };
        let phone = contact.phone.as_deref().map(|phone| holder(keys::contact_by_phone(of, phone)));
        let email = contact.email.as_deref().map(|email| holder(keys::contact_by_email(of, email)));
        let (phone, email) = (phone.transpose()?.flatten(), email.transpose()?.flatten());
        if let Err(Refusal::Conflict { details, .. }) = check_unique(None, phone, email) {
            problems.extend(details);
        }
        Ok(())
    }

    /// Checks a call. If the contact of the call is missing, the contact counts as erased, and the contact's data is
    /// removed from the call.
    fn check_call(&self, call: CallRecord, problems: &mut Vec<Problem>) -> Result<CallRecord, StoreError> {
        let starts_first = call.ended_at >= call.started_at;
        check(problems, starts_first, "ended_at", ProblemCode::Before("started_at"));
        let appointment = call.appointment_id.map(|id| keys::appointment_start(self.of, id));
        let code = ProblemCode::NotOfTheBusiness(Named::Appointment);
        check(problems, self.may_refer_to(appointment)?, "appointment_id", code);
        Ok(if self.is_contact(call.contact_id)? { call } else { call.erased() })
    }

    /// True if the referenced record exists. Also true if the business has retention periods, because the record may
    /// then have expired.
    fn may_refer_to(&self, key: Option<Key>) -> Result<bool, StoreError> {
        key.filter(|_| self.retention.is_none()).map_or(Ok(true), |key| self.staged.has(key))
    }

    fn check_message(&self, message: &TakenMessage, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        self.check_contact_id(message.contact_id, problems)?;
        let call = message.call_id.map(|id| keys::call(self.of, id));
        let code = ProblemCode::NotOfTheBusiness(Named::Call);
        check(problems, self.may_refer_to(call)?, "call_id", code);
        message.staff_id.into_iter().for_each(|id| self.known.is_staff(id, problems));
        Ok(())
    }

    fn check_contact_id(&self, id: Option<ContactId>, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        let code = ProblemCode::NotOfTheBusiness(Named::Contact);
        check(problems, self.is_contact(id)?, "contact_id", code);
        Ok(())
    }

    fn is_contact(&self, id: Option<ContactId>) -> Result<bool, StoreError> {
        id.map_or(Ok(true), |id| self.staged.has(keys::contact(self.of, id)))
    }

    /// Finds the imported calls that refer to a missing message. Returns a problem for each of the first
    /// [`MISSING_MAX`] of these calls. If there are more, a last problem on the `end` line states the number of the
    /// others. If the business has retention periods, returns no problem, because the messages may have expired.
    ///
    /// In an export, the messages follow the calls, so this check runs at the `end` line. The line numbers of the calls
    /// are not stored, so they are computed. The first call has the line number `first_call`. The lines of the calls
    /// are consecutive, and the scan returns the calls in the order of their lines.
    pub(super) async fn calls_of_no_message(
        &mut self,
        store: &Store,
        pace: &mut Pace,
        end: u64,
    ) -> Result<Vec<Wrong>, EngineError> {
        let (mut wrong, mut more) = (Vec::new(), 0_u64);
        let Some(first) = self.first_call.filter(|_| self.retention.is_none()) else { return Ok(wrong) };
        self.staged.wait_durable().await?;
        let (mut lines, mut left) = (first.., keys::of_kind(self.of, kind::CALL));
        loop {
            let calls = store.scan(&left, Order::Ascending).take(CALLS_PER_STEP);
            let calls: Vec<Pair> = calls.collect::<Result<_, _>>()?;
            let Some((last, _)) = calls.last() else { break };
            left = left.after(Key::new(last));
            for ((_, call), line) in calls.iter().zip(&mut lines) {
                let Some(message) = CallRecord::decode(call)?.message_id else { continue };
                if store.contains(&keys::message(self.of, message))? {
                    continue;
                }
                if wrong.len() < MISSING_MAX {
                    let problem = Problem::new("message_id", ProblemCode::NotOfTheBusiness(Named::Message));
                    wrong.push(Wrong { line, problem });
                } else {
                    more += 1;
                }
            }
            pace.rest().await?;
        }
        if more > 0 {
            let problem = Problem::new("", ImportProblem::MoreCallsOfNoMessage(more));
            wrong.push(Wrong { line: end, problem });
        }
        Ok(wrong)
    }

    /// Writes the audit entry of the import, which is the first audit entry of the business. No imported record has a
    /// later id or stamp than this entry. If the business has retention periods, also records that they were set at the
    /// time of the import.
    pub(super) async fn close(mut self, shared: &Shared) -> Result<(), EngineError> {
        let (of, (newest, at)) = (self.of, self.newest);
        let id: AuditId = IdMint::after(AuditId::from(newest)).next(at, shared.ports.random_bytes());
        let entry = AuditEntry::new((id, at), (Actor::Operator, AuditAction::BusinessImported), of.uuid());
        let record = AuditRecord { entry, usage: Some(self.staged.usage) };
        self.staged.put(keys::audit(of, id), record.encode()).await?;
        if let Some(retention) = self.retention {
            let clocks = &shared.clocks;
            let set = RetentionSet { at: clocks.now(), steady: clocks.steady(), before: id.uuid() };
            let retention = Retention { set: Some(set), ..retention };
            self.staged.put(keys::retention(of), retention.encode()).await?;
        }
        self.staged.wait_durable().await
    }
}
