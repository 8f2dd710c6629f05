//! The reader of declared request bodies. It reports every problem of a body.

use domain::{ContactId, Email, Problem, Text, WeeklyHours};

use crate::english;
use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::http::problems::{PATH_CHARS_MAX, PROBLEMS_MAX};
use crate::http::read::parse_object;
use crate::json_object;

json_object! {
    /// A person.
    struct Person {
        /// The person's name.
        name: Option<Text<1, 5>>,
        /// The person's email address.
        email: Email,
    }
}

json_object! {
    /// A body with a property of every type.
    struct Everything {
        /// A nested object.
        contact: Person,
        /// A property whose name differs from the name of its field.
        kind as "type": Option<String>,
        /// A number with bounds.
        minutes: Option<Whole<5, 1440>>,
        /// A list of ids.
        ids: Option<DistinctList<ContactId, 0, 2>>,
        /// A list of distinct texts.
        words: Option<DistinctList<String, 1, 3>>,
        /// The opening hours of a week.
        hours: Option<WeeklyHours>,
        /// A property that null clears.
        note: Patch<Option<String>>,
        /// A property that refuses null.
        flag: Patch<bool>,
    }
}

fn problems(body: &str) -> Vec<(String, String)> {
    match parse_object::<Everything>(body.as_bytes()) {
        Err(problems) => {
            problems.into_iter().map(|Problem { path, code }| (path, english::problem(&code))).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn check(body: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(problems(body), expected, "{body}");
}

#[test]
fn every_problem_is_listed_with_its_path() {
    check(
        r#"{"contact":{"name":"","email":7,"age":1},"type":"a\u0000b","minutes":4,"ids":["x",1],"words":[],
            "hours":[{"day":"someday","open":"9:00"},5],"flag":null,"extra":{},"flag":true}"#,
        &[
            ("extra", "is not a known property"),
            ("flag", "is given twice"),
            ("contact.age", "is not a known property"),
            ("contact.name", "must have 1 to 5 characters"),
            ("contact.email", "must be a string"),
            ("type", "must not contain the NUL character"),
            ("minutes", "must be a whole number from 5 to 1440"),
            ("ids[0]", "must be a UUID"),
            ("ids[1]", "must be a string"),
            ("words", "must have 1 to 3 items"),
            ("hours[0].day", "must be one of sunday, monday, tuesday, wednesday, thursday, friday, saturday"),
            ("hours[0].open", "must be a local time from 00:00 to 24:00, as HH:MM"),
            ("hours[0].close", "is required"),
            ("hours[1]", "must be an object"),
            ("flag", "must be true or false"),
        ],
    );
}

#[test]
fn missing_and_mistyped_properties_are_reported() {
    check("{}", &[("contact", "is required")]);
    check("[]", &[("", "the body must be a JSON object")]);
    check(r#"{"contact":null}"#, &[("contact", "must be an object")]);
    check(
        r#"{"contact":{"email":"a@b","email":"a@b"},"words":["x","y","x"]}"#,
        &[("contact.email", "is given twice"), ("words[2]", "is listed twice")],
    );
    check(
        r#"{"contact":{"email":"a@b"},"hours":[{"day":"monday","open":"24:00","close":"01:00"}]}"#,
        &[("hours[0].open", "must be 00:00 to 23:59")],
    );
}

#[test]
fn an_absent_property_keeps_null_clears_and_a_value_sets() {
    let read = |rest: &str| {
        let body = format!(r#"{{"contact":{{"email":"A@B","name":null}}{rest}}}"#);
        parse_object::<Everything>(body.as_bytes()).unwrap()
    };
    assert_eq!((read("").note, read("").flag), (Patch::Keep, Patch::Keep));
    assert_eq!(read(r#","note":null"#).note, Patch::Set(None));
    let full = read(r#","note":"x","flag":false,"minutes":5.0,"type":"t","hours":[],"words":["a"],"ids":[]"#);
    assert_eq!((full.note, full.flag), (Patch::Set(Some("x".into())), Patch::Set(false)));
    assert_eq!(full.minutes.unwrap().get(), 5);
    assert_eq!(full.kind.unwrap(), "t");
    assert_eq!(full.words.unwrap().into_vec(), ["a"]);
    assert_eq!(full.hours.unwrap().days(), []);
    assert!(full.ids.unwrap().into_vec().is_empty());
    assert_eq!((full.contact.name, full.contact.email.as_str()), (None, "a@b"));
}

#[test]
fn problems_beyond_the_maximum_are_only_counted() {
    let body = |count: usize| {
        let extra: Vec<_> = (0..count).map(|n| format!(r#""x{n}":1"#)).collect();
        format!(r#"{{"contact":{{"email":"a@b"}},{}}}"#, extra.join(","))
    };
    assert_eq!(problems(&body(PROBLEMS_MAX)).len(), PROBLEMS_MAX);
    let found = problems(&body(PROBLEMS_MAX + 3));
    assert_eq!(found.len(), PROBLEMS_MAX + 1);
    assert_eq!(found[PROBLEMS_MAX], ("".into(), "3 more problems are not listed".into()));
}

#[test]
fn a_long_name_is_cut_in_the_path() {
    let name = "é".repeat(PATH_CHARS_MAX + 1);
    let found = problems(&format!(r#"{{"contact":{{"email":"a@b"}},"{name}":1}}"#));
    assert_eq!(found[0].0, "é".repeat(PATH_CHARS_MAX));
}
