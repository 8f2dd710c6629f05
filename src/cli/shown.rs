//! Formats records, tables and bookable times. Columns are aligned by display width, and colours are optional.
//!
//! Invariants: every value is one line. Escape sequences in values are shown as text, so only this module
//! sets colours.

use anstyle::{AnsiColor, Style};
use chrono::{DateTime, LocalResult, NaiveDate, TimeDelta, TimeZone};
use chrono_tz::Tz;
use domain::day_bounds;
use indexmap::IndexMap;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::record::{Record, one_line};

/// The maximum width of a column, in terminal columns. A longer value shifts the rest of its row.
const COLUMN_WIDTH_MAX: usize = 60;

const LOCAL_FORM: &str = "%a %Y-%m-%d %H:%M";

const LINE_TIMES_MAX: usize = 10;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub(super) colours: bool,
}

impl Look {
    pub(super) fn paint(self, style: Style, text: &str) -> String {
        if self.colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// One line per field, with aligned values.
    pub(super) fn record(self, record: &Record) -> String {
        let labels: Vec<String> = record.0.iter().map(|(name, _)| format!("{}:", one_line(name))).collect();
        let width = labels.iter().map(|label| label.width()).max().unwrap_or(0).min(COLUMN_WIDTH_MAX + 1);
        let mut text = String::new();
        for (label, (name, value)) in labels.iter().zip(&record.0) {
            let mut cell = cell(name, Some(value));
            if let Some(at) = local_in(record, name, "timezone") {
                cell = format!("{cell} ({})", at.format(LOCAL_FORM));
            }
            let label = self.padded(Style::new().dimmed(), label, width);
            text.push_str(&format!("{label} {}\n", self.paint(style_of(name, &cell), &cell)));
        }
        text
    }

    /// A header and one row per record, with aligned columns. A column is a field such as `name` or a nested field
    /// such as `actor.type`. The column `starts_at@timezone` shows the instant in the field `starts_at`, in the time
    /// zone that the field `timezone` contains.
    pub(super) fn table(self, columns: &[&str], records: &[Record]) -> String {
        let title = |column: &&str| column.split('@').next().unwrap_or_default().to_uppercase();
        let header = columns.iter().map(title).collect();
        let rows = records
            .iter()
            .map(|record| columns.iter().map(|column| value_of(column, record)).collect::<Vec<String>>());
        let rows: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
        let widths: Vec<usize> = (0..columns.len())
            .map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0))
            .map(|width| width.min(COLUMN_WIDTH_MAX))
            .collect();
        let mut text = String::new();
        for (number, row) in rows.iter().enumerate() {
            let last = row.len().saturating_sub(1);
            let cells: Vec<String> = (0..row.len())
                .map(|at| {
                    let heading = Style::new().bold();
                    let style = if number == 0 { heading } else { style_of(columns[at], &row[at]) };
                    // The last column has no padding.
                    self.padded(style, &row[at], if at == last { 0 } else { widths[at] })
                })
                .collect();
            text.push_str(&cells.join("  "));
            text.push('\n');
        }
        text
    }

    /// One row per period of time off, with local start and end. Whole days are shown as dates.
    pub(super) fn time_off(self, zone: Tz, records: Vec<Record>) -> String {
        let row = |record: Record| {
            let instant = |name| local(record.get(name)?.as_str()?, zone);
            let (starts, ends) = (instant("starts_at"), instant("ends_at"));
            let dates = starts.zip(ends).and_then(|(starts, ends)| whole_days(zone, &starts, &ends));
            let shown = |at: Option<DateTime<Tz>>| at.map(|at| at.format(LOCAL_FORM).to_string());
            let (from, to) = match dates {
                Some((from, to)) => (Some(from), Some(to)),
                None => (shown(starts), shown(ends)),
            };
            let field = |name: &str, value| (name.to_owned(), value);
            let kept = |name: &str| field(name, record.get(name).cloned().unwrap_or_default());
            Record([kept("id"), field("from", from.into()), field("to", to.into()), kept("note")].into())
        };
        self.table(&["id", "from", "to", "note"], &records.into_iter().map(row).collect::<Vec<_>>())
    }

    /// One row for each field that is an object. The first column is the field's name.
    pub(super) fn by_field(self, columns: &[&str], record: &Record) -> String {
        let first = columns.first().copied().unwrap_or_default();
        let row = |(name, value): (&String, &Value)| {
            let mut fields = IndexMap::from([(first.to_owned(), Value::from(name.as_str()))]);
            fields.extend(value.as_object().cloned().unwrap_or_default());
            Record(fields)
        };
        self.table(columns, &record.0.iter().map(row).collect::<Vec<_>>())
    }

    /// One or more lines per day with local start times. A time that occurs twice is shown with its offset.
    pub(super) fn times(self, zone: Tz, records: &[Record]) -> String {
        let mut days: Vec<(String, Vec<String>)> = Vec::new();
        for start in records.iter().filter_map(|record| record.get("starts_at")?.as_str()) {
            let (day, time) = match local(start, zone) {
                Some(at) => {
                    let twice = zone.from_local_datetime(&at.naive_local());
                    let twice = matches!(twice, LocalResult::Ambiguous(..));
                    let form = if twice { "%H:%M%:z" } else { "%H:%M" };
                    (at.format("%a %Y-%m-%d").to_string(), at.format(form).to_string())
                }
                None => ("-".into(), one_line(start)),
            };
            match days.last_mut() {
                Some((last, times)) if *last == day => times.push(time),
                _ => days.push((day, vec![time])),
            }
        }
        let mut text = String::new();
        for (day, times) in &days {
            let mut label = day.as_str();
            for line in times.chunks(LINE_TIMES_MAX) {
                let label = self.padded(Style::new().bold(), std::mem::take(&mut label), day.width());
                text.push_str(&format!("{label}  {}\n", line.join("  ")));
            }
        }
        text
    }

    fn padded(self, style: Style, text: &str, width: usize) -> String {
        let spaces = " ".repeat(width.saturating_sub(text.width()));
        format!("{}{spaces}", self.paint(style, text))
    }
}

