//! The hours of a week in a form, with a row for each day.
//!
//! Invariants:
//! - The form is converted to a body with the format of the APIs. Each problem is shown at its day.
//! - A form shows all ranges of a day, regardless of their number.

use domain::{Day, DayHours, Problem};

use crate::dashboard::pages::prelude::*;

const DAYS: [Day; 7] =
    [Day::Monday, Day::Tuesday, Day::Wednesday, Day::Thursday, Day::Friday, Day::Saturday, Day::Sunday];
/// The maximum number of ranges per day that are parsed. The engine accepts fewer ranges per week.
const OF_DAY_MAX: usize = 100;

/// A kind of hours, with its property in the body and its fields in the form.
pub(super) struct Times {
    /// The name of the property. The property is a list. Each item has the property `day` and the two properties that
    /// `ends` names.
    property: &'static str,
    ends: [&'static str; 2],
    /// If true, only ticked days have ranges, and each ticked day has at least one. If false, the checkbox of a day is
    /// ignored.
    ticked: bool,
    /// The message ids of the word before a range, and of the labels for screen readers.
    word: &'static str,
    labels: [&'static str; 2],
}

pub(super) const OPEN: Times = Times {
    property: "hours",
    ends: ["open", "close"],
    ticked: true,
    word: "hours-open",
    labels: ["hours-opens-at", "hours-closes-at"],
};
pub(super) const BREAKS: Times = Times {
    property: "breaks",
    ends: ["from", "to"],
    ticked: false,
    word: "hours-break",
    labels: ["hours-break-from", "hours-break-to"],
};
pub(super) const WORKS: Times =
    Times { word: "staff-works", labels: ["staff-works-from", "staff-works-to"], ..OPEN };
pub(super) const WORKS_AGAIN: Times = Times { word: "staff-works-again", ..WORKS };

pub(super) const WINDOWS: Times = Times { property: "windows", ..OPEN };

pub(super) struct DayRow {
    pub(super) key: &'static str,
    pub(super) name: String,
    pub(super) ticks: String,
    pub(super) ticked: bool,
    pub(super) first: Span,
    pub(super) more: Vec<Span>,
    pub(super) problem: String,
}

pub(super) struct Span {
    pub(super) word: String,
    pub(super) from: Field,
    pub(super) to: Field,
}

impl DayRow {
    pub(super) fn problem_id(&self) -> String {
        format!("{}-problem", self.key)
    }
}

pub(super) fn day_name(view: &View, day: Day) -> String {
    capitalised(&view.words.weekday(day))
}

/// The names of consecutive days: `Monday`, `Monday and Tuesday`, `Monday to Wednesday`.
pub(super) fn days_name(view: &View, days: &[Day]) -> String {
    let range = |id, from: Day, to: Day| {
        view.says(id, &[("from", view.words.weekday(from)), ("to", view.words.weekday(to))])
    };
    capitalised(&match *days {
        [] => String::new(),
        [day] => view.words.weekday(day),
        [first, last] => range("hours-two-days", first, last),
        [first, .., last] => range("hours-days", first, last),
    })
}

/// Converts a typed time of day to the format of the APIs. It accepts `9:00`, `9`, `9h`, `09 h 30`, `9.30`,
/// and `930` from numeric keypads. Other text stays unchanged, and the APIs refuse it.
pub(in crate::dashboard) fn tidy(text: &str) -> String {
    let text = text.trim();
    if let Some(time) = of_half(text) {
        return time;
    }
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (hours, minutes) = match text.split_once([':', 'h', 'H', '.']) {
        Some((hours, "")) if !text.ends_with('.') => (hours.trim_end(), "00"),
        Some((hours, minutes)) => (hours.trim_end(), minutes.trim_start()),
        None if is_digits(text) && text.len() > 2 => text.split_at(text.len() - 2),
        None => (text, "00"),
    };
    match is_digits(hours) && hours.len() <= 2 && is_digits(minutes) && minutes.len() == 2 {
        true => format!("{hours:0>2}:{minutes}"),
        false => text.to_owned(),
    }
}

/// Converts a time of the 12-hour clock, for example `9am` or `12.30 PM`, to the form `HH:MM`.
fn of_half(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase().replace("a.m.", "am").replace("p.m.", "pm");
    let (time, is_pm) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(time), _) => (time, false),
        (None, time) => (time?, true),
    };
    let time = tidy(time);
    let (hours, minutes) = time.split_once(':')?;
    let hours: u32 = hours.parse().ok().filter(|hours| (1..=12).contains(hours))?;
    Some(format!("{:02}:{minutes}", hours % 12 + if is_pm { 12 } else { 0 }))
}

