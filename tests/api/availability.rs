//! Tests of `GET /availability`, which lists the times that can be booked through the public API.

use serde_json::{Value, json};

use crate::harness::{Server, stamp, week};

fn day(day: &str, open: &str, close: &str) -> Value {
    json!({ "day": day, "open": open, "close": close })
}

/// The start times from `first` to `last` on one day, at intervals of `step` minutes. `first` and `last` have
/// the form `HH:MM`.
fn every(date: &str, step: u32, first: &str, last: &str) -> Vec<String> {
    let minutes = |text: &str| text[..2].parse::<u32>().unwrap() * 60 + text[3..].parse::<u32>().unwrap();
    (minutes(first)..=minutes(last))
        .step_by(step as usize)
        .map(|at| stamp(&format!("{date}T{:02}:{:02}", at / 60, at % 60)))
        .collect()
}

#[tokio::test]
async fn times_are_listed_every_30_minutes_until_the_last_that_fits() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (service, last, minutes) in
        [(&salon.cut, "16:30", 30), (&salon.massage, "16:00", 60), (&salon.colour, "15:30", 90)]
    {
        let answer = salon.get(&format!("/availability?service_id={service}&start_date=2026-03-03")).await;
        let slots = answer.list();
        assert_eq!(crate::harness::starts(&slots), every("2026-03-03", 30, "08:00", last));
        let ends = chrono::DateTime::parse_from_rfc3339(slots[0]["ends_at"].as_str().unwrap()).unwrap();
        let starts = chrono::DateTime::parse_from_rfc3339(slots[0]["starts_at"].as_str().unwrap()).unwrap();
        assert_eq!((ends - starts).num_minutes(), minutes);
        assert_eq!(answer.body["has_more"], false);
    }
}

#[tokio::test]
async fn the_grid_starts_at_the_opening_time_of_each_day() {
    let server = Server::open().await;
    let hours = json!([day("tuesday", "09:10", "11:00"), day("wednesday", "09:45", "11:00")]);
    let salon = server.salon_with(json!({ "hours": hours })).await;
    let listed = salon.slots(&salon.cut, "start_date=2026-03-03&end_date=2026-03-04").await;
    let expected = [every("2026-03-03", 30, "08:10", "09:10"), every("2026-03-04", 30, "08:45", "09:15")];
    assert_eq!(listed, expected.concat());
}

#[tokio::test]
async fn a_closed_day_lists_nothing_and_a_week_lists_all_open_days() {
    let server = Server::open().await;
    let salon = server.salon().await;
    assert!(salon.slots(&salon.cut, "start_date=2026-03-08").await.is_empty());
    let listed = salon.slots(&salon.cut, "start_date=2026-03-03&end_date=2026-03-09").await;
    assert_eq!(listed.len(), 6 * 18);
    assert!(listed.is_sorted());
    assert_eq!(salon.slots(&salon.cut, "start_date=2026-03-03&end_date=2026-03-03").await.len(), 18);
}

#[tokio::test]
async fn only_times_later_than_now_are_listed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = async |now: &str| {
        server.clock.set(now);
        salon.slots(&salon.cut, "start_date=2026-03-02").await.into_iter().next()
    };
    assert_eq!(first("2026-03-02T07:59:59.999Z").await.unwrap(), stamp("2026-03-02T08:00"));
    assert_eq!(first("2026-03-02T08:00:00Z").await.unwrap(), stamp("2026-03-02T08:30"));
    assert_eq!(first("2026-03-02T16:29:59Z").await.unwrap(), stamp("2026-03-02T16:30"));
    assert_eq!(first("2026-03-02T16:30:00Z").await, None);
    assert!(salon.slots(&salon.cut, "start_date=2026-02-23&end_date=2026-03-01").await.is_empty());
}

