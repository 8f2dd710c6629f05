//! The hours of a week in a form: a row for each day, with from when to when something is so on it.
//!
//! What always holds: what is read of a form is what the APIs take, and what they say is wrong with it stands beside the
//! day that it is about; a form shows every time that there is, however many a day has.

use actors::domain::{Day, DayHours, Problem};

use super::facts::Line;
use crate::dashboard::filled::Filled;
use crate::dashboard::form::Form;
use crate::dashboard::view::View;
use crate::http::json::Json;
use crate::words::{Value, capitalised};

/// The days as people here count them.
const DAYS: [Day; 7] =
    [Day::Monday, Day::Tuesday, Day::Wednesday, Day::Thursday, Day::Friday, Day::Saturday, Day::Sunday];
/// So many times of a day are read; the engine takes fewer of a whole week.
const OF_DAY_MAX: usize = 100;

/// From when to when something is so, as a property of a body and as fields of a form.
pub(super) struct Times {
    /// The property, whose items have a `day` and these ends.
    property: &'static str,
    ends: [&'static str; 2],
    /// Whether only a day that is ticked has any, and then at least one.
    ticked: bool,
    /// What is said before a time, and of its ends to whoever hears the page.
    word: &'static str,
    labels: [&'static str; 2],
}

/// When a business is open.
pub(super) const OPEN: Times = Times {
    property: "hours",
    ends: ["open", "close"],
    ticked: true,
    word: "hours-open",
    labels: ["hours-opens-at", "hours-closes-at"],
};
/// When nothing is booked though it is open.
pub(super) const BREAKS: Times = Times {
    property: "breaks",
    ends: ["from", "to"],
    ticked: false,
    word: "hours-break",
    labels: ["hours-break-from", "hours-break-to"],
};
/// When a staff member is there.
pub(super) const WORKS: Times =
    Times { word: "staff-works", labels: ["staff-works-from", "staff-works-to"], ..OPEN };
/// When they are there again.
pub(super) const WORKS_AGAIN: Times = Times { word: "staff-works-again", ..WORKS };

/// A day of the form.
pub(super) struct DayRow {
    pub(super) key: &'static str,
    pub(super) name: String,
    /// What ticking it means, for whoever hears the page.
    pub(super) ticks: String,
    pub(super) ticked: bool,
    pub(super) first: Span,
    pub(super) more: Vec<Span>,
    pub(super) problem: String,
}

/// From when to when.
pub(super) struct Span {
    pub(super) word: String,
    pub(super) from: Clock,
    pub(super) to: Clock,
}

/// A field for a time of day.
pub(super) struct Clock {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) label: String,
    pub(super) wrong: bool,
}

impl DayRow {
    /// The id of what is wrong with the day.
    pub(super) fn problem_id(&self) -> String {
        format!("{}-problem", self.key)
    }
}

/// The name of a day.
pub(super) fn day_name(view: &View, day: Day) -> String {
    let number = DAYS.iter().position(|known| *known == day).unwrap_or_default() as u64 + 1;
    capitalised(&view.words.say("weekday", &[("number", Value::Count(number))]))
}

/// A time of day as the APIs write it, of what people write: `9:00`, `9h`, `09h30`.
pub(super) fn tidy(text: &str) -> String {
    let text = text.trim().replace(['h', 'H'], ":");
    let text = if text.ends_with(':') { text + "00" } else { text };
    if text.len() == 4 && text.as_bytes()[1] == b':' { format!("0{text}") } else { text }
}

impl Times {
    /// The field of the end of a time: of the day's first, second and so on.
    fn field(&self, day: Day, nth: usize, end: usize) -> String {
        format!("{day}-{}-{nth}-{}", self.property, ["from", "to"][end])
    }

    /// From when to when, as it stands in a form; nothing where that has no such fields.
    fn find(&self, form: &Form, day: Day, nth: usize) -> Option<[String; 2]> {
        let [from, to] = [0, 1].map(|end| form.find(&self.field(day, nth, end)).map(tidy));
        Some([from?, to?])
    }

    /// Those of a day in a form.
    fn of_day(&self, form: &Form, day: Day) -> impl Iterator<Item = [String; 2]> {
        (1..=OF_DAY_MAX).map_while(move |nth| self.find(form, day, nth))
    }

    /// Adds to the fields of a form what there is.
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

