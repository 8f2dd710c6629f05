use super::*;

#[test]
fn a_panic_while_a_permit_is_handed_out_leaves_the_others_theirs() {
    let dispatcher = Dispatcher::new(1, crate::testing::steady());
    dispatcher.fair.lock().want(key(0, 0), 1, Duration::ZERO);
    dispatcher.panics.store(true, Ordering::Release);
    let waking = {
        let dispatcher = Arc::clone(&dispatcher);
        std::thread::spawn(move || dispatcher.wake(key(1, 0)))
    };
    assert!(waking.join().is_err());
    assert_eq!(dispatcher.permits_held(), 0, "the permit that was being handed is given back");
    // Without an engine, handing out a permit would stop the dispatcher.
    assert!(!dispatcher.fair.lock().is_stopped());
    dispatcher.wake(key(2, 0));
    assert!(dispatcher.fair.lock().is_stopped(), "others are handed theirs");
}
