//! Webhooks from outside: the real program delivers over real TLS to receivers in a separate network, in which public
//! addresses are assigned to the loopback device, so that every address rule applies unchanged.
//!
//! If the system permits no such network, each test prints one line and passes, unless `REQUIRE_NAMESPACES=1`.

#![allow(clippy::unwrap_used)] // a test stops where something is wrong

mod certificates;
#[allow(dead_code, reason = "the crash tests use the rest of it")]
#[path = "../crash/chance.rs"]
mod chance;
#[allow(dead_code, reason = "the crash tests use the rest of it")]
#[path = "../crash/client.rs"]
mod client;
mod deliveries;
mod hooks;
mod hostile;
mod kills;
mod ledger;
mod namespace;
#[allow(dead_code, reason = "the crash tests use the rest of it")]
#[path = "../crash/process.rs"]
mod process;
mod receiver;
mod signature;
#[path = "../support/tls.rs"]
mod tls;
mod verdict;
mod work;
