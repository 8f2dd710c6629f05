//! Tests of the operator's commands on a running service.

#![allow(clippy::unwrap_used)] // a test may panic, and `unwrap` shows the line

mod alone;
mod assistants;
mod chat;
mod contacts;
mod dashboard;
mod day;
mod diary;
mod door;
mod eval;
mod mail;
mod model;
mod moving;
mod program;
mod refusals;
