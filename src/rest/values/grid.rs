//! The interval between the lines of a calendar.

use std::borrow::Cow;

use domain::{GRID_MINUTES, ProblemCode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::http::json::Json;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::FromJson;

/// One of the intervals in [`GRID_MINUTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GridMinutes(u32);

impl GridMinutes {
    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

impl FromJson for GridMinutes {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let given = json.as_whole();
        let known = GRID_MINUTES.iter().find(|minutes| given == Some(i128::from(**minutes)));
        if known.is_none() {
            problems.add(at, ProblemCode::OneOf(vec!["5", "10", "15", "30"]));
        }
        known.copied().map(Self)
    }
}

impl JsonSchema for GridMinutes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "GridMinutes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "enum": GRID_MINUTES})
    }
}
