//! The context that is needed, in addition to the text, to parse some values.

use std::sync::Arc;

/// The region of national phone numbers, if the gate has set it.
#[derive(Clone, Debug)]
pub struct Reading(Option<Arc<str>>);

impl Reading {
    /// The context without a region.
    pub const PLAIN: Self = Self(None);

    pub fn in_region(region: &str) -> Self {
        Self(Some(region.into()))
    }

    pub fn region(&self) -> Option<&str> {
        self.0.as_deref()
    }
}
