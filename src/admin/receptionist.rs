//! The settings of the receptionist, and the questions that it could not answer.

use domain::{
    BLOCKED_NUMBERS_MAX, BUDGET_MAX, GREETING_CHARS_MAX, GapId, INSTRUCTIONS_CHARS_MAX, Phone, ProblemCode,
    TEAM_FIRST_SECONDS_MAX, TEAM_FIRST_SECONDS_MIN, TOKENS_PER_DAY_DEFAULT, Text, Timestamp, is_team_first,
};
use engine::business::Page;
use engine::business::commands::conversations::DeleteGap;
use engine::business::commands::receptionist::PatchReceptionist;
use schemars::JsonSchema;
use view::{GapView, ReceptionistView};

use super::budget::BudgetBound;
use crate::http::json::Json;
use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{FromJson, Properties};
use crate::json_object;
use crate::rest::prelude::*;

json_object! {
    /// A change of the channels; a channel that is absent keeps its value.
    pub(crate) struct ChannelsPatch {
        /// Whether the receptionist answers phone calls; null sets the default, true.
        voice: Patch<Option<bool>>,
        /// Whether the receptionist answers text messages; null sets the default, true.
        sms: Patch<Option<bool>>,
        /// Whether the booking page has a chat; null sets the default, false.
        website: Patch<Option<bool>>,
    }
}

json_object! {
    /// A change of the greetings; a greeting that is absent keeps its value.
    pub(crate) struct GreetingPatch {
        /// The English greeting, on one line.
        en: Patch<Option<Text<1, GREETING_CHARS_MAX>>>,
        /// The French greeting, on one line.
        fr: Patch<Option<Text<1, GREETING_CHARS_MAX>>>,
    }
    check greetings_on_one_line
}

fn greetings_on_one_line(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    for name in ["en", "fr"] {
        let mut unasked = Problems::new(problems.reading().clone());
        let text = properties.read::<Option<Text<1, GREETING_CHARS_MAX>>>(name, at, &mut unasked).flatten();
        if text.is_some_and(|text| text.as_str().chars().any(char::is_control)) {
            problems.add(&at.property(name), ProblemCode::NotOneLine);
        }
    }
}

/// The time for which the handoff number rings before the receptionist answers, in seconds: 0, or 5 to 60.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(inline)]
pub(crate) struct TeamFirst(#[schemars(range(min = 0, max = TEAM_FIRST_SECONDS_MAX))] u32);

impl TeamFirst {
    pub(crate) fn get(self) -> u32 {
        self.0
    }
}

impl FromJson for TeamFirst {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let seconds = Whole::<0, TEAM_FIRST_SECONDS_MAX>::from_json(json, at, problems)?.get();
        if !is_team_first(seconds) {
            problems.add(at, ProblemCode::ZeroOrRange(TEAM_FIRST_SECONDS_MIN, TEAM_FIRST_SECONDS_MAX));
            return None;
        }
        Some(Self(seconds))
    }
}

json_object! {
    /// A change of the receptionist's settings. An absent property keeps its value; null restores its default.
    pub(crate) struct ReceptionistPatch {
        /// The channels on which the receptionist answers.
        channels: Patch<Option<ChannelsPatch>>,
        /// The text that the receptionist says after its first sentence.
        greeting: Patch<Option<GreetingPatch>>,
        /// Instructions for the model.
        instructions: Patch<Option<Text<1, INSTRUCTIONS_CHARS_MAX>>>,
        /// The phone number of the person who takes over calls within opening hours.
        handoff_number: Patch<Option<Phone>>,
        /// The time in seconds for which the handoff number rings before the receptionist answers, within opening
        /// hours: 0, or 5 to 60.
        team_first_seconds: Patch<Option<TeamFirst>>,
        /// The phone numbers whose calls are rejected and whose text messages are dropped.
        blocked_numbers: Patch<Option<DistinctList<Phone, 0, BLOCKED_NUMBERS_MAX>>>,
        /// Whether the receptionist may use the knowledge entries in answers to customers and assistants. Their
        /// text then becomes public.
        knowledge_public: Patch<Option<bool>>,
        /// The maximum number of tokens of the model that the business may use in a local day; 1,000,000 by default.
        /// With 0, no model is used.
        tokens_per_day: Patch<Option<BudgetBound>>,
    }
}

const _: () = assert!(TOKENS_PER_DAY_DEFAULT <= BUDGET_MAX);

impl From<ReceptionistPatch> for PatchReceptionist {
    fn from(patch: ReceptionistPatch) -> Self {
        let default = |channel: Patch<Option<bool>>, default| channel.set().map(|set| set.unwrap_or(default));
        let (voice, sms, website) = match patch.channels.set() {
            None => (None, None, None),
            Some(None) => (Some(true), Some(true), Some(false)),
            Some(Some(set)) => {
                (default(set.voice, true), default(set.sms, true), default(set.website, false))
            }
        };
        let (greeting_en, greeting_fr) = match patch.greeting.set() {
            None => (None, None),
            Some(None) => (Some(None), Some(None)),
            Some(Some(set)) => (set.en.set(), set.fr.set()),
        };
        Self {
            voice,
            sms,
            website,
            greeting_en,
            greeting_fr,
            instructions: patch.instructions.set(),
            handoff_number: patch.handoff_number.set(),
            team_first_seconds: patch.team_first_seconds.set().map(|set| set.map_or(0, |seconds| seconds.0)),
            blocked_numbers: patch
                .blocked_numbers
                .set()
                .map(|set| set.map(DistinctList::into_vec).unwrap_or_default()),
            knowledge_public: patch.knowledge_public.set().map(Option::unwrap_or_default),
            tokens_per_day: patch
                .tokens_per_day
                .set()
                .map(|set| set.map_or(TOKENS_PER_DAY_DEFAULT, BudgetBound::get)),
        }
    }
}

pub(super) async fn show(_: Context, business: Business) -> Result<One<ReceptionistView>, ApiError> {
    Ok(One::of(&ReceptionistView::from(&business.receptionist().await?)))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<ReceptionistPatch>,
) -> Result<Changed<ReceptionistView>, ApiError> {
    context.change(PatchReceptionist::from(patch)).await
}

pub(super) async fn gaps(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<GapView>, ApiError> {
    let asked = query.open(&context, business.list("gaps"))?;
    let gaps = business.gaps(context.engine.now()).await?;
    // `after` contains the time and the id of the last question of the previous page. The page can be read even if this
    // question was deleted.
    let after = asked.page.after.as_deref().and_then(place_in);
    let is_next = |gap: &GapView| after.is_none_or(|after| (gap.asked_at, gap.id) < after);
    let mut items: Vec<_> = gaps.into_iter().filter(is_next).take(asked.page.limit + 1).collect();
    let more = items.len() > asked.page.limit;
    items.truncate(asked.page.limit);
    let next = items.last().filter(|_| more).map(|gap| {
        [&gap.asked_at.millis().to_be_bytes()[..], domain::ResourceId::uuid(gap.id).as_bytes()].concat()
    });
    Ok(asked.listed(Page { items, next }))
}

/// The time and the id of the last question of a page.
fn place_in(after: &[u8]) -> Option<(Timestamp, GapId)> {
    let (millis, id) = after.split_first_chunk::<8>()?;
    let id = uuid::Uuid::from_slice(id).ok()?;
    Some((Timestamp::from_millis(i64::from_be_bytes(*millis)), GapId::from(id)))
}

pub(super) async fn delete_gap(context: Context, Path(id): Path<GapId>) -> Result<Gone, ApiError> {
    context.change(DeleteGap { id }).await
}
