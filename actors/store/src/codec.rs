//! How a record becomes bytes: a version byte, then its fields, one behind the other.
//!
//! What always holds:
//!
//! - bytes that are not exactly one record of a known version are an error, never a panic and never another record;
//! - once released, the fields of a version never change. A new version has those of the one before it and more behind
//!   them, so the fields stand once, each with the version that brought it and with what older bytes mean instead.
//!
//! The encoding of numbers and texts (bincode's default options) is named here alone.

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

/// What can be kept as a field of a record. Its bytes never change.
pub(super) trait Field: Sized {
    /// Appends the value.
    fn write(&self, to: &mut Vec<u8>);

    /// Takes the value off the front.
    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError>;

    /// Appends the values of a list.
    fn write_all(values: &[Self], to: &mut Vec<u8>) {
        values.iter().for_each(|value| value.write(to));
    }
}

/// The fields of a record that are not read yet.
pub(super) struct Fields<'a> {
    record: &'static str,
    version: u8,
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    /// All fields of a record, which is of one of these versions.
    pub(super) fn of(record: &'static str, versions: &[u8], bytes: &'a [u8]) -> Result<Self, StoreError> {
        match bytes.split_first() {
            None => Err(StoreError::damaged(record, "it is empty")),
            Some((found, _)) if !versions.contains(found) => {
                Err(StoreError::Version { record, found: *found })
            }
            Some((version, bytes)) => Ok(Self { record, version: *version, bytes }),
        }
    }

    /// Whether the record is of this version or a newer one.
    pub(super) const fn has(&self, version: u8) -> bool {
        self.version >= version
    }

    /// Takes a plain value.
    fn take<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        let options = bincode::DefaultOptions::new().with_limit(LONG_VALUE_BYTES_MAX as u64 - 1);
        options.deserialize_from(&mut self.bytes).map_err(|error| self.damaged(error.to_string()))
    }

    /// Takes a whole number: one byte up to 250, or a byte that says how many follow.
    fn varint(&mut self) -> Result<u64, StoreError> {
        match u8::read(self)? {
            short @ ..=SHORT_MAX => Ok(short.into()),
            251 => Field::read(self).map(|bytes| u16::from_le_bytes(bytes).into()),
            252 => Field::read(self).map(|bytes| u32::from_le_bytes(bytes).into()),
            253 => Field::read(self).map(u64::from_le_bytes),
            other => Err(self.damaged(format!("no number begins with {other}"))),
        }
    }

    /// That no field is left.
    pub(super) fn end(self) -> Result<(), StoreError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.damaged("there are bytes behind it")) }
    }

    /// The error of a record with fields that cannot be.
    pub(super) fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::damaged(self.record, reason)
    }
}

/// Appends a plain value.
fn put<T: Serialize + ?Sized>(value: &T, to: &mut Vec<u8>) {
    if let Err(error) = bincode::DefaultOptions::new().serialize_into(to, value) {
        panic!("a field cannot be written: {error}");
    }
}

/// The bytes of a record of this version, whose fields are appended by `fields`.
pub(super) fn encoded(record: &'static str, version: u8, fields: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = vec![version];
    fields(&mut bytes);
    assert!(bytes.len() <= LONG_VALUE_BYTES_MAX, "a record of kind {record} is too long");
    bytes
}

/// Implements [`Record`]: the name of the record, and the fields that each version brought, in their order. A field of a
/// later version says what it is in records of earlier ones, and one with a form of its own names the module of that form.
/// What a record must fulfil beside that is checked behind it.
macro_rules! record {
    ($type:ident, $name:literal, {
        $($version:literal: $($field:ident $(via $form:ident)? $(= $default:expr)?),* $(,)?);* $(;)?
    } $(check $check:expr)?) => {
        impl $crate::codec::Record for $type {
            fn encode(&self) -> Vec<u8> {
                let newest = [$($version),*].into_iter().max().unwrap_or_default();
                $crate::codec::encoded($name, newest, |bytes| {
                    $($($crate::codec::record!(@write self.$field, bytes $(, $form)?);)*)*
                })
            }

            fn decode(bytes: &[u8]) -> Result<Self, $crate::StoreError> {
                let mut fields = $crate::codec::Fields::of($name, &[$($version),*], bytes)?;
                $($(
                    let $field = $crate::codec::record!(
                        @read fields, $version, ($($form)?) $(, $default)?
                    );
                )*)*
                fields.end()?;
                let value = $type { $($($field,)*)* };
                $(
                    let check: fn(&$type) -> Result<(), &'static str> = $check;
                    check(&value).map_err(|reason| $crate::StoreError::damaged($name, reason))?;
                )?
                Ok(value)
            }
        }
    };
    (@write $value:expr, $bytes:ident) => { $crate::codec::Field::write(&$value, $bytes) };
    (@write $value:expr, $bytes:ident, $form:ident) => { $form::write(&$value, $bytes) };
    (@read $fields:ident, $version:literal, ()) => { $crate::codec::Field::read(&mut $fields)? };
    (@read $fields:ident, $version:literal, ($form:ident)) => { $form::read(&mut $fields)? };
    (@read $fields:ident, $version:literal, ($($form:ident)?), $default:expr) => {
        if $fields.has($version) {
            $crate::codec::record!(@read $fields, $version, ($($form)?))
        } else {
            $default
        }
    };
}
pub(super) use record;

