//! A turn of the model: rounds of text and functions.

use serde_json::Value;

use crate::facts::{Answers, Asked, Facts};
use crate::model::{Call, Settings};
use crate::state::{Input, Line, Output, Talk};

/// A turn of the model that is not finished.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(crate) talk: Talk,
    pub(crate) input: Input,
}

impl Draft {
    /// The body of the request to the model's server, for the next round.
    pub fn body(&self, facts: &Facts, settings: &Settings) -> Value {
        let _ = (&self.input, facts, settings);
        Value::Null
    }

    /// Checks a sentence of the model. Returns the line if it may be said.
    pub fn sentence(&mut self, sentence: &str, facts: &Facts) -> Option<Line> {
        let _ = (sentence, facts);
        None
    }

    /// Carries out a function that the model called.
    ///
    /// # Errors
    /// Returns the question that the engine must answer first.
    pub fn call(&mut self, call: &Call, facts: &Facts, answers: &Answers) -> Asked<()> {
        let _ = (call, facts, answers);
        Ok(())
    }

    /// Whether the model gets the answers of its functions in another round. It is asked once after each round.
    pub fn wants_more(&mut self) -> bool {
        false
    }

    /// Ends the turn. If the model has said nothing that may be said, the guided path takes the turn.
    ///
    /// # Errors
    /// Returns the question that the engine must answer first.
    pub fn finish(&self, facts: &Facts, answers: &Answers) -> Asked<Output> {
        let _ = (facts, answers);
        Ok(Output::of(self.talk.clone()))
    }
}
