//! Tests of the copies of appointments.

use uuid::Uuid;

use super::*;
use crate::{AppointmentStatus, Buffers, Source};

fn steady(seconds: i64) -> SteadyTime {
    SteadyTime::from_millis(seconds * 1_000)
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn calendar(number: u128) -> CalendarId {
    Uuid::from_u128(number).into()
}

fn new() -> CalendarWrite {
    CalendarWrite::new(calendar(1), Uuid::from_u128(9).into(), steady(0))
}

fn done(start: i64) -> WriteOutcome {
    WriteOutcome::Done { times: Some((at(start), at(start + 60))), href: None }
}

fn synced() -> CalendarWrite {
    new().after(0, done(100), steady(1))
}

fn seen(start: i64) -> SeenEvent {
    let times = Some((at(start), at(start + 60)));
    SeenEvent { href: None, times, is_cancelled: false, recurs: false }
}

fn appointment(status: AppointmentStatus, start: i64) -> Appointment {
    Appointment {
        id: Uuid::from_u128(9).into(),
        status,
        starts_at: at(start),
        ends_at: at(start + 60),
        buffers: Buffers::default(),
        service_id: Uuid::nil().into(),
        staff_id: Uuid::nil().into(),
        contact_id: Some(Uuid::nil().into()),
        source: Source::Api,
        calendar_sync_status: CalendarSyncStatus::NotConnected,
        announced: true,
        move_unannounced: false,
        notes: None,
        customer_note: None,
        booked_as: None,
        attendance: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

fn written(detail: FeedDetail) -> WritesTo {
    WritesTo::Written { detail, is_stopped: false }
}

const CONFIRMED: AppointmentStatus = AppointmentStatus::Confirmed;

#[test]
fn attempts_follow_with_growing_pauses_and_then_the_write_fails() {
    let (mut write, mut now, mut pauses) = (new(), 0, Vec::new());
    while let Some(due) = write.due {
        pauses.push((due.millis() / 1_000 - now) / 30);
        now = due.millis() / 1_000;
        write = write.after(0, WriteOutcome::Failed { retry_after: None }, steady(now));
    }
    assert_eq!(pauses, [0, 1, 4, 20, 60, 120, 360, 720, 1440]);
    assert_eq!((write.status, write.attempts), (CalendarSyncStatus::Failed, 9));
}

#[test]
fn a_pause_that_the_server_requests_counts_up_to_an_hour() {
    for (hours, expected) in [(0, 30), (1, 3_600), (7, 3_600)] {
        let retry_after = Some(TimeDelta::hours(hours));
        let write = new().after(0, WriteOutcome::Failed { retry_after }, steady(10));
        assert_eq!(write.due, Some(steady(10 + expected)), "{hours}");
    }
}

#[test]
fn the_outcome_of_an_older_state_does_not_make_the_newest_state_synced() {
    let newer = new().renewed(true, steady(5));
    for outcome in [done(100), WriteOutcome::Refused, WriteOutcome::Failed { retry_after: None }] {
        let after = newer.clone().after(0, outcome.clone(), steady(6));
        assert_eq!((after.status, after.due), (CalendarSyncStatus::Pending, Some(steady(5))), "{outcome:?}");
        assert_eq!(after.attempts, 0);
    }
}

#[test]
fn only_another_start_end_or_recurrence_is_a_remote_change() {
    let fraction = SeenEvent { times: Some((Timestamp::from_millis(100_400), at(160))), ..seen(100) };
    let known = synced();
    for (seen, expected) in [
        (Some(seen(100)), None),
        (Some(fraction), None),
        (Some(SeenEvent { times: None, ..seen(100) }), None),
        (Some(seen(101)), Some(WriteReason::EventChanged)),
        (Some(SeenEvent { recurs: true, ..seen(100) }), Some(WriteReason::EventChanged)),
        (Some(SeenEvent { is_cancelled: true, ..seen(100) }), Some(WriteReason::EventDeleted)),
        (None, Some(WriteReason::EventDeleted)),
    ] {
        let after = known.after_read(seen.as_ref());
        assert_eq!(after.as_ref().and_then(|after| after.reason), expected, "{seen:?}");
        assert_eq!(after.is_some_and(|after| after.status == CalendarSyncStatus::Failed), expected.is_some());
    }
    assert!(new().after_read(None).is_none(), "a pending write replaces the remote change");
    assert!(synced().renewed(true, steady(3)).after(1, done(0), steady(4)).after_read(None).is_none());
    let elsewhere = SeenEvent { href: Some("/e".into()), ..seen(100) };
    let moved = synced().after_read(Some(&elsewhere)).unwrap();
    assert_eq!((moved.status, moved.href.as_deref()), (CalendarSyncStatus::Synced, Some("/e")));
}

#[test]
fn a_change_is_written_and_a_move_to_another_calendar_is_two_writes() {
    let target = |number| Some((calendar(number), written(FeedDetail::Services)));
    let now = (at(0), steady(9));
    let booked = appointment(CONFIRMED, 100);
    let made = follow((None, &booked), Vec::new(), target(1), now);
    assert_eq!(made.status, CalendarSyncStatus::Pending);
    let rows = || vec![(synced(), written(FeedDetail::Services))];
    let same = follow((Some(&booked), &booked), rows(), target(1), now);
    assert_eq!((same.changed.len(), same.status), (0, CalendarSyncStatus::Synced));
    let moved = appointment(CONFIRMED, 200);
    let made = follow((Some(&booked), &moved), rows(), target(1), now);
    let (_, Some(after)) = &made.changed[0] else { panic!("{made:?}") };
    assert!(after.is_pending() && !after.is_deletion && after.revision == 1);
    let made = follow((Some(&booked), &moved), rows(), target(2), now);
    let kinds: Vec<_> = made.changed.iter().map(|(_, after)| after.as_ref().unwrap().is_deletion).collect();
    assert_eq!(kinds, [true, false]);
    let made = follow((Some(&booked), &moved), rows(), None, now);
    assert_eq!((made.changed.len(), made.status), (1, CalendarSyncStatus::Pending));
    let cancelled = appointment(AppointmentStatus::Cancelled, 100);
    let made = follow((Some(&booked), &cancelled), rows(), target(1), now);
    assert!(made.changed[0].1.as_ref().unwrap().is_deletion);
}

#[test]
fn an_appointment_that_has_ended_is_not_written_when_its_status_changes() {
    let (now, target) = ((at(500), steady(9)), Some((calendar(1), written(FeedDetail::Contacts))));
    let asked = appointment(AppointmentStatus::Pending, 100);
    let made = follow((Some(&asked), &appointment(CONFIRMED, 100)), Vec::new(), target, now);
    assert_eq!((made.changed.len(), made.status), (0, CalendarSyncStatus::NotConnected));
}

#[test]
fn an_erasure_writes_only_events_with_contacts_again() {
    let target = |detail| Some((calendar(1), written(detail)));
    let (booked, now) = (appointment(CONFIRMED, 100), (at(500), steady(9)));
    let erased = booked.erased();
    for (detail, count) in [(FeedDetail::Times, 0), (FeedDetail::Services, 0), (FeedDetail::Contacts, 1)] {
        let rows = vec![(synced(), written(detail))];
        let made = follow((Some(&booked), &erased), rows, target(detail), now);
        assert_eq!(made.changed.len(), count, "{detail}");
    }
}

#[test]
fn an_erasure_does_not_write_an_event_again_that_was_deleted_in_the_calendar() {
    let target = Some((calendar(1), written(FeedDetail::Contacts)));
    let (booked, now) = (appointment(CONFIRMED, 100), (at(500), steady(9)));
    let deleted = synced().after_read(None).unwrap();
    // This event is marked as cancelled, but it is still in the calendar and contains the name of the contact. So the
    // erasure must write the event again.
    let cancelled = SeenEvent { is_cancelled: true, ..seen(100) };
    let cancelled = synced().after_read(Some(&cancelled)).unwrap();
    for (row, after, count) in [
        (&deleted, booked.erased(), 0),
        (&cancelled, booked.erased(), 1),
        (&deleted, appointment(CONFIRMED, 200), 1),
        (&deleted, appointment(CONFIRMED, 200).erased(), 1),
    ] {
        let rows = vec![(row.clone(), written(FeedDetail::Contacts))];
        let made = follow((Some(&booked), &after), rows, target, now);
        assert_eq!(made.changed.len(), count, "{row:?} {after:?}");
    }
}

#[test]
fn a_stopped_calendar_fails_new_writes_and_an_ended_one_forgets_them() {
    let stopped = WritesTo::Written { detail: FeedDetail::Services, is_stopped: true };
    let (booked, now) = (appointment(CONFIRMED, 100), (at(0), steady(9)));
    let made = follow((None, &booked), Vec::new(), Some((calendar(1), stopped)), now);
    assert_eq!(made.status, CalendarSyncStatus::Failed);
    let cancelled = appointment(AppointmentStatus::Cancelled, 100);
    let made = follow((Some(&booked), &cancelled), vec![(synced(), WritesTo::Ended)], None, now);
    assert_eq!((made.changed.len(), made.status), (1, CalendarSyncStatus::NotConnected));
    let leaving = new().renewed(true, steady(1));
    let made = follow((Some(&booked), &cancelled), vec![(leaving, WritesTo::Leaving)], None, now);
    assert_eq!((made.changed.len(), made.status), (0, CalendarSyncStatus::Pending));
}

#[test]
fn a_change_while_a_calendar_is_left_or_removed_leaves_no_older_state_synced() {
    let (booked, moved, now) = (appointment(CONFIRMED, 100), appointment(CONFIRMED, 200), (at(0), steady(9)));
    let follow = |after, to| follow((Some(&booked), after), vec![(synced(), to)], None, now);
    for to in [WritesTo::Leaving, WritesTo::Removing] {
        let made = follow(&booked, to);
        assert_eq!((made.changed.len(), made.status), (0, CalendarSyncStatus::Synced));
    }
    let made = follow(&moved, WritesTo::Leaving);
    assert_eq!((made.changed, made.status), (vec![(Some(synced()), None)], CalendarSyncStatus::NotConnected));
    let made = follow(&moved, WritesTo::Removing);
    let deleted = synced().renewed(true, steady(9));
    assert_eq!(
        (made.changed, made.status),
        (vec![(Some(synced()), Some(deleted))], CalendarSyncStatus::Pending)
    );
}
