//! The edges of the service: everything that talks to people or programs. The engine behind them is the crate
//! `actors`.
//!
//! The program is this library and a thin `main`, so that a test can run the real server in its own process.

mod admin;
mod api;
pub mod app;
pub mod cli;
pub mod config;
mod dashboard;
mod english;
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
pub mod telemetry;
mod words;
