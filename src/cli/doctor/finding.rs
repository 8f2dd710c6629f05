use std::fmt;

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Ok,
    /// The service runs, but the operator should act.
    Warning,
    /// The service does not start, or a part of it does not work.
    Problem,
}

#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) what: &'static str,
    pub(super) level: Level,
    pub(super) said: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

/// A finding without problems. The caller adds the subject.
pub(super) fn ok(said: impl Into<String>) -> Finding {
    Finding { what: "", level: Level::Ok, said: said.into(), advice: None }
}

pub(super) fn warning(said: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding { level: Level::Warning, advice: Some(advice.into()), ..ok(said) }
}

pub(super) fn problem(said: impl Into<String>, advice: impl Into<String>) -> Finding {
    Finding { level: Level::Problem, advice: Some(advice.into()), ..ok(said) }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Ok => "ok",
            Level::Warning => "warning",
            Level::Problem => "problem",
        };
        writeln!(f, "{level:<8} {}: {}", self.what, self.said)?;
        self.advice.as_ref().map_or(Ok(()), |advice| writeln!(f, "         -> {advice}"))
    }
}
