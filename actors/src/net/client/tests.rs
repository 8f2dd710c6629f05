use std::io::ErrorKind;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::super::connection::{ADDRESSES_TRIED_MAX, CONNECT_TIME_MAX};
use super::super::pool::{IDLE_PER_HOST_MAX, IDLE_TIME_MAX, LIFE_TIME_MAX};
use super::super::testing::{
    Authority, FakeDns, FakeNet, PIPE_BYTES, Place, Receiver, Then, self_signed_server,
};
use super::*;
use crate::domain::Timestamp;
use crate::ports::{Clock, Random};

const HOST_NAME: &str = "hook.example.com";
const URL: &str = "https://hook.example.com/hook?a=b";
const ADDRESS: &str = "93.184.216.34:443";
const OTHER: &str = "93.184.216.35:443";
const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

/// A clock that stands in the year 2026.
struct StandingClock;

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
    }

    fn steady(&self) -> Duration {
        Duration::ZERO
    }
}

struct Zeros;

impl Random for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// What came of an attempt, and the body of the response.
#[derive(Debug)]
struct Answered {
    attempt: Attempt,
    body: String,
}

impl std::ops::Deref for Answered {
    type Target = Attempt;

    fn deref(&self) -> &Attempt {
        &self.attempt
    }
}

impl AsRef<Attempt> for Answered {
    fn as_ref(&self) -> &Attempt {
        &self.attempt
    }
}

/// A client in a world of its own, in which the host resolves to one public address.
struct World {
    dns: Arc<FakeDns>,
    net: Arc<FakeNet>,
    authority: Authority,
    client: WebhookClient,
}

impl World {
    fn new() -> Self {
        let (dns, net) = (Arc::new(FakeDns::default()), Arc::new(FakeNet::default()));
        dns.set(HOST_NAME, &["93.184.216.34"]);
        let authority = Authority::new();
        let trust = Trust::nobody().and(authority.der()).unwrap();
        let ports = Ports {
            resolver: dns.clone(),
            dialer: net.clone(),
            ..Ports::with_clock_and_random(Arc::new(StandingClock), Arc::new(Zeros))
        };
        let client = WebhookClient::new(&ports, &trust);
        Self { dns, net, authority, client }
    }

    /// Puts a receiver with a good certificate at an address.
    fn receiver(&self, address: &str, answer: impl Into<Vec<u8>>, then: Then) -> Arc<Receiver> {
        let receiver = Receiver::new(self.authority.server(HOST_NAME), answer, then);
        self.net.put(address, Place::Receiver(receiver.clone()));
        receiver
    }

    async fn post(&self) -> Answered {
        self.post_to(URL).await
    }

    async fn post_to(&self, url: &str) -> Answered {
        self.post_with_head(url).await.0
    }

    /// Makes an attempt; gives also what was told of the head of its response, and when.
    async fn post_with_head(&self, url: &str) -> (Answered, Option<(bool, Duration)>) {
        let url = WebhookUrl::parse(url).unwrap();
        let headers =
            vec![("webhook-id", "evt_1".to_owned()), ("content-type", "application/json".to_owned())];
        let post = Post { url, headers, body: Bytes::from_static(b"{\"x\":1}") };
        let start = Instant::now();
        let (attempt, rest) = self.client.post(post).await;
        let took = start.elapsed();
        assert!(took <= DELIVERY_TIME_MAX + READY_TIME_MAX, "it took {took:?}");
        assert_eq!(rest.is_some(), attempt.status.is_some(), "{attempt:?}");
        let head = attempt.status.map(|_| (attempt.outcome == Outcome::Delivered, took));
        let body = match rest {
            Some(rest) => self.client.body(rest).await,
            None => String::new(),
        };
        assert!(start.elapsed() <= took + BODY_TIME_MAX + READY_TIME_MAX, "it took {:?}", start.elapsed());
        (Answered { attempt, body }, head)
    }
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[track_caller]
fn failed(attempt: &impl AsRef<Attempt>, error: &str) {
    let attempt = attempt.as_ref();
    assert_eq!((attempt.outcome, attempt.error.as_deref()), (Outcome::Failed, Some(error)), "{attempt:?}");
}

#[track_caller]
fn delivered(attempt: &impl AsRef<Attempt>, status: u16) {
    let attempt = attempt.as_ref();
    assert_eq!(
        (attempt.outcome, attempt.status, &attempt.error),
        (Outcome::Delivered, Some(status), &None),
        "{attempt:?}"
    );
}

/// Lets tasks go on that were told to end.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_webhook_is_posted_as_it_is() {
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
        assert_eq!(request.matches(&format!("\r\n{header}\r\n")).count(), 1, "{header} in {request}");
    }
    assert!(!request.contains("accept-encoding"), "{request}");
    assert_eq!(receiver.names(), [Some(HOST_NAME.to_owned())]);
    assert_eq!(world.net.dialled(), [ADDRESS]);
}

