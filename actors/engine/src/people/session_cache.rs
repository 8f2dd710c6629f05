//! A cache of people by session token, and the session uses that are not yet written to the store.

use std::sync::Arc;

use dashmap::DashMap;
use domain::{Person, PersonId, Timestamp};
use store::{Store, StoreError, keys};

use crate::credential_cache::{CACHED_MAX, CredentialCache};

#[derive(Default)]
pub(crate) struct SessionCache {
    people: CredentialCache<[u8; 32], (PersonId, Vec<u8>), Person>,
    used: DashMap<[u8; 32], (PersonId, Timestamp)>,
}

impl SessionCache {
    /// Returns the person who has a session or a link with this token hash. The caller must check whether the session
    /// or link is still valid.
    pub(crate) fn read(&self, store: &Store, hash: &[u8; 32]) -> Result<Option<Arc<Person>>, StoreError> {
        let read = || {
            let id = store.find_as(&keys::person_by_token(hash), keys::id_at_end::<PersonId>)?;
            let Some(id) = id else { return Ok(None) };
            Ok(store.get_raw(&keys::person(id))?.map(|row| (id, row)))
        };
        let decode = |(id, row): &(PersonId, Vec<u8>)| store.find_in::<Person>(&keys::person(*id), row);
        self.people.get((*hash, store), read, decode)
    }

    /// Records the use of a session. A background job writes the use later.
    pub(crate) fn note_use(&self, person: PersonId, hash: [u8; 32], now: Timestamp) {
        if self.used.len() < CACHED_MAX {
            self.used.insert(hash, (person, now));
        }
    }

    /// Removes and returns the recorded uses. The uses are sorted, so that simulations are reproducible.
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
