//! The budget of a business: the limits and the usage of rows and bytes for each kind of record.

use domain::{BUDGET_MAX, BudgetKind, ProblemCode};
use engine::business::commands::budget::{LimitPatch, PatchBudget};
use schemars::JsonSchema;
use view::BudgetView;

use crate::http::json::Json;
use crate::http::patch::Patch;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::FromJson;
use crate::http::schemas::without_format;
use crate::json_object;
use crate::rest::prelude::*;

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

json_object! {
    /// A change to the limits; a kind that is absent keeps its limits.
    pub(crate) struct BudgetPatch {
        /// Services.
        services: Patch<KindPatch>,
        /// Staff members.
        staff: Patch<KindPatch>,
        /// API keys that are not revoked.
        keys: Patch<KindPatch>,
        /// Contacts.
        contacts: Patch<KindPatch>,
        /// Appointments.
        appointments: Patch<KindPatch>,
        /// Calls.
        calls: Patch<KindPatch>,
        /// Messages.
        messages: Patch<KindPatch>,
        /// Knowledge entries.
        knowledge: Patch<KindPatch>,
        /// Webhook deliveries that wait for an attempt. Their bytes are the bytes of their events.
        waiting_deliveries: Patch<KindPatch>,
        /// Notices to customers that have not been sent yet. Their bytes are not counted.
        waiting_notices: Patch<KindPatch>,
        /// Conversations of the receptionist. At the limit, a new conversation replaces an ended one.
        conversations: Patch<KindPatch>,
    }
}

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
    let given = [
        (BudgetKind::Services, patch.services),
        (BudgetKind::Staff, patch.staff),
        (BudgetKind::Keys, patch.keys),
        (BudgetKind::Contacts, patch.contacts),
        (BudgetKind::Appointments, patch.appointments),
        (BudgetKind::Calls, patch.calls),
        (BudgetKind::Messages, patch.messages),
        (BudgetKind::Knowledge, patch.knowledge),
        (BudgetKind::WaitingDeliveries, patch.waiting_deliveries),
        (BudgetKind::WaitingNotices, patch.waiting_notices),
        (BudgetKind::Conversations, patch.conversations),
    ];
    let limits = given.into_iter().filter_map(|(kind, patch)| Some((kind, limit(patch.set()?)))).collect();
    business.budget().await?; // waits for the count of the usage, which the response contains
    context.change(PatchBudget { limits }).await
}
