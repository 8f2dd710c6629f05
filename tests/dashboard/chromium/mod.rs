//! Tests of the pages in Chromium: their appearance, content that they must not have, and complete tasks.
//! Without Chromium the tests are skipped.

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
