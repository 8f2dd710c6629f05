//! Reads a business as export records, as of a point in time.
//!
//! Invariants:
//!
//! - Records are ordered by kind and then by key, so equal stores give equal exports.
//! - A business is read in bounded steps, and its records are not kept in memory.
//! - The export omits a row that cannot be decoded. The store counts the row and sets it aside.
//! - The export counts the records of each kind. If a count differs from the recorded usage of the business, the export
//!   contains no `end` line for the business.
//! - An export contains no data of contacts who are being erased, and no contacts of an unfinished import.
//! - An export contains no open conversation. The messages of an open conversation are exported without the id of their
//!   call, because the call is saved only when the conversation ends.
//! - An export contains no merged contact. A record of a merged contact is exported with the id of the
//!   survivor, even if the record has not been moved yet.

use std::collections::BTreeMap;

use domain::{
    BudgetKind, Business, BusinessId, CallId, ContactId, Conversation, ConversationId, Retention,
    TakenMessage, Usage,
};
use store::keys::kind;
use store::records::ErasureRecord;
use store::{Key, KeyRange, Order, Rows, Store, StoreError, keys, record_at, whole_value};

use super::record::{Moved, MovedKind};
use crate::business::{ErasedContacts, Hidden};
use crate::counting::{Difference, Found, recorded_usage};

/// The maximum number of rows that a step reads.
const ROWS_PER_STEP: usize = 256;
/// A step ends when the rows that it has read have at least this total number of bytes.
const BYTES_PER_STEP: usize = 256 << 10;

/// The kinds of rows that an export reads before the first record.
const FIRST: [u8; 4] = [kind::ERASURE, kind::MERGING, kind::CONTACT_IMPORT, kind::AUDIT];

/// The export of one business. It contains the position up to which the business has been read.
pub struct Leaving {
    of: BusinessId,
    with_secrets: bool,
    business: Option<Business>,
    theirs: ErasedContacts,
    hidden: Hidden,
    /// Maps a merged contact to its survivor, while the records of the merged contact are being moved.
    survivors: BTreeMap<ContactId, ContactId>,
    /// The kinds whose rows have not all been read yet, in the order of the export.
    parts: &'static [MovedKind],
    /// The unread rows of the first kind in `parts`.
    left: KeyRange,
    records: u64,
    recorded: Option<Usage>,
    found: Found,
    ended: bool,
}

/// The kinds of all records except the business, in the order of the export.
const PARTS: &[MovedKind] = MovedKind::ALL.split_at(1).1;

/// The exported form of a record. The start of a retention period is omitted, because a new period begins
/// with the import.
fn leaving(moved: Moved) -> Moved {
    match moved {
        Moved::Retention(retention) => Moved::Retention(Retention { set: None, ..retention }),
        moved => moved,
    }
}

/// Removes the id of the call from a message if the call is not saved yet because its conversation is still open.
fn without_open_call(of: BusinessId, rows: &dyn Rows, moved: Moved) -> Result<Moved, StoreError> {
    let Moved::Message(TakenMessage { call_id: Some(call), .. }) = &moved else { return Ok(moved) };
    let key = keys::call(of, *call);
    if rows.get(&key)?.is_some() || !is_of_open_conversation(of, rows, *call)? {
        return Ok(moved);
    }
    Ok(match moved {
        Moved::Message(message) => Moved::Message(TakenMessage { call_id: None, ..message }),
        other => other,
    })
}

