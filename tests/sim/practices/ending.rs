//! The end of the simulation: all calendar servers work, and the last writes are made.

use std::sync::Arc;
use std::time::Duration;

use domain::{CalendarStatus, CalendarSyncStatus, FeedDetail, StaffId};
use engine::business::AppointmentFilter;
use engine::business::commands::calendars::{ReadCalendar, RemoveCalendar};
use engine::business::commands::writing::WriteAppointment;
use view::{AppointmentView, CalendarView, CalendarWriteView};

use super::PRACTICES;
use super::client::Client;
use super::host::{CalendarHost, uid};
use super::probe::IGNORING_NOTHING;
use crate::life::Life;
use crate::looks::all;
use crate::sim::Sim;

/// If the servers work, the service makes all due reads and writes within this time.
const SETTLED: Duration = Duration::from_secs(10 * 60);
/// The number of contacts of each practice that are erased at the end.
const ERASED: usize = 2;
/// After this number of attempts, the service no longer repeats a write by itself.
const ATTEMPTS_MAX: u32 = 9;

impl Sim {
    /// Checks the busy times while the calendar servers may still fail.
    pub(crate) async fn check_failing_calendars(&self, life: &Life) {
        let count = self.practices.all.lock().len();
        for at in 0..count {
            self.practice_client(life, at).check_kept_busy_times().await;
        }
    }

    /// Checks the calendars of the practices. Before the call, all calendar servers must have worked without faults for
    /// at least 13 hours.
    pub(crate) async fn end_practices(&mut self, life: &Life) {
        if self.practices.all.lock().is_empty() {
            return;
        }
        for task in self.practices.tasks.drain(..) {
            // The requests of earlier runs have ended with their engine.
            let _ = task.await;
        }
        let clients: Vec<_> = (0..PRACTICES).map(|at| self.practice_client(life, at)).collect();
        for client in &clients {
            client.check_nothing_waits().await;
            // A read stores only the busy times near the time of the service's clock. If this clock was wrong during a
            // read, the busy times near the true time may be missing. The reads that are requested below restore them.
            // Therefore the check before these reads needs a clock that has never jumped.
            if self.world.time.jumps() == 0 {
                client.check_busy_times().await;
            }
            client.request_all_reads().await;
        }
        tokio::time::sleep(SETTLED).await;
        for client in &clients {
            client.request_all_writes().await;
            client.erase_some().await;
        }
        tokio::time::sleep(SETTLED).await;
        let mut removed = Vec::new();
        for client in &clients {
            client.check_events().await;
            client.check_busy_times().await;
            removed.push(client.remove_calendars().await);
        }
        tokio::time::sleep(SETTLED).await;
        for (client, removed) in clients.iter().zip(removed) {
            client.check_removed(&removed).await;
        }
    }
}

impl Client {
    async fn appointments(&self) -> Vec<AppointmentView> {
        let filter = AppointmentFilter::default();
        all(50, async |page| self.handle.appointments(&filter, &page).await).await.unwrap()
    }

    async fn writes(&self, calendar: &CalendarView) -> Vec<CalendarWriteView> {
        let id = calendar.settings.id;
        all(50, async |page| self.handle.calendar_writes(id, None, &page).await).await.unwrap()
    }

    async fn written_calendars(&self) -> Vec<(CalendarView, Arc<CalendarHost>)> {
        let mut calendars = self.calendars().await.unwrap();
        calendars.retain(|it| it.settings.write && it.status != CalendarStatus::Disconnecting);
        calendars.into_iter().map(|it| (it.clone(), self.host(&it))).collect()
    }

