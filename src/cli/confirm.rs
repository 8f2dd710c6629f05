//! The confirmation of commands that cannot be undone.

use std::io::{self, BufRead, IsTerminal, Write};

use super::arguments::Irreversible;
use super::carry_out::Failure;
use super::client::Client;
use super::record::one_line;
use super::request::Path;
use super::walk;

/// Asks for confirmation: the name of the business before its deletion, otherwise `yes`.
pub(super) async fn confirm(client: &Client, what: Irreversible, path: &Path) -> Result<(), Failure> {
    let record = walk::one(client, path).await?;
    let name = record.get("name").and_then(|name| name.as_str()).map(one_line);
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "this cannot be undone, and there is no terminal for the confirmation: add --yes to confirm",
        ));
    }
    let name = name.unwrap_or_else(|| "this contact".to_owned());
    let (question, expected) = match what {
        Irreversible::Erase => (format!("erase {name} permanently? yes or no: "), "yes"),
        Irreversible::Delete => {
            (format!("type the name of the business ({name}) to delete it permanently: "), name.as_str())
        }
    };
    let line = ask(&question).map_err(|error| format!("cannot ask: {error}"))?;
    if line.trim() == expected { Ok(()) } else { Err(Failure::new("not confirmed; nothing was changed")) }
}

fn ask(question: &str) -> io::Result<String> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(question.as_bytes())?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}
