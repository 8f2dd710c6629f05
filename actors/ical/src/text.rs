//! The lines, properties and components of a calendar file (RFC 5545, section 3.1).
//!
//! Invariants: unfolding happens before decoding, because a line may be folded within a character. A
//! component keeps only the properties that affect busy times, and at most [`PROPERTIES_MAX`] of them. Nested
//! components are read without recursion, so the depth of a file does not matter.

use std::str::Lines;

/// The maximum number of kept properties of a component. A component with more properties is unreadable.
const PROPERTIES_MAX: usize = 10_000;

/// The properties that affect busy times.
const KEPT: [&str; 17] = [
    "ATTENDEE",
    "DTEND",
    "DTSTART",
    "DURATION",
    "EXDATE",
    "FREEBUSY",
    "RDATE",
    "RECURRENCE-ID",
    "RRULE",
    "SEQUENCE",
    "STATUS",
    "TRANSP",
    "TZID",
    "TZOFFSETFROM",
    "TZOFFSETTO",
    "UID",
    "X-MICROSOFT-CDO-BUSYSTATUS",
];

/// Decodes a file and joins its folded lines. Each line of the result ends with `\n`. Bytes that are not UTF-8 become
/// U+FFFD.
pub(crate) fn unfolded(bytes: &[u8]) -> String {
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = Vec::with_capacity(rest.len());
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        lines.extend_from_slice(&rest[..at]);
        rest = if rest[at..].starts_with(b"\r\n") { &rest[at + 2..] } else { &rest[at + 1..] };
        match rest.first() {
            Some(b' ' | b'\t') => rest = &rest[1..],
            _ => lines.push(b'\n'),
        }
    }
    lines.extend_from_slice(rest);
    String::from_utf8(lines).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Checks that the text is a whole calendar: it begins with `BEGIN:VCALENDAR` and ends with `END:VCALENDAR`.
pub(crate) fn is_calendar(text: &str) -> bool {
    let is = |line: Option<&str>, text: &str| line.is_some_and(|line| line.trim().eq_ignore_ascii_case(text));
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    is(lines.next(), "BEGIN:VCALENDAR") && is(lines.next_back(), "END:VCALENDAR")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Property<'a> {
    name: &'a str,
    params: &'a str,
    pub(crate) value: &'a str,
}

impl<'a> Property<'a> {
    /// Parses a line `NAME;PARAM=VALUE:VALUE`. A colon or semicolon within quotes is not a separator.
    fn parse(line: &'a str) -> Option<Self> {
        let (name, rest) = line.split_at(line.find([':', ';'])?);
        let colon = unquoted(rest, b':').next()?;
        let params = rest[..colon].trim_start_matches(';');
        Some(Self { name, params, value: rest[colon + 1..].trim() })
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the value of a parameter without its quotes.
    pub(crate) fn param(&self, name: &str) -> Option<&'a str> {
        let mut begin = 0;
        let ends = unquoted(self.params, b';').chain([self.params.len()]);
        let mut params = ends.map(|end| &self.params[std::mem::replace(&mut begin, end + 1)..end]);
        params.find_map(|param| {
            let (key, value) = param.split_once('=')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
        })
    }
}

/// Returns the positions of a separator outside quotes.
fn unquoted(text: &str, separator: u8) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        quoted ^= byte == b'"';
        (byte == separator && !quoted).then_some(at)
    })
}

#[derive(Debug)]
pub(crate) struct Component<'a> {
    /// The component's name, one of the `kinds` that were passed to [`components`].
    pub(crate) kind: &'static str,
    pub(crate) properties: Vec<Property<'a>>,
    /// The properties of each component that is nested directly in this component.
    pub(crate) parts: Vec<Vec<Property<'a>>>,
    /// True if the component has an `END` line and not too many properties.
    pub(crate) whole: bool,
    depth: usize,
    kept: usize,
}

impl<'a> Component<'a> {
    pub(crate) fn property(&self, name: &str) -> Option<&Property<'a>> {
        self.all(name).next()
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Property<'a>> {
        self.properties.iter().filter(move |property| property.is(name))
    }
}

/// Returns the components of these kinds in the order of the file. Skips components of other kinds.
pub(crate) fn components<'a>(text: &'a str, kinds: &'static [&'static str]) -> Components<'a> {
    Components { lines: text.lines(), kinds, open: None }
}

