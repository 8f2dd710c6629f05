//! If the actor of an endpoint fails, it restarts by itself after a pause. A request during the pause does not shorten
//! the pause.

use super::*;
use crate::delivery::EndpointKey;
use crate::delivery::actor::Message;

/// Makes the endpoint's actor fail. Starts the actor first if it is not running.
async fn fail(world: &World, endpoint: WebhookId) {
    let key = EndpointKey { business: world.business.id(), endpoint };
    let (running, _) = world.business.businesses.deliveries.directory.enter(key).await.unwrap();
    running.actor.cast(Message::Fail).unwrap();
    sleep(Duration::from_millis(1)).await;
    assert!(!running.is_open(), "the actor must have failed");
}

#[tokio::test(start_paused = true)]
async fn deliveries_continue_after_their_actor_has_failed() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    let revived = world.receiver("a.example.com", 1, OK);
    // The delivery is due after 30 s, and the actor fails one second earlier.
    sleep(Duration::from_millis(29_000)).await;
    fail(&world, id).await;
    sleep(Duration::from_millis(900)).await;
    assert_eq!(revived.requests().len(), 0, "the delivery is due, but the actor must still back off");
    // The restarted actor finds the waiting delivery without another message.
    sleep(Duration::from_millis(200)).await;
    assert_eq!(revived.requests().len(), 1);
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[0].attempts_made), (DeliveryStatus::Delivered, 2));
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_fails_repeatedly_backs_off_longer_in_spite_of_messages() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, OK).await;
    world.happen("first").await;
    settle().await;
    let first = world.log(id).await[0].event_id;
    let mut sent = 1;
    for (number, rest) in [1, 2, 4, 8, 16, 32, 60, 60].into_iter().enumerate() {
        fail(&world, id).await;
        // A new event must not end the back-off, and a request to resend the first event must not end it
        // either.
        world.happen(&format!("while it rests {number}")).await;
        let resent = world.business.resend(id, first).await;
        assert!(matches!(resent, Err(EngineError::Resting(_))), "{resent:?}");
        sleep(Duration::from_secs(rest) - Duration::from_millis(20)).await;
        assert_eq!(receiver.requests().len(), sent, "no attempt may begin during the back-off of {rest} s");
        sleep(Duration::from_millis(30)).await;
        sent += 1;
        assert_eq!(receiver.requests().len(), sent, "an attempt must begin after the back-off of {rest} s");
    }
    // After a minute without a failure, the back-off begins with the shortest delay again.
    sleep(Duration::from_secs(61)).await;
    fail(&world, id).await;
    world.happen("last").await;
    sleep(Duration::from_millis(1_010)).await;
    assert_eq!(receiver.requests().len(), sent + 1);
}
