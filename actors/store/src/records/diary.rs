use domain::{BlockedTime, SpecialDay};

use crate::codec::record;

record!(SpecialDay, "special_day", { 1: date, hours, note, created_at, updated_at });

record!(BlockedTime, "blocked_time", {
    1: id, staff_id, starts_at, ends_at, source, note, created_at;
} check |time| {
    if time.ends_at > time.starts_at { Ok(()) } else { Err("it ends before it starts") }
});

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use domain::{BlockedSource, DayWindows, LocalTime, LocalWindow, Timestamp};

    use super::super::testing::{check, check_damage, id_of, replace};
    use super::*;

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
        // The first window is empty, and the second begins within it.
        check_damage(&special_day(), |bytes| replace(bytes, b"\xd0\x02", b"\x1c\x02"));
        check_damage(&special_day(), |bytes| replace(bytes, b"\x28\x05", b"\xcf\x02"));
        let over = BlockedTime { ends_at: blocked_time().starts_at, ..blocked_time() };
        check_damage(&over, |_| {});
        check_damage(&blocked_time(), |bytes| replace(bytes, b"\x01\0\xfb\x58", b"\x09\0\xfb\x58"));
    }
}
