//! Tests of bookings, moves and cancellations for which the client uses only tools.

use futures_util::future::join_all;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::Assistant;
use crate::harness::Server;

#[tokio::test]
async fn an_appointment_is_booked_moved_and_cancelled() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let contact = json!({"name": "Mrs. Dupont", "phone": "+33612345600"});
    let booked = assistant
        .call(
            "book_appointment",
            json!({"service": "cut", "starts_at": "2026-03-04T10:00", "staff": "ANNA", "contact": contact,
                "weekday": "Wednesday", "allow_pending": null}),
        )
        .await
        .done();
    assert_eq!(
        (&booked["already_booked"], &booked["status"], &booked["source"], &booked["staff_id"]),
        (&json!(false), &json!("confirmed"), &json!("mcp"), &json!(salon.anna))
    );
    assert_eq!(
        (&booked["starts_at"], &booked["local_start"], &booked["local_end"], &booked["weekday"]),
        (
            &json!("2026-03-04T09:00:00.000Z"),
            &json!("2026-03-04T10:00"),
            &json!("2026-03-04T10:30"),
            &json!("wednesday")
        )
    );
    let found = assistant.call("find_contacts", json!({"query": "dupont"})).await.done();
    assert_eq!(found["contacts"][0]["id"], booked["contact_id"]);
    let listed =
        assistant.call("list_appointments", json!({"contact_id": booked["contact_id"]})).await.done();
    assert_eq!(listed["appointments"][0]["id"], booked["id"]);
    let moved = assistant
        .call(
            "reschedule_appointment",
            json!({"appointment_id": booked["id"], "expected_starts_at": booked["starts_at"],
                "starts_at": "2026-03-06T14:00", "weekday": "friday"}),
        )
        .await
        .done();
    assert_eq!((&moved["local_start"], &moved["weekday"]), (&json!("2026-03-06T14:00"), &json!("friday")));
    let cancelled = assistant
        .call(
            "cancel_appointment",
            json!({"appointment_id": booked["id"], "expected_starts_at": "2026-03-06T14:00"}),
        )
        .await
        .done();
    assert_eq!(cancelled["status"], "cancelled");
    let audit = salon.operator.get("/audit?limit=3").await.list();
    let actions: Vec<_> = audit.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions[..2], ["appointment.cancelled", "appointment.rescheduled"]);
    assert_eq!(audit[0]["actor"], json!({"type": "api_key", "id": salon.key_id}));
}

#[tokio::test]
async fn a_repeated_booking_returns_the_existing_appointment() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let book = |more: serde_json::Value| {
        let mut arguments = json!({"service": "Cut", "starts_at": "2026-03-04T10:00"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assistant.call("book_appointment", arguments)
    };
    let contact = json!({"name": "Zoé", "phone": "+33612345601", "email": "zoe@example.com"});
    let first = book(json!({"contact": contact})).await.done();
    // Each of these calls repeats the first booking, but writes it in another way: with a national phone
    // number, another letter case, an id instead of a name, or fewer arguments. No call may create a second
    // appointment.
    for same in [
        json!({"contact": {"phone": "06 12 34 56 01"}, "staff": first["staff_id"]}),
        json!({"contact": {"phone": "+33612345601"}}),
        json!({"contact": {"email": "ZOE@example.com"}}),
        json!({"contact_id": first["contact_id"]}),
        json!({"contact_id": first["contact_id"], "staff": first["staff_name"]}),
        json!({"contact": contact, "service": salon.cut}),
        json!({"contact": contact, "starts_at": first["starts_at"]}),
    ] {
        if same["contact"]["phone"] == "06 12 34 56 01" {
            salon.set(json!({"phone_region": "FR"})).await;
        }
        let again = book(same.clone()).await.done();
        assert_eq!((&again["already_booked"], &again["id"]), (&json!(true), &first["id"]), "{same}");
    }
    // A booking with another staff member, service or contact is a new booking.
    let other = if first["staff_id"] == salon.ben { &salon.chloe } else { &salon.ben };
    let beside = book(json!({"contact": contact, "staff": other})).await.done();
    assert_eq!((&beside["already_booked"], &beside["staff_id"]), (&json!(false), &json!(other)));
    let another = book(json!({"contact": {"phone": "+33612345602"}})).await.done();
    assert_eq!(another["already_booked"], false);
    // An appointment that was booked through `/v1` also counts as an existing booking.
    let body = json!({"service_id": salon.cut, "starts_at": "2026-03-05T09:00:00Z", "contact": contact});
    let of_v1 = salon.api.post("/appointments", &body).await.created();
    let again = book(json!({"starts_at": "2026-03-05T10:00", "contact": contact})).await.done();
    assert_eq!((&again["already_booked"], &again["id"]), (&json!(true), &of_v1["id"]));
    // A cancelled appointment does not count as an existing booking.
    salon.cancel(&of_v1).await.is(200);
    let anew = book(json!({"starts_at": "2026-03-05T10:00", "contact": contact})).await.done();
    assert_eq!(anew["already_booked"], false);
    assert_ne!(anew["id"], of_v1["id"]);
}

#[tokio::test]
async fn concurrent_identical_bookings_create_one_appointment() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let clients = (0..8).map(|_| Assistant::of(&server, &salon));
    let calls = clients.map(|assistant| async move {
        let contact = json!({"name": "Ada", "phone": "+33612345603"});
        let arguments = json!({"service": "Cut", "starts_at": "2026-03-04T10:00", "contact": contact});
        assistant.call("book_appointment", arguments).await.done()
    });
    let booked = join_all(calls).await;
    let new = booked.iter().filter(|booked| booked["already_booked"] == false).count();
    assert_eq!(new, 1);
    assert!(booked.iter().all(|other| other["id"] == booked[0]["id"]));
    assert_eq!(salon.api.all("/appointments").await.len(), 1);
    assert_eq!(salon.api.all("/contacts").await.len(), 1);
}

