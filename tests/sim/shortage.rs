//! A disk that sometimes has little free space. At the level "scarce", changes that enlarge the store are refused. At
//! the level "exhausted", only changes that release space are accepted. At the level "full", all changes are refused.
//!
//! This module has its own random numbers. So its draws do not change the random numbers of the other parts of the
//! simulation, and the events in these parts stay the same.

use std::time::Duration;

use store::RoomLevel;

use crate::dice::Dice;
use crate::life::Life;
use crate::sim::Sim;
use crate::world::World;

/// The time within which the engine must notice that the free space has changed.
const NOTICED: Duration = Duration::from_millis(1_001);
/// The maximum time for which the disk stays exhausted, in milliseconds. A longer time would delay due deliveries more
/// than other checks allow.
const EXHAUSTED_MILLIS_MAX: u64 = 2_000;

/// The random numbers for shortages of space.
pub(crate) struct Shortage {
    dice: Dice,
    /// Whether the disk is short of space at times in this seed.
    happens: bool,
}

impl Shortage {
    pub(crate) fn new(seed: u64) -> Self {
        let dice = Dice::new(seed ^ 0x00d1_5c00);
        let happens = dice.once_in(3);
        Self { dice, happens }
    }
}

impl Sim {
    /// Frees space on the disk.
    pub(crate) fn enough_room(&self) {
        self.world.set_room(RoomLevel::Ample);
    }

    /// Simulates another program that fills the disk or releases space on it.
    pub(crate) fn some_shortage(&self, life: &mut Life) {
        let Shortage { dice, happens } = &self.shortage;
        if !happens {
            return;
        }
        match self.world.room_now() {
            RoomLevel::Ample if dice.once_in(30) => self.world.set_room(RoomLevel::Scarce),
            RoomLevel::Ample | RoomLevel::Scarce if dice.once_in(30) => {
                let level = if dice.once_in(3) { RoomLevel::Full } else { RoomLevel::Exhausted };
                self.world.set_room(level);
                let (world, time) = (self.world.clone(), dice.between(1, EXHAUSTED_MILLIS_MAX));
                life.spawn(async move {
                    tokio::time::sleep(Duration::from_millis(time)).await;
                    world.set_room(RoomLevel::Ample);
                });
            }
            RoomLevel::Scarce if dice.once_in(12) => self.enough_room(),
            _ => {}
        }
    }

    /// Sometimes reduces the free space so much that only changes that release space are accepted. The shortage
    /// lasts until [`Sim::enough_room`] is called.
    pub(crate) async fn hardly_any_room(&self) {
        if self.shortage.happens && self.shortage.dice.once_in(2) {
            self.world.set_room(RoomLevel::Exhausted);
            tokio::time::sleep(NOTICED).await;
        }
    }

    /// Waits until the engine has noticed that the disk has enough space.
    pub(crate) async fn noticed_room(&self) {
        if !self.world.has_room() {
            tokio::time::sleep(NOTICED).await;
        }
    }
}

impl World {
    /// Sets the free space so that this level applies. The reserve is 1 GiB.
    fn set_room(&self, level: RoomLevel) {
        let mib: u64 = match level {
            RoomLevel::Ample => 100 << 10,
            RoomLevel::Scarce => 800,
            RoomLevel::Exhausted => 150,
            RoomLevel::Full => 30,
        };
        self.say(format_args!("{mib} MiB of the disk are free"));
        self.disk.set_free(mib << 20);
        self.room.lock().push((self.time.now(), level));
    }

    fn room_now(&self) -> RoomLevel {
        self.room.lock().last().map_or(RoomLevel::Ample, |(_, level)| *level)
    }

    /// True if the disk has enough space and the engine has noticed it.
    pub(crate) fn has_room(&self) -> bool {
        self.room_between(self.time.now()).1 == RoomLevel::Ample
    }

    /// Returns two of the room levels that the engine may have noticed since the time `from`: first the level with the
    /// most free space, then the level with the least.
    pub(crate) fn room_between(&self, from: i64) -> (RoomLevel, RoomLevel) {
        let room = self.room.lock();
        let from = from - i64::try_from(NOTICED.as_millis()).unwrap();
        let first = room.partition_point(|(at, _)| *at <= from).saturating_sub(1);
        let levels = || room[first..].iter().map(|(_, level)| *level);
        (levels().min().unwrap_or(RoomLevel::Ample), levels().max().unwrap_or(RoomLevel::Ample))
    }
}
