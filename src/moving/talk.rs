//! The properties of the lines `receptionist` and `conversation`.

use domain::{
    BLOCKED_NUMBERS_MAX, Dropped, Effect, EffectKind, EffectOn, GateRule, ImportProblem, InputKind, Phone,
    ProblemCode, Speaker, TURNS_MAX, Text, Timestamp, Turn,
};
use schemars::JsonSchema;
use uuid::Uuid;

use super::values::E164;
use crate::http::json::Json;
use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{FromJson, FromText, items};
use crate::json_object;

/// Phone numbers in E.164 form.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct Numbers(#[schemars(with = "Vec<String>")] Vec<Phone>);

impl Numbers {
    pub(super) fn into_vec(self) -> Vec<Phone> {
        self.0
    }
}

impl FromJson for Numbers {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let numbers = DistinctList::<E164, 0, BLOCKED_NUMBERS_MAX>::from_json(json, at, problems)?;
        Some(Self(numbers.into_vec().into_iter().map(|number| number.0).collect()))
    }
}

/// An array of at most `MAX` items.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct ListOf<T, const MAX: usize>(#[schemars(length(max = MAX))] Vec<T>);

impl<T: FromJson, const MAX: usize> FromJson for ListOf<T, MAX> {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        items(json, (0, MAX), at, problems, T::from_json).map(Self)
    }
}

/// The id of a record. Another property contains the kind of the record.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct AnyId(#[schemars(with = "String")] Uuid);

impl FromText for AnyId {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        text.parse().map(Self).map_err(|_| ProblemCode::NotAUuid)
    }
}

json_object! {
    /// A turn.
    pub(super) struct TurnLine {
        /// The position of the turn, from 1.
        seq: Whole<1, 1_000_000>,
        /// The time of the turn.
        at: Timestamp,
        /// The speaker.
        by: Speaker,
        /// The kind of the caller's input; null for other turns.
        input: Option<InputKind>,
        /// The text of the turn.
        text: Text<0, 20_000>,
        /// The part of the text that was played before an interruption; null if all of it was played.
        heard: Option<Text<0, 20_000>>,
        /// The effects of the turn.
        effects: ListOf<EffectLine, 100>,
        /// The model's sentences that a rule dropped.
        dropped: ListOf<DroppedLine, 1_000>,
    }
}

json_object! {
    /// An effect of a turn.
    pub(super) struct EffectLine {
        /// The kind of the effect.
        kind: EffectKind,
        /// The kind of the record that the effect concerns.
        resource_type: Option<EffectOn>,
        /// The id of the record that the effect concerns.
        resource_id: Option<AnyId>,
    }
}

json_object! {
    /// A sentence of a model that a rule dropped.
    pub(super) struct DroppedLine {
        /// The rule that dropped the sentence.
        rule: GateRule,
        /// The sentence.
        text: Text<0, 20_000>,
    }
}

#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct Turns(#[schemars(with = "Vec<TurnLine>")] Vec<Turn>);

impl Turns {
    pub(super) fn into_vec(self) -> Vec<Turn> {
        self.0
    }
}

impl FromJson for Turns {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let turns = ListOf::<TurnLine, TURNS_MAX>::from_json(json, at, problems)?;
        let turns: Vec<_> = turns.0.into_iter().map(Turn::from).collect();
        if turns.iter().zip(1..).any(|(turn, seq)| turn.seq != seq) {
            problems.add(at, ImportProblem::NotSorted("seq"));
            return None;
        }
        Some(Self(turns))
    }
}

impl From<TurnLine> for Turn {
    fn from(line: TurnLine) -> Self {
        let effect = |EffectLine { kind, resource_type, resource_id }: EffectLine| Effect {
            kind,
            on: resource_type.zip(resource_id.map(|id| id.0)),
        };
        Self {
            seq: line.seq.get(),
            at: line.at,
            by: line.by,
            input: line.input,
            text: line.text.into_string(),
            heard: line.heard.map(Text::into_string),
            effects: line.effects.0.into_iter().map(effect).collect(),
            dropped: line
                .dropped
                .0
                .into_iter()
                .map(|DroppedLine { rule, text }| Dropped { rule, text: text.into_string() })
                .collect(),
        }
    }
}