impl Times {
    fn field(&self, day: Day, nth: usize, end: usize) -> String {
        format!("{day}-{}-{nth}-{}", self.property, ["from", "to"][end])
    }

    fn find(&self, form: &Form, day: Day, nth: usize) -> Option<[String; 2]> {
        let [from, to] = [0, 1].map(|end| form.find(&self.field(day, nth, end)).map(tidy));
        Some([from?, to?])
    }

    fn of_day(&self, form: &Form, day: Day) -> impl Iterator<Item = [String; 2]> {
        (1..=OF_DAY_MAX).map_while(move |nth| self.find(form, day, nth))
    }

    pub(super) fn fill(&self, fields: &mut Vec<(String, String)>, hours: &[DayHours]) {
        for day in DAYS {
            let of_day = hours.iter().filter(|hours| hours.day == day);
            for (before, hours) in of_day.enumerate() {
                if self.ticked && before == 0 {
                    fields.push((day.to_string(), "on".into()));
                }
                for (end, time) in [hours.open, hours.close].into_iter().enumerate() {
                    fields.push((self.field(day, before + 1, end), time.to_string()));
                }
            }
        }
    }

    /// The form with the same ranges on each ticked day, copied from the first ticked day with a range.
    pub(super) fn same(&self, form: &Form) -> Form {
        let ticked: Vec<Day> = DAYS.into_iter().filter(|day| form.find(day.as_str()).is_some()).collect();
        let has_any = |day: &&Day| self.of_day(form, **day).flatten().any(|end| !end.is_empty());
        let Some(first) = ticked.iter().find(has_any) else { return form.clone() };
        let is_of = |name: &str, day: &Day| name.starts_with(&format!("{day}-{}-", self.property));
        let kept = form.fields().filter(|(name, _)| !ticked.iter().any(|day| is_of(name, day)));
        let mut fields: Vec<(String, String)> =
            kept.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        for day in &ticked {
            for (before, ends) in self.of_day(form, *first).enumerate() {
                fields.extend([0, 1].map(|end| (self.field(*day, before + 1, end), ends[end].clone())));
            }
        }
        Form::of(fields)
    }

    /// Whether the form has fields for these hours. The fields may be empty.
    pub(super) fn is_in(&self, form: &Form) -> bool {
        DAYS.into_iter().any(|day| self.find(form, day, 1).is_some())
    }

    /// The value of the property, which is a list. Also returns the names of the two form fields of each list item.
    pub(super) fn read(&self, form: &Form) -> (Json, Vec<[String; 2]>) {
        let (mut items, mut fields) = (Vec::new(), Vec::new());
        for day in DAYS {
            if self.ticked && form.find(day.as_str()).is_none() {
                continue;
            }
            for (before, [from, to]) in self.of_day(form, day).enumerate() {
                let is_needed = self.ticked && before == 0;
                if from.is_empty() && to.is_empty() && !is_needed {
                    continue;
                }
                let of = [("day", day.to_string()), (self.ends[0], from), (self.ends[1], to)];
                items.push(Json::Object(of.map(|(name, value)| (name.into(), Json::String(value))).into()));
                fields.push([0, 1].map(|end| self.field(day, before + 1, end)));
            }
        }
        (Json::Array(items), fields)
    }

    pub(super) fn beside(&self, mut problem: Problem, fields: &[[String; 2]]) -> Problem {
        let item = problem.path.strip_prefix(self.property).and_then(|rest| rest.strip_prefix('['));
        if let Some((index, of)) = item.and_then(|item| item.split_once(']'))
            && let Some([from, to]) = index.parse().ok().and_then(|index: usize| fields.get(index))
        {
            problem.path = if of.ends_with(self.ends[1]) { to.clone() } else { from.clone() };
        }
        problem
    }

    fn span(&self, view: &View, filled: &mut Filled, day: Day, nth: usize, problem: &mut String) -> Span {
        let name = day_name(view, day);
        let mut clock = |end: usize| {
            let label = view.with(self.labels[end], "day", &name);
            let field = filled.field(view, Field::line(self.field(day, nth, end), label));
            if !field.problem.is_empty() && !problem.contains(&field.problem) {
                *problem = [problem.as_str(), &field.problem].join(" ").trim_start().to_owned();
            }
            field
        };
        let (from, to) = (clock(0), clock(1));
        Span { word: view.t(self.word), from, to }
    }
}

