//! Tests which connections an attempt opens and which it reuses.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_webhook_is_posted_with_its_headers_and_body() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, ok("thanks"), Then::GoesOn);
    let attempt = world.post().await;
    delivered(&attempt, 200);
    assert_eq!(attempt.body, "thanks");
    let request = receiver.requests().concat();
    assert!(request.starts_with("POST /hook?a=b HTTP/1.1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"x\":1}"), "{request}");
    for header in [
        "webhook-id: evt_1",
        "content-type: application/json",
        "host: hook.example.com",
        "content-length: 7",
        concat!("user-agent: receptionist/", env!("CARGO_PKG_VERSION")),
    ] {
        assert_eq!(
            request.matches(&format!("\r\n{header}\r\n")).count(),
            1,
            "{header} must occur exactly once in {request}"
        );
    }
    assert!(!request.contains("accept-encoding"), "{request}");
    assert_eq!(receiver.names(), [Some(HOST_NAME.to_owned())]);
    assert_eq!(world.net.dialled(), [ADDRESS]);
}

#[tokio::test(start_paused = true)]
async fn a_host_can_be_a_name_or_an_address() {
    for (url, name, address, host, sni) in [
        (
            "https://HOOK.example.com.:8443/",
            HOST_NAME,
            "93.184.216.34:8443",
            "hook.example.com:8443",
            Some(HOST_NAME),
        ),
        ("https://1.1.1.1/", "1.1.1.1", "1.1.1.1:443", "1.1.1.1", None),
        (
            "https://[2606:4700::1111]:8443/",
            "2606:4700::1111",
            "[2606:4700::1111]:8443",
            "[2606:4700::1111]:8443",
            None,
        ),
    ] {
        let world = World::new();
        let receiver = Receiver::new(world.authority.server(name), NO_CONTENT, Then::GoesOn);
        world.net.put(address, Place::Receiver(receiver.clone()));
        delivered(&world.post_to(url).await, 204);
        assert!(
            receiver.requests()[0].contains(&format!("\r\nhost: {host}\r\n")),
            "{:?}",
            receiver.requests()
        );
        assert_eq!(receiver.names(), [sni.map(ToOwned::to_owned)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_with_ipv6_only_is_reached() {
    let world = World::new();
    world.dns.set(HOST_NAME, &["2606:4700::1111"]);
    world.receiver("[2606:4700::1111]:443", NO_CONTENT, Then::GoesOn);
    delivered(&world.post().await, 204);
    assert_eq!(world.net.dialled(), ["[2606:4700::1111]:443"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_dialled_when_any_address_is_not_public() {
    let world = World::new();
    for answer in [&["127.0.0.1"][..], &["93.184.216.34", "10.0.0.1"], &["::1", "93.184.216.34"], &[]] {
        world.dns.set(HOST_NAME, answer);
        failed(&world.post().await, "refused: the URL does not resolve to a public address");
    }
    failed(
        &world.post_to("https://unknown.example.com/").await,
        "refused: the URL does not resolve to a public address",
    );
    assert!(world.net.dialled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_name_with_a_new_internal_address_is_refused_despite_an_open_connection() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, NO_CONTENT, Then::GoesOn);
    assert!(world.client.guard().check(&WebhookUrl::parse(URL).unwrap(), LookupStage::Save).await.is_ok());
    delivered(&world.post().await, 204);
    world.dns.set(HOST_NAME, &["169.254.169.254"]);
    failed(&world.post().await, "refused: the URL does not resolve to a public address");
    assert_eq!((receiver.requests().len(), world.net.dialled().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn the_name_is_resolved_once_per_attempt_and_the_checked_address_is_dialled() {
    let world = World::new();
    world.receiver(ADDRESS, NO_CONTENT, Then::Closes);
    for attempts in 1..=3 {
        delivered(&world.post().await, 204);
        assert_eq!(world.dns.asked(), attempts);
        assert_eq!(world.net.dialled(), vec![ADDRESS; attempts]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_to_another_address_is_not_used() {
    let world = World::new();
    let receiver = Receiver::new(world.authority.server(HOST_NAME), NO_CONTENT, Then::GoesOn);
    world.net.put(ADDRESS, Place::Elsewhere(receiver.clone(), "127.0.0.1:443".parse().unwrap()));
    failed(&world.post().await, "refused: the URL does not resolve to a public address");
    assert!(receiver.requests().is_empty() && receiver.names().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_reused_only_for_a_host_that_still_has_its_address() {
    let world = World::new();
    let first = world.receiver(ADDRESS, NO_CONTENT, Then::GoesOn);
    let second = world.receiver(OTHER, NO_CONTENT, Then::GoesOn);
    delivered(&world.post().await, 204);
    delivered(&world.post().await, 204);
    world.dns.set(HOST_NAME, &["93.184.216.35", "93.184.216.34"]);
    delivered(&world.post().await, 204);
    assert_eq!((world.net.dialled().len(), first.requests().len()), (1, 3));
    world.dns.set(HOST_NAME, &["93.184.216.35"]);
    delivered(&world.post().await, 204);
    wait_for_aborted_tasks().await;
    assert_eq!(world.net.dialled(), [ADDRESS, OTHER]);
    assert_eq!((first.open(), second.requests().len(), world.client.pool.len()), (0, 1, 1));
    // The client must open a separate connection for another host or port at the same address.
    world.dns.set("other.example.com", &["93.184.216.35"]);
    failed(&world.post_to("https://other.example.com/").await, "tls: the certificate is for another name");
    failed(&world.post_to("https://hook.example.com:8443/").await, "connect: connection refused");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_on_a_closed_connection_is_repeated_once() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, ok(""), Then::ClosesOnTheNext);
    delivered(&world.post().await, 200);
    delivered(&world.post().await, 200);
    assert_eq!((receiver.requests().len(), world.net.dialled().len()), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_that_closes_without_an_answer_is_not_tried_again() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, "", Then::Closes);
    failed(&world.post().await, "closed: the connection was closed before the response");
    assert_eq!((receiver.requests().len(), world.net.dialled().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn unused_connections_are_bounded_in_number_and_time() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, NO_CONTENT, Then::GoesOn);
    let many: Vec<_> = (0..IDLE_PER_HOST_MAX + 4)
        .map(|_| {
            let (client, url) = (world.client.clone(), WebhookUrl::parse(URL).unwrap());
            tokio::spawn(async move {
                let post = Post { url, headers: Vec::new(), body: Bytes::new() };
                let (attempt, rest) = client.post(post).await;
                let body = client.body(rest.unwrap()).await;
                Answered { attempt, body }
            })
        })
        .collect();
    for attempt in many {
        delivered(&attempt.await.unwrap(), 204);
    }
    wait_for_aborted_tasks().await;
    assert_eq!(receiver.requests().len(), IDLE_PER_HOST_MAX + 4);
    assert_eq!(world.client.pool.len(), receiver.open());
    assert!((1..=IDLE_PER_HOST_MAX).contains(&receiver.open()), "{}", receiver.open());
    tokio::time::sleep(IDLE_TIME_MAX + Duration::from_secs(1)).await;
    assert_eq!((world.client.pool.len(), receiver.open()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_connection_in_steady_use_is_replaced_at_its_maximum_age() {
    let world = World::new();
    world.receiver(ADDRESS, NO_CONTENT, Then::GoesOn);
    let start = Instant::now();
    while start.elapsed() < LIFE_TIME_MAX + IDLE_TIME_MAX {
        delivered(&world.post().await, 204);
        tokio::time::sleep(IDLE_TIME_MAX / 2).await;
    }
    assert_eq!(world.net.dialled().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn addresses_are_tried_in_their_order_and_up_to_a_bound() {
    let world = World::new();
    world.dns.set(HOST_NAME, &["93.184.216.34", "93.184.216.36", "93.184.216.35"]);
    world.net.put(ADDRESS, Place::BlackHole);
    world.receiver(OTHER, NO_CONTENT, Then::GoesOn);
    let attempt = world.post().await;
    delivered(&attempt, 204);
    assert_eq!(attempt.duration, CONNECT_TIME_MAX);
    assert_eq!(world.net.dialled(), [ADDRESS, "93.184.216.36:443", OTHER]);

    let world = World::new();
    let many: Vec<String> = (1..=100).map(|last| format!("1.1.1.{last}")).collect();
    world.dns.set(HOST_NAME, &many.iter().map(String::as_str).collect::<Vec<_>>());
    failed(&world.post().await, "connect: connection refused");
    assert_eq!(world.net.dialled().len(), ADDRESSES_TRIED_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_attempt_closes_its_connection() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, "", Then::Hangs);
    assert!(timeout(Duration::from_secs(1), world.post()).await.is_err());
    wait_for_aborted_tasks().await;
    assert_eq!((receiver.requests().len(), receiver.open()), (1, 0));
}
