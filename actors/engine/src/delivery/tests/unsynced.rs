//! An attempt uses only durable changes.

use super::*;

fn signed_with(requests: &[String], secret: &[u8; 32]) -> usize {
    let is_of = |request: &&String| {
        let (id, at) = (header(request, "webhook-id"), header(request, "webhook-timestamp").parse().unwrap());
        sign(secret, id, at, body(request).as_bytes()) == header(request, "webhook-signature")
    };
    requests.iter().filter(is_of).count()
}

/// Requests a new secret during the sync of another change. Each sync takes one second. Only the next sync makes the
/// new secret durable, so an attempt that begins before the end of the next sync must not use it.
async fn rotating(world: &World, id: WebhookId) -> tokio::task::JoinHandle<()> {
    world.disk.set_sync_delay(Duration::from_secs(1));
    let business = world.business.clone();
    let create = CreateContact {
        details: ContactDetails { name: Some(Text::new("B".into()).unwrap()), ..ContactDetails::default() },
    };
    tokio::spawn(
        async move { business.change(Request::by(Actor::Operator), create).await.map(drop).unwrap() },
    );
    sleep(Duration::from_millis(500)).await;
    let business = world.business.clone();
    tokio::spawn(async move { _ = business.rotate_secret(id, Request::by(Actor::Operator)).await.unwrap() })
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_a_crash_could_undo_never_signs() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    let old = *world.business.webhook(id).await.unwrap().unwrap().secret.bytes();
    // The retry of A is due during the first sync.
    sleep(Duration::from_millis(29_700)).await;
    assert_eq!(receiver.requests().len(), 1);
    let rotation = rotating(&world, id).await;
    sleep(Duration::from_millis(1_000)).await;
    assert!(!rotation.is_finished(), "the new secret must not be durable yet");
    let requests = receiver.requests();
    assert_eq!(signed_with(&requests, &old), requests.len(), "a secret that is not durable must not sign");
    let before = requests.len();
    sleep(Duration::from_secs(2)).await;
    assert!(rotation.is_finished());
    let new = *world.business.webhook(id).await.unwrap().unwrap().secret.bytes();
    sleep(Duration::from_secs(3_600)).await;
    let later = &receiver.requests()[before..];
    assert!(later.len() > 1 && signed_with(later, &new) == later.len(), "{}", later.len());
}

#[tokio::test(start_paused = true)]
async fn attempts_continue_while_the_outcomes_of_others_are_not_durable() {
    let world = World::new().await;
    let (_, receiver) = world.endpoint("a", 1, NO).await;
    for number in 0..20 {
        world.happen(&format!("{number}")).await;
    }
    sleep(Duration::from_secs(29)).await;
    assert_eq!(receiver.requests().len(), 20);
    world.disk.set_sync_delay(Duration::from_secs(10));
    sleep(Duration::from_secs(2)).await;
    assert_eq!(
        receiver.requests().len(),
        40,
        "further attempts must not wait until the earlier outcomes are durable"
    );
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_test_is_signed_with_the_newest_acknowledged_secret() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, OK).await;
    let old = *world.business.webhook(id).await.unwrap().unwrap().secret.bytes();
    let rotation = rotating(&world, id).await;
    assert!(world.business.test_webhook(id, None).await.unwrap().delivered);
    assert!(!rotation.is_finished(), "the new secret must not be durable yet");
    assert_eq!((receiver.requests().len(), signed_with(&receiver.requests(), &old)), (1, 1));
    rotation.await.unwrap();
    assert!(world.business.test_webhook(id, None).await.unwrap().delivered);
    assert_eq!(
        signed_with(&receiver.requests()[1..], &old),
        0,
        "after the response, only the new secret may sign"
    );
}
