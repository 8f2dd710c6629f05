//! CSV files of contacts: the export, and the rows of an import.
//!
//! Invariants:
//! - Reading an exported file gives the contacts from which it was written.
//! - The first [`PROBLEMS_MAX`] problems are reported, each with its line.

use bytes::Bytes;
use csv::{ByteRecord, ReaderBuilder};
use domain::{
    ContactDetails, ContactRow, Email, Locale, Phone, Problem, ProblemCode, TableProblem, Text, unaccented,
};
use view::OperatorContactView;

use super::{BYTE_ORDER_MARK, decoded, unguarded};
use crate::api::contacts::name_phone_or_email;
use crate::http::json::Json;
use crate::http::read::from_json;
use crate::http::reading::Reading;
use crate::json_object;
use crate::moving::PROBLEMS_MAX;
use crate::rest::values::time::Zone;

pub(crate) const NAME: &str = "contacts.csv";

/// The maximum number of rows in a file to import, without the header.
pub(crate) const ROWS_MAX: usize = 20_000;
/// The maximum number of separators in a line, including those in texts.
const SEPARATORS_MAX: usize = 4_096;

/// A problem in a line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileProblem {
    pub(crate) line: u64,
    /// The column with the problem, if only one column has the problem.
    pub(crate) column: Option<String>,
    pub(crate) code: ProblemCode,
}

impl FileProblem {
    pub(crate) fn new(line: u64, column: &str, code: impl Into<ProblemCode>) -> Self {
        let column = (!column.is_empty()).then(|| column.to_owned());
        Self { line, column, code: code.into() }
    }
}

impl From<FileProblem> for Problem {
    fn from(FileProblem { line, column, code }: FileProblem) -> Self {
        let path = match column {
            Some(column) => format!("line {line}: {column}"),
            None => format!("line {line}"),
        };
        Self { path, code }
    }
}

/// The columns of an exported file.
pub(crate) const COLUMNS: [&str; 7] = ["name", "phone", "email", "locale", "timezone", "notes", "alert"];

/// The columns for the parts of a name, which only imported files have.
const FIRST_NAME: &str = "first_name";
const LAST_NAME: &str = "last_name";

/// Names of the columns in other programs, in English and French, as [`folded`] writes them.
const USUAL: [(&str, &[&str]); 9] = [
    (
        "name",
        &[
            "name",
            "full name",
            "display name",
            "contact",
            "contact name",
            "client",
            "client name",
            "customer",
            "customer name",
            "patient",
            "patient name",
            "nom",
            "nom complet",
            "nom et prenom",
            "prenom et nom",
            "nom prenom",
            "prenom nom",
            "nom du contact",
            "nom du client",
            "nom du patient",
        ],
    ),
    (FIRST_NAME, &["first name", "firstname", "given name", "forename", "prenom", "prenoms"]),
    (LAST_NAME, &["last name", "lastname", "family name", "surname", "nom de famille"]),
    (
        "phone",
        &[
            "phone",
            "phone number",
            "telephone",
            "telephone number",
            "tel",
            "mobile",
            "mobile phone",
            "mobile number",
            "cell",
            "cell phone",
            "phone no",
            "phone 1 value",
            "numero",
            "numero de telephone",
            "numero de portable",
            "numero de mobile",
            "n de telephone",
            "n de tel",
            "n de portable",
            "n de mobile",
            "n telephone",
            "n tel",
            "no de telephone",
            "no de tel",
            "no telephone",
            "no tel",
            "num tel",
            "num telephone",
            "num de telephone",
            "portable",
            "tel portable",
            "tel mobile",
            "telephone portable",
            "telephone mobile",
            "gsm",
        ],
    ),
    (
        "email",
        &[
            "email",
            "e mail",
            "mail",
            "email address",
            "e mail address",
            "e mail 1 value",
            "mel",
            "courriel",
            "adresse courriel",
            "adresse de courriel",
            "courrier electronique",
            "adresse email",
            "adresse e mail",
            "adresse mail",
            "adresse electronique",
        ],
    ),
    ("locale", &["locale", "language", "langue"]),
    ("timezone", &["timezone", "time zone", "fuseau", "fuseau horaire"]),
    (
        "notes",
        &["notes", "note", "comment", "comments", "commentaire", "commentaires", "remarque", "remarques"],
    ),
    ("alert", &["alert", "alerte"]),
];

