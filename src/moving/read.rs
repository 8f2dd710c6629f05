//! Reads export lines and reports every problem of a line.

use domain::{BusinessId, ImportProblem, Problem, ProblemCode, Timestamp};
use engine::counting::Difference;
use engine::moving::{Moved, MovedKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::records::read_line;
use super::{BUSINESS_END, END, FORMAT, PROBLEM, VERSION, VERSION_MIN};
use crate::http::json::Json;
use crate::http::numbers::Whole;
use crate::http::read::{FromJson, FromText, from_json};
use crate::http::reading::Reading;
use crate::json_object;

#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "only one value exists at a time")]
pub(crate) enum Line {
    Head {
        /// The time of the export by the clock of the exporting service.
        exported_at: Timestamp,
    },
    Record(Moved),
    End {
        businesses: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) problems: Vec<Problem>,
    /// Whether the line describes a business, to which the next lines belong.
    pub(crate) is_business: bool,
}

impl Unread {
    fn at(path: &str, code: impl Into<ProblemCode>) -> Self {
        Self { problems: vec![Problem::new(path, code)], is_business: false }
    }
}

/// Parses a line. The error contains every problem of the line.
pub(crate) fn read(line: &[u8]) -> Result<Line, Unread> {
    let mut json: Json = serde_json::from_slice(line)
        .map_err(|error| Unread::at("", ImportProblem::NotJson(error.column())))?;
    let Json::Object(properties) = &mut json else { return Err(Unread::at("", ProblemCode::NotAnObject)) };
    let Some(at) = properties.iter().position(|(name, _)| name == "kind") else {
        return record(&json, |HeadLine { format: Format, version: Whole { .. }, exported_at }| Line::Head {
            exported_at,
        });
    };
    let (_, kind) = properties.remove(at);
    let Json::String(kind) = kind else { return Err(Unread::at("kind", ProblemCode::NotAString)) };
    let json = &json;
    match kind.as_str() {
        BUSINESS_END => record(json, |it: BusinessEndLine| {
            Line::Record(Moved::End { records: u64::from(it.records.get()) })
        }),
        END => record(json, |it: EndLine| Line::End { businesses: u64::from(it.businesses.get()) }),
        PROBLEM => Err(Unread::at("", ImportProblem::Incomplete)),
        kind => match MovedKind::of_word(kind) {
            None => {
                let words = MovedKind::ALL.iter().map(|kind| kind.word()).chain([BUSINESS_END, END]);
                Err(Unread::at("kind", ProblemCode::OneOf(words.collect())))
            }
            Some(kind) => {
                let is_business = kind == MovedKind::Business;
                read_line(kind, json).map(Line::Record).map_err(|problems| Unread { problems, is_business })
            }
        },
    }
}

/// Reads a line about missing records. Only an incomplete export contains such lines. Returns the recorded and the
/// found number of records, or `None` for any other line.
pub(crate) fn problem_in(line: &[u8]) -> Option<Difference> {
    let named = serde_json::from_slice::<ProblemLine>(line).ok()?;
    let ProblemLine { kind, business_id, records, recorded, found } = named;
    (kind == PROBLEM).then_some(Difference { business_id, kind: records, recorded, found })
}

/// A line about missing records. If records are missing, the export ends with such lines instead of an `EndLine`.
#[derive(Deserialize)]
struct ProblemLine {
    kind: String,
    business_id: BusinessId,
    records: String,
    recorded: Option<u64>,
    found: u64,
}

fn record<T: FromJson>(json: &Json, made: impl FnOnce(T) -> Line) -> Result<Line, Unread> {
    match from_json(json, Reading::PLAIN) {
        Ok(read) => Ok(made(read)),
        Err(problems) => Err(Unread { problems, is_business: false }),
    }
}

type Count = Whole<0, { u32::MAX }>;

json_object! {
    /// The first line of an export.
    struct HeadLine {
        /// The name of the format.
        format: Format,
        /// The version of the format.
        version: Whole<VERSION_MIN, VERSION>,
        /// The time of the export.
        exported_at: Timestamp,
    }
}

json_object! {
    /// The last line of an export.
    struct EndLine {
        /// The number of businesses in the export.
        businesses: Count,
    }
}

json_object! {
    /// The line after the last record of a business.
    struct BusinessEndLine {
        /// The number of lines of the business, without this line.
        records: Count,
    }
}

/// The name of the format.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
struct Format;

impl FromText for Format {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        if text == FORMAT { Ok(Self) } else { Err(ProblemCode::OneOf(vec![FORMAT])) }
    }
}
