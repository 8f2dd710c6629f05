//! Tests with damaged rows of connected calendars and of the appointments that are written to them.

use domain::{
    AllDay, CalendarKind, CalendarSyncStatus, CalendarWrite, ConnectedCalendar, FeedDetail, KeyCreator,
    SteadyTime, WebhookUrl,
};
use store::kept::Kept;
use store::records::set_sync_status;

use super::*;

impl Map {
    fn kept<R: Kept>(&mut self, record: &R) {
        let mut rows = store::Batch::default();
        store::kept::put(self.of(), None, record, &mut rows);
        for (key, value) in rows.writes() {
            self.put(key, value.unwrap().to_vec());
        }
    }

    fn sync(&mut self, status: CalendarSyncStatus) {
        let key = self.first(kind::APPOINTMENT);
        let mut row = value_at(self, &key).unwrap().unwrap();
        set_sync_status(&mut row, status).unwrap();
        self.put(&key, row);
    }

    /// Adds a calendar, and writes the first appointment to it.
    fn written(&mut self) -> CalendarWrite {
        let calendar = ConnectedCalendar {
            id: other(),
            staff_id: keys::id_at_end(&self.first(kind::STAFF)).unwrap(),
            name: "Work".into(),
            kind: CalendarKind::Caldav,
            url: WebhookUrl::parse("https://a.example/").unwrap(),
            login: None,
            collection: None,
            collection_name: String::new(),
            busy: false,
            write: true,
            detail: FeedDetail::Services,
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
            server_addresses: Vec::new(),
            version: 0,
            task: None,
            task_at: None,
            removal_until: None,
            created_by: KeyCreator::Operator,
            created_at: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(1),
        };
        let appointment = keys::id_at_end(&self.first(kind::APPOINTMENT)).unwrap();
        let write = CalendarWrite::new(calendar.id, appointment, SteadyTime::from_millis(1));
        self.kept(&calendar);
        self.kept(&write);
        self.sync(CalendarSyncStatus::Pending);
        write
    }
}

const DAMAGES: &[Damage] = &[
    (
        "a calendar of a missing staff member",
        |m| {
            m.written();
            let key = m.first(kind::CALENDAR);
            m.edit::<ConnectedCalendar>(&key, |calendar| calendar.staff_id = other());
        },
        "the staff member that it names is missing",
    ),
    (
        "a write of a calendar that is not listed",
        |m| {
            let write = m.written();
            m.remove(&keys::calendar_index(m.of(), write.calendar_id));
        },
        "the calendar that it belongs to is missing",
    ),
    (
        "a write of a missing appointment",
        |m| {
            let write = m.written();
            let other = CalendarWrite { appointment_id: other(), ..write };
            m.kept(&other);
        },
        "the appointment that it names is missing",
    ),
    (
        "a write of an appointment that is not connected",
        |m| {
            m.written();
            m.sync(CalendarSyncStatus::NotConnected);
        },
        "its appointment is not connected to a calendar",
    ),
    (
        "a connected appointment without a write",
        |m| m.sync(CalendarSyncStatus::Synced),
        "its copy in a connected calendar is missing",
    ),
    (
        "a write that its appointment does not find",
        |m| {
            m.written();
            m.remove(&m.first(kind::CALENDAR_WRITE_OF));
        },
        "its index row by appointment is missing",
    ),
    (
        "a pending write that is not due",
        |m| {
            m.written();
            m.remove(&m.first(kind::CALENDAR_WRITE_DUE));
        },
        "its index row in the list of pending writes is missing",
    ),
    (
        "a due write that does not exist",
        |m| {
            let write = m.written();
            let due = SteadyTime::from_millis(9);
            m.put(
                &keys::calendar_write_due(m.of(), write.calendar_id, due, write.appointment_id),
                Vec::new(),
            );
        },
        "no record has this index row",
    ),
    (
        "a failed write that has not failed",
        |m| {
            let write = m.written();
            m.put(&keys::calendar_write_failed(m.of(), write.calendar_id, write.appointment_id), Vec::new());
        },
        "no record has this index row",
    ),
];

#[tokio::test]
async fn damage_to_calendars_is_found_and_named() {
    let good = good().await;
    let mut with_calendar = good.clone();
    with_calendar.written();
    let report = check(&with_calendar).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    each_is_found(&good, DAMAGES);
}