json_object! {
    /// A row of a file of contacts.
    pub(crate) struct RowBody {
        /// The contact's name.
        name: Option<Text<1, 200>>,
        /// The phone number, in E.164 or national form.
        phone: Option<Phone>,
        /// The email address.
        email: Option<Email>,
        /// The contact's language.
        locale: Option<Locale>,
        /// The contact's IANA time zone.
        timezone: Option<Zone>,
        /// The team's notes.
        notes: Option<Text<1, 1000>>,
        /// The text that the team sees next to the name.
        alert: Option<Text<1, 100>>,
    }
    check name_phone_or_email
}

impl RowBody {
    fn at(self, line: u64) -> ContactRow {
        let Self { name, phone, email, locale, timezone, notes, alert } = self;
        let details = ContactDetails { name, phone, email, locale, zone: timezone.map(Zone::get) };
        ContactRow { line, details, notes, alert }
    }
}

pub(crate) fn head() -> Bytes {
    super::head(COLUMNS)
}

pub(crate) fn rows(contacts: &[OperatorContactView]) -> Vec<u8> {
    super::written(contacts.iter().map(|it| {
        let contact = &it.contact;
        [
            contact.name.as_deref(),
            contact.phone.as_deref(),
            contact.email.as_deref(),
            contact.locale.map(Locale::as_str),
            contact.timezone.as_deref(),
            it.notes.get(),
            it.alert.as_ref().and_then(Option::as_deref),
        ]
        .map(Option::unwrap_or_default)
    }))
}

/// Reads a file. `reading` contains the region of national phone numbers. The header shows whether commas or
/// semicolons separate the columns.
pub(crate) fn read(file: &[u8], reading: &Reading) -> Result<Vec<ContactRow>, Vec<FileProblem>> {
    let text = decoded(file).map_err(|line| vec![FileProblem::new(line, "", TableProblem::NotUtf8)])?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text).as_bytes();
    let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |separator| header.iter().filter(|byte| **byte == separator).count();
    let delimiter = if count(b';') > count(b',') { b';' } else { b',' };
    // A line of millions of empty cells would need much more memory than the file, so the separators are
    // counted before the rows are read.
    for (number, row) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let found = row.iter().filter(|byte| **byte == delimiter).take(SEPARATORS_MAX + 1).count();
        if found > SEPARATORS_MAX {
            let fields = TableProblem::Fields { found: found + 1, header: count(delimiter) + 1 };
            let code = if number == 1 { TableProblem::UnknownColumn } else { fields };
            return Err(vec![FileProblem::new(number, "", code)]);
        }
    }
    if let Some(line) = misquoted(text, delimiter) {
        return Err(vec![FileProblem::new(line, "", TableProblem::Quote)]);
    }
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(text);
    let mut lines = Lines { text, at: 0, line: 1 };
    let (mut columns, mut rows, mut problems) = (None, Vec::new(), Vec::new());
    for record in reader.byte_records() {
        let record = record.expect("a record of bytes in memory can be read");
        let line = lines.of(&record);
        let cells: Vec<_> =
            record.iter().map(|cell| unguarded(&String::from_utf8_lossy(cell)).into_owned()).collect();
        let Some(columns) = &columns else {
            columns = Some(header_columns(line, &cells)?);
            continue;
        };
        if cells.iter().all(|cell| is_blank(cell)) {
            continue;
        }
        if rows.len() == ROWS_MAX {
            problems.push(FileProblem::new(line, "", TableProblem::RowsMax(ROWS_MAX)));
            break;
        }
        match row(columns, cells, reading) {
            Ok(body) => rows.push(body.at(line)),
            Err(found) => {
                problems.extend(found.into_iter().map(|it| FileProblem::new(line, &it.path, it.code)));
            }
        }
        if problems.len() >= PROBLEMS_MAX {
            problems.truncate(PROBLEMS_MAX);
            break;
        }
    }
    if columns.is_none() {
        return Err(vec![FileProblem::new(1, "", TableProblem::NoHeader)]);
    }
    if problems.is_empty() { Ok(rows) } else { Err(problems) }
}

