//! What a business names that never came, where that shows at its end alone.
//!
//! What always holds: however much is missing, a bounded part of it is told and all of it is counted; others have their turn
//! meanwhile.

use domain::{BusinessId, CallRecord, ImportProblem, Named, Problem, ProblemCode};
use store::keys::kind;
use store::{Key, Order, Pair, Record, Store, keys};

use super::pace::Pace;
use super::record::Wrong;
use crate::error::EngineError;

/// How many calls are told of that name a message which is not there; more are counted.
pub const MISSING_MAX: usize = 100;
/// How many calls are looked at before others have their turn.
const CALLS_PER_STEP: usize = 64;

/// The calls of a business that name a message which is not there: the first [`MISSING_MAX`] of them, and on the line of its
/// end how many more there are. The lines are that of its first call, behind which the others stand, and that of its end.
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
