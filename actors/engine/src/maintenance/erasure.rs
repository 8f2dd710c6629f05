//! Erases contacts: removes their personal data from all other records, in steps.
//!
//! The change that erases a contact deletes the contact and its index rows, and writes an erasure row
//! (`keys::erasure`), which contains only digests of the phone number and email address. The steps then read
//! the rows that are older than the erasure, in stages. If the record of an erased contact could not be decoded, the
//! stage [`LISTED`] finds and deletes the index rows of the contact.
//!
//! Invariants:
//! - A step reads at most [`ROWS_MAX`] rows and writes one batch with its progress.
//! - A *run* of all stages erases at most [`TOGETHER_MAX`] contacts. Later erasures wait for the next run.
//! - Each stage runs once, because changes after the erasure write no data of the contacts. Stored responses are an
//!   exception. A customer may have entered the phone number or email address of an erased contact in a booking of
//!   another contact. Until the stage [`ENTERED`] removes this data from the booking, new responses about the booking
//!   contain the data and are stored. So the later stage [`REMEMBERED_AGAIN`] reads the stored responses again.
//! - Records that are newer than the erasure stay unchanged, even if they contain the same phone number.
//! - A call or message without a contact belongs to the contact with the same phone number. From a call or message of
//!   another contact, only the phone number is removed.

use domain::{
    Appointment, AppointmentId, AuditId, AuditedKind, CallId, CallRecord, Contact, ContactId, ErasureId,
    EventId, ResourceId, TakenMessage, Timestamp,
};
use store::kept::{self, Kept};
use store::keys::kind;
use store::records::{AuditRecord, ErasingRecord, ErasureRecord, IdempotencyRecord, ShownAnew, WipeRecord};
use store::{Batch, Key, KeyRange, Order, Record, StoreError, keys};

use super::business::Step;
use crate::business::{ErasedContacts, Personal, Resource, State, Write, forget_address};

const ROWS_MAX: usize = 256;
const BYTES_MAX: usize = 256 << 10;
const TOGETHER_MAX: usize = 1_024;
/// The maximum number of successive steps that write nothing. The next step then writes the progress.
const UNWRITTEN_MAX: u32 = 64;
/// An erasure marks each event that must be wiped. Waiting deliveries of the event can still be sent for at most 24
/// hours after the mark, measured by the steady clock.
const WAITS_MAX: chrono::TimeDelta = chrono::TimeDelta::hours(24);

/// The stage that removes the index rows of erased contacts whose records could not be decoded.
const LISTED: u8 = 6;
/// The stage that cleans the bookings of other contacts. In such a booking, a customer may have entered the phone
/// number or the email address of an erased contact.
const ENTERED: u8 = 7;
/// The stage that reads the stored responses again. The numbers of the stages are stored, so they must not change. If a
/// later version of the service adds a stage, for example for a new kind of record, this stage gets a greater number.
const REMEMBERED_AGAIN: u8 = 8;

macro_rules! declare {
    (
        exported { $($_kind:ident($record:ident) $_word:literal $([$($mark:tt)+])* { $($_facts:tt)* })* }
        others { $($other:ident $([$($other_mark:tt)+])* { $($_other_facts:tt)* })* }
    ) => {
        const STAGES: u8 = {
            let mut last = REMEMBERED_AGAIN;
            $(declare! { @last last $([$($mark)+])* })*
            $(declare! { @last last $([$($other_mark)+])* })*
            last + 1
        };

        /// Cleans the next records of the current stage. Each kind of record has its own stage.
        fn clean_personal(step: &mut Cleaning<'_>) -> Result<bool, StoreError> {
            $(declare! { @clean step (domain::$record) $([$($mark)+])* })*
            $(declare! { @clean step ($other) $([$($other_mark)+])* })*
            Ok(true)
        }
    };
    (@last $last:ident [personal $stage:literal] $($_marks:tt)*) => {
        if $stage > $last {
            $last = $stage;
        }
    };
    (@last $last:ident $_mark:tt $($marks:tt)*) => { declare! { @last $last $($marks)* } };
    (@last $last:ident) => {};
    (@clean $step:ident ($record:ty) [personal $stage:literal] $($_marks:tt)*) => {
        if $step.stage == $stage {
            return $step.personal::<$record>();
        }
    };
    (@clean $step:ident $record:tt $_mark:tt $($marks:tt)*) => {
        declare! { @clean $step $record $($marks)* }
    };
    (@clean $step:ident $record:tt) => {};
}
kept::each_kind!(declare);

