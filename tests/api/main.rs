//! The service as its clients see it: the real server, real connections, a clock that the tests move.

mod availability;
mod booking;
mod business;
mod cancel;
mod catalog;
mod contacts;
mod gate;
mod harness;
mod keys;
mod modes;
mod rate_limit;
mod reschedule;
