//! A simulation of power cuts during writes to a CalDAV server in memory.

use domain::AppointmentId;
use domain::booking::MoveRequest;

use super::writing::{NOT_CONNECTED, Plain, SYNCED, path, start};
use super::*;
use crate::business::commands::appointments::{Cancel, Reschedule};

/// Runs the same sequence of changes again and again, and cuts the power one millisecond later each time. A sync takes
/// 2 ms, so some cuts happen before an outcome is durable.
#[tokio::test(start_paused = true)]
async fn a_power_cut_at_every_step_loses_no_write() {
    for step in 1..60 {
        let mut world = World::new().await;
        let (server, _, _) = world.written(Server::default()).await;
        let bea = world.another_staff("Bea").await;
        world.disk.set_sync_delay(Duration::from_millis(2));
        let business = world.business.clone();
        let staff = world.staff;
        let known: Arc<Mutex<BTreeMap<AppointmentId, Option<Timestamp>>>> = Arc::default();
        let (noted, service) = (Arc::clone(&known), world.service);
        let work = async move {
            let book = |hour: u32| {
                let (source, party) = (Source::Api, Party::TEAM);
                let (starts_at, staff_id) = (start(hour), Some(staff));
                let request =
                    BookRequest { service_id: service, starts_at, staff_id, source, party, duration: None };
                let details = ContactDetails { name: Some(text("Zoé")), ..ContactDetails::default() };
                Book { request, contact: BookingContact::Described(details) }
            };
            let shift = |id: AppointmentId, hour: u32, staff: StaffId| {
                let (starts_at, staff_id) = (start(hour), Some(staff));
                let request = MoveRequest { starts_at, staff_id, party: Party::TEAM, duration: None };
                Reschedule { id, request }
            };
            let first = business.change(by_operator(), book(9)).await?.value;
            noted.lock().insert(first.id, Some(first.starts_at));
            let second = business.change(by_operator(), book(10)).await?.value;
            noted.lock().insert(second.id, Some(second.starts_at));
            sleep(Duration::from_millis(7)).await;
            business.change(by_operator(), shift(first.id, 12, staff)).await?;
            noted.lock().insert(first.id, Some(start(12)));
            sleep(Duration::from_millis(3)).await;
            business.change(by_operator(), Cancel { id: second.id }).await?;
            noted.lock().insert(second.id, None);
            let third = business.change(by_operator(), book(14)).await?.value;
            noted.lock().insert(third.id, Some(third.starts_at));
            sleep(Duration::from_millis(5)).await;
            business.change(by_operator(), shift(third.id, 14, bea)).await?;
            noted.lock().insert(third.id, None);
            Ok::<_, EngineError>(())
        };
        let work = tokio::spawn(work);
        sleep(Duration::from_millis(step)).await;
        world.disk.crash(step as usize % 3);
        work.abort();
        // At the moment of the cut, the events of all durably synced appointments are on the server.
        let _ = world.engine.clone().close().await;
        world.engine = open(&world.disk, &world.ports).await;
        world.business = world.engine.business(world.business.id());
        let all = known.lock().clone();
        for (id, _) in all {
            let shown = world.shown(id).await;
            if shown.calendar_sync_status == SYNCED {
                let event = server.lock().events.get(&path(id)).map(|(_, text)| text.clone());
                let starts = format!("DTSTART:{}", shown.starts_at.utc().format("%Y%m%dT%H%M%SZ"));
                let is_there = event.is_some_and(|text| text.contains(&starts));
                assert_eq!(is_there, shown.status.is_active(), "step {step}");
            }
        }
        world.engine.write_calendars_with(Arc::new(Plain));
        minutes(20).await;
        // The store may also contain a change that was not acknowledged. So the expected events are computed from the
        // appointments in the store, and not from the acknowledged changes.
        let mut expected = BTreeMap::new();
        let all = known.lock().clone();
        for (id, _) in all {
            let shown = world.shown(id).await;
            let is_written = shown.status.is_active() && shown.staff_id == staff;
            assert!(matches!(shown.calendar_sync_status, SYNCED | NOT_CONNECTED), "step {step}");
            if is_written {
                expected
                    .insert(path(id), format!("DTSTART:{}", shown.starts_at.utc().format("%Y%m%dT%H%M%SZ")));
            }
        }
        let server = server.lock();
        for (path, starts) in &expected {
            assert!(server.events[path].1.contains(starts), "step {step}: {path}");
        }
        let unknown = server.events.keys().filter(|path| !expected.contains_key(*path)).count();
        assert!(unknown <= 1, "only the event of a booking that was not acknowledged, step {step}");
        drop(server);
        let known = known.lock().len();
        assert!(known > 0 || step < 20, "step {step}");
    }
}