/// The rows of a week. The parameter `first` describes the fields of the first range of each day, and `more` describes
/// the fields of the further ranges. A day always has fields for at least one further range. If `room` is true, a day
/// also gets empty fields for one more range. There is one exception: if a day has only one further range, and this
/// range has no start yet, the day gets no more fields.
pub(super) fn rows(
    view: &View,
    filled: &mut Filled,
    (first, more): (&Times, &Times),
    ticks: &str,
    room: bool,
) -> Vec<DayRow> {
    let row = |day: Day| {
        let mut problem = String::new();
        // The ranges of each property are numbered from 1. If `first` and `more` describe the same property, the first
        // range has the number 1, and the further ranges begin with 2. If they describe different properties, the
        // further ranges begin with 1.
        let begin = if first.property == more.property { 2 } else { 1 };
        let has = |nth: &usize| !filled.get(&more.field(day, *nth, 0)).is_empty();
        let kept = (begin..=OF_DAY_MAX).take_while(|nth| filled.has(&more.field(day, *nth, 0))).last();
        let last = kept.unwrap_or(begin);
        let last = if room && (has(&last) || last > begin) { last + 1 } else { last };
        let first = first.span(view, filled, day, 1, &mut problem);
        let more = (begin..=last).map(|nth| more.span(view, filled, day, nth, &mut problem)).collect();
        let ticked = filled.has(day.as_str());
        DayRow {
            key: day.as_str(),
            name: day_name(view, day),
            ticks: view.t(ticks),
            ticked,
            first,
            more,
            problem,
        }
    };
    DAYS.into_iter().map(row).collect()
}

pub(super) fn lines(view: &View, form: &Form, times: &Times, breaks: Option<&Times>) -> Vec<Line> {
    let said = |day: Day, times: &Times| {
        let given = times.of_day(form, day).filter(|ends| ends.iter().any(|end| !end.is_empty()));
        given.map(|[from, to]| format!("{from} – {to}")).collect::<Vec<_>>().join(", ")
    };
    let line = |day: Day| {
        let closed = form.find(day.as_str()).is_none();
        let mut all = if closed { view.t("hours-closed") } else { said(day, times) };
        let breaks = breaks.map(|breaks| said(day, breaks)).unwrap_or_default();
        if !breaks.is_empty() {
            all = [all, view.with("hours-with-break", "times", &breaks)].join(", ");
        }
        (day_name(view, day), all)
    };
    DAYS.into_iter().map(line).collect()
}

