//! Tests with hostile receivers. An attempt to deliver to a hostile receiver has the expected outcome, uses a
//! limited amount of memory, and delays no other receiver.
//!
//! Receivers that hang are always part of the test. The test waits for their deadline of 10 seconds only if
//! `HOSTILE_PATIENT` is set. The tests of the engine check the deadline in simulated time. `HOSTILE_ROUNDS`
//! sets the number of rounds of events.

use std::fs;

use serde_json::{Value, json};

use crate::chance::number_of;
use crate::client::{Client, Shop, slot};
use crate::hooks::{Hook, server, subscribe, until};
use crate::namespace::inside;
use crate::receiver::{NO, OK, Receiver, Reply, Then};

const ROUNDS: usize = 3;
/// The number of bookings per round. Each causes one or two events.
const BOOKINGS_A_ROUND: usize = 10;
/// The permitted growth of the program's memory over all rounds, in KiB. The store may use up to 64 MiB, and
/// the rest is a margin. If the program stored a whole response or unpacked it, the growth would be far larger.
const GROWTH_KIB_MAX: usize = 96 << 10;

/// The first bytes of gzip data, as the delivery log shows them.
const PACKED: &str = "\u{1f}\u{fffd}\u{8}";
const LARGE_HEAD: &str = "invalid response: it is not HTTP/1.1, or its head is too large";
const CLOSED: &str = "closed: the connection was closed before the response";

/// A receiver, and the outcome that its attempts must have.
struct Case {
    name: &'static str,
    reply: Reply,
    status: &'static str,
    response: Option<u16>,
    error: Option<&'static str>,
    body: Option<String>,
}

fn case(name: &'static str, head: &str, then: Then, error: &'static str) -> Case {
    let reply = Reply::now(head, then);
    Case { name, reply, status: "pending", response: None, error: Some(error), body: None }
}

/// A receiver that sends a valid head. The attempt succeeds even if the rest of the response is invalid.
fn taken(name: &'static str, head: &str, then: Then, body: &str) -> Case {
    let body = Some(body.to_owned());
    Case { name, reply: Reply::now(head, then), status: "delivered", response: Some(200), error: None, body }
}

/// Receivers whose responses end immediately.
fn quick() -> Vec<Case> {
    let headers: String = (0..100_000).map(|number| format!("x-{number}: y\r\n")).collect();
    let ok = "HTTP/1.1 200 OK\r\n\r\n";
    let packed = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\n\r\n";
    let more = Then::Repeats(vec![b'x'; 16 << 10]);
    let mut cases = vec![
        taken("endless-body", ok, more.clone(), &"x".repeat(1024)),
        taken("gzip-bomb", packed, Then::Repeats(gzip_bomb()), PACKED),
        taken("cut-body", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc", Then::Closes, "abc"),
        case("endless-head", "HTTP/1.1 200 OK\r\n", Then::Repeats(b"x-more: y\r\n".repeat(1000)), LARGE_HEAD),
        case("endless-line", "HTTP/1.1 200 OK\r\nx: ", more.clone(), LARGE_HEAD),
        case("many-headers", &format!("HTTP/1.1 200 OK\r\n{headers}\r\n"), Then::GoesOn, LARGE_HEAD),
        case("no-http", "SSH-2.0-OpenSSH\r\n\r\n", Then::Hangs, LARGE_HEAD),
        case("closes", "", Then::Closes, CLOSED),
        case("resets", "", Then::Resets, CLOSED),
        case("closes-in-head", "HTTP/1.1 200 OK\r\nx-", Then::Closes, CLOSED),
    ];
    let mut failing = case("failing-endless", "HTTP/1.1 500 No\r\n\r\n", more, "status 500");
    failing.response = Some(500);
    cases.push(failing);
    cases
}

/// Receivers whose responses end only at the deadline.
fn hanging() -> Vec<Case> {
    let partly = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc";
    vec![
        case("hangs-before-head", "", Then::Hangs, "timeout waiting for the response"),
        case("hangs-in-head", "HTTP/1.1 200 OK\r\nx-", Then::Hangs, "timeout waiting for the response"),
        taken("hangs-in-body", partly, Then::Hangs, "abc"),
    ]
}

/// Returns a gzip header and a block of deflate data that unpacks to zeros. The block contains one zero byte, and many
/// instructions that each copy this byte 258 times. It is about 400 KiB long and unpacks to 64 MiB. The receiver sends
/// the returned data repeatedly, without end.
fn gzip_bomb() -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    // A deflate block starts with three bits. The first bit is 0, because this is not the last block. The other two are
    // the number 01 (fixed codes), lower bit first. The next eight bits are the code of the byte 0.
    bits.extend([false, true, false]);
    bits.extend([false, false, true, true, false, false, false, false]);
    for _ in 0..(64 << 20) / 258 {
        // The length 258 has the code 11000101. The distance 1 has the code 00000.
        bits.extend([true, true, false, false, false, true, false, true]);
        bits.extend([false; 5]);
    }
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    bytes.extend(
        bits.chunks(8).map(|eight| {
            eight.iter().enumerate().fold(0, |byte, (place, bit)| byte | u8::from(*bit) << place)
        }),
    );
    bytes
}

