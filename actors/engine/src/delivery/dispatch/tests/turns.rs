//! The order in which endpoints get permits, the limits on their permits, and their standings (the
//! likelihood that an endpoint returns a permit soon).

use super::super::standing::{ALIVE_TIME, QUICK, Standing};
use super::*;

#[test]
fn a_single_business_may_use_about_half_of_the_permits_and_many_get_equal_parts() {
    let mut world = World::new(64);
    for endpoint in 0..25 {
        world.events((Duration::ZERO, 60 * SECOND), SECOND, key(0, endpoint), ANSWERS);
    }
    world.run(59 * SECOND + SECOND / 2);
    // After a minute of quick deliveries, one business after another gets events whose attempts hang.
    for business in 0..8 {
        for endpoint in 0..25 {
            for _ in 0..8 {
                world.event(60 * SECOND, key(business, endpoint), HANGS);
            }
        }
        world.run(60 * SECOND);
        if business == 0 {
            let alone = world.held_of(0);
            assert!((64 / 3..=64 / 2).contains(&alone), "{alone}");
        }
        world.run(60 * SECOND);
    }
    world.run(200 * SECOND);
    let shares: Vec<_> = (0..8).map(|business| world.held_of(business)).collect();
    let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
    assert!(most - least <= 2 && *least >= 2, "{shares:?}");
    assert!(world.fair.held <= 32, "half of the permits must stay free for endpoints with a better standing");
}

#[test]
fn slow_endpoints_get_their_turns_despite_many_quick_ones() {
    let mut world = World::new(64);
    let almost_slow = Answers { after: QUICK - PROMPT, delivered: true };
    for number in 0..200 {
        let endpoint = key(number / 2, number % 2);
        world.events((Duration::ZERO, 300 * SECOND), SECOND / 4, endpoint, almost_slow);
    }
    world.events((Duration::ZERO, 300 * SECOND), 30 * SECOND, key(200, 0), HANGS);
    world.run(300 * SECOND);
    assert!(world.fair.held >= 60, "there are more due deliveries than permits");
    assert!(world.waits[&key(200, 0)].len() >= 10, "{:?}", world.waits[&key(200, 0)]);
}

#[test]
fn turns_depend_on_the_time_that_attempts_take() {
    // Two businesses want more permits than exist. The attempts of one business take three times as long as
    // the attempts of the other.
    let mut world = World::new(4);
    let long = Answers { after: 3 * SECOND / 4, delivered: true };
    for (business, answers) in [(0, Answers { after: SECOND / 4, delivered: true }), (1, long)] {
        for endpoint in 0..9 {
            // Each endpoint gets one delivery while permits are still free, so no endpoint is new when the permits
            // run out.
            world.event(endpoint as u32 * SECOND, key(business, endpoint), answers);
            world.events((10 * SECOND, 200 * SECOND), SECOND / 10, key(business, endpoint), answers);
        }
    }
    world.run(200 * SECOND);
    let took = |business: usize| {
        let of = (0..9).map(|endpoint| world.waits[&key(business, endpoint)].len()).sum::<usize>();
        world.answers[&key(business, 0)].after * u32::try_from(of).unwrap()
    };
    let ratio = took(0).as_secs_f64() / took(1).as_secs_f64();
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
    // The endpoints of the same business must get equal shares.
    let each: Vec<_> = (0..9).map(|endpoint| world.waits[&key(1, endpoint)].len()).collect();
    assert!(each.iter().max().unwrap() - each.iter().min().unwrap() <= 1, "{each:?}");
}

#[test]
fn an_idle_business_saves_up_no_turns() {
    let mut world = World::new(2);
    let short = Answers { after: SECOND / 2, delivered: true };
    for business in 0..2 {
        world.events((Duration::ZERO, 200 * SECOND), SECOND / 10, key(business, 0), short);
    }
    world.event(Duration::ZERO, key(2, 0), short);
    world.events((100 * SECOND, 200 * SECOND), SECOND / 10, key(2, 0), short);
    world.run(130 * SECOND);
    let made = [0, 1, 2]
        .map(|number| world.waits[&key(number, 0)].iter().filter(|(at, _)| *at >= 100 * SECOND).count());
    // In these 30 s, the two permits allow 120 attempts of half a second. Each of the three businesses must
    // get a third of the attempts.
    assert!(made.iter().all(|made| (38..=42).contains(made)), "{made:?}");
}