/// A short text about the ranges. Consecutive equal days are combined, and closed days are omitted.
pub(super) fn in_short(view: &View, form: &Form, times: &Times) -> String {
    let lines = lines(view, form, times, None);
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, (_, said)) in lines.iter().enumerate() {
        if form.find(DAYS[at].as_str()).is_none() {
            continue;
        }
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == at && lines[*last].1 == *said => *last = at,
            _ => runs.push((at, at)),
        }
    }
    let run = |(first, last): (usize, usize)| {
        format!("{}, {}", days_name(view, &DAYS[first..=last]), lines[first].1)
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use domain::{LocalTime, ProblemCode};

    use super::*;

    fn hours(day: Day, open: &str, close: &str) -> DayHours {
        DayHours { day, open: LocalTime::parse(open).unwrap(), close: LocalTime::parse(close).unwrap() }
    }

    #[test]
    fn a_filled_form_is_read_back_unchanged() {
        let week = [
            hours(Day::Sunday, "10:00", "12:00"),
            hours(Day::Monday, "09:00", "12:00"),
            hours(Day::Monday, "13:00", "24:00"),
        ];
        let mut fields = Vec::new();
        WORKS.fill(&mut fields, &week);
        let (read, places) = WORKS.read(&Form::of(fields));
        let Json::Array(items) = read else { panic!("a list") };
        let of = |item: &Json| {
            ["day", "open", "close"].map(|name| item.property(name).unwrap().as_text().unwrap().to_owned())
        };
        let expected =
            [["monday", "09:00", "12:00"], ["monday", "13:00", "24:00"], ["sunday", "10:00", "12:00"]];
        assert_eq!(items.iter().map(of).collect::<Vec<_>>(), expected);
        assert_eq!(places[1], ["monday-hours-2-from", "monday-hours-2-to"]);
    }

    #[test]
    fn the_problem_of_an_item_is_shown_at_its_field() {
        let form = Form::parse(
            b"monday=on&monday-hours-1-from=9h&monday-hours-1-to=9:00&friday=on&friday-hours-1-from=&friday-hours-1-to=\
              &sunday-hours-1-from=01:00&sunday-hours-1-to=02:00&sunday-breaks-1-from=12:00&sunday-breaks-1-to=",
        );
        let (read, fields) = OPEN.read(&form);
        let Json::Array(items) = &read else { panic!("a list") };
        assert_eq!(items.len(), 2, "sunday is not ticked, so it must be absent");
        assert_eq!(items[0].property("open").unwrap().as_text(), Some("09:00"));
        let problems =
            ["hours[0].close", "hours[1].open", "hours[1].day", "hours", "breaks[0].to", "hours[7].open"]
                .map(|path| OPEN.beside(Problem::new(path, ProblemCode::Required), &fields));
        let paths = problems.iter().map(|problem| problem.path.as_str());
        let expected = [
            "monday-hours-1-to",
            "friday-hours-1-from",
            "friday-hours-1-from",
            "hours",
            "breaks[0].to",
            "hours[7].open",
        ];
        assert_eq!(paths.collect::<Vec<_>>(), expected);
        let (_, fields) = BREAKS.read(&form);
        assert_eq!(fields, [["sunday-breaks-1-from", "sunday-breaks-1-to"]], "a closed day can have breaks");
    }

    #[test]
    fn ticked_days_get_the_ranges_of_the_first_ticked_day_with_ranges() {
        let form = Form::parse(
            b"monday=on&monday-hours-1-from=&monday-hours-1-to=&tuesday=on&tuesday-hours-1-from=9h&tuesday-hours-1-to=18.30\
              &tuesday-breaks-1-from=12&tuesday-breaks-1-to=13&friday=on&friday-hours-1-from=1&friday-hours-1-to=2\
              &friday-hours-2-from=3&friday-hours-2-to=4&sunday-hours-1-from=10&sunday-hours-1-to=11",
        );
        let same = OPEN.same(&form);
        for day in ["monday", "tuesday", "friday"] {
            let ends = ["from", "to"].map(|end| same.get(&format!("{day}-hours-1-{end}")).to_owned());
            assert_eq!(ends, ["09:00", "18:30"], "{day}");
            assert!(same.find(day).is_some(), "{day}");
        }
        assert_eq!(same.find("friday-hours-2-from"), None, "further ranges must be removed");
        assert_eq!(same.get("sunday-hours-1-from"), "10", "closed");
        assert_eq!(same.get("tuesday-breaks-1-from"), "12", "breaks must not be copied");
        let none = Form::parse(b"monday=on&monday-hours-1-from=&monday-hours-1-to=&sunday-hours-1-from=10");
        assert_eq!(OPEN.same(&none), none, "without ranges the form must not change");
    }

    #[test]
    fn usual_forms_of_a_time_are_accepted() {
        for (text, tidied) in [
            (" 9:05 ", "09:05"),
            ("9", "09:00"),
            ("18", "18:00"),
            ("9h", "09:00"),
            ("9:", "09:00"),
            ("18h30", "18:30"),
            ("14H30", "14:30"),
            ("9 h 30", "09:30"),
            ("18\u{a0}h\u{a0}30", "18:30"),
            ("18.30", "18:30"),
            ("930", "09:30"),
            ("1830", "18:30"),
            ("24:00", "24:00"),
            ("9am", "09:00"),
            ("12.30 PM", "12:30"),
            ("12 a.m.", "00:00"),
            ("6pm", "18:00"),
        ] {
            assert_eq!(tidy(text), tidied, "{text}");
            assert!(LocalTime::parse(&tidy(text)).is_some(), "{text}");
        }
        let no_times = [
            "", "x", "h", ":30", "9:5", "9h5", "9.", "9.5", "18.300", "9:30:00", "9h30m", "-9", "+9", "9,30",
            "25", "18:60", "2400000", "12345", "é:30", "9é", "१८", "18pm", "0am",
        ];
        for text in no_times {
            assert!(LocalTime::parse(&tidy(text)).is_none(), "{text}");
        }
        assert_eq!(tidy(" later "), "later", "other text must not change");
    }
}
