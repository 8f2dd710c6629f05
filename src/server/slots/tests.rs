use super::*;
use crate::server::tests::limits;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Whether the connection was closed to free its slot.
fn has_ended(slot: &Slot) -> bool {
    !slot.link.begin_request()
}

/// A connection with an unfinished request.
fn busy(slots: &Arc<Slots>, peer: &str) -> Slot {
    let slot = slots.admit(ip(peer));
    assert!(slot.is_held && slot.link.begin_request());
    slot
}

#[test]
fn the_number_of_slots_of_an_address_is_limited() {
    let limits = limits(100, 3);
    let slots = Slots::new(limits.clone());
    let mut held: Vec<_> = (0..3).map(|_| slots.admit(ip("192.0.2.1"))).collect();
    assert!(held.iter().all(|slot| slot.is_held));
    assert!(!slots.admit(ip("192.0.2.1")).is_held);
    assert!(
        !slots.admit(ip("::ffff:192.0.2.1")).is_held,
        "an IPv4-mapped address must count as the same address"
    );
    assert_eq!(limits.counters.refused.load(Ordering::Relaxed), 2);
    assert!(slots.admit(ip("192.0.2.2")).is_held);
    assert!(!has_ended(&held[0]), "a refused connection must not close connections of its address");
    held.remove(1);
    assert!(slots.admit(ip("192.0.2.1")).is_held, "a returned slot must be free");
    drop(held);
    assert_eq!(slots.counts(), (0, 0));
    assert!(slots.state.lock().addresses.is_empty(), "an address without slots must have no entry");
}

#[test]
fn an_ipv6_address_counts_as_its_64_first_bits() {
    let slots = Slots::new(limits(100, 2));
    let _held = [slots.admit(ip("2001:db8:0:1::1")), slots.admit(ip("2001:db8:0:1:ffff::9"))];
    assert!(!slots.admit(ip("2001:db8:0:1::3")).is_held);
    assert!(slots.admit(ip("2001:db8:0:2::1")).is_held);
}

#[test]
fn trusted_proxies_can_use_all_slots() {
    let limits = Limits { proxies: "192.0.2.0/24".parse().unwrap(), ..limits(5, 1) };
    let slots = Slots::new(limits);
    let held: Vec<_> = (0..5).map(|_| busy(&slots, "192.0.2.1")).collect();
    assert!(!slots.admit(ip("192.0.2.1")).is_held, "the limit of the listener also applies to proxies");
    drop(held);
    let _one = slots.admit(ip("198.51.100.1"));
    assert!(!slots.admit(ip("198.51.100.1")).is_held);
    assert!(slots.admit(ip("192.0.2.1")).is_held);
}

#[tokio::test(start_paused = true)]
async fn a_full_listener_closes_the_longest_idle_connections_of_the_largest_address() {
    let limits = limits(4 * EVICTED_AT_ONCE, 1_000);
    let slots = Slots::new(limits.clone());
    let few: Vec<_> = (0..EVICTED_AT_ONCE).map(|_| slots.admit(ip("192.0.2.1"))).collect();
    let mut many = Vec::new();
    for _ in 0..3 * EVICTED_AT_ONCE {
        tokio::time::advance(Duration::from_millis(1)).await;
        many.push(slots.admit(ip("192.0.2.2")));
    }
    // The first connection has an unfinished request. The request of the second one has just finished.
    assert!(many[0].link.begin_request() && many[1].link.begin_request());
    many[1].link.finish_request();
    many[1].link.mark_idle_if_sent();
    let newcomer = slots.admit(ip("192.0.2.3"));
    assert!(newcomer.is_held);
    assert_eq!(limits.counters.evicted.load(Ordering::Relaxed), EVICTED_AT_ONCE as u64);
    assert_eq!(slots.counts().0, 3 * EVICTED_AT_ONCE + 1);
    let ended: Vec<_> = (2..many.len()).filter(|at| has_ended(&many[*at])).collect();
    assert_eq!(ended, (2..2 + EVICTED_AT_ONCE).collect::<Vec<_>>());
    assert!(!few.iter().any(has_ended) && !has_ended(&many[1]));
}

#[test]
fn connections_of_an_address_with_fewer_slots_are_not_closed() {
    let slots = Slots::new(limits(3, 100));
    let small = slots.admit(ip("192.0.2.1"));
    let _large = [busy(&slots, "192.0.2.2"), busy(&slots, "192.0.2.2")];
    assert!(!slots.admit(ip("192.0.2.2")).is_held);
    assert!(
        slots.admit(ip("192.0.2.3")).is_held,
        "an address without connections must get a slot immediately"
    );
    assert!(has_ended(&small));
}

#[test]
fn the_reserve_is_bounded_and_its_oldest_connection_is_closed_first() {
    let slots = Slots::new(limits(1, 1));
    let _held = busy(&slots, "192.0.2.1");
    let address = |n: usize| IpAddr::from([198, 51, 100, u8::try_from(n % 200).unwrap()]);
    let reserve: Vec<_> = (0..RESERVE_MAX).map(|n| slots.admit(address(n))).collect();
    assert!(!reserve.iter().any(|slot| slot.is_held));
    assert_eq!(slots.counts(), (1, RESERVE_MAX));
    let newest = slots.admit(address(0));
    assert_eq!(slots.counts(), (1, RESERVE_MAX));
    assert!(has_ended(&reserve[0]) && !has_ended(&reserve[1]) && !has_ended(&newest));
    drop(reserve);
    drop(newest);
    assert_eq!(slots.counts(), (1, 0));
}

#[test]
fn one_address_has_a_small_part_of_the_reserve() {
    let slots = Slots::new(limits(1, 1));
    let _held = busy(&slots, "192.0.2.1");
    let other = slots.admit(ip("192.0.2.2"));
    let reserve: Vec<_> = (0..=RESERVE_PER_ADDRESS_MAX).map(|_| slots.admit(ip("192.0.2.1"))).collect();
    assert_eq!(slots.counts(), (1, RESERVE_PER_ADDRESS_MAX + 1));
    assert!(has_ended(&reserve[0]) && !has_ended(&reserve[1]) && !has_ended(&other));
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_can_open_no_more_files_closes_idle_connections() {
    let slots = Slots::new(limits(10, 10));
    let working = busy(&slots, "192.0.2.1");
    assert!(!slots.spare());
    let resting = slots.admit(ip("192.0.2.1"));
    assert!(!slots.spare(), "a second search within the pause must be skipped");
    tokio::time::advance(SEARCH_PAUSE).await;
    assert!(slots.spare() && has_ended(&resting));
    assert!(working.link.idle_since().is_none());
    assert_eq!(slots.counts().0, 1);
}
