//! Conversations with a modelled business, on the guided path and with a model.

#![allow(clippy::unwrap_used)] // a failed `unwrap` fails the test

mod gate;
mod guided;
mod hostile;
mod model;
mod sentences;
mod world;
