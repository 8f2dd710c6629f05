//! Feeds of appointments for calendar services, and connected calendars with their busy times.

use domain::{
    CalendarBusy, CalendarError, CalendarEvent, CalendarLogin, CalendarPassword, CalendarState,
    CalendarSyncStatus, CalendarWrite, ConnectedCalendar, Feed, ReadPosition, Spans, Timestamp,
};

use crate::StoreError;
use crate::codec::{Field, Fields, fields, record, write_text};

record!(Feed, "feed", { 1: id, staff_id, detail, hash, created_by, created_at, revoked_at });

record!(ConnectedCalendar, "calendar", {
    1: id, staff_id, name, kind, url, login, collection, collection_name, detail, all_day, own_addresses,
       server_addresses, version, created_by, created_at, updated_at;
    2: busy = true, write = false, task = None, task_at = None, removal_until = None;
});

record!(CalendarState, "calendar_state", {
    1: calendar_id, status, last_read_at, last_attempt_at, error, events, unreadable, warnings, complete_at,
       failing_since, failures, refused, missing_since, is_reported, mass_deletion_at, position;
});

record!(CalendarEvent, "calendar_event", {
    1: calendar_id, hash, href, etag, uid, is_readable, busy;
    2: appointment_id = None;
});

record!(CalendarWrite, "calendar_write", {
    1: calendar_id, appointment_id, is_deletion, status, reason, revision, attempts, due, href, written, event;
} check |it| {
    (it.status != CalendarSyncStatus::NotConnected) => "it has no status",
    (it.due.is_some() == it.is_pending()) => "its due time does not match its status",
});

record!(CalendarBusy, "calendar_busy", { 1: calendar_id, busy });

fields! {
    CalendarError { code, host }
    CalendarLogin { username, password }
    ReadPosition { etag, modified, sync_token, ctag, zone }
}

impl Field for CalendarPassword {
    fn write(&self, to: &mut Vec<u8>) {
        write_text(self.reveal(), to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        String::read(from).map(Self::new)
    }
}

/// Ranges are stored as differences in whole seconds, so that up to 50,000 ranges of a calendar fit into one value.
/// The start of a range is rounded down, and its end is rounded up.
impl Field for Spans {
    fn write(&self, to: &mut Vec<u8>) {
        let seconds = self
            .iter()
            .map(|span| (span.start.millis().div_euclid(1_000), -(-span.end.millis()).div_euclid(1_000)));
        let (mut at, mut numbers) = (0, Vec::new());
        for (start, end) in seconds {
            let end = end.max(start + 1);
            numbers.push((start - at, (end - start).cast_unsigned()));
            at = end;
        }
        numbers.write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let (mut at, mut spans) = (0_i64, Vec::new());
        for (gap, length) in Vec::<(i64, u64)>::read(from)? {
            let start = at.checked_add(gap);
            let end = start.and_then(|start| start.checked_add_unsigned(length));
            let millis = |seconds: Option<i64>| seconds.and_then(|seconds| seconds.checked_mul(1_000));
            let (Some(first), Some(last)) = (millis(start), millis(end)) else {
                return Err(from.damaged("a range is outside of time"));
            };
            spans.push(Timestamp::from_millis(first)..Timestamp::from_millis(last));
            at = end.unwrap_or_default();
        }
        Ok(Self::merge(spans))
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        AllDay, CalendarFault, CalendarKind, CalendarStatus, CalendarTask, CalendarWarning, Email,
        FeedDetail, KeyCreator, SteadyTime, Timestamp, WebhookUrl, WriteReason,
    };

    use crate::Record;

    use super::super::testing::{check, check_damage, check_old, id_of, replace};
    use super::*;

    fn calendar() -> ConnectedCalendar {
        ConnectedCalendar {
            id: id_of([0xa1; 16]),
            staff_id: id_of([0xa2; 16]),
            name: "Work".into(),
            kind: CalendarKind::Caldav,
            url: WebhookUrl::parse("https://a.example/").unwrap(),
            login: Some(CalendarLogin { username: "u".into(), password: CalendarPassword::new("pw".into()) }),
            collection: Some(WebhookUrl::parse("https://a.example/c/").unwrap()),
            collection_name: "C".into(),
            busy: false,
            write: true,
            detail: FeedDetail::Services,
            all_day: AllDay::Free,
            own_addresses: vec![Email::new("a@b.example").unwrap()],
            server_addresses: vec!["c@d".into()],
            version: 3,
            task: Some(CalendarTask::Leave),
            task_at: Some((Timestamp::from_millis(3), id_of([0xa3; 16]))),
            removal_until: Some(SteadyTime::from_millis(4)),
            created_by: KeyCreator::Operator,
            created_at: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(2),
        }
    }

    #[test]
    fn a_calendar_has_these_bytes() {
        let [id, staff] = ["a1", "a2"].map(|byte| byte.repeat(16));
        let url = "12 68747470733a2f2f612e6578616d706c652f";
        let collection = "14 68747470733a2f2f612e6578616d706c652f632f";
        let first = format!(
            "{id}{staff} 04576f726b 01 {url} 01 0175 027077 01 {collection} 0143 02 02
             01 0b6140622e6578616d706c65 01 03634064 03 00 02 04"
        );
        let appointment = "a3".repeat(16);
        check(&calendar(), &format!("02{first} 00 01 01 03 01 06{appointment} 01 08"));
        let (busy, write, task, task_at, removal_until) = (true, false, None, None, None);
        let earlier = ConnectedCalendar { busy, write, task, task_at, removal_until, ..calendar() };
        check_old(&earlier, &format!("01{first}"));
        check_damage(&calendar(), |bytes| replace(bytes, b"https://a.example/c", b"http://aa.example/c"));
    }

