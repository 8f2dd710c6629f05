//! Contacts from CSV files with a header line, as spreadsheets write them.
//!
//! Invariants:
//! - Every problem is reported with line and column.
//! - A table without problems contains each phone number and each email address once.

use std::collections::HashMap;
use std::io::Read;

use csv::{ByteRecord, ReaderBuilder, Trim};
use domain::ProblemCode;
use serde_json::{Map, Value};

use crate::http::json::Json;
use crate::http::read::{FromText, from_json};
use crate::http::reading::Reading;
use crate::rest::contact::ContactBody;
use crate::rest::values::phone::PhoneRegion;

/// The column names, in any case and order.
pub(crate) const COLUMNS: [&str; 5] = ["name", "phone", "email", "locale", "timezone"];
const ROWS_MAX: usize = 1_000_000;

#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
    pub(crate) problems: Vec<TableProblem>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// The line where the row begins.
    pub(crate) line: u64,
    /// The properties of the contact, with the texts of the file.
    pub(crate) body: Value,
    /// The phone number in E.164 form.
    pub(crate) phone: Option<String>,
    /// The email address in lower case.
    pub(crate) email: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableProblem {
    pub(crate) line: u64,
    /// The column of the problem; empty if the problem concerns the whole line.
    pub(crate) column: String,
    pub(crate) flaw: Flaw,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    NoHeader,
    UnknownColumn,
    ColumnTwice,
    /// The table has neither a column `phone` nor a column `email`.
    NoKeyColumn,
    RowsMax(usize),
    Fields {
        found: usize,
        header: usize,
    },
    NotUtf8,
    /// The row on this earlier line has the same phone number or email address.
    OfLine(u64),
    Value(ProblemCode),
}

/// Reads a table. National phone numbers in it belong to `region`. The header shows whether commas or
/// semicolons separate the columns.
pub(crate) fn table(mut input: impl Read, region: &str) -> std::io::Result<Table> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let delimiter = if header.contains(&b';') && !header.contains(&b',') { b';' } else { b',' };
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text);
    let mut records = reader.byte_records();
    let mut table = Table::default();
    let header = match records.next().transpose()? {
        Some(header) => columns(&header, &mut table),
        None => {
            table.add(1, "", Flaw::NoHeader);
            Vec::new()
        }
    };
    if !table.problems.is_empty() {
        return Ok(table);
    }
    let region = PhoneRegion::from_text(region).unwrap_or_default();
    let reading = Reading::in_region(&region.into_string());
    let (mut seen, mut lines) = (HashMap::new(), Lines { text, at: 0, line: 1 });
    for record in records {
        let record = record?;
        let line = lines.of(&record);
        table.row(line, &header, &record, &reading, &mut seen);
        if table.rows.len() > ROWS_MAX {
            table.add(line, "", Flaw::RowsMax(ROWS_MAX));
            break;
        }
    }
    Ok(table)
}

/// Counts lines. The CSV reader's line numbers are not used, since empty lines and CRLF make them wrong.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The number of the first line of a record. Must be called in the order of the records.
    fn of(&mut self, record: &ByteRecord) -> u64 {
        let begins = record.position().and_then(|position| usize::try_from(position.byte()).ok());
        let mut begins = begins.unwrap_or(self.at).clamp(self.at, self.text.len());
        begins += self.text[begins..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let feeds = self.text[self.at..begins].iter().filter(|byte| **byte == b'\n').count();
        (self.at, self.line) = (begins, self.line + feeds as u64);
        self.line
    }
}

fn columns(header: &ByteRecord, table: &mut Table) -> Vec<&'static str> {
    let mut found = Vec::new();
    for name in header {
        let name = String::from_utf8_lossy(name).to_lowercase();
        match COLUMNS.iter().find(|column| **column == name) {
            Some(column) if found.contains(column) => table.add(1, column, Flaw::ColumnTwice),
            Some(column) => found.push(*column),
            None => table.add(1, &name, Flaw::UnknownColumn),
        }
    }
    if table.problems.is_empty() && !found.contains(&"phone") && !found.contains(&"email") {
        table.add(1, "", Flaw::NoKeyColumn);
    }
    found
}

impl Table {
    fn add(&mut self, line: u64, column: &str, flaw: Flaw) {
        // The column name is a text of the file, so it is shortened and without control characters.
        let column = column.chars().filter(|c| !c.is_control()).take(100).collect();
        self.problems.push(TableProblem { line, column, flaw });
    }

