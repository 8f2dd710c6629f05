//! Imports the contacts of a file. The import is one change, but it takes many batches.
//!
//! Invariants:
//! - The first batch writes a row with the id of the first new contact, and the last batch deletes the row.
//!   While the row exists, the contacts from this id on are *hidden*: readers skip them ([`Hidden`]).
//! - The actor handles no other message during an import. Therefore no record refers to a hidden contact, and
//!   every other contact has a smaller id.
//! - After an interruption, the actor deletes the hidden contacts when it loads the business.
//! - An audit entry normally contains the usage of the business (the numbers of rows and bytes). The batches with
//!   contacts change the usage, but write no audit entries. Therefore the audit entry of the first batch contains no
//!   usage, because it would soon be wrong. After an interruption, this entry is the newest one, so the actor counts
//!   the rows again.

use std::collections::HashSet;

use domain::{
    Amount, AuditAction, BudgetKind, BusinessId, Contact, ContactId, ContactRow, Email, Phone, ResourceId,
    Right, SkipReason, Timestamp,
};
use serde::de::Error as _;
use store::keys::kind;
use store::{Batch, Key, Order, Record, Rows, StoreError, Weight, keys};
use view::{ContactsImportedView, SkippedRowView};

use super::context::Context;
use super::decide::{CarriedOut, write};
use super::decision::Decision;
use super::handle::BusinessHandle;
use super::remembered::{given, read_kept};
use super::request::{Answer, Gives, Request};
use super::state::State;
use super::write::Write;
use super::{search_texts, usage};
use crate::business::Message;
use crate::error::Result;

/// After each group of this many rows of the file, the import lets other tasks run.
const ROWS_PER_TURN: usize = 128;
/// The maximum number of contacts in a batch, and the maximum number of bytes in their records and search
/// texts.
const CONTACTS_PER_BATCH: usize = search_texts::ROW_RECORDS_MAX;
const CONTACT_BYTES_PER_BATCH: usize = 128 << 10;
/// When the import has submitted batches of this total size, it waits until they are durable.
const IN_FLIGHT_BYTES_MAX: usize = 1 << 20;

/// Creates a contact for each row. A row is skipped if a contact of the business, or an earlier row that is not
/// skipped, has the same phone number or email address. The import creates no webhook events.
#[derive(Debug)]
pub struct ImportContacts {
    pub rows: Vec<ContactRow>,
    /// If true, the import computes its answer but writes nothing.
    pub dry_run: bool,
}

/// The answer to an import. It is stored in a short encoding, because a file can have many skipped rows.
#[derive(Debug)]
pub struct ContactsImported;

impl Gives for ContactsImported {
    const STATUS: u16 = 200;
    type Value = ContactsImportedView;

    fn render(value: &ContactsImportedView) -> Vec<u8> {
        let skipped: Vec<_> = value.skipped.iter().map(|row| (row.line, row.reason as u8)).collect();
        view::render(&(value.created, skipped))
    }

    fn read(bytes: &[u8]) -> serde_json::Result<ContactsImportedView> {
        let (created, skipped): (u64, Vec<(u64, u8)>) = serde_json::from_slice(bytes)?;
        let row = |(line, number): (u64, u8)| {
            let reason = SkipReason::ALL.get(usize::from(number)).copied();
            let unknown = || serde_json::Error::custom(format_args!("the reason {number} is not known"));
            Ok(SkippedRowView { line, reason: reason.ok_or_else(unknown)? })
        };
        Ok(ContactsImportedView {
            created,
            skipped: skipped.into_iter().map(row).collect::<serde_json::Result<_>>()?,
        })
    }
}

/// The contacts that an unfinished import hides: the contacts with this id or a greater id. If the id is `None`, no
/// contact is hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hidden(Option<ContactId>);

impl Hidden {
    pub(crate) fn read(rows: &dyn Rows, of: BusinessId) -> Result<Self, StoreError> {
        rows.get(&keys::contact_import(of))?.map(|id| keys::id_at_end(&id)).transpose().map(Self)
    }

    pub(crate) fn hides(self, id: ContactId) -> bool {
        self.0.is_some_and(|first| id >= first)
    }
}

impl BusinessHandle {
    /// Imports contacts. Returns the answer when all contacts are durable. Dropping the future does not undo the
    /// import. After [`crate::EngineError::Failed`], either all contacts are imported or none.
    pub async fn import_contacts(
        &self,
        request: Request,
        import: ImportContacts,
    ) -> Result<Answer<ContactsImportedView>> {
        self.call(|reply| Message::ImportContacts(Box::new((request, import, reply)))).await
    }
}

