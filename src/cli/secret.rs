//! Secrets that a command reads from a file or asks for at the terminal. They are never arguments, because other users
//! of the machine can see the arguments of a process.

use std::io::{self, BufRead, IsTerminal, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use super::files;

const SECRET_BYTES_MAX: u64 = 8 << 10;

/// Reads a file, or standard input for `-`, without the line break at its end.
pub(super) fn from_file(file: &str) -> io::Result<String> {
    let text = String::from_utf8(files::read(file, SECRET_BYTES_MAX)?);
    text.map(|text| without_break(&text).to_owned()).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Asks a question at the terminal, which does not show the input.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`] if standard input is not a terminal.
pub(super) fn ask(question: &str) -> io::Result<String> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut stderr = io::stderr().lock();
    let silent = Silent::begin()?;
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    drop(silent);
    writeln!(stderr)?;
    match read? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(without_break(&line).to_owned()),
    }
}

fn without_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// While this value exists, the terminal does not show the input.
struct Silent {
    before: Termios,
}

impl Silent {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &silent)?;
        Ok(Self { before })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}