#[derive(Debug)]
pub(super) struct Erasing {
    /// The newest erasure of this run. A record with a greater id was created after the erased contacts were deleted,
    /// so it contains none of their data.
    newest: ErasureId,
    theirs: ErasedContacts,
    stage: u8,
    at: Option<Key>,
    unwritten: u32,
}

/// Makes the next step, which is empty if no erasure is pending. Changed records get the stamp `now`.
pub(super) fn step(state: &mut State, now: Timestamp) -> Result<Step, StoreError> {
    let erasing = match state.jobs.erasing.take() {
        Some(erasing) => Some(erasing),
        None => begun(state)?,
    };
    let Some(mut erasing) = erasing else { return Ok(Step::default()) };
    let mut step = Cleaning {
        state,
        erasing: &erasing,
        now,
        stage: erasing.stage,
        at: erasing.at,
        looked_at: 0,
        bytes: 0,
        rows: Batch::default(),
        made: Step { more: true, ..Step::default() },
    };
    while step.stage < STAGES && step.look()? {
        (step.stage, step.at) = (step.stage + 1, None);
    }
    let is_through = step.stage >= STAGES;
    let Cleaning { stage, at, mut rows, mut made, .. } = step;
    (erasing.stage, erasing.at) = (stage, at);
    erasing.unwritten += 1;
    if is_through {
        for contact in &erasing.theirs.contacts {
            rows.delete(keys::erasure(state.id, *contact));
        }
        rows.delete(keys::erasing(state.id));
    } else {
        if !made.writes.is_empty() || !rows.is_empty() || erasing.unwritten > UNWRITTEN_MAX {
            let at = erasing.at.map_or_else(Vec::new, |at| at.to_vec());
            let record = ErasingRecord { newest: erasing.newest, stage, at };
            rows.put(keys::erasing(state.id), record.encode());
            erasing.unwritten = 0;
        }
        state.jobs.erasing = Some(erasing);
    }
    if !rows.is_empty() {
        made.writes.push(Write::Rows(rows));
    }
    Ok(made)
}

/// Loads the pending erasures and their progress. An interrupted run continues with the same erasures.
fn begun(state: &State) -> Result<Option<Erasing>, StoreError> {
    // If the progress row cannot be decoded, the run starts again.
    let at = keys::erasing(state.id);
    let under_way = state.find::<ErasingRecord>(&at)?;
    let upto = under_way.as_ref().map(|record| record.newest);
    let mut erasing = Erasing {
        newest: upto.unwrap_or_else(|| uuid::Uuid::nil().into()),
        theirs: ErasedContacts::default(),
        stage: under_way.as_ref().map_or(0, |record| record.stage),
        at: under_way.filter(|record| !record.at.is_empty()).map(|record| Key::new(&record.at)),
        unwritten: 0,
    };
    let erasures = keys::of_kind(state.id, kind::ERASURE);
    for row in state.store.records::<ErasureRecord>(&erasures, Order::Ascending) {
        let (key, erasure) = row?;
        if upto.is_some_and(|upto| erasure.id > upto) {
            continue;
        }
        erasing.newest = erasing.newest.max(erasure.id);
        erasing.theirs.add(keys::id_at_end(&key)?, Some(&erasure));
        if erasing.theirs.contacts.len() == TOGETHER_MAX {
            break;
        }
    }
    Ok((upto.is_some() || !erasing.theirs.is_empty()).then_some(erasing))
}