pub(super) async fn import(
    state: &mut State,
    request: &Request,
    import: ImportContacts,
    now: Timestamp,
) -> Result<CarriedOut<ContactsImportedView>> {
    if let Some(kept) = given(state, request, ContactsImported::STATUS, Some(Right::Data))? {
        let answer = Answer { value: read_kept::<ContactsImported>(&kept)?, replayed: true };
        return Ok(CarriedOut { batch: Batch::default(), answer, effects: Vec::new() });
    }
    let ImportContacts { rows, dry_run } = import;
    if !dry_run {
        state.store.check_room(Weight::Grows)?;
    }
    let (contacts, skipped) = new_contacts(state, request, rows, now).await?;
    let mut usage = state.budget.usage;
    for contact in &contacts {
        usage.add(BudgetKind::Contacts, Amount::row(contact.encode().len()));
    }
    state.budget.check(&usage)?;
    let created = contacts.len() as u64;
    let value = ContactsImportedView { created, skipped };
    if dry_run {
        let answer = Answer { value, replayed: false };
        return Ok(CarriedOut { batch: Batch::default(), answer, effects: Vec::new() });
    }
    let (at, of) = (state.stamps.at(now), state.id);
    let mut last = Batch::default();
    if let (Some(first), Some(newest)) = (contacts.first(), contacts.last()) {
        // The ids of the contacts were made with a copy of `state.mint`. `state.mint` itself must now continue after
        // the newest contact, so that the audit entries of the import get greater ids than the contacts.
        state.mint = domain::IdMint::after(newest.id);
        last.delete(keys::contact_import(of));
        begin(state, request, first.id, at)?;
        let written = write_contacts(state, &contacts).await;
        state.budget.is_importing = false;
        if let Err(error) = written {
            if !state.store.failed() {
                // If the roll-back fails too, the actor ends. The next start of the actor deletes the contacts.
                let _ = roll_back(state).await;
            }
            return Err(error);
        }
    }
    let decision = Decision::<ContactsImported>::answering(value).write(Write::Rows(last));
    let decision = decision.note(AuditAction::ContactsImported, of);
    let decision = decision.counted(created);
    let (decided, value, kept) = decision.into_parts(request.idempotency.is_some());
    let kept = kept.map(|kept| (ContactsImported::STATUS, kept));
    let (batch, effects) = write(state, request, decided, kept, at)?;
    Ok(CarriedOut { batch, answer: Answer { value, replayed: false }, effects })
}

/// The new contacts, in the order of the rows, and the skipped rows.
async fn new_contacts(
    state: &mut State,
    request: &Request,
    rows: Vec<ContactRow>,
    now: Timestamp,
) -> Result<(Vec<Contact>, Vec<SkippedRowView>)> {
    let at = state.stamps.at(now);
    let (mut contacts, mut skipped) = (Vec::new(), Vec::new());
    let (mut phones, mut emails) = (HashSet::<Phone>::new(), HashSet::<Email>::new());
    let mut mint = state.mint.clone();
    for (number, row) in rows.into_iter().enumerate() {
        if number % ROWS_PER_TURN == ROWS_PER_TURN - 1 {
            tokio::task::yield_now().await;
        }
        let (phone, email) = (&row.details.phone, &row.details.email);
        let reason = match existing(&Context::new(state, request, now), &row)? {
            Some(reason) => Some(reason),
            None if phone.as_ref().is_some_and(|phone| phones.contains(phone)) => {
                Some(SkipReason::PhoneRepeated)
            }
            None => email
                .as_ref()
                .is_some_and(|email| emails.contains(email))
                .then_some(SkipReason::EmailRepeated),
        };
        if let Some(reason) = reason {
            skipped.push(SkippedRowView { line: row.line, reason });
            continue;
        }
        phones.extend(phone.clone());
        emails.extend(email.clone());
        contacts.push(row.into_contact(mint.next(at, state.ports.random_bytes()), at));
    }
    Ok((contacts, skipped))
}

fn existing(context: &Context<'_>, row: &ContactRow) -> Result<Option<SkipReason>, StoreError> {
    let of = context.state.id;
    let phone = row.details.phone.as_ref().map(|phone| keys::contact_by_phone(of, phone));
    let email = row.details.email.as_ref().map(|email| keys::contact_by_email(of, email));
    for (key, reason) in [(phone, SkipReason::PhoneExists), (email, SkipReason::EmailExists)] {
        if let Some(key) = key
            && context.contact_at(&key)?.is_some()
        {
            return Ok(Some(reason));
        }
    }
    Ok(None)
}