#[tokio::test]
async fn a_booking_repeated_over_cut_connections_is_made_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let arguments = json!({"service": "Cut", "starts_at": "2026-03-04T10:00",
        "contact": {"name": "Cut off", "phone": "+33612345610"}});
    // The client disconnects before it gets a response, so it does not know whether its requests were
    // carried out.
    for id in 0..12 {
        let params = json!({"name": "book_appointment", "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
            salon.key,
            body.len()
        );
        let mut stream = TcpStream::connect(server.root().address).await.unwrap();
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        drop(stream);
    }
    assistant.call("book_appointment", arguments.clone()).await.done();
    let again = assistant.call("book_appointment", arguments).await.done();
    assert_eq!(again["already_booked"], true);
    assert_eq!(salon.api.all("/appointments").await.len(), 1);
}

#[tokio::test]
async fn an_idempotency_key_argument_works_like_the_header() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let arguments = json!({"service": "Cut", "starts_at": "2026-03-04T10:00", "idempotency_key": "k1",
        "contact": {"phone": "+33612345604"}});
    let mut first = assistant.call("book_appointment", arguments.clone()).await.done();
    first["already_booked"] = json!(true);
    assert_eq!(assistant.call("book_appointment", arguments.clone()).await.done(), first);
    // A property that is null, also in a nested object, has the same effect as a missing property.
    let mut nulls = arguments.clone();
    nulls["staff"] = json!(null);
    nulls["contact"]["name"] = json!(null);
    assert_eq!(assistant.call("book_appointment", nulls).await.done(), first);
    let mut other = arguments.clone();
    other["starts_at"] = json!("2026-03-04T11:00");
    assistant.call("book_appointment", other).await.refuses(&["was used for another request"]);
    // `/mcp` and `/v1` share the idempotency keys, so a key that was used in one of them is refused in the other.
    let body = salon.booking(&salon.cut, "2026-03-04T12:00:00Z", json!({}));
    salon.api.call("POST", "/appointments").json(&body).once("k1").await.fails(422, "idempotency_key_reused");
    salon.api.call("POST", "/appointments").json(&body).once("k2").await.is(201);
    let same_as_first = arguments.clone();
    let mut same_key = arguments;
    same_key["idempotency_key"] = json!("k2");
    assistant.call("book_appointment", same_key).await.refuses(&["Use a new key"]);
    // A repeated booking returns the appointment as it is now, not as it was in the first response.
    let cancelled = json!({"appointment_id": first["id"], "expected_starts_at": first["starts_at"]});
    assistant.call("cancel_appointment", cancelled).await.done();
    let again = assistant.call("book_appointment", same_as_first).await.done();
    assert_eq!((&again["id"], &again["status"]), (&first["id"], &json!("cancelled")));
    // The tools for contacts and knowledge also accept an idempotency key.
    let contact = json!({"name": "Once", "idempotency_key": "k3"});
    let once = assistant.call("create_contact", contact.clone()).await.done();
    assert_eq!(assistant.call("create_contact", contact).await.done(), once);
}

