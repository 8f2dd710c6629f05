//! A local outage is not counted as a failure of the receivers.

use domain::AttemptFailure;
use net::outage::PROBE_AFTER;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Lacking {
    Routes,
    NameServers,
}

impl World {
    fn cut_off(&self, lacking: Lacking, cut_off: bool) {
        match lacking {
            Lacking::Routes => self.net.set_routes(cut_off.then_some(&[])),
            Lacking::NameServers => self.dns.set_silent(cut_off),
        }
    }

    /// Waits until the outage is over and the deliveries that it delayed are sent.
    async fn go_on(&self) {
        let start = Instant::now();
        while self.engine.is_cut_off() {
            sleep(Duration::from_secs(1)).await;
        }
        assert!(start.elapsed() <= PROBE_AFTER + Duration::from_secs(1), "{:?}", start.elapsed());
        settle().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_local_outage_of_any_length_uses_up_no_attempt() {
    for lacking in [Lacking::Routes, Lacking::NameServers] {
        let mut world = World::new().await;
        let (failing, refusing) = world.endpoint("a", 1, NO).await;
        let (taking, receiver) = world.endpoint("b", 2, OK).await;
        world.happen("A").await;
        sleep(Duration::from_secs(200)).await;
        assert_eq!((refusing.requests().len(), receiver.requests().len()), (3, 1));
        world.cut_off(lacking, true);
        world.happen("B").await;
        // Without a local outage, an endpoint that does not respond for this long is disabled.
        sleep(Duration::from_secs(26 * 3_600)).await;
        assert!(world.engine.is_cut_off(), "{lacking:?}");
        for (id, attempts) in [(failing, [0, 3]), (taking, [0, 1])] {
            let log = world.log(id).await;
            assert_eq!([log[0].attempts_made, log[1].attempts_made], attempts, "{lacking:?}");
            assert_eq!((log[0].status, &log[0].last_error), (DeliveryStatus::Pending, &None));
            assert_eq!(world.status(id).await.0, WebhookStatus::Enabled);
        }
        // One probe runs at a time, and each failed probe allows one trial attempt. More endpoints and events do not
        // add attempts.
        let asked = world.dns.asked();
        world.happen("C").await;
        sleep(PROBE_AFTER * 100).await;
        assert!((99..=101).contains(&(world.dns.asked() - asked)), "{lacking:?}");
        // The outage continues, and the restarted engine detects it again.
        world.restart().await;
        sleep(Duration::from_secs(3_600)).await;
        assert!(world.engine.is_cut_off() && world.log(taking).await[0].attempts_made == 0);
        world.cut_off(lacking, false);
        world.go_on().await;
        assert_eq!(receiver.requests().len(), 3, "all three delayed deliveries must arrive");
        let log = world.log(failing).await;
        assert_eq!(log.iter().map(|row| row.attempts_made).collect::<Vec<_>>(), [1, 1, 4], "{lacking:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_receiver_with_a_broken_name_server_or_route_is_disabled_as_usual() {
    let world = World::new().await;
    let (failing, _) = world.endpoint("a", 1, OK).await;
    let (unreachable, _) = world.endpoint("b", 2, OK).await;
    world.dns.break_down("a.example.com");
    world.net.put("93.184.216.2:443", Place::Error(101));
    world.happen("A").await;
    sleep(Duration::from_secs(90_000)).await;
    for id in [failing, unreachable] {
        assert_eq!(world.status(id).await.0, WebhookStatus::Disabled);
        assert_eq!(world.log(id).await[0].attempts_made, 9);
    }
    assert!(!world.engine.is_cut_off());
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_needs_no_name_server_continues_without_one() {
    let world = World::new().await;
    let (_, held_back) = world.endpoint("a", 1, OK).await;
    let (_, known) = world.endpoint("b", 2, OK).await;
    world.dns.know("b.example.com", "93.184.216.2");
    world.dns.set_silent(true);
    for number in 1..=3 {
        world.happen("A").await;
        settle().await;
        assert_eq!((held_back.requests().len(), known.requests().len()), (0, number));
        assert!(world.engine.is_cut_off());
    }
}

#[tokio::test(start_paused = true)]
async fn mistaken_evidence_of_an_outage_delays_deliveries_only_briefly() {
    let world = World::new().await;
    // The only route leads to the receiver of B. The probe tries the receiver of A first and fails, so the
    // engine assumes an outage.
    world.net.set_routes(Some(&["93.184.216.2"]));
    let (_, unreachable) = world.endpoint("a", 1, OK).await;
    world.dns.break_down("a.example.com");
    world.happen("A").await;
    settle().await;
    assert!(world.engine.is_cut_off());
    let (_, receiver) = world.endpoint("b", 2, OK).await;
    world.happen("B").await;
    sleep(PROBE_AFTER * 4).await;
    assert!(!world.engine.is_cut_off());
    assert_eq!((unreachable.requests().len(), receiver.requests().len()), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn requests_during_an_outage_report_that_no_attempt_was_made() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, OK).await;
    assert!(world.business.test_webhook(id, None).await.unwrap().delivered);
    for (lacking, failure) in
        [(Lacking::NameServers, AttemptFailure::NoNameServer), (Lacking::Routes, AttemptFailure::NoRoute)]
    {
        world.cut_off(lacking, true);
        for _ in 0..2 {
            let test = world.business.test_webhook(id, None).await.unwrap();
            assert!(!test.delivered && test.response_status.is_none());
            assert_eq!(test.error, Some(failure.into()), "{test:?}");
        }
        world.cut_off(lacking, false);
        world.go_on().await;
    }
    world.dns.set_silent(true);
    let url = WebhookUrl::parse("https://a.example.com/other").unwrap();
    let refused = world.business.check_webhook_url(&url).await;
    assert!(matches!(refused, Err(EngineError::Overloaded)), "{refused:?}");
    world.dns.set_silent(false);
    world.business.check_webhook_url(&url).await.unwrap();
    assert_eq!(receiver.requests().len(), 1);
}

/// During an outage, the delayed endpoints wait in one queue and do not read the store. After the outage, each endpoint
/// receives its event.
#[tokio::test(start_paused = true)]
async fn endpoints_delayed_by_an_outage_are_read_only_with_a_probe() {
    let world = World::with(Limits { actors_at_rest: 0, ..Limits::default() }).await;
    let mut receivers = Vec::new();
    for number in 1..=20 {
        receivers.push(world.endpoint(&format!("e{number}"), number, OK).await.1);
    }
    world.cut_off(Lacking::NameServers, true);
    world.happen("A").await;
    sleep(PROBE_AFTER).await;
    assert!(world.engine.is_cut_off());
    assert_eq!(world.engine.endpoints_waiting(), 20);
    for _ in 0..40 {
        // All reads of a probe and of its trial attempt end within half the time between two probes.
        sleep(PROBE_AFTER / 2).await;
        let reads = world.disk.reads();
        assert_eq!(world.engine.running_deliveries(), 0);
        sleep(PROBE_AFTER / 4).await;
        assert!(world.disk.reads() - reads < 20, "{}", world.disk.reads() - reads);
        sleep(PROBE_AFTER / 4).await;
    }
    world.cut_off(Lacking::NameServers, false);
    world.go_on().await;
    assert!(receivers.iter().all(|receiver| receiver.requests().len() == 1));
    assert_eq!(world.engine.endpoints_waiting(), 0);
}

/// A new route does not end the outage, because no name server responds yet. But an endpoint whose lookup needs no name
/// server gets requests again as soon as the route exists.
#[tokio::test(start_paused = true)]
async fn a_new_route_is_used_by_endpoints_that_need_no_name_server() {
    let world = World::new().await;
    let (_, known) = world.endpoint("a", 1, OK).await;
    world.dns.know("a.example.com", "93.184.216.1");
    world.dns.set_silent(true);
    world.net.set_routes(Some(&[]));
    world.net.put("93.184.216.1:443", Place::Error(101));
    world.happen("A").await;
    sleep(PROBE_AFTER * 3).await;
    assert!(world.engine.is_cut_off() && known.requests().is_empty());
    world.net.put("93.184.216.1:443", Place::Receiver(known.clone()));
    world.net.set_routes(None);
    sleep(PROBE_AFTER + Duration::from_secs(2)).await;
    assert!(world.engine.is_cut_off());
    assert_eq!(known.requests().len(), 1);
}
