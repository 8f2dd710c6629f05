//! People whom tokens of sessions lead to, decoded once, in the manner of what keys open (`principals`).
//!
//! What always holds: a person that is given is never older than what was acknowledged before they were asked for. While
//! nothing was written in the store that lets anybody in, what was read before is still so.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use domain::{Person, PersonId, Timestamp};
use store::{Record, Store, StoreError, keys};

/// How many tokens are remembered; with more, all are forgotten and those in use come back.
const KNOWN_MAX: usize = 16_384;

/// A person, and the row that they were decoded from.
struct Read {
    row: Vec<u8>,
    /// The credentials' generation in which the rows were these.
    generation: AtomicU64,
    person: Arc<Person>,
}

/// The people that were asked for by a token, and the uses of sessions that are not written yet.
#[derive(Default)]
pub(crate) struct Known {
    read: DashMap<[u8; 32], Arc<Read>>,
    used: DashMap<[u8; 32], (PersonId, Timestamp)>,
}

impl Known {
    /// The person whom the token with this hash leads to, if there is one. Whether it is still good is not looked at.
    pub(crate) fn read(&self, store: &Store, hash: &[u8; 32]) -> Result<Option<Arc<Person>>, StoreError> {
        // Before anything is read: what is applied later makes the number another one before anyone is told of it.
        let generation = store.credentials_generation();
        let known = self.read.get(hash).map(|known| Arc::clone(&known));
        if let Some(known) =
            known.as_ref().filter(|known| known.generation.load(Ordering::Acquire) == generation)
        {
            return Ok(Some(Arc::clone(&known.person)));
        }
        let id = store.find_as(&keys::person_by_token(hash), keys::id_at_end::<PersonId>)?;
        let Some(id) = id else {
            self.read.remove(hash);
            return Ok(None);
        };
        // Between the two rows the token may have been taken back, and the person with it.
        let at = keys::person(id);
        let Some(row) = store.get_raw(&at)? else { return Ok(None) };
        if let Some(known) = known.filter(|known| known.row == row) {
            known.generation.fetch_max(generation, Ordering::AcqRel);
            return Ok(Some(Arc::clone(&known.person)));
        }
        // One that does not decode lets nobody in.
        let Some(person) = store.usable(&at, Person::decode(&row))?.map(Arc::new) else { return Ok(None) };
        if self.read.len() >= KNOWN_MAX {
            self.read.clear();
        }
        let read = Read { row, generation: generation.into(), person: Arc::clone(&person) };
        self.read.insert(*hash, Arc::new(read));
        Ok(Some(person))
    }

    /// Notes that a session was used, which is written later.
    pub(crate) fn note_use(&self, person: PersonId, hash: [u8; 32], now: Timestamp) {
        if self.used.len() < KNOWN_MAX {
            self.used.insert(hash, (person, now));
        }
    }

    /// The uses that were noted since this was last asked, in an order that does not depend on chance.
    pub(crate) fn take_uses(&self) -> Vec<(PersonId, [u8; 32], Timestamp)> {
        let mut uses = Vec::new();
        self.used.retain(|hash, (person, at)| {
            uses.push((*person, *hash, *at));
            false
        });
        uses.sort_unstable_by_key(|(person, hash, _)| (*person, *hash));
        uses
    }
}
