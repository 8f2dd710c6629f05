//! Prints results of tests with many rounds.

/// Prints a line. The test harness shows it if the test fails, or with `--nocapture`.
#[allow(clippy::print_stdout, reason = "the test harness captures the output")]
pub(crate) fn say(what: std::fmt::Arguments<'_>) {
    println!("{what}");
}
