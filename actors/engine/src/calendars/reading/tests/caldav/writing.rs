//! Writes to a CalDAV server in memory, and the remote changes of written events.

use domain::booking::MoveRequest;
use domain::{AppointmentId, CalendarSyncStatus, WriteReason};
use view::{AppointmentView, CalendarWriteView};

use super::*;
use crate::business::IfMatch;
use crate::business::commands::appointments::{Cancel, PatchAppointment, Reschedule};
use crate::business::commands::erasure::EraseContact;
use crate::business::commands::writing::{RecordSeen, WriteAppointment};
use crate::calendars::{EventWriter, WrittenEvent};

pub(super) const SYNCED: CalendarSyncStatus = CalendarSyncStatus::Synced;
pub(super) const PENDING: CalendarSyncStatus = CalendarSyncStatus::Pending;
pub(super) const FAILED: CalendarSyncStatus = CalendarSyncStatus::Failed;
pub(super) const NOT_CONNECTED: CalendarSyncStatus = CalendarSyncStatus::NotConnected;

pub(super) struct Plain;

impl EventWriter for Plain {
    fn file(&self, event: &WrittenEvent<'_>) -> String {
        let it = event.appointment;
        let utc = |at: Timestamp| at.utc().format("%Y%m%dT%H%M%SZ").to_string();
        let contact = it.contact_name.clone().filter(|_| event.detail == FeedDetail::Contacts);
        format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:{}@receptionist\r\nDTSTART:{}\r\nDTEND:{}\r\n\
             SUMMARY:{}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
            it.id,
            utc(it.starts_at),
            utc(it.ends_at),
            contact.unwrap_or_else(|| it.service_name.clone())
        )
    }
}

pub(super) fn path(id: AppointmentId) -> String {
    format!("{COLLECTION}{id}.ics")
}

pub(super) fn start(hour: u32) -> Timestamp {
    Timestamp::parse(&format!("2026-01-02T{hour:02}:00:00Z")).unwrap()
}

pub(super) fn patch(id: CalendarId) -> PatchCalendar {
    PatchCalendar {
        id,
        name: None,
        url: None,
        login: None,
        checked_for: None,
        server_addresses: None,
        busy: None,
        write: None,
        detail: None,
        all_day: None,
        own_addresses: None,
    }
}

impl World {
    pub(super) async fn written(&self, server: Server) -> (Shared, Arc<Receiver>, CalendarId) {
        self.engine.write_calendars_with(Arc::new(Plain));
        let (server, receiver, id) = self.caldav(server).await;
        self.business.change(by_operator(), PatchCalendar { write: Some(true), ..patch(id) }).await.unwrap();
        settle().await;
        (server, receiver, id)
    }

    pub(super) async fn booked(&self, hour: u32, staff: StaffId) -> AppointmentView {
        let (source, party) = (Source::Api, Party::TEAM);
        let staff_id = Some(staff);
        let starts_at = start(hour);
        let request =
            BookRequest { service_id: self.service, starts_at, staff_id, source, party, duration: None };
        let details = ContactDetails { name: Some(text("Zoé")), ..ContactDetails::default() };
        let book = Book { request, contact: BookingContact::Described(details) };
        self.business.change(by_operator(), book).await.unwrap().value
    }

    pub(super) async fn moved(&self, id: AppointmentId, hour: u32, staff: StaffId) -> AppointmentView {
        let (starts_at, staff_id) = (start(hour), Some(staff));
        let request = MoveRequest { starts_at, staff_id, party: Party::TEAM, duration: None };
        self.business.change(by_operator(), Reschedule { id, request }).await.unwrap().value
    }

    pub(super) async fn shown(&self, id: AppointmentId) -> AppointmentView {
        self.business.appointment(id).await.unwrap().unwrap()
    }

    pub(super) async fn status(&self, id: AppointmentId) -> CalendarSyncStatus {
        self.shown(id).await.calendar_sync_status
    }

    pub(super) async fn write(&self, calendar: CalendarId, id: AppointmentId) -> CalendarWriteView {
        let page = PageRequest { limit: 100, after: None };
        let found = self.business.calendar_writes(calendar, None, &page).await.unwrap().items;
        found.into_iter().find(|write| write.appointment_id == id).unwrap()
    }

    pub(super) async fn another_staff(&self, name: &str) -> StaffId {
        let staff = CreateStaff::offering(text(name), vec![self.service]);
        self.business.change(by_operator(), staff).await.unwrap().value.staff.id
    }

