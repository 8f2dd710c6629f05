use super::*;

#[test]
fn a_panic_while_a_permit_is_granted_affects_no_other_endpoint() {
    let dispatcher = Dispatcher::new(1, crate::testing::steady());
    dispatcher.fair.lock().want(key(0, 0), 1, Duration::ZERO);
    dispatcher.panics.store(true, Ordering::Release);
    let waking = {
        let dispatcher = Arc::clone(&dispatcher);
        std::thread::spawn(move || dispatcher.wake(key(1, 0)))
    };
    assert!(waking.join().is_err());
    assert_eq!(dispatcher.permits_held(), 0, "the permit must be returned after the panic");
    // This dispatcher has no engine, so it stops when it tries to hand a permit to an actor. The panic happened before
    // the dispatcher tried this, so the dispatcher has not stopped yet.
    assert!(!dispatcher.fair.lock().is_stopped());
    dispatcher.wake(key(2, 0));
    assert!(dispatcher.fair.lock().is_stopped(), "the next endpoint must still be granted a permit");
}
