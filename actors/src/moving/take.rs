//! Writing records into a store, each held against those before it.
//!
//! What always holds: of a record that is not good nothing is written, and after one that is not good no business is
//! opened; those that follow are still looked at, so that one run tells what is wrong everywhere.

use std::sync::Arc;

use uuid::Uuid;

use super::checks::{Known, stamps};
use super::record::{MoveError, Moved, Wrong};
use super::settle::{self, check_finished, check_store, is_there};
use super::staged::Staged;
use crate::business::{NAMES_PER_ROW_MAX, Write};
use crate::clock::Clocks;
use crate::domain::{
    Actor, Appointment, AuditEntry, AuditId, Business, BusinessId, CallRecord, Contact, ContactId,
    ENDPOINTS_MAX, IdMint, Problem, Refusal, ResourceId, Retention, RetentionSet, TakenMessage, Timestamp,
    check_unique, fold_name,
};
use crate::meta;
use crate::ports::Ports;
use crate::store::keys::kind;
use crate::store::records::{AuditRecord, NamesRecord};
use crate::store::{Order, Record, Store, StoreError, keys};

/// An import under way.
pub struct Import {
    store: Store,
    ports: Ports,
    now: Timestamp,
    /// The clock of the store, once a business has come that keeps something for a time.
    clocks: Option<Clocks>,
    /// The business whose records come now; `None` before the first one, and where one is passed over.
    arriving: Option<Arriving>,
    /// Whether everything was good so far.
    all_good: bool,
    businesses: u64,
    records: u64,
}

/// The business whose records come now.
struct Arriving {
    business: Business,
    staged: Staged,
    known: Known,
    /// For how long things are to be kept, where a line says so.
    retention: Option<Retention>,
    /// Names that do not fill a row of the index yet.
    names: Vec<(ContactId, String)>,
    records: u64,
    endpoints: usize,
    /// The line of its first call; the others follow.
    first_call: Option<u64>,
    /// The greatest id, and the latest stamp.
    newest: (uuid::Uuid, Timestamp),
}

impl Import {
    /// Begins an import, in a store that [`settle`](super::settle()) has left; one that was never used is made ready.
    ///
    /// # Errors
    /// When the store fails, or was left half-way.
    pub async fn begin(store: &Store, ports: &Ports) -> Result<Self, MoveError> {
        check_store(store)?;
        check_finished(store)?;
        let now = ports.clock.now();
        meta::secret(store, ports, now).await?;
        let (store, ports) = (store.clone(), ports.clone());
        Ok(Self {
            store,
            ports,
            now,
            clocks: None,
            arriving: None,
            all_good: true,
            businesses: 0,
            records: 0,
        })
    }

    /// Says that what stood on a line is no record: nothing will be opened. What follows a business that is none is
    /// passed over up to the next one.
    pub fn not_a_record(&mut self, was_business: bool) {
        self.all_good = false;
        if was_business {
            self.arriving = None;
        }
    }

    /// Takes the record of a line.
    ///
    /// # Errors
    /// When the store fails or the disk is full. What is wrong with the record is no error: it is given back.
    pub async fn take(&mut self, line: u64, moved: Moved) -> Result<Vec<Wrong>, MoveError> {
        let found = match moved {
            Moved::Business(business) => self.business(business).await?,
            Moved::End { records } => return self.end(line, records).await,
            record => match &mut self.arriving {
                Some(arriving) => arriving.record(line, record, self.now).await?,
                None if self.all_good => vec![Problem::new("kind", "a business must stand before it")],
                None => Vec::new(),
            },
        };
        Ok(self.told(line, found))
    }

    fn told(&mut self, line: u64, found: Vec<Problem>) -> Vec<Wrong> {
        self.all_good &= found.is_empty();
        found.into_iter().map(|problem| Wrong { line, problem }).collect()
    }