    /// A calendar of another staff member on the same server, which is not connected yet.
    pub(super) async fn another_calendar(
        &self,
        id: CalendarId,
        staff_id: StaffId,
        path: &str,
    ) -> ConnectCalendar {
        let connected = self.business.connected_calendar(id).await.unwrap().unwrap();
        ConnectCalendar {
            staff_id,
            name: "Bea".into(),
            kind: CalendarKind::Caldav,
            collection: Some(connected.url.join(path).unwrap()),
            url: connected.url,
            login: Some(login("pw")),
            collection_name: String::new(),
            server_addresses: Vec::new(),
            busy: false,
            write: true,
            detail: FeedDetail::Times,
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
        }
    }

    pub(super) fn write_rows(&self) -> usize {
        let kinds = [
            kind::CALENDAR_WRITE,
            kind::CALENDAR_WRITE_OF,
            kind::CALENDAR_WRITE_DUE,
            kind::CALENDAR_WRITE_FAILED,
        ];
        kinds.into_iter().map(|kind| self.rows(kind)).sum()
    }
}

/// Counts the `PUT` requests and the `DELETE` requests.
pub(super) fn writes(receiver: &Receiver) -> (usize, usize) {
    let requests = receiver.requests();
    let of = |method: &str| requests.iter().filter(|request| request.starts_with(method)).count();
    (of("PUT "), of("DELETE "))
}

#[tokio::test(start_paused = true)]
async fn an_appointment_is_written_moved_and_deleted_and_the_own_reads_change_nothing() {
    for has_no_tokens in [false, true] {
        let world = World::new().await;
        let (server, receiver, id) = world.written(Server { has_no_tokens, ..Server::default() }).await;
        let booked = world.booked(10, world.staff).await;
        assert_eq!(booked.calendar_sync_status, PENDING, "the response shows the state of the commit");
        settle().await;
        let written = world.shown(booked.id).await;
        assert_eq!((written.calendar_sync_status, written.updated_at), (SYNCED, booked.updated_at));
        let text = server.lock().events[&path(booked.id)].1.clone();
        assert!(text.contains("DTSTART:20260102T100000Z") && text.contains("SUMMARY:Cut"), "{text}");
        minutes(40).await;
        assert_eq!((world.status(booked.id).await, writes(&receiver)), (SYNCED, (1, 0)));
        assert_eq!(world.hours(INTEGRATION).await.len(), 7, "the event blocks nothing itself");
        assert_eq!(world.moved(booked.id, 12, world.staff).await.calendar_sync_status, PENDING);
        settle().await;
        assert!(server.lock().events[&path(booked.id)].1.contains("DTSTART:20260102T120000Z"));
        minutes(40).await;
        assert_eq!((world.status(booked.id).await, writes(&receiver)), (SYNCED, (2, 0)));
        let cancelled = world.business.change(by_operator(), Cancel { id: booked.id }).await.unwrap().value;
        assert_eq!(cancelled.calendar_sync_status, PENDING);
        settle().await;
        assert!(server.lock().events.is_empty());
        minutes(40).await;
        assert_eq!((world.status(booked.id).await, writes(&receiver)), (SYNCED, (2, 1)));
        assert_eq!(world.write(id, booked.id).await.status, SYNCED);
    }
}

