//! A delivery actor that fails is started again, and nobody has to ask for it.

use super::*;
use crate::store::{Batch, Key, keys};

async fn write(world: &World, key: Key, value: Vec<u8>) {
    let mut batch = Batch::new();
    batch.put(key, value);
    world.business.shared.store.submit(world.business.id(), batch, Box::new(|| ()));
    world.business.settled().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn deliveries_go_on_after_their_actor_has_failed() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    let revived = world.receiver("a.example.com", 1, OK);
    let event = world.log(id).await[0].event_id;
    let row = keys::delivery(world.business.id(), id, event);
    let delivery = world.business.shared.store.get_raw(&row).unwrap().unwrap();
    write(&world, row, b"no delivery".to_vec()).await;
    // Due after half a minute, which the actor and those that are started after it do not get past.
    sleep(Duration::from_secs(60)).await;
    assert_eq!(revived.requests().len(), 0);
    write(&world, row, delivery).await;
    // Nothing else happens: whoever starts the actor again finds what waits.
    sleep(Duration::from_secs(61)).await;
    assert_eq!(revived.requests().len(), 1);
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[0].attempts), (DeliveryStatus::Delivered, 2));
}