#[tokio::test]
async fn each_start_of_a_window_past_midnight_is_listed_on_its_own_date() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "hours": [day("tuesday", "22:00", "02:00")] })).await;
    let evening = every("2026-03-03", 30, "21:00", "22:30");
    let night =
        [every("2026-03-03", 30, "23:00", "23:30"), every("2026-03-04", 30, "00:00", "00:30")].concat();
    assert_eq!(salon.slots(&salon.cut, "start_date=2026-03-03").await, evening);
    assert_eq!(salon.slots(&salon.cut, "start_date=2026-03-04").await, night);
    let both = salon.slots(&salon.cut, "start_date=2026-03-03&end_date=2026-03-04").await;
    assert_eq!(both, [evening, night].concat());
    let colour = salon.slots(&salon.colour, "start_date=2026-03-04").await;
    assert_eq!(colour, every("2026-03-03", 30, "23:00", "23:30"));
}

#[tokio::test]
async fn whole_days_end_at_24_00_and_adjacent_days_form_one_window() {
    let server = Server::open().await;
    let alone = server.salon_with(json!({ "hours": [day("tuesday", "00:00", "24:00")] })).await;
    let listed = alone.slots(&alone.massage, "start_date=2026-03-03").await;
    assert_eq!((listed.len(), &listed[46]), (47, &stamp("2026-03-03T22:00")));
    let hours = json!([day("tuesday", "00:00", "24:00"), day("wednesday", "00:00", "12:00")]);
    let joined = server.salon_with(json!({ "hours": hours })).await;
    let listed = joined.slots(&joined.massage, "start_date=2026-03-03").await;
    assert_eq!((listed.len(), &listed[47]), (48, &stamp("2026-03-03T22:30")));
    joined.book(&joined.massage, "2026-03-03T22:30:00Z").await;
    alone.try_book(&alone.massage, "2026-03-03T22:30:00Z").await.fails(409, "slot_unavailable");
}

#[tokio::test]
async fn adjacent_windows_have_separate_grids() {
    let server = Server::open().await;
    let hours = json!([day("tuesday", "22:10", "02:20"), day("wednesday", "02:20", "04:00")]);
    let salon = server.salon_with(json!({ "hours": hours })).await;
    let listed = salon.slots(&salon.massage, "start_date=2026-03-04").await;
    let tuesdays =
        [every("2026-03-03", 30, "23:10", "23:40"), every("2026-03-04", 30, "00:10", "01:10")].concat();
    let wednesdays = every("2026-03-04", 30, "01:20", "01:50");
    assert_eq!(listed, [tuesdays, wednesdays].concat());
}

#[tokio::test]
async fn a_service_longer_than_the_window_has_no_time() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "hours": week("09:00", "10:00") })).await;
    assert!(salon.slots(&salon.colour, "start_date=2026-03-03").await.is_empty());
    assert_eq!(salon.slots(&salon.massage, "start_date=2026-03-03").await.len(), 1);
    let answer = salon.try_book(&salon.colour, "2026-03-03T08:00:00Z").await;
    answer.fails(409, "slot_unavailable").says("outside");
}

#[tokio::test]
async fn skipped_local_times_are_not_listed_and_repeated_ones_are_listed_twice() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "hours": [day("sunday", "00:00", "06:00")] })).await;
    let spring = salon.slots(&salon.cut, "start_date=2026-03-29").await;
    let expected = [every("2026-03-28", 30, "23:00", "23:30"), every("2026-03-29", 30, "00:00", "03:30")];
    assert_eq!(spring, expected.concat(), "02:00 and 02:30 do not exist on this day");
    let autumn = salon.slots(&salon.cut, "start_date=2026-10-25").await;
    let expected = [every("2026-10-24", 30, "22:00", "23:30"), every("2026-10-25", 30, "00:00", "04:30")];
    assert_eq!(autumn, expected.concat(), "02:00 and 02:30 occur twice on this day");
}

#[tokio::test]
async fn a_slot_is_listed_once_while_any_staff_member_is_free() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let at = "2026-03-03T09:00:00Z";
    for left in [2, 1, 0] {
        let slots = salon.slots(&salon.cut, "start_date=2026-03-03").await;
        assert_eq!(slots.iter().filter(|slot| **slot == stamp("2026-03-03T09:00")).count(), 1);
        salon.book(&salon.cut, at).await;
        let listed =
            salon.slots(&salon.cut, "start_date=2026-03-03").await.contains(&stamp("2026-03-03T09:00"));
        assert_eq!(listed, left > 0);
    }
    salon.try_book(&salon.cut, at).await.fails(409, "slot_unavailable").says("taken");
}

