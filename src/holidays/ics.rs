//! Parses the events of an iCalendar file (RFC 5545): unfolds the lines and assigns properties to events.
//!
//! Invariants: the module is pure. Names are case-insensitive. The nesting of components is at most
//! [`DEPTH_MAX`]. An error names the line.

use chrono::NaiveDate;

use super::problem::{Problem, ProblemKind};

/// The length of a day without a clock change, in seconds.
pub(crate) const DAY_SECONDS: u64 = 86_400;

pub(super) const DEPTH_MAX: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Event {
    properties: Vec<Property>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Property {
    /// The name of the property, in upper case.
    name: String,
    /// The names of the property's parameters, in upper case.
    parameters: Vec<String>,
    pub(crate) value: String,
}

impl Event {
    pub(crate) fn find(&self, name: &str) -> Option<&Property> {
        self.all(name).next()
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(move |property| property.name == name)
    }

    /// The trimmed value of the first property with this name, or an empty text if the event has no such property.
    pub(crate) fn word(&self, name: &str) -> &str {
        self.find(name).map(|property| property.value.trim()).unwrap_or_default()
    }
}

impl Property {
    pub(crate) fn has(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|name| name == parameter)
    }

    /// The value of a text property with its escapes replaced.
    pub(crate) fn text(&self) -> String {
        let (mut text, mut letters) = (String::new(), self.value.chars());
        while let Some(letter) = letters.next() {
            text.push(match letter {
                '\\' => match letters.next() {
                    Some('n' | 'N') => '\n',
                    other => other.unwrap_or(letter),
                },
                letter => letter,
            });
        }
        text
    }
}

/// Parses the events of a file. The file may contain several calendars. The error names the first invalid line.
pub(crate) fn events(file: &[u8]) -> Result<Vec<Event>, Problem> {
    let mut events = Vec::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut calendars = 0;
    for (number, octets) in unfolded(file) {
        let Ok(line) = std::str::from_utf8(&octets) else {
            return Err(ProblemKind::NotUtf8.on(number));
        };
        let line = if number == 1 { line.trim_start_matches('\u{feff}') } else { line };
        if line.trim().is_empty() {
            continue;
        }
        let property = property(line).ok_or_else(|| match calendars {
            0 => ProblemKind::NotACalendar.in_file(),
            _ => ProblemKind::NotAProperty.on(number),
        })?;
        let component = property.value.trim().to_ascii_uppercase();
        match (property.name.as_str(), open.last()) {
            ("BEGIN", None) if component == "VCALENDAR" => {
                calendars += 1;
                open.push((number, component));
            }
            (_, None) if calendars == 0 => return Err(ProblemKind::NotACalendar.in_file()),
            (_, None) => return Err(ProblemKind::AfterTheEnd.on(number)),
            ("BEGIN", Some(_)) if open.len() == DEPTH_MAX => {
                return Err(ProblemKind::TooDeep.on(number));
            }
            ("BEGIN", Some(_)) => {
                if open.len() == 1 && component == "VEVENT" {
                    events.push(Event::default());
                }
                open.push((number, component));
            }
            ("END", Some((_, last))) if *last == component => _ = open.pop(),
            ("END", Some((since, last))) => {
                return Err(ProblemKind::EndsAnother(*since, last.clone()).on(number));
            }
            (_, Some((_, last))) if open.len() == 2 && last == "VEVENT" => {
                if let Some(event) = events.last_mut() {
                    event.properties.push(property);
                }
            }
            // Other components are ignored.
            _ => {}
        }
    }
    match open.last() {
        Some((since, last)) => Err(ProblemKind::NoEnd(last.clone()).on(*since)),
        None if calendars == 0 => Err(ProblemKind::NotACalendar.in_file()),
        None => Ok(events),
    }
}

pub(crate) fn date(text: &str) -> Option<NaiveDate> {
    let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| NaiveDate::parse_from_str(text, "%Y%m%d").ok()).flatten()
}

pub(crate) fn seconds(duration: &str) -> Option<u64> {
    let duration = duration.to_ascii_uppercase();
    let rest = duration.strip_prefix('+').unwrap_or(&duration).strip_prefix('P')?;
    let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
    let units = |text: &str, units: &[(char, u64)]| -> Option<u64> {
        let (mut rest, mut all) = (text, 0_u64);
        for (unit, seconds) in units {
            if let Some((count, after)) = rest.split_once(*unit) {
                let count = count.parse::<u32>().ok()?;
                all = all.checked_add(u64::from(count) * seconds)?;
                rest = after;
            }
        }
        rest.is_empty().then_some(all)
    };
    let days = match days {
        "" if time.is_some() => 0,
        "" => return None,
        days => units(days, &[('W', 7 * DAY_SECONDS), ('D', DAY_SECONDS)])?,
    };
    let time = match time {
        Some("") => return None,
        Some(time) => units(time, &[('H', 3_600), ('M', 60), ('S', 1)])?,
        None => 0,
    };
    days.checked_add(time)
}

