//! Webhooks of a business that is set aside because of damaged rows are not sent. Webhooks of other
//! businesses are sent.

use super::*;

#[tokio::test(start_paused = true)]
async fn deliveries_of_a_business_that_is_set_aside_wait_until_it_is_accepted_again() {
    let mut world = World::with_permits(1).await;
    let first = world.business.clone();
    let (_, down) = world.endpoint("a", 1, NO).await;
    world.business = new_business(&world.engine).await;
    let (other, up) = world.endpoint("b", 2, OK).await;
    let (aside, others) = (first.id(), world.business.clone());
    world.business = first.clone();
    world.happen("waits").await;
    settle().await;
    let tried = down.requests().len();
    assert!(tried > 0);

    world.engine.set_business_aside(aside, "a test says so").unwrap();
    for life in 0..2 {
        world.business = world.engine.business(others.id());
        world.happen("goes on").await;
        settle().await;
        assert_eq!(up.requests().len(), life + 1);
        assert_eq!(world.log(other).await.len(), life + 1);
        // Further attempts would have been due in this time.
        sleep(Duration::from_secs(3 * 3_600)).await;
        assert_eq!(down.requests().len(), tried, "life {life}");
        assert_eq!((world.engine.attempts_under_way(), world.engine.running_deliveries()), (0, 0));
        assert!(world.engine.business(aside).webhook(other).await.is_err());
        world.restart().await;
    }
    world.engine.clone().close().await.unwrap();
    world.disk.lift_aside();
    world.engine = open(&world.disk, &world.ports, world.limits).await;
    settle().await;
    assert!(down.requests().len() > tried, "the deliveries must continue");
}
