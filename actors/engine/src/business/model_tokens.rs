//! Counts the model tokens that a business uses in a local day. The counts are stored, so a restart does not reset
//! them. The key of the row with the counts contains a hash of the date, made with a secret.

use chrono::NaiveDate;
use domain::Timestamp;
use store::records::{NoticeCountRecord, SentNotices};
use store::{Batch, Key, Record};

use super::state::State;
use crate::error::Result;
use crate::mail::count_key;
use crate::talking::UsedTokens;

impl State {
    fn tokens_key(&self, date: NaiveDate) -> Key {
        count_key(&self.outbox.secret, "tokens of", self.id, &date.to_string())
    }

    fn local_date(&self, now: Timestamp) -> NaiveDate {
        now.utc().with_timezone(&self.business.zone).date_naive()
    }

    /// Returns the counts of the current local day.
    pub(crate) fn tokens_of_day(&self, now: Timestamp) -> Result<UsedTokens> {
        let found = self.find::<NoticeCountRecord>(&self.tokens_key(self.local_date(now)))?;
        let count = |at: usize| found.as_ref().and_then(|found| found.sent.get(at)).map_or(0, |it| it.count);
        Ok(UsedTokens { all: count(0).into(), of_website: count(1).into() })
    }

    /// Adds tokens to the counts of the current local day. Returns the changed row, or `None` if `tokens` is 0.
    pub(super) fn count_tokens(
        &self,
        tokens: u64,
        is_website: bool,
        now: Timestamp,
    ) -> Result<Option<Batch>> {
        if tokens == 0 {
            return Ok(None);
        }
        let UsedTokens { all, of_website } = self.tokens_of_day(now)?;
        let at = self.steady.now();
        let entry = |before: u64, more: u64| SentNotices {
            at,
            count: u32::try_from(before.saturating_add(more)).unwrap_or(u32::MAX),
        };
        let sent = vec![entry(all, tokens), entry(of_website, if is_website { tokens } else { 0 })];
        let mut rows = Batch::default();
        let record = NoticeCountRecord { sent, ids: Vec::new() };
        rows.put(self.tokens_key(self.local_date(now)), record.encode());
        Ok(Some(rows))
    }
}
