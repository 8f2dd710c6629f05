//! The service as its clients see it: the real server, real connections, a clock that the tests move.

mod gate;
mod harness;
mod rate_limit;