/// The style of a cell. A status has the colour of a traffic light; other values have no style.
fn style_of(column: &str, cell: &str) -> Style {
    let colour = match (column, cell) {
        ("status", "confirmed" | "completed" | "enabled" | "delivered" | "resolved") => AnsiColor::Green,
        ("status", "pending" | "new") | ("urgency", "urgent") => AnsiColor::Yellow,
        ("status", "cancelled" | "declined" | "disabled" | "failed" | "missed") => AnsiColor::Red,
        ("suspended", "true") => AnsiColor::Red,
        _ => return Style::new(),
    };
    Style::new().fg_color(Some(colour.into()))
}

fn value_of(column: &str, record: &Record) -> String {
    let (name, zone) = column.split_once('@').unwrap_or((column, ""));
    match local_in(record, name, zone) {
        Some(at) => at.format(LOCAL_FORM).to_string(),
        None => cell(name, record.get(name)),
    }
}

/// A start or end time of a record. `zone` is the name of the field that contains the time zone.
fn local_in(record: &Record, name: &str, zone: &str) -> Option<DateTime<Tz>> {
    let instant = record.get(name).filter(|_| name == "starts_at" || name == "ends_at")?;
    local(instant.as_str()?, record.get(zone)?.as_str()?.parse().ok()?)
}

/// The first and the last date, with weekdays, of time off that consists of whole days.
fn whole_days(zone: Tz, starts: &DateTime<Tz>, ends: &DateTime<Tz>) -> Option<(String, String)> {
    let (first, last) = (starts.date_naive(), (*ends - TimeDelta::milliseconds(1)).date_naive());
    let whole = day_bounds(zone, first).start.utc() == *starts && day_bounds(zone, last).end.utc() == *ends;
    let shown = |date: NaiveDate| date.format("%a %Y-%m-%d").to_string();
    whole.then(|| (shown(first), shown(last)))
}

fn local(instant: &str, zone: Tz) -> Option<DateTime<Tz>> {
    DateTime::parse_from_rfc3339(instant).ok().map(|instant| instant.with_timezone(&zone))
}

