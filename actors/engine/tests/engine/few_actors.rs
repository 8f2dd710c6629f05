//! The number of businesses exceeds the maximum number of actors. The actor that has been unused for longest is
//! stopped first, and no request fails because the maximum has been reached.

use std::time::Duration;

use domain::ContactDetails;
use engine::Limits;
use engine::business::commands::catalog::DeleteService;
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::erasure::EraseContact;

use crate::harness::{
    Shop, World, at, body, by_operator, everything_else_runs, id_of, is_taken, once, pass, text,
};

/// A world with this many shops and this limit on the actors of businesses and people.
async fn world(seed: u64, shops: usize, actors: usize) -> (World, Vec<Shop>) {
    let mut world = World::new(seed).await;
    let mut all = Vec::new();
    for _ in 0..shops {
        all.push(world.shop(1).await);
    }
    world.limits = Limits { business_actors: actors, person_actors: actors, ..Limits::default() };
    world.restart().await;
    (world, all)
}

#[tokio::test(start_paused = true)]
async fn a_business_with_a_change_in_progress_is_not_stopped_and_the_limit_applies_again_afterwards() {
    let (world, shops) = world(1, 4, 1).await;
    for shop in &shops {
        world.at(shop).budget().await.unwrap();
        everything_else_runs().await;
    }
    assert_eq!(world.engine.running_businesses(), 1);
    world.disk.hold_syncs();
    let mut bookings = Vec::new();
    for shop in &shops {
        bookings.push(world.ask(shop, shop.booking(at(1, 9), 1)).await);
    }
    assert_eq!(world.engine.running_businesses(), 4, "each business must have a change in progress");
    world.disk.release_syncs();
    for booking in bookings {
        booking.await.unwrap().unwrap();
    }
    pass(1).await;
    assert_eq!(
        world.engine.running_businesses(),
        1,
        "the sweep must have stopped the actors above the limit"
    );
    for shop in &shops {
        assert!(is_taken(&world.at(shop).change(by_operator(), shop.booking(at(1, 9), 2)).await));
    }
}

#[tokio::test(start_paused = true)]
async fn every_request_gets_a_response_although_only_one_actor_may_run() {
    let (world, shops) = world(2, 6, 1).await;
    world.disk.set_sync_delay(Duration::from_millis(3));
    let mut asked = Vec::new();
    for round in 0..20 {
        for shop in &shops {
            let (handle, booking) = (world.at(shop), shop.booking(at(1 + round, 9), 1));
            asked.push(tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(u64::try_from(round).unwrap() % 7)).await;
                handle.change(by_operator(), booking).await
            }));
        }
    }
    for asked in asked {
        let answer = tokio::time::timeout(Duration::from_secs(30), asked).await;
        answer.expect("the request must get a response").unwrap().unwrap();
    }
    world.at(&shops[0]).budget().await.unwrap();
    pass(1).await;
    assert_eq!(world.engine.running_businesses(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_business_is_not_stopped_before_its_erasure_ends() {
    let (world, shops) = world(3, 2, 1).await;
    let (shop, other) = (world.at(&shops[0]), world.at(&shops[1]));
    let details = ContactDetails { name: Some(text("Ada")), ..ContactDetails::default() };
    let id = id_of(&shop.change(by_operator(), CreateContact { details }).await.unwrap());
    world.disk.set_sync_delay(Duration::from_secs(2));
    shop.change(by_operator(), EraseContact { id }).await.unwrap();
    everything_else_runs().await;
    // The first step of the erasure is being synced. So the actor of the business with the erasure must not be stopped,
    // although no request to this business is in progress.
    other.budget().await.unwrap();
    assert_eq!(world.engine.running_businesses(), 2, "the erasure step in progress must keep its actor");
    world.disk.set_sync_delay(Duration::ZERO);
    pass(2).await;
    assert_eq!(world.engine.running_businesses(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_finds_its_watch_although_other_businesses_got_requests_meanwhile() {
    let (world, shops) = world(4, 3, 1).await;
    let shop = world.shop(0).await;
    let watch = world.at(&shop).watch_unused_service(shop.service).await.unwrap();
    for other in &shops {
        world.at(other).budget().await.unwrap();
        everything_else_runs().await;
    }
    let delete = DeleteService { id: shop.service, watch };
    world.at(&shop).change(by_operator(), delete).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_response_is_replayed_although_its_actor_was_stopped() {
    let (world, shops) = world(5, 2, 1).await;
    let booking = || shops[0].booking(at(1, 9), 1);
    let first = world.at(&shops[0]).change(once(1, 1), booking()).await.unwrap();
    world.at(&shops[1]).budget().await.unwrap();
    let again = world.at(&shops[0]).change(once(1, 1), booking()).await.unwrap();
    assert!(again.replayed && body(&again) == body(&first));
}

#[tokio::test(start_paused = true)]
async fn the_sweep_is_spread_over_the_minute() {
    const SHOPS: usize = 100;
    let (world, shops) = world(6, SHOPS, SHOPS).await;
    for shop in &shops {
        world.at(shop).budget().await.unwrap();
    }
    assert_eq!(world.engine.running_businesses(), SHOPS);
    let (mut before, mut seconds) = (SHOPS, 0);
    for _ in 0..13 * 60 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = world.engine.running_businesses();
        assert!(before - now <= 16, "{} actors were stopped in one sweep", before - now);
        seconds += usize::from(now < before);
        before = now;
    }
    assert_eq!(before, 0, "the sweep must stop all actors");
    assert_eq!(seconds, SHOPS.div_ceil(16));
}