#[tokio::test(start_paused = true)]
async fn a_host_may_be_written_in_every_way() {
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
async fn a_name_that_has_moved_inside_since_it_was_saved_is_refused_also_on_an_open_connection() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, NO_CONTENT, Then::GoesOn);
    assert!(world.client.guard().check(&WebhookUrl::parse(URL).unwrap(), Asker::Save).await.is_ok());
    delivered(&world.post().await, 204);
    world.dns.set(HOST_NAME, &["169.254.169.254"]);
    failed(&world.post().await, "refused: the URL does not resolve to a public address");
    assert_eq!((receiver.requests().len(), world.net.dialled().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn the_name_is_resolved_once_an_attempt_and_what_was_checked_is_dialled() {
    let world = World::new();
    world.receiver(ADDRESS, NO_CONTENT, Then::Closes);
    for attempts in 1..=3 {
        delivered(&world.post().await, 204);
        assert_eq!(world.dns.asked(), attempts);
        assert_eq!(world.net.dialled(), vec![ADDRESS; attempts]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_leads_elsewhere_is_not_used() {
    let world = World::new();
    let receiver = Receiver::new(world.authority.server(HOST_NAME), NO_CONTENT, Then::GoesOn);
    world.net.put(ADDRESS, Place::Elsewhere(receiver.clone(), "127.0.0.1:443".parse().unwrap()));
    failed(&world.post().await, "refused: the URL does not resolve to a public address");
    assert!(receiver.requests().is_empty() && receiver.names().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_used_again_only_for_a_host_that_still_holds_its_peer() {
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
    settle().await;
    assert_eq!(world.net.dialled(), [ADDRESS, OTHER]);
    assert_eq!((first.open(), second.requests().len(), world.client.pool.len()), (0, 1, 1));
    // Another host or port at the same address does not share it.
    world.dns.set("other.example.com", &["93.184.216.35"]);
    failed(&world.post_to("https://other.example.com/").await, "tls: the certificate is for another name");
    failed(&world.post_to("https://hook.example.com:8443/").await, "connect: connection refused");
}

#[tokio::test(start_paused = true)]
async fn an_open_connection_that_was_closed_meanwhile_is_tried_again_once() {
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
    settle().await;
    assert_eq!(receiver.requests().len(), IDLE_PER_HOST_MAX + 4);
    assert_eq!(world.client.pool.len(), receiver.open());
    assert!((1..=IDLE_PER_HOST_MAX).contains(&receiver.open()), "{}", receiver.open());
    tokio::time::sleep(IDLE_TIME_MAX + Duration::from_secs(1)).await;
    assert_eq!((world.client.pool.len(), receiver.open()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_connection_in_steady_use_is_replaced_now_and_then() {
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
async fn a_receiver_that_hangs_before_or_in_its_head_times_out() {
    for answer in ["", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nx: y\r\n", "HTTP/1.1 100 Continue\r\n\r\n"] {
        let world = World::new();
        let receiver = world.receiver(ADDRESS, answer, Then::Hangs);
        let attempt = world.post().await;
        failed(&attempt, "timeout waiting for the response");
        assert_eq!((attempt.status, attempt.duration), (None, DELIVERY_TIME_MAX));
        settle().await;
        assert_eq!(receiver.open(), 0, "the connection is closed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_drips_its_head_times_out() {
    for (answer, drop) in [("HTTP/1.1 200 OK\r\n", "x: y\r\n"), ("", "HTTP/1.1 100 Continue\r\n\r\n")] {
        let world = World::new();
        world.receiver(ADDRESS, answer, Then::Drips(drop.as_bytes()));
        failed(&world.post().await, "timeout waiting for the response");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_hangs_or_breaks_off_does_not_undo_a_delivery() {
    for then in [Then::Hangs, Then::Closes] {
        let world = World::new();
        let receiver = world.receiver(ADDRESS, "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", then);
        let attempt = world.post().await;
        delivered(&attempt, 200);
        assert_eq!(attempt.body, "half");
        assert!(attempt.duration < Duration::from_secs(1), "{:?}", attempt.duration);
        settle().await;
        assert_eq!((receiver.open(), world.client.pool.len()), (0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_is_told_of_before_a_slow_body_is_read() {
    for (status, reached) in [(200, true), (299, true), (302, false), (500, false)] {
        let world = World::new();
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 99\r\n\r\n");
        world.receiver(ADDRESS, answer, Then::Drips(b"x"));
        let start = Instant::now();
        let (attempt, head) = world.post_with_head(URL).await;
        assert_eq!(attempt.status, Some(status));
        let (told, at) = head.unwrap();
        assert_eq!(told, reached, "{status}");
        let took = start.elapsed();
        assert!(at < Duration::from_millis(100) && took >= at + BODY_TIME_MAX, "{status}: {at:?}, {took:?}");
        assert!(took <= at + BODY_TIME_MAX + READY_TIME_MAX, "{status}: {took:?}");
    }
    let world = World::new();
    assert_eq!(world.post_with_head(URL).await.1, None, "nothing came");
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_never_stops_sending_is_cut_off() {
    let endless = [
        ("HTTP/1.1 200 OK\r\n\r\n", b"body ".as_slice(), true),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n", true),
        ("HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551613\r\n\r\n", b"body ", true),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", b"extension", true),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n", b"x: y\r\n", true),
        ("HTTP/1.1 200 OK\r\n", b"x: y\r\n", false),
        ("HTTP/1.1 200 OK\r\nx: ", b"yyyyyyyyyyy", false),
        ("", b"HTTP", false),
    ];
    for (answer, then, answered) in endless {
        let world = World::new();
        let receiver = world.receiver(ADDRESS, answer, Then::Repeats(then));
        let attempt = world.post().await;
        if answered {
            delivered(&attempt, 200);
        } else {
            failed(&attempt, "invalid response: it is not HTTP/1.1, or its head is too large");
        }
        assert!(attempt.body.len() <= RESPONSE_TEXT_BYTES_MAX);
        settle().await;
        assert_eq!((receiver.open(), world.client.pool.len()), (0, 0), "{answer}");
        // A chunk of one byte takes six.
        let bound = 6 * RESPONSE_BODY_BYTES_MAX + 4 * PIPE_BYTES;
        assert!(receiver.sent() <= bound, "{} bytes were taken of {answer:?}", receiver.sent());
    }
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_headers_are_refused() {
    let world = World::new();
    let headers: String = (0..100_000).map(|index| format!("x-{index}: y\r\n")).collect();
    let receiver = world.receiver(ADDRESS, format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), Then::Hangs);
    failed(&world.post().await, "invalid response: it is not HTTP/1.1, or its head is too large");
    assert!(receiver.sent() <= 64 * 1024, "{}", receiver.sent());
}

#[tokio::test(start_paused = true)]
async fn a_body_is_read_and_kept_up_to_its_bounds() {
    for (length, open) in [(RESPONSE_BODY_BYTES_MAX, 1), (RESPONSE_BODY_BYTES_MAX + 1, 0)] {
        let world = World::new();
        world.receiver(ADDRESS, ok(&"x".repeat(length)), Then::GoesOn);
        let attempt = world.post().await;
        delivered(&attempt, 200);
        assert_eq!(attempt.body, "x".repeat(RESPONSE_TEXT_BYTES_MAX));
        assert_eq!(world.client.pool.len(), open, "{length}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_encoded_body_is_kept_as_it_came() {
    let world = World::new();
    // The beginning of a gzip file, which an unpacking client would follow.
    let mut answer = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 10\r\n\r\n".to_vec();
    answer.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    world.receiver(ADDRESS, answer, Then::GoesOn);
    let attempt = world.post().await;
    delivered(&attempt, 200);
    assert!(attempt.body.starts_with('\u{1f}') && !attempt.body.contains('\0'), "{:?}", attempt.body);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_is_a_failure_and_not_followed() {
    for status in [301, 302, 303, 304, 307, 308] {
        let world = World::new();
        let answer =
            format!("HTTP/1.1 {status} Away\r\nlocation: https://127.0.0.1/\r\ncontent-length: 0\r\n\r\n");
        world.receiver(ADDRESS, answer, Then::GoesOn);
        let attempt = world.post().await;
        failed(&attempt, &format!("redirect: status {status}, not followed"));
        assert_eq!(attempt.status, Some(status));
        assert_eq!((world.net.dialled(), world.dns.asked()), (vec![ADDRESS.to_owned()], 1));
    }
}

#[tokio::test(start_paused = true)]
async fn any_other_status_than_2xx_is_a_failure() {
    for status in [400, 401, 404, 410, 429, 500, 503, 599, 999] {
        let world = World::new();
        let body = "sorry";
        world.receiver(
            ADDRESS,
            format!("HTTP/1.1 {status} X\r\ncontent-length: 5\r\n\r\n{body}"),
            Then::GoesOn,
        );
        let attempt = world.post().await;
        failed(&attempt, &format!("status {status}"));
        assert_eq!((attempt.status, attempt.body.as_str()), (Some(status), body));
    }
    for status in [200, 201, 202, 204, 299] {
        let world = World::new();
        world.receiver(ADDRESS, format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n"), Then::GoesOn);
        delivered(&world.post().await, status);
    }
}

#[tokio::test(start_paused = true)]
async fn a_switch_of_protocols_is_a_failure() {
    let world = World::new();
    let answer = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";
    world.receiver(ADDRESS, answer, Then::Hangs);
    let attempt = world.post().await;
    assert_eq!(attempt.outcome, Outcome::Failed, "{attempt:?}");
    assert_eq!(world.client.pool.len(), 0);
}

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
async fn a_lack_of_our_own_is_no_attempt() {
    const SHORT: &str = "not made: this service is short of connections";
    for number in [12, 23, 24, 99, 105] {
        let world = World::new();
        world.net.put(ADDRESS, Place::Error(number));
        let attempt = world.post().await;
        assert_eq!(
            (attempt.outcome, attempt.status, attempt.error.as_deref()),
            (Outcome::NotMade, None, Some(SHORT)),
            "{number}"
        );
    }
    // The address that could not be dialled might have taken it; one that takes it makes up for it.
    let world = World::new();
    world.dns.set(HOST_NAME, &["93.184.216.34", "93.184.216.35"]);
    world.net.put(ADDRESS, Place::Error(24));
    assert_eq!(world.post().await.outcome, Outcome::NotMade);
    world.receiver(OTHER, NO_CONTENT, Then::GoesOn);
    delivered(&world.post().await, 204);
    // Without IPv6 on this machine, a host that has nothing else fails.
    let world = World::new();
    world.dns.set(HOST_NAME, &["2606:4700::1111"]);
    world.net.put("[2606:4700::1111]:443", Place::Error(99));
    failed(&world.post().await, "connect: failed");
    // Looking up may lack something too.
    world.dns.fail(HOST_NAME, 24);
    assert_eq!(world.post().await.outcome, Outcome::NotMade);
}

#[tokio::test(start_paused = true)]
async fn without_a_way_to_anywhere_nothing_is_held_against_a_receiver() {
    const NO_WAY: &str = "not made: this service is cut off, for it has no route to any network";
    // The way is lost before connecting, or while the response is waited for.
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
        let error = attempt.error.as_deref();
        assert_eq!((attempt.outcome, attempt.status, error), (Outcome::NotMade, None, Some(NO_WAY)));
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
    // What one host lacks is its own matter: there is a way to elsewhere.
    let world = World::new();
    world.net.set_routes(Some(&["198.41.0.4"]));
    failed(&world.post().await, "connect: network unreachable");
    world.net.set_routes(None);
    world.net.put(ADDRESS, Place::Error(113));
    failed(&world.post().await, "connect: host unreachable");
    assert!(!world.client.network().is_out());
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
async fn an_attempt_that_is_given_up_closes_its_connection() {
    let world = World::new();
    let receiver = world.receiver(ADDRESS, "", Then::Hangs);
    assert!(timeout(Duration::from_secs(1), world.post()).await.is_err());
    settle().await;
    assert_eq!((receiver.requests().len(), receiver.open()), (1, 0));
}

/// A socket of this machine, at a public address of the world, that treats every connection alike.
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
    #[allow(deprecated, reason = "a linger of zero does not block")]
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

#[test]
fn bytes_become_text_within_the_bound() {
    assert_eq!(text(b"a\0b"), "a\u{fffd}b");
    assert_eq!(text(b"a\xffb"), "a\u{fffd}b");
    assert_eq!(text("aü".as_bytes().split_last().unwrap().1), "a");
    for bytes in [vec![0; RESPONSE_TEXT_BYTES_MAX], vec![0xff; RESPONSE_TEXT_BYTES_MAX]] {
        let text = text(&bytes);
        assert!(text.len() <= RESPONSE_TEXT_BYTES_MAX && text.len() > RESPONSE_TEXT_BYTES_MAX - 3);
    }
}

#[test]
fn what_is_posted_does_not_show_in_a_log() {
    let headers = vec![("webhook-signature", "v1,c2VjcmV0".to_owned())];
    let post = Post { url: WebhookUrl::parse(URL).unwrap(), headers, body: Bytes::from_static(b"Zoe") };
    assert_eq!(format!("{post:?}"), "Post { url: WebhookUrl(hook.example.com), bytes: 3, .. }");
}
