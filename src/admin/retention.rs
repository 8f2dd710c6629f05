//! The retention periods of a business: how long its records are kept.

use domain::{AUDIT_DAYS_MIN, RETENTION_DAYS};
use engine::business::commands::erasure::PatchRetention;
use view::RetentionView;

use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::*;

const DAYS_MIN: u32 = *RETENTION_DAYS.start();
const DAYS_MAX: u32 = *RETENTION_DAYS.end();

type Days = Whole<DAYS_MIN, DAYS_MAX>;
/// A retention period of the audit log. It has a larger minimum than the other periods.
type AuditDays = Whole<AUDIT_DAYS_MIN, DAYS_MAX>;

json_object! {
    /// A change to retention periods, in days. An absent period keeps its value; null means no limit.
    pub(crate) struct RetentionPatch {
        /// The period for calls, from their creation.
        calls_days: Patch<Option<Days>>,
        /// The period for messages, from their creation.
        messages_days: Patch<Option<Days>>,
        /// The period for entries of the audit log. The newest entry is always kept.
        audit_days: Patch<Option<AuditDays>>,
        /// The period for appointments, from their end.
        appointments_days: Patch<Option<Days>>,
    }
}

impl From<RetentionPatch> for PatchRetention {
    fn from(patch: RetentionPatch) -> Self {
        fn days<const MIN: u32>(patch: Patch<Option<Whole<MIN, DAYS_MAX>>>) -> Option<Option<u32>> {
            patch.set().map(|days| days.map(Whole::get))
        }
        Self {
            calls_days: days(patch.calls_days),
            messages_days: days(patch.messages_days),
            audit_days: days(patch.audit_days),
            appointments_days: days(patch.appointments_days),
        }
    }
}

pub(super) async fn show(_: Context, business: Business) -> Result<One<RetentionView>, ApiError> {
    Ok(One::of(&business.retention().await?))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<RetentionPatch>,
) -> Result<Changed<RetentionView>, ApiError> {
    context.change(PatchRetention::from(patch)).await
}
