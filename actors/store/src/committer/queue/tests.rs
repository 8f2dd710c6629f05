use super::super::tests::change;
use super::*;

fn queue() -> State {
    State::default()
}

fn push(state: &mut State, lane: usize, bytes: usize) {
    let batch = if bytes > 0 { change(bytes) } else { Batch::new() };
    state.ticket += 1;
    let (ticket, done) = (state.ticket, Box::new(|| ()));
    state.push(Change { ticket, lane, batch, done });
}

/// Takes groups until the queue is empty. Returns the lanes of each group.
fn groups(state: &mut State) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    while state.waiting > 0 {
        groups.push(lanes(&state.take().unwrap()));
    }
    assert!(state.short.is_empty() && state.long.is_empty());
    assert!(state.take().is_none());
    groups
}

#[allow(clippy::disallowed_methods, reason = "no test depends on the time that the queue gets")]
fn start() -> Instant {
    Instant::now()
}

fn lanes(group: &Group) -> Vec<usize> {
    group.changes.iter().map(|change| change.lane).collect()
}

#[test]
fn lanes_take_turns_within_a_group() {
    let mut state = queue();
    for lane in [1, 2] {
        for _ in 0..40 {
            push(&mut state, lane, 1 << 10);
        }
    }
    push(&mut state, 3, 1 << 10);
    let groups = groups(&mut state);
    let turn = |lane| vec![lane; QUANTUM_BYTES >> 10];
    let first = [turn(1), turn(2), vec![3], turn(1), turn(2), turn(1), turn(2), turn(1), turn(2)].concat();
    assert_eq!(groups[0], first[..64]);
    assert_eq!(groups[1].len(), 17);
}

#[test]
fn a_change_of_the_quantum_is_short_and_a_longer_change_is_long() {
    for (bytes, expected) in [(QUANTUM_BYTES, vec![vec![1, 2]]), (QUANTUM_BYTES + 1, vec![vec![2], vec![1]])]
    {
        let mut state = queue();
        push(&mut state, 1, bytes);
        push(&mut state, 2, 100);
        assert_eq!(groups(&mut state), expected);
    }
}

#[test]
fn a_lane_keeps_unused_bytes_for_its_next_turn_and_loses_them_when_it_is_empty() {
    let mut state = queue();
    let half = QUANTUM_BYTES / 2 + 100;
    for _ in 0..4 {
        push(&mut state, 1, half);
        push(&mut state, 2, half);
    }
    // In the first turn, each lane writes one change. In the second turn, the unused bytes of the first turn allow two
    // changes.
    assert_eq!(groups(&mut state).concat(), [1, 2, 1, 1, 2, 2, 1, 2]);
    assert_eq!((state.lanes[1].deficit, state.lanes[2].deficit), (0, 0));
}

#[test]
fn after_each_long_change_the_waiting_short_changes_are_written_first() {
    let mut state = queue();
    // One lane has twenty changes, and each of twenty other lanes has one change.
    for number in 0..20 {
        push(&mut state, 1, 50_000);
        push(&mut state, 100 + number, 50_000);
    }
    for _ in 0..40 {
        push(&mut state, 2, 1_000);
        let group = state.take().unwrap();
        assert!(lanes(&group).contains(&2), "{:?}", lanes(&group));
        assert!(group.batch.bytes() <= GROUP_BYTES_MAX);
        let long = state.take().unwrap();
        assert_eq!(
            (long.writing, long.batch.bytes()),
            (1, 50_000),
            "the group must contain exactly one long change"
        );
    }
    assert_eq!(state.waiting, 0);
}

#[test]
fn a_lane_with_long_changes_writes_as_many_bytes_as_a_lane_with_short_changes() {
    for long_lanes in [1, 5] {
        let mut state = queue();
        let mut written = vec![0; 10];
        for _ in 0..3_000 {
            for lane in 0..4 {
                while state.lanes[lane].changes.len() < 64 {
                    push(&mut state, lane, 1 << 10);
                }
            }
            for lane in 4..4 + long_lanes {
                while state.lanes[lane].changes.len() < 2 {
                    push(&mut state, lane, 200 << 10);
                }
            }
            for change in state.take().unwrap().changes {
                written[change.lane] += if change.lane < 4 { 1 } else { 200 };
            }
        }
        let (least, most) = (written.iter().filter(|kib| **kib > 0).min(), written.iter().max());
        let (least, most) = (*least.unwrap(), *most.unwrap());
        assert!(written.iter().filter(|kib| **kib > 0).count() == 4 + long_lanes, "{written:?}");
        assert!(most - least <= most / 5 + 400, "{written:?}"); // a turn is never split
    }
}

