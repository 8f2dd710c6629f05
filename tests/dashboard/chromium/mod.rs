//! The pages in a real Chromium, where there is one: what is seen, what may not be, and the ways through them.

#![allow(clippy::print_stderr, reason = "what is skipped is told")]

mod axe;
mod docs;
mod journeys;
mod pages;
mod pictures;
mod salon;
mod window;
