//! A response that shows a change is sent only after the change is durable.

use domain::availability::Terms;
use domain::{AppointmentStatus, Timestamp};
use engine::EngineError;
use engine::business::AppointmentFilter;
use engine::business::commands::appointments::Cancel;

use crate::harness::{
    World, appointment_of, at, body, by_operator, everything_else_runs, first_page, is_taken, once,
};

#[tokio::test(start_paused = true)]
async fn a_booking_and_the_refusals_that_it_causes_get_responses_after_its_sync() {
    let world = World::new(1).await;
    let shop = world.shop(1).await;
    world.disk.hold_syncs();
    let booking = world.ask(&shop, shop.booking(at(1, 10), 1)).await;
    let refused = world.ask(&shop, shop.booking(at(1, 10), 2)).await;
    let handle = world.at(&shop);
    let day = at(1, 0).utc().date_naive();
    let (service, open) = (shop.service, handle.clone());
    let availability =
        tokio::spawn(async move { open.availability(service, None, (day, day), Terms::Integration).await });
    everything_else_runs().await;
    assert!(!booking.is_finished() && !refused.is_finished() && !availability.is_finished());
    assert_eq!(world.disk.unsynced(), 1);

    world.disk.release_syncs();
    booking.await.unwrap().unwrap();
    assert!(is_taken(&refused.await.unwrap()));
    let open = availability.await.unwrap().unwrap();
    let hour = |hour| open.iter().any(|slot| slot.starts_at == at(1, hour));
    assert!(hour(9) && !hour(10) && hour(11));
}

/// On a nearly full disk, two requests with different idempotency keys cancel the same appointment. The first request
/// is accepted. The second request has nothing left to cancel and would only store its response, so it is refused. A
/// client can conclude from this refusal that the appointment is cancelled. So the refusal is sent only when the
/// cancellation is durable.
#[tokio::test(start_paused = true)]
async fn a_refusal_for_lack_of_space_is_sent_after_the_change_that_it_shows_is_durable() {
    let world = World::new(4).await;
    let shop = world.shop(1).await;
    let booked = world.at(&shop).change(by_operator(), shop.booking(at(1, 10), 1)).await.unwrap();
    let id = appointment_of(&booked);
    world.disk.set_free(255 << 20);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    world.disk.hold_syncs();
    let cancelled = world.ask_as(&shop, once(1, 1), Cancel { id }).await;
    let in_vain = world.ask_as(&shop, once(2, 2), Cancel { id }).await;
    assert!(!cancelled.is_finished() && !in_vain.is_finished());
    let shown = world.at(&shop).appointment(id).await.unwrap().unwrap();
    assert_eq!(shown.status, AppointmentStatus::Confirmed);

    world.disk.release_syncs();
    cancelled.await.unwrap().unwrap();
    assert!(matches!(in_vain.await.unwrap(), Err(EngineError::DiskFull(_))));
}

#[tokio::test(start_paused = true)]
async fn reads_do_not_show_an_unsynced_change_and_wait_only_if_they_must_include_it() {
    let world = World::new(2).await;
    let shop = world.shop(1).await;
    let (other, handle) = (world.shop(1).await, world.at(&shop));
    let booked = handle.change(by_operator(), shop.booking(at(1, 10), 1)).await.unwrap();
    let id = appointment_of(&booked);
    world.disk.hold_syncs();
    let cancelled = world.ask(&shop, Cancel { id }).await;

    let cancelled_only =
        AppointmentFilter { status: vec![AppointmentStatus::Cancelled], ..AppointmentFilter::default() };
    let changed = AppointmentFilter { updated_since: Some(Timestamp::MIN), ..cancelled_only.clone() };
    let (one, by_start, by_change, log) = (handle.clone(), handle.clone(), handle.clone(), handle.clone());
    let one = tokio::spawn(async move { one.appointment(id).await });
    let by_start = tokio::spawn(async move { by_start.appointments(&cancelled_only, &first_page()).await });
    let by_change = tokio::spawn(async move { by_change.appointments(&changed, &first_page()).await });
    let log = tokio::spawn(async move { log.audit(&first_page()).await });
    everything_else_runs().await;
    assert!(!cancelled.is_finished());
    assert!(one.is_finished() && by_start.is_finished() && log.is_finished());
    assert!(
        !by_change.is_finished(),
        "the list must wait, because the pending change may have an earlier timestamp"
    );
    assert!(world.at(&other).business().await.is_ok(), "another business must not have to wait");

    world.disk.release_syncs();
    let cancelled = cancelled.await.unwrap().unwrap();
    // The list ordered by `updated_at` had to wait for every earlier change, so it shows the cancellation. The other
    // reads did not wait, and do not show it.
    assert_eq!(one.await.unwrap().unwrap().unwrap().status, AppointmentStatus::Confirmed);
    assert!(by_start.await.unwrap().unwrap().items.is_empty());
    assert_eq!(by_change.await.unwrap().unwrap().items.len(), 1);
    assert_eq!(log.await.unwrap().unwrap().items[0].action.as_str(), "appointment.booked");
    // After the cancellation is acknowledged, every read shows it.
    let one = handle.appointment(id).await.unwrap().unwrap();
    assert_eq!(serde_json::to_string(&one).unwrap(), body(&cancelled));
    assert_eq!(handle.audit(&first_page()).await.unwrap().items[0].action.as_str(), "appointment.cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_read_shows_no_change_that_a_crash_could_undo() {
    let mut world = World::new(3).await;
    let shop = world.shop(1).await;
    world.disk.hold_syncs();
    let booking = world.ask(&shop, shop.booking(at(1, 10), 1)).await;
    let handle = world.at(&shop);
    everything_else_runs().await;
    let before = handle.appointments(&AppointmentFilter::default(), &first_page()).await.unwrap();
    assert!(before.items.is_empty());
    world.crash(0).await;
    assert!(matches!(booking.await.unwrap(), Err(EngineError::Stopping | EngineError::Failed)));
    let left = world.at(&shop).appointments(&AppointmentFilter::default(), &first_page()).await.unwrap();
    assert!(left.items.is_empty());
}