/// Takes groups until the queue is empty. Returns the pause after each group, as a multiple of the time that its write
/// takes.
fn rests(state: &mut State) -> Vec<u32> {
    std::iter::from_fn(|| state.take()).map(|group| group.rest).collect()
}

#[test]
fn after_changes_of_other_lanes_long_changes_pause_together() {
    let mut state = queue();
    push(&mut state, 1, 20_000);
    push(&mut state, 1, 100);
    push(&mut state, 1, 20_000);
    assert_eq!(rests(&mut state).iter().max(), Some(&0), "without other lanes there must be no pause");
    for (lanes, expected) in [(1, REST), (3, REST / 3), (20, 1)] {
        push(&mut state, 2, 100);
        (10..10 + lanes).for_each(|lane| push(&mut state, lane, 50_000));
        let mut rested = rests(&mut state);
        rested.retain(|rest| *rest > 0);
        assert_eq!(rested, [expected], "the long lanes must pause once after a short change");
    }
}

#[test]
fn a_pause_is_bounded_and_ends_when_the_queue_closes() {
    let group = |rest| Group { rest, ..Group::default() };
    let millis = Duration::from_millis;
    assert_eq!(group(0).rest(millis(5)), None);
    assert_eq!(group(2).rest(millis(5)), Some(millis(10)));
    assert_eq!(group(REST).rest(Duration::MAX), Some(REST_MAX));

    let queue = Queue::default();
    push(&mut queue.state.lock(), 1, 50_000);
    queue.rest_until(start() + Duration::from_secs(3_600));
    queue.close();
    queue.rest_until(start() + Duration::from_secs(3_600));
    assert_eq!(lanes(&queue.take_blocking(start()).unwrap()), [1]);
    assert!(queue.take_blocking(start()).is_none());
}

#[test]
fn while_long_changes_pause_only_short_changes_are_written() {
    let queue = Queue::default();
    push(&mut queue.state.lock(), 1, 50_000);
    push(&mut queue.state.lock(), 2, 100);
    let until = start() + Duration::from_secs(3_600);
    queue.rest_until(until);
    assert_eq!(lanes(&queue.take_blocking(start()).unwrap()), [2]);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| lanes(&queue.take_blocking(start()).unwrap()));
        queue.push(3, change(100), Box::new(|| ()), |_| ());
        assert_eq!(waits.join().unwrap(), [3], "a short change must wake the writer");
    });
    assert_eq!(lanes(&queue.take_blocking(until).unwrap()), [1]);
}

#[test]
fn a_single_lane_shares_its_syncs_for_changes_of_any_length() {
    let mut state = queue();
    for bytes in [1_000, 30_000, 1_000, 20_000, 60_000, 5_000, 70_000] {
        push(&mut state, 1, bytes);
    }
    let sizes: Vec<_> = groups(&mut state).iter().map(Vec::len).collect();
    assert_eq!(sizes, [4, 2, 1]);
}

#[test]
fn a_barrier_waits_only_for_its_own_lane_and_does_not_count_in_a_group() {
    let mut state = queue();
    push(&mut state, 1, 100_000);
    push(&mut state, 1, 0);
    push(&mut state, 2, 0);
    for _ in 0..64 {
        push(&mut state, 3, 100);
    }
    push(&mut state, 3, 0);
    push(&mut state, 3, 100);
    let first = state.take().unwrap();
    assert_eq!((first.changes.len(), first.writing), (66, 64));
    assert!(!lanes(&first).contains(&1), "the long change must not be written yet");
    assert_eq!(groups(&mut state), [vec![3], vec![1, 1]]);
}

#[test]
fn every_change_is_written_once_and_in_the_order_of_its_lane() {
    let mut random = 1_u64;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut state = queue();
    let (mut taken, mut newest) = (0, vec![0; SHARDS]);
    for step in 0..20_000 {
        for _ in 0..draw(4) {
            let bytes = [0, 100, 1_000, 8_000, 9_000, 50_000, 300_000][draw(7) as usize];
            push(&mut state, draw(6) as usize, bytes);
        }
        if step > 19_000 || draw(3) == 0 {
            let waiting = state.waiting;
            let Some(group) = state.take() else { continue };
            assert!(group.writing <= GROUP_CHANGES_MAX);
            assert!(group.batch.bytes() <= GROUP_BYTES_MAX || group.writing == 1);
            for change in &group.changes {
                assert!(std::mem::replace(&mut newest[change.lane], change.ticket) < change.ticket);
            }
            taken += group.changes.len();
            assert_eq!(state.waiting, waiting - group.changes.len());
        }
    }
    taken += groups(&mut state).iter().map(Vec::len).sum::<usize>();
    assert_eq!(taken as u64, state.ticket);
}
