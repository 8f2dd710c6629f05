//! Special days and blocked times.

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};

use super::hours::thaw_ends;
use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{BlockedTime, DayWindows, LocalWindow, SpecialDay};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct SpecialDayRecordV1 {
    /// Days since 1 January of the year 1, which is day 1.
    date: i32,
    /// The minutes after midnight of opening and closing.
    windows: Vec<(u16, u16)>,
    note: Option<String>,
    created_at: i64,
    updated_at: i64,
}

record!(SpecialDay, "special_day", 1 => SpecialDayRecordV1);

impl Layout<SpecialDay> for SpecialDayRecordV1 {
    fn freeze(value: &SpecialDay) -> Self {
        let ends = |window: &LocalWindow| (window.open.minutes(), window.close.minutes());
        Self {
            date: value.date.num_days_from_ce(),
            windows: value.hours.windows().iter().map(ends).collect(),
            note: value.note.clone(),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<SpecialDay, StoreError> {
        let windows = self.windows.into_iter().map(|ends| thaw_ends(record, ends));
        let hours = DayWindows::new(windows.collect::<Result<_, _>>()?);
        Ok(SpecialDay {
            date: NaiveDate::from_num_days_from_ce_opt(self.date)
                .ok_or_else(|| StoreError::damaged(record, "its date is none"))?,
            hours: hours.map_err(|_| StoreError::damaged(record, "its windows contradict each other"))?,
            note: self.note,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct BlockedTimeRecordV1 {
    id: IdBytes,
    staff_id: IdBytes,
    starts_at: i64,
    ends_at: i64,
    source: u8,
    note: Option<String>,
    created_at: i64,
}

record!(BlockedTime, "blocked_time", 1 => BlockedTimeRecordV1);

impl Layout<BlockedTime> for BlockedTimeRecordV1 {
    fn freeze(value: &BlockedTime) -> Self {
        Self {
            id: bytes_of(value.id),
            staff_id: bytes_of(value.staff_id),
            starts_at: value.starts_at.millis(),
            ends_at: value.ends_at.millis(),
            source: value.source.number(),
            note: value.note.clone(),
            created_at: value.created_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<BlockedTime, StoreError> {
        if self.ends_at <= self.starts_at {
            return Err(StoreError::damaged(record, "it ends before it starts"));
        }
        Ok(BlockedTime {
            id: id_of(self.id),
            staff_id: id_of(self.staff_id),
            starts_at: instant(record, self.starts_at)?,
            ends_at: instant(record, self.ends_at)?,
            source: word(record, self.source)?,
            note: self.note,
            created_at: instant(record, self.created_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{BlockedSource, LocalTime, Timestamp};

    fn special_day() -> SpecialDay {
        let time = |hour: u16| LocalTime::from_minutes(60 * hour).unwrap();
        let windows = vec![
            LocalWindow { open: time(9), close: time(12) },
            LocalWindow { open: time(22), close: time(2) },
        ];
        SpecialDay {
            date: NaiveDate::from_ymd_opt(2026, 12, 24).unwrap(),
            hours: DayWindows::new(windows).unwrap(),
            note: Some("Eve".into()),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    fn blocked_time() -> BlockedTime {
        BlockedTime {
            id: id_of([0xa1; 16]),
            staff_id: id_of([0xa2; 16]),
            starts_at: Timestamp::from_millis(1_772_442_000_000),
            ends_at: Timestamp::from_millis(1_772_442_000_001),
            source: BlockedSource::TimeOff,
            note: None,
            created_at: Timestamp::from_millis(300),
        }
    }

    #[test]
    fn a_special_day_has_these_bytes() {
        check(
            &special_day(),
            "01fc0c95160002fb1c02fbd002fb2805780103457665fd00358d5b39030000fd\
             02358d5b39030000",
        );
        let closed = SpecialDay { hours: DayWindows::CLOSED, note: None, ..special_day() };
        check(&closed, "01fc0c9516000000fd00358d5b39030000fd02358d5b39030000");
    }

    #[test]
    fn a_blocked_time_has_these_bytes() {
        check(
            &blocked_time(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2\
             a2fd00358d5b39030000fd02358d5b390300000100fb5802",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        // The first window ends when it begins, the second begins in it.
        check_damage(&special_day(), |bytes| replace(bytes, b"\xd0\x02", b"\x1c\x02"));
        check_damage(&special_day(), |bytes| replace(bytes, b"\x28\x05", b"\xcf\x02"));
        let over = BlockedTime { ends_at: blocked_time().starts_at, ..blocked_time() };
        check_damage(&over, |_| {});
        check_damage(&blocked_time(), |bytes| replace(bytes, b"\x01\0\xfb\x58", b"\x09\0\xfb\x58"));
    }
}
