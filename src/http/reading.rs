//! What values are read by beside their own text.
//!
//! What always holds: nothing here knows what it is. Whoever lets a request in hands it on, and the one type of value
//! that is read by it asks for it by its type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What the values of a request are read by, such as the region of its national phone numbers.
#[derive(Clone)]
pub struct Reading(Option<Arc<dyn Any + Send + Sync>>);

impl Reading {
    /// Values are read by their text alone.
    pub const PLAIN: Self = Self(None);

    /// They are read by this.
    pub fn by<T: Any + Send + Sync>(what: T) -> Self {
        Self(Some(Arc::new(what)))
    }

    /// What they are read by, if it is of this type.
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
