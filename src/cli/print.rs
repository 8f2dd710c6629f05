//! Output to the terminal, with colours if the terminal supports them.
//!
//! [`note`] and [`output_when_read`] do not delay the exit of the process if the reader is slow.

use std::io::{self, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::carry_out::Failure;
use super::shown::Look;

/// The time limit for writing a line to standard error.
const NOTE_TIME_MAX: Duration = Duration::from_secs(1);

/// Formats a number with a noun: `1 record`, `2 records`.
pub(super) fn count(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

pub(super) fn output(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        // The reader, such as `head`, has closed the pipe on purpose, so this is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Like [`output`], but an error becomes the failure of a command.
pub(super) fn written(text: &str) -> Result<(), Failure> {
    output(text).map_err(|error| Failure::new(format!("cannot write to standard output: {error}")))
}

/// Writes to standard output. The write may have to wait for the program that reads the output. If the returned future
/// is dropped, the runtime can end before the write has ended.
pub(super) async fn output_when_read(text: String) -> io::Result<()> {
    let (done, mut written) = tokio::sync::mpsc::channel(1);
    // The write can block. When the runtime ends, it waits for its own threads, so a blocked write in one of them would
    // prevent the end of the runtime. Therefore the write is in a thread outside the runtime.
    thread::Builder::new().name("output".into()).spawn(move || {
        let mut stdout = io::stdout().lock();
        let _ = done.try_send(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()));
    })?;
    written.recv().await.unwrap_or_else(|| Err(io::ErrorKind::Other.into()))
}

/// Writes a line to standard error. Gives up after [`NOTE_TIME_MAX`] and ignores errors.
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

/// Whether standard output has colours. `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE` are respected.
pub(super) fn look() -> Look {
    Look { colours: AutoStream::choice(&io::stdout()) != ColorChoice::Never }
}

/// Writes an error to standard error, with its prefix coloured.
pub(super) fn error(text: &str) {
    let look = Look { colours: AutoStream::choice(&io::stderr()) != ColorChoice::Never };
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    match text.split_once(": ") {
        Some((kind, rest)) if !kind.contains('\n') => note(&format!("{}: {rest}", look.paint(style, kind))),
        _ => note(&look.paint(style, text)),
    }
}
