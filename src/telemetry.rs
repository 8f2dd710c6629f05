//! Logs: one subscriber for the process, on standard error, so that standard output stays for what commands print.
//!
//! What always holds: a line is handed to a thread that writes many at once, so that a request does not wait for
//! standard error; a process that ends by itself, or by a panic, has written every line; one that is killed may lack
//! the newest. Nothing is dropped: when standard error is slow, whoever logs waits.

use std::io::{self, BufWriter};
use std::panic::{self, PanicHookInfo};

use parking_lot::Mutex;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

/// How many lines may wait to be written.
const LINES_WAITING_MAX: usize = 4096;

/// Keeps the writing thread; taken to have it finish.
static WRITER: Mutex<Option<WorkerGuard>> = Mutex::new(None);

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What is logged and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    filter: String,
    format: LogFormat,
}

/// Why logs cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter is none.
    #[error("must be a log filter such as info or receptionist=debug,info")]
    Filter(#[source] tracing_subscriber::filter::ParseError),
    /// The process has a subscriber already.
    #[error("logging is set up already")]
    Init(#[from] TryInitError),
}

impl LogSettings {
    /// Settings with a filter as `tracing` reads it.
    ///
    /// # Errors
    /// When the filter is none.
    pub fn new(filter: &str, format: LogFormat) -> Result<Self, TelemetryError> {
        parse(filter)?;
        Ok(Self { filter: filter.to_owned(), format })
    }
}

fn parse(filter: &str) -> Result<EnvFilter, TelemetryError> {
    EnvFilter::builder().parse(filter).map_err(TelemetryError::Filter)
}

/// Sets up logging for the process, panics included. To be called once.
///
/// # Errors
/// When the process has a subscriber already.
pub fn init(settings: &LogSettings) -> Result<(), TelemetryError> {
    let filter = parse(&settings.filter)?;
    let (lines, writer) = NonBlockingBuilder::default()
        .lossy(false)
        .buffered_lines_limit(LINES_WAITING_MAX)
        .thread_name("log")
        .finish(BufWriter::new(io::stderr()));
    let builder = tracing_subscriber::fmt()
        .log_internal_errors(false) // once the writer has finished, what is logged is lost
        .with_writer(lines)
        .with_env_filter(filter);
    match settings.format {
        LogFormat::Text => builder.with_ansi(false).finish().try_init()?,
        LogFormat::Json => builder.json().flatten_event(true).finish().try_init()?,
    }
    *WRITER.lock() = Some(writer);
    panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Has every line written that was logged so far, before the process ends. What is logged afterwards is lost.
pub fn finish() {
    drop(WRITER.lock().take());
}

/// Logs a panic where it happens, and so inside the span of the request that caused it.
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
    fn a_filter_is_what_tracing_reads() {
        for good in ["info", "receptionist=debug,info", "off"] {
            assert!(LogSettings::new(good, LogFormat::Text).is_ok(), "{good}");
        }
        for bad in ["a=b=c", "receptionist=loud", "[x"] {
            let error = LogSettings::new(bad, LogFormat::Json).unwrap_err();
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