struct Cleaning<'a> {
    state: &'a State,
    erasing: &'a Erasing,
    now: Timestamp,
    stage: u8,
    at: Option<Key>,
    looked_at: usize,
    bytes: usize,
    rows: Batch,
    made: Step,
}

impl Cleaning<'_> {
    /// Reads the next rows of the current stage. Returns true at the end of the stage. The numbers of the stages are
    /// stored, so they must not change.
    fn look(&mut self) -> Result<bool, StoreError> {
        match self.stage {
            // The first stage cleans the stored responses, because the response to a repeated request is a stored
            // response. The stage [`ENTERED`] cleans the bookings of other contacts. Until that stage is
            // complete, a new response about such a booking can contain erased data, and this response is stored. So a
            // later stage cleans the stored responses again.
            0 | REMEMBERED_AGAIN => self.remembered(),
            1 => self.audit(),
            4 => self.appointments(),
            5 => self.events(),
            LISTED => self.listed(),
            ENTERED => self.entered(),
            _ => clean_personal(self),
        }
    }

    /// Calls `look` with the next rows of a range, until `look` returns false. Returns true if the stage is done with
    /// the range, and false if the step has reached its bounds.
    fn each(
        &mut self,
        range: KeyRange,
        order: Order,
        mut look: impl FnMut(&mut Self, Key, &[u8]) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        let range = match (self.at, order) {
            (None, _) => range,
            (Some(at), Order::Ascending) => range.after(at),
            (Some(at), Order::Descending) => range.before(at),
        };
        let state = self.state;
        for row in state.store.scan(&range, order) {
            if self.looked_at >= ROWS_MAX || self.bytes >= BYTES_MAX || self.rows.bytes() >= BYTES_MAX {
                return Ok(false);
            }
            let (key, value) = row?;
            let key = Key::new(&key);
            self.looked_at += 1;
            self.bytes += value.len();
            // If a newer value was submitted but is not durable yet, this newer value is used.
            let goes_on = match state.overlay.get(&key) {
                Some(Some(newer)) => look(self, key, newer)?,
                Some(None) => true,
                None => look(self, key, &value)?,
            };
            if !goes_on {
                return Ok(true);
            }
            self.at = Some(key);
        }
        Ok(true)
    }

    fn is_older(&self, id: impl ResourceId) -> bool {
        id.uuid() < self.erasing.newest.uuid()
    }

    fn audit(&mut self) -> Result<bool, StoreError> {
        let of = self.state.id;
        let mut range = keys::of_kind(of, kind::AUDIT);
        // Entries that are older than the oldest of the erased contacts cannot name any of them.
        if let Some(first) = self.erasing.theirs.contacts.first() {
            range = range.starting_at(keys::audit(of, AuditId::from(first.uuid())));
        }
        self.each(range, Order::Ascending, |step, key, value| {
            if !step.is_older(keys::id_at_end::<AuditId>(&key)?) {
                return Ok(false);
            }
            let Some(mut record) = step.state.store.find_in::<AuditRecord>(&key, value)? else {
                return Ok(true);
            };
            let entry = &mut record.entry;
            let theirs = entry.resource_type == AuditedKind::Contact
                && step.erasing.theirs.is_erased(Some(entry.resource_id.into()));
            if theirs && !entry.changes.is_empty() {
                entry.changes.clear();
                step.rows.put_over(key, record.encode(), value.len());
            }
            Ok(true)
        })
    }

    /// Cleans the next records of a kind. Messages are cleaned before calls. If a message has no contact, its call
    /// shows whether the message belongs to an erased contact. After the call is cleaned, it may no longer show this.
    fn personal<R: Personal + Kept>(&mut self) -> Result<bool, StoreError> {
        let of = self.state.id;
        self.each(keys::of_kind(of, R::KIND), Order::Ascending, |step, key, value| {
            if !step.is_older(keys::id_at_end::<AuditId>(&key)?) {
                return Ok(false);
            }
            let Some(before) = step.state.store.find_in::<R>(&key, value)? else { return Ok(true) };
            let theirs = &step.erasing.theirs;
            let Some(mut after) = before.without(theirs, |call| step.is_their_call(call))? else {
                return Ok(true);
            };
            if after != before {
                before.forget_with(step.state, &mut step.rows)?;
                step.made.count::<R>();
                after.change(step.now);
                step.made.writes.push(Write::put(of, Some(&before), &after));
            }
            Ok(true)
        })
    }

    fn is_their_call(&self, call: CallId) -> Result<bool, StoreError> {
        let key = keys::call(self.state.id, call);
        let Some(value) = self.state.read_raw(&key)? else { return Ok(false) };
        let call = self.state.store.find_in::<CallRecord>(&key, &value)?;
        Ok(call.is_some_and(|call| self.erasing.theirs.is_their_call(&call)))
    }

    /// Cleans the appointments of the erased contacts. This removes the appointments from the index by contact.
    fn appointments(&mut self) -> Result<bool, StoreError> {
        let of = self.state.id;
        let from: Option<ContactId> = self.at.and_then(|at| keys::id_at_end(at.get(17..33)?).ok());
        let contacts = self.erasing.theirs.contacts.iter();
        for contact in contacts.filter(|contact| from.is_none_or(|from| **contact >= from)) {
            let range = keys::appointments_of_contact(of, *contact);
            self.at = None; // cleaned appointments have left the index
            let is_through = self.each(range, Order::Ascending, |step, key, _| {
                let id = keys::id_at_end::<AppointmentId>(&key)?;
                let before = step.state.store.usable(&key, step.state.appointment(id))?.flatten();
                if let Some(before) = before.filter(|before| before.contact_id == Some(*contact)) {
                    step.made.count::<Appointment>();
                    let mut after = before.erased();
                    after.updated_at = step.now;
                    step.made.writes.push(Write::Appointment { before: Some(before), after });
                }
                Ok(true)
            })?;
            if !is_through {
                self.at.get_or_insert(range.from);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn events(&mut self) -> Result<bool, StoreError> {
        let of = self.state.id;
        let until = self.state.clocks.steady() + WAITS_MAX;
        self.each(keys::of_kind(of, kind::EVENT), Order::Ascending, |step, key, value| {
            let id = keys::id_at_end::<EventId>(&key)?;
            if !step.is_older(id) {
                return Ok(false);
            }
            // An undecodable event may contain data of the contacts, so it is wiped too.
            let tells = match Resource::of_event(value) {
                Ok(resource) => step.tells_of_them(&resource, id.uuid())?,
                Err(_) => true,
            };
            if tells {
                step.rows.put(keys::wipe(of, id), WipeRecord { until }.encode());
            }
            Ok(true)
        })
    }

    /// Deletes the remaining index rows of erased contacts. If the record of a contact could not be decoded, the keys
    /// of the contact's index rows are unknown. So this stage reads all rows of the contact indexes.
    fn listed(&mut self) -> Result<bool, StoreError> {
        if !self.erasing.theirs.may_be_listed() {
            return Ok(true);
        }
        let from = keys::of_kind(self.state.id, kind::CONTACT_BY_PHONE).from;
        let upto = keys::of_kind(self.state.id, kind::CONTACT_BY_UPDATE).to;
        self.each(KeyRange { from, to: upto }, Order::Ascending, |step, key, value| {
            let by_update = keys::kind_of(&key)? == kind::CONTACT_BY_UPDATE;
            let of_whom = keys::id_at_end::<ContactId>(if by_update { &key } else { value });
            if step.erasing.theirs.is_erased(step.state.store.usable(&key, of_whom)?) {
                step.rows.delete(key);
            }
            Ok(true)
        })
    }

    /// Customers may have entered the phone number or email address of an erased contact in bookings of other
    /// contacts. Removes this data from the bookings. Reads the appointments in the order of their ids: if an
    /// appointment is moved to another time, its key changes, but its id stays the same.
    fn entered(&mut self) -> Result<bool, StoreError> {
        let of = self.state.id;
        self.each(keys::of_kind(of, kind::APPOINTMENT_START), Order::Ascending, |step, key, _| {
            let id = keys::id_at_end::<AppointmentId>(&key)?;
            if !step.is_older(id) {
                return Ok(false);
            }
            let before = step.state.store.usable(&key, step.state.appointment(id))?.flatten();
            // The contacts' own appointments are skipped, because an earlier stage has cleaned them, perhaps
            // in this step.
            let theirs = &step.erasing.theirs;
            let Some(before) = before.filter(|it| !theirs.is_erased(it.contact_id)) else { return Ok(true) };
            let Some(after) = before.without(theirs, |_| Ok(false))? else { return Ok(true) };
            let email = |it: &Appointment| it.booked_as.as_ref().and_then(|entered| entered.email.clone());
            if let Some(email) = email(&before).filter(|_| email(&after).is_none()) {
                forget_address(step.state, id, &email, &mut step.rows)?;
            }
            step.made.count::<Appointment>();
            step.made.writes.push(Write::Appointment { before: Some(before), after });
            Ok(true)
        })
    }

    /// Empties stored responses that contain data of the contacts. A repeated request then gets the current resource.
    /// During the scan, another job may move rows from future days to today. The scan reads the latest day first, so it
    /// does not miss a moved row.
    fn remembered(&mut self) -> Result<bool, StoreError> {
        let range = keys::of_kind(self.state.id, kind::IDEMPOTENCY);
        self.each(range, Order::Descending, |step, key, value| {
            let Some(record) = step.state.store.find_in::<IdempotencyRecord>(&key, value)? else {
                return Ok(true);
            };
            if let Some(resource) = Resource::of_answer(&record.body)
                && step.tells_of_them(&resource, uuid::Uuid::nil())?
            {
                let shows = Some(resource.shown_anew());
                let record = IdempotencyRecord { body: Vec::new(), shows, ..record };
                step.rows.put_over(key, record.encode(), value.len());
            }
            Ok(true)
        })
    }

    /// True if a resource contains data of the contacts that are being erased. `in_id` is the id of the event that
    /// contains the resource, or nil for a stored response.
    fn tells_of_them(&self, shown: &Resource, in_id: uuid::Uuid) -> Result<bool, StoreError> {
        let theirs = &self.erasing.theirs;
        let mut identifiers = shown.entered().into_iter().chain([shown.phone()]);
        if theirs.is_erased(shown.contact_id()) || identifiers.any(|it| theirs.had(it, in_id)) {
            return Ok(true);
        }
        // `shown` may be an earlier state of a message, with data that the stored message no longer contains. In two
        // cases, the function assumes that `shown` contains data of an erased contact:
        // - The stored message has no body, because it has been cleaned.
        // - The stored message has no contact, and its call belongs to an erased contact.
        let ShownAnew::Message(message) = shown.shown_anew() else { return Ok(false) };
        let key = keys::message(self.state.id, message);
        let Some(value) = self.state.read_raw(&key)? else { return Ok(false) };
        let Some(now) = self.state.store.find_in::<TakenMessage>(&key, &value)? else { return Ok(false) };
        let is_of_their_call = || now.call_id.map_or(Ok(false), |call| self.is_their_call(call));
        Ok(now.body.is_empty() || now.contact_id.is_none() && is_of_their_call()?)
    }
}

/// The erasure row, and the row that lists the business as having an unfinished erasure.
pub(crate) fn row(
    of: domain::BusinessId,
    (id_of, contact): (ContactId, Option<&Contact>),
    id: ErasureId,
) -> Batch {
    let mut rows = Batch::default();
    let identifiers = contact.map(|it| (it.phone.as_deref(), it.email.as_deref())).unwrap_or_default();
    let [phone, email] = <[_; 2]>::from(identifiers).map(|it| it.map(keys::identifier_digest));
    rows.put(keys::erasure(of, id_of), ErasureRecord { id, phone, email, former: None }.encode());
    rows.put(keys::unfinished(of), Vec::new());
    rows
}
