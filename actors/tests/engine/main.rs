//! The engine on a simulated disk, with a clock and a randomness that the test holds in its hand.

#![allow(clippy::unwrap_used)] // a test stops where something is wrong

mod answers;
mod budget;
mod changes;
mod clock;
mod conversations;
mod failures;
mod harness;
mod idempotency;
mod lifecycle;
mod lists;
mod moving;
mod people;
mod permits;
mod repair;
mod retention;
mod room;
mod rows;
