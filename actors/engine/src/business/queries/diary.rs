//! Reading what stands in the diary beside appointments, and what was done with one record.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use chrono::{NaiveDate, TimeDelta};
use domain::diary::Diary;
use domain::{AuditEntry, BlockedKey, BlockedTime, BlockedTimeId, ResourceId, Timestamp};
use store::{Order, Record, keys};
use uuid::Uuid;

use super::{PageRequest, collect};
use crate::business::BusinessHandle;
use crate::error::EngineError;

/// How far behind its instant the id of an entry of the log may lie, where many ids were minted at once.
const ID_AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);
/// How many entries of one record are given.
const HISTORY_MAX: usize = 100;

/// What was done with a record.
#[derive(Clone, Debug)]
pub struct History {
    /// The entries of the log that tell of it, newest first.
    pub entries: Vec<AuditEntry>,
    /// Whether those are all; of a record whose changes lie far apart the ones in between may be left out.
    pub is_whole: bool,
}

impl BusinessHandle {
    /// The diary of these dates, both included.
    ///
    /// # Errors
    /// The engine's failure.
    pub async fn diary(&self, dates: RangeInclusive<NaiveDate>) -> Result<Diary, EngineError> {
        self.ask(move |state, now| Ok(state.schedule(now).diary(dates))).await
    }

    /// What these times off are for, as far as somebody has said.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn notes_of(
        &self,
        times: &[BlockedKey],
    ) -> Result<HashMap<BlockedTimeId, String>, EngineError> {
        self.read(|store| {
            let mut notes = HashMap::new();
            for key in times {
                let row = keys::blocked_time(self.id, *key);
                let time = store.find::<BlockedTime>(&row)?;
                notes.extend(time.and_then(|time| time.note).map(|note| (key.id, note)));
            }
            Ok(notes)
        })
        .await
    }

    /// What was done with a record that was created and last changed at these instants. The log is looked through from
    /// its newest change back, as far as one request reads, and then where it was created.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn history(
        &self,
        of: impl ResourceId,
        (created_at, updated_at): (Timestamp, Timestamp),
    ) -> Result<History, EngineError> {
        let of = of.uuid();
        let (mut entries, is_whole) = self.told_of(of, (created_at, updated_at)).await?;
        if !is_whole {
            let (first, _) = self.told_of(of, (created_at, created_at)).await?;
            let known: Vec<_> = entries.iter().map(|entry| entry.id).collect();
            entries.extend(first.into_iter().filter(|entry| !known.contains(&entry.id)));
        }
        Ok(History { entries, is_whole })
    }

    /// The entries that tell of a record, of those made between two instants, newest first; and whether it was looked
    /// through to its end.
    async fn told_of(
        &self,
        of: Uuid,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<(Vec<AuditEntry>, bool), EngineError> {
        let range = keys::audit_within(self.id, Some(from), Some(to + ID_AHEAD_MAX));
        let page = PageRequest { limit: HISTORY_MAX, after: None };
        let found = self
            .list(&page, move |reader, page| {
                collect(reader, range, Order::Descending, page, |_, value| {
                    let entry = AuditEntry::decode(value)?;
                    Ok((entry.resource_id == of).then_some(entry))
                })
            })
            .await?;
        Ok((found.items, found.next.is_none()))
    }
}
