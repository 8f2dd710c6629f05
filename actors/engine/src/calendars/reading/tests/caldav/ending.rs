//! Tests of the beginning and the end of writing to a calendar: new calendars, changes of `write`, the removal of
//! events, and retention.

use domain::Conflict;
use domain::booking::MoveRequest;

use super::writing::{NOT_CONNECTED, PENDING, Plain, SYNCED, patch, path, writes};
use super::*;
use crate::business::commands::appointments::{Cancel, Reschedule};
use crate::business::commands::calendars::RemoveCalendar;
use crate::business::commands::erasure::PatchRetention;
use crate::business::commands::writing::RecordSeen;

#[tokio::test(start_paused = true)]
async fn connecting_writes_appointments_that_have_not_ended_and_ending_leaves_the_events() {
    let world = World::new().await;
    let early = world.booked(10, world.staff).await;
    let cancelled = world.booked(11, world.staff).await.id;
    world.business.change(by_operator(), Cancel { id: cancelled }).await.unwrap();
    let (server, receiver, id) = world.written(Server::default()).await;
    assert_eq!((world.status(early.id).await, world.status(cancelled).await), (SYNCED, NOT_CONNECTED));
    assert_eq!((server.lock().events.len(), world.rows(kind::CALENDAR_WRITE)), (1, 1));
    world.business.change(by_operator(), PatchCalendar { write: Some(false), ..patch(id) }).await.unwrap();
    settle().await;
    assert_eq!((world.status(early.id).await, world.write_rows()), (NOT_CONNECTED, 0));
    assert_eq!((server.lock().events.len(), writes(&receiver)), (1, (1, 0)));
    assert_eq!(world.shown(early.id).await.updated_at, early.updated_at);
    // The appointment has ended when `write` becomes true again, so the service does not write it.
    sleep(Duration::from_secs(3 * 24 * 3600)).await;
    world.business.change(by_operator(), PatchCalendar { write: Some(true), ..patch(id) }).await.unwrap();
    settle().await;
    assert_eq!((world.status(early.id).await, world.write_rows()), (NOT_CONNECTED, 0));
}

#[tokio::test(start_paused = true)]
async fn appointments_to_come_are_written_and_removed_although_a_wrong_clock_has_set_later_stamps() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let write = |write| PatchCalendar { write: Some(write), ..patch(id) };
    // The clock jumps ahead. Ten minutes later, the service accepts the new time, so the business gets a stamp in the
    // future. Then the clock is corrected. Each new stamp of the business must be later than the existing stamps, so
    // the new stamps are in the future too.
    world.clock.is_off(1_000);
    minutes(15).await;
    world.business.change(by_operator(), write(false)).await.unwrap();
    world.clock.is_off(0);
    minutes(15).await;
    world.business.change(by_operator(), write(true)).await.unwrap();
    settle().await;
    let booked = world.booked(10, world.staff).await;
    assert!(booked.created_at > booked.ends_at, "the stamp is from the time of the wrong clock");
    assert_eq!(booked.calendar_sync_status, PENDING);
    let other = world.another_staff("Bea").await;
    let moved = world.booked(12, other).await.id;
    assert_eq!(world.moved(moved, 12, world.staff).await.calendar_sync_status, PENDING);
    settle().await;
    assert_eq!(world.status(booked.id).await, SYNCED);
    let version = world.business.connected_calendar(id).await.unwrap().unwrap().version;
    let deleted = RecordSeen { of: (id, version), alerts_max: 1, seen: vec![(booked.id, None)] };
    assert_eq!(world.business.change(by_operator(), deleted).await.unwrap().value, 1, "an alert");
    world.business.change(by_operator(), write(false)).await.unwrap();
    settle().await;
    assert_eq!(world.status(booked.id).await, NOT_CONNECTED);
    world.business.change(by_operator(), write(true)).await.unwrap();
    settle().await;
    assert_eq!((world.status(booked.id).await, server.lock().events.len()), (SYNCED, 2));
    world.business.change(by_operator(), RemoveCalendar { id }).await.unwrap();
    settle().await;
    assert_eq!((world.status(booked.id).await, server.lock().events.len()), (NOT_CONNECTED, 0));
}