    async fn business(&mut self, business: Business) -> Result<Vec<Problem>, MoveError> {
        let mut problems = Vec::new();
        if let Some(before) = self.arriving.take() {
            let message = format!("the end of business {} must stand before it", before.business.id);
            problems.push(Problem::new("kind", message));
        }
        let stamped = (business.created_at, business.updated_at);
        stamps(business.id, stamped, self.now, &mut problems);
        if self.store.contains(&keys::ending(business.id))? {
            let message = "is that of a business that was ended here and of which rows are left: start the service until they are gone";
            problems.push(Problem::new("id", message));
        } else if is_there(&self.store, business.id)? {
            problems.push(Problem::new("id", "is that of a business that is here already"));
        }
        if !problems.is_empty() {
            return Ok(problems);
        }
        let id = business.id;
        let mut staged = Staged::new(self.store.clone(), id);
        // Before anything of it is there, so that it can be taken back.
        staged.put(keys::moving(id), business.encode()).await?;
        staged.settle().await?;
        let newest = (id.uuid(), business.updated_at.max(self.now));
        let (known, names) = (Known::default(), Vec::new());
        self.arriving = Some(Arriving {
            business,
            staged,
            known,
            retention: None,
            names,
            records: 1,
            endpoints: 0,
            first_call: None,
            newest,
        });
        Ok(problems)
    }

    async fn end(&mut self, line: u64, records: u64) -> Result<Vec<Wrong>, MoveError> {
        let Some(mut arriving) = self.arriving.take() else {
            let message = "there is no business that it ends";
            let found = if self.all_good { vec![Problem::new("kind", message)] } else { Vec::new() };
            return Ok(self.told(line, found));
        };
        if !self.all_good {
            return Ok(Vec::new());
        }
        if records != arriving.records {
            let message = format!("must be {}: lines are missing, or more than there were", arriving.records);
            return Ok(self.told(line, vec![Problem::new("records", message)]));
        }
        let wrong = arriving.calls_of_no_message(&self.store).await?;
        if !wrong.is_empty() {
            self.all_good = false;
            return Ok(wrong);
        }
        if arriving.retention.is_some() && self.clocks.is_none() {
            self.clocks = Some(Clocks::open(&self.store, Arc::clone(&self.ports.clock)).await?);
        }
        arriving.close(&self.ports, self.clocks.as_ref()).await?;
        self.businesses += 1;
        self.records += records;
        Ok(Vec::new())
    }

    /// Whether everything was good so far, and each business came to its end.
    pub fn is_good(&self) -> bool {
        self.all_good && self.arriving.is_none()
    }

    /// How many businesses came to their end, with how many records.
    pub fn count(&self) -> (u64, u64) {
        (self.businesses, self.records)
    }

    /// Opens the businesses, if everything was good and each came to its end; else takes everything back. Whether they
    /// are open.
    ///
    /// # Errors
    /// When the store fails; the next [`settle`](super::settle()) comes to the end of it.
    pub async fn finish(self) -> Result<bool, MoveError> {
        if !self.is_good() {
            self.take_back().await?;
            return Ok(false);
        }
        settle::finish(&self.store).await?;
        Ok(true)
    }

    /// Takes everything back.
    ///
    /// # Errors
    /// As [`Import::finish`].
    pub async fn take_back(self) -> Result<(), MoveError> {
        settle::take_back(&self.store).await?;
        Ok(())
    }
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import").field("records", &self.records).finish_non_exhaustive()
    }
}

impl Arriving {
    fn of(&self) -> BusinessId {
        self.business.id
    }

