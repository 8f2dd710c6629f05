//! How answers look on a terminal, and the one place that writes to it.
//!
//! Every value is one line, whatever it contains. Where the process must be able to end, whoever does not read what it
//! says does not hold it up.

use std::io::{self, Write};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::record::{Record, one_line};

/// How far a column is widened for its longest value, in characters. A longer one pushes on the rest of its row.
const COLUMN_CHARS_MAX: usize = 60;

/// How long a line waits for whoever reads standard error.
const NOTE_TIME_MAX: Duration = Duration::from_secs(1);

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

/// A line for each field, the values aligned.
pub(super) fn record(record: &Record) -> String {
    let width =
        record.0.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(COLUMN_CHARS_MAX) + 1;
    let mut text = String::new();
    for (name, value) in &record.0 {
        let label = format!("{}:", one_line(name));
        text.push_str(&format!("{label:width$} {}\n", cell(name, Some(value))));
    }
    text
}

/// A header and a row for each record, the columns aligned.
pub(super) fn table(columns: &[&str], records: &[Record]) -> String {
    let header = columns.iter().map(|column| column.to_uppercase()).collect();
    let rows = records
        .iter()
        .map(|record| columns.iter().map(|column| cell(column, record.get(column))).collect::<Vec<String>>());
    let rows: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    let widths: Vec<usize> = (0..columns.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .map(|width| width.min(COLUMN_CHARS_MAX))
        .collect();
    let mut text = String::new();
    for row in &rows {
        let padded: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        text.push_str(padded.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A value on one line; `-` where there is none.
fn cell(name: &str, value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(windows)) if name == "hours" => hours(windows),
        Some(Value::Array(values)) => join(values, |value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }),
        Some(other) => other.to_string(),
    };
    if text.is_empty() { "-".into() } else { one_line(&text) }
}

/// Opening hours as `--hours` takes them.
fn hours(windows: &[Value]) -> String {
    let word = |window: &Value, name: &str| window[name].as_str().unwrap_or("?").to_owned();
    join(windows, |window| {
        format!("{}={}-{}", word(window, "day"), word(window, "open"), word(window, "close"))
    })
}

fn join(values: &[Value], form: impl Fn(&Value) -> String) -> String {
    values.iter().map(form).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Record {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_record_is_a_line_for_each_field_in_the_order_of_the_answer() {
        let business = read(
            r#"{"name":"Salon\nLumière","id":"7","website_url":null,"suspended":false,"nested":{"b":1},
                "hours":[{"day":"monday","open":"09:00","close":"18:00"},{"day":"sunday","open":"10:00","close":"24:00"}]}"#,
        );
        assert_eq!(
            record(&business),
            "name:        Salon\\nLumière\n\
             id:          7\n\
             website_url: -\n\
             suspended:   false\n\
             nested:      {\"b\":1}\n\
             hours:       monday=09:00-18:00, sunday=10:00-24:00\n"
        );
        assert_eq!(record(&read(r#"{"hours":[],"scopes":["a:b","c:d"]}"#)), "hours:  -\nscopes: a:b, c:d\n");
        assert_eq!(record(&read("{}")), "");
    }

    #[test]
    fn a_table_has_the_chosen_columns_aligned() {
        let rows = [
            read(r#"{"id":"1","name":"Zoë","more":true,"actor":{"type":"api_key","id":"k"}}"#),
            read(r#"{"id":"22","name":null,"actor":{"type":"operator"}}"#),
        ];
        assert_eq!(
            table(&["id", "name", "actor.type", "actor.id"], &rows),
            "ID  NAME  ACTOR.TYPE  ACTOR.ID\n\
             1   Zoë   api_key     k\n\
             22  -     operator    -\n"
        );
        assert_eq!(table(&["id", "name"], &[]), "ID  NAME\n");
    }

    #[test]
    fn a_long_value_is_shown_whole_and_widens_its_column_only_so_far() {
        for (length, width) in [(60, 60), (61, 60), (70_000, 60)] {
            let long = "x".repeat(length);
            let rows = [read(&format!(r#"{{"a":"{long}","b":1}}"#)), read(r#"{"a":"y","b":2}"#)];
            let expected = format!("{:width$}  B\n{long}  1\n{:width$}  2\n", "A", "y");
            assert_eq!(table(&["a", "b"], &rows), expected);
        }
    }

    #[test]
    fn hours_of_an_unknown_form_are_still_shown() {
        assert_eq!(record(&read(r#"{"hours":[{"day":"monday"},3]}"#)), "hours: monday=?-?, ?=?-?\n");
    }
}
