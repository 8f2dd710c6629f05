//! Tests of the readers in `http`, with the value types of the APIs.

mod bodies;
mod queries;
mod schemas;
