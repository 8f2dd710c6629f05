//! What was found, and how it is told.

use std::fmt;

use serde::Serialize;

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Ok,
    /// The service runs, and something is not as it should be.
    Warning,
    /// The service does not start, or does not do what it is for.
    Problem,
}

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) what: &'static str,
    pub(super) level: Level,
    /// What is there.
    pub(super) said: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

impl Finding {
    pub(super) fn ok(what: &'static str, said: impl Into<String>) -> Self {
        Self { what, level: Level::Ok, said: said.into(), advice: None }
    }

    pub(super) fn warning(what: &'static str, said: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, level: Level::Warning, said: said.into(), advice: Some(advice.into()) }
    }

    pub(super) fn problem(what: &'static str, said: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, level: Level::Problem, said: said.into(), advice: Some(advice.into()) }
    }
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
