//! The interfaces of the service to people and programs. The crates in `actors` contain the engine.
//!
//! The program consists of this library and a small `main`, so that tests can run the real server in their
//! own process.

mod admin;
mod api;
pub mod app;
mod book;
pub mod calendars;
pub mod cli;
pub mod config;
mod dashboard;
pub mod docs;
mod english;
mod holidays;
pub mod http;
mod local_time;
pub mod mail;
mod mcp;
mod metrics;
mod moving;
pub mod openapi;
mod origins;
mod rate_limit;
mod rest;
pub mod server;
pub mod service;
mod tables;
pub mod telemetry;
mod words;
