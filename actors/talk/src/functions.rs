//! The functions that a model may call.