#[tokio::test(start_paused = true)]
async fn the_removal_of_events_deletes_those_that_have_not_ended_and_then_the_calendar() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let bea = world.another_staff("Bea").await;
    let over = world.booked(9, world.staff).await.id;
    settle().await;
    sleep(Duration::from_secs(2 * 24 * 3600)).await;
    let book = |day: u32| {
        let starts_at = Timestamp::parse(&format!("2026-01-{day:02}T10:00:00Z")).unwrap();
        let request = BookRequest {
            service_id: world.service,
            starts_at,
            staff_id: Some(world.staff),
            source: Source::Api,
            party: Party::TEAM,
            duration: None,
        };
        let details = ContactDetails { name: Some(text("Zoé")), ..ContactDetails::default() };
        Book { request, contact: BookingContact::Described(details) }
    };
    let ahead = world.business.change(by_operator(), book(5)).await.unwrap().value.id;
    let given = world.business.change(by_operator(), book(6)).await.unwrap().value.id;
    settle().await;
    server.lock().write_status = Some((500, None));
    let request = MoveRequest {
        starts_at: Timestamp::parse("2026-01-06T10:00:00Z").unwrap(),
        staff_id: Some(bea),
        party: Party::TEAM,
        duration: None,
    };
    world.business.change(by_operator(), Reschedule { id: given, request }).await.unwrap();
    settle().await;
    let removing = world.business.change(by_operator(), RemoveCalendar { id }).await.unwrap().value;
    assert_eq!(removing.status, CalendarStatus::Disconnecting);
    settle().await;
    let statuses = [world.status(over).await, world.status(ahead).await, world.status(given).await];
    assert_eq!(statuses, [NOT_CONNECTED, PENDING, PENDING]);
    assert!(world.business.connected_calendar(id).await.unwrap().unwrap().login.is_some());
    server.lock().write_status = None;
    minutes(11).await;
    assert!(world.business.connected_calendar(id).await.unwrap().is_none(), "the credentials are deleted");
    assert_eq!((world.status(ahead).await, world.status(given).await), (NOT_CONNECTED, NOT_CONNECTED));
    let left: Vec<_> = server.lock().events.keys().cloned().collect();
    assert_eq!((left, world.write_rows()), (vec![path(over)], 0));
}

