//! The reader of declared queries. It reports every problem of a query.

use chrono::NaiveDate;
use domain::{AppointmentStatus, Problem, StaffId, Timestamp};
use proptest::prelude::*;

use crate::english;
use crate::http::lists::CommaList;
use crate::http::numbers::Limit;
use crate::http::query::parse;
use crate::http::reading::Reading;
use crate::query_object;

query_object! {
    /// A query with a parameter of every type.
    struct Everything {
        /// A day.
        day: NaiveDate,
        /// An instant.
        from: Option<Timestamp>,
        /// Statuses, separated by commas.
        status: CommaList<AppointmentStatus, 3>,
        /// An id.
        staff_id: Option<StaffId>,
        /// A parameter whose name differs from the name of its field.
        kind as "type": Option<String>,
        /// A flag.
        flag: Option<bool>,
        /// The maximum number of items.
        limit: Limit<50, 100>,
    }
}

fn check(query: &str, expected: &[(&str, &str)]) {
    match parse::<Everything>(Some(query), Reading::PLAIN) {
        Err(problems) => {
            let told: Vec<_> =
                problems.iter().map(|Problem { path, code }| (&**path, english::problem(code))).collect();
            let expected: Vec<_> =
                expected.iter().map(|(path, message)| (*path, (*message).to_owned())).collect();
            assert_eq!(told, expected, "{query}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_parameter_is_read() {
    let query = "day=2026-03-02&from=2026-03-02T10%3A00:00%2B01:00&status=pending,confirmed&type=a+%c3%A9%2b\
                 &flag=true&limit=100&&staff_id=0190b6a4-3c8e-7d3a-9f00-1234567890ab";
    let read: Everything = parse(Some(query), Reading::PLAIN).unwrap();
    assert_eq!(read.day.to_string(), "2026-03-02");
    assert_eq!(read.from.unwrap().to_string(), "2026-03-02T09:00:00.000Z");
    let statuses = [AppointmentStatus::Pending, AppointmentStatus::Confirmed];
    assert_eq!(read.status.into_vec(), statuses);
    assert_eq!((read.kind.as_deref(), read.flag, read.limit.get()), (Some("a é+"), Some(true), 100));
    assert!(read.staff_id.is_some());
    let read: Everything = parse(Some("day=2026-03-02"), Reading::PLAIN).unwrap();
    assert_eq!((read.limit.get(), read.kind, read.status.into_vec()), (50, None, Vec::new()));
}

#[test]
fn every_problem_is_listed_with_its_parameter() {
    check(
        "day=x&x=1&flag=1&flag=2&limit=0&%zz=1&status=pending,&type=%00&staff_id=%ff&from=%4",
        &[
            ("%zz", "is not a valid percent-encoded name"),
            ("staff_id", "is not valid percent-encoded UTF-8"),
            ("from", "is not valid percent-encoded UTF-8"),
            ("x", "is not a known parameter"),
            ("flag", "is given twice"),
            ("day", "must be a date as YYYY-MM-DD"),
            ("status", "must be one of pending, confirmed, declined, cancelled"),
            ("type", "must not contain the NUL character"),
            ("flag", "must be true or false"),
            ("limit", "must be a whole number from 1 to 100"),
        ],
    );
    check("", &[("day", "is required")]);
}

#[test]
fn lists_and_limits_have_a_maximum() {
    assert!(
        parse::<Everything>(Some("day=2026-03-02&status=pending,pending,pending"), Reading::PLAIN).is_ok()
    );
    check(
        "day=2026-03-02&limit=101&status=pending,pending,pending,pending",
        &[("status", "must list at most 3 values"), ("limit", "must be a whole number from 1 to 100")],
    );
}

#[test]
fn an_unescaped_plus_is_explained() {
    let message = "must be an RFC 3339 date-time with an offset or Z, such as 2026-03-02T09:00:00Z \
                   (in a query, + is a space; write it as %2B)";
    check("day=2026-03-02&from=2026-03-02T10:00:00+01:00", &[("from", message)]);
}

proptest! {
    #[test]
    fn no_query_makes_the_parser_panic(query in "[%&=+a-f0-9dayéz]{0,60}") {
        let _ = parse::<Everything>(Some(&query), Reading::PLAIN);
    }
}