#[tokio::test]
async fn times_that_overlap_a_staff_members_appointments_are_not_listed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.book_with(&salon.massage, &salon.ben, "2026-03-03T10:00:00Z").await;
    let query = format!("start_date=2026-03-03&staff_id={}", salon.ben);
    let whole = every("2026-03-03", 30, "08:00", "16:30");
    let gone = |from: &str, to: &str| {
        let gone = every("2026-03-03", 30, from, to);
        whole.iter().filter(|slot| !gone.contains(slot)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(salon.slots(&salon.cut, &query).await, gone("10:00", "10:30"));
    let massages = salon.slots(&salon.massage, &query).await;
    let expected = gone("09:30", "10:30");
    assert_eq!(massages, expected[..expected.len() - 1], "a massage must end by 17:00");
    assert_eq!(
        salon.slots(&salon.cut, "start_date=2026-03-03").await,
        whole,
        "the times must be listed because the other staff members are free"
    );
}

#[tokio::test]
async fn booking_mode_off_lists_no_times_and_request_lists_all() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let whole = salon.slots(&salon.cut, "start_date=2026-03-03").await;
    salon.set(json!({ "booking_mode": "off" })).await;
    assert!(salon.slots(&salon.cut, "start_date=2026-03-03").await.is_empty());
    salon.set(json!({ "booking_mode": "request" })).await;
    assert_eq!(salon.slots(&salon.cut, "start_date=2026-03-03").await, whole);
}

#[tokio::test]
async fn unknown_and_inactive_ids_are_invalid() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let ask = async |service: &str, staff: Option<&str>, paths: &[&str]| {
        let staff = staff.map(|staff| format!("&staff_id={staff}")).unwrap_or_default();
        let path = format!("/availability?service_id={service}&start_date=2026-03-03{staff}");
        salon.get(&path).await.invalid_at(paths);
    };
    let unknown = "018f0000-0000-7000-8000-000000000000";
    ask("x", None, &["service_id"]).await;
    ask("", None, &["service_id"]).await;
    ask(unknown, None, &["service_id"]).await;
    ask(&other.cut, None, &["service_id"]).await;
    ask(&salon.cut, Some("x"), &["staff_id"]).await;
    ask(&salon.cut, Some(unknown), &["staff_id"]).await;
    ask(&salon.cut, Some(&other.anna), &["staff_id"]).await;
    ask(&salon.colour, Some(&salon.ben), &["staff_id"]).await;
    ask(unknown, Some(unknown), &["service_id", "staff_id"]).await;
    salon.operator.patch(&format!("/staff/{}", salon.ben), &json!({ "active": false })).await.is(200);
    ask(&salon.cut, Some(&salon.ben), &["staff_id"]).await;
    salon.operator.patch(&format!("/services/{}", salon.cut), &json!({ "active": false })).await.is(200);
    ask(&salon.cut, None, &["service_id"]).await;
    ask(&salon.cut, Some(&salon.anna), &["service_id"]).await;
    salon.set(json!({ "booking_mode": "off" })).await;
    ask(&salon.cut, None, &["service_id"]).await;
}

#[tokio::test]
async fn an_active_service_without_active_staff_has_no_times() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.operator.patch(&format!("/staff/{}", salon.anna), &json!({ "active": false })).await.is(200);
    assert!(salon.slots(&salon.colour, "start_date=2026-03-03").await.is_empty());
    salon
        .try_book(&salon.colour, "2026-03-03T09:00:00Z")
        .await
        .fails(409, "slot_unavailable")
        .says("no active staff");
}

