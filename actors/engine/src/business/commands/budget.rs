//! Changes the budget of a business, for the operator.

use domain::{AuditAction, BudgetKind, Limit, Right};
use store::Weight;
use view::{BudgetView, LimitsView};

use crate::business::{Change, Context, Decision, Shown, Write};
use crate::error::Result;

super::listed!(PatchBudget);

/// Changes the given limits of the budget. Records that exceed a new limit are not deleted.
#[derive(Clone, Debug)]
pub struct PatchBudget {
    pub limits: Vec<(BudgetKind, LimitPatch)>,
}

/// New limits of one kind of record. An outer `None` keeps a limit, and an inner `None` restores its default.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitPatch {
    pub rows_max: Option<Option<u64>>,
    pub bytes_max: Option<Option<u64>>,
}

impl Change for PatchBudget {
    type Gives = Shown<BudgetView>;
    /// The change is allowed on a nearly full disk, so that the operator can limit a business that fills the
    /// disk.
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Operation);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (before, used) = (&context.state.budget.limits, context.state.budget.used());
        context.check_match(&BudgetView::new(before, &used))?;
        let mut after = *before;
        for (kind, patch) in self.limits {
            let Limit { rows_max, bytes_max } = after.limit(kind);
            let limit = Limit {
                rows_max: patch.rows_max.unwrap_or(rows_max),
                bytes_max: patch.bytes_max.unwrap_or(bytes_max),
            };
            after.set(kind, limit);
        }
        let shown = BudgetView::new(&after, &used);
        if after == *before {
            return Ok(Decision::answering(shown));
        }
        let limits = (&LimitsView::from(before), &LimitsView::from(&after));
        Ok(Decision::answering(shown)
            .note_changes(AuditAction::BudgetUpdated, context.state.id, limits)
            .write(Write::hot(context.state.id, Some(before), after)))
    }
}
