//! Prints the results of a run with more rounds.

/// Prints a line that is shown when the test fails or with `--nocapture`.
#[allow(clippy::print_stdout, reason = "the test harness keeps it")]
pub(crate) fn say(what: std::fmt::Arguments<'_>) {
    println!("{what}");
}