    #[test]
    fn the_state_of_a_calendar_has_these_bytes() {
        let new = CalendarState::new(id_of([0xa1; 16]));
        let id = "a1".repeat(16);
        check(&new, &format!("01{id} 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"));
        let some = CalendarState {
            status: CalendarStatus::Failing,
            last_read_at: Some(Timestamp::from_millis(1)),
            last_attempt_at: Some(Timestamp::from_millis(2)),
            error: Some(CalendarError { code: CalendarFault::OtherHost, host: Some("h".into()) }),
            events: 7,
            unreadable: 8,
            warnings: vec![CalendarWarning::UnknownZone, CalendarWarning::TooManyOccurrences],
            complete_at: Some(SteadyTime::from_millis(3)),
            failing_since: Some(SteadyTime::from_millis(4)),
            failures: 9,
            refused: Some((SteadyTime::from_millis(5), 2)),
            missing_since: Some(SteadyTime::from_millis(6)),
            is_reported: true,
            mass_deletion_at: Some(SteadyTime::from_millis(7)),
            position: ReadPosition {
                etag: Some("e".into()),
                modified: Some("m".into()),
                sync_token: Some("s".into()),
                ctag: Some("c".into()),
                zone: Some(chrono_tz::Tz::UTC),
            },
            ..new
        };
        check(
            &some,
            &format!(
                "01{id} 03 0102 0104 01 07 01 0168 07 08 02 01 02 0106 0108 09 01 0a 02 010c 01 010e
                 01 0165 01 016d 01 0173 01 0163 01 03555443"
            ),
        );
    }

    #[test]
    fn the_busy_times_of_a_calendar_have_these_bytes() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1_000);
        let busy = Spans::merge(vec![at(100)..at(160), at(170)..at(171)]);
        let all = CalendarBusy { calendar_id: id_of([0xa1; 16]), busy: busy.clone() };
        let id = "a1".repeat(16);
        check(&all, &format!("01{id} 02 c8 3c 14 01"));
        let mut event = CalendarEvent {
            calendar_id: id_of([0xa1; 16]),
            hash: [0xa2; 16],
            href: "/e".into(),
            etag: Some("1".into()),
            uid: Some([0xa3; 16]),
            appointment_id: Some(id_of([0xa4; 16])),
            is_readable: true,
            busy,
        };
        let [hash, uid] = ["a2", "a3"].map(|byte| byte.repeat(16));
        let first = format!("{id}{hash} 022f65 01 0131 01 {uid} 01 02 c8 3c 14 01");
        check(&event, &format!("02{first} 01 {}", "a4".repeat(16)));
        event.appointment_id = None;
        check_old(&event, &format!("01{first}"));
    }

    #[test]
    fn a_write_has_these_bytes() {
        let at = Timestamp::from_millis;
        let new = CalendarWrite::new(id_of([0xa1; 16]), id_of([0xa2; 16]), SteadyTime::from_millis(1));
        let ids = ["a1", "a2"].map(|byte| byte.repeat(16)).concat();
        check(&new, &format!("01{ids} 00 02 00 00 00 01 02 00 00 00"));
        let changed = CalendarWrite {
            is_deletion: true,
            status: CalendarSyncStatus::Failed,
            reason: Some(WriteReason::EventChanged),
            revision: 5,
            attempts: 6,
            due: None,
            href: Some("/e".into()),
            written: Some((at(1), at(2))),
            event: Some((at(3), at(4))),
            ..new.clone()
        };
        check(&changed, &format!("01{ids} 01 04 01 02 05 06 00 01 022f65 01 02 04 01 06 08"));
        assert!(CalendarWrite::decode(&CalendarWrite { due: None, ..new }.encode()).is_err());
    }

    #[test]
    fn fractions_of_seconds_are_rounded_outwards_and_the_longest_list_fits() {
        let at = Timestamp::from_millis;
        let busy = |spans| CalendarBusy { calendar_id: id_of([1; 16]), busy: Spans::merge(spans) };
        let read = CalendarBusy::decode(&busy(vec![at(-1_500)..at(-1_400), at(1_001)..at(1_999)]).encode());
        assert_eq!(read.unwrap(), busy(vec![at(-2_000)..at(-1_000), at(1_000)..at(2_000)]));
        let day = 24 * 60 * 60 * 1_000;
        let most = busy((0..50_000).map(|nth| at(nth * 2 * day)..at((nth * 2 + 1) * day)).collect());
        assert_eq!(CalendarBusy::decode(&most.encode()).unwrap(), most);
    }

    #[test]
    fn a_feed_has_these_bytes() {
        let feed = Feed {
            id: id_of([0xa1; 16]),
            staff_id: Some(id_of([0xa2; 16])),
            detail: FeedDetail::Contacts,
            hash: [0xa3; 32],
            created_by: KeyCreator::Person(id_of([0xa4; 16])),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            revoked_at: Some(Timestamp::from_millis(1_772_442_000_001)),
        };
        let [id, staff, hash, person] = ["a1", "a2", "a3a3", "a4"].map(|byte| byte.repeat(16));
        let (created, revoked) = ("fd00358d5b39030000", "fd02358d5b39030000");
        check(&feed, &format!("01{id}01{staff}03{hash}01{person}{created}01{revoked}"));
        let of_business = Feed {
            staff_id: None,
            detail: FeedDetail::Times,
            created_by: KeyCreator::Operator,
            revoked_at: None,
            ..feed.clone()
        };
        check(&of_business, &format!("01{id}0001{hash}00{created}00"));
        check(
            &Feed { detail: FeedDetail::Services, ..of_business },
            &format!("01{id}0002{hash}00{created}00"),
        );
        check_damage(&feed, |bytes| replace(bytes, b"\xa2\x03\xa3", b"\xa2\x04\xa3"));
    }
}
