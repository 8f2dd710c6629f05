//! The pages in a real Chromium, if it is installed: their appearance, forbidden contents, and complete tasks.

#![allow(clippy::print_stderr, reason = "what is skipped is told")]

mod axe;
mod docs;
mod journeys;
mod pages;
mod pictures;
mod salon;
mod window;
