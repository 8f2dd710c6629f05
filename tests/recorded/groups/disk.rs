//! A nearly full and a full disk, simulated by a reserve above the free space.

use store::DiskReserve;

use crate::groups::FOUNDING;
use crate::scene::Scene;

/// More than any disk has.
const ALL: u64 = 1 << 62;

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    let (_, space) = scene.server.engine().room();
    // With a reserve of twice the free space, the lower thresholds are still below the free space.
    for reserve in [space.unwrap().free * 2, ALL] {
        scene.server.engine().set_disk_reserve(DiskReserve::Bytes(reserve));
        scene.play(include_str!("../scripts/disk.txt")).await;
    }
}
