//! `B/budget`: how many rows and bytes of each kind a business may keep, and how many it keeps.

use actors::business::commands::budget::{LimitPatch, PatchBudget};
use actors::domain::BudgetKind;

use crate::http::call::Call;
use crate::http::read::Patch;
use crate::http::routes::Handled;
use crate::http::values::BudgetBound;
use crate::json_object;

json_object! {
    /// What of one kind's budget is to change; what is absent stays.
    pub(crate) struct KindPatch {
        /// At most so many rows; null brings the default back.
        rows_max: Patch<Option<BudgetBound>>,
        /// At most so many bytes; null brings the default back.
        bytes_max: Patch<Option<BudgetBound>>,
    }
    check crate::http::read::not_empty
}

json_object! {
    /// What of a budget is to change; a kind that is absent stays as it is.
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
        /// Pieces of knowledge.
        knowledge: Patch<KindPatch>,
        /// Deliveries that wait for an attempt, with the bytes of their events.
        waiting_deliveries: Patch<KindPatch>,
    }
    check crate::http::read::not_empty
}

fn limit(patch: KindPatch) -> LimitPatch {
    let bound = |patch: Patch<Option<BudgetBound>>| patch.set().map(|bound| bound.map(BudgetBound::get));
    LimitPatch { rows_max: bound(patch.rows_max), bytes_max: bound(patch.bytes_max) }
}

pub(super) async fn show(call: Call) -> Handled {
    call.no_query()?;
    let budget = call.business()?.budget().await?;
    call.one(&budget)
}

pub(super) async fn update(mut call: Call) -> Handled {
    let patch: BudgetPatch = call.body().await?;
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
    ];
    let limits = given.into_iter().filter_map(|(kind, patch)| Some((kind, limit(patch.set()?)))).collect();
    call.business()?.budget().await?; // what the answer shows is counted by then
    call.change(PatchBudget { limits }).await
}
