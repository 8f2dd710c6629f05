//! Tests of the dashboard in Chromium. They check the appearance and accessibility of the pages, check that the pages
//! contain no inline scripts, and perform complete tasks. Without Chromium, the tests are skipped.

#![allow(clippy::print_stderr, reason = "prints which tests are skipped")]

mod alerts;
mod axe;
mod calendar;
mod docs;
mod journeys;
mod keyboard;
mod moves;
mod pages;
mod pictures;
mod records;
mod salon;
mod starting;
mod tasks;
mod views;
mod walk_in;
mod window;
