//! The function `requests` returns exactly the future appointments that the list of appointments shows as pending.

use chrono::TimeDelta;
use domain::booking::{MoveRequest, Party};
use domain::{AppointmentId, AppointmentStatus, BookingMode};
use engine::BusinessHandle;
use engine::business::AppointmentFilter;
use engine::business::commands::appointments::{Cancel, Confirm, Decline, Reschedule};
use engine::business::commands::profile::PatchBusiness;

use crate::harness::{Shop, World, appointment_of, at, by_operator, first_page, json};

async fn waiting(handle: &BusinessHandle, limit: usize) -> (Vec<AppointmentId>, bool) {
    let (shown, more) = handle.requests(limit).await.unwrap();
    (shown.into_iter().map(|one| one.id).collect(), more)
}

/// Checks that `requests` and the filtered list return the same pending appointments. Returns the number of
/// pending appointments.
async fn agrees(world: &World, shop: &Shop) -> usize {
    let handle = world.at(shop);
    let pending = AppointmentFilter {
        status: vec![AppointmentStatus::Pending],
        from: Some(handle.now()),
        ..AppointmentFilter::default()
    };
    let listed = handle.appointments(&pending, &first_page()).await.unwrap().items;
    let listed: Vec<AppointmentId> = listed.into_iter().map(|one| one.id).collect();
    assert_eq!(waiting(&handle, 100).await, (listed.clone(), false));
    let first = listed.iter().copied().take(1).collect();
    assert_eq!(waiting(&handle, 1).await, (first, listed.len() > 1));
    listed.len()
}

#[tokio::test(start_paused = true)]
async fn the_pending_requests_equal_those_of_the_list() {
    let mut world = World::new(1).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let by_request = PatchBusiness { booking_mode: Some(BookingMode::Request), ..PatchBusiness::default() };
    handle.change(by_operator(), by_request).await.unwrap();
    assert_eq!(agrees(&world, &shop).await, 0);
    let mut ids = Vec::new();
    for (day, hour) in [(3, 9), (2, 9), (20, 12), (5, 9), (4, 15), (3, 11), (1, 9), (6, 10)] {
        let booked = handle.change(by_operator(), shop.booking(at(day, hour), 1)).await.unwrap();
        assert_eq!(json(&booked)["status"], "pending");
        ids.push(appointment_of(&booked));
    }
    assert_eq!(agrees(&world, &shop).await, 8);
    handle.change(by_operator(), Confirm { id: ids[0] }).await.unwrap();
    handle.change(by_operator(), Decline { id: ids[1] }).await.unwrap();
    handle.change(by_operator(), Cancel { id: ids[2] }).await.unwrap();
    assert_eq!(agrees(&world, &shop).await, 5);
    let party = Party::Integration { allow_pending: true };
    let request = MoveRequest { starts_at: at(8, 9), staff_id: Some(shop.staff[1]), party, duration: None };
    handle.change(by_operator(), Reschedule { id: ids[3], request }).await.unwrap();
    assert_eq!(agrees(&world, &shop).await, 5);

    world.crash(0).await;
    assert_eq!(agrees(&world, &shop).await, 5);
    for days in [4, 60, -62, 1] {
        world.jump_and_hold(&shop, TimeDelta::days(days)).await;
        world.at(&shop).change(by_operator(), shop.booking(at(70 + days, 9), 2)).await.unwrap();
        agrees(&world, &shop).await;
    }
    world.restart().await;
    assert!(agrees(&world, &shop).await > 4);
}

#[tokio::test(start_paused = true)]
async fn a_request_is_not_shown_before_it_is_on_the_disk() {
    let world = World::new(2).await;
    let shop = world.shop(1).await;
    let by_request = PatchBusiness { booking_mode: Some(BookingMode::Request), ..PatchBusiness::default() };
    world.at(&shop).change(by_operator(), by_request).await.unwrap();
    world.disk.hold_syncs();
    let booked = world.ask(&shop, shop.booking(at(1, 9), 1)).await;
    let handle = world.at(&shop);
    let asked = tokio::spawn(async move { waiting(&handle, 10).await });
    crate::harness::everything_else_runs().await;
    assert!(!asked.is_finished(), "the response must not show a change that a crash could undo");
    world.disk.release_syncs();
    let id = appointment_of(&booked.await.unwrap().unwrap());
    assert_eq!(asked.await.unwrap(), (vec![id], false));
}
