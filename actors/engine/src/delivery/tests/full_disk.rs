//! While the disk is full, no delivery attempt begins, and waiting endpoints do not read the store. One timer for all
//! endpoints checks whether the disk has free space again.

use super::*;

/// More free space than any reserve needs.
const PLENTY: u64 = 1 << 40;

#[tokio::test(start_paused = true)]
async fn while_the_disk_is_full_no_actor_runs_and_deliveries_continue_when_space_is_free() {
    let world = World::with(Limits { actors_at_rest: 0, ..Limits::default() }).await;
    let mut receivers = Vec::new();
    for number in 1..=20 {
        receivers.push(world.endpoint(&format!("e{number}"), number, NO).await.1);
    }
    world.happen("A").await;
    settle().await;
    let made = |times: usize| receivers.iter().all(|receiver| receiver.requests().len() == times);
    assert!(made(1));
    world.disk.set_free(0);
    // All deliveries become due. They wait for free space.
    sleep(Duration::from_secs(60)).await;
    let reads = world.disk.reads();
    for _ in 0..60 {
        sleep(Duration::from_secs(60)).await;
        assert_eq!(world.engine.running_deliveries(), 0);
    }
    let reads = world.disk.reads() - reads;
    // Background jobs cause three reads a minute. The endpoints cause none.
    assert!(made(1) && reads < 3 * 60 + 60, "{reads} reads in an hour, for 20 endpoints");
    assert_eq!((world.engine.attempts_under_way(), world.engine.endpoints_waiting()), (0, 20));
    world.disk.set_free(PLENTY);
    sleep(Duration::from_secs(3)).await;
    assert!(made(2), "the attempts must begin without a request");
    sleep(Duration::from_secs(120)).await;
    settle().await;
    assert!(made(3), "the later attempts must follow the schedule");
}

#[tokio::test(start_paused = true)]
async fn attempts_in_progress_when_the_disk_fills_are_recorded_and_others_wait() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.receiver_that("a.example.com", 1, "", Then::Hangs);
    for name in ["A", "B", "C"] {
        world.happen(name).await;
    }
    settle().await;
    world.disk.set_free(0);
    sleep(Duration::from_secs(12)).await;
    let attempts = || async {
        let mut attempts: Vec<_> = world.log(id).await.iter().map(|row| row.attempts_made).collect();
        attempts.sort_unstable();
        attempts
    };
    assert_eq!(attempts().await, [0, 1, 1], "a new endpoint may have only two attempts at the same time");
    let revived = world.receiver("a.example.com", 2, OK);
    sleep(Duration::from_secs(600)).await;
    assert_eq!((revived.requests().len(), attempts().await), (0, vec![0, 1, 1]));
    world.disk.set_free(PLENTY);
    sleep(Duration::from_secs(3)).await;
    assert_eq!((revived.requests().len(), attempts().await), (3, vec![1, 2, 2]));
}
