//! Tests of attempts that fail, and of whether each failure counts as a failure of the receiver or of this machine.

use domain::{AttemptError, AttemptFailure};

use super::*;

#[tokio::test(start_paused = true)]
async fn certificates_are_verified() {
    let world = World::new();
    for (config, error) in [
        (world.authority.server("other.example.com"), "tls: the certificate is for another name"),
        (world.authority.expired_server(HOST_NAME), "tls: the certificate has expired"),
        (self_signed_server(HOST_NAME), "tls: the certificate's issuer is not trusted"),
        (Authority::new().server(HOST_NAME), "tls: the certificate's issuer is not trusted"),
    ] {
        let receiver = Receiver::new(config, NO_CONTENT, Then::GoesOn);
        world.net.put(ADDRESS, Place::Receiver(receiver.clone()));
        failed(&world.post().await, error);
        assert!(receiver.requests().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_connects_or_resolves_times_out() {
    let world = World::new();
    world.net.put(ADDRESS, Place::BlackHole);
    let attempt = world.post().await;
    failed(&attempt, "timeout while connecting");
    assert_eq!(attempt.duration, DELIVERY_TIME_MAX);
    world.dns.hang(HOST_NAME);
    let attempt = world.post().await;
    failed(&attempt, "refused: the URL does not resolve to a public address");
    assert_eq!(attempt.duration, RESOLVE_TIME_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_local_shortage_is_no_attempt() {
    const SHORT: AttemptError = AttemptError::Failed(AttemptFailure::Short);
    for number in [12, 23, 24, 99, 105] {
        let world = World::new();
        world.net.put(ADDRESS, Place::Error(number));
        let attempt = world.post().await;
        assert_eq!(
            (attempt.outcome, attempt.status, &attempt.error),
            (Outcome::NotMade, None, &Some(SHORT)),
            "{number}"
        );
    }
    // If a local shortage prevents the connection to one address and the other address fails, the outcome is `NotMade`.
    // If one of the addresses works, the attempt succeeds.
    let world = World::new();
    world.dns.set(HOST_NAME, &["93.184.216.34", "93.184.216.35"]);
    world.net.put(ADDRESS, Place::Error(24));
    assert_eq!(world.post().await.outcome, Outcome::NotMade);
    world.receiver(OTHER, NO_CONTENT, Then::GoesOn);
    delivered(&world.post().await, 204);
    // Over IPv6, the system error 99 (`EADDRNOTAVAIL`) counts as a failure of the receiver. It is not a shortage: a
    // machine without IPv6 gets this error for every IPv6 address.
    let world = World::new();
    world.dns.set(HOST_NAME, &["2606:4700::1111"]);
    world.net.put("[2606:4700::1111]:443", Place::Error(99));
    failed(&world.post().await, "connect: failed");
    // A DNS lookup that fails because this machine lacks resources is not a failure of the receiver.
    world.dns.fail(HOST_NAME, 24);
    assert_eq!(world.post().await.outcome, Outcome::NotMade);
}

#[tokio::test(start_paused = true)]
async fn without_any_route_no_failure_counts_against_a_receiver() {
    const NO_WAY: AttemptError = AttemptError::Failed(AttemptFailure::NoRoute);
    // In the first case, the machine loses the route before the connection is opened. In the second case, it
    // loses the route while the client waits for the response.
    let never = World::new();
    let hanging = World::new();
    hanging.receiver(ADDRESS, "", Then::Hangs);
    never.net.set_routes(Some(&[]));
    let lost = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        hanging.net.set_routes(Some(&[]));
    };
    let (never_made, (), given_up) = tokio::join!(never.post(), lost, hanging.post());
    for (world, attempt) in [(never, never_made), (hanging, given_up)] {
        let expected = (Outcome::NotMade, None, &Some(NO_WAY));
        assert_eq!((attempt.outcome, attempt.status, &attempt.error), expected);
        assert!(world.client.network().is_out());
        assert!(world.client.is_cut_off_from(&WebhookUrl::parse(URL).unwrap()));
        assert_eq!(world.post().await.outcome, Outcome::NotMade);
        world.net.set_routes(None);
        world.client.network().worth_trying().await;
        assert!(!world.client.network().is_out());
        let receiver = world.receiver(ADDRESS, NO_CONTENT, Then::GoesOn);
        delivered(&world.post().await, 204);
        assert_eq!(receiver.requests().len(), 1);
    }
    // An unreachable host is not a local outage while routes to other hosts exist.
    let world = World::new();
    world.net.set_routes(Some(&["198.41.0.4"]));
    failed(&world.post().await, "connect: network unreachable");
    world.net.set_routes(None);
    world.net.put(ADDRESS, Place::Error(113));
    failed(&world.post().await, "connect: host unreachable");
    assert!(!world.client.network().is_out());
}

/// Connects the public test address [`ADDRESS`] to a local socket. The function `treat` handles each connection.
async fn socket<F: Future<Output = ()> + Send + 'static>(
    world: &World,
    treat: fn(tokio::net::TcpStream) -> F,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    world.net.put(ADDRESS, Place::Socket(listener.local_addr().unwrap()));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            treat(stream).await;
        }
    });
}

#[tokio::test]
async fn a_socket_that_is_reset_or_speaks_no_tls_is_a_failure() {
    let world = World::new();
    #[allow(deprecated, reason = "a linger time of zero does not block")]
    socket(&world, |stream| async move {
        stream.set_linger(Some(Duration::ZERO)).unwrap();
    })
    .await;
    failed(&world.post().await, "tls: the connection was closed during the handshake");
    socket(&world, |mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let read = stream.read_to_end(&mut Vec::new()).await;
        assert!(read.is_ok() || read.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
    })
    .await;
    failed(&world.post().await, "tls: the handshake failed");
}

#[tokio::test]
async fn a_webhook_reaches_a_receiver_on_a_real_socket() {
    let world = World::new();
    let receiver = Receiver::new(world.authority.server(HOST_NAME), ok("real"), Then::GoesOn);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    world.net.put(ADDRESS, Place::Socket(listener.local_addr().unwrap()));
    let served = receiver.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(served.clone().serve(stream));
        }
    });
    for _ in 0..20 {
        let attempt = world.post().await;
        delivered(&attempt, 200);
        assert_eq!(attempt.body, "real");
    }
    assert_eq!((receiver.requests().len(), world.net.dialled().len()), (20, 1));
}