#[tokio::test]
async fn invalid_days_are_refused_with_their_path() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (query, paths) in [
        ("", &["start_date"][..]),
        ("&start_date=", &["start_date"]),
        ("&start_date=2026-3-3", &["start_date"]),
        ("&start_date=2026-02-29", &["start_date"]),
        ("&start_date=2026-03-03T00:00:00Z", &["start_date"]),
        ("&start_date=03/03/2026", &["start_date"]),
        ("&start_date=0000-01-01", &["start_date"]),
        ("&start_date=9999-12-31", &["start_date"]),
        ("&start_date=-0001-01-1", &["start_date"]),
        ("&start_date=2026-03-03&end_date=2026-03-02", &["end_date"]),
        ("&start_date=2026-03-03&end_date=2026-03-10", &["end_date"]),
        ("&start_date=2026-03-03&end_date=tomorrow", &["end_date"]),
        ("&start_date=2026-03-03&limit=0", &["limit"]),
        ("&start_date=2026-03-03&limit=501", &["limit"]),
        ("&start_date=2026-03-03&days=2", &["days"]),
        ("&start_date=2026-03-03&start_date=2026-03-03", &["start_date"]),
    ] {
        salon.get(&format!("/availability?service_id={}{query}", salon.cut)).await.invalid_at(paths);
    }
    salon.get("/availability").await.invalid_at(&["service_id", "start_date"]);
    salon.slots(&salon.cut, "start_date=2026-03-03&end_date=2026-03-09").await;
    salon.slots(&salon.cut, "start_date=2199-12-25&end_date=2199-12-31").await;
}

#[tokio::test]
async fn a_page_has_500_slots_by_default() {
    let server = Server::open().await;
    let sunday = day("sunday", "00:00", "24:00");
    let mut hours = week("00:00", "24:00");
    hours.as_array_mut().unwrap().push(sunday);
    let salon = server.salon_with(json!({ "hours": hours })).await;
    let query = format!("/availability?service_id={}&start_date=2026-03-03&end_date=2026-03-09", salon.cut);
    let whole = salon.get(&query).await;
    assert_eq!((whole.list().len(), &whole.body["has_more"]), (7 * 48, &json!(false)));
    for limit in [1, 7, 48, 335, 336, 337, 500] {
        if limit > 1 {
            assert_eq!(salon.api.walk(&query, limit).await, whole.list());
        }
    }
    assert_eq!(salon.get(&format!("{query}&limit=1")).await.list(), whole.list()[..1]);
}

#[tokio::test]
async fn a_window_that_opens_or_closes_within_a_clock_change_has_its_real_length() {
    let server = Server::open().await;
    // No start time is earlier than the opening time, in local time. On 25 October the clocks are set back, so the
    // local time 02:00 occurs twice. If the business opens at 02:30, the second 02:00 is not a start time, although
    // it comes after the first 02:30.
    for (open, close, date, expected) in [
        ("02:30", "04:00", "2026-03-29", every("2026-03-29", 30, "01:00", "01:30")),
        (
            "00:00",
            "02:30",
            "2026-03-29",
            [every("2026-03-28", 30, "23:00", "23:30"), every("2026-03-29", 30, "00:00", "00:30")].concat(),
        ),
        (
            "02:30",
            "03:30",
            "2026-10-25",
            [every("2026-10-25", 60, "00:30", "01:30"), every("2026-10-25", 30, "02:00", "02:00")].concat(),
        ),
        (
            "01:30",
            "02:30",
            "2026-10-25",
            [every("2026-10-24", 30, "23:30", "23:30"), every("2026-10-25", 30, "00:00", "01:00")].concat(),
        ),
    ] {
        let salon = server.salon_with(json!({ "hours": [day("sunday", open, close)] })).await;
        let listed = salon.slots(&salon.cut, &format!("start_date={date}")).await;
        assert_eq!(listed, expected, "open from {open} to {close} on {date}");
        for start in listed {
            salon.book(&salon.cut, &start).await;
        }
    }
}

#[tokio::test]
async fn a_new_time_zone_moves_the_opening_hours_and_not_the_appointments() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    salon.api.patch("/business", &json!({ "timezone": "Asia/Kathmandu" })).await.is(200);
    let listed = salon.slots(&salon.cut, "start_date=2026-03-03").await;
    assert_eq!(listed, every("2026-03-03", 30, "03:15", "11:45"));
    let shown = salon.show(&booked).await;
    assert_eq!((&shown["starts_at"], &shown["timezone"]), (&booked["starts_at"], &json!("Asia/Kathmandu")));
}