#[tokio::test(start_paused = true)]
async fn the_removal_of_events_ends_after_a_day_also_across_a_restart() {
    let mut world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let booked = world.booked(16, world.staff).await.id;
    settle().await;
    server.lock().write_status = Some((500, None));
    world.business.change(by_operator(), RemoveCalendar { id }).await.unwrap();
    minutes(22 * 60).await;
    world.restart().await;
    world.engine.write_calendars_with(Arc::new(Plain));
    settle().await;
    assert!(world.business.connected_calendar(id).await.unwrap().is_some());
    minutes(3 * 60).await;
    assert!(world.business.connected_calendar(id).await.unwrap().is_none());
    assert_eq!((world.status(booked).await, world.write_rows()), (NOT_CONNECTED, 0));
    assert_eq!(server.lock().events.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_pending_deletion_continues_after_the_end_of_writing() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let bea = world.another_staff("Bea").await;
    let [given, kept] = [world.booked(10, world.staff).await.id, world.booked(12, world.staff).await.id];
    settle().await;
    server.lock().write_status = Some((500, None));
    world.moved(given, 10, bea).await;
    settle().await;
    world.business.change(by_operator(), PatchCalendar { write: Some(false), ..patch(id) }).await.unwrap();
    settle().await;
    assert_eq!((world.status(given).await, world.status(kept).await), (PENDING, NOT_CONNECTED));
    server.lock().write_status = None;
    minutes(3).await;
    assert_eq!((world.status(given).await, world.write_rows()), (NOT_CONNECTED, 0));
    assert!(server.lock().events.keys().eq([&path(kept)]));
}

#[tokio::test(start_paused = true)]
async fn a_collection_is_written_by_one_calendar_until_its_last_deletion() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let bea = world.another_staff("Bea").await;
    let connect = world.another_calendar(id, bea, COLLECTION.trim_end_matches('/')).await;
    let is_taken = |refused: EngineError| {
        let EngineError::Refused(Refusal::Conflict { conflict, .. }) = refused else { return false };
        conflict == Conflict::CollectionWritten
    };
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    assert!(is_taken(world.business.change(by_operator(), connect.clone()).await.unwrap_err()));
    let unwritten = ConnectCalendar { busy: true, write: false, ..connect.clone() };
    let of_bea = world.business.change(by_operator(), unwritten).await.unwrap().value.settings.id;
    let begin = PatchCalendar { write: Some(true), ..patch(of_bea) };
    assert!(is_taken(world.business.change(by_operator(), begin.clone()).await.unwrap_err()));
    // The server refuses to delete the event. The deletion stays pending even when `write` becomes false. Until the
    // event is deleted, no other calendar can write to the collection.
    server.lock().write_status = Some((500, None));
    world.moved(booked, 10, bea).await;
    settle().await;
    world.business.change(by_operator(), PatchCalendar { write: Some(false), ..patch(id) }).await.unwrap();
    settle().await;
    assert!(is_taken(world.business.change(by_operator(), begin.clone()).await.unwrap_err()));
    world.business.change(by_operator(), RemoveCalendar { id }).await.unwrap();
    settle().await;
    assert!(is_taken(world.business.change(by_operator(), begin.clone()).await.unwrap_err()));
    server.lock().write_status = None;
    minutes(11).await;
    world.business.change(by_operator(), begin).await.unwrap();
    settle().await;
    assert_eq!(world.status(booked).await, SYNCED);
    assert!(server.lock().events.keys().eq([&path(booked)]));
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_settings_counts_for_the_next_write_of_the_same_turn() {
    type Change<'a> = &'a dyn Fn(CalendarId) -> PatchCalendar;
    let times = |id| PatchCalendar { detail: Some(FeedDetail::Times), ..patch(id) };
    let unwritten = |id| PatchCalendar { write: Some(false), ..patch(id) };
    let changes: [(Option<Change<'_>>, usize); 3] = [(None, 0), (Some(&unwritten), 0), (Some(&times), 4)];
    for (change, later) in changes {
        let world = World::new().await;
        let (server, receiver, id) = world.written(Server::default()).await;
        let contacts = PatchCalendar { detail: Some(FeedDetail::Contacts), ..patch(id) };
        world.business.change(by_operator(), contacts).await.unwrap();
        settle().await;
        receiver.set_slow();
        for hour in [9, 10, 11, 12] {
            world.booked(hour, world.staff).await;
        }
        while writes(&receiver).0 == 0 {
            sleep(Duration::from_millis(100)).await;
        }
        match change {
            Some(change) => drop(world.business.change(by_operator(), change(id)).await.unwrap()),
            None => drop(world.business.change(by_operator(), DisconnectCalendar { id }).await.unwrap()),
        }
        minutes(2).await;
        assert_eq!(writes(&receiver), (1 + later, 0));
        let requests = receiver.requests();
        let with_names = requests.iter().filter(|request| request.contains("Zoé")).count();
        assert_eq!(with_names, 1, "only the request that was sent before the change");
        assert_eq!(server.lock().events.len(), later.max(1));
    }
}

#[tokio::test(start_paused = true)]
async fn the_removal_of_events_ends_after_a_day_also_on_a_nearly_full_disk() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let booked = world.booked(16, world.staff).await.id;
    settle().await;
    server.lock().write_status = Some((500, None));
    world.disk.set_free(100 << 20);
    minutes(1).await;
    world.business.change(by_operator(), RemoveCalendar { id }).await.unwrap();
    minutes(23 * 60 + 58).await;
    assert!(world.business.connected_calendar(id).await.unwrap().unwrap().login.is_some());
    minutes(3).await;
    assert!(world.business.connected_calendar(id).await.unwrap().is_none(), "the credentials are deleted");
    assert_eq!((world.status(booked).await, world.write_rows()), (NOT_CONNECTED, 0));
}

#[tokio::test(start_paused = true)]
async fn the_commit_that_connects_a_calendar_sets_its_appointments_to_pending() {
    let world = World::new().await;
    let (_, receiver, id) = world.caldav(Server::default()).await;
    let bea = world.another_staff("Bea").await;
    let mut all = Vec::new();
    for hour in 9..17 {
        world.booked(hour, bea).await;
        all.push(world.booked(hour, world.staff).await.id);
    }
    receiver.set_slow();
    let begin = PatchCalendar { write: Some(true), ..patch(id) };
    world.business.change(by_operator(), begin).await.unwrap();
    for id in &all {
        assert_eq!(world.status(*id).await, PENDING);
    }
    let end = PatchCalendar { write: Some(false), ..patch(id) };
    world.business.change(by_operator(), end).await.unwrap();
    for id in &all {
        assert_eq!(world.status(*id).await, NOT_CONNECTED);
    }
    let connect = world.another_calendar(id, bea, &format!("{COLLECTION}bea/")).await;
    world.business.change(by_operator(), connect).await.unwrap();
    assert_eq!(world.rows(kind::CALENDAR_WRITE), 8);
}

#[tokio::test(start_paused = true)]
async fn an_expired_appointment_leaves_no_writes_and_its_event_stays() {
    let world = World::new().await;
    let (server, _, _) = world.written(Server::default()).await;
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    let retention = PatchRetention { appointments_days: Some(Some(1)), ..PatchRetention::default() };
    world.business.change(by_operator(), retention).await.unwrap();
    sleep(Duration::from_secs(6 * 24 * 3600)).await;
    assert!(world.business.appointment(booked).await.unwrap().is_none());
    assert_eq!((world.write_rows(), server.lock().events.len()), (0, 1));
}