    /// Checks and writes a record.
    async fn record(&mut self, line: u64, moved: Moved, now: Timestamp) -> Result<Vec<Problem>, MoveError> {
        self.records += 1;
        let mut problems = Vec::new();
        if let Moved::Retention(retention) = moved {
            self.known.in_order(0, &[], &mut problems);
            if problems.is_empty() {
                self.known.came(0, Vec::new());
                self.retention = Some(retention);
            }
            return Ok(problems);
        }
        let (rank, key, id, stamped) = match &moved {
            Moved::Service(it) => (1, None, it.id.uuid(), (it.created_at, it.updated_at)),
            Moved::Staff(it) => (2, None, it.id.uuid(), (it.created_at, it.updated_at)),
            Moved::SpecialDay(it) => {
                let key = keys::special_day(self.of(), it.date).to_vec();
                (3, Some(key), Uuid::nil(), (it.created_at, it.updated_at))
            }
            Moved::TimeOff(it) => {
                let key = keys::blocked_time(self.of(), it.key()).to_vec();
                (4, Some(key), it.id.uuid(), (it.created_at, it.created_at))
            }
            Moved::Contact(it) => (5, None, it.id.uuid(), (it.created_at, it.updated_at)),
            Moved::Appointment(it) => {
                let key = keys::appointment(self.of(), it.starts_at, it.id).to_vec();
                (6, Some(key), it.id.uuid(), (it.created_at, it.updated_at))
            }
            Moved::Call(it) => (7, None, it.id.uuid(), (it.created_at, it.updated_at)),
            Moved::Message(it) => (8, None, it.id.uuid(), (it.created_at, it.updated_at)),
            Moved::Knowledge(it) => (9, None, it.id.uuid(), (it.created_at, it.updated_at)),
            Moved::Webhook(it) => (10, None, it.id.uuid(), (it.created_at, it.updated_at)),
            Moved::Business(_) | Moved::Retention(_) | Moved::End { .. } => {
                unreachable!("they are no records of a business")
            }
        };
        let place = key.unwrap_or_else(|| id.as_bytes().to_vec());
        self.known.in_order(rank, &place, &mut problems);
        match &moved {
            // It is named by its date.
            Moved::SpecialDay(_) => super::checks::stamped(stamped, now, &mut problems),
            _ => stamps(BusinessId::from(id), stamped, now, &mut problems),
        }
        let write = match moved {
            Moved::Service(service) => {
                self.known.services.insert(service.id);
                Write::Service(service)
            }
            Moved::Staff(member) => {
                for (at, _) in
                    (0..).zip(&member.service_ids).filter(|(_, id)| !self.known.services.contains(id))
                {
                    let path = format!("service_ids[{at}]");
                    problems.push(Problem::new(path, "is not a service of the business"));
                }
                self.known.staff.insert(member.id);
                Write::Staff(member)
            }
            Moved::SpecialDay(day) => {
                self.known.special_day(day.date, &mut problems);
                Write::SpecialDay(day)
            }
            Moved::TimeOff(time) => {
                self.known.time_off(&time, &mut problems);
                Write::BlockedTime(time)
            }
            Moved::Contact(after) => {
                self.check_contact(&after, &mut problems)?;
                Write::Contact { before: None, after }
            }
            Moved::Appointment(after) => {
                self.check_appointment(&after, &mut problems)?;
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
            Moved::Knowledge(after) => Write::Knowledge { bytes_before: None, after },
            Moved::Webhook(endpoint) => Write::Webhook(endpoint),
            Moved::Business(_) | Moved::Retention(_) | Moved::End { .. } => {
                unreachable!("they are no records of a business")
            }
        };
        if !problems.is_empty() {
            return Ok(problems);
        }
        self.newest.0 = self.newest.0.max(id);
        self.newest.1 = self.newest.1.max(stamped.1);
        self.known.came(rank, place);
        match &write {
            Write::Webhook(_) if self.endpoints == ENDPOINTS_MAX => {
                let message = format!("a business has at most {ENDPOINTS_MAX} webhook endpoints");
                return Ok(vec![Problem::new("", message)]);
            }
            // Its place in the list of all endpoints is that of an open business.
            Write::Webhook(endpoint) => {
                self.endpoints += 1;
                self.staged.put(keys::webhook(self.of(), endpoint.id), endpoint.encode()).await?;
            }
            write => problems = self.staged.write(write).await?,
        }
        if !problems.is_empty() {
            return Ok(problems);
        }
        if let Write::Contact { after: Contact { id, name: Some(name), .. }, .. } = &write {
            self.names.push((*id, fold_name(name)));
            if self.names.len() == NAMES_PER_ROW_MAX {
                self.write_names().await?;
            }
        }
        Ok(problems)
    }

    async fn write_names(&mut self) -> Result<(), MoveError> {
        let names = std::mem::take(&mut self.names);
        let Some((first, _)) = names.first() else { return Ok(()) };
        let key = keys::contact_names(self.of(), *first);
        self.staged.put(key, NamesRecord { names }.encode()).await
    }

    fn check_contact(&self, contact: &Contact, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        if contact.name.is_none() && contact.phone.is_none() && contact.email.is_none() {
            problems.push(Problem::new("", "must have one of name, phone, email"));
        }
        let of = self.of();
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

    fn check_appointment(
        &self,
        appointment: &Appointment,
        problems: &mut Vec<Problem>,
    ) -> Result<(), StoreError> {
        self.known.of_appointment(appointment, problems);
        self.check_contact_id(appointment.contact_id, problems)?;
        if self.staged.has(keys::appointment_start(self.of(), appointment.id))? {
            problems.push(Problem::new("id", "is that of another appointment"));
        }
        Ok(())
    }

    /// Gives the call as it is to be kept: without what it tells of a contact who is not there, for they were erased.
    fn check_call(&self, call: CallRecord, problems: &mut Vec<Problem>) -> Result<CallRecord, StoreError> {
        if call.ended_at < call.started_at {
            problems.push(Problem::new("ended_at", "must not be before started_at"));
        }
        if let Some(id) = call.appointment_id
            && !self.may_have_gone()
            && !self.staged.has(keys::appointment_start(self.of(), id))?
        {
            problems.push(Problem::new("appointment_id", "is not an appointment of the business"));
        }
        Ok(if self.is_contact(call.contact_id)? { call } else { call.erased() })
    }

    /// Whether appointments, calls and messages may have gone to which others refer: they stay where somebody has never
    /// said how long they are kept.
    fn may_have_gone(&self) -> bool {
        self.retention.is_some()
    }

    fn check_message(&self, message: &TakenMessage, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        self.check_contact_id(message.contact_id, problems)?;
        if let Some(id) = message.call_id
            && !self.may_have_gone()
            && !self.staged.has(keys::call(self.of(), id))?
        {
            problems.push(Problem::new("call_id", "is not a call of the business"));
        }
        if message.staff_id.is_some_and(|id| !self.known.staff.contains(&id)) {
            problems.push(Problem::new("staff_id", "is not a staff member of the business"));
        }
        Ok(())
    }

    fn check_contact_id(&self, id: Option<ContactId>, problems: &mut Vec<Problem>) -> Result<(), StoreError> {
        if !self.is_contact(id)? {
            problems.push(Problem::new("contact_id", "is not a contact of the business"));
        }
        Ok(())
    }

    /// Whether a contact is there, or none is named.
    fn is_contact(&self, id: Option<ContactId>) -> Result<bool, StoreError> {
        id.map_or(Ok(true), |id| self.staged.has(keys::contact(self.of(), id)))
    }

    /// The calls that name a message which is not there. Messages stand behind calls, so this is asked at the end; all
    /// was good, so the calls stand in the store as on their lines.
    async fn calls_of_no_message(&mut self, store: &Store) -> Result<Vec<Wrong>, MoveError> {
        let Some(first) = self.first_call.filter(|_| !self.may_have_gone()) else { return Ok(Vec::new()) };
        self.staged.settle().await?;
        let mut wrong = Vec::new();
        let calls = keys::of_kind(self.of(), kind::CALL);
        for (line, row) in (first..).zip(store.scan(&calls, Order::Ascending)) {
            let call = CallRecord::decode(&row?.1)?;
            let Some(message) = call.message_id else { continue };
            if !store.contains(&keys::message(self.of(), message))? {
                let problem = Problem::new("message_id", "is not a message of the business");
                wrong.push(Wrong { line, problem });
            }
        }
        Ok(wrong)
    }

    /// Writes what ends it: the names that are left, and the entry with which its log begins here, which tells how much
    /// it keeps and bears the newest stamp and the greatest id. What is kept for a time is so from now on: the stamps of
    /// what came are taken at their word.
    async fn close(mut self, ports: &Ports, clocks: Option<&Clocks>) -> Result<(), MoveError> {
        self.write_names().await?;
        let (of, (newest, at)) = (self.of(), self.newest);
        let id: AuditId = IdMint::after(AuditId::from(newest)).next(at, ports.random_bytes());
        let entry = AuditEntry {
            id,
            at,
            actor: Actor::Operator,
            action: "business.imported".into(),
            resource_type: "business".into(),
            resource_id: of.uuid(),
            changes: Vec::new(),
        };
        let record = AuditRecord { entry, usage: Some(self.staged.usage) };
        self.staged.put(keys::audit(of, id), record.encode()).await?;
        if let (Some(retention), Some(clocks)) = (self.retention, clocks) {
            let set = RetentionSet { at: clocks.now(), steady: clocks.steady(), before: id.uuid() };
            let retention = Retention { set: Some(set), ..retention };
            self.staged.put(keys::retention(of), retention.encode()).await?;
        }
        self.staged.settle().await
    }
}
