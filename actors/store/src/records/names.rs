//! The names of consecutive contacts, many in one row. A search reads all names of a business, and the cost of a row is
//! higher than that of its bytes.

use domain::ContactId;

use crate::codec::record;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamesRecord {
    /// The id and the folded name.
    pub names: Vec<(ContactId, String)>,
}

record!(NamesRecord, "names", { 1: names } check |record| {
    if record.names.is_sorted_by(|a, b| a.0 < b.0) { Ok(()) } else { Err("its contacts are not in order") }
});

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, id_of, replace};
    use super::*;

    fn names() -> NamesRecord {
        NamesRecord { names: vec![(id_of([0xa1; 16]), "zoë".into()), (id_of([0xa2; 16]), "ada".into())] }
    }

    #[test]
    fn names_have_these_bytes() {
        check(
            &names(),
            "0102a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1047a6fc3aba2a2a2a2a2a2a2a2a2\
             a2a2a2a2a2a2a203616461",
        );
        check(&NamesRecord::default(), "0100");
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&names(), |bytes| replace(bytes, &[0xa2; 16], &[0xa0; 16]));
        check_damage(&names(), |bytes| replace(bytes, b"ada", b"ad\xff"));
    }
}
