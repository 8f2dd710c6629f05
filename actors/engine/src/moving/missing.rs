//! References to missing records that are visible only at the end of a business.
//!
//! Invariant: a bounded number of these references is reported and all of them are counted, in bounded steps.

use domain::{BusinessId, CallRecord, ImportProblem, Named, Problem, ProblemCode};
use store::keys::kind;
use store::{Key, Order, Pair, Record, Store, keys};

use super::pace::Pace;
use super::record::Wrong;
use crate::error::EngineError;

/// The maximum number of reported calls that refer to a missing message. Further calls are counted.
pub const MISSING_MAX: usize = 100;
const CALLS_PER_STEP: usize = 64;

/// Finds the calls of a business that refer to a missing message. Reports the first [`MISSING_MAX`] of these
/// calls and, on the line of the business's end, the number of the others. `first` is the line of the first
/// call, which the other calls follow.
pub(super) async fn calls_of_no_message(
    store: &Store,
    of: BusinessId,
    (first, end): (u64, u64),
    pace: &mut Pace,
) -> Result<Vec<Wrong>, EngineError> {
    let (mut wrong, mut more) = (Vec::new(), 0_u64);
    let (mut lines, mut left) = (first.., keys::of_kind(of, kind::CALL));
    loop {
        let calls = store.scan(&left, Order::Ascending).take(CALLS_PER_STEP);
        let calls: Vec<Pair> = calls.collect::<Result<_, _>>()?;
        let Some((last, _)) = calls.last() else { break };
        left = left.after(Key::new(last));
        for ((_, call), line) in calls.iter().zip(&mut lines) {
            let Some(message) = CallRecord::decode(call)?.message_id else { continue };
            if store.contains(&keys::message(of, message))? {
                continue;
            }
            if wrong.len() < MISSING_MAX {
                let problem = Problem::new("message_id", ProblemCode::NotOfTheBusiness(Named::Message));
                wrong.push(Wrong { line, problem });
            } else {
                more += 1;
            }
        }
        pace.rest().await?;
    }
    if more > 0 {
        wrong.push(Wrong { line: end, problem: Problem::new("", ImportProblem::MoreCallsOfNoMessage(more)) });
    }
    Ok(wrong)
}
