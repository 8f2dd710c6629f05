use domain::Knowledge;

use crate::codec::record;

record!(Knowledge, "knowledge", { 1: id, title, content, source_url, locale, created_at, updated_at });

#[cfg(test)]
mod tests {
    use domain::{Locale, Timestamp};

    use super::super::testing::{check, check_damage, id_of, replace};
    use super::*;
    use crate::{LONG_VALUE_BYTES_MAX, Record};

    fn knowledge() -> Knowledge {
        Knowledge {
            id: id_of([0xa1; 16]),
            title: "Parking".into(),
            content: "Behind the house".into(),
            source_url: Some("https://a.example".into()),
            locale: Some(Locale::En),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_piece_of_knowledge_has_these_bytes() {
        check(
            &knowledge(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1075061726b696e6710426568696e64\
             2074686520686f757365011168747470733a2f2f612e6578616d706c650101fd\
             00358d5b39030000fd02358d5b39030000",
        );
    }

    #[test]
    fn the_longest_content_is_within_the_bound() {
        let longest = Knowledge { content: "😀".repeat(50_000), ..knowledge() };
        let bytes = longest.encode();
        assert!(bytes.len() < LONG_VALUE_BYTES_MAX);
        assert_eq!(Knowledge::decode(&bytes).unwrap(), longest);
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&knowledge(), |bytes| replace(bytes, b".example\x01\x01", b".example\x01\x03"));
        check_damage(&knowledge(), |bytes| replace(bytes, b"house", b"hous\xff"));
    }
}
