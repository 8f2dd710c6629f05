//! The encoding of records: a version byte, then the fields in order.
//!
//! Invariants:
//!
//! - Decoding returns an error, and never panics, if the bytes are not exactly one record of a known
//!   version.
//! - The fields of a released version never change. A new version appends fields. Each field is declared
//!   once, with the version that added it and a default for records of older versions.
//! - Numbers and strings are encoded as in bincode 1 with its default options.

use super::{LONG_VALUE_BYTES_MAX, StoreError};

pub trait Record: Sized {
    /// Encodes the record in the newest version. Panics above [`LONG_VALUE_BYTES_MAX`], which no domain type exceeds.
    fn encode(&self) -> Vec<u8>;

    /// # Errors
    /// Returns [`StoreError::Version`], [`StoreError::Damaged`] or [`StoreError::Format`].
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

    fn varint(&mut self) -> Result<u64, StoreError> {
        match u8::read(self)? {
            short @ ..=250 => Ok(short.into()),
            251 => Field::read(self).map(|bytes| u16::from_le_bytes(bytes).into()),
            252 => Field::read(self).map(|bytes| u32::from_le_bytes(bytes).into()),
            253 => Field::read(self).map(u64::from_le_bytes),
            other => Err(self.damaged(format!("no number begins with {other}"))),
        }
    }

    /// The number of bytes that have not been read.
    pub(super) const fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn end(self) -> Result<(), StoreError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.damaged("extra bytes follow it")) }
    }

    pub(super) fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::damaged(self.record, reason)
    }
}

fn put(number: u64, to: &mut Vec<u8>) {
    match number {
        0..=250 => to.push(number as u8),
        251..=0xffff => {
            to.push(251);
            to.extend((number as u16).to_le_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            to.push(252);
            to.extend((number as u32).to_le_bytes());
        }
        _ => {
            to.push(253);
            to.extend(number.to_le_bytes());
        }
    }
}

pub(super) fn encoded(record: &'static str, version: u8, fields: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = vec![version];
    fields(&mut bytes);
    assert!(bytes.len() <= LONG_VALUE_BYTES_MAX, "a record of kind {record} is too long");
    bytes
}

/// Implements [`Record`] for a type. The arguments are the name of the record and the fields of each version. A field
/// that a later version added has a default. `via` names the module that encodes a field. `check` lists the conditions
/// that a decoded record must meet, each with an error text.
macro_rules! record {
    ($type:ident, $name:literal, {
        $($version:literal: $($field:ident $(via $form:ident)? $(= $default:expr)?),* $(,)?);* $(;)?
    } $(check |$it:ident| { $($holds:expr => $reason:literal),+ $(,)? })?) => {
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
                    let $it = &value;
                    $(if !$holds {
                        return Err($crate::StoreError::damaged($name, $reason));
                    })+
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
            other => Err(from.damaged(format!("{other} is neither 0 nor 1"))),
        }
    }
}

macro_rules! whole {
    ($($type:ty: |$number:ident| $varint:expr, |$read:ident| $value:expr;)*) => {$(
        impl Field for $type {
            fn write(&self, to: &mut Vec<u8>) {
                let $number = *self;
                put($varint, to);
            }

            fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
                let $read = from.varint()?;
                <$type>::try_from($value).map_err(|_| from.damaged("a number is too large"))
            }
        }
    )*};
}

whole! {
    u16: |number| number.into(), |varint| varint;
    u32: |number| number.into(), |varint| varint;
    u64: |number| number, |varint| varint;
    i32: |number| folded(number.into()), |varint| unfolded(varint);
    i64: |number| folded(number), |varint| unfolded(varint);
}

/// The zigzag encoding: 0, -1, 1, -2 and 2 become 0, 1, 2, 3 and 4, and so on.
const fn folded(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

const fn unfolded(varint: u64) -> i64 {
    (varint >> 1) as i64 ^ -((varint & 1) as i64)
}

pub(super) fn write_text(text: &str, to: &mut Vec<u8>) {
    put(text.len() as u64, to);
    to.extend_from_slice(text.as_bytes());
}

impl Field for String {
    fn write(&self, to: &mut Vec<u8>) {
        write_text(self, to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let length = usize::try_from(from.varint()?).unwrap_or(usize::MAX);
        let (text, rest) =
            from.bytes.split_at_checked(length).ok_or_else(|| from.damaged("it is cut off"))?;
        from.bytes = rest;
        Self::from_utf8(text.to_vec()).map_err(|error| from.damaged(error.to_string()))
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
        put(self.len() as u64, to);
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
