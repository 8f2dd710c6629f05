//! A disk that is nearly full, and one that is full, by a reserve above what is free.

use store::DiskReserve;

use crate::groups::FOUNDING;
use crate::scene::Scene;

/// More than any disk has.
const ALL: u64 = 1 << 62;

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    let (_, space) = scene.server.engine().room();
    // Of twice as much as is free, the last parts are less than what is free.
    for reserve in [space.unwrap().free * 2, ALL] {
        scene.server.engine().set_disk_reserve(DiskReserve::Bytes(reserve));
        scene.play(include_str!("../scripts/disk.txt")).await;
    }
}
