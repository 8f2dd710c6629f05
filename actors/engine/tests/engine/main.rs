//! The engine on a simulated disk, with a clock and randomness that the test controls.

#![allow(clippy::unwrap_used)] // a panic fails the test

mod alerts;
mod answers;
mod budget;
mod businesses_set_aside;
mod changes;
mod clock;
mod consent;
mod conversations;
mod counting;
mod customers;
mod ending;
mod erasing;
mod expiring;
mod exports;
mod failures;
mod few_actors;
mod guarded;
mod harness;
mod housekeeping;
mod hung_up;
mod idempotency;
mod imports;
mod lifecycle;
mod lists;
mod mailboxes;
mod mailed_links;
mod merging;
mod moving;
mod moving_without;
mod notice_limits;
mod notices;
mod offering;
mod people;
mod permits;
mod post;
mod repair;
mod requests;
mod restoring;
mod retention;
mod room;
mod rows;
mod search;
mod set_aside;
mod waiting_notices;
