//! Declares the export line of each kind of record, and writes lines.

use domain::Problem;
use serde::Serialize;

use crate::http::json::Json;
use crate::http::problems::Problems;
use crate::http::reading::Reading;

pub(super) trait Line: Sized {
    fn write(&self, line: Written) -> Written;

    /// Reads the properties, or adds their problems.
    fn read(json: &Json, problems: &mut Problems) -> Option<Self>;
}

/// Reads a record, or returns every problem of the line.
pub(super) fn read<T: Line>(json: &Json) -> Result<T, Vec<Problem>> {
    let mut problems = Problems::new(Reading::PLAIN);
    let record = T::read(json, &mut problems);
    problems.finish(record)
}

/// Declares how a record is written to an export line and read from it. The declaration contains the properties in the
/// order of the line. The type of each property is a [`Property`](super::values::Property).
///
/// - `field: Type` is a property with the name and the value of the field.
/// - `zone as "timezone": Type` is a property that has another name than its field.
/// - `[name: Type = value]` is a property without a field. `value` computes it from the record (`it`).
/// - `=> { field: value }` is a field without a property. `value` is a constant, or is computed from the properties
///   that are declared as `[name: Type = value]`.
/// - `check function` names a function that checks rules that concern several properties.
macro_rules! export_line {
    (
        $record:ident as $it:ident {
            $($([$part:ident: $part_type:ty = $value:expr])* $field:ident $(as $name:literal)?: $type:ty,)*
        }
        $(=> { $($other:ident: $made:expr,)* })?
        $(check $check:path)?
    ) => {
        impl $crate::moving::line::Line for $record {
            fn write(&self, line: $crate::moving::line::Written) -> $crate::moving::line::Written {
                use $crate::moving::values::Property;
                let $it = self;
                line$(
                    $(.put(stringify!($part), &<$part_type>::to_json(&$value)))*
                    .put($crate::name_of!($field $($name)?), &<$type>::to_json(&$it.$field))
                )*
            }

            fn read(
                json: &$crate::http::json::Json,
                problems: &mut $crate::http::problems::Problems,
            ) -> Option<Self> {
                use $crate::moving::values::Property;
                const NAMES: &[&str] = &[$($(stringify!($part),)* $crate::name_of!($field $($name)?),)*];
                let at = &$crate::http::problems::FieldPath::Root;
                let properties = $crate::http::read::Properties::sort(json, NAMES, at, problems)?;
                $($check(&properties, at, problems);)?
                $(
                    $(let $part = properties.read::<$part_type>(stringify!($part), at, problems);)*
                    let $field = properties.read::<$type>($crate::name_of!($field $($name)?), at, problems);
                )*
                $($(let $part = $part?.into_field();)*)*
                Some(Self { $($field: $field?.into_field(),)* $($($other: $made,)*)? })
            }
        }
    };
}
pub(super) use export_line;

pub(super) struct Written(String);

impl Written {
    pub(super) fn new(name: &str, word: &str) -> Self {
        Self(String::from("{")).value(name, &word)
    }

    pub(super) fn put(mut self, name: &str, value: &impl Serialize) -> Self {
        self.0.push(',');
        self.value(name, value)
    }

    fn value(mut self, name: &str, value: &impl Serialize) -> Self {
        match serde_json::to_string(value) {
            Ok(value) => self.0.push_str(&format!("\"{name}\":{value}")),
            Err(error) => unreachable!("a property can always be serialized: {error}"),
        }
        self
    }

    pub(super) fn end(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}