/// Finds the first quoted field that has no closing quote, or text after its closing quote (RFC 4180, 2). Returns the
/// line of the opening quote. The CSV reader accepts such fields, and may take the following rows for their text.
fn misquoted(text: &[u8], delimiter: u8) -> Option<u64> {
    enum At {
        Start,
        Unquoted,
        Quoted,
        /// After a quote in a quoted field. It closes the field if no second quote follows.
        Quote,
    }
    let (mut at, mut line, mut opened) = (At::Start, 1, 1);
    for &byte in text {
        at = match (at, byte) {
            (At::Start, b'"') => {
                opened = line;
                At::Quoted
            }
            (At::Quoted, b'"') => At::Quote,
            (At::Quoted, _) | (At::Quote, b'"') => At::Quoted,
            (_, byte) if byte == delimiter || matches!(byte, b'\r' | b'\n') => At::Start,
            (At::Quote, _) => return Some(opened),
            _ => At::Unquoted,
        };
        line += u64::from(byte == b'\n');
    }
    matches!(at, At::Quoted).then_some(opened)
}

/// Parses a row. It may have fewer cells than the header, and it may have empty cells after the last column.
fn row(columns: &[&'static str], cells: Vec<String>, reading: &Reading) -> Result<RowBody, Vec<Problem>> {
    if cells.iter().skip(columns.len()).any(|cell| !is_blank(cell)) {
        let code = TableProblem::Fields { found: cells.len(), header: columns.len() };
        return Err(vec![Problem::new("", code)]);
    }
    let (mut properties, mut names) = (Vec::new(), [None, None]);
    for (column, cell) in columns.iter().zip(cells) {
        if is_blank(&cell) {
            continue;
        }
        let text = match *column {
            FIRST_NAME => {
                names[0] = Some(cell.trim().to_owned());
                continue;
            }
            LAST_NAME => {
                names[1] = Some(cell.trim().to_owned());
                continue;
            }
            "locale" => cell.trim().to_lowercase(),
            "phone" | "email" | "timezone" => cell.trim().to_owned(),
            _ => cell,
        };
        properties.push(((*column).to_owned(), Json::String(text)));
    }
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    if !name.is_empty() {
        properties.push(("name".to_owned(), Json::String(name)));
    }
    from_json::<RowBody>(&Json::Object(properties), reading.clone())
}

fn is_blank(cell: &str) -> bool {
    cell.trim().is_empty()
}

/// Finds the column that each cell of the header names. Empty cells at the end of the header are ignored.
fn header_columns(line: u64, header: &[String]) -> Result<Vec<&'static str>, Vec<FileProblem>> {
    let header = &header[..header.iter().rposition(|name| !is_blank(name)).map_or(0, |last| last + 1)];
    let names: Vec<_> = header.iter().map(|name| folded(name)).collect();
    let is = |name: &str, column: &str| {
        USUAL.iter().any(|(usual, names)| *usual == column && names.contains(&name))
    };
    // In a file with a column for the first name, the French `nom` means the last name.
    let has_first = names.iter().any(|name| is(name, FIRST_NAME));
    let (mut columns, mut problems) = (Vec::new(), Vec::new());
    for (name, written) in names.iter().zip(header) {
        let known = USUAL.iter().map(|(column, _)| *column).find(|column| is(name, column));
        let known = if has_first && name == "nom" { Some(LAST_NAME) } else { known };
        match known {
            Some(column) if columns.contains(&column) => {
                problems.push(FileProblem::new(line, column, TableProblem::ColumnTwice));
            }
            Some(column) => columns.push(column),
            None => {
                // The name is a text from the file, so it is shortened, and its control characters are
                // removed.
                let written: String = written.chars().filter(|c| !c.is_control()).take(100).collect();
                problems.push(FileProblem::new(line, written.trim(), TableProblem::UnknownColumn));
            }
        }
    }
    let named = ["name", FIRST_NAME, LAST_NAME].into_iter().filter(|name| columns.contains(name)).count();
    if columns.contains(&"name") && named > 1 {
        problems.push(FileProblem::new(line, "name", TableProblem::ColumnTwice));
    }
    if problems.is_empty() && named == 0 && !columns.contains(&"phone") && !columns.contains(&"email") {
        problems.push(FileProblem::new(line, "", TableProblem::NoContactColumn));
    }
    if problems.is_empty() {
        return Ok(columns);
    }
    problems.truncate(PROBLEMS_MAX);
    Err(problems)
}

