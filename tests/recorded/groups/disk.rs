//! A disk that is nearly full or full. It is simulated by a reserve that exceeds the free space.

use store::DiskReserve;

use crate::groups::FOUNDING;
use crate::scene::Scene;

/// More bytes than any disk has.
const ALL: u64 = 1 << 62;

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    let (_, space) = scene.server.engine().room();
    // With a reserve of twice the free space, the disk counts as nearly full. The lower thresholds are not
    // reached.
    for reserve in [space.unwrap().free * 2, ALL] {
        scene.server.engine().set_disk_reserve(DiskReserve::Bytes(reserve));
        scene.play(include_str!("../scripts/disk.txt")).await;
    }
}
