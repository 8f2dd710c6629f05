//! The rules of a turn that hold with and without a model: emergency, the caller's own yes, a person, limits.

use crate::draft::Draft;
use crate::facts::{Answers, Asked, Facts};
use crate::state::{Input, Output, Start, Talk};

pub enum Turned {
    Done(Box<Output>),
    /// A model takes the turn.
    Model(Box<Draft>),
}

/// Starts a conversation.
pub fn begin(start: &Start, facts: &Facts) -> Output {
    let _ = facts;
    Output::of(Talk::new(start))
}

/// Takes a turn of the caller.
///
/// # Errors
/// Returns the question that the engine must answer first.
pub fn turn(talk: &Talk, input: &Input, facts: &Facts, answers: &Answers) -> Asked<Turned> {
    let _ = (input, facts, answers);
    Ok(Turned::Done(Box::new(Output::of(talk.clone()))))
}

/// Nobody answered at the handoff number.
pub fn transfer_failed(talk: &Talk, facts: &Facts) -> Output {
    let _ = facts;
    Output::of(talk.clone())
}
