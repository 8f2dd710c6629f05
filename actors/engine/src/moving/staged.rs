//! The rows of an import that are not durable yet. The import reads these rows when it checks later records.

use std::collections::HashMap;

use domain::{Amount, Budget, BudgetKind, BusinessId, Problem, Refusal, Usage};
use store::{Batch, BulkWriter, Key, Store, StoreError, Weight, kept, keys};

use crate::business::Write;
use crate::error::EngineError;

const CHANGE_BYTES: usize = 32 << 10;

pub(super) struct Staged {
    store: Store,
    of: BusinessId,
    writer: BulkWriter,
    batch: Batch,
    recent: HashMap<Key, Vec<u8>>,
    pub(super) usage: Usage,
}

impl Staged {
    pub(super) fn new(store: Store, of: BusinessId) -> Self {
        let (writer, recent) = (BulkWriter::new(&store, of), HashMap::new());
        Self { store, of, writer, batch: Batch::default(), recent, usage: Usage::default() }
    }

    /// Writes a record with its index rows. If the business would exceed its budget, writes nothing and returns the
    /// problems.
    pub(super) async fn write(&mut self, write: &Write) -> Result<Vec<Problem>, EngineError> {
        let mut batch = Batch::default();
        write.encode(self.of, &mut batch);
        for (key, value) in batch.writes() {
            let (Some(kind), Some(value)) = (counted(key)?, value) else { continue };
            let (budget, used) = (Budget::default(), self.usage.of(kind));
            if let Err(Refusal::Conflict { details, .. }) =
                budget.check(kind, used, Amount::row(value.len()), "")
            {
                return Ok(details);
            }
        }
        self.add(batch).await?;
        Ok(Vec::new())
    }

    pub(super) async fn put(&mut self, key: Key, value: Vec<u8>) -> Result<(), EngineError> {
        let mut batch = Batch::default();
        batch.put(key, value);
        self.add(batch).await
    }

    pub(super) async fn add(&mut self, batch: Batch) -> Result<(), EngineError> {
        for (key, value) in batch.writes() {
            let Some(value) = value else { continue };
            if let Some(kind) = counted(key)? {
                self.usage.add(kind, Amount::row(value.len()));
            }
            // The import later reads only the values of index rows, and these values are short. If a row has a longer
            // value, only the key of the row is kept in memory.
            let kept = if value.len() <= 16 { value.to_vec() } else { Vec::new() };
            self.recent.insert(*key, kept);
        }
        self.batch.append(batch);
        if self.batch.bytes() >= CHANGE_BYTES {
            self.hand_over().await?;
        }
        Ok(())
    }

    pub(super) fn has(&self, key: Key) -> Result<bool, StoreError> {
        Ok(self.recent.contains_key(&key) || self.store.contains(&key)?)
    }

    /// Returns the value of an index row. Such values are short, so the import keeps them in memory until they are
    /// durable.
    pub(super) fn short(&self, key: Key) -> Result<Option<Vec<u8>>, StoreError> {
        match self.recent.get(&key) {
            Some(value) => Ok(Some(value.clone())),
            None => self.store.get_raw(&key),
        }
    }

    async fn hand_over(&mut self) -> Result<(), EngineError> {
        self.store.check_room(Weight::Grows)?;
        if self.writer.write(std::mem::take(&mut self.batch)).await? {
            self.recent.clear();
        }
        Ok(())
    }

    pub(super) async fn wait_durable(&mut self) -> Result<(), EngineError> {
        self.hand_over().await?;
        self.writer.wait_durable().await?;
        self.recent.clear();
        Ok(())
    }
}

fn counted(key: &Key) -> Result<Option<BudgetKind>, StoreError> {
    let kind = keys::kind_of(key)?;
    let budget = kept::counted(kind).map(|(_, counted)| counted.budget);
    Ok(budget.filter(|_| !key.starts_with(&[0; 16])))
}