    /// Whether a form says anything of it, were it that there are none.
    pub(super) fn is_in(&self, form: &Form) -> bool {
        DAYS.into_iter().any(|day| self.find(form, day, 1).is_some())
    }

    /// The property that a form says, and of each of its items the fields: of its beginning and its end.
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

    /// What is wrong with items of the property, as what is wrong with their fields.
    pub(super) fn beside(&self, problems: &mut [Problem], fields: &[[String; 2]]) {
        for problem in problems {
            let Some(rest) = problem.path.strip_prefix(self.property).and_then(|rest| rest.strip_prefix('['))
            else {
                continue;
            };
            let Some((index, of)) = rest.split_once(']') else { continue };
            let Some([from, to]) = index.parse().ok().and_then(|index: usize| fields.get(index)) else {
                continue;
            };
            problem.path.clone_from(if of.ends_with(self.ends[1]) { to } else { from });
        }
    }

    fn span(&self, view: &View, filled: &mut Filled, day: Day, nth: usize, problem: &mut String) -> Span {
        let name = day_name(view, day);
        let mut clock = |end: usize| {
            let field = self.field(day, nth, end);
            let wrong = filled.problem(view, &field);
            if !wrong.is_empty() && !problem.contains(&wrong) {
                *problem = [problem.as_str(), &wrong].join(" ").trim_start().to_owned();
            }
            let value = filled.get(&field).to_owned();
            Clock {
                name: field,
                value,
                label: view.with(self.labels[end], "day", &name),
                wrong: !wrong.is_empty(),
            }
        };
        let (from, to) = (clock(0), clock(1));
        Span { word: view.t(self.word), from, to }
    }
}

/// The rows of a week: each day's first time, and those that stand behind it, of which there is one more with `room`.
pub(super) fn rows(
    view: &View,
    filled: &mut Filled,
    (first, more): (&Times, &Times),
    ticks: &str,
    room: bool,
) -> Vec<DayRow> {
    let row = |day: Day| {
        let mut problem = String::new();
        // Where both are the same property, the second is the one behind the first.
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

/// What a form says of each day: from when to when, and its breaks.
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

/// The same in few words: days that follow each other and are alike stand together, and closed ones are left out.
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
        let (name, said) = &lines[first];
        let until = &lines[last].0;
        let days = match last - first {
            0 => name.clone(),
            _ => {
                let values = [("from", Value::Text(name)), ("to", Value::Text(until))];
                view.words.say("hours-days", &values)
            }
        };
        format!("{days}, {said}")
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use actors::domain::LocalTime;

    use super::*;

    fn hours(day: Day, open: &str, close: &str) -> DayHours {
        DayHours { day, open: LocalTime::parse(open).unwrap(), close: LocalTime::parse(close).unwrap() }
    }

    #[test]
    fn what_is_filled_in_is_read_as_it_was() {
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
    fn what_is_wrong_with_an_item_is_wrong_with_its_field() {
        let form = Form::parse(
            b"monday=on&monday-hours-1-from=9h&monday-hours-1-to=9:00&friday=on&friday-hours-1-from=&friday-hours-1-to=\
              &sunday-hours-1-from=01:00&sunday-hours-1-to=02:00&sunday-breaks-1-from=12:00&sunday-breaks-1-to=",
        );
        let (read, fields) = OPEN.read(&form);
        let Json::Array(items) = &read else { panic!("a list") };
        assert_eq!(items.len(), 2, "sunday is not ticked");
        assert_eq!(items[0].property("open").unwrap().as_text(), Some("09:00"));
        let mut problems =
            ["hours[0].close", "hours[1].open", "hours[1].day", "hours", "breaks[0].to", "hours[7].open"]
                .map(|path| Problem::new(path, "x"));
        OPEN.beside(&mut problems, &fields);
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
        assert_eq!(fields, [["sunday-breaks-1-from", "sunday-breaks-1-to"]], "kept on a day that is closed");
    }

    #[test]
    fn times_are_taken_as_people_write_them() {
        for (text, tidied) in [
            (" 9:05 ", "09:05"),
            ("9h", "09:00"),
            ("14H30", "14:30"),
            ("24:00", "24:00"),
            ("x", "x"),
            ("", ""),
            ("é:30", "é:30"),
        ] {
            assert_eq!(tidy(text), tidied);
        }
    }
}
