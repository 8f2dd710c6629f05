use chrono::{NaiveDate, TimeDelta, Timelike};
use domain::{Locale, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::reader::{Context, Expect, read};

fn writer(locale: Locale, region: &'static str) -> When<'static> {
    let now = Timestamp::parse("2026-11-20T08:00:00Z").unwrap();
    When { locale, zone: chrono_tz::Europe::Paris, region, now }
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

#[test]
fn dates_and_times_are_written_in_both_languages() {
    for (instant, english, american, french) in [
        (
            "2026-11-24T13:30:00Z",
            "on Tuesday 24 November at 14:30",
            "on Tuesday 24 November at 2:30 pm",
            "le mardi 24 novembre à 14 h 30",
        ),
        (
            "2026-11-20T13:00:00Z",
            "today, Friday 20 November at 14:00",
            "today, Friday 20 November at 2:00 pm",
            "aujourd'hui, vendredi 20 novembre à 14 h",
        ),
        (
            "2026-11-21T08:05:00Z",
            "tomorrow, Saturday 21 November at 09:05",
            "tomorrow, Saturday 21 November at 9:05 am",
            "demain, samedi 21 novembre à 9 h 05",
        ),
        (
            "2027-10-01T08:00:00Z",
            "on Friday 1 October 2027 at 10:00",
            "on Friday 1 October 2027 at 10:00 am",
            "le vendredi 1er octobre 2027 à 10 h",
        ),
        // The end of summer time repeats this hour, so the text contains the offset.
        (
            "2027-10-31T00:30:00Z",
            "on Sunday 31 October 2027 at 02:30 (UTC+02:00)",
            "on Sunday 31 October 2027 at 2:30 am (UTC+02:00)",
            "le dimanche 31 octobre 2027 à 2 h 30 (UTC+02:00)",
        ),
    ] {
        assert_eq!(writer(Locale::En, "FR").when(at(instant)), english);
        assert_eq!(writer(Locale::En, "US").when(at(instant)), american);
        assert_eq!(writer(Locale::Fr, "FR").when(at(instant)), french);
    }
}

#[test]
fn ranges_and_lists_are_written_in_both_languages() {
    let [tuesday, friday] = [24, 27].map(|day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap());
    let (english, french) = (writer(Locale::En, "GB"), writer(Locale::Fr, "FR"));
    assert_eq!(english.range(tuesday, tuesday), "on Tuesday 24 November");
    assert_eq!(english.range(tuesday, friday), "between Tuesday 24 November and Friday 27 November");
    assert_eq!(french.range(tuesday, friday), "entre le mardi 24 novembre et le vendredi 27 novembre");
    let times = ["2026-11-24T09:00:00Z", "2026-11-24T10:30:00Z", "2026-11-27T09:00:00Z"].map(at);
    assert_eq!(english.list(&times), "Tuesday 24 November at 10:00 and 11:30; Friday 27 November at 10:00");
    assert_eq!(french.list(&times), "mardi 24 novembre à 10 h et 11 h 30; vendredi 27 novembre à 10 h");
}

#[test]
fn both_languages_have_the_same_placeholders() {
    let placeholders = |template: &str| {
        let mut names: Vec<String> =
            template.split('{').skip(1).map(|rest| rest.split('}').next().unwrap().into()).collect();
        names.sort();
        names
    };
    for key in Key::ALL {
        let [english, french] = [Locale::En, Locale::Fr].map(|locale| placeholders(key.template(locale)));
        assert_eq!(english, french, "{key:?}");
    }
}

#[test]
fn names_are_cut_and_stay_on_one_line() {
    assert_eq!(name("  Ada\n\tLovelace\u{202e} "), "Ada Lovelace");
    assert_eq!(name(&"é".repeat(61)).chars().count(), 60);
    let line = say(Locale::En, Key::Closed, &[("business", "{when} & Sons")]);
    assert_eq!(line, "{when} & Sons does not take calls here.");
}

#[test]
fn the_emergency_number_depends_on_the_region() {
    let numbers = ["US", "MX", "GB", "AU", "NZ", "FR", ""].map(emergency_number);
    assert_eq!(numbers, ["911", "911", "999", "000", "111", "112", "112"]);
}

proptest! {
    /// The reader understands each date and time that the lines contain. If a time could be before or after noon, the
    /// reader may return both times.
    #[test]
    fn reading_a_written_time_returns_its_meaning(
        minutes in 0_i64..500 * 24 * 60, is_french: bool, region in prop::sample::select(vec!["US", "GB", "FR"]),
    ) {
        let writer = writer(if is_french { Locale::Fr } else { Locale::En }, region);
        let instant = writer.now + TimeDelta::minutes(minutes);
        let (date, time) = (writer.date_of(instant), writer.time_of(instant));
        let context = Context { today: writer.today(), month_first: region == "US", expect: Expect::Nothing, is_strict: false };
        for text in [writer.when(instant), writer.list(&[instant]), writer.moment(instant)] {
            let reading = read(&text, &context);
            // A date with its weekday must be read as one date, even if the date is in the next year.
            prop_assert_eq!(reading.dates, Some([date].into()), "{}", &text);
            let times = reading.times.unwrap_or_default();
            let other = time.with_hour((time.hour() + 12) % 24).unwrap();
            prop_assert!(times.contains(time), "{}", &text);
            prop_assert!(times.points().all(|point| point == time || point == other), "{}", &text);
            let is_sure = region == "US" && !is_french || time.hour() > 12;
            prop_assert!(!is_sure || !times.contains(other), "{}", &text);
        }
        prop_assert_eq!(read(&writer.on(date), &context).dates, Some([date].into()));
    }
}