#[test]
fn the_limit_on_concurrent_attempts_doubles_with_each_attempt_that_ends() {
    let mut fair = Fair::new(PERMITS);
    let mut now = Duration::ZERO;
    let take = |fair: &mut Fair, now| std::iter::from_fn(|| fair.grant(now)).collect::<Vec<_>>();
    for (failed_before, at_first) in [(false, 2), (true, 1)] {
        let key = key(usize::from(failed_before), 0);
        if failed_before {
            fair.register(key, now + SECOND, true, now);
        }
        fair.want(key, ATTEMPTS_MAX, now);
        let mut held = take(&mut fair, now);
        assert_eq!(held.len(), at_first);
        for limit in [2 * at_first, 4 * at_first, ATTEMPTS_MAX, ATTEMPTS_MAX] {
            now += PROMPT;
            fair.give_back(held.remove(0), Some((true, PROMPT)), now);
            fair.want(key, ATTEMPTS_MAX, now);
            held.extend(take(&mut fair, now));
            assert_eq!(held.len(), limit.min(ATTEMPTS_MAX));
        }
    }
}

#[test]
fn a_late_registration_does_not_replace_newer_information() {
    let (mut fair, of) = (Fair::new(1), key(0, 0));
    fair.wake(key(1, 0), Duration::ZERO);
    let held = fair.grant(Duration::ZERO).unwrap();
    fair.wake(of, Duration::ZERO);
    fair.register(of, 100 * SECOND, false, Duration::ZERO);
    assert_eq!(
        (fair.next_due(), fair.waiting()),
        (None, 1),
        "an endpoint that waits for a permit must not be registered twice"
    );
    fair.give_back(held, None, SECOND);
    assert_eq!(fair.grant(SECOND).unwrap().key, of);
    fair.rest(key(2, 0), Some(5 * SECOND), SECOND);
    fair.register(key(2, 0), 100 * SECOND, false, SECOND);
    assert_eq!(fair.next_due(), Some(5 * SECOND));
}

#[test]
fn the_standing_of_an_endpoint_depends_on_its_latest_attempts() {
    let mut fair = Fair::new(PERMITS);
    let (mut now, of) = (Duration::ZERO, key(0, 0));
    let attempt = |fair: &mut Fair, now: &mut Moment, took: Duration, delivered| {
        fair.want(of, 1, *now);
        let granted = fair.grant(*now).unwrap();
        *now += took;
        fair.give_back(granted, Some((delivered, took)), *now);
    };
    let standing = |fair: &Fair, now| fair.endpoint(of).unwrap().standing(now);
    fair.want(of, 1, now);
    assert_eq!(standing(&fair, now), Standing::Unknown);
    attempt(&mut fair, &mut now, PROMPT, true);
    assert_eq!(standing(&fair, now), Standing::Alive);
    assert_eq!(standing(&fair, now + ALIVE_TIME), Standing::Alive);
    assert_eq!(standing(&fair, now + ALIVE_TIME + PROMPT), Standing::Good);
    attempt(&mut fair, &mut now, PROMPT, false);
    assert_eq!(
        standing(&fair, now),
        Standing::Unknown,
        "a quick failure must lower the standing only to unknown"
    );
    attempt(&mut fair, &mut now, DELIVERY_TIME_MAX, false);
    assert_eq!(standing(&fair, now), Standing::Slow);
    for slow in [true, true, false, false] {
        assert_eq!(standing(&fair, now) == Standing::Slow, slow);
        for _ in 0..3 {
            attempt(&mut fair, &mut now, PROMPT, true);
        }
    }
    assert_eq!(standing(&fair, now), Standing::Alive);
    // A hanging attempt lowers the standing of its endpoint before the attempt ends.
    fair.want(of, 1, now);
    fair.grant(now).unwrap();
    assert_eq!(standing(&fair, now + QUICK), Standing::Alive);
    assert_eq!(standing(&fair, now + QUICK + PROMPT), Standing::Slow);
}

