//! Prints the busy intervals of each calendar in a file, for the comparison in `.ci/ical`.
//!
//! Arguments: the file, the time zone of the business, and the start and the end of the window. Each line of
//! the output contains the intervals of one calendar, in seconds since 1970, or an error. The line begins
//! with the word `cut` if an event had too many occurrences.

use std::error::Error;
use std::io::Write;

use domain::Timestamp;
use ical::{FILE_STEPS_MAX, Reading, Warning, read};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [file, zone, start, end] = arguments.as_slice() else { return Err("expected four arguments".into()) };
    let time = |text: &str| Timestamp::parse(text).map_err(|error| error.to_string());
    let reading = Reading {
        window: time(start)?..time(end)?,
        zone: zone.parse()?,
        all_day_busy: true,
        own_addresses: &[],
        is_appointment: &|_| false,
    };
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for calendar in std::fs::read_to_string(file)?.split_inclusive("END:VCALENDAR\r\n") {
        match read(calendar.as_bytes(), &reading, &mut FILE_STEPS_MAX.clone()) {
            Ok(times) if times.unreadable == 0 => {
                let busy = times.events.iter().flat_map(|event| &event.busy);
                let busy: Vec<_> = busy
                    .map(|busy| format!("{}-{}", busy.start.millis() / 1_000, busy.end.millis() / 1_000))
                    .collect();
                let cut = if times.warnings.contains(&Warning::TooManyOccurrences) { "cut " } else { "" };
                writeln!(out, "{cut}{}", busy.join(" "))?;
            }
            Ok(_) => writeln!(out, "unreadable")?,
            Err(error) => writeln!(out, "{error}")?,
        }
    }
    Ok(())
}
