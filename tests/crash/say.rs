//! Prints the results of a run with more rounds.

/// Says something that is shown when a test fails, or when all output is.
#[allow(clippy::print_stdout, reason = "the test harness keeps it")]
pub(crate) fn say(what: std::fmt::Arguments<'_>) {
    println!("{what}");
}
