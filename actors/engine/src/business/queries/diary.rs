//! Reads the diary, the time off of staff members, and the history of a record.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use chrono::{NaiveDate, TimeDelta};
use domain::diary::Diary;
use domain::{AuditEntry, BlockedKey, BlockedTime, BlockedTimeId, ResourceId, Timestamp};
use store::{Order, Record, keys};
use uuid::Uuid;

use super::{PageRequest, collect};
use crate::business::BusinessHandle;
use crate::error::Result;

/// The maximum time by which the time in an audit entry's id can be ahead of the entry's timestamp. The two times
/// differ only if many ids are created at once.
const ID_AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);
const HISTORY_MAX: usize = 100;

#[derive(Clone, Debug)]
pub struct History {
    pub entries: Vec<AuditEntry>,
    /// False if the read ended early, so that entries may be missing. See [`BusinessHandle::history`].
    pub is_whole: bool,
}

impl BusinessHandle {
    pub async fn diary(&self, dates: RangeInclusive<NaiveDate>) -> Result<Diary> {
        self.ask(move |state, now| Ok(state.schedule(now).diary(dates))).await
    }

    pub async fn notes_of(&self, times: &[BlockedKey]) -> Result<HashMap<BlockedTimeId, String>> {
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

    /// Returns the audit entries of a record, newest first. If the read reaches the maximum number of rows per request,
    /// or `HISTORY_MAX` entries, it ends early. In this case, a second read adds the entries about the record's
    /// creation.
    pub async fn history(
        &self,
        of: impl ResourceId,
        (created_at, updated_at): (Timestamp, Timestamp),
    ) -> Result<History> {
        let of = of.uuid();
        let (mut entries, is_whole) = self.log_of(of, (created_at, updated_at)).await?;
        if !is_whole {
            let (first, _) = self.log_of(of, (created_at, created_at)).await?;
            let known: Vec<_> = entries.iter().map(|entry| entry.id).collect();
            entries.extend(first.into_iter().filter(|entry| !known.contains(&entry.id)));
        }
        Ok(History { entries, is_whole })
    }

    /// Returns the entries of a record between two instants, newest first. The second value is true if the
    /// whole range was read.
    async fn log_of(&self, of: Uuid, (from, to): (Timestamp, Timestamp)) -> Result<(Vec<AuditEntry>, bool)> {
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
