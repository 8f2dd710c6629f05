//! Sends more than a thousand requests to all routes, so that every refusal that a client can cause occurs.
//! The test compares the responses with recorded responses.
//!
//! All parts of a response must be equal, except for the wording of messages: the test compares only the
//! facts in a message (`facts`). The recorded responses are in this directory, in one file per group and one
//! line per request. The service runs in this process, with a clock and randomness that are the same in every
//! run. Ids, entity tags, cursors, keys and links are therefore compared as they are.
//!
//! `RECORD=1 cargo test --test recorded` records the responses again. Check the difference before you commit
//! it.

#![allow(clippy::unwrap_used, reason = "a test may panic, and `unwrap` shows the line")]

mod bodies;
mod facts;
mod golden;
mod groups;
#[path = "../api/harness/mod.rs"]
#[allow(dead_code, unused_imports, reason = "only one of the test binaries uses all of it")]
mod harness;
mod operations;
mod scene;
mod tape;

use std::collections::BTreeSet;
use std::thread;

use receptionist::service::routes;

use crate::operations::Document;
use crate::tape::Line;

/// The minimum number of requests that must be recorded.
const REQUESTS_MIN: usize = 1_500;

/// The error codes that no request of this test can get, each with the reason.
const UNREACHABLE: [(&str, &str); 1] = [(
    "rate_limit_unavailable",
    "needs requests from 65,536 addresses within a minute; `src/rate_limit.rs` tests the full table",
)];

// The test cannot record the following refusals either. Their codes are not in `UNREACHABLE`, because the test records
// other refusals with the same codes:
//
// - a body that does not arrive in time (408), because the limit is in real time; `src/http/body.rs` tests
//   it;
// - a business that fails repeatedly (503), because this requires a fault of the service;
// - a handler that panics (500), for the same reason;
// - a missing permission of a role (403), and used links (410), because only the dashboard has them, and its
//   pages are HTML.

/// Sends the requests of all groups. Each group has its own thread and service.
fn played() -> Vec<(&'static str, Vec<Line>)> {
    let groups = groups::all();
    thread::scope(|scope| {
        let start = |group: &'static str, played: groups::Group| {
            let play = move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(played.played())
            };
            thread::Builder::new().name(group.to_owned()).spawn_scoped(scope, play).unwrap()
        };
        let playing: Vec<_> =
            groups.into_iter().map(|group| (group.name, start(group.name, group))).collect();
        playing.into_iter().map(|(name, playing)| (name, playing.join().unwrap())).collect()
    })
}

#[test]
fn every_response_equals_the_recorded_one() {
    let groups = played();
    let lines: Vec<&Line> = groups.iter().flat_map(|(_, lines)| lines).collect();
    assert!(lines.len() >= REQUESTS_MIN, "{} requests", lines.len());
    check_codes(&lines);
    check_routes(&lines);
    if golden::records() {
        groups.iter().for_each(|(name, lines)| golden::write(name, lines));
        return;
    }
    let differences: String = groups.iter().map(|(name, lines)| golden::differences(name, lines)).collect();
    assert!(
        differences.is_empty(),
        "{} requests were sent, and some responses differ\n{differences}",
        lines.len()
    );
}

/// Checks that every error code was recorded or is listed as unreachable.
fn check_codes(lines: &[&Line]) {
    let answered: BTreeSet<_> =
        lines.iter().map(|line| line.code.as_str()).filter(|code| !code.is_empty()).collect();
    let all = Document::public().codes();
    let expected: BTreeSet<_> = all
        .iter()
        .map(String::as_str)
        .filter(|code| UNREACHABLE.iter().all(|(other, _)| other != code))
        .collect();
    assert_eq!(answered, expected);
}

/// Checks that every route has returned a success and a refusal.
fn check_routes(lines: &[&Line]) {
    let all: BTreeSet<_> = routes().into_iter().map(|(method, path)| (method.to_string(), path)).collect();
    let all: Vec<_> = all.into_iter().chain([("POST".to_owned(), "/mcp")]).collect();
    let of_route = |line: &Line| {
        let path = line.path.split('?').next().unwrap_or_default();
        let fitting = all.iter().filter(|(method, route)| *method == line.method && fits(route, path));
        fitting.min_by_key(|(_, route)| route.matches('{').count()).cloned()
    };
    let done = |is_done: fn(u16) -> bool| -> BTreeSet<_> {
        lines.iter().filter(|line| is_done(line.status)).filter_map(|line| of_route(line)).collect()
    };
    for (what, seen) in
        [("succeeded", done(|status| status < 300)), ("refused", done(|status| status >= 400))]
    {
        // On the following routes, no request of this test succeeds. A notice can be sent again only after the service
        // has tried to send it, and this test does not wait for that. A calendar can be connected only if its server
        // responds. An unanswered question can be deleted only after a conversation about it. Other tests cover these
        // routes.
        let is_apart = |path: &str| {
            let needs_more = ["/send-again", "/{gap_id}"];
            let is_calendar = path.contains("/calendars");
            what == "succeeded" && (is_calendar || needs_more.iter().any(|end| path.ends_with(end)))
        };
        let missing: Vec<_> =
            all.iter().filter(|route| !seen.contains(*route) && !is_apart(route.1)).collect();
        assert!(missing.is_empty(), "these routes have never {what}: {missing:?}");
    }
}

/// Whether a path matches the route.
fn fits(route: &str, path: &str) -> bool {
    let (route, path): (Vec<_>, Vec<_>) = (route.split('/').collect(), path.split('/').collect());
    let segment = |(route, path): (&&str, &&str)| route.starts_with('{') || route == path;
    route.len() == path.len() && route.iter().zip(&path).all(segment)
}
