//! A cache of people by session token, like the cache of API keys in `principals`.
//!
//! Invariant: a returned person is never older than the last change that was acknowledged before the call. A
//! cached person stays valid while no write changes any credential.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use domain::{Person, PersonId, Timestamp};
use store::{Store, StoreError, keys};

/// The maximum number of cached tokens. A full cache is cleared.
const KNOWN_MAX: usize = 16_384;

struct Read {
    row: Vec<u8>,
    /// The credentials' generation in which the row was read.
    generation: AtomicU64,
    person: Arc<Person>,
}

#[derive(Default)]
pub(crate) struct SessionCache {
    read: DashMap<[u8; 32], Arc<Read>>,
    used: DashMap<[u8; 32], (PersonId, Timestamp)>,
}

impl SessionCache {
    /// The person of this token hash. The caller checks whether the session is still valid.
    pub(crate) fn read(&self, store: &Store, hash: &[u8; 32]) -> Result<Option<Arc<Person>>, StoreError> {
        // The generation is read first, because the store increases it before it acknowledges a change.
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
        // The token and the person may be deleted between the two reads.
        let at = keys::person(id);
        let Some(row) = store.get_raw(&at)? else { return Ok(None) };
        if let Some(known) = known.filter(|known| known.row == row) {
            known.generation.fetch_max(generation, Ordering::AcqRel);
            return Ok(Some(Arc::clone(&known.person)));
        }
        // A person that does not decode cannot sign in.
        let Some(person) = store.find_in::<Person>(&at, &row)?.map(Arc::new) else { return Ok(None) };
        if self.read.len() >= KNOWN_MAX {
            self.read.clear();
        }
        let read = Read { row, generation: generation.into(), person: Arc::clone(&person) };
        self.read.insert(*hash, Arc::new(read));
        Ok(Some(person))
    }

    /// Notes the use of a session. A background job writes it later.
    pub(crate) fn note_use(&self, person: PersonId, hash: [u8; 32], now: Timestamp) {
        if self.used.len() < KNOWN_MAX {
            self.used.insert(hash, (person, now));
        }
    }

    /// Takes the noted uses, in a deterministic order.
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
