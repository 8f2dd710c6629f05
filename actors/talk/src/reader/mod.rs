//! The meaning of the caller's words.