/// Returns the words of a column name, in lower case, without accents, and separated by single spaces.
fn folded(name: &str) -> String {
    let name = unaccented(name).to_lowercase();
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Counts lines. The CSV reader's line numbers are not used, since empty lines and CRLF make them wrong.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The number of the first line of a record. The calls must follow the order of the records.
    fn of(&mut self, record: &ByteRecord) -> u64 {
        let begins = record.position().and_then(|position| usize::try_from(position.byte()).ok());
        let mut begins = begins.unwrap_or(self.at).clamp(self.at, self.text.len());
        begins += self.text[begins..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let feeds = self.text[self.at..begins].iter().filter(|byte| **byte == b'\n').count();
        (self.at, self.line) = (begins, self.line + feeds as u64);
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english;

    fn read_in_france(file: &[u8]) -> Result<Vec<ContactRow>, Vec<String>> {
        let told = |it: FileProblem| {
            let it = Problem::from(it);
            format!("{}: {}", it.path, english::problem(&it.code))
        };
        read(file, &Reading::in_region("FR")).map_err(|found| found.into_iter().map(told).collect())
    }

    fn problems(text: &str) -> Vec<String> {
        read_in_france(text.as_bytes()).unwrap_err()
    }

    /// The line, the name, the phone number and the email of each row.
    fn known(file: &[u8]) -> Vec<(u64, String, String, String)> {
        let rows = read_in_france(file).unwrap().into_iter().map(|row| {
            let ContactRow { line, details, .. } = row;
            let name = details.name.map(Text::into_string).unwrap_or_default();
            let phone = details.phone.map(|phone| phone.as_str().to_owned()).unwrap_or_default();
            (line, name, phone, details.email.map(|email| email.as_str().to_owned()).unwrap_or_default())
        });
        rows.collect()
    }

    fn is(line: u64, name: &str, phone: &str, email: &str) -> (u64, String, String, String) {
        (line, name.into(), phone.into(), email.into())
    }

    #[test]
    fn columns_have_any_order_and_case_and_national_numbers_are_those_of_the_region() {
        let text = "\u{feff}EMAIL;Name;phone; Locale\r\nZoe@Example.com ;\"Zoë; the first\";01 42 68 53 00;FR\r\n\r\n;;;\r\n;;+1 555 123 4567;\r\n";
        let expected =
            [is(2, "Zoë; the first", "+33142685300", "zoe@example.com"), is(5, "", "+15551234567", "")];
        assert_eq!(known(text.as_bytes()), expected);
        let rows = read_in_france(text.as_bytes()).unwrap();
        assert_eq!(rows[0].details.locale, Some(Locale::Fr));
    }

    #[test]
    fn columns_have_their_usual_names_in_english_and_french() {
        for phone in ["Numéro de téléphone", "N° de téléphone", "Nº de téléphone", "N° tél.", "Tél. portable"]
        {
            let french = format!("Prénom,NOM,{phone},E-mail,Remarques\nZoé,Durand,0142685300,z@x.fr,ici\n");
            assert_eq!(known(french.as_bytes()), [is(2, "Zoé Durand", "+33142685300", "z@x.fr")], "{phone}");
        }
        let english = "Full name,Mobile Phone,Email-Address\nZoe,0142685300,\n";
        assert_eq!(known(english.as_bytes()), [is(2, "Zoe", "+33142685300", "")]);
        assert_eq!(known(b"First Name;Last Name\n;Lin\nAda;\n").len(), 2);
        assert_eq!(known(b"nom\nLin\n"), [is(2, "Lin", "", "")]);
    }

    #[test]
    fn a_file_is_utf_8_or_windows_1252() {
        let expected = [is(2, "Zoé – “Œuvre” €", "", "")];
        assert_eq!(known("name\nZoé – “Œuvre” €\n".as_bytes()), expected);
        assert_eq!(known(b"name\nZo\xe9 \x96 \x93\x8cuvre\x94 \x80\n"), expected);
        // A file with both a multi-byte character of UTF-8 and an invalid byte is in neither encoding, so it is
        // refused.
        let said = read_in_france(b"name\nZo\xc3\xa9\nZo\xe9\nA\n").unwrap_err();
        assert!(said.len() == 1 && said[0].starts_with("line 3: is not valid UTF-8"), "{said:?}");
    }

    #[test]
    fn empty_cells_at_the_end_of_a_line_may_be_missing_or_more() {
        let rows = known(b"name,phone,email,,\nA\nB,0142685300\nC,,c@x.fr,,,,\n");
        let expected = [is(2, "A", "", ""), is(3, "B", "+33142685300", ""), is(4, "C", "", "c@x.fr")];
        assert_eq!(rows, expected);
        assert!(problems("name,,phone\nA,,\n")[0].starts_with("line 1: "));
    }

    #[test]
    fn one_apostrophe_is_removed_from_the_beginning_of_a_cell() {
        let rows = known(b"name,phone\n'=1+1,'+33142685300\n''x,\n'\tx,\nd'or,\n");
        let names: Vec<_> = rows.iter().map(|row| row.1.as_str()).collect();
        assert_eq!(names, ["=1+1", "'x", "\tx", "d'or"]);
        assert_eq!(rows[0].2, "+33142685300");
    }

    #[test]
    fn every_problem_is_reported_with_line_and_column() {
        let text = "name,phone,email,timezone\nA,123,a@x,Mars\n,,,UTC\nE,,,,1\n\"F\n\",,f@x,\nG,,F,\n";
        let said = problems(text);
        let expected = [
            "line 2: phone: must be a phone number",
            "line 2: timezone: must be an IANA",
            "line 3: must have one of name, phone, email",
            "line 4: has 5 fields, but the header has 4",
            "line 7: email: ",
        ];
        assert_eq!(said.len(), expected.len(), "{said:?}");
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.starts_with(expected), "{expected}: {said}");
        }
    }

    #[test]
    fn a_quoted_field_ends_with_a_quote() {
        for (text, line) in [
            ("name,notes\nA,x\nB,\"y\nC,z\nD,\n", 3),
            ("name\n\"", 2),
            ("\"name\nA\n", 1),
            ("name,notes\r\n\r\nA,\"likes 5\" nails\r\n", 3),
            ("name;notes\nA;\"x\",\nB;y\n", 2),
            ("name,notes\n\"A,x\nB,\"y\"\n", 2),
        ] {
            let said = problems(text);
            assert_eq!(said.len(), 1, "{said:?}");
            let expected = format!("line {line}: has a field with a missing or misplaced quote");
            assert!(said[0].starts_with(&expected), "{text}: {said:?}");
        }
        let text = "name,notes\n\"A \"\"B\"\"\",\"\"\nC \"D\",5\"\n\"E\n\"\"\",\"\r\n\"\r\nF,\"x\"";
        let rows = known(text.as_bytes());
        let names: Vec<_> = rows.iter().map(|row| (row.0, row.1.as_str())).collect();
        assert_eq!(names, [(2, "A \"B\""), (3, "C \"D\""), (4, "E\n\""), (7, "F")]);
    }

    #[test]
    fn a_line_with_very_many_cells_is_refused_before_it_is_split() {
        assert!(problems(&",".repeat(5_000))[0].starts_with("line 1: "));
        let said = problems(&format!("name,phone\nA,\n{}\n", ",".repeat(5_000)));
        assert!(said[0].starts_with("line 3: has 4098 fields, but the header has 2"), "{said:?}");
    }

    #[test]
    fn a_header_has_known_columns_once_and_a_column_that_names_contacts() {
        assert_eq!(problems("").len(), 1);
        assert!(problems("name,address\nA,1\n")[0].starts_with("line 1: address: is not a column"));
        assert!(problems("phone,Tél.\n")[0].starts_with("line 1: phone: occurs twice"));
        assert!(problems("name,first name\n")[0].starts_with("line 1: name: occurs twice"));
        assert!(problems("notes,locale\n")[0].contains("phone"));
    }

    #[test]
    fn rows_and_problems_have_a_limit() {
        let rows = |count: usize| format!("name\n{}", "A\n".repeat(count));
        assert_eq!(known(rows(ROWS_MAX).as_bytes()).len(), ROWS_MAX);
        let said = problems(&rows(ROWS_MAX + 1));
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("line 20002: "), "{said:?}");
        let bad = format!("name,phone\n{}", "A,1\n".repeat(500));
        assert_eq!(problems(&bad).len(), PROBLEMS_MAX);
    }
}
