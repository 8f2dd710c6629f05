//! The values of properties: dates, times, durations and offsets (RFC 5545, section 3.3).
//!
//! Invariant: years are 0 to 9999 and durations are at most [`DAYS_MAX`] days, so sums of a few values never overflow.

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};

/// The maximum length of a duration, in days: 10,000 years.
const DAYS_MAX: i64 = 3_652_500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Date(NaiveDate),
    /// A local time in the zone that the property names, or a floating time.
    Local(NaiveDateTime),
    Utc(NaiveDateTime),
}

impl Value {
    /// Parses `20260102`, `20260102T030405` or `20260102T030405Z`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, time) = match text.split_once(['T', 't']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let [year, month, day] = numbers(date, [4, 2, 2])?;
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
        let Some(time) = time else { return Some(Self::Date(date)) };
        let local = time.strip_suffix(['Z', 'z']);
        let [hour, minute, second] = numbers(local.unwrap_or(time), [2, 2, 2])?;
        // chrono does not accept second 60 here, so a leap second is read as the second before it.
        let time = date.and_hms_opt(hour, minute, if second == 60 { 59 } else { second })?;
        Some(if local.is_some() { Self::Utc(time) } else { Self::Local(time) })
    }
}

/// Parses digits in groups of these widths.
fn numbers<const N: usize>(text: &str, widths: [usize; N]) -> Option<[u32; N]> {
    if text.len() != widths.iter().sum::<usize>() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut begin = 0;
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(widths) {
        *number = text[begin..begin + width].parse().ok()?;
        begin += width;
    }
    Some(numbers)
}

/// Parses a duration such as `P1W`, `P1DT2H` or `-PT15M`.
pub(crate) fn duration(text: &str) -> Option<TimeDelta> {
    let text = text.trim();
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1, text),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mut seconds, mut number, mut parts, mut in_time) = (0_i64, None::<i64>, 0, false);
    for c in text.strip_prefix(['P', 'p'])?.chars() {
        if let Some(digit) = c.to_digit(10) {
            number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(digit.into())?);
            continue;
        }
        let unit = match c.to_ascii_uppercase() {
            'T' if !in_time && number.is_none() => {
                in_time = true;
                continue;
            }
            'W' if !in_time => 604_800,
            'D' if !in_time => 86_400,
            'H' if in_time => 3_600,
            'M' if in_time => 60,
            'S' if in_time => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.take()?.checked_mul(unit)?)?;
        parts += 1;
    }
    let fits = number.is_none() && parts > 0 && seconds <= DAYS_MAX * 86_400;
    fits.then(|| TimeDelta::seconds(sign * seconds))
}

/// Parses an offset such as `+0100` or `-033000`, in seconds.
pub(crate) fn offset(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.split_at_checked(1)? {
        ("-", digits) => (-1, digits),
        ("+", digits) => (1, digits),
        _ => return None,
    };
    let [hours, minutes, seconds] = numbers(digits, [2, 2, 2])
        .or_else(|| numbers(digits, [2, 2]).map(|[hours, minutes]| [hours, minutes, 0]))?;
    let seconds = i64::from(hours) * 3_600 + i64::from(minutes) * 60 + i64::from(seconds);
    (hours < 24 && minutes < 60).then_some(sign * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_have_one_form() {
        let date = NaiveDate::from_ymd_opt(2026, 1, 2).unwrap();
        let time = date.and_hms_opt(3, 4, 59).unwrap();
        assert_eq!(Value::parse("20260102"), Some(Value::Date(date)));
        assert_eq!(Value::parse("20260102T030459"), Some(Value::Local(time)));
        assert_eq!(Value::parse("20260102t030460z"), Some(Value::Utc(time)));
        for text in [
            "",
            "2026-01-02",
            "20260230",
            "20260102T",
            "20260102T2400",
            "20260102T240000",
            "2026010２",
            "+0260102",
        ] {
            assert_eq!(Value::parse(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_bounded() {
        assert_eq!(duration("P1W"), Some(TimeDelta::weeks(1)));
        assert_eq!(duration("+P1DT2H3M4S"), Some(TimeDelta::seconds(93_784)));
        assert_eq!(duration("-PT15M"), Some(TimeDelta::minutes(-15)));
        assert_eq!(duration("PT0S"), Some(TimeDelta::zero()));
        assert_eq!(duration("P3652500D"), Some(TimeDelta::days(DAYS_MAX)));
        for text in ["", "P", "PT", "1D", "P1", "P1H", "PT1D", "PTT1H", "P3652501D", "P99999999999999999999W"]
        {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn offsets_have_a_sign() {
        assert_eq!(offset("+0100"), Some(3_600));
        assert_eq!(offset("-033015"), Some(-12_615));
        for text in ["0100", "+1", "+2400", "+0160", "é100"] {
            assert_eq!(offset(text), None, "{text}");
        }
    }
}
