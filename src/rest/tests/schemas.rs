//! Tests of the schemas of declared requests and of resources.

use domain::{AppointmentId, Locale, Text};
use serde_json::json;
use view::ContactView;

use crate::http::lists::{CommaList, DistinctList};
use crate::http::numbers::{Limit, Whole};
use crate::http::patch::Patch;
use crate::http::query::FromParameters as _;
use crate::http::schemas::Schemas;
use crate::{json_object, query_object};

// The tests use only the schemas of these types.
#[allow(dead_code)]
mod declared {
    use super::*;

    json_object! {
        /// Everything at
        /// once.
        pub(super) struct Everything {
            /// A name.
            name: Text<1, 200>,
            /// A language.
            locale: Option<Locale>,
            /// Renamed property.
            kind as "type": Option<Whole<5, 1440>>,
            /// Ids.
            ids: DistinctList<AppointmentId, 1, 6>,
        }
    }

    json_object! {
        /// A change.
        pub(super) struct Change {
            /// Null clears it.
            note: Patch<Option<Text<0, 5>>>,
            /// Not nullable.
            flag: Patch<bool>,
        }
    }

    query_object! {
        /// The query of a list.
        pub(super) struct Example {
            /// Languages.
            locale: CommaList<Locale, 2>,
            /// Page size.
            limit: Limit<50, 100>,
        }
    }
}
use declared::{Change, Everything, Example};

#[test]
fn the_schema_of_a_body_matches_its_reader() {
    let mut schemas = Schemas::default();
    assert_eq!(schemas.of::<Everything>(), json!({"$ref": "#/components/schemas/Everything"}));
    schemas.of::<Change>();
    let expected = json!({
        "Change": {"type": "object", "description": "A change.", "additionalProperties": false,
            "minProperties": 1, "properties": {
                "note": {"type": ["string", "null"], "maxLength": 5, "description": "Null clears it."},
                "flag": {"type": "boolean", "description": "Not nullable."}}},
        "Everything": {"type": "object", "description": "Everything at once.",
            "additionalProperties": false, "required": ["ids", "name"], "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S",
                    "description": "A name."},
                "locale": {"oneOf": [{"$ref": "#/components/schemas/Locale"}, {"type": "null"}],
                    "description": "A language."},
                "type": {"type": ["integer", "null"], "minimum": 5, "maximum": 1440,
                    "description": "Renamed property."},
                "ids": {"type": "array", "items": {"type": "string", "format": "uuid"}, "minItems": 1,
                    "maxItems": 6, "uniqueItems": true, "description": "Ids."}}},
        "Locale": {"type": "string", "enum": ["en", "fr"]},
    });
    assert_eq!(schemas.into_json(), expected);
}

#[test]
fn a_parameter_is_never_null_and_a_list_has_commas() {
    let parameters = Schemas::default().parameters::<Example>(Example::NAMES);
    let expected = json!([
        {"name": "locale", "in": "query", "description": "Languages.", "required": false, "style": "form",
            "explode": false, "schema": {"type": "array", "minItems": 1, "maxItems": 2,
            "items": {"$ref": "#/components/schemas/Locale"}}},
        {"name": "limit", "in": "query", "description": "Page size.", "required": false,
            "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}},
    ]);
    assert_eq!(json!(parameters), expected);
}

#[test]
fn a_view_shows_every_property_and_no_others() {
    let mut schemas = Schemas::default();
    assert_eq!(schemas.of::<ContactView>(), json!({"$ref": "#/components/schemas/Contact"}));
    let schemas = schemas.into_json();
    let contact = &schemas["Contact"];
    assert_eq!(contact["additionalProperties"], false);
    assert_eq!(
        contact["required"].as_array().unwrap().len(),
        contact["properties"].as_object().unwrap().len()
    );
    assert_eq!(
        contact["properties"]["id"],
        json!({"type": "string", "format": "uuid", "description": "The contact's id."})
    );
    assert_eq!(contact["properties"]["name"]["type"], json!(["string", "null"]));
    assert_eq!(
        contact["properties"]["locale"]["oneOf"],
        json!([{"$ref": "#/components/schemas/Locale"}, {"type": "null"}])
    );
}