    /// Checks that no write is pending, and that each failed write has a valid reason.
    async fn check_nothing_waits(&self) {
        for (calendar, host) in self.written_calendars().await {
            for write in self.writes(&calendar).await {
                let is_refused = host.state().refused.contains(&write.appointment_id);
                let is_excused = write.reason.is_some()
                    || is_refused
                    || write.attempts >= ATTEMPTS_MAX
                    || calendar.status == CalendarStatus::Stopped;
                let is_right = match write.status {
                    CalendarSyncStatus::Synced => true,
                    CalendarSyncStatus::Failed => is_excused,
                    _ => false,
                };
                assert!(is_right, "{write:?} is not written to {}: {calendar:?}", host.name);
            }
        }
        let known = self.written_calendars().await;
        let is_written = |staff: StaffId| known.iter().any(|(it, _)| it.settings.staff_id == staff);
        for it in self.appointments().await {
            // If the clock was ahead, the service did not write the appointments that had ended by its clock. So
            // only appointments that end after the latest time of its clock are checked.
            let is_to_come = it.ends_at > self.world.time.latest_believed();
            let is_unknown = it.calendar_sync_status == CalendarSyncStatus::NotConnected;
            let is_lost = it.status.is_active() && is_to_come && is_written(it.staff_id) && is_unknown;
            assert!(!is_lost, "the appointment {it:?} is not written");
        }
    }

    async fn request_all_reads(&self) {
        for calendar in self.calendars().await.unwrap() {
            self.ask(ReadCalendar { id: calendar.settings.id }).await;
        }
    }

    /// Requests each write that failed, and each write that was omitted because the clock was wrong.
    async fn request_all_writes(&self) {
        let appointments = self.appointments().await;
        for (calendar, _) in self.written_calendars().await {
            let id = calendar.settings.id;
            let failed = |it: &CalendarWriteView| it.status == CalendarSyncStatus::Failed;
            for write in self.writes(&calendar).await.into_iter().filter(failed) {
                self.ask(WriteAppointment { id, appointment_id: write.appointment_id }).await.unwrap();
            }
            for it in appointments.iter().filter(|it| it.staff_id == calendar.settings.staff_id) {
                let is_unknown = it.calendar_sync_status == CalendarSyncStatus::NotConnected;
                if it.status.is_active() && is_unknown && it.ends_at > self.world.time.truth() {
                    self.ask(WriteAppointment { id, appointment_id: it.id }).await.unwrap();
                }
            }
        }
    }

    /// Erases contacts whose names are in written events.
    async fn erase_some(&self) {
        let named: Vec<_> = self
            .written_calendars()
            .await
            .into_iter()
            .filter(|(it, _)| it.settings.detail == FeedDetail::Contacts)
            .map(|(it, _)| it.settings.staff_id)
            .collect();
        let appointments = self.appointments().await;
        let of_named = appointments.iter().filter(|it| it.status.is_active() && named.contains(&it.staff_id));
        for id in of_named.filter_map(|it| it.contact_id).take(ERASED) {
            self.erase_one(id).await;
        }
    }

    /// Checks that each server has exactly the events of the appointments.
    async fn check_events(&self) {
        let now = self.world.time.truth();
        let appointments = self.appointments().await;
        for (calendar, host) in self.written_calendars().await {
            assert_eq!(calendar.status, CalendarStatus::Connected, "{calendar:?}");
            let writes = self.writes(&calendar).await;
            let is_synced = |id| {
                let write = writes.iter().find(|it| it.appointment_id == id);
                write.is_some_and(|it| it.status == CalendarSyncStatus::Synced)
            };
            let (state, settings) = (host.state(), &calendar.settings);
            let is_left = |text: &str| state.left.iter().any(|id| text.contains(&uid(*id)));
            let events: Vec<_> = state.own().filter(|(_, text)| !is_left(text)).collect();
            for it in &appointments {
                let uid = uid(it.id);
                let found: Vec<_> = state.own().filter(|(_, text)| text.contains(&uid)).collect();
                let is_meant = it.status.is_active() && it.staff_id == settings.staff_id;
                if is_meant && it.ends_at > now {
                    let times = it.starts_at..it.ends_at;
                    let is_right = |text: &str| super::shows(text, it.status, &times);
                    let is_there = matches!(found[..], [(_, text)] if is_right(text));
                    assert!(is_there && is_synced(it.id), "{} has {found:?} for {it:?}", host.name);
                }
                let is_gone = found.is_empty() || state.left.contains(&it.id);
                assert!(is_meant || is_gone, "{} has {found:?} for {it:?}", host.name);
            }
            for (path, text) in events {
                let of = appointments.iter().find(|it| text.contains(&uid(it.id)));
                let of =
                    of.unwrap_or_else(|| panic!("{path} at {} is of another business: {text}", host.name));
                // The setting `detail` determines whether events contain names. After a change of this setting,
                // the service does not write the events of past appointments again, so they are not checked.
                if !state.has_changed_detail || of.ends_at > self.world.time.latest_believed() {
                    self.check_names(of, text, settings.detail);
                }
            }
        }
    }

