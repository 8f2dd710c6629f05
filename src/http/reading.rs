//! The context for values whose text alone is not enough.
//!
//! Invariant: this module does not know the type of the context. The gate sets it, and a value parser asks
//! for it by type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The context of a request's values, for example the region of national phone numbers.
#[derive(Clone)]
pub struct Reading(Option<Arc<dyn Any + Send + Sync>>);

impl Reading {
    /// No context.
    pub const PLAIN: Self = Self(None);

    pub fn by<T: Any + Send + Sync>(what: T) -> Self {
        Self(Some(Arc::new(what)))
    }

    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_deref()?.downcast_ref()
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Reading(…)" } else { "Reading(plain)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_names_the_type_gets_it() {
        let reading = Reading::by(5_u8);
        assert_eq!((reading.get::<u8>(), reading.get::<u16>()), (Some(&5), None));
        assert_eq!(Reading::PLAIN.get::<u8>(), None);
    }
}