/// A value on one line, or `-`.
fn cell(name: &str, value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(windows)) if matches!(name, "hours" | "breaks" | "windows") => {
            join(windows, window)
        }
        Some(Value::Object(affected)) if name == "affected" => {
            let ids = affected.get("ids").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let count = affected.get("count").map(Value::to_string).unwrap_or_default();
            let named = join(ids, |id| id.as_str().unwrap_or_default().to_owned());
            if ids.is_empty() { count } else { format!("{count}: {named}") }
        }
        Some(Value::Array(values)) => join(values, |value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }),
        Some(other) => other.to_string(),
    };
    if text.is_empty() { "-".into() } else { one_line(&text) }
}

/// A period of the day in the format of a flag. A period with a weekday has the format of `--hours` (`DAY=OPEN-CLOSE`).
/// A period without a weekday has the format of `--window` (`OPEN-CLOSE`).
pub(super) fn window(window: &Value) -> String {
    let word = |names: [&str; 2]| names.iter().find_map(|name| window[*name].as_str()).unwrap_or("?");
    let ends = format!("{}-{}", word(["open", "from"]), word(["close", "to"]));
    match &window["day"] {
        Value::Null if window.is_object() && window["open"].is_string() => ends,
        day => format!("{}={ends}", day.as_str().unwrap_or("?")),
    }
}

