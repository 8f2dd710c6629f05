//! The confirmation of commands that cannot be undone.

use std::io::{self, BufRead, IsTerminal, Write};

use super::arguments::Irreversible;
use super::client::{Client, ClientError};
use super::record::one_line;
use super::request::Path;
use super::walk;

#[derive(Debug, thiserror::Error)]
pub(super) enum ConfirmError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("this cannot be undone, and there is no terminal for the confirmation: add --yes to confirm")]
    NoTerminal,
    #[error("not confirmed; nothing was changed")]
    Declined,
    #[error("cannot ask: {0}")]
    Terminal(#[from] io::Error),
}

/// Asks for confirmation: the name of the business before its deletion, otherwise `yes`.
pub(super) async fn confirm(client: &Client, what: Irreversible, path: &Path) -> Result<(), ConfirmError> {
    let record = walk::one(client, path).await?;
    let name = record.get("name").and_then(|name| name.as_str()).map(one_line);
    if !io::stdin().is_terminal() {
        return Err(ConfirmError::NoTerminal);
    }
    let name = name.unwrap_or_else(|| "this contact".to_owned());
    let (question, expected) = match what {
        Irreversible::Erase => (format!("erase {name} permanently? yes or no: "), "yes"),
        Irreversible::Delete => {
            (format!("type the name of the business ({name}) to delete it permanently: "), name.as_str())
        }
    };
    let mut stderr = io::stderr().lock();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    if line.trim() == expected { Ok(()) } else { Err(ConfirmError::Declined) }
}