#[test]
fn an_endpoint_waits_for_a_permit_when_its_delivery_is_due_and_an_idle_one_is_forgotten() {
    let mut fair = Fair::new(1);
    fair.rest(key(0, 0), Some(5 * SECOND), Duration::ZERO);
    fair.rest(key(0, 1), Some(3 * SECOND), Duration::ZERO);
    fair.rest(key(0, 1), Some(7 * SECOND), Duration::ZERO);
    assert_eq!((fair.next_due(), fair.waiting()), (Some(5 * SECOND), 2));
    fair.tick(usize::MAX, 5 * SECOND - PROMPT, 5 * SECOND - PROMPT);
    assert_eq!(fair.grant(5 * SECOND - PROMPT), None);
    fair.tick(usize::MAX, 5 * SECOND, 5 * SECOND);
    let granted = fair.grant(5 * SECOND).unwrap();
    assert_eq!((granted.key, fair.next_due(), fair.waiting()), (key(0, 0), Some(7 * SECOND), 1));
    fair.tick(usize::MAX, 7 * SECOND, 7 * SECOND);
    assert_eq!(fair.grant(7 * SECOND), None, "the only permit is taken");
    fair.give_back(granted, None, 8 * SECOND);
    assert_eq!(fair.grant(8 * SECOND).unwrap().key, key(0, 1));
    fair.sweep(7 * SECOND + fair::REMEMBERED - PROMPT);
    assert_eq!(fair.known(), 1, "the endpoint that was unused for longer must be forgotten");
    fair.sweep(7 * SECOND + fair::REMEMBERED + PROMPT);
    assert_eq!(fair.known(), 1, "an endpoint that holds a permit must not be forgotten");
    fair.stop();
    fair.wake(key(0, 0), 8 * SECOND);
    assert_eq!(fair.grant(8 * SECOND), None);
}

/// All 100,000 endpoints have a due delivery when the engine starts.
#[test]
fn a_hundred_thousand_endpoints_get_their_turns_as_fast_as_permits_allow() {
    let (mut fair, mut now, mut ends) = (Fair::new(PERMITS), Duration::ZERO, VecDeque::new());
    for number in 0..100_000 {
        fair.register(key(number / 25, number % 25), now, number % 2 == 0, now);
    }
    assert_eq!(fair.waiting(), 100_000);
    fair.tick(usize::MAX, now, now);
    let mut served = BTreeSet::new();
    loop {
        while let Some(granted) = fair.grant(now) {
            assert!(served.insert(granted.key), "each endpoint must get exactly one turn");
            ends.push_back((now + PROMPT, granted));
        }
        let Some((end, granted)) = ends.pop_front() else { break };
        now = end;
        fair.give_back(granted, Some((true, PROMPT)), now);
    }
    assert_eq!((served.len(), fair.waiting(), fair.held), (100_000, 0, 0));
    // Endpoints with earlier failures may use only half of the permits. `least` is the time that the turns of all
    // 100,000 endpoints take if half of the permits are always in use.
    let least = PROMPT * 100_000 / u32::try_from(PERMITS / 2).unwrap();
    assert!(now <= least * 2, "took {now:?}, but the minimum is {least:?}");
}

