//! The effects of an actor that fails, a store that fails, and an engine that closes.

use std::time::Duration;

use domain::availability::Terms;
use domain::{Actor, AppointmentStatus};
use engine::business::commands::appointments::Cancel;
use engine::business::{AppointmentFilter, Change, Context, Decision, Listed, Removed};
use engine::{Engine, EngineError};
use store::{Weight, keys};

use crate::harness::{
    World, appointment_of, at, body, by_operator, everything_else_runs, first_page, is_taken, pass,
};

/// A change that makes its actor fail.
struct Poison;

impl Listed for Poison {}

impl Change for Poison {
    type Gives = Removed;

    fn decide(self, _: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        // Unlike `panic!`, this prints nothing.
        std::panic::resume_unwind(Box::new("a test ends the actor"))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_fails_is_started_again_and_nothing_is_lost() {
    let world = World::new(1).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let first = handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    world.disk.hold_syncs();
    let unsynced = world.ask(&shop, shop.booking(at(1, 10), 2)).await;
    let queued = world.ask(&shop, shop.booking(at(1, 12), 2)).await; // the change is queued, and the store has not taken it
    // All three messages are in the mailbox before the actor handles the first message.
    let (poison, second, third) = tokio::join!(
        handle.change(by_operator(), Poison),
        handle.change(by_operator(), shop.booking(at(1, 11), 3)),
        handle.availability(
            shop.service,
            None,
            (at(1, 0).utc().date_naive(), at(1, 0).utc().date_naive()),
            Terms::Integration
        ),
    );
    assert!(matches!(poison, Err(EngineError::Failed)));
    assert!(matches!(second, Err(EngineError::Failed)));
    assert!(matches!(third, Err(EngineError::Failed)));
    assert!(!unsynced.is_finished(), "the store holds this change and must acknowledge it");

    let again = world.ask(&shop, shop.booking(at(1, 10), 4)).await;
    let again_too = world.ask(&shop, shop.booking(at(1, 12), 4)).await;
    assert!(!again.is_finished(), "the new actor must load only durable changes");
    world.disk.release_syncs();
    unsynced.await.unwrap().unwrap();
    queued.await.unwrap().unwrap();
    assert!(is_taken(&again.await.unwrap()));
    assert!(is_taken(&again_too.await.unwrap()));
    assert!(is_taken(&handle.change(by_operator(), shop.booking(at(1, 9), 4)).await));
    handle.change(by_operator(), shop.booking(at(1, 11), 3)).await.unwrap();
    let shown = handle.appointment(appointment_of(&first)).await.unwrap().unwrap();
    assert_eq!(serde_json::to_string(&shown).unwrap(), body(&first));
    assert!(world.engine.is_open());
    assert_eq!(world.fatal(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_actor_may_fail_many_times_and_other_businesses_continue() {
    let world = World::new(2).await;
    let (shop, neighbour) = (world.shop(1).await, world.shop(1).await);
    for round in 0..20 {
        let hour = at(1, 0) + chrono::TimeDelta::hours(round);
        let handle = world.at(&shop);
        assert!(matches!(handle.change(by_operator(), Poison).await, Err(EngineError::Failed)));
        let contact = usize::try_from(round).unwrap();
        // After two failures within a minute, the actor backs off before it restarts.
        while let Err(error) = handle.change(by_operator(), shop.booking(hour, contact)).await {
            let EngineError::Resting(rest) = error else { panic!("{error:?}") };
            assert!(
                round > 0 && rest <= Duration::from_secs(60),
                "the back-off must be at most 60 s, not {rest:?}"
            );
            tokio::time::sleep(rest).await;
        }
        let beside = world.at(&neighbour);
        beside.change(by_operator(), neighbour.booking(hour, contact)).await.unwrap();
    }
    let all = world.at(&shop).appointments(&AppointmentFilter::default(), &first_page()).await.unwrap();
    assert_eq!(all.items.len(), 20);
    assert_eq!(world.engine.running_businesses(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_failed_store_stops_the_engine_and_shows_no_unsynced_change() {
    for fail_apply in [true, false] {
        let mut world = World::new(3).await;
        let shop = world.shop(1).await;
        let handle = world.at(&shop);
        let booked = handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
        let id = appointment_of(&booked);
        if fail_apply {
            world.disk.fail_next_write();
        } else {
            world.disk.fail_next_sync();
        }
        let (cancel, read) =
            tokio::join!(handle.change(by_operator(), Cancel { id }), handle.appointment(id));
        // The cancellation was queued, so its outcome is unknown.
        assert!(matches!(cancel, Err(EngineError::Failed)), "{cancel:?}");
        // The read may succeed or fail. If it succeeds, it shows no cancellation, because it arrived before the
        // cancellation was queued.
        if let Ok(shown) = read {
            assert_eq!(shown.unwrap().status, AppointmentStatus::Confirmed);
        }
        assert_eq!(world.fatal(), 1);
        assert!(!world.engine.is_open());
        let later = handle.change(by_operator(), shop.booking(at(1, 10), 2)).await;
        assert!(matches!(later, Err(EngineError::Stopping)));
        assert!(handle.appointment(id).await.is_err());
        assert!(handle.appointments(&AppointmentFilter::default(), &first_page()).await.is_err());
        assert!(handle.audit(&first_page()).await.is_err());
        assert!(handle.business().await.is_err());
        assert!(world.engine.businesses(&first_page()).await.is_err());
        assert!(world.engine.clone().close().await.is_err());
        assert_eq!(world.fatal(), 1);

        world.disk.crash(0);
        world.open_again().await;
        let shown = world.at(&shop).appointment(id).await.unwrap().unwrap();
        assert_eq!(shown.status, AppointmentStatus::Confirmed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_that_fails_in_a_backup_or_an_export_is_the_end_of_the_store() {
    for exports in [false, true] {
        let world = World::new(8).await;
        let shop = world.shop(1).await;
        for hour in 0..100 {
            world.at(&shop).change(by_operator(), shop.booking(at(1, hour), 1)).await.unwrap();
        }
        let dir = tempfile::tempdir().unwrap();
        if exports {
            let mut export = world.engine.export(Actor::Operator, Some(shop.id), true).unwrap();
            assert!(!export.next().await.unwrap().is_empty());
            world.disk.fail_next_read();
            assert!(export.next().await.is_err());
        } else {
            let id = world.engine.begin_backup(Actor::Operator, &dir.path().join("b")).unwrap();
            world.disk.fail_next_read();
            while world.engine.backup(id).unwrap().outcome.is_none() {
                everything_else_runs().await;
            }
            let failed = world.engine.backup(id).unwrap().outcome.unwrap().unwrap_err();
            let failed = format!("{failed:?}");
            assert!(failed.contains("a fault was injected"), "{failed}");
        }
        assert_eq!((world.fatal(), world.engine.is_open(), world.engine.store_failed()), (1, false, true));
        let later = world.at(&shop).change(by_operator(), shop.booking(at(9, 9), 1)).await;
        assert!(matches!(later, Err(EngineError::Stopping)), "{later:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_sync_that_hangs_shows_its_age_until_it_returns() {
    let world = World::new(9).await;
    let shop = world.shop(1).await;
    assert_eq!(world.engine.sync_age(), Duration::ZERO);
    world.disk.hold_syncs();
    let booking = world.ask(&shop, shop.booking(at(1, 9), 1)).await;
    let asked = tokio::time::Instant::now();
    for (seconds, is_stuck) in [(5, false), (29, false), (31, true), (7_200, true)] {
        tokio::time::sleep_until(asked + Duration::from_secs(seconds)).await;
        assert_eq!(world.engine.sync_age().as_secs(), seconds);
        assert_eq!(world.engine.store_is_stuck(), is_stuck, "{seconds}");
    }
    assert!(!booking.is_finished() && world.engine.is_open());
    world.disk.release_syncs();
    booking.await.unwrap().unwrap();
    assert!(world.engine.sync_age() < Duration::from_secs(1) && !world.engine.store_is_stuck());
    assert_eq!(world.fatal(), 0);
}

#[tokio::test(start_paused = true)]
async fn closing_waits_for_requests_in_progress_and_refuses_new_ones() {
    let mut world = World::new(4).await;
    let shop = world.shop(1).await;
    world.disk.hold_syncs();
    let booking = world.ask(&shop, shop.booking(at(1, 9), 1)).await;
    let closing = tokio::spawn(Engine::close(world.engine.clone()));
    everything_else_runs().await;
    assert!(!closing.is_finished() && !booking.is_finished() && !world.engine.is_open());
    let late = world.at(&shop).change(by_operator(), shop.booking(at(1, 10), 2)).await;
    assert!(matches!(late, Err(EngineError::Stopping)));
    world.disk.release_syncs();
    let booked = booking.await.unwrap().unwrap();
    closing.await.unwrap().unwrap();
    assert_eq!(world.disk.unsynced(), 0);

    world.open_again().await;
    let all = world.at(&shop).appointments(&AppointmentFilter::default(), &first_page()).await.unwrap();
    assert_eq!(all.items.len(), 1);
    assert_eq!(serde_json::to_string(&all.items[0]).unwrap(), body(&booked));
    let businesses = world.engine.businesses(&first_page()).await.unwrap();
    assert_eq!(businesses.items.len(), 1);
    assert_eq!(businesses.items[0].id, shop.id);
}

/// A change that is decided only after the store has failed.
struct UntilItFails {
    engine: Engine,
    began: std::sync::mpsc::Sender<()>,
}

impl Listed for UntilItFails {}

impl Change for UntilItFails {
    type Gives = Removed;

    fn decide(self, _: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        self.began.send(()).unwrap();
        while !self.engine.store_failed() {
            std::thread::yield_now();
        }
        Err(EngineError::Stopping)
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

/// After the store has failed, an actor must not decide a change. The actor would update its memory, but the store
/// would not save the change. For example, after a first cancellation, a second cancellation would find the appointment
/// active in the store but missing in the memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn after_a_failed_store_no_change_is_decided() {
    let world = World::new(4).await;
    let (shop, neighbour) = (world.shop(1).await, world.shop(1).await);
    let handle = world.at(&shop);
    let booked = handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let id = appointment_of(&booked);
    let (began, has_begun) = std::sync::mpsc::channel();
    let until = UntilItFails { engine: world.engine.clone(), began };
    let deciding = handle.clone();
    let deciding = tokio::spawn(async move { deciding.change(by_operator(), until).await.map(drop) });
    tokio::task::spawn_blocking(move || has_begun.recv().unwrap()).await.unwrap();
    // Both cancellations are in the mailbox before the store fails. The actor handles them afterwards.
    let cancel = || Box::pin(handle.change(by_operator(), Cancel { id }));
    let mut waiting = [cancel(), cancel()];
    for change in &mut waiting {
        assert!(
            std::future::poll_fn(|cx| std::task::Poll::Ready(change.as_mut().poll(cx).is_pending())).await
        );
    }
    world.disk.fail_next_sync();
    assert!(world.at(&neighbour).change(by_operator(), neighbour.booking(at(1, 9), 1)).await.is_err());
    assert!(matches!(deciding.await.unwrap(), Err(EngineError::Stopping)));
    for change in waiting {
        assert!(matches!(change.await, Err(EngineError::Stopping)));
    }
    assert_eq!(world.fatal(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_fails_twice_in_a_minute_starts_again_after_its_back_off() {
    let world = World::new(5).await;
    let (shop, neighbour) = (world.shop(1).await, world.shop(1).await);
    let handle = world.at(&shop);
    let fail = || handle.change(by_operator(), Poison);
    let book = |hour| handle.change(by_operator(), shop.booking(at(1, hour), 1));
    assert!(matches!(fail().await, Err(EngineError::Failed)));
    book(1).await.unwrap(); // a single failure does not affect other requests
    for rest in [1, 2, 4] {
        assert!(matches!(fail().await, Err(EngineError::Failed)));
        for _ in 0..3 {
            let refused = book(2).await;
            let Err(EngineError::Resting(left)) = refused else { panic!("{refused:?}") };
            assert!(left <= Duration::from_secs(rest) && left > Duration::from_secs(rest) / 2, "{left:?}");
        }
        world.at(&neighbour).change(by_operator(), neighbour.booking(at(1, rest as i64), 1)).await.unwrap();
        // While the actor backs off, reads that need no actor succeed.
        let all = handle.appointments(&AppointmentFilter::default(), &first_page()).await.unwrap();
        assert_eq!(all.items.len(), 1);
        tokio::time::sleep(Duration::from_secs(rest)).await;
    }
    book(2).await.unwrap();
    pass(2).await;
    assert!(matches!(fail().await, Err(EngineError::Failed)));
    book(3).await.unwrap();
    assert_eq!(world.fatal(), 0);
}

/// Many requests reach a business that cannot be loaded. After each failed load, the engine refuses the requests to the
/// business for a time. So only a few requests cause a load.
#[tokio::test(start_paused = true)]
async fn a_business_that_does_not_load_is_rarely_read_from_the_store() {
    let mut world = World::new(6).await;
    let (shop, neighbour) = (world.shop(1).await, world.shop(1).await);
    world.plant(keys::profile(shop.id), b"\xee").await;
    let mut tried = 0;
    for second in 0..60 {
        let ask = |_| {
            let (handle, booking) = (world.at(&shop), shop.booking(at(1, 9), 1));
            tokio::spawn(async move { handle.change(by_operator(), booking).await })
        };
        let asked: Vec<_> = (0..20).map(ask).collect();
        for answer in asked {
            match answer.await.unwrap() {
                Err(EngineError::Failed) => tried += 1,
                Err(EngineError::Resting(left)) => assert!(left <= Duration::from_secs(60)),
                other => panic!("{second}: {other:?}"),
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!((2..=8).contains(&tried), "the business must be loaded 2 to 8 times, not {tried}");
    assert!(world.at(&shop).business().await.is_err());
    world.at(&neighbour).change(by_operator(), neighbour.booking(at(1, 9), 1)).await.unwrap();
    let listed = world.engine.businesses(&first_page()).await.unwrap().items;
    assert_eq!(listed.iter().map(|business| business.id).collect::<Vec<_>>(), [neighbour.id]);
    assert_eq!((world.engine.rows_set_aside(), world.fatal()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_failed_supervisor_ends_the_engine_without_loss() {
    let mut world = World::new(7).await;
    let shop = world.shop(1).await;
    let booked = world.at(&shop).change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    assert_eq!(world.fatal(), 0);
    // The supervisor reads the clock once a minute, and fails when the clock is broken.
    world.clock.break_it(true);
    pass(1).await;
    everything_else_runs().await;
    world.clock.break_it(false);
    assert_eq!(world.fatal(), 1, "the engine must report a fatal error");
    assert!(!world.engine.is_open());
    let late = world.at(&shop).change(by_operator(), shop.booking(at(1, 10), 1)).await;
    assert!(matches!(late, Err(EngineError::Stopping)));
    world.disk.crash(0);
    world.end_of_life().await;
    world.open_again().await;
    let shown = world.at(&shop).appointment(appointment_of(&booked)).await.unwrap().unwrap();
    assert_eq!(serde_json::to_string(&shown).unwrap(), body(&booked));
}
