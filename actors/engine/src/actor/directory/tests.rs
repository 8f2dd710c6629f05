//! Actors are started on demand. Above the limit, the actors that have been unused for longest are stopped.

use domain::{Actor as Who, BookingMode, BusinessId, EventType, Locale, Text, WebhookUrl, WeeklyHours};
use net::Ports;
use store::{Batch, Key, MemoryBackend, Store};
use uuid::Uuid;

use super::*;
use crate::business::Request;
use crate::business::commands::webhooks::CreateWebhook;
use crate::delivery::EndpointKey;
use crate::{Engine, Limits, NewBusiness};

async fn engine_with_a_business(disk: &MemoryBackend) -> (Engine, Store, BusinessId) {
    let store = Store::in_memory(disk, Box::new(|error| panic!("{error}"))).unwrap();
    let engine = Engine::start(store.clone(), Ports::system().unwrap()).await.unwrap();
    let id = another_business(&engine).await;
    (engine, store, id)
}

async fn another_business(engine: &Engine) -> BusinessId {
    let new = NewBusiness {
        name: Text::new("Shop".into()).unwrap(),
        zone: chrono_tz::UTC,
        locale: Locale::En,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: WeeklyHours::default(),
        breaks: domain::WeeklyBreaks::default(),
        phone_region: "US".into(),
    };
    engine.create_business(new, Who::Operator).await.unwrap().id
}

#[tokio::test(start_paused = true)]
async fn a_woken_actor_is_not_stopped_before_it_has_read_its_rows() {
    let (engine, _, id) = engine_with_a_business(&MemoryBackend::new()).await;
    let business = engine.business(id);
    let create = CreateWebhook {
        url: WebhookUrl::parse("https://a.example.com/").unwrap(),
        events: [EventType::ContactCreated].into_iter().collect(),
        description: Text::default(),
    };
    let created = business.change(Request::by(Who::Operator), create).await.unwrap();
    let key = EndpointKey { business: id, endpoint: created.value.webhook.id };
    let deliveries = &business.businesses.deliveries;
    let (running, _) = deliveries.directory.enter(key).await.unwrap();
    let others_run = || tokio::time::sleep(Duration::from_millis(1));
    others_run().await;
    deliveries.wake(key);
    assert!(!running.retire(), "an actor with an unread wake-up must not stop");
    others_run().await;
    assert!(running.retire(), "an actor without deliveries must stop");
    // A stopped actor receives no message, so the wake-up starts another actor.
    deliveries.wake(key);
    others_run().await;
    let next = deliveries.directory.if_running(key).unwrap();
    assert_ne!(next.actor.get_id(), running.actor.get_id());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_request_does_not_cancel_the_start_of_the_actor() {
    let disk = MemoryBackend::new();
    let (engine, store, id) = engine_with_a_business(&disk).await;
    disk.hold_syncs();
    let mut batch = Batch::new();
    batch.put(Key::new(Uuid::nil().as_bytes()), Vec::new());
    store.submit(id, batch, Box::new(|| ()));
    let businesses = engine.business(id).businesses;
    for _ in 0..3 {
        // A delayed sync delays the start of the actor. Each of the three requests is dropped before the
        // actor has started.
        let entering = businesses.directory.enter(id);
        assert!(tokio::time::timeout(Duration::from_secs(1), entering).await.is_err());
    }
    disk.release_syncs();
    drop(businesses.directory.enter(id).await.unwrap());
    assert_eq!(businesses.shared.supervisor.get_children().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn above_the_bound_the_longest_unused_actor_is_stopped() {
    let disk = MemoryBackend::new();
    let (engine, _, first) = engine_with_a_business(&disk).await;
    let mut all = vec![first];
    for _ in 0..4 {
        all.push(another_business(&engine).await);
    }
    engine.close().await.unwrap();
    let store = Store::in_memory(&disk, Box::new(|error| panic!("{error}"))).unwrap();
    let limits = Limits { business_actors: 3, ..Limits::default() };
    let engine = Engine::start_within(store, Ports::system().unwrap(), limits).await.unwrap();
    let businesses = engine.business(first).businesses;
    let businesses = &businesses.directory;
    let others_run = || tokio::time::sleep(Duration::from_millis(1));
    let running = || all.iter().map(|id| businesses.is_running(*id)).collect::<Vec<_>>();
    for place in [0, 1, 2, 0, 1] {
        drop(businesses.enter(all[place]).await.unwrap());
        others_run().await;
    }
    assert_eq!(running(), [true, true, true, false, false]);
    drop(businesses.enter(all[3]).await.unwrap());
    assert_eq!(
        running(),
        [true, true, false, true, false],
        "the third actor, unused for longest, must be stopped"
    );
    let in_use = businesses.enter(all[0]).await.unwrap();
    for place in [1, 3, 4] {
        others_run().await;
        drop(businesses.enter(all[place]).await.unwrap());
    }
    assert_eq!(
        running(),
        [true, false, false, true, true],
        "the first actor is in use, so the second one must be stopped"
    );
    let others_in_use = [businesses.enter(all[3]).await.unwrap(), businesses.enter(all[4]).await.unwrap()];
    drop(businesses.enter(all[1]).await.unwrap());
    assert_eq!(
        running(),
        [true, true, false, true, true],
        "all running actors are in use, so the start must exceed the limit"
    );
    drop(others_in_use);
    others_run().await;
    drop(businesses.enter(all[2]).await.unwrap());
    assert_eq!(
        running().iter().filter(|runs| **runs).count(),
        3,
        "the next start must stop the actors above the limit"
    );
    assert!(businesses.is_running(all[0]) && businesses.is_running(all[2]));
    drop(in_use);
}