#[test]
fn endpoints_delayed_by_an_outage_are_released_in_the_order_in_which_they_began_to_wait() {
    let (mut fair, now) = (Fair::new(PERMITS), SECOND);
    for number in 0..5 {
        fair.wake(key(number, 0), now);
        let granted = fair.grant(now).unwrap();
        fair.cut_off(granted.key, now);
        fair.give_back(granted, None, now);
    }
    assert_eq!((fair.waiting(), fair.next_due(), fair.grant(now)), (5, None, None));
    assert!(!fair.cut_off.is_empty() && fair.wanting == 0);
    // An endpoint that is woken keeps its position in the queue. An endpoint without deliveries is removed
    // from the queue.
    fair.wake(key(0, 0), now);
    let granted = fair.grant(now).unwrap();
    assert_eq!((granted.key, fair.waiting()), (key(0, 0), 4));
    fair.cut_off(key(0, 0), now);
    fair.give_back(granted, None, now);
    fair.rest(key(3, 0), None, now);
    let taken = |fair: &mut Fair, most| {
        fair.release(most, now);
        let granted: Vec<_> = std::iter::from_fn(|| fair.grant(now)).collect();
        for granted in &granted {
            fair.give_back(*granted, None, now);
        }
        granted.iter().map(|granted| granted.key).collect::<Vec<_>>()
    };
    assert_eq!(taken(&mut fair, 2), [key(0, 0), key(1, 0)]);
    fair.cut_off(key(0, 0), now); // the attempt failed, so the endpoint moves to the end of the queue
    assert_eq!(taken(&mut fair, 2), [key(2, 0), key(4, 0)]);
    assert_eq!(taken(&mut fair, 2), [key(0, 0)]);
    assert_eq!(fair.waiting(), 0);
    // Endpoint (1, 0) is held back and woken. Its attempt succeeds, so it leaves the queue. In the next outage,
    // endpoint (2, 0) is held back first, and endpoint (1, 0) second. So endpoint (2, 0) is released first.
    fair.cut_off(key(1, 0), now);
    fair.wake(key(1, 0), now);
    let granted = fair.grant(now).unwrap();
    fair.give_back(granted, Some((true, PROMPT)), now);
    fair.cut_off(key(2, 0), now);
    fair.cut_off(key(1, 0), now);
    assert_eq!(taken(&mut fair, 1), [key(2, 0)]);
}

#[test]
fn due_deliveries_of_very_many_endpoints_are_registered_and_removed_in_small_steps() {
    let (mut fair, far) = (Fair::new(1), SECOND + 2 * fair::REMEMBERED);
    for number in 0..1_000 {
        fair.rest(key(number / 10, number % 10), Some(SECOND), Duration::ZERO);
    }
    let mut steps = 0;
    while fair.tick(256, SECOND, SECOND) {
        steps += 1;
        assert_eq!(fair.waiting(), 1_000);
    }
    assert_eq!(steps, 3);
    for number in 0..1_000 {
        if number != 555 {
            fair.rest(key(number / 10, number % 10), None, SECOND);
        }
    }
    let mut known = vec![fair.known()];
    while !fair.sweep(far) {
        known.push(fair.known());
    }
    known.push(fair.known());
    assert_eq!(
        known,
        [1_000, 740, 480, 221, 1],
        "a sweep must remove whole businesses, with at most a few endpoints more than 256"
    );
    assert!(fair.sweep(far) && fair.sweep(far));
}

/// For any order of operations, a permit is granted if and only if the rules allow it.
#[test]
fn a_permit_is_granted_if_and_only_if_the_rules_permit_it() {
    let mut seed = 1_u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for permits in [1, 2, 3, 12, 64] {
        let (mut fair, mut now, mut held) = (Fair::new(permits), Duration::ZERO, Vec::new());
        for _ in 0..4_000 {
            now += Duration::from_millis(draw(400) as u64);
            let of = key(draw(6), draw(4));
            match draw(8) {
                0 => fair.wake(of, now),
                6 => fair.cut_off(of, now),
                7 => fair.release(draw(4), now),
                1 => fair.want(of, draw(9), now),
                2 => fair.rest(of, Some(now + Duration::from_millis(draw(2_000) as u64)), now),
                3 => fair.register(of, now + SECOND, draw(2) > 0, now),
                _ if held.is_empty() => {}
                _ => {
                    let took = Duration::from_millis(draw(3_000) as u64);
                    let ended = (draw(4) > 0).then(|| (draw(2) > 0, took));
                    fair.give_back(held.swap_remove(draw(held.len())), ended, now);
                }
            }
            fair.tick(usize::MAX, now, now);
            held.extend(std::iter::from_fn(|| fair.grant(now)));
            assert!(held.len() == fair.held && fair.held <= permits);
            assert!(fair.no_endpoint_may(now), "a permit is free although an endpoint may have it");
        }
        while !fair.sweep(now + 2 * fair::REMEMBERED) {}
        fair.release(24, now);
        assert!(fair.cut_off.is_empty(), "every endpoint must be released in the end");
    }
}