pub(crate) struct Components<'a> {
    lines: Lines<'a>,
    kinds: &'static [&'static str],
    open: Option<Component<'a>>,
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    fn next(&mut self) -> Option<Component<'a>> {
        for line in self.lines.by_ref() {
            let Some(property) = Property::parse(line) else { continue };
            if property.is("BEGIN") {
                let kind = self.kinds.iter().copied().find(|kind| kind.eq_ignore_ascii_case(property.value));
                if let Some(kind) = kind {
                    let opened = Component {
                        kind,
                        properties: Vec::new(),
                        parts: Vec::new(),
                        whole: false,
                        depth: 0,
                        kept: 0,
                    };
                    let unfinished = self.open.replace(opened);
                    if unfinished.is_some() {
                        return unfinished;
                    }
                } else if let Some(open) = &mut self.open {
                    open.depth += 1;
                    if open.depth == 1 && open.parts.len() < PROPERTIES_MAX {
                        open.parts.push(Vec::new());
                    }
                }
            } else if property.is("END") {
                let Some(open) = &mut self.open else { continue };
                if open.kind.eq_ignore_ascii_case(property.value) {
                    open.whole = open.kept <= PROPERTIES_MAX;
                    return self.open.take();
                }
                open.depth = open.depth.saturating_sub(1);
            } else if let Some(open) = &mut self.open
                && KEPT.iter().any(|name| property.is(name))
            {
                let properties = match open.depth {
                    0 => &mut open.properties,
                    1 => match open.parts.last_mut() {
                        Some(part) => part,
                        None => continue,
                    },
                    _ => continue,
                };
                open.kept += 1;
                if open.kept <= PROPERTIES_MAX {
                    properties.push(property);
                }
            }
        }
        self.open.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(bool, Vec<String>)> {
        let uid = |component: &Component<'_>| {
            component.all("UID").map(|property| property.value.to_owned()).collect::<Vec<_>>()
        };
        components(text, &["VEVENT"]).map(|component| (component.whole, uid(&component))).collect()
    }

    #[test]
    fn folded_lines_are_joined_even_within_a_character() {
        let folded = b"\xef\xbb\xbfSUMMARY:\xc3\r\n \xa9t\xc3\n\t\xa9\rUID:1\r\n";
        assert_eq!(unfolded(folded), "SUMMARY:été\nUID:1\n");
        assert_eq!(unfolded(b"A:\xff\n\n \nB:2"), "A:\u{fffd}\n\nB:2");
    }

    #[test]
    fn quotes_protect_separators_in_parameters() {
        let line = r#"DTSTART;X-A="a:b;TZID=no";tzid="Europe/Paris";VALUE=DATE-TIME:20260101T000000"#;
        let property = Property::parse(line).unwrap();
        assert!(property.is("dtstart"));
        assert_eq!(property.value, "20260101T000000");
        assert_eq!(property.param("TZID"), Some("Europe/Paris"));
        assert_eq!(property.param("VALUE"), Some("DATE-TIME"));
        assert_eq!(property.param("X-B"), None);
        assert_eq!(Property::parse("no colon"), None);
        assert_eq!(Property::parse("ATTENDEE;CN=\"open:mailto:a@b.c"), None);
        assert_eq!(Property::parse("URL:http://a").unwrap().value, "http://a");
    }

    #[test]
    fn a_component_has_only_its_own_properties() {
        let text = "BEGIN:VCALENDAR\nUID:0\nBEGIN:VEVENT\nUID:1\nBEGIN:VALARM\nUID:2\nEND:VALARM\nUID:3\nEND:VEVENT\n";
        assert_eq!(kinds(text), [(true, vec!["1".into(), "3".into()])]);
    }

    #[test]
    fn a_component_without_its_end_is_not_whole() {
        let text = "BEGIN:VEVENT\nUID:1\nBEGIN:VEVENT\nUID:2\nEND:VEVENT\nBEGIN:vevent\nUID:3\n";
        let ids = |id: &str| vec![id.to_owned()];
        assert_eq!(kinds(text), [(false, ids("1")), (true, ids("2")), (false, ids("3"))]);
    }

    #[test]
    fn a_component_with_too_many_properties_is_not_whole() {
        let event = |count| format!("BEGIN:VEVENT\n{}END:VEVENT\n", "UID:1\n".repeat(count));
        assert!(kinds(&event(PROPERTIES_MAX))[0].0);
        let (whole, kept) = &kinds(&event(PROPERTIES_MAX + 1))[0];
        assert!(!whole && kept.len() == PROPERTIES_MAX);
    }

    #[test]
    fn a_calendar_has_its_begin_and_its_end() {
        assert!(is_calendar("\nBEGIN:vcalendar\nEND:VCALENDAR\n\n"));
        for text in ["", "<html>", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n", "END:VCALENDAR\nBEGIN:VCALENDAR"] {
            assert!(!is_calendar(text), "{text}");
        }
    }
}
