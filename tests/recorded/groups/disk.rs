//! Sends the same requests twice: while the disk counts as nearly full, and while it counts as full. For each
//! state, sets a disk reserve that exceeds the free space.

use store::DiskReserve;

use crate::groups::FOUNDING;
use crate::scene::Scene;

/// A disk reserve that is larger than any disk.
const ALL: u64 = 1 << 62;

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    let (_, space) = scene.server.engine().room();
    // With a reserve of twice the free space, the disk counts as nearly full: changes that permanently enlarge the
    // store are refused, but other changes are accepted. With the reserve `ALL`, the disk counts as full.
    for reserve in [space.unwrap().free * 2, ALL] {
        scene.server.engine().set_disk_reserve(DiskReserve::Bytes(reserve));
        scene.play(include_str!("../scripts/disk.txt")).await;
    }
}
