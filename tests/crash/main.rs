//! Tests of the program as a process: kills, failed starts and orderly stops.

#![allow(clippy::unwrap_used)] // a test may panic, and `unwrap` shows the line

mod alerts;
mod backups;
mod calendars;
mod chance;
mod client;
mod codes;
mod contact_imports;
mod conversations;
mod customers;
mod damage;
mod desk;
mod ending;
mod erasing;
mod feeds;
mod imports;
mod incomplete;
mod kills;
mod mails;
mod merging;
mod notices;
mod people;
mod process;
mod relay;
mod rotating;
mod salvage;
mod say;
mod starting;
mod stuck;
mod supervised;
#[path = "../support/tls.rs"]
mod tls;
mod upgrade;
