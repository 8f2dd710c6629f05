//! The service as its clients see it: the real server, real connections, a clock that the tests move.

mod availability;
mod business;
mod catalog;
mod gate;
mod harness;
mod keys;
mod rate_limit;
