//! Tests of the booking pages. The real service runs in this process, with a clock that only the test moves.

#![allow(clippy::unwrap_used, reason = "a test may panic, and `unwrap` shows the line")]
#![allow(clippy::print_stderr, reason = "prints which tests are skipped")]
#![allow(clippy::duplicate_mod, reason = "both harnesses contain the clock of the tests")]

mod addresses;
#[path = "../dashboard/chromium/axe.rs"]
mod axe;
mod booking;
#[path = "../dashboard/harness/mod.rs"]
#[allow(dead_code, unused_imports, reason = "only one of the test binaries uses all of it")]
mod browsing;
mod chat;
mod checks;
#[path = "../api/harness/mod.rs"]
#[allow(dead_code, unused_imports, reason = "only one of the test binaries uses all of it")]
mod harness;
mod hostile;
mod limits;
mod looks;
mod manage;
mod pages;
mod secrecy;
mod shortage;
mod site;
mod widget;
#[path = "../dashboard/chromium/window.rs"]
#[allow(dead_code, reason = "only one of the test binaries uses all of it")]
mod window;
