use std::task::Poll;

use super::super::testing::{FakeDns, FakeNet};
use super::*;

const HOST: &str = "hook.example.com";
const ADDRESS: &str = "93.184.216.34";

struct World {
    dns: Arc<FakeDns>,
    net: Arc<FakeNet>,
    network: Network,
}

impl World {
    fn new() -> Self {
        let (dns, net) = (Arc::<FakeDns>::default(), Arc::<FakeNet>::default());
        let network = Network::new(dns.clone(), net.clone());
        Self { dns, net, network }
    }

    /// Resolves a name and reports the result to the network, as the delivery client does.
    async fn look_up(&self) -> Option<Lack> {
        let answer = self.dns.resolve(HOST).await;
        self.network.judge_lookup(HOST, Some(&answer))
    }

    fn fail(&self) -> Option<Lack> {
        self.network.judge_failure(&[target()])
    }

    fn name(&self) -> Host {
        Host::Name(HOST.into())
    }
}

fn target() -> SocketAddr {
    SocketAddr::new(ADDRESS.parse().unwrap(), 443)
}

fn is_ready(future: impl Future<Output = ()>) -> bool {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    future.as_mut().poll(&mut context) == Poll::Ready(())
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_a_receiver_is_no_outage() {
    let world = World::new();
    assert_eq!(world.look_up().await, None, "a missing name is not an outage");
    world.dns.break_down(HOST);
    assert_eq!(world.look_up().await, None, "a failing name server of the receiver is not an outage");
    assert_eq!(
        world.network.judge_lookup(HOST, None),
        None,
        "a slow name server of the receiver is not an outage"
    );
    world.dns.set(HOST, &[ADDRESS]);
    assert_eq!((world.look_up().await, world.fail()), (None, None));
    // The machine has a route to the internet, but no route to the receiver.
    world.net.set_routes(Some(&["198.41.0.4"]));
    assert_eq!(world.fail(), None);
    assert!(!world.network.is_out());
}

#[tokio::test(start_paused = true)]
async fn an_outage_without_a_name_server_lasts_until_a_probe_finds_one() {
    let world = World::new();
    world.dns.set_silent(true);
    let start = Instant::now();
    assert_eq!(world.look_up().await, Some(Lack::NameServer));
    assert!(world.network.is_out());
    assert_eq!(world.network.lack_for(&world.name()), Some(Lack::NameServer));
    // Many callers notice the outage, but only one probe may run.
    for _ in 0..100 {
        assert_eq!(world.look_up().await, Some(Lack::NameServer));
    }
    sleep(PROBE_AFTER * 10 + Duration::from_secs(1)).await;
    assert_eq!(world.dns.probed(), 10);
    world.network.worth_trying().await; // returns, because a trial attempt is available
    assert!(world.network.take_trial() && !world.network.take_trial());
    let (first, second) = (world.network.worth_trying(), world.network.worth_trying());
    world.dns.set_silent(false);
    assert!(world.network.is_out(), "no probe has detected the end of the outage yet");
    first.await;
    assert_eq!(start.elapsed(), PROBE_AFTER * 11);
    assert!(is_ready(second) && is_ready(world.network.worth_trying()) && !world.network.is_out());
    assert!(!world.network.take_trial());
    assert_eq!(world.network.lack_for(&world.name()), None);
    sleep(PROBE_AFTER * 10).await;
    assert_eq!(world.dns.probed(), 11, "no further probe may run");
    // The next failure begins a new outage.
    world.dns.set_silent(true);
    assert_eq!(world.look_up().await, Some(Lack::NameServer));
    assert!(!is_ready(world.network.worth_trying()));
}

#[tokio::test(start_paused = true)]
async fn each_failed_probe_permits_one_attempt_of_the_task_that_has_waited_longest() {
    let world = World::new();
    world.dns.set_silent(true);
    world.look_up().await;
    let tried = Arc::new(Mutex::new(Vec::new()));
    for waiter in 0..3 {
        let (network, tried) = (world.network.clone(), Arc::clone(&tried));
        tokio::spawn(async move {
            loop {
                network.worth_trying().await;
                if !network.take_trial() {
                    return;
                }
                tried.lock().push(waiter);
            }
        });
    }
    sleep(PROBE_AFTER * 5 + Duration::from_secs(1)).await;
    assert_eq!(*tried.lock(), [0, 1, 2, 0, 1]);
    // In this network, a probe succeeds only after an attempt has reached its receiver.
    world.net.set_routes(Some(&[ADDRESS]));
    let answer = Ok(vec![ADDRESS.parse().unwrap()]);
    assert_eq!(world.network.judge_lookup(HOST, Some(&answer)), None);
    world.network.note_reached(ADDRESS.parse().unwrap());
    sleep(PROBE_AFTER).await;
    assert!(!world.network.is_out());
    assert_eq!(tried.lock().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn without_a_route_every_failure_is_local_until_a_probe_finds_one() {
    for unreachable in ["a name server that fails", "a name server that is silent", "a receiver"] {
        let world = World::new();
        world.net.set_routes(Some(&[]));
        let lack = match unreachable {
            "a receiver" => world.fail(),
            "a name server that fails" => {
                world.dns.break_down(HOST);
                world.look_up().await
            }
            _ => {
                world.dns.set_silent(true);
                world.look_up().await
            }
        };
        assert_eq!(lack, Some(Lack::Route), "{unreachable}");
        world.dns.set_silent(true);
        world.net.set_routes(Some(&["2001:503:ba3e::2:30"]));
        sleep(PROBE_AFTER + Duration::from_millis(1)).await;
        assert!(world.network.is_out(), "a route without a name server does not end the outage");
        world.dns.set_silent(false);
        sleep(PROBE_AFTER).await;
        assert!(!world.network.is_out(), "{unreachable}");
        // Even during an outage, the answer that a name does not exist is valid.
        world.net.set_routes(Some(&[]));
        let answer = Err(io::ErrorKind::NotFound.into());
        assert_eq!(world.network.judge_lookup(HOST, Some(&answer)), None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_route_to_a_receiver_is_sufficient_without_the_internet() {
    let world = World::new();
    world.net.set_routes(Some(&[ADDRESS]));
    assert_eq!(world.fail(), None, "a route to the receiver exists, so its failure is not an outage");
    world.network.note_reached(ADDRESS.parse().unwrap());
    assert_eq!(world.network.judge_failure(&["93.184.216.99:443".parse().unwrap()]), None);
    // Only the last `REACHED_MAX` receivers are remembered.
    for last in 1..=u8::try_from(REACHED_MAX).unwrap() {
        world.network.note_reached([93, 184, 217, last].into());
    }
    assert_eq!(world.network.0.reached.lock().len(), REACHED_MAX);
    assert_eq!(world.network.judge_failure(&["93.184.216.99:443".parse().unwrap()]), Some(Lack::Route));
}

#[tokio::test(start_paused = true)]
async fn hosts_that_need_no_name_server_do_not_wait_for_one() {
    let world = World::new();
    world.dns.set_silent(true);
    assert!(!world.network.had_names());
    world.dns.know("known.example.com", ADDRESS);
    let answer = world.dns.resolve("known.example.com").await;
    assert_eq!(world.network.judge_lookup("known.example.com", Some(&answer)), None);
    assert!(!world.network.had_names(), "no name server has been asked");
    world.look_up().await;
    let hosts = [Host::Name("known.example.com".into()), Host::Ip(ADDRESS.parse().unwrap())];
    for host in &hosts {
        assert_eq!(world.network.lack_for(host), None);
    }
    // Hosts without a route must wait until the outage ends.
    world.net.set_routes(Some(&[]));
    for host in &hosts {
        assert_eq!(world.network.lack_for(host), Some(Lack::NameServer));
    }
}

#[tokio::test(start_paused = true)]
async fn the_probes_end_when_the_network_is_dropped() {
    let world = World::new();
    world.dns.set_silent(true);
    world.look_up().await;
    sleep(PROBE_AFTER + Duration::from_secs(1)).await;
    assert_eq!(world.dns.probed(), 1);
    drop(world.network);
    sleep(PROBE_AFTER * 10).await;
    assert_eq!(world.dns.probed(), 1);
}