/// Implements [`Field`] for structs: the fields of each in their order.
macro_rules! fields {
    ($($type:ident { $($field:ident),* $(,)? })*) => {$(
        impl $crate::codec::Field for $type {
            fn write(&self, to: &mut Vec<u8>) {
                $($crate::codec::Field::write(&self.$field, to);)*
            }

            fn read(from: &mut $crate::codec::Fields<'_>) -> Result<Self, $crate::StoreError> {
                Ok(Self { $($field: $crate::codec::Field::read(from)?),* })
            }
        }
    )*};
}
pub(super) use fields;

impl Field for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        match u8::read(from)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(from.damaged(format!("{other} is neither yes nor no"))),
        }
    }
}

/// Implements [`Field`] for whole numbers, which are written as bincode's varints and read without it: a page of a list
/// has hundreds.
macro_rules! whole {
    ($($type:ty: |$varint:ident| $number:expr;)*) => {$(
        impl Field for $type {
            fn write(&self, to: &mut Vec<u8>) {
                put(self, to);
            }

            fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
                let $varint = from.varint()?;
                <$type>::try_from($number).map_err(|_| from.damaged("a number is too great"))
            }
        }
    )*};
}

whole! {
    u16: |varint| varint;
    u32: |varint| varint;
    u64: |varint| varint;
    i32: |varint| unfolded(varint);
    i64: |varint| unfolded(varint);
}

/// The number that a varint stands for where it can be negative: 0, -1, 1, -2, 2 and so on.
const fn unfolded(varint: u64) -> i64 {
    (varint >> 1) as i64 ^ -((varint & 1) as i64)
}

/// The greatest number that bincode writes as one byte, the length of a text for example.
const SHORT_MAX: u8 = 250;

/// Short texts are written and read without bincode: a row of the index of names has 64 of them.
impl Field for String {
    fn write(&self, to: &mut Vec<u8>) {
        match u8::try_from(self.len()) {
            Ok(length @ ..=SHORT_MAX) => {
                to.push(length);
                to.extend_from_slice(self.as_bytes());
            }
            _ => put(self.as_str(), to),
        }
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        match from.bytes.split_first() {
            Some((&length @ ..=SHORT_MAX, rest)) if rest.len() >= usize::from(length) => {
                let (text, rest) = rest.split_at(length.into());
                let text = Self::from_utf8(text.to_vec()).map_err(|error| from.damaged(error.to_string()))?;
                from.bytes = rest;
                Ok(text)
            }
            _ => from.take(),
        }
    }
}

impl<const N: usize> Field for [u8; N] {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let (bytes, rest) = from.bytes.split_first_chunk().ok_or_else(|| from.damaged("it is cut off"))?;
        from.bytes = rest;
        Ok(*bytes)
    }
}

impl Field for u8 {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(*self);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        <[u8; 1]>::read(from).map(|[byte]| byte)
    }

    fn write_all(values: &[Self], to: &mut Vec<u8>) {
        to.extend_from_slice(values);
    }
}

impl<F: Field> Field for Option<F> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        if bool::read(from)? { F::read(from).map(Some) } else { Ok(None) }
    }
}

impl<F: Field> Field for Vec<F> {
    fn write(&self, to: &mut Vec<u8>) {
        put(&(self.len() as u64), to);
        F::write_all(self, to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        (0..u64::read(from)?).map(|_| F::read(from)).collect()
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Ok((A::read(from)?, B::read(from)?))
    }
}
