//! Tests of the webhooks of the real program. The program sends requests over real TLS to receivers in a
//! separate network. In that network, the loopback device has public addresses, so every rule on addresses
//! applies unchanged.
//!
//! If the system does not permit the separate network, each test prints one line and passes. With
//! `REQUIRE_NAMESPACES=1`, it fails.

#![allow(clippy::unwrap_used)] // a test may panic, and `unwrap` shows the line

mod certificates;
#[allow(dead_code, reason = "the crash tests use the other items")]
#[path = "../crash/chance.rs"]
mod chance;
#[allow(dead_code, reason = "the crash tests use the other items")]
#[path = "../crash/client.rs"]
mod client;
mod deliveries;
mod hooks;
mod hostile;
mod kills;
mod ledger;
mod namespace;
#[allow(dead_code, reason = "the crash tests use the other items")]
#[path = "../crash/process.rs"]
mod process;
mod receiver;
mod signature;
#[path = "../support/tls.rs"]
mod tls;
mod verdict;
mod work;
