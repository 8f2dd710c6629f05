//! Requests of the installation that shall happen once: those that create or end a business, and imports. What was answered
//! stands among the rows of the installation, for the business is not there yet, or no more, when it is looked for.
//!
//! What always holds: two of the same key are never carried out at once.

use domain::{BusinessId, Refusal};
use store::records::IdempotencyRecord;
use store::{Batch, Key, Order, StoreError, keys};

use crate::business::{Answer, Gives, Idempotency, days, kept, read_kept, remember};
use crate::error::EngineError;
use crate::shared::{OnceGuard, Shared};

/// How many remembered answers that have outlived their time are taken away with each that is added.
const OUTLIVED_PER_ANSWER: usize = 16;

/// A request that is being carried out: the same one again is refused until it has been.
pub struct Once {
    _guard: OnceGuard,
    known: bool,
}

impl Once {
    pub(super) fn begin(shared: &Shared, key: [u8; 32]) -> Result<Self, EngineError> {
        let guard = shared.begin_once(key)?;
        let known = match find(shared, Idempotency { key, fingerprint: [0; 32] }) {
            Err(EngineError::Refused(Refusal::IdempotencyKeyReused)) => true,
            found => found?.is_some(),
        };
        Ok(Self { _guard: guard, known })
    }

    /// Whether something was answered under the key already.
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// What was answered to such a request.
    pub(super) fn answered<G: Gives>(
        shared: &Shared,
        asked: Idempotency,
    ) -> Result<Option<Answer<G::Value>>, EngineError> {
        let value = find(shared, asked)?.map(|record| read_kept::<G>(&record.body)).transpose()?;
        Ok(value.map(|value| Answer { value, replayed: true }))
    }

    /// Adds what is answered to the batch, and takes away a few of those that no look-up reaches any more: so there are
    /// never many more than were made in two days.
    pub(super) fn remember<G: Gives>(
        shared: &Shared,
        asked: Idempotency,
        answer: &G::Value,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let now = shared.clocks.steady();
        let outlived = keys::idempotency_before(BusinessId::INSTALLATION, now.day().saturating_sub(1));
        for row in shared.store.scan(&outlived, Order::Ascending).take(OUTLIVED_PER_ANSWER) {
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

/// What is kept of such a request.
fn find(shared: &Shared, asked: Idempotency) -> Result<Option<IdempotencyRecord>, EngineError> {
    let now = shared.clocks.steady();
    let read = |day| shared.store.get::<IdempotencyRecord>(&of_installation(day, &asked));
    Ok(kept(days(now), now, asked.fingerprint, read)?.map(|(_, record)| record))
}

fn of_installation(day: u32, asked: &Idempotency) -> Key {
    keys::idempotency(BusinessId::INSTALLATION, day, &asked.key)
}
