//! A seeded simulation of writes: random changes of appointments and of the calendar, failures of the server, restarts
//! and power cuts.
//!
//! Invariants:
//! - After each power cut, the server has the events of all appointments that are durably `synced`.
//! - When the failures end, the server has exactly the events of the active appointments of the staff member, each with
//!   its current start.

use domain::booking::MoveRequest;
use domain::{Appointment, AppointmentId, CalendarSyncStatus};

use super::writing::{Plain, patch, path, start};
use super::*;
use crate::business::commands::appointments::{Cancel, Reschedule};

const SEEDS: u64 = 12;
const STEPS: usize = 40;

impl World {
    fn appointments(&self) -> Vec<Appointment> {
        let range = keys::of_kind(self.business.id(), kind::APPOINTMENT);
        let store = &self.engine.shared().store;
        store.records::<Appointment>(&range, Order::Ascending).map(|row| row.unwrap().1).collect()
    }

    /// Whether the server has an event for the appointment, at the appointment's current start.
    fn has_event(&self, server: &Shared, it: &Appointment) -> bool {
        let starts = format!("DTSTART:{}", it.starts_at.utc().format("%Y%m%dT%H%M%SZ"));
        server.lock().events.get(&path(it.id)).is_some_and(|(_, text)| text.contains(&starts))
    }

    fn is_written(&self, it: &Appointment) -> bool {
        it.is_active() && it.staff_id == self.staff
    }

    async fn random_change(&self, chance: &mut Chance, other: StaffId, calendar: CalendarId) {
        let ids: Vec<AppointmentId> = self.appointments().iter().map(|it| it.id).collect();
        let staff = if chance.below(4) == 0 { other } else { self.staff };
        let starts_at = start(9 + u32::try_from(chance.below(8)).unwrap());
        let party = Party::TEAM;
        let pick = ids.get(usize::try_from(chance.below(ids.len().max(1) as u64)).unwrap()).copied();
        // A refusal, for example because the time is taken, is expected.
        match (chance.below(8), pick) {
            (0..=2, _) | (_, None) => {
                let (service_id, staff_id, source) = (self.service, Some(staff), Source::Api);
                let request = BookRequest { service_id, starts_at, staff_id, source, party, duration: None };
                let details = ContactDetails { name: Some(text("Zoé")), ..ContactDetails::default() };
                let book = Book { request, contact: BookingContact::Described(details) };
                let _ = self.business.change(by_operator(), book).await;
            }
            (3..=5, Some(id)) => {
                let request = MoveRequest { starts_at, staff_id: Some(staff), party, duration: None };
                let _ = self.business.change(by_operator(), Reschedule { id, request }).await;
            }
            (6, Some(id)) => _ = self.business.change(by_operator(), Cancel { id }).await,
            (_, Some(_)) => {
                let detail = if chance.below(2) == 0 { FeedDetail::Times } else { FeedDetail::Contacts };
                let change = PatchCalendar { detail: Some(detail), ..patch(calendar) };
                let _ = self.business.change(by_operator(), change).await;
            }
        }
    }
}

async fn run(seed: u64) {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World::new().await;
    let (server, _, calendar) = world.written(Server::default()).await;
    let other = world.another_staff("Bea").await;
    server.lock().chance = Some(chance.clone());
    world.disk.set_sync_delay(Duration::from_millis(2));
    for step in 0..STEPS {
        world.random_change(&mut chance, other, calendar).await;
        let pause = [0, 1, 3, 10, 60_000, 600_000][usize::try_from(chance.below(6)).unwrap()];
        sleep(Duration::from_millis(pause)).await;
        match chance.below(8) {
            0 => {
                world.disk.crash(usize::try_from(chance.below(3)).unwrap());
                let _ = world.engine.clone().close().await;
                world.engine = open(&world.disk, &world.ports).await;
                world.business = world.engine.business(world.business.id());
                for it in world.appointments() {
                    let is_synced = it.calendar_sync_status == CalendarSyncStatus::Synced;
                    let is_right = world.has_event(&server, &it) == world.is_written(&it);
                    assert!(!is_synced || is_right, "seed {seed}, step {step}: {it:?}");
                }
                world.engine.write_calendars_with(Arc::new(Plain));
            }
            1 => {
                world.restart().await;
                world.engine.write_calendars_with(Arc::new(Plain));
            }
            _ => {}
        }
    }
    server.lock().chance = None;
    minutes(14 * 60).await;
    let mut expected = 0;
    for it in world.appointments() {
        assert_eq!(world.has_event(&server, &it), world.is_written(&it), "seed {seed}: {it:?}");
        let status = it.calendar_sync_status;
        assert!(
            !matches!(status, CalendarSyncStatus::Pending | CalendarSyncStatus::Failed),
            "seed {seed}: {it:?}"
        );
        assert!(!world.is_written(&it) || status == CalendarSyncStatus::Synced, "seed {seed}: {it:?}");
        expected += usize::from(world.is_written(&it));
    }
    assert_eq!(server.lock().events.len(), expected, "seed {seed}");
}

#[tokio::test(start_paused = true)]
async fn random_changes_failures_and_power_cuts_lose_no_write() {
    for seed in 1..=SEEDS {
        run(seed).await;
    }
}
