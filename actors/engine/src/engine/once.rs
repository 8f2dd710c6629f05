//! Idempotency keys of requests that create, delete or import businesses. The responses are stored in rows of
//! the installation, because the business may be missing when a request is repeated.
//!
//! Invariant: two requests with the same key never run concurrently.

use domain::{BusinessId, Refusal};
use store::records::IdempotencyRecord;
use store::{Batch, Key, Order, StoreError, keys};

use crate::business::{Answer, Gives, Idempotency, days, kept, read_kept, remember};
use crate::error::{EngineError, Result};
use crate::shared::{OnceGuard, Shared};

const EXPIRED_PER_ANSWER: usize = 16;

/// A running request with an idempotency key. Other requests with the key are refused until this value is
/// dropped.
pub struct Once {
    _guard: OnceGuard,
    known: bool,
}

impl Once {
    pub(super) fn begin(shared: &Shared, key: [u8; 32]) -> Result<Self> {
        let guard = shared.begin_once(key)?;
        let known = match find(shared, Idempotency { key, fingerprint: [0; 32] }) {
            Err(EngineError::Refused(Refusal::IdempotencyKeyReused)) => true,
            found => found?.is_some(),
        };
        Ok(Self { _guard: guard, known })
    }

    pub fn is_known(&self) -> bool {
        self.known
    }

    pub(super) fn answered<G: Gives>(
        shared: &Shared,
        asked: Idempotency,
    ) -> Result<Option<Answer<G::Value>>> {
        let value = find(shared, asked)?.map(|record| read_kept::<G>(&record.body)).transpose()?;
        Ok(value.map(|value| Answer { value, replayed: true }))
    }

    /// Stores the response to a request. Also deletes some responses from before yesterday, so that expired responses
    /// do not accumulate.
    pub(super) fn remember<G: Gives>(
        shared: &Shared,
        asked: Idempotency,
        answer: &G::Value,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let now = shared.clocks.steady();
        let expired = keys::idempotency_before(BusinessId::INSTALLATION, now.day().saturating_sub(1));
        for row in shared.store.scan(&expired, Order::Ascending).take(EXPIRED_PER_ANSWER) {
            let (key, value) = row?;
            batch.delete_whole(Key::new(&key), value.len());
        }
        remember(BusinessId::INSTALLATION, now, asked, (G::STATUS, G::render(answer)), batch);
        Ok(())
    }
}

impl std::fmt::Debug for Once {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Once").field("known", &self.known).finish_non_exhaustive()
    }
}

fn find(shared: &Shared, asked: Idempotency) -> Result<Option<IdempotencyRecord>> {
    let now = shared.clocks.steady();
    let at = |day| keys::idempotency(BusinessId::INSTALLATION, day, &asked.key);
    let read = |day| shared.store.get::<IdempotencyRecord>(&at(day));
    Ok(kept(days(now), now, asked.fingerprint, read)?.map(|(_, record)| record))
}
