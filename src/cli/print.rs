//! The one place that writes to a terminal, and whether there are colours on it.
//!
//! Where the process must be able to end, whoever does not read what it says does not hold it up.

use std::io::{self, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::shown::Look;

/// How long a line waits for whoever reads standard error.
const NOTE_TIME_MAX: Duration = Duration::from_secs(1);

/// A number and what is counted: `1 record`, `2 records`.
pub(super) fn count(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// Writes to standard output.
pub(super) fn output(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        // Whoever reads, such as `head`, has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes to standard output as soon as somebody reads it. Nothing waits for that but the future.
pub(super) async fn output_when_read(text: String) -> io::Result<()> {
    let (done, mut written) = tokio::sync::mpsc::channel(1);
    // No thread of the runtime, for that waits for its own when it ends.
    thread::Builder::new().name("output".into()).spawn(move || {
        let mut stdout = io::stdout().lock();
        let _ = done.try_send(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
    })?;
    written.recv().await.unwrap_or_else(|| Err(io::ErrorKind::Other.into()))
}

/// Writes a line to standard error, and gives up after [`NOTE_TIME_MAX`]. If that fails there is nobody left to tell.
pub(super) fn note(text: &str) {
    let line = format!("{text}\n");
    let (done, written) = mpsc::channel();
    let writer = thread::Builder::new().name("note".into()).spawn(move || {
        let _ = io::stderr().lock().write_all(line.as_bytes());
        let _ = done.send(());
    });
    if writer.is_ok() {
        let _ = written.recv_timeout(NOTE_TIME_MAX);
    }
}

/// How answers look on standard output. `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE` are heard.
pub(super) fn look() -> Look {
    Look { colours: AutoStream::choice(&io::stdout()) != ColorChoice::Never }
}

/// Writes what went wrong to standard error, what kind of thing it is in a colour.
pub(super) fn error(text: &str) {
    let look = Look { colours: AutoStream::choice(&io::stderr()) != ColorChoice::Never };
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    match text.split_once(": ") {
        Some((kind, rest)) if !kind.contains('\n') => note(&format!("{}: {rest}", look.paint(style, kind))),
        _ => note(&look.paint(style, text)),
    }
}
