//! Opening hours: `monday=09:00-18:00`, `mon=9:00-18:00`, `Mon-Fri 9:00-18:00`, `tue,thu=10:00-19:00`.

use domain::Day;
use serde_json::{Value, json};

/// Parses the window of a date, such as `9:00-12:00`.
pub(in crate::cli) fn window(text: &str) -> Result<Value, &'static str> {
    let (open, close) = text.split_once('-').ok_or("write OPEN-CLOSE, such as 9:00-12:00")?;
    Ok(json!({"open": time(open), "close": time(close)}))
}

/// Parses one window for several days. `from` and `to` are the names of the window's start and end
/// properties. The service validates the values.
pub(in crate::cli) fn week(text: &str, [from, to]: [&str; 2]) -> Result<Vec<Value>, &'static str> {
    let text = text.trim().replace(" - ", "-");
    let split = || {
        let (days, window) = text.split_once('=').or_else(|| text.rsplit_once(' '))?;
        let (open, close) = window.split_once('-')?;
        let hours = |day: String| json!({"day": day, from: time(open), to: time(close)});
        Some(days.split(',').flat_map(days_of).map(hours).collect())
    };
    split().ok_or("write DAY=OPEN-CLOSE, such as monday=09:00-18:00 or mon-fri=9:00-18:00")
}

/// The days of `mon`, `Monday` or `mon-fri`. Other texts are returned unchanged.
fn days_of(text: &str) -> Vec<String> {
    let text = text.trim();
    let Some((first, last)) = text.split_once('-') else {
        return vec![day(text).map_or_else(|| text.to_owned(), |at| Day::ALL[at].to_string())];
    };
    let (Some(first), Some(last)) = (day(first), day(last)) else { return vec![text.to_owned()] };
    let count = Day::ALL.len();
    // A range such as sat-mon continues in the next week.
    let days = (last + count - first) % count;
    (first..=first + days).map(|at| Day::ALL[at % count].to_string()).collect()
}

/// The index of a weekday, given by its name or by at least the first three letters.
fn day(text: &str) -> Option<usize> {
    let word = text.trim().to_lowercase();
    let begins = |day: &Day| word.len() >= 3 && day.to_string().starts_with(&word);
    Day::ALL.iter().position(begins)
}

/// Pads `9:00` to `09:00`.
fn time(text: &str) -> String {
    let text = text.trim();
    match text.split_once(':') {
        Some((hour, _)) if hour.len() == 1 => format!("0{text}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str, &str)]) {
        let read = week(text, ["open", "close"]).unwrap_or_else(|error| panic!("{text}: {error}"));
        let hours =
            |(day, open, close): &(&str, &str, &str)| json!({"day": day, "open": open, "close": close});
        assert_eq!(read, expected.iter().map(hours).collect::<Vec<_>>(), "{text}");
    }

    #[test]
    fn days_can_be_abbreviated_and_hours_can_have_one_digit() {
        check("monday=09:00-18:00", &[("monday", "09:00", "18:00")]);
        check("Mon=9:00-8:30", &[("monday", "09:00", "08:30")]);
        check("THU 22:00-24:00", &[("thursday", "22:00", "24:00")]);
    }

    #[test]
    fn several_days_have_the_same_hours() {
        let days = |names: &[&'static str]| -> Vec<(&'static str, &'static str, &'static str)> {
            names.iter().map(|name| (*name, "09:00", "18:00")).collect()
        };
        let work = ["monday", "tuesday", "wednesday", "thursday", "friday"];
        check("Mon-Fri 9:00-18:00", &days(&work));
        check("Mon - Fri 9:00 - 18:00", &days(&work));
        check("mon-fri=9:00-18:00", &days(&work));
        check("sat-mon=9:00-18:00", &days(&["saturday", "sunday", "monday"]));
        check("tue, thu=9:00-18:00", &days(&["tuesday", "thursday"]));
        check("mon-mon=9:00-18:00", &days(&["monday"]));
    }

    #[test]
    fn a_window_of_a_date_has_no_day() {
        assert_eq!(window("9:00 - 12:30"), Ok(json!({"open": "09:00", "close": "12:30"})));
        assert_eq!(window("22:00-02:00"), Ok(json!({"open": "22:00", "close": "02:00"})));
        assert!(window("9:00").is_err());
    }

    #[test]
    fn an_unknown_day_is_sent_unchanged() {
        check("lundi=9-18", &[("lundi", "9", "18")]);
        check("mo=1-2", &[("mo", "1", "2")]);
        check("mon-lundi=1-2", &[("mon-lundi", "1", "2")]);
        for text in ["", "monday", "monday=09:00", "monday 09:00"] {
            assert!(week(text, ["open", "close"]).is_err(), "{text}");
        }
    }
}
