//! Compares the documentation with the code: its tables, links and examples, and the topics in a terminal.

#![allow(clippy::unwrap_used, reason = "a test may panic, and `unwrap` shows the line")]

mod commands;
mod examples;
mod files;
mod help;
mod links;
mod tables;
