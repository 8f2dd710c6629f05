//! Checks the markup of an XML text before it is parsed.
//!
//! Invariants:
//!
//! - The parser's work and memory are proportional to the length of an accepted text. The parser compares each
//!   attribute with the other attributes of its element. If an element declares a namespace, the parser copies
//!   the namespaces of all ancestors to this element. The check therefore limits the total number of attributes
//!   and namespace declarations of an element and its ancestors. The parser also reserves memory for each `<` and
//!   each `=`, so the check limits their numbers too.
//! - The check and the parser divide a text into the same tags, up to the position at which the parser finds an error.

use domain::CalendarFault;

/// A text may contain at most this many `<` and at most this many `=`.
const MARKS_MAX: usize = 1_000_000;
/// The maximum total number of attributes and namespace declarations of an element and all its ancestors.
const ATTRIBUTES_MAX: usize = 32;
const DEPTH_MAX: usize = 32;
const DECLARATION: &str = "<?xml ";

/// Returns the text without its XML declaration.
///
/// # Errors
/// [`CalendarFault::TooLarge`] if the text exceeds a limit. [`CalendarFault::NotACalendar`] if the text is not
/// well-formed or has a document type.
pub(super) fn checked(text: &str) -> Result<&str, CalendarFault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = if text.starts_with(DECLARATION) { &text[end_of(text, 0, "?>")?..] } else { text };
    if text.bytes().filter(|byte| *byte == b'=').count() > MARKS_MAX {
        return Err(CalendarFault::TooLarge);
    }
    // For each open element, the total number of attributes of the element and all its ancestors.
    let mut open: Vec<usize> = Vec::new();
    let (mut rest, mut marks) = (text, 0);
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        marks += 1;
        if marks > MARKS_MAX {
            return Err(CalendarFault::TooLarge);
        }
        let length = if rest.starts_with("<!--") {
            end_of(rest, 4, "-->")?
        } else if rest.starts_with("<![CDATA[") {
            end_of(rest, 9, "]]>")?
        } else if rest.starts_with("<?") && !rest.starts_with(DECLARATION) {
            end_of(rest, 2, "?>")?
        } else if rest.starts_with("</") {
            open.pop();
            end_of(rest, 2, ">")?
        } else {
            let tag = tag(rest)?;
            let attributes = open.last().copied().unwrap_or_default() + tag.attributes;
            if attributes > ATTRIBUTES_MAX || open.len() >= DEPTH_MAX {
                return Err(CalendarFault::TooLarge);
            }
            if !tag.is_empty {
                open.push(attributes);
            }
            tag.length
        };
        rest = &rest[length..];
    }
    Ok(text)
}

/// Finds the first `end` at or after the position `start`. Returns the position after this `end`.
fn end_of(text: &str, start: usize, end: &str) -> Result<usize, CalendarFault> {
    let at = text[start..].find(end).ok_or(CalendarFault::NotACalendar)?;
    Ok(start + at + end.len())
}

struct Tag {
    length: usize,
    attributes: usize,
    /// Whether the tag is `<name/>`, so that the element has no content.
    is_empty: bool,
}

/// Reads the tag at the start of a text.
fn tag(text: &str) -> Result<Tag, CalendarFault> {
    let (mut quote, mut attributes) = (None, 0);
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match (quote, byte) {
            (_, b'<') => break,
            (Some(open), _) => quote = Some(open).filter(|open| *open != byte),
            (None, b'!' | b'?') if at == 1 => break,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => attributes += 1,
            (None, b'>') => {
                let is_empty = text.as_bytes()[at - 1] == b'/';
                return Ok(Tag { length: at + 1, attributes, is_empty });
            }
            (None, _) => {}
        }
    }
    Err(CalendarFault::NotACalendar)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOO_LARGE: Result<(), CalendarFault> = Err(CalendarFault::TooLarge);
    const MALFORMED: Result<(), CalendarFault> = Err(CalendarFault::NotACalendar);

    fn check(text: &str) -> Result<(), CalendarFault> {
        checked(text).map(|_| ())
    }

    fn attributes(count: usize) -> String {
        (0..count).map(|number| format!(" a{number}='='")).collect()
    }

    #[test]
    fn an_element_and_its_ancestors_have_a_maximum_of_attributes() {
        let nested = |outer: usize, inner: usize, rest: &str| {
            format!("<r{}><e{}/><e{}>{rest}</e></r>", attributes(outer), attributes(inner), attributes(inner))
        };
        assert_eq!(check(&nested(0, 32, "")), Ok(()));
        assert_eq!(check(&nested(20, 12, "<x/>")), Ok(()), "siblings are counted separately");
        assert_eq!(check(&nested(20, 13, "")), TOO_LARGE);
        assert_eq!(check(&nested(20, 12, "<x b=''/>")), TOO_LARGE);
        assert_eq!(check(&format!("<r{}/>", attributes(33))), TOO_LARGE);
    }

    #[test]
    fn elements_have_a_maximum_depth() {
        let nested = |depth| format!("{}{}", "<e>".repeat(depth), "</e>".repeat(depth));
        assert_eq!((check(&nested(32)), check(&nested(33))), (Ok(()), TOO_LARGE));
        assert_eq!(check(&format!("<r>{}</r>", nested(31).repeat(9))), Ok(()));
    }

    #[test]
    fn a_text_has_a_maximum_of_marks() {
        let text = |marks: usize| format!("<r>{}</r>", "<b/>".repeat(marks - 2));
        assert_eq!((check(&text(MARKS_MAX)), check(&text(MARKS_MAX + 1))), (Ok(()), TOO_LARGE));
        let text = |marks: usize| format!("<r>{}</r>", "=".repeat(marks));
        assert_eq!((check(&text(MARKS_MAX)), check(&text(MARKS_MAX + 1))), (Ok(()), TOO_LARGE));
    }

    #[test]
    fn attributes_are_not_hidden_by_other_markup() {
        let hidden = format!("<e{}/>", attributes(33));
        for (before, after) in [
            ("<r a='>'>", "</r>"),
            ("<r a=\"'>\">", "</r>"),
            ("<r><!-- ' --> <![CDATA[<!-- ]]>", "</r>"),
            ("<r><?a <!-- ?>", "<!-- --></r>"),
        ] {
            assert_eq!(check(&format!("{before}{hidden}{after}")), TOO_LARGE, "{before}");
        }
        // This text contains `?>` in a quoted value. `checked` ignores the quotes and removes the text up to the first
        // `?>`. The rest begins with `<!--`, so the hidden attributes are in a comment, and the parser refuses the
        // rest. If the parser got the whole text, it could read the hidden attributes.
        let text = format!("<?xml version='?><!--'?><r>{hidden}<!-- --></r>");
        assert!(roxmltree::Document::parse(checked(&text).unwrap()).is_err());
        for harmless in [format!("<r><!--{hidden}--></r>"), format!("<r><![CDATA[{hidden}]]></r>")] {
            assert_eq!(check(&harmless), Ok(()), "{harmless}");
        }
        for malformed in
            ["<?xml ?><?xml version='1.0'?><r/>", "<r a='<'/>", "<r a='", "<!DOCTYPE r><r/>", "<r><!x></r>"]
        {
            assert_eq!(check(malformed), MALFORMED, "{malformed}");
        }
    }

    #[test]
    fn the_declaration_is_removed() {
        for text in ["<r/>", "\u{feff}<r/>", "<?xml version='1.0'?><r/>", "\u{feff}<?xml version='1.0'?><r/>"]
        {
            assert_eq!(checked(text), Ok("<r/>"), "{text}");
        }
    }
}
