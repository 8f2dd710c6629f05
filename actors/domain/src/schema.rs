//! The JSON schemas of the domain's types: words, ids, instants, times of day and texts.
//!
//! Invariant: each type has one schema, both for requests and for responses. If an API uses a type without a schema,
//! the code does not compile. The types of the crate `view` derive their schemas from their serde attributes.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::ids::*;
use super::{
    Address, Color, Currency, Day, DayHours, DayWindows, Email, LocalTime, LocalWindow, PersonName, Phone,
    SiteOrigin, Slug, Text, Timestamp, WebhookUrl, Week, WeeklyBreaks,
};
use crate::each_id;

const LOCAL_TIME_PATTERN: &str = "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$";

/// Implements a schema that is inlined wherever the type is used. For a generic type, its bounds come first, in
/// brackets.
macro_rules! inline_schema {
    ([$($generics:tt)*] $type:ty, $generator:pat => $schema:expr) => {
        impl<$($generics)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
    ($type:ty, $generator:pat => $schema:expr) => {
        inline_schema!([] $type, $generator => $schema);
    };
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => {$(
        inline_schema!($id, _ => json_schema!({"type": "string", "format": "uuid"}));
    )*};
}

each_id!(ids);

inline_schema!(Timestamp, _ => json_schema!({"type": "string", "format": "date-time"}));

inline_schema!(LocalTime, _ => json_schema!({"type": "string", "pattern": LOCAL_TIME_PATTERN}));

inline_schema!([const MIN: usize, const MAX: usize] Text<MIN, MAX>, _ => match MIN {
    0 => json_schema!({"type": "string", "maxLength": MAX}),
    // The pattern requires a character that is not white space.
    _ => json_schema!({"type": "string", "minLength": MIN, "maxLength": MAX, "pattern": "\\S"}),
});

inline_schema!(PersonName, _ => json_schema!({"type": "string", "maxLength": PersonName::CHARS_MAX,
    "pattern": "^$|\\S"}));

inline_schema!(Email, _ => json_schema!({"type": "string", "format": "email", "maxLength": Email::CHARS_MAX,
    "pattern": "^[^\\s@]+@[^\\s@]+$"}));

inline_schema!(Address, generator => Email::json_schema(generator));

// This is the schema of requests. Responses contain the E.164 form.
inline_schema!(Phone, _ => json_schema!({"type": "string", "minLength": 1, "maxLength": Phone::WRITTEN_CHARS_MAX}));

inline_schema!(WebhookUrl, _ => json_schema!({"type": "string", "format": "uri",
    "maxLength": WebhookUrl::CHARS_MAX, "pattern": "^[hH][tT][tT][pP][sS]://"}));

inline_schema!([const PER_DAY: usize] Week<PER_DAY>, generator => json_schema!({"type": "array",
    "items": generator.subschema_for::<DayHours>(), "maxItems": Self::WINDOWS_MAX}));

/// A weekly break.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Break {
    /// The day on which the break begins.
    pub day: Day,
    /// The start, a local time `HH:MM`, at most `23:59`.
    pub from: LocalTime,
    /// The end, a local time `HH:MM`. A time before `from` is on the next day.
    pub to: LocalTime,
}

impl From<&DayHours> for Break {
    fn from(pause: &DayHours) -> Self {
        Self { day: pause.day, from: pause.open, to: pause.close }
    }
}

inline_schema!(WeeklyBreaks, generator => json_schema!({"type": "array",
    "items": generator.subschema_for::<Break>(), "maxItems": Self::BREAKS_MAX}));

inline_schema!(DayWindows, generator => json_schema!({"type": "array",
    "items": generator.subschema_for::<LocalWindow>(), "maxItems": Self::WINDOWS_MAX}));

inline_schema!(Slug, _ => json_schema!({"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{1,58}[a-z0-9]$"}));
inline_schema!(SiteOrigin, _ => json_schema!({"type": "string", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://[^/]+$"}));
inline_schema!(Color, _ => json_schema!({"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}));
inline_schema!(Currency, _ => json_schema!({"type": "string", "pattern": "^[A-Z]{3}$"}));
