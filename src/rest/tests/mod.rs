//! The readers of `http`, tried with the values of the APIs.

mod bodies;
mod queries;
mod schemas;
