//! CSV files for spreadsheets: UTF-8 with a byte order mark, a header row, RFC 4180.

use std::borrow::Cow;

use bytes::Bytes;
use csv::{Terminator, WriterBuilder};

pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The characters with which a spreadsheet begins a formula, and the apostrophe, which spreadsheets hide.
const GUARDED: [char; 7] = ['=', '+', '-', '@', '\'', '\t', '\r'];

/// A cell that no spreadsheet reads as a formula.
pub(crate) fn guarded(cell: &str) -> Cow<'_, str> {
    if cell.starts_with(GUARDED) { format!("'{cell}").into() } else { cell.into() }
}

/// Writes rows. A row has a text for each column.
pub(crate) fn written<R>(rows: impl IntoIterator<Item = R>) -> Vec<u8>
where
    R: IntoIterator<Item: AsRef<str>>,
{
    let mut writer = WriterBuilder::new().flexible(true).terminator(Terminator::CRLF).from_writer(Vec::new());
    for row in rows {
        let cells: Vec<_> = row.into_iter().map(|cell| guarded(cell.as_ref()).into_owned()).collect();
        writer.write_record(&cells).expect("writing to memory does not fail");
    }
    writer.into_inner().expect("writing to memory does not fail")
}

/// The beginning of a file: the byte order mark and the header row.
pub(crate) fn head<T: AsRef<str>>(columns: impl IntoIterator<Item = T>) -> Bytes {
    [BYTE_ORDER_MARK.as_bytes(), &written([columns])].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula_and_keeps_its_text() {
        for (cell, expected) in [
            ("", ""),
            ("Zoé", "Zoé"),
            ("=1+1", "'=1+1"),
            ("+33612345678", "'+33612345678"),
            ("-1", "'-1"),
            ("@SUM", "'@SUM"),
            ("'", "''"),
            ("''a", "'''a"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(guarded(cell), expected);
        }
    }

    #[test]
    fn rows_have_the_form_of_rfc_4180() {
        let written = written([vec!["a", "say \"x\"", "b,c"], vec!["", "two\nlines", "=x"]]);
        let text = String::from_utf8(written).unwrap();
        assert_eq!(text, "a,\"say \"\"x\"\"\",\"b,c\"\r\n,\"two\nlines\",'=x\r\n");
        assert_eq!(head(["name"]), "\u{feff}name\r\n".as_bytes());
    }
}
