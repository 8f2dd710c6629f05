//! Conversations with a modelled business: by the guided path, and with a model.

mod gate;
mod guided;
mod hostile;
mod model;
mod world;