/// Joins the parts of folded lines (RFC 5545). Returns each line with the number of its first part in the file. A fold
/// may be inside a character, so the lines are bytes.
fn unfolded(file: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut lines: Vec<(usize, Vec<u8>)> = Vec::new();
    for (number, line) in (1..).zip(file.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match (line.first(), lines.last_mut()) {
            (Some(b' ' | b'\t'), Some((_, last))) => last.extend_from_slice(&line[1..]),
            _ => lines.push((number, line.to_vec())),
        }
    }
    lines
}

/// Parses `NAME;PARAMETER=VALUE:VALUE`. Parameter values may be quoted.
fn property(line: &str) -> Option<Property> {
    let mut quoted = false;
    let unquoted = |letter: char| {
        quoted ^= letter == '"';
        !quoted && letter == ':'
    };
    let (names, value) = line.split_at(line.find(unquoted)?);
    let mut quoted = false;
    let mut parts = names.split(|letter: char| {
        quoted ^= letter == '"';
        !quoted && letter == ';'
    });
    let name = parts.next()?.trim().to_ascii_uppercase();
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let parameters =
        parts.map(|part| part.split('=').next().unwrap_or_default().trim().to_ascii_uppercase()).collect();
    is_name(&name).then(|| Property { name, parameters, value: value[1..].to_owned() })
}

#[cfg(test)]
mod tests {
    use domain::Locale;

    use super::*;

    fn refused(file: &str) -> String {
        events(file.as_bytes()).expect_err(file).text(Locale::En)
    }

    #[test]
    fn events_are_found_in_every_calendar_whatever_the_case() {
        let file = "begin:vcalendar\nBegin:vEvent\nSummary;x=\"a;b:c\";LANGUAGE=fr:One\\, two\\nthree: 4\n\
            BEGIN:VALARM\nSUMMARY:not this\nEND:VALARM\nRdate:1\nRDATE:2\nend:VEVENT\nEND:VCALENDAR\n\n\
            BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nBEGIN:VTODO\nSUMMARY:nor this\nEND:VTODO\nEND:VCALENDAR";
        let events = events(file.as_bytes()).unwrap();
        assert_eq!(events.len(), 2);
        let summary = events[0].find("SUMMARY").unwrap();
        assert_eq!((summary.text(), summary.parameters.len()), ("One, two\nthree: 4".to_owned(), 2));
        assert!(summary.has("LANGUAGE") && !summary.has("B"));
        assert_eq!(events[0].all("RDATE").map(|one| one.value.as_str()).collect::<Vec<_>>(), ["1", "2"]);
        assert!(events[1].find("SUMMARY").is_none());
    }

    #[test]
    fn an_invalid_calendar_is_reported_by_line() {
        for file in ["", "\n", "hello", "date,name\n2026-05-01,May", "BEGIN:VEVENT\nEND:VEVENT"] {
            assert!(refused(file).contains("must begin with BEGIN:VCALENDAR"), "{file}");
        }
        for (file, told) in [
            ("BEGIN:VCALENDAR\nBEGIN:VEVENT\n", "line 2 begins a component without END:VEVENT"),
            ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT", "line 1 begins a component without END:VCALENDAR"),
            (
                "BEGIN:VCALENDAR\nBEGIN:VEVENT\nX:1\n 2\nEND:VCALENDAR",
                "line 5 does not end the component of line 2",
            ),
            ("BEGIN:VCALENDAR\r\nSUMMARY\r\nEND:VCALENDAR", "line 2 is not of the form NAME:VALUE"),
            ("BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:VCALENDAR", "line 3 follows END:VCALENDAR"),
        ] {
            assert!(refused(file).contains(told), "{file}: {}", refused(file));
        }
    }

    #[test]
    fn components_are_nested_up_to_a_maximum_depth() {
        let deep = |depth: usize| {
            let inner = depth - 1;
            let (begin, end) = ("BEGIN:X\n".repeat(inner), "END:X\n".repeat(inner));
            format!("BEGIN:VCALENDAR\n{begin}{end}END:VCALENDAR\n")
        };
        assert!(events(deep(DEPTH_MAX).as_bytes()).is_ok());
        assert!(refused(&deep(DEPTH_MAX + 1)).contains("line 17 nests more than 16"));
        assert!(refused(&deep(1_000_000)).contains("line 17 nests more than 16"));
        let unclosed = format!("BEGIN:VCALENDAR\n{}", "BEGIN:VEVENT\n".repeat(100_000));
        assert!(refused(&unclosed).contains("line 17 nests more than 16"));
    }
}
