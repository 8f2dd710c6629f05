//! The pages in a real Chromium, if it is installed: their appearance, content that pages must not have, and
//! complete tasks.

#![allow(clippy::print_stderr, reason = "prints which tests are skipped")]

mod axe;
mod calendar;
mod docs;
mod journeys;
mod pages;
mod pictures;
mod salon;
mod tasks;
mod window;
