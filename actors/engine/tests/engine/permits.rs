//! The limits on unanswered messages to actors, per business and in total.

use std::time::Duration;

use domain::AppointmentId;
use engine::business::commands::appointments::Confirm;
use engine::business::commands::profile::PatchBusiness;
use engine::business::{AnswerOf, Change, Context, Decision, Listed, Removed};
use engine::{BusinessHandle, ENGINE_PERMITS, EngineError};
use store::Weight;
use tokio::task::JoinHandle;

use crate::harness::{World, by_operator, everything_else_runs, pass, text};

/// The maximum number of unanswered messages to the actor of a business.
const QUEUE_PERMITS: usize = 1_024;

type Result = std::result::Result<AnswerOf<PatchBusiness>, EngineError>;

fn rename(number: usize) -> PatchBusiness {
    let name = Some(text(&format!("Name {number}")));
    PatchBusiness { name, ..PatchBusiness::default() }
}

async fn many(handle: &BusinessHandle, number: usize) -> Vec<JoinHandle<Result>> {
    let spawn = |number| {
        let handle = handle.clone();
        tokio::spawn(async move { handle.change(by_operator(), rename(number)).await })
    };
    let all = (0..number).map(spawn).collect();
    everything_else_runs().await;
    all
}

/// Makes a change that must be refused immediately for lack of permits.
async fn at_once(handle: &BusinessHandle) -> Result {
    let asked = handle.change(by_operator(), rename(9_999));
    tokio::time::timeout(Duration::ZERO, asked).await.expect("the change must be refused immediately")
}

#[tokio::test(start_paused = true)]
async fn one_business_may_fill_its_own_queue_only() {
    let world = World::new(1).await;
    let (busy, calm) = (world.shop(0).await, world.shop(0).await);
    let (busy, calm) = (world.at(&busy), world.at(&calm));
    world.disk.hold_syncs();
    let waiting = many(&busy, QUEUE_PERMITS).await;
    for _ in 0..3 {
        assert!(matches!(at_once(&busy).await, Err(EngineError::Overloaded)));
    }
    let beside = many(&calm, 1).await.remove(0);
    assert!(!beside.is_finished());
    world.disk.release_syncs();
    for answer in waiting {
        answer.await.unwrap().unwrap();
    }
    beside.await.unwrap().unwrap();

    world.disk.hold_syncs();
    let waiting = many(&busy, QUEUE_PERMITS).await;
    assert!(
        matches!(at_once(&busy).await, Err(EngineError::Overloaded)),
        "all permits must be returned, each once"
    );
    world.disk.release_syncs();
    for answer in waiting {
        answer.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_disconnects_loses_neither_the_change_nor_its_permit() {
    let world = World::new(2).await;
    let shop = world.shop(0).await;
    let handle = world.at(&shop);
    world.disk.hold_syncs();
    for gone in many(&handle, 2).await {
        gone.abort();
    }
    everything_else_runs().await;
    let waiting = many(&handle, QUEUE_PERMITS - 2).await;
    assert!(
        matches!(at_once(&handle).await, Err(EngineError::Overloaded)),
        "the first two changes must be in progress"
    );
    for gone in waiting {
        gone.abort();
    }
    everything_else_runs().await;
    world.disk.release_syncs();
    everything_else_runs().await;
    assert_eq!(handle.business().await.unwrap().name, format!("Name {}", QUEUE_PERMITS - 3));
    world.disk.hold_syncs();
    let waiting = many(&handle, QUEUE_PERMITS).await;
    world.disk.release_syncs();
    for answer in waiting {
        answer.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_messages_of_all_businesses_are_limited() {
    let world = World::new(3).await;
    let full = ENGINE_PERMITS / QUEUE_PERMITS;
    let mut shops = Vec::new();
    for _ in 0..=full {
        shops.push(world.at(&world.shop(0).await));
    }
    world.disk.hold_syncs();
    let (mut waiting, mut refused) = (Vec::new(), Vec::new());
    for shop in &shops[..full] {
        waiting.extend(many(shop, 1).await);
        // A refused change holds a permit until the earlier changes are durable, like a successful change. The test
        // uses refused changes because they take less time.
        for _ in 1..QUEUE_PERMITS {
            let (shop, id) = (shop.clone(), AppointmentId::from(uuid::Uuid::nil()));
            refused.push(tokio::spawn(async move { shop.change(by_operator(), Confirm { id }).await }));
        }
    }
    everything_else_runs().await;
    assert!(matches!(at_once(&shops[full]).await, Err(EngineError::Overloaded)));
    world.disk.release_syncs();
    for answer in waiting {
        assert!(!matches!(answer.await.unwrap(), Err(EngineError::Overloaded)));
    }
    for answer in refused {
        assert!(!matches!(answer.await.unwrap(), Err(EngineError::Overloaded)));
    }
    shops[full].change(by_operator(), rename(1)).await.unwrap();
}

/// A change that makes its actor fail.
struct Poison;

impl Listed for Poison {}

impl Change for Poison {
    type Gives = Removed;

    fn decide(self, _: &mut Context<'_>) -> std::result::Result<Decision<Self::Gives>, EngineError> {
        std::panic::resume_unwind(Box::new("a test ends the actor"))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_actor_returns_every_permit() {
    let world = World::new(4).await;
    let shop = world.shop(0).await;
    let handle = world.at(&shop);
    // The loop sends more messages than there are permits, so the test would detect leaked permits.
    for _ in 0..=ENGINE_PERMITS / 512 {
        let poison = handle.clone();
        let poison = tokio::spawn(async move { poison.change(by_operator(), Poison).await });
        for answer in many(&handle, 512).await {
            // Each message ends in one of three ways: it fails with the actor, the next actor handles it, or it is
            // refused during the back-off.
            assert!(matches!(
                answer.await.unwrap(),
                Ok(_) | Err(EngineError::Failed | EngineError::Resting(_))
            ));
        }
        poison.await.unwrap().unwrap_err();
        pass(1).await;
    }
    handle.change(by_operator(), rename(1)).await.unwrap();
}
