//! Conversations with a simulated business, on the guided path and with a language model.

#![allow(clippy::unwrap_used)] // a failed `unwrap` fails the test

mod gate;
mod guided;
mod hostile;
mod model;
mod sentences;
mod world;
