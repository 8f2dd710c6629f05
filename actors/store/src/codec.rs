//! The encoding of records: a version byte, then the fields in order.
//!
//! Invariants:
//!
//! - Bytes that are not exactly one record of a known version are an error, never a panic and never another record.
//! - The fields of a released version never change. A new version appends fields. Each field is declared once, with the
//!   version that added it and the value that older records have instead.
//! - Only this module names the encoding of numbers and texts (bincode's default options).

use bincode::Options;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{LONG_VALUE_BYTES_MAX, StoreError};

pub trait Record: Sized {
    /// Encodes the record in its newest version. Panics when it is longer than [`LONG_VALUE_BYTES_MAX`]; the types of
    /// the domain are bounded well below.
    fn encode(&self) -> Vec<u8>;

    /// # Errors
    /// [`StoreError::Version`], [`StoreError::Damaged`] or [`StoreError::Format`].
    fn decode(bytes: &[u8]) -> Result<Self, StoreError>;
}

pub(super) trait Field: Sized {
    fn write(&self, to: &mut Vec<u8>);

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError>;

    fn write_all(values: &[Self], to: &mut Vec<u8>) {
        values.iter().for_each(|value| value.write(to));
    }
}

pub(super) struct Fields<'a> {
    record: &'static str,
    version: u8,
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Reads the version byte, which must be one of `versions`.
    pub(super) fn of(record: &'static str, versions: &[u8], bytes: &'a [u8]) -> Result<Self, StoreError> {
        match bytes.split_first() {
            None => Err(StoreError::damaged(record, "it is empty")),
            Some((found, _)) if !versions.contains(found) => {
                Err(StoreError::Version { record, found: *found })
            }
            Some((version, bytes)) => Ok(Self { record, version: *version, bytes }),
        }
    }

    pub(super) const fn has(&self, version: u8) -> bool {
        self.version >= version
    }

    fn take<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        let options = bincode::DefaultOptions::new().with_limit(LONG_VALUE_BYTES_MAX as u64 - 1);
        options.deserialize_from(&mut self.bytes).map_err(|error| self.damaged(error.to_string()))
    }

    /// Reads an integer: one byte up to 250, or a byte that states how many bytes follow.
    fn varint(&mut self) -> Result<u64, StoreError> {
        match u8::read(self)? {
            short @ ..=SHORT_MAX => Ok(short.into()),
            251 => Field::read(self).map(|bytes| u16::from_le_bytes(bytes).into()),
            252 => Field::read(self).map(|bytes| u32::from_le_bytes(bytes).into()),
            253 => Field::read(self).map(u64::from_le_bytes),
            other => Err(self.damaged(format!("no number begins with {other}"))),
        }
    }

    pub(super) fn end(self) -> Result<(), StoreError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.damaged("there are extra bytes after it")) }
    }

    pub(super) fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::damaged(self.record, reason)
    }
}

fn put<T: Serialize + ?Sized>(value: &T, to: &mut Vec<u8>) {
    if let Err(error) = bincode::DefaultOptions::new().serialize_into(to, value) {
        panic!("a field cannot be written: {error}");
    }
}

/// Encodes a record of this version. `fields` appends its fields.
pub(super) fn encoded(record: &'static str, version: u8, fields: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = vec![version];
    fields(&mut bytes);
    assert!(bytes.len() <= LONG_VALUE_BYTES_MAX, "a record of kind {record} is too long");
    bytes
}

/// Implements [`Record`] from the record's name and the fields that each version added, in order. A field of a later
/// version states its value for older records. A field with its own encoding names the module of that encoding. The
/// last part checks conditions on the whole record.
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

/// Implements [`Field`] for integers as bincode's varints, but without bincode: a page of a list has hundreds of them.
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

/// Decodes a zigzag integer: 0, -1, 1, -2, 2 and so on.
const fn unfolded(varint: u64) -> i64 {
    (varint >> 1) as i64 ^ -((varint & 1) as i64)
}

/// The greatest number that bincode writes as one byte, for example the length of a text.
const SHORT_MAX: u8 = 250;

/// Writes short texts without bincode: a row of the name index has 64 of them.
pub(super) fn write_text(text: &str, to: &mut Vec<u8>) {
    match u8::try_from(text.len()) {
        Ok(length @ ..=SHORT_MAX) => {
            to.push(length);
            to.extend_from_slice(text.as_bytes());
        }
        _ => put(text, to),
    }
}

impl Field for String {
    fn write(&self, to: &mut Vec<u8>) {
        write_text(self, to);
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