#[tokio::test]
async fn moving_and_cancelling_need_the_current_start() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let booked = salon.book(&salon.cut, "2026-03-04T09:00:00Z").await;
    let moving = |expected: &str, to: &str| {
        let arguments =
            json!({"appointment_id": booked["id"], "expected_starts_at": expected, "starts_at": to});
        assistant.call("reschedule_appointment", arguments)
    };
    moving("2026-03-04T11:00", "2026-03-05T10:00")
        .await
        .refuses(&["the appointment starts at 10:00 on Wednesday 4 March (2026-03-04T10:00)"]);
    moving("2026-03-04T10:00", "2026-03-05T10:00").await.done();
    // The client repeats the request, as after a lost response. The appointment already has the new time.
    let again = moving("2026-03-04T10:00", "2026-03-05T10:00").await.done();
    assert_eq!(again["local_start"], "2026-03-05T10:00");
    let events = salon.operator.get("/audit?limit=100").await.list();
    let moves = events.iter().filter(|entry| entry["action"] == "appointment.rescheduled").count();
    assert_eq!(moves, 1, "a repeated move must not move the appointment again");
    let cancelling = |expected: &str| {
        let arguments = json!({"appointment_id": booked["id"], "expected_starts_at": expected});
        assistant.call("cancel_appointment", arguments)
    };
    cancelling("2026-03-04T10:00").await.refuses(&["starts at 10:00 on Thursday 5 March"]);
    assert_eq!(cancelling("2026-03-05T10:00").await.done()["status"], "cancelled");
    assert_eq!(cancelling("2026-03-05T10:00").await.done()["status"], "cancelled");
    moving("2026-03-05T10:00", "2026-03-06T10:00")
        .await
        .refuses(&["that is cancelled cannot be rescheduled", "Use `book_appointment` to book another time"]);
}

#[tokio::test]
async fn times_for_a_move_include_those_that_overlap_the_appointment_itself() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let contact = json!({"phone": "+33612345611"});
    let booked =
        json!({"service": "Massage", "starts_at": "2026-03-04T10:00", "staff": "Anna", "contact": contact});
    let booked = assistant.call("book_appointment", booked).await.done();
    let times = async |more: serde_json::Value| {
        let mut arguments = json!({"service": "Massage", "from": "2026-03-04", "part_of_day": "morning"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assistant.call("find_open_times", arguments).await
    };
    let of_day = |told: serde_json::Value| told["days"][0]["times"].as_array().unwrap().clone();
    let to_book = of_day(times(json!({"staff": "Anna"})).await.done());
    assert!(!to_book.contains(&json!("10:30")), "{to_book:?}");
    // An appointment can be moved to a time that overlaps its current time. Without `staff`, the tool lists
    // times of the same staff member, except the current start.
    let to_move = of_day(times(json!({"appointment_id": booked["id"]})).await.done());
    assert!(to_move.contains(&json!("10:30")) && !to_move.contains(&json!("10:00")), "{to_move:?}");
    let with_ben = of_day(times(json!({"appointment_id": booked["id"], "staff": "Ben"})).await.done());
    assert!(with_ben.contains(&json!("10:00")), "{with_ben:?}");
    // If a move is refused, the result lists the same times as `find_open_times`.
    let moving = |to: &str| {
        let arguments = json!({"appointment_id": booked["id"], "expected_starts_at": "2026-03-04T10:00",
            "starts_at": to});
        assistant.call("reschedule_appointment", arguments)
    };
    moving("2026-03-04T10:10").await.refuses(&["not one of the start times", "Free: ", " 10:30,"]);
    assert_eq!(moving("2026-03-04T10:30").await.done()["local_start"], "2026-03-04T10:30");
    // `service` must name the service of the appointment, and the appointment must be active.
    let arguments = json!({"service": "Cut", "from": "2026-03-04", "appointment_id": booked["id"]});
    assistant.call("find_open_times", arguments).await.refuses(&["Send \"Massage\" as `service`"]);
    let unknown = json!({"appointment_id": "018f0000-0000-7000-8000-000000000000"});
    times(unknown).await.refuses(&["no appointment with this id"]);
    salon.cancel(&booked).await.is(200);
    times(json!({"appointment_id": booked["id"]})).await.refuses(&["is cancelled and cannot be moved"]);
}

#[tokio::test]
async fn a_refused_booking_gives_the_reason_and_the_alternatives() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let book = |more: serde_json::Value| {
        let mut arguments = json!({"service": "Cut", "starts_at": "2026-03-04T10:00",
            "contact": {"phone": "+33612345612"}});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        assistant.call("book_appointment", arguments)
    };
    book(json!({"staff": "Chloé"})).await.done();
    let other = json!({"phone": "+33612345613"});
    book(json!({"staff": "Chloé", "contact": other}))
        .await
        .refuses(&["\"Chloé\" is not free at 10:00 on Wednesday 4 March. Free: "]);
    book(json!({"staff": "Chloé", "service": "Colouring"})).await.refuses(&[
        "\"Chloé\" does not offer this service.",
        "\"Anna\"",
        "Send one of them as `staff`.",
    ]);
    book(json!({"contact": null, "contact_id": "018f0000-0000-7000-8000-000000000000"}))
        .await
        .refuses(&["no contact with this id. Call `find_contacts` to find the ids"]);
    book(json!({"starts_at": "2026-03-04T10:00:30"})).await.refuses(&["without seconds", "Free: "]);
    // A key without the scope to read staff gets results without names.
    let writer = Assistant::with_scopes(&server, &salon, &["appointments:write"]).await;
    let arguments = json!({"service": salon.cut, "staff": salon.chloe, "starts_at": "2026-03-04T10:00",
        "contact": other});
    let text =
        writer.call("book_appointment", arguments).await.refuses(&["That staff member is not free at"]);
    assert!(!text.contains("Chloé"), "{text}");
    // A booking or move is refused because the service is inactive. The result proposes no other times.
    let booked = book(json!({"service": "Massage", "starts_at": "2026-03-05T10:00"})).await.done();
    let path = format!("/services/{}", booked["service_id"].as_str().unwrap());
    salon.operator.patch(&path, &json!({"active": false})).await.is(200);
    book(json!({"service": "massage"})).await.refuses(&["That service is no longer active", "\"Cut\""]);
    let moving = json!({"appointment_id": booked["id"], "expected_starts_at": booked["starts_at"],
        "starts_at": "2026-03-06T10:00"});
    let text = assistant.call("reschedule_appointment", moving).await.refuses(&["no longer active"]);
    assert!(!text.contains("find_open_times"), "{text}");
}

