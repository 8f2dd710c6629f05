//! A group of scenarios that use the same data. They are measured in turn, together with their floors
//! (lower bounds, see [`crate::floors`]).

use std::io::{IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::error::Result;
use crate::measure::Measured;
use crate::options::Options;
use crate::table::{Report, Row};

pub(crate) struct Context {
    pub(crate) options: Options,
    /// A directory for the files of the harness. It is emptied at the end.
    pub(crate) directory: PathBuf,
    /// Midnight of the day of the first appointment, in milliseconds since 1970.
    pub(crate) first_day: i64,
    started: Instant,
}

pub(crate) trait Group: Sized {
    /// Returns all rows in the order of the result table. The row of a floor comes before the rows that are
    /// compared with this floor.
    fn rows(context: &Context) -> Vec<Row>;

    /// Prepares the data that these rows need.
    async fn set_up(context: &Context, rows: &[Row]) -> Result<Self>;

    /// Measures one row in one run.
    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured>;

    /// Deletes the data. Returns notes about rows that are missing in the result table.
    async fn finish(self, _context: &Context) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

impl Context {
    /// Creates a context that stores its files in this directory.
    pub(crate) fn new(options: Options, directory: PathBuf) -> Self {
        Self { options, directory, first_day: crate::shop::first_day(), started: Instant::now() }
    }

    /// Returns the path for a file or directory of a scenario.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Returns the selected rows, and the rows with which they are compared.
    pub(crate) fn wanted(&self, rows: Vec<Row>) -> Vec<Row> {
        let names = &self.options.names;
        let asked = |row: &Row| names.is_empty() || names.iter().any(|name| row.name.contains(name.as_str()));
        let others: Vec<_> = rows
            .iter()
            .filter(|row| asked(row))
            .flat_map(|row| &row.targets)
            .filter_map(|t| t.other())
            .collect();
        rows.into_iter().filter(|row| asked(row) || others.contains(&row.name)).collect()
    }

    pub(crate) fn progress(&self, what: &str) {
        let line = format!("[{:>4} s] {what}", self.started.elapsed().as_secs());
        let mut err = stderr().lock();
        // On a terminal, each message replaces the previous one.
        let _ = if err.is_terminal() {
            write!(err, "\r\x1b[K{line}").and_then(|()| err.flush())
        } else {
            writeln!(err, "{line}")
        };
    }
}

/// Measures all rows of a group. Each run measures every row once. Every second run measures them in reverse order.
pub(crate) async fn run<G: Group>(context: &Context, report: &mut Report) -> Result<()> {
    let rows = context.wanted(G::rows(context));
    if rows.is_empty() {
        return Ok(());
    }
    context.progress(&format!("preparing {}", rows[0].name));
    let mut group = G::set_up(context, &rows).await?;
    let mut measured = vec![Vec::new(); rows.len()];
    for run in 0..context.options.runs {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        if run % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let name = rows[at].name;
            context.progress(&format!("run {} of {}: {name}", run + 1, context.options.runs));
            let one = group.measure(context, name).await.map_err(|error| format!("{name}: {error}"))?;
            measured[at].push(one);
        }
    }
    for (row, runs) in rows.into_iter().zip(measured) {
        report.add(row, runs);
    }
    report.notes.append(&mut group.finish(context).await?);
    Ok(())
}

/// Copies a prepared directory. Returns the path of the copy.
pub(crate) fn copy(context: &Context, template: &Path) -> Result<PathBuf> {
    let to = context.path("copy");
    let copied = Command::new("cp").arg("-a").arg(template).arg(&to).status()?;
    if copied.success() { Ok(to) } else { Err("the directory could not be copied".into()) }
}
