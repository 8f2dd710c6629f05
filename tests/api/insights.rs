//! Tests of `GET /insights` and `GET /insights.csv` of the operator API.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, id, merged};

async fn insights(salon: &Salon, query: &str) -> Value {
    salon.operator.get(&format!("/insights?{query}")).await.data()
}

fn none(from: &str, to: &str) -> Value {
    json!({ "from": from, "to": to, "bookings": 0, "cancellations": 0, "no_shows": 0, "new_customers": 0,
        "returning_customers": 0, "unknown_customers": 0, "lead_time_minutes": null, "calls": 0,
        "calls_answered": 0, "calls_converted": 0 })
}

/// The periods of the response, without the figures of each staff member.
fn periods(found: &Value) -> Vec<Value> {
    let mut periods = found["periods"].as_array().unwrap().clone();
    periods.iter_mut().for_each(|it| _ = it.as_object_mut().unwrap().remove("staff"));
    periods
}

#[tokio::test]
async fn the_figures_count_appointments_and_calls_by_local_week() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let (zoe, bob) =
        (salon.contact(json!({ "name": "Zoé" })).await, salon.contact(json!({ "name": "Bob" })).await);
    let book = async |contact: &Value, at: &str| {
        let body = json!({ "service_id": salon.cut, "staff_id": salon.anna, "starts_at": at, "contact_id": id(contact) });
        id(&salon.operator.post("/appointments", &body).await.created()).to_owned()
    };
    let missed = book(&zoe, "2026-03-03T09:00:00Z").await;
    book(&zoe, "2026-03-10T09:00:00Z").await;
    book(&bob, "2026-03-10T11:00:00Z").await;
    let cancelled = book(&bob, "2026-03-11T09:00:00Z").await;
    salon.operator.post(&format!("/appointments/{cancelled}/cancel"), &json!({})).await.is(200);
    let call = |outcome: &str, status: &str, at: &str| json!({ "direction": "inbound", "status": status, "outcome": outcome, "started_at": at, "ended_at": at });
    server.clock.set("2026-03-09T12:00:00Z");
    // The local week begins on Monday at midnight, which is 23:00 UTC on Sunday.
    for (outcome, status, at) in [
        ("appointment_booked", "completed", "2026-03-08T22:59:59.999Z"),
        ("appointment_booked", "completed", "2026-03-08T23:00:00Z"),
        ("other", "completed", "2026-03-09T10:00:00Z"),
        ("other", "missed", "2026-03-09T11:00:00Z"),
    ] {
        salon.operator.post("/calls", &call(outcome, status, at)).await.is(201);
    }
    salon
        .operator
        .patch(&format!("/appointments/{missed}"), &json!({ "attendance": "no_show" }))
        .await
        .is(200);
    let found = insights(&salon, "from=2026-03-02&to=2026-03-17&by=week").await;
    assert_eq!((&found["by"], &found["timezone"]), (&json!("week"), &json!("Europe/Paris")));
    // Each booking is sent a whole number of hours before its start. The service stores the appointment some
    // milliseconds later, so the lead time is slightly shorter. Rounded down to minutes, it is one minute shorter.
    let expected = [
        merged(
            none("2026-03-02", "2026-03-08"),
            json!({ "bookings": 1, "no_shows": 1, "new_customers": 1, "lead_time_minutes": 1_619, "calls": 1,
                "calls_answered": 1, "calls_converted": 1 }),
        ),
        merged(
            none("2026-03-09", "2026-03-15"),
            json!({ "bookings": 2, "cancellations": 1, "new_customers": 1, "returning_customers": 1,
                "lead_time_minutes": 11_759, "calls": 3, "calls_answered": 2, "calls_converted": 1 }),
        ),
        none("2026-03-16", "2026-03-17"),
    ];
    assert_eq!(periods(&found), expected);
    let anna = |period: usize| {
        let staff = found["periods"][period]["staff"].as_array().unwrap();
        staff.iter().find(|one| one["staff_id"] == salon.anna.as_str()).unwrap().clone()
    };
    let minutes = anna(0)["booked_minutes"].as_i64().unwrap();
    assert!(minutes > 0);
    assert_eq!(anna(1)["booked_minutes"], json!(2 * minutes));
    assert_eq!(anna(0)["utilisation"], json!(null), "a past week must have no utilisation");
    assert_eq!(anna(2)["utilisation"], json!(0));
    assert!(anna(1)["utilisation"].as_i64().unwrap() > 0);
    let months = insights(&salon, "from=2026-02-15&to=2026-03-31&by=month").await;
    let [february, march] = &periods(&months)[..] else { panic!("{months}") };
    assert_eq!(*february, none("2026-02-15", "2026-02-28"));
    assert_eq!(
        (&march["bookings"], &march["new_customers"], &march["calls"]),
        (&json!(3), &json!(2), &json!(4))
    );
    assert_eq!(months["periods"][1]["staff"][0]["utilisation"], json!(null));
    // In a period that begins after her first appointment, Zoé is a returning customer.
    let later = insights(&salon, "from=2026-03-09&to=2026-03-15&by=week").await;
    assert_eq!(periods(&later), expected[1..2]);
    // After the erasure, the contact counts as an unknown customer at once, even before the background job has removed
    // the contact from the appointments.
    salon.operator.delete(&format!("/contacts/{}", id(&zoe))).await.is(204);
    let erased = insights(&salon, "from=2026-03-02&to=2026-03-15&by=week").await;
    let unknown = |period: usize| erased["periods"][period]["unknown_customers"].clone();
    assert_eq!((unknown(0), unknown(1)), (json!(1), json!(1)));
    assert_eq!(erased["periods"][1]["returning_customers"], json!(0));
}

#[tokio::test]
async fn the_file_has_the_same_figures() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let answer = salon.operator.get("/insights.csv?from=2026-03-02&to=2026-03-15&by=week").await;
    assert_eq!(answer.is(200).header("content-type"), "text/csv; charset=utf-8");
    let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("\u{feff}from,to,bookings,cancellations,no_shows,new_customers,"), "{text}");
    assert!(lines[1].starts_with("2026-03-02,2026-03-08,1,0,0,1,0,0,"), "{text}");
    assert!(lines[2].starts_with("2026-03-09,2026-03-15,0,0,0,0,0,0,,"), "{text}");
}

#[tokio::test]
async fn dates_must_be_in_order_and_at_most_24_months_apart() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (query, paths) in [
        ("", &["from", "to", "by"][..]),
        ("from=2026-03-02&to=2026-03-01&by=week", &["to"]),
        ("from=2026-03-02&to=2028-03-02&by=week", &["to"]),
        ("from=2026-03-02&to=2026-03-02&by=day", &["by"]),
        ("from=2026-03-02&to=x&by=week", &["to"]),
        ("from=1800-03-02&to=1800-03-02&by=week", &["from"]),
    ] {
        for path in ["/insights", "/insights.csv"] {
            salon.operator.get(&format!("{path}?{query}")).await.invalid_at(paths);
        }
    }
    assert_eq!(
        insights(&salon, "from=2026-03-02&to=2028-03-01&by=month").await["periods"].as_array().unwrap().len(),
        25
    );
}