    fn row(
        &mut self,
        line: u64,
        columns: &[&'static str],
        record: &ByteRecord,
        reading: &Reading,
        seen: &mut HashMap<String, u64>,
    ) {
        if record.len() != columns.len() {
            return self.add(line, "", Flaw::Fields { found: record.len(), header: columns.len() });
        }
        let (mut properties, mut body, mut clean) = (Vec::new(), Map::new(), true);
        for (column, field) in columns.iter().zip(record) {
            match std::str::from_utf8(field) {
                Ok("") => {}
                Ok(text) => {
                    let text = if *column == "locale" { text.to_lowercase() } else { text.to_owned() };
                    properties.push(((*column).to_owned(), Json::String(text.clone())));
                    body.insert((*column).to_owned(), text.into());
                }
                Err(_) => {
                    self.add(line, column, Flaw::NotUtf8);
                    clean = false;
                }
            }
        }
        let read = from_json::<ContactBody>(&Json::Object(properties), reading.clone());
        let contact = match read {
            Ok(contact) if clean => contact,
            Ok(_) => return,
            Err(problems) => {
                let problems = problems.into_iter();
                return problems.for_each(|problem| self.add(line, &problem.path, Flaw::Value(problem.code)));
            }
        };
        let phone = contact.phone.map(|phone| phone.as_str().to_owned());
        let email = contact.email.map(|email| email.as_str().to_owned());
        for (column, value) in [("phone", &phone), ("email", &email)] {
            let Some(value) = value else { continue };
            if let Some(first) = seen.get(value) {
                self.add(line, column, Flaw::OfLine(*first));
            } else {
                seen.insert(value.clone(), line);
            }
        }
        self.rows.push(Row { line, body: Value::Object(body), phone, email });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english;

    fn flaws(text: &str) -> Vec<String> {
        let table = table(text.as_bytes(), "FR").unwrap();
        let told = |problem: &TableProblem| {
            format!("{}:{}: {}", problem.line, problem.column, english::flaw(&problem.flaw))
        };
        table.problems.iter().map(told).collect()
    }

    #[test]
    fn columns_have_any_order_and_case_and_national_numbers_are_those_of_the_region() {
        let text = "\u{feff}EMAIL;Name;phone; Locale\r\nZoe@Example.com ;\"Zoë; the first\";01 42 68 53 00;FR\r\n\r\n;;+1 555 123 4567;\r\n";
        let table = table(text.as_bytes(), "FR").unwrap();
        assert_eq!(table.problems, []);
        let [zoe, other] = &table.rows[..] else { panic!("{table:?}") };
        assert_eq!((zoe.line, zoe.phone.as_deref()), (2, Some("+33142685300")));
        assert_eq!(zoe.email.as_deref(), Some("zoe@example.com"));
        assert_eq!(zoe.body["name"], "Zoë; the first");
        assert_eq!(zoe.body["locale"], "fr");
        assert_eq!((other.line, &other.body), (4, &serde_json::json!({"phone": "+1 555 123 4567"})));
    }

    #[test]
    fn every_problem_is_reported_with_line_and_column() {
        let text = "name,phone,email,timezone\nA,123,a@x,Mars\nB,,,\nC,01 42 68 53 00,,\nD,+33142685300,a@x,\nE,1\n\"F\n\",,f@x,\nG,,F@X,\n";
        let said = flaws(text);
        let expected = [
            "2:phone: must be a phone number",
            "2:timezone: must be an IANA",
            "3:: must have a phone or an email",
            "5:phone: is already used on line 4",
            "6:: has 2 fields, and the header 4",
            "9:email: is already used on line 7",
        ];
        assert_eq!(said.len(), expected.len(), "{said:?}");
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.starts_with(expected), "{expected}: {said}");
        }
    }

    #[test]
    fn a_header_has_known_columns_once_and_a_column_that_identifies_contacts() {
        assert_eq!(flaws("").len(), 1);
        assert!(flaws("name,tel\nA,1\n")[0].starts_with("1:tel: is not a column"));
        assert_eq!(flaws("phone,Phone\n"), ["1:phone: occurs twice in the header"]);
        assert!(flaws("name,locale\n")[0].contains("phone or email"));
        let table = table(&b"name,phone\n\xff,+33142685300\n"[..], "FR").unwrap();
        assert_eq!((table.rows.len(), &table.problems[0].flaw), (0, &Flaw::NotUtf8));
    }
}
