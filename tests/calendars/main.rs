//! Tests of the real program against real calendar servers over TLS, in a separate network. In that network, the
//! loopback device has public addresses, so every rule on addresses applies unchanged.
//!
//! The tests need Radicale and Xandikos. If they are not installed, or the system does not permit the separate network,
//! each test prints one line and passes. With `REQUIRE_CALENDAR_SERVERS=1` and `REQUIRE_NAMESPACES=1`, it fails.

#![allow(clippy::unwrap_used)] // a test may panic, and `unwrap` shows the line

#[allow(dead_code, reason = "the webhook tests use the other items")]
#[path = "../webhooks/certificates.rs"]
mod certificates;
#[allow(dead_code, reason = "the crash tests use the other items")]
#[path = "../crash/client.rs"]
mod client;
mod events;
#[allow(dead_code, reason = "the webhook tests use the other items")]
#[path = "../webhooks/namespace.rs"]
mod namespace;
mod person;
#[allow(dead_code, reason = "the crash tests use the other items")]
#[path = "../crash/process.rs"]
mod process;
mod proxy;
mod servers;
mod service;
#[path = "../support/tls.rs"]
mod tls;
mod walk;

use crate::servers::Kind;

#[test]
fn the_service_reads_and_writes_the_calendars_of_radicale() {
    walk::against(Kind::Radicale, "the_service_reads_and_writes_the_calendars_of_radicale");
}

#[test]
fn the_service_reads_and_writes_the_calendars_of_xandikos() {
    walk::against(Kind::Xandikos, "the_service_reads_and_writes_the_calendars_of_xandikos");
}

/// `.ci/long` runs this test against DAViCal, Cyrus and SOGo. Without the environment variable
/// `CALENDAR_SERVER`, the test does nothing.
#[test]
fn the_service_reads_and_writes_the_calendars_of_another_server() {
    walk::against(Kind::Other, "the_service_reads_and_writes_the_calendars_of_another_server");
}