/// A value in `/proc/PID/status`, in KiB.
fn kib(process: u32, name: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn check(case: &Case, row: &Value) {
    let name = case.name;
    assert_eq!((&row["status"], &row["attempts_made"]), (&json!(case.status), &json!(1)), "{name}: {row}");
    assert_eq!(row["last_response_status"], json!(case.response), "{name}: {row}");
    assert_eq!(row["last_error"], json!(case.error), "{name}: {row}");
    if let (Some(body), Some(text)) = (&case.body, row["last_response_body"].as_str()) {
        assert!(text.starts_with(body.as_str()) && text.len() <= 1024, "{name}: {row}");
    }
}

/// Checks the bodies of responses in the delivery log. For each business, the engine reads only a limited number of
/// bodies at the same time. This number includes the bodies of receivers that hang. Above the limit, the engine logs a response
/// without its body. If the case expects a body, at least one response must be logged with its body.
fn check_bodies(case: &Case, rows: &[Value]) {
    let read = rows.iter().filter(|row| row["last_response_body"].is_string()).count();
    assert!(case.body.is_none() || read > 0, "{}: no body was logged: {rows:?}", case.name);
}

#[test]
#[allow(clippy::print_stdout, reason = "prints the memory use when more rounds than the default are run")]
fn hostile_receivers_get_expected_outcomes_and_use_bounded_memory() {
    inside("hostile::hostile_receivers_get_expected_outcomes_and_use_bounded_memory", async |network| {
        let rounds = number_of("HOSTILE_ROUNDS", ROUNDS);
        let patient = std::env::var_os("HOSTILE_PATIENT").is_some();
        let (quick, hanging) = (quick(), hanging());
        let hosts: Vec<_> = (quick.iter().chain(&hanging).map(|case| case.name))
            .chain(["silent", "good"])
            .zip(10..)
            .map(|(name, number)| (format!("{name}.example.com"), format!("93.184.216.{number}")))
            .collect();
        let addresses: Vec<[&str; 1]> = hosts.iter().map(|(_, address)| [&**address]).collect();
        let names: Vec<(&str, &[&str])> =
            hosts.iter().zip(&addresses).map(|((host, _), address)| (&**host, &address[..])).collect();
        network.names(&names);
        let server = server(&network);
        let client = Client::of(&server);
        let shop = Shop::create(&client, 1).await;
        let mut hooks: Vec<Hook> = Vec::new();
        let good = hosts.len() - 1;
        let mut receivers = Vec::new();
        for (number, (host, address)) in hosts.iter().enumerate() {
            let (place, tls) = (format!("{address}:443"), network.authority.server(host));
            let case = quick.iter().chain(&hanging).nth(number);
            receivers.push(match case {
                Some(case) => Receiver::answering(&place, tls, case.reply.clone()),
                None if number == good => Receiver::answering(&place, tls, Reply::now(OK, Then::GoesOn)),
                None => Receiver::silent(&place),
            });
            hooks.push(subscribe(&client, &shop, &format!("https://{host}/")).await);
        }

        let (mut events, mut before) = (0, 0);
        for round in 0..=rounds {
            for number in 0..BOOKINGS_A_ROUND {
                let number = round * BOOKINGS_A_ROUND + number;
                let call =
                    shop.booking(0, &slot(2 * i64::try_from(number).unwrap()), 1, format!("book-{number}"));
                assert_eq!(client.call(&shop, &call).await.unwrap().status, 201);
            }
            events = (round + 1) * BOOKINGS_A_ROUND + 1; // and one event for the contact of the first booking
            for (case, hook) in quick.iter().zip(&hooks) {
                let rows = hook.log_of(&client, &shop, events).await;
                rows.iter().for_each(|row| check(case, row));
                check_bodies(case, &rows);
            }
            for row in hooks[good].log_of(&client, &shop, events).await {
                assert_eq!(row["status"], "delivered", "{row}");
            }
            if round == 0 {
                before = kib(server.id(), "VmRSS");
            }
        }
        let (after, most) = (kib(server.id(), "VmRSS"), kib(server.id(), "VmHWM"));
        println!(
            "{events} events to {} receivers: {} KiB before, {after} after, {most} at most",
            hosts.len(),
            before
        );
        assert!(
            after < before + GROWTH_KIB_MAX && most < before + GROWTH_KIB_MAX,
            "memory in KiB before: {before}, after: {after}, maximum: {most}"
        );
        assert_eq!(receivers[good].count(), events);

        let silent = case("silent", NO, Then::Hangs, "timeout during the TLS handshake");
        let held: Vec<_> = hanging.iter().chain([&silent]).zip(&hooks[quick.len()..]).collect();
        if patient {
            for (case, hook) in &held {
                until(case.name, async || {
                    let log = hook.log(&client, &shop).await;
                    let ended: Vec<_> = log.iter().filter(|row| row["attempts_made"] != json!(0)).collect();
                    ended.iter().for_each(|row| check(case, row));
                    if ended.is_empty() { Err(log) } else { Ok(()) }
                })
                .await;
            }
        } else {
            for receiver in &receivers[quick.len()..good] {
                assert!(receiver.connections() > 0, "no attempt reached a receiver that hangs");
            }
        }
    });
}
