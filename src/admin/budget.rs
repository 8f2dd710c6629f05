//! The budget of a business: the limits and the usage of rows and bytes for each kind of record.

use domain::{BUDGET_MAX, BudgetKind, ProblemCode};
use engine::business::commands::budget::{LimitPatch, PatchBudget};
use schemars::JsonSchema;
use view::BudgetView;

use crate::http::json::Json;
use crate::http::patch::Patch;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{FromJson, Properties};
use crate::http::schemas::without_format;
use crate::rest::prelude::*;
use crate::{declared_schema, english, json_object};

/// The maximum number of rows or bytes of one kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline, transform = without_format)]
pub(crate) struct BudgetBound(#[schemars(range(min = 0, max = BUDGET_MAX))] u64);

impl BudgetBound {
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl FromJson for BudgetBound {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let number = json.as_whole().and_then(|number| u64::try_from(number).ok());
        match number.filter(|number| *number <= BUDGET_MAX) {
            Some(number) => Some(Self(number)),
            None => {
                problems.add(at, ProblemCode::WholeNumber { min: 0, max: BUDGET_MAX });
                None
            }
        }
    }
}

json_object! {
    /// A change to the limits of one kind; a property that is absent keeps its value.
    pub(crate) struct KindPatch {
        /// The maximum number of rows; null restores the default.
        rows_max: Patch<Option<BudgetBound>>,
        /// The maximum number of bytes; null restores the default.
        bytes_max: Patch<Option<BudgetBound>>,
    }
}

/// A change to the limits. A kind that is absent keeps its limits.
#[derive(Clone, Debug)]
pub(crate) struct BudgetPatch(Vec<(BudgetKind, KindPatch)>);

impl FromJson for BudgetPatch {
    fn from_json(json: &Json, at: &FieldPath<'_>, problems: &mut Problems) -> Option<Self> {
        let properties = Properties::sort(json, BudgetKind::WORDS, at, problems)?;
        properties.not_empty(at, problems);
        let kinds = BudgetKind::ALL.iter().map(|kind| {
            let patch: Patch<KindPatch> = properties.read(kind.as_str(), at, problems)?;
            Some((*kind, patch))
        });
        let kinds = kinds.collect::<Vec<Option<_>>>().into_iter().collect::<Option<Vec<_>>>()?;
        Some(Self(kinds.into_iter().filter_map(|(kind, patch)| Some((kind, patch.set()?))).collect()))
    }
}

declared_schema!(
    BudgetPatch[" A change to the limits; a kind that is absent keeps its limits."] | generator,
    declared | {
        for kind in BudgetKind::ALL {
            let about = english::budget_kind(*kind);
            declared.property::<Patch<KindPatch>>(kind.as_str(), &[&*about], generator);
        }
    }
);

fn limit(patch: KindPatch) -> LimitPatch {
    let bound = |patch: Patch<Option<BudgetBound>>| patch.set().map(|bound| bound.map(|bound| bound.0));
    LimitPatch { rows_max: bound(patch.rows_max), bytes_max: bound(patch.bytes_max) }
}

pub(super) async fn show(_: Context, business: Business) -> Result<One<BudgetView>, ApiError> {
    Ok(One::of(&business.budget().await?))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<BudgetPatch>,
    business: Business,
) -> Result<Changed<BudgetView>, ApiError> {
    let limits = patch.0.into_iter().map(|(kind, patch)| (kind, limit(patch))).collect();
    business.budget().await?; // waits for the count of the usage, which the response contains
    context.change(PatchBudget { limits }).await
}