#[tokio::test]
async fn a_refused_booking_names_free_times_and_no_other_customer() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let contact = json!({"name": "Secret Person", "phone": "+33612345605"});
    let book = |more: serde_json::Value| {
        let mut arguments = json!({"service": "Colouring", "contact": {"phone": "+33612345606"}});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assistant.call("book_appointment", arguments)
    };
    book(json!({"starts_at": "2026-03-03T10:00", "contact": contact})).await.done();
    let text = book(json!({"starts_at": "2026-03-03T10:30"})).await.refuses(&[
        "10:30 on Tuesday 3 March is taken. Free: ",
        "11:30",
        "`find_open_times` has more.",
    ]);
    assert!(!text.contains("Secret") && !text.contains("612345605"), "{text}");
    for (starts_at, why) in [
        ("2026-03-01T10:00", "10:00 on Sunday 1 March is in the past."),
        ("2026-03-03T20:00", "20:00 on Tuesday 3 March is outside opening hours"),
        ("2026-03-03T12:10", "12:10 on Tuesday 3 March is not one of the start times"),
        // The business is closed on Sunday, so the result names the next day with available times.
        ("2026-03-08T10:00", "Free on Monday 9 March: "),
        ("2027-01-03T10:00", "Free on Monday 4 January 2027: "),
    ] {
        book(json!({"starts_at": starts_at})).await.refuses(&[why]);
    }
    // A key without the scope to read availability gets no times.
    let writer = Assistant::with_scopes(&server, &salon, &["appointments:write"]).await;
    let arguments = json!({"service": salon.colour, "starts_at": "2026-03-03T10:30",
        "contact": {"phone": "+33612345606"}});
    let text = writer.call("book_appointment", arguments).await.refuses(&["is taken. Ask for another time."]);
    assert!(!text.contains("11:30"), "{text}");
    // In the booking mode `request`, a booking needs `allow_pending`. In the mode `off`, no booking is
    // possible.
    salon.set(json!({"booking_mode": "request"})).await;
    book(json!({"starts_at": "2026-03-03T14:00"})).await.refuses(&["allow_pending: true"]);
    let pending = book(json!({"starts_at": "2026-03-03T14:00", "allow_pending": true})).await.done();
    assert_eq!(pending["status"], "pending");
    let again = book(json!({"starts_at": "2026-03-03T14:00"})).await.done();
    assert_eq!((&again["already_booked"], &again["id"]), (&json!(true), &pending["id"]));
    salon.set(json!({"booking_mode": "off"})).await;
    book(json!({"starts_at": "2026-03-03T16:00"}))
        .await
        .refuses(&["takes no bookings", "contact the business"]);
    let none =
        assistant.call("find_open_times", json!({"service": "cut", "from": "2026-03-03"})).await.done();
    assert_eq!(none["days"][0]["times"], json!([]));
    assert!(none["note"].as_str().unwrap().contains("no bookings"));
}
