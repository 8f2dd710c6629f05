//! Tests which responses of receivers count as a success, and which part of a response the client keeps.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_receiver_that_hangs_before_or_in_its_head_times_out() {
    for answer in ["", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nx: y\r\n", "HTTP/1.1 100 Continue\r\n\r\n"] {
        let world = World::new();
        let receiver = world.receiver(ADDRESS, answer, Then::Hangs);
        let attempt = world.post().await;
        failed(&attempt, "timeout waiting for the response");
        assert_eq!((attempt.status, attempt.duration), (None, DELIVERY_TIME_MAX));
        wait_for_aborted_tasks().await;
        assert_eq!(receiver.open(), 0, "the client must close the connection");
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
        wait_for_aborted_tasks().await;
        assert_eq!((receiver.open(), world.client.pool.len()), (0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_is_reported_before_a_slow_body_is_read() {
    for (status, reached) in [(200, true), (299, true), (302, false), (500, false)] {
        let world = World::new();
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 99\r\n\r\n");
        world.receiver(ADDRESS, answer, Then::Drips(b"x"));
        let start = Instant::now();
        let (attempt, head) = world.post_with_head(URL).await;
        assert_eq!(attempt.status, Some(status));
        let (is_success, at) = head.unwrap();
        assert_eq!(is_success, reached, "{status}");
        let took = start.elapsed();
        assert!(
            at < Duration::from_millis(100) && took >= at + BODY_TIME_MAX,
            "{status}: the head arrived after {at:?}, the attempt took {took:?}"
        );
        assert!(took <= at + BODY_TIME_MAX + READY_TIME_MAX, "{status}: {took:?}");
    }
    let world = World::new();
    assert_eq!(world.post_with_head(URL).await.1, None, "no response arrived");
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
        wait_for_aborted_tasks().await;
        assert_eq!((receiver.open(), world.client.pool.len()), (0, 0), "{answer}");
        // In the chunked encoding, a chunk with one byte of content takes six bytes, so the client may read
        // six times the bound on content.
        let bound = 6 * RESPONSE_BODY_BYTES_MAX + 4 * PIPE_BYTES;
        assert!(receiver.sent() <= bound, "{} bytes of {answer:?} were read", receiver.sent());
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
async fn an_encoded_body_is_not_decoded() {
    let world = World::new();
    // The body is the beginning of a gzip file. A client that decompresses would wait for the rest of the file.
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
fn a_posted_body_does_not_appear_in_a_log() {
    let headers = vec![("webhook-signature", "v1,c2VjcmV0".to_owned())];
    let post = Post { url: WebhookUrl::parse(URL).unwrap(), headers, body: Bytes::from_static(b"Zoe") };
    assert_eq!(format!("{post:?}"), "Post { url: WebhookUrl(hook.example.com), bytes: 3, .. }");
}
