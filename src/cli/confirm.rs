//! Asking whoever is at the terminal before something is done for good.

use std::io::{self, BufRead, IsTerminal, Write};

use clap::Args;

use super::client::{Client, ClientError};
use super::record::one_line;
use super::request::Path;
use super::walk;

/// Whether somebody is asked.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Sure {
    /// Do not ask
    #[arg(long)]
    pub(super) yes: bool,
}

/// What is done for good, which somebody has to want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Final {
    /// The record at the path is erased.
    Erases,
    /// The business at the path ends.
    Ends,
}

/// Why it is not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfirmError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("this cannot be taken back, and there is no terminal to ask at: --yes does it without asking")]
    NobodyToAsk,
    #[error("nothing was done")]
    Declined,
    #[error("cannot ask: {0}")]
    Terminal(#[from] io::Error),
}

/// Asks whether it shall be done: for a business its name has to be typed, else `yes`.
pub(super) async fn confirm(client: &Client, what: Final, path: &Path) -> Result<(), ConfirmError> {
    let record = walk::one(client, path).await?;
    let name = record.get("name").and_then(|name| name.as_str()).map(one_line);
    if !io::stdin().is_terminal() {
        return Err(ConfirmError::NobodyToAsk);
    }
    let name = name.unwrap_or_else(|| "this contact".to_owned());
    let (question, expected) = match what {
        Final::Erases => (format!("erase {name} for good? yes or no: "), "yes"),
        Final::Ends => {
            (format!("type the name of the business ({name}) to end it for good: "), name.as_str())
        }
    };
    let mut stderr = io::stderr().lock();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    if line.trim() == expected { Ok(()) } else { Err(ConfirmError::Declined) }
}
