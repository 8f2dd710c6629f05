//! Compares the documentation with the code: tables, links, examples, and the topics in a terminal.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong, and `unwrap` shows where")]

mod examples;
mod files;
mod help;
mod links;
mod tables;