fn join(values: &[Value], form: impl Fn(&Value) -> String) -> String {
    values.iter().map(form).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look { colours: false };
    const COLOURED: Look = Look { colours: true };

    fn read(text: &str) -> Record {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_record_has_a_line_for_each_field_in_the_order_of_the_response() {
        let business = read(
            r#"{"name":"Salon\nLumière","id":"7","website_url":null,"suspended":false,"nested":{"b":1},
                "hours":[{"day":"monday","open":"09:00","close":"18:00"},{"day":"sunday","open":"10:00","close":"24:00"}]}"#,
        );
        assert_eq!(
            PLAIN.record(&business),
            "name:        Salon\\nLumière\n\
             id:          7\n\
             website_url: -\n\
             suspended:   false\n\
             nested:      {\"b\":1}\n\
             hours:       monday=09:00-18:00, sunday=10:00-24:00\n"
        );
        assert_eq!(
            PLAIN.record(&read(r#"{"hours":[],"scopes":["a:b","c:d"]}"#)),
            "hours:  -\nscopes: a:b, c:d\n"
        );
        assert_eq!(PLAIN.record(&read("{}")), "");
    }

    #[test]
    fn a_table_has_the_chosen_columns_aligned() {
        let rows = [
            read(r#"{"id":"1","name":"Zoë","more":true,"actor":{"type":"api_key","id":"k"}}"#),
            read(r#"{"id":"22","name":null,"actor":{"type":"operator"}}"#),
        ];
        assert_eq!(
            PLAIN.table(&["id", "name", "actor.type", "actor.id"], &rows),
            "ID  NAME  ACTOR.TYPE  ACTOR.ID\n\
             1   Zoë   api_key     k\n\
             22  -     operator    -\n"
        );
        assert_eq!(PLAIN.table(&["id", "name"], &[]), "ID  NAME\n");
    }

    #[test]
    fn the_fields_of_a_record_are_rows() {
        let budget = read(r#"{"calls":{"rows":3,"rows_max":10},"staff":{"rows":0,"rows_max":null}}"#);
        assert_eq!(
            PLAIN.by_field(&["kind", "rows", "rows_max"], &budget),
            "KIND   ROWS  ROWS_MAX\ncalls  3     10\nstaff  0     -\n"
        );
    }

    #[test]
    fn a_long_value_is_shown_whole_and_widens_its_column_up_to_the_maximum() {
        for (length, width) in [(60, 60), (61, 60), (70_000, 60)] {
            let long = "x".repeat(length);
            let rows = [read(&format!(r#"{{"a":"{long}","b":1}}"#)), read(r#"{"a":"y","b":2}"#)];
            let expected = format!("{:width$}  B\n{long}  1\n{:width$}  2\n", "A", "y");
            assert_eq!(PLAIN.table(&["a", "b"], &rows), expected);
        }
    }

    #[test]
    fn hours_of_an_unknown_form_are_still_shown() {
        assert_eq!(PLAIN.record(&read(r#"{"hours":[{"day":"monday"},3]}"#)), "hours: monday=?-?, ?=?-?\n");
    }

    #[test]
    fn a_column_is_aligned_by_display_width() {
        let rows = [
            read(r#"{"name":"Lin 林","phone":1}"#),
            read(r#"{"name":"👩‍🔧 Zoë","phone":2}"#),
            read(r#"{"name":"Ada","phone":3}"#),
        ];
        assert_eq!(
            PLAIN.table(&["name", "phone"], &rows),
            "NAME    PHONE\nLin 林  1\n👩‍🔧 Zoë  2\nAda     3\n"
        );
    }

    #[test]
    fn colours_do_not_change_the_text() {
        let rows = [read(r#"{"name":"A\u001b[2J","status":"cancelled"}"#)];
        let painted = COLOURED.table(&["status", "name"], &rows);
        assert!(painted.contains("\u{1b}[31mcancelled\u{1b}[0m  A\\u{1b}[2J"), "{painted:?}");
        let plain = anstream::adapter::strip_str(&painted).to_string();
        assert_eq!(plain, PLAIN.table(&["status", "name"], &rows));
        let plain = anstream::adapter::strip_str(&COLOURED.record(&rows[0])).to_string();
        assert_eq!(plain, PLAIN.record(&rows[0]));
    }

    #[test]
    fn an_instant_is_shown_in_a_zone_that_the_record_contains() {
        let rows = [
            read(r#"{"starts_at":"2026-03-02T23:30:00.000Z","timezone":"Europe/Paris"}"#),
            read(r#"{"starts_at":"2026-03-02T23:30:00.000Z","timezone":"Mars"}"#),
            read(r#"{"starts_at":null,"timezone":"UTC"}"#),
        ];
        assert_eq!(
            PLAIN.record(&rows[0]),
            "starts_at: 2026-03-02T23:30:00.000Z (Tue 2026-03-03 00:30)\ntimezone:  Europe/Paris\n"
        );
        assert_eq!(
            PLAIN.table(&["starts_at@timezone"], &rows),
            "STARTS_AT\nTue 2026-03-03 00:30\n2026-03-02T23:30:00.000Z\n-\n"
        );
    }

    #[test]
    fn time_off_of_whole_days_is_shown_by_their_dates() {
        let off = |starts: &str, ends: &str| {
            read(&format!(
                r#"{{"id":"1","staff_id":"2","starts_at":"{starts}","ends_at":"{ends}","note":null}}"#
            ))
        };
        let rows = vec![
            off("2026-03-27T23:00:00.000Z", "2026-03-29T22:00:00.000Z"),
            off("2026-03-02T23:00:00.000Z", "2026-03-03T22:59:00.000Z"),
            off("2026-03-02T23:00:00.001Z", "2026-03-03T23:00:00.000Z"),
        ];
        assert_eq!(
            PLAIN.time_off(Tz::Europe__Paris, rows),
            "ID  FROM                  TO                    NOTE\n\
             1   Sat 2026-03-28        Sun 2026-03-29        -\n\
             1   Tue 2026-03-03 00:00  Tue 2026-03-03 23:59  -\n\
             1   Tue 2026-03-03 00:00  Wed 2026-03-04 00:00  -\n"
        );
    }

    #[test]
    fn open_times_are_grouped_by_the_local_day() {
        let at = |instant: &str| read(&format!(r#"{{"starts_at":"{instant}","ends_at":"-"}}"#));
        let mut rows = vec![at("2026-03-02T22:30:00.000Z")];
        rows.extend((0..11).map(|half| at(&format!("2026-03-03T{:02}:{}0:00Z", 8 + half / 2, half % 2 * 3))));
        assert_eq!(
            PLAIN.times(Tz::Europe__Paris, &rows),
            "Mon 2026-03-02  23:30\n\
             Tue 2026-03-03  09:00  09:30  10:00  10:30  11:00  11:30  12:00  12:30  13:00  13:30\n\
             \u{20}               14:00\n"
        );
        let twice = [at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")];
        assert_eq!(PLAIN.times(Tz::Europe__Paris, &twice), "Sun 2026-10-25  02:30+02:00  02:30+01:00\n");
        assert_eq!(PLAIN.times(Tz::UTC, &[]), "");
    }
}
