//! The end of conversations by timeout, and the deletion of conversations and of unanswered questions.

use chrono::TimeDelta;
use domain::{Channel, EndedBy};
use engine::business::commands::conversations::{EndConversation, StartConversation};
use engine::business::commands::erasure::PatchRetention;
use store::Order;
use store::keys::{self, kind};

use crate::harness::{Shop, World, by_operator, pass};
use crate::receptionist::{phone, said, shown, start, started, world};

const DAY: u64 = 24 * 60;

/// Restarts the engine. Returns the counts of conversations and unanswered questions on the disk.
async fn kept(world: &mut World, shop: &Shop) -> (usize, usize) {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let count = |kind| store.scan(&keys::of_kind(shop.id, kind), Order::Ascending).count();
    let kept = (count(kind::CONVERSATION), count(kind::GAP));
    store.close().await.unwrap();
    world.open_again().await;
    kept
}

#[tokio::test(start_paused = true)]
async fn a_chat_is_deleted_after_30_days_and_its_question_after_90() {
    let (mut world, shop) = world().await;
    let handle = world.at(&shop);
    let id = started(&handle, start(Channel::Website)).await;
    said(&handle, id, "Do you have a swimming pool?").await;
    handle.change(by_operator(), EndConversation { id, by: EndedBy::Caller }).await.unwrap();
    assert_eq!(kept(&mut world, &shop).await, (1, 1));
    pass(29 * DAY).await;
    assert_eq!(kept(&mut world, &shop).await, (1, 1));
    pass(3 * DAY).await;
    assert_eq!(kept(&mut world, &shop).await, (0, 1));
    pass(57 * DAY).await;
    assert_eq!(kept(&mut world, &shop).await, (0, 1));
    pass(4 * DAY).await;
    assert_eq!(kept(&mut world, &shop).await, (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_question_outlives_a_short_retention_of_conversations() {
    let (mut world, shop) = world().await;
    let handle = world.at(&shop);
    let patch = PatchRetention { calls_days: Some(Some(10)), ..PatchRetention::default() };
    handle.change(by_operator(), patch).await.unwrap();
    let from = Some(phone("+15550000009"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Voice) }).await;
    said(&handle, id, "Do you have a swimming pool?").await;
    handle.change(by_operator(), EndConversation { id, by: EndedBy::Caller }).await.unwrap();
    pass(13 * DAY).await;
    assert_eq!(kept(&mut world, &shop).await, (0, 1));
    pass(75 * DAY).await;
    assert_eq!(world.at(&shop).gaps(world.engine.now()).await.unwrap().len(), 1);
    pass(5 * DAY).await;
    assert_eq!(kept(&mut world, &shop).await, (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_chat_ends_although_a_clock_was_ahead_at_its_last_turn() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    world.jump_and_hold(&shop, TimeDelta::days(10)).await;
    let id = started(&handle, start(Channel::Website)).await;
    said(&handle, id, "Hello").await;
    world.jump_and_hold(&shop, TimeDelta::days(-10)).await;
    assert!(shown(&handle, id).await.conversation.started_at > world.engine.now() + TimeDelta::days(9));
    said(&handle, id, "Are you there?").await;
    pass(25).await;
    assert!(shown(&handle, id).await.conversation.ended_at.is_none());
    pass(8).await;
    assert_eq!(shown(&handle, id).await.conversation.ended_by, Some(EndedBy::Timeout));
}
