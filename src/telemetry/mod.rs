//! Logging to standard error. Standard output is for the results of commands.
//!
//! Invariants: a separate thread writes the lines in batches, so no task waits for standard error. A
//! process that exits normally writes every line that standard error accepts within [`FLUSH_TIME_MAX`]. A
//! killed process may lose the lines of the last few milliseconds. If the buffer is full, lines are dropped
//! and counted.

mod lines;

use std::io;
use std::panic::{self, PanicHookInfo};
use std::sync::OnceLock;
use std::time::Duration;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

use lines::Lines;

pub const FLUSH_TIME_MAX: Duration = Duration::from_secs(1);

static LINES: OnceLock<Lines> = OnceLock::new();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    filter: String,
    format: LogFormat,
}

impl LogSettings {
    pub fn new(filter: &str, format: LogFormat) -> Result<Self, String> {
        parse(filter)?;
        Ok(Self { filter: filter.to_owned(), format })
    }
}

/// By default, the log omits the lines of these libraries, because the service itself logs the same facts. If the
/// filter in the settings names one of the libraries, the filter decides about the lines of this library.
const LEFT_OUT: [&str; 2] = ["rmcp", "sled"];

fn parse(filter: &str) -> Result<EnvFilter, String> {
    let names = |library: &str| {
        filter.split(',').any(|directive| directive.trim().to_ascii_lowercase().starts_with(library))
    };
    let left_out = LEFT_OUT.iter().filter(|library| !names(library)).map(|library| format!("{library}=off"));
    let whole: Vec<_> = left_out.chain([filter.to_owned()]).collect();
    EnvFilter::builder()
        .parse(whole.join(","))
        .map_err(|_| "must be a log filter such as info or receptionist=debug,info".into())
}

/// Sets up logging for the process, including panics. Fails if it was called before.
pub fn init(settings: &LogSettings) -> Result<(), String> {
    let filter = parse(&settings.filter)?;
    let lines = Lines::start(io::stderr(), log_dropped)
        .map_err(|error| format!("cannot start the thread that writes the log: {error}"))?;
    let lines = LINES.get_or_init(|| lines);
    let builder = tracing_subscriber::fmt().with_writer(|| lines.clone()).with_env_filter(filter);
    let begun = match settings.format {
        LogFormat::Text => builder.finish().try_init(),
        LogFormat::Json => builder.json().flatten_event(true).finish().try_init(),
    };
    begun.map_err(|_| "logging is set up already")?;
    panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Writes the remaining lines before the process exits. Gives up after [`FLUSH_TIME_MAX`].
pub fn finish() {
    if let Some(lines) = LINES.get() {
        lines.flush_within(FLUSH_TIME_MAX);
    }
}

pub fn lines_dropped() -> u64 {
    LINES.get().map_or(0, Lines::dropped)
}

fn log_dropped(lines: u64) {
    // The name of the field must not begin with `log.`. `tracing` omits fields with such names, because the crate `log`
    // uses these names.
    tracing::warn!(
        lines.dropped = lines,
        "log lines were dropped because standard error was not read fast enough"
    );
}

/// Logs a panic at its location, inside the span of the request that caused it.
fn log_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let literal = payload.downcast_ref::<&str>().copied();
    let message = literal.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    tracing::error!(panic.location = location, panic.message = message, "a task panicked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_left_out_unless_a_filter_names_them() {
        let filter = |text: &str| parse(text).unwrap().to_string();
        assert!(filter("info").contains("rmcp=off"));
        assert!(filter("error,receptionist=debug").contains("sled=off"));
        let named = filter("info,rmcp=debug");
        assert!(!named.contains("rmcp=off") && named.contains("sled=off"), "{named}");
    }

    #[test]
    fn a_filter_has_the_syntax_of_tracing() {
        for good in ["info", "receptionist=debug,info", "off"] {
            assert!(LogSettings::new(good, LogFormat::Text).is_ok(), "{good}");
        }
        for bad in ["a=b=c", "receptionist=loud", "[x"] {
            let error = LogSettings::new(bad, LogFormat::Json).unwrap_err();
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