fn is_of_open_conversation(of: BusinessId, rows: &dyn Rows, call: CallId) -> Result<bool, StoreError> {
    for row in rows.scan(&keys::of_kind(of, kind::CONVERSATION_OPEN), Order::Ascending) {
        let id = keys::id_at_end::<ConversationId>(&row?.0)?;
        let conversation = record_at::<Conversation>(rows, &keys::conversation(of, id))?;
        if conversation.is_some_and(|conversation| conversation.call_id == Some(call)) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Leaving {
    /// Exports a business. If `with_secrets` is false, the webhook endpoints are omitted.
    pub fn of(business: Business, with_secrets: bool) -> Self {
        let of = business.id;
        let (business, parts, left) = (Some(business), PARTS, keys::of_kind(of, PARTS[0].rows()));
        Self {
            of,
            with_secrets,
            business,
            theirs: ErasedContacts::default(),
            hidden: Hidden::default(),
            survivors: BTreeMap::new(),
            parts,
            left,
            records: 0,
            recorded: None,
            found: Found::default(),
            ended: false,
        }
    }

    /// The kinds of rows that an export reads, except the profile.
    pub(crate) fn kinds() -> impl Iterator<Item = u8> {
        PARTS.iter().map(|kind| kind.rows()).chain(FIRST)
    }

    pub(crate) fn still_reads(&self, kind: u8) -> bool {
        let is_left = |kind: u8| self.parts.iter().any(|left| left.rows() == kind);
        match kind {
            kind if FIRST.contains(&kind) => self.business.is_some(),
            // The export of a message also reads the call to which the message refers. So calls are needed until all
            // messages are exported.
            kind::CALL => is_left(kind) || is_left(kind::MESSAGE),
            kind => is_left(kind),
        }
    }

    /// Returns the next records. The first record is the business, and the last is [`Moved::End`], which is omitted if
    /// there are [differences](Self::differences). After the last record, returns an empty list.
    pub fn next(&mut self, store: &Store, rows: &dyn Rows) -> Result<Vec<Moved>, StoreError> {
        if let Some(business) = self.business.take() {
            self.theirs = self.who_is_erased(store, rows)?;
            self.hidden = Hidden::read(rows, self.of)?;
            self.survivors = self.who_is_merged(rows)?;
            self.recorded = recorded_usage(rows, self.of)?;
            self.records = 1;
            return Ok(vec![Moved::Business(business)]);
        }
        while let Some(part) = self.parts.first() {
            let moved = self.step(store, rows, *part)?;
            self.records += moved.len() as u64;
            if !moved.is_empty() {
                return Ok(moved);
            }
        }
        let has_ended = std::mem::replace(&mut self.ended, true);
        Ok(if has_ended || !self.differences().is_empty() {
            Vec::new()
        } else {
            vec![Moved::End { records: self.records }]
        })
    }

    /// Reads the next rows of a kind. After the last row, continues with the next kind.
    fn step(&mut self, store: &Store, rows: &dyn Rows, kind: MovedKind) -> Result<Vec<Moved>, StoreError> {
        let (mut moved, mut bytes) = (Vec::new(), 0);
        let is_read = kind != MovedKind::Webhook || self.with_secrets;
        let wanted = is_read.then(|| rows.scan(&self.left, Order::Ascending));
        for (read, row) in (1..).zip(wanted.into_iter().flatten()) {
            let (key, row) = row?;
            self.left = self.left.after(Key::new(&key));
            let record = whole_value(rows, &key, row).and_then(|whole| {
                let whole = whole.ok_or_else(|| StoreError::damaged("record", "its pieces are missing"))?;
                bytes += whole.len();
                kind.decode(&whole).map(leaving)
            });
            let record = store.usable(&key, record)?;
            self.found.add(kind.rows(), record.is_some());
            if let Some(record) = record.filter(|record| !self.hides(record)) {
                let record = self.without_them(store, rows, without_open_call(self.of, rows, record)?)?;
                moved.push(self.of_survivor(record));
            }
            if read == ROWS_PER_STEP || bytes >= BYTES_PER_STEP {
                return Ok(moved);
            }
        }
        self.parts = &self.parts[1..];
        if let Some(kind) = self.parts.first() {
            self.left = keys::of_kind(self.of, kind.rows());
        }
        Ok(moved)
    }

    fn who_is_erased(&self, store: &Store, rows: &dyn Rows) -> Result<ErasedContacts, StoreError> {
        let mut theirs = ErasedContacts::default();
        for row in rows.scan(&keys::of_kind(self.of, kind::ERASURE), Order::Ascending) {
            let (key, value) = row?;
            let erasure = store.find_in::<ErasureRecord>(&key, &value)?;
            theirs.add(keys::id_at_end(&key)?, erasure.as_ref());
        }
        Ok(theirs)
    }

    fn hides(&self, moved: &Moved) -> bool {
        match moved {
            Moved::Contact(contact) => self.hidden.hides(contact.id),
            Moved::Conversation(conversation) => conversation.is_unfinished(),
            _ => false,
        }
    }

    fn who_is_merged(&self, rows: &dyn Rows) -> Result<BTreeMap<ContactId, ContactId>, StoreError> {
        let merging = rows.scan(&keys::of_kind(self.of, kind::MERGING), Order::Ascending);
        let merging = merging
            .map(|row| row.and_then(|(into, from)| Ok((keys::id_at_end(&from)?, keys::id_at_end(&into)?))));
        merging.collect()
    }

    fn of_survivor(&self, mut moved: Moved) -> Moved {
        if let Some(contact) = moved.contact() {
            *contact = contact.map(|id| self.survivors.get(&id).copied().unwrap_or(id));
        }
        moved
    }

    fn without_them(&self, store: &Store, rows: &dyn Rows, moved: Moved) -> Result<Moved, StoreError> {
        if self.theirs.is_empty() {
            return Ok(moved);
        }
        moved.without(&self.theirs, |call| {
            let key = keys::call(self.of, call);
            let call = store.usable(&key, record_at(rows, &key))?.flatten();
            Ok(call.is_some_and(|call| self.theirs.is_their_call(&call)))
        })
    }

    /// Returns the kinds whose recorded number differs from the number of records that were read. Returns nothing until
    /// the last record has been read. API keys are not exported, so they are not compared.
    pub fn differences(&self) -> Vec<Difference> {
        let differences = |recorded| self.found.differences(self.of, &recorded, Some(BudgetKind::Keys));
        self.recorded.filter(|_| self.parts.is_empty()).map(differences).unwrap_or_default()
    }
}