    /// Checks that an event contains the name of its contact if and only if the setting `detail` says so.
    fn check_names(&self, it: &AppointmentView, text: &str, detail: FeedDetail) {
        self.practice(|practice| {
            for (contact, number) in &practice.contacts {
                let is_shown = text.contains(&super::name(*number));
                let erased = practice.erased.get(contact);
                let may_show = it.contact_id == Some(*contact) && detail == FeedDetail::Contacts;
                assert!(!is_shown || may_show, "{text} names {contact}");
                assert!(!is_shown || erased != Some(&true), "{text} names {contact}, who is erased");
                assert!(is_shown || !may_show, "{text} does not name {contact}");
            }
        });
    }

    /// Checks that a time is listed if and only if no busy time of a connected calendar overlaps it.
    async fn check_busy_times(&self) {
        let (staff, calendars) = (self.practice(|it| it.staff.clone()), self.calendars().await.unwrap());
        for member in staff {
            let of_member = calendars.iter().filter(|it| it.settings.staff_id == member && it.settings.busy);
            let of_member: Vec<_> = of_member.collect();
            if of_member.iter().any(|it| it.status != CalendarStatus::Connected) {
                continue;
            }
            let busy: Vec<_> = of_member
                .iter()
                .flat_map(|it| self.host(it).state().foreign.values().cloned().collect::<Vec<_>>())
                .flat_map(|foreign| foreign.busy)
                .collect();
            let (listed, all) = self.listed_both(Some(member), IGNORING_NOTHING).await.unwrap();
            for slot in all {
                let meets = busy.iter().find(|it| it.start < slot.ends_at && it.end > slot.starts_at);
                let is_listed = listed.contains(&slot);
                assert_eq!(
                    is_listed,
                    meets.is_none(),
                    "{slot:?} of {member} beside {meets:?}: {of_member:?}"
                );
            }
        }
    }

    async fn remove_calendars(&self) -> Vec<Arc<CalendarHost>> {
        let mut hosts = Vec::new();
        for (calendar, host) in self.written_calendars().await {
            self.ask(RemoveCalendar { id: calendar.settings.id }).await.unwrap();
            hosts.push(host);
        }
        hosts
    }

    /// Checks that the calendars are disconnected and that the events that had not ended are deleted.
    async fn check_removed(&self, hosts: &[Arc<CalendarHost>]) {
        let (now, calendars) = (self.world.time.truth(), self.calendars().await.unwrap());
        assert!(calendars.iter().all(|it| !it.settings.write), "{calendars:?}");
        for it in self.appointments().await {
            let writes = self.handle.writes_of_appointment(it.id).await.unwrap();
            let is_unknown = it.calendar_sync_status == CalendarSyncStatus::NotConnected;
            assert!(writes.is_empty() == is_unknown, "{it:?} has {writes:?}");
            for host in hosts.iter().filter(|_| it.ends_at > now) {
                let state = host.state();
                let is_there = state.has(&uid(it.id));
                assert!(!is_there || state.left.contains(&it.id), "{} still has {it:?}", host.name);
            }
        }
    }
}