/// Submits the first batch of an import. The batch writes the row that hides all contacts from the id `first` on.
fn begin(state: &mut State, request: &Request, first: ContactId, at: Timestamp) -> Result<()> {
    let mut rows = Batch::default();
    rows.put(keys::contact_import(state.id), first.uuid().as_bytes().to_vec());
    state.budget.is_importing = true;
    let decision = Decision::<super::Removed>::gone().write(Write::Rows(rows));
    let decision = decision.note(AuditAction::ContactsImportBegun, state.id);
    let (decided, (), _) = decision.into_parts(false);
    let written = write(state, request, decided, None, at);
    state.budget.is_importing = written.is_ok();
    state.submit(written?.0, Box::new(|| ()));
    Ok(())
}

async fn write_contacts(state: &mut State, mut contacts: &[Contact]) -> Result<()> {
    let mut in_flight = 0;
    while !contacts.is_empty() {
        let (part, later) = contacts.split_at(part_len(contacts));
        contacts = later;
        let writes: Vec<_> =
            part.iter().map(|contact| Write::Contact { before: None, after: contact.clone() }).collect();
        let batch = encoded(state, &writes)?;
        in_flight += batch.bytes();
        state.submit(batch, Box::new(|| ()));
        if in_flight >= IN_FLIGHT_BYTES_MAX {
            in_flight = 0;
            wait_durable(state).await?;
            state.store.check_room(Weight::Grows)?;
        }
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// The number of contacts for the next batch, at least one.
fn part_len(contacts: &[Contact]) -> usize {
    let mut bytes = 0;
    let fits = contacts.iter().take(CONTACTS_PER_BATCH).take_while(|contact| {
        let is_first = bytes == 0;
        bytes += contact.encode().len() + contact.search_text().len();
        is_first || bytes <= CONTACT_BYTES_PER_BATCH
    });
    fits.count()
}

/// Encodes the rows of contacts. Updates the usage of the business.
fn encoded(state: &mut State, writes: &[Write]) -> Result<Batch, StoreError> {
    let (mut batch, mut usage) = (Batch::default(), state.budget.usage);
    for write in writes {
        let from = batch.len();
        write.encode(state.id, &mut batch);
        usage::count(state, write, (&batch, from), &mut usage)?;
    }
    search_texts::index(state, writes, &mut batch)?;
    state.budget.usage = usage;
    Ok(batch)
}

async fn wait_durable(state: &mut State) -> Result<(), StoreError> {
    state.store.wait_durable(state.id).await?;
    state.overlay.drop_durable(state.store.synced_through(state.id));
    Ok(())
}

/// True if an import was interrupted before its last batch, and the actor has not yet deleted the contacts of this
/// import.
pub(super) fn is_unfinished(state: &State) -> Result<bool, StoreError> {
    Ok(state.read_raw(&keys::contact_import(state.id))?.is_some())
}

/// Deletes the contacts of an import that was interrupted, if there is one.
pub(super) async fn roll_back(state: &mut State) -> Result<(), StoreError> {
    wait_durable(state).await?;
    let (of, row) = (state.id, keys::contact_import(state.id));
    let Some(first) = state.store.get_raw(&row)? else { return Ok(()) };
    let Some(first) = state.store.usable(&row, keys::id_at_end::<ContactId>(&first))? else { return Ok(()) };
    let mut left = keys::of_kind(of, kind::CONTACT).starting_at(keys::contact(of, first));
    loop {
        let rows = state.store.scan(&left, Order::Ascending).take(CONTACTS_PER_BATCH);
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let Some((last, _)) = rows.last() else { break };
        left = left.after(Key::new(last));
        let mut writes = Vec::new();
        for (key, value) in &rows {
            // A row that cannot be decoded is never deleted.
            let contact = state.store.find_in::<Contact>(key, value)?;
            writes.extend(contact.map(|contact| Write::delete(of, &contact)));
        }
        let batch = encoded(state, &writes)?;
        state.submit(batch, Box::new(|| ()));
        wait_durable(state).await?;
    }
    let mut batch = Batch::default();
    batch.delete(row);
    state.submit(batch, Box::new(|| ()));
    wait_durable(state).await?;
    tracing::info!(business.id = %of, "the contacts of an interrupted import were deleted");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_answer_of_the_largest_import_fits_into_a_row() {
        let skipped = (0..20_000).map(|number| SkippedRowView {
            line: 10_000_000 + number,
            reason: SkipReason::ALL[number as usize % SkipReason::ALL.len()],
        });
        let value = ContactsImportedView { created: 20_000, skipped: skipped.collect() };
        let stored = ContactsImported::render(&value);
        assert!(stored.len() < 300 << 10, "{}", stored.len());
        assert_eq!(ContactsImported::read(&stored).unwrap(), value);
        assert!(ContactsImported::read(b"[1,[[2,9]]]").is_err());
    }
}
