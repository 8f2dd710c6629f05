//! Each business has at most one actor. The actor is started on demand, and stopped when the business is unused.

use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, KeyId, Scopes, Timestamp};
use engine::EngineError;
use engine::business::commands::keys::{CreateKey, RevokeKey};
use engine::business::{AppointmentFilter, Request};
use engine::credentials::Credential;

use crate::harness::{
    World, at, by_operator, everything_else_runs, first_page, id_of, is_taken, json, pass, text, walk,
};

#[tokio::test(start_paused = true)]
async fn an_idle_business_is_stopped_and_loaded_again_unchanged() {
    let world = World::new(1).await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    assert_eq!(world.engine.running_businesses(), 2);
    for _ in 0..4 {
        pass(5).await;
        world.at(&other).change(by_operator(), RevokeKey { id: uuid::Uuid::nil().into() }).await.unwrap_err();
    }
    assert_eq!(world.engine.running_businesses(), 1, "only the business in use must still run");
    assert!(is_taken(&world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 2)).await));
    assert_eq!(world.engine.running_businesses(), 2);
    pass(12).await;
    assert_eq!(world.engine.running_businesses(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_business_with_a_request_in_progress_is_not_stopped() {
    let world = World::new(2).await;
    let shop = world.shop(1).await;
    world.disk.hold_syncs();
    let booking = world.ask(&shop, shop.booking(at(1, 9), 1)).await;
    pass(60).await;
    assert_eq!(world.engine.running_businesses(), 1);
    world.disk.release_syncs();
    booking.await.unwrap().unwrap();
    pass(12).await;
    assert_eq!(world.engine.running_businesses(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_at_the_moment_of_the_sweep_gets_a_response() {
    let world = World::new(3).await;
    let shop = world.shop(1).await;
    let begin = at(1, 0);
    for round in 0..60 {
        // The sweep stops an actor after at most 11 idle minutes. Each request arrives 11 minutes after the
        // previous request, or 3 ms earlier, so some arrive while the sweep stops the actor.
        tokio::time::sleep(Duration::from_millis(11 * 60_000 - 3 * (round % 2))).await;
        let start = begin + chrono::TimeDelta::hours(i64::try_from(round).unwrap());
        let contact = usize::try_from(round).unwrap();
        let handle = world.at(&shop);
        let (first, second) = tokio::join!(
            handle.change(by_operator(), shop.booking(start, contact)),
            handle.change(by_operator(), shop.booking(start, contact)),
        );
        assert!(first.is_ok() != second.is_ok());
        assert!(is_taken(&first) || is_taken(&second));
    }
    let handle = world.at(&shop);
    let all = walk(100, async |page| handle.appointments(&AppointmentFilter::default(), &page).await).await;
    assert_eq!(all.len(), 60);
}

/// Many first requests arrive at the same time on several threads. If two actors were started, both would
/// book the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_first_requests_start_one_actor() {
    let mut world = World::new(4).await;
    let mut shops = Vec::new();
    for _ in 0..64 {
        shops.push(world.shop(1).await);
    }
    world.restart().await;
    for shop in &shops {
        let handle = world.at(shop);
        let barrier = Arc::new(tokio::sync::Barrier::new(8));
        let book = |contact| {
            let (handle, shop, barrier) = (handle.clone(), shop.clone(), Arc::clone(&barrier));
            tokio::spawn(async move {
                barrier.wait().await;
                handle.change(by_operator(), shop.booking(at(1, 9), contact)).await
            })
        };
        let asked: Vec<_> = (0..8).map(book).collect();
        let mut booked = 0;
        for answer in asked {
            let answer = answer.await.unwrap();
            booked += usize::from(answer.is_ok());
            assert!(answer.is_ok() || is_taken(&answer), "{answer:?}");
        }
        assert_eq!(booked, 1, "the same time was booked {booked} times");
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_caller_who_disconnects_leaves_one_actor_for_the_next() {
    let mut world = World::new(5).await;
    let shop = world.shop(1).await;
    world.disk.hold_syncs();
    let booking = world.ask(&shop, shop.booking(at(1, 9), 1)).await;
    world.crash(0).await;
    booking.await.unwrap().unwrap_err();
    let first = world.ask(&shop, shop.booking(at(1, 9), 1)).await;
    first.abort();
    assert_eq!(world.engine.running_businesses(), 1);
    let again = world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 2)).await;
    assert!(again.is_ok() || is_taken(&again));
}

#[tokio::test(start_paused = true)]
async fn requests_to_a_business_that_does_not_exist_leave_no_actor() {
    let world = World::new(6).await;
    let mut shop = world.shop(1).await;
    shop.id = uuid::Uuid::from_u128(7).into();
    let missing = world.at(&shop);
    let asked = (0..20).map(|_| {
        let (missing, shop) = (missing.clone(), shop.clone());
        tokio::spawn(async move { missing.change(by_operator(), shop.booking(at(1, 9), 1)).await })
    });
    for answer in asked.collect::<Vec<_>>() {
        assert!(matches!(answer.await.unwrap(), Err(EngineError::NotFound)));
    }
    assert!(matches!(missing.business().await, Err(EngineError::NotFound)));
    assert_eq!(world.engine.running_businesses(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_key_makes_no_change_after_its_revocation_was_decided() {
    let world = World::new(8).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let mut day = 1;
    for held in [true, false] {
        let create = CreateKey { name: text("key"), scopes: Scopes::all() };
        let id: KeyId = id_of(&handle.change(by_operator(), create).await.unwrap());
        let by_key = Request::by(Actor::ApiKey(id));
        for _ in 0..2 {
            day += 1;
            handle.change(by_key.clone(), shop.booking(at(day, 9), 1)).await.unwrap();
        }
        if held {
            world.disk.hold_syncs();
        }
        let revoke = world.ask(&shop, RevokeKey { id }).await;
        for _ in 0..2 {
            day += 1;
            let refused = handle.change(by_key.clone(), shop.booking(at(day, 9), 1)).await;
            assert!(matches!(refused, Err(EngineError::KeyRevoked)), "{refused:?}");
        }
        world.disk.release_syncs();
        revoke.await.unwrap().unwrap();
        let refused = handle.change(by_key, shop.booking(at(day, 9), 1)).await;
        assert!(matches!(refused, Err(EngineError::KeyRevoked)), "{refused:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_use_of_a_key_is_shown_and_a_revoked_key_gives_no_access() {
    let mut world = World::new(7).await;
    let shop = world.shop(1).await;
    let create = || CreateKey { name: text("key"), scopes: Scopes::all() };
    let created = world.at(&shop).change(by_operator(), create()).await.unwrap();
    let unused = world.at(&shop).change(by_operator(), create()).await.unwrap();
    let credential = Credential::parse(json(&created)["key"].as_str().unwrap()).unwrap();
    let (id, unused): (KeyId, KeyId) = (id_of(&created), id_of(&unused));
    pass(90).await;
    let principal = world.engine.authenticate(&credential).await.unwrap().unwrap();
    assert_eq!((principal.key.id, principal.business.id), (id, shop.id));

    let used = Timestamp::parse("2026-03-02T09:30:00Z").unwrap();
    for _ in 0..2 {
        let keys = world.at(&shop).keys(&first_page()).await.unwrap().items;
        let last_used: Vec<_> = keys.iter().map(|key| (key.key.id, key.last_used_at)).collect();
        assert_eq!(last_used, [(id, Some(used)), (unused, None)]);
        world.restart().await;
    }

    world.disk.hold_syncs();
    let revoke = world.ask(&shop, RevokeKey { id }).await;
    assert!(!revoke.is_finished());
    world.disk.release_syncs();
    revoke.await.unwrap().unwrap();
    assert!(world.engine.authenticate(&credential).await.unwrap().is_none());
    world.restart().await;
    assert!(world.engine.authenticate(&credential).await.unwrap().is_none());
    let keys = world.at(&shop).keys(&first_page()).await.unwrap().items;
    assert!(keys[0].revoked_at.is_some() && keys[1].revoked_at.is_none());
    everything_else_runs().await;
}
