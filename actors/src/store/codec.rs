//! How a record becomes bytes: a version byte, then the fields of a frozen struct, one behind the other.
//!
//! What always holds: bytes that are not exactly one record of a known version are an error, never a panic and never
//! another record. The encoding itself (bincode's default options) is named here alone.

use bincode::Options;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{LONG_VALUE_BYTES_MAX, StoreError};

/// What can be kept as a value of the store.
pub trait Record: Sized {
    /// The record as bytes, in its newest version.
    ///
    /// # Panics
    /// When it is longer than [`LONG_VALUE_BYTES_MAX`]; the types of the domain are bounded well below.
    fn encode(&self) -> Vec<u8>;

    /// The record in these bytes, of any version.
    ///
    /// # Errors
    /// [`StoreError::Version`], [`StoreError::Damaged`] or [`StoreError::Format`].
    fn decode(bytes: &[u8]) -> Result<Self, StoreError>;
}

/// A version of a record's bytes. Once released, its fields never change; a change is a new version beside it.
pub(super) trait Layout<T>: Serialize + DeserializeOwned {
    /// The fields that are written for the value.
    fn freeze(value: &T) -> Self;

    /// The value that was written; the name of the record is for the error.
    fn thaw(self, record: &'static str) -> Result<T, StoreError>;
}

/// Implements [`Record`]: its name, the version that is written, and the older ones that are still read.
macro_rules! record {
    ($type:ty, $name:literal, $version:literal => $layout:ty $(, $old:literal => $old_layout:ty)*) => {
        impl $crate::store::codec::Record for $type {
            fn encode(&self) -> Vec<u8> {
                let layout = <$layout as $crate::store::codec::Layout<$type>>::freeze(self);
                $crate::store::codec::write($name, $version, &layout)
            }

            fn decode(bytes: &[u8]) -> Result<Self, $crate::store::StoreError> {
                use $crate::store::codec::{Layout, read, version};
                let (found, fields) = version($name, bytes)?;
                match found {
                    $version => Layout::<$type>::thaw(read::<$layout>($name, fields)?, $name),
                    $($old => Layout::<$type>::thaw(read::<$old_layout>($name, fields)?, $name),)*
                    _ => Err($crate::store::StoreError::Version { record: $name, found }),
                }
            }
        }
    };
}
pub(super) use record;

/// The one set of options; the version byte is counted apart.
fn options() -> impl Options {
    bincode::DefaultOptions::new().with_limit(LONG_VALUE_BYTES_MAX as u64 - 1)
}

/// The version and the fields as bytes.
pub(super) fn write(record: &'static str, version: u8, fields: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![version];
    match options().serialize_into(&mut bytes, fields) {
        Ok(()) => bytes,
        Err(error) => panic!("a record of kind {record} cannot be written: {error}"),
    }
}

/// Splits the version off.
pub(super) fn version<'a>(record: &'static str, bytes: &'a [u8]) -> Result<(u8, &'a [u8]), StoreError> {
    let (version, fields) = bytes.split_first().ok_or_else(|| StoreError::damaged(record, "it is empty"))?;
    Ok((*version, fields))
}

/// The fields in these bytes, no more and no less.
pub(super) fn read<L: DeserializeOwned>(record: &'static str, fields: &[u8]) -> Result<L, StoreError> {
    options().deserialize(fields).map_err(|error| StoreError::damaged(record, error.to_string()))
}