#[tokio::test(start_paused = true)]
async fn a_remote_change_fails_the_write_until_a_person_decides() {
    for has_no_tokens in [false, true] {
        let world = World::new().await;
        let (server, receiver, id) = world.written(Server { has_no_tokens, ..Server::default() }).await;
        let [moved, gone, same] = [
            world.booked(10, world.staff).await,
            world.booked(12, world.staff).await,
            world.booked(14, world.staff).await,
        ];
        settle().await;
        {
            let mut server = server.lock();
            let text = server.events[&path(moved.id)].1.replace("T100000Z", "T090000Z");
            server.store(&path(moved.id), text);
            server.remove(&path(gone.id));
            let text = server.events[&path(same.id)].1.replace("SUMMARY:Cut", "SUMMARY:Other\r\nLOCATION:X");
            server.store(&path(same.id), text);
        }
        minutes(17).await;
        let statuses =
            [world.status(moved.id).await, world.status(gone.id).await, world.status(same.id).await];
        assert_eq!(statuses, [FAILED, FAILED, SYNCED]);
        let write = world.write(id, moved.id).await;
        assert_eq!((write.reason, write.event_starts_at), (Some(WriteReason::EventChanged), Some(start(9))));
        assert_eq!(world.write(id, gone.id).await.reason, Some(WriteReason::EventDeleted));
        let shown = world.shown(moved.id).await;
        assert_eq!((shown.starts_at, shown.updated_at), (moved.starts_at, moved.updated_at));
        minutes(24 * 60).await;
        assert_eq!(writes(&receiver), (3, 0), "nothing is written again by itself");
        for appointment_id in [moved.id, gone.id] {
            world.business.change(by_operator(), WriteAppointment { id, appointment_id }).await.unwrap();
        }
        settle().await;
        assert_eq!((world.status(moved.id).await, world.status(gone.id).await), (SYNCED, SYNCED));
        assert!(server.lock().events[&path(moved.id)].1.contains("DTSTART:20260102T100000Z"));
        assert_eq!(server.lock().events.len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_causes_few_alerts_and_none_about_events_that_have_ended() {
    let world = World::new().await;
    let (server, receiver, id) = world.written(Server::default()).await;
    let detail = Some(FeedDetail::Contacts);
    world.business.change(by_operator(), PatchCalendar { detail, ..patch(id) }).await.unwrap();
    let mut all = Vec::new();
    for hour in 9..16 {
        all.push(world.booked(hour, world.staff).await);
    }
    settle().await;
    let version = world.business.connected_calendar(id).await.unwrap().unwrap().version;
    let deleted = |ids: &[AppointmentView]| RecordSeen {
        of: (id, version),
        alerts_max: 2,
        seen: ids.iter().map(|shown| (shown.id, None)).collect(),
    };
    let alerts = world.business.change(by_operator(), deleted(&all[..3])).await.unwrap();
    assert_eq!(alerts.value, 2);
    assert_eq!(world.business.change(by_operator(), deleted(&all[..3])).await.unwrap().value, 0, "no news");
    minutes(3 * 24 * 60).await;
    server.lock().remove(&path(all[3].id));
    let ended = world.business.change(by_operator(), deleted(&all[3..])).await.unwrap();
    assert_eq!(ended.value, 0);
    assert_eq!(world.status(all[3].id).await, FAILED);
    let before = writes(&receiver);
    let contact = all[3].contact_id.unwrap();
    world.business.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    minutes(2).await;
    assert_eq!((world.status(all[3].id).await, writes(&receiver)), (FAILED, before));
}

#[tokio::test(start_paused = true)]
async fn failed_attempts_are_repeated_also_after_a_restart() {
    let mut world = World::new().await;
    let (server, receiver, id) = world.written(Server::default()).await;
    server.lock().write_status = Some((500, None));
    let booked = world.booked(10, world.staff).await;
    settle().await;
    assert_eq!((world.status(booked.id).await, writes(&receiver).0), (PENDING, 1));
    minutes(1).await;
    assert_eq!(writes(&receiver).0, 2, "after 30 seconds");
    world.restart().await;
    world.engine.write_calendars_with(Arc::new(Plain));
    settle().await;
    assert_eq!((world.status(booked.id).await, world.write(id, booked.id).await.attempts), (PENDING, 2));
    minutes(1).await;
    assert_eq!(writes(&receiver).0, 2, "the next attempt follows after 2 minutes");
    server.lock().write_status = None;
    minutes(4).await;
    assert_eq!((world.status(booked.id).await, writes(&receiver).0), (SYNCED, 3));
    server.lock().write_status = Some((503, Some("7200")));
    world.moved(booked.id, 11, world.staff).await;
    minutes(58).await;
    assert_eq!(writes(&receiver).0, 4);
    minutes(4).await;
    assert_eq!(writes(&receiver).0, 5, "a requested pause counts up to an hour");
    server.lock().write_status = Some((507, None));
    minutes(24 * 60).await;
    assert_eq!(world.status(booked.id).await, FAILED, "the attempts are used up");
    server.lock().write_status = None;
    world.moved(booked.id, 12, world.staff).await;
    settle().await;
    assert_eq!(world.status(booked.id).await, SYNCED);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_becomes_due_while_the_machine_is_suspended_is_made_within_30_seconds() {
    let world = World::new().await;
    let (server, _, _) = world.written(Server::default()).await;
    server.lock().write_status = Some((500, None));
    let booked = world.booked(10, world.staff).await.id;
    minutes(3).await;
    server.lock().write_status = None;
    sleep(Duration::from_secs(31)).await;
    assert_eq!(world.status(booked).await, PENDING, "the next attempt follows after 10 minutes");
    world.clock.suspend(Duration::from_secs(600));
    sleep(Duration::from_secs(31)).await;
    assert_eq!(world.status(booked).await, SYNCED);
}

#[tokio::test(start_paused = true)]
async fn a_refused_write_fails_at_once_and_does_not_delay_others() {
    let world = World::new().await;
    let (server, receiver, _) = world.written(Server::default()).await;
    server.lock().write_status = Some((403, None));
    let refused = world.booked(10, world.staff).await.id;
    settle().await;
    assert_eq!(world.status(refused).await, FAILED);
    server.lock().write_status = None;
    let other = world.booked(11, world.staff).await.id;
    settle().await;
    assert_eq!((world.status(refused).await, world.status(other).await), (FAILED, SYNCED));
    minutes(60).await;
    assert_eq!(writes(&receiver).0, 2);
}

#[tokio::test(start_paused = true)]
async fn the_writes_of_a_stopped_calendar_fail_and_are_made_when_it_is_connected_again() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let remote = world.booked(9, world.staff).await.id;
    settle().await;
    server.lock().remove(&path(remote));
    minutes(17).await;
    assert_eq!(world.status(remote).await, FAILED);
    server.lock().is_locked = true;
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    assert_eq!(world.status(booked).await, PENDING);
    minutes(120).await;
    assert_eq!(world.calendar(id).await.status, CalendarStatus::Stopped);
    assert_eq!(world.status(booked).await, FAILED);
    let later = world.booked(11, world.staff).await;
    assert_eq!(later.calendar_sync_status, FAILED);
    server.lock().is_locked = false;
    world.business.change(by_operator(), ReadCalendar { id }).await.unwrap();
    minutes(1).await;
    assert_eq!(world.calendar(id).await.status, CalendarStatus::Connected);
    assert_eq!((world.status(booked).await, world.status(later.id).await), (SYNCED, SYNCED));
    assert_eq!(world.status(remote).await, FAILED, "a remote change is not overwritten");
    assert_eq!(server.lock().events.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_write_of_a_stopped_calendar_that_cannot_be_decoded_causes_no_turns() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    server.lock().write_status = Some((500, None));
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    let row = keys::calendar_write(world.business.id(), id, booked);
    let mut damaged = store::Batch::default();
    damaged.put_over(row, vec![0xff; 8], 8);
    world.engine.shared().write(world.business.id(), damaged, ()).await.unwrap();
    server.lock().is_locked = true;
    minutes(120).await;
    assert_eq!(world.calendar(id).await.status, CalendarStatus::Stopped);
    assert_eq!(world.rows(kind::CALENDAR_WRITE_DUE), 1);
    assert_eq!(world.business.businesses.readings.pending_writes(), 0, "no turn is due");
}

#[tokio::test(start_paused = true)]
async fn every_change_of_the_settings_lets_a_stopped_calendar_be_read_again() {
    let name: fn(CalendarId) -> PatchCalendar = |id| PatchCalendar { name: Some("New".into()), ..patch(id) };
    let detail = |id| PatchCalendar { detail: Some(FeedDetail::Times), ..patch(id) };
    let write = |id| PatchCalendar { write: Some(false), ..patch(id) };
    for change in [name, detail, write] {
        let world = World::new().await;
        let (server, _, id) = world.written(Server::default()).await;
        server.lock().is_locked = true;
        minutes(120).await;
        let same = PatchCalendar { write: Some(true), ..patch(id) };
        world.business.change(by_operator(), same).await.unwrap();
        assert_eq!(world.calendar(id).await.status, CalendarStatus::Stopped, "nothing was changed");
        server.lock().is_locked = false;
        world.business.change(by_operator(), change(id)).await.unwrap();
        settle().await;
        assert_eq!(world.calendar(id).await.status, CalendarStatus::Connected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_to_another_staff_member_deletes_the_event() {
    let world = World::new().await;
    let (server, receiver, id) = world.written(Server::default()).await;
    let bea = world.another_staff("Bea").await;
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    server.lock().write_status = Some((500, None));
    assert_eq!(world.moved(booked, 10, bea).await.calendar_sync_status, PENDING);
    settle().await;
    assert_eq!((world.status(booked).await, world.write_rows()), (PENDING, 3));
    server.lock().write_status = None;
    minutes(1).await;
    assert_eq!((world.status(booked).await, world.write_rows()), (NOT_CONNECTED, 0));
    assert_eq!((server.lock().events.len(), writes(&receiver)), (0, (1, 2)));
    // Both staff members now have a calendar. After a move between them, the event is deleted from one calendar and
    // written to the other.
    let back = world.moved(booked, 10, world.staff).await;
    assert_eq!(back.calendar_sync_status, PENDING);
    settle().await;
    let connect = world.another_calendar(id, bea, &format!("{COLLECTION}bea/")).await;
    let of_bea = world.business.change(by_operator(), connect.clone()).await.unwrap().value.settings.id;
    let full = world.business.change(by_operator(), connect).await.unwrap_err();
    assert!(matches!(full, EngineError::Refused(Refusal::Conflict { .. })), "{full:?}");
    settle().await;
    world.moved(booked, 11, bea).await;
    settle().await;
    assert_eq!((world.status(booked).await, world.rows(kind::CALENDAR_WRITE)), (SYNCED, 1));
    assert_eq!(world.write(of_bea, booked).await.status, SYNCED);
}

#[tokio::test(start_paused = true)]
async fn the_event_that_the_server_names_is_replaced_but_only_on_its_own_origin() {
    let world = World::new().await;
    let (server, receiver, _) = world.written(Server::default()).await;
    server.lock().conflict = Some("other%20name.ics".into());
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    let other = format!("{COLLECTION}other%20name.ics");
    assert_eq!(world.status(booked).await, SYNCED);
    assert!(server.lock().events.contains_key(&other));
    minutes(20).await;
    assert_eq!(world.status(booked).await, SYNCED);
    world.business.change(by_operator(), Cancel { id: booked }).await.unwrap();
    settle().await;
    assert!(server.lock().events.is_empty(), "the deletion uses the named path");
    let dialled = world.net.dialled().len();
    server.lock().conflict = Some("https://evil.example.com/x.ics".into());
    let refused = world.booked(11, world.staff).await.id;
    settle().await;
    assert_eq!(world.status(refused).await, FAILED);
    assert!(world.net.dialled()[dialled..].iter().all(|address| address == "93.184.216.99:443"));
    assert!(receiver.requests().iter().all(|request| !request.contains("evil.example.com")));
}

#[tokio::test(start_paused = true)]
async fn an_erasure_writes_the_event_without_the_contact() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    let detail = Some(FeedDetail::Contacts);
    world.business.change(by_operator(), PatchCalendar { detail, ..patch(id) }).await.unwrap();
    let booked = world.booked(10, world.staff).await;
    settle().await;
    assert!(server.lock().events[&path(booked.id)].1.contains("Zoé"));
    let contact = booked.contact_id.unwrap();
    world.business.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    minutes(2).await;
    assert!(!server.lock().events[&path(booked.id)].1.contains("Zoé"));
    assert_eq!(world.status(booked.id).await, SYNCED);
}

#[tokio::test(start_paused = true)]
async fn a_condition_matches_every_status_of_the_copy() {
    let world = World::new().await;
    let (server, _, _) = world.written(Server::default()).await;
    let booked = world.booked(10, world.staff).await;
    let tag = |shown: &AppointmentView| view::etag(&view::render(shown));
    let request = |tag: String| Request { if_match: Some(IfMatch::Tags(vec![tag])), ..by_operator() };
    settle().await;
    let written = world.shown(booked.id).await;
    assert_ne!(tag(&booked), tag(&written), "a GET shows the new status");
    let moving = MoveRequest { starts_at: start(12), staff_id: None, party: Party::TEAM, duration: None };
    let moved = Reschedule { id: booked.id, request: moving.clone() };
    world.business.change(request(tag(&booked)), moved).await.unwrap();
    settle().await;
    assert!(server.lock().events[&path(booked.id)].1.contains("T120000Z"));
    let stale = Reschedule { id: booked.id, request: MoveRequest { starts_at: start(13), ..moving } };
    let refused = world.business.change(request(tag(&written)), stale).await.unwrap_err();
    assert!(matches!(refused, EngineError::Refused(Refusal::Conflict { .. })), "{refused:?}");
    let notes = PatchAppointment { notes: Some(Some(text("x"))), ..PatchAppointment::of(booked.id) };
    world.business.change(by_operator(), notes).await.unwrap();
    assert_eq!(world.status(booked.id).await, SYNCED, "notes are not in the event");
}

#[tokio::test(start_paused = true)]
async fn a_server_with_many_failing_writes_does_not_starve_other_calendars() {
    let world = World::new().await;
    let (server, receiver, id) = world.written(Server::default()).await;
    server.lock().write_status = Some((500, None));
    let mut all = Vec::new();
    for hour in 9..17 {
        all.push(world.booked(hour, world.staff).await.id);
    }
    settle().await;
    assert_eq!(writes(&receiver).0, 8, "the failure of a write delays only this write");
    assert_eq!(world.engine.calendar_writes_pending().await, Some(8));
    let read_at = world.calendar(id).await.last_read_at;
    minutes(17).await;
    assert!(world.calendar(id).await.last_read_at > read_at, "the calendar is read meanwhile");
    server.lock().write_status = None;
    minutes(30).await;
    for id in all {
        assert_eq!(world.status(id).await, SYNCED);
    }
    assert_eq!(world.engine.calendar_writes_pending().await, Some(0));
}
