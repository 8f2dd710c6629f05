//! Tests of imports through the operator API.

use serde_json::{Value, json};

use crate::harness::{Answer, Api, Salon, Server, merged};

async fn import(api: &Api, query: &str, lines: &str) -> Answer {
    let call = api.call("POST", &format!("/import{query}")).bytes(lines.to_owned());
    call.header("content-type", "application/x-ndjson").await
}

/// Exports a salon and deletes it. Returns the lines of the export.
async fn moved_out(server: &Server, salon: &Salon) -> String {
    salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    salon.record_call(json!({})).await;
    let lines = String::from_utf8(salon.operator.get("/export").await.bytes.to_vec()).unwrap();
    salon.operator.delete("").await.is(202);
    while import(&server.operator, "?dry_run=true", &lines).await.status != 200 {
        tokio::task::yield_now().await;
    }
    lines
}

/// All lines except the first one, which contains the time of the export.
fn body(lines: &str) -> &str {
    lines.split_once('\n').unwrap().1
}

#[tokio::test]
async fn an_exported_business_is_restored_by_an_import() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let neighbour = server.salon().await;
    let lines = moved_out(&server, &salon).await;
    salon.operator.get("").await.fails(404, "not_found");
    let records = lines.lines().count() - 3; // all lines except the first line and two end lines
    let exported_at: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    for (query, dry_run) in [("?dry_run=true", true), ("?dry_run=false&erase_again=false", false)] {
        let expected = json!({ "businesses": 1, "records": records, "dry_run": dry_run,
            "exported_at": exported_at["exported_at"], "lost_slugs": [] });
        assert_eq!(import(&server.operator, query, &lines).await.data(), expected);
        assert_eq!(salon.operator.get("").await.status == 200, !dry_run);
    }
    let again = String::from_utf8(salon.operator.get("/export").await.bytes.to_vec()).unwrap();
    assert_eq!(body(&again), body(&lines));
    let log = salon.operator.all("/audit").await;
    assert_eq!((log.len(), &log[0]["action"]), (1, &json!("business.imported")));
    // The keys of the business were deleted together with it. All other keys still work.
    salon.api.get("/me").await.fails(401, "unauthorized");
    neighbour.api.get("/me").await.is(200);
}

#[tokio::test]
async fn an_invalid_import_names_its_line_and_leaves_nothing() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let lines = moved_out(&server, &salon).await;
    let contact = lines.lines().position(|line| line.contains("\"kind\":\"contact\"")).unwrap() + 1;
    let cases = [
        ("".to_owned(), "line 1".to_owned(), "the file ends too early"),
        ("{}".to_owned(), "line 1: format".to_owned(), "is required"),
        ("[]\n".to_owned(), "line 1".to_owned(), "must be an object"),
        (body(&lines).to_owned(), "line 1".to_owned(), "must be the head"),
        (
            lines.replacen("\"kind\":\"contact\",", "\"kind\":\"contact\",\"x\":1,", 1),
            format!("line {contact}: x"),
            "is not a known property",
        ),
        (
            format!("{lines}{{}}\n"),
            format!("line {}", lines.lines().count() + 1),
            "comes after the last line",
        ),
        (lines[..lines.len() / 2].to_owned(), String::new(), ""),
    ];
    for (bad, place, words) in cases {
        let answer = import(&server.operator, "", &bad).await;
        answer.fails(400, "invalid_request");
        let told = &answer.body["error"]["details"][0];
        assert!(place.is_empty() || told["path"] == place.as_str(), "{place}: {answer}");
        assert!(told["message"].as_str().unwrap().contains(words), "{words}: {answer}");
        salon.operator.get("").await.fails(404, "not_found");
    }
    // If there are very many errors, only some of them are reported.
    let head = lines.lines().next().unwrap();
    let answer = import(&server.operator, "", &format!("{head}\n{}", "x\n".repeat(1_000))).await;
    assert_eq!(answer.fails(400, "invalid_request").body["error"]["details"].as_array().unwrap().len(), 100);
    // A line that is longer than the limit is refused before it is read completely.
    let long = format!("{head}\n{}", "x".repeat(3 << 20));
    let answer = import(&server.operator, "", &long).await;
    assert!(
        answer.fails(400, "invalid_request").body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("is longer than")
    );
    import(&server.operator, "", &lines).await.is(200);
    let answer = import(&server.operator, "", &lines).await;
    answer.fails(400, "invalid_request").invalid_at(&["line 2: id"]);
}

#[tokio::test]
async fn an_import_needs_the_token_and_a_valid_request() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let lines = moved_out(&server, &salon).await;
    import(&server.operator.anonymous(), "", &lines).await.fails(401, "unauthorized");
    let call = server.operator.call("POST", "/import").bytes(lines.clone());
    call.header("content-type", "application/json").await.fails(415, "invalid_request");
    for query in ["?dry_run=perhaps", "?dry=true", "?dry_run=true&dry_run=true"] {
        import(&server.operator, query, &lines).await.fails(400, "invalid_request");
    }
    server.operator.get("/import").await.fails(405, "method_not_allowed");
    salon.operator.get("").await.fails(404, "not_found");
    // A request without a content type is accepted.
    server.operator.call("POST", "/import").bytes(lines).await.is(200);
}

#[tokio::test]
async fn an_import_with_an_idempotency_key_is_made_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let lines = moved_out(&server, &salon).await;
    let once = async |query: &str, lines: &str| {
        server
            .operator
            .call("POST", &format!("/import{query}"))
            .bytes(lines.to_owned())
            .once("moving-day")
            .await
    };
    // A dry run does not store its idempotency key, so the import can use the same key.
    once("?dry_run=true", &lines).await.is(200);
    let first = once("", &lines).await;
    assert!(!first.has("idempotent-replayed"));
    let again = once("", &lines).await;
    assert_eq!((again.data(), again.header("idempotent-replayed")), (first.data(), "true"));
    for query in ["?dry_run=true", "?dry_run=false", "?erase_again=true"] {
        once(query, &lines).await.fails(422, "idempotency_key_reused");
    }
    once("", &lines.replacen("Salon", "Saloon", 1)).await.fails(422, "idempotency_key_reused");
    let other = server.operator.call("POST", "/import").bytes(lines).once("another").await;
    other.fails(400, "invalid_request");
}

#[tokio::test]
async fn an_import_refuses_an_erased_contact_or_erases_it_again() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "Ada Unmistakable", "phone": "+14155552671" })).await;
    let lines = String::from_utf8(salon.operator.get("/export").await.bytes.to_vec()).unwrap();
    salon.operator.delete(&format!("/contacts/{}", contact["id"].as_str().unwrap())).await.is(204);
    salon.operator.delete("").await.is(202);
    let answer = loop {
        let answer = import(&server.operator, "?dry_run=true", &lines).await;
        if answer.body["error"]["details"][0]["path"] != "line 2: id" {
            break answer;
        }
        tokio::task::yield_now().await;
    };
    answer.fails(400, "invalid_request");
    assert!(
        answer.body["error"]["message"].as_str().unwrap().contains("was erased in this service"),
        "{answer}"
    );
    import(&server.operator, "?erase_again=true", &lines).await.is(200);
    let arrived = salon.operator.get("/export").await;
    assert!(!String::from_utf8_lossy(&arrived.bytes).contains("Unmistakable"));
    assert_eq!(salon.operator.all("/contacts").await.len(), 0);
}

/// The list of tombstones, a file next to the store, contains the deletion and the import of a business.
#[tokio::test]
async fn an_import_is_listed_next_to_the_store() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let lines = moved_out(&server, &salon).await;
    import(&server.operator, "", &lines).await.is(200);
    let listed = store::read_tombstones(server.data_dir()).unwrap();
    let kinds: Vec<_> =
        listed.iter().map(|line| line.to_string().split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["ended-business", "imported-business"]);
}

#[tokio::test]
async fn an_imported_booking_page_keeps_its_slug_unless_another_business_has_it() {
    let server = Server::open().await;
    let [salon, other] = [server.salon().await, server.salon().await];
    let page = json!({ "enabled": true, "slug": "zoe", "show_prices": true });
    let page = salon.operator.patch("/website", &page).await.data();
    salon.operator.patch("/notices", &json!({ "reminder_hours": [2] })).await.is(200);
    let lines = moved_out(&server, &salon).await;
    let website = async || salon.operator.get("/website").await.data();
    // The business was deleted, but its slug stays reserved for it. So the business gets the slug back when it is
    // imported.
    assert_eq!(import(&server.operator, "", &lines).await.data()["lost_slugs"], json!([]));
    assert_eq!(website().await, page);
    assert_eq!(salon.operator.get("/notices").await.data()["reminder_hours"], json!([2]));
    other.operator.patch("/website", &json!({ "slug": "zoe" })).await.fails(409, "conflict");
    salon.operator.delete("").await.is(202);
    server.clock.advance(91 * 86_400);
    other.operator.patch("/website", &json!({ "slug": "zoe" })).await.is(200);
    while import(&server.operator, "?dry_run=true", &lines).await.status != 200 {
        tokio::task::yield_now().await;
    }
    for query in ["?dry_run=true", ""] {
        let imported = import(&server.operator, query, &lines).await.data();
        assert_eq!(imported["lost_slugs"], json!(["zoe"]));
    }
    let without = merged(page, json!({ "enabled": false, "slug": null, "url": null }));
    assert_eq!(website().await, without);
    salon.operator.patch("/website", &json!({ "slug": "zoe" })).await.fails(409, "conflict");
    let enabled = salon.operator.patch("/website", &json!({ "enabled": true })).await.data();
    assert_eq!(enabled["slug"], "salon-zoe");
}

#[tokio::test]
async fn two_imported_booking_pages_cannot_have_the_same_slug() {
    let server = Server::open().await;
    let [one, two] = [server.salon().await, server.salon().await];
    for (salon, slug) in [(&one, "zoe-1"), (&two, "zoe-2")] {
        salon.operator.patch("/website", &json!({ "enabled": true, "slug": slug })).await.is(200);
    }
    let lines = String::from_utf8(server.operator.get("/export").await.bytes.to_vec()).unwrap();
    for salon in [&one, &two] {
        salon.operator.delete("").await.is(202);
    }
    while import(&server.operator, "?dry_run=true", &lines).await.status != 200 {
        tokio::task::yield_now().await;
    }
    let same = lines.replace("\"zoe-2\"", "\"zoe-1\"");
    assert_eq!(import(&server.operator, "", &same).await.data()["lost_slugs"], json!(["zoe-1"]));
    assert_eq!(one.operator.get("/website").await.data()["slug"], "zoe-1");
    assert_eq!(two.operator.get("/website").await.data()["slug"], Value::Null);
}

#[tokio::test]
async fn the_settings_of_a_booking_page_are_checked_by_an_import() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.operator.patch("/website", &json!({ "enabled": true, "address": "1 Way" })).await.is(200);
    let lines = moved_out(&server, &salon).await;
    let at = lines.lines().position(|line| line.contains("\"kind\":\"website\"")).unwrap() + 1;
    for (from, to, property) in [
        ("\"slug\":\"salon-zoe\"", "\"slug\":null", "slug"),
        ("\"slug\":\"salon-zoe\"", "\"slug\":\"manage\"", "slug"),
        ("\"1 Way\"", "\"1\\nWay\"", "address"),
        ("\"change_notice_minutes\":null", "\"change_notice_minutes\":43201", "change_notice_minutes"),
    ] {
        let bad = import(&server.operator, "", &lines.replacen(from, to, 1)).await;
        bad.invalid_at(&[&format!("line {at}: {property}")]);
    }
}

#[tokio::test]
async fn a_business_of_an_earlier_export_sends_no_notices() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let lines = moved_out(&server, &salon).await;
    let kept = lines.lines().filter(|line| !line.contains("\"kind\":\"notices\""));
    let earlier: String = kept
        .map(|line| line.replace("\"version\":6", "\"version\":2") + "\n")
        .collect::<String>()
        .replace(",\"customer_note\":null,\"booked_as\":null,\"attendance\":null", "")
        .replace(",\"notes\":null", "");
    let ends = lines.lines().rev().nth(1).unwrap();
    let records: Value = serde_json::from_str(ends).unwrap();
    let fewer = format!("\"records\":{}", records["records"].as_u64().unwrap() - 1);
    let earlier = earlier.replace(&format!("\"records\":{}", records["records"]), &fewer);
    import(&server.operator, "", &earlier).await.is(200);
    assert_eq!(
        salon.operator.get("/notices").await.data(),
        json!({ "email": "off", "text": "off", "reminder_hours": [24] })
    );
}

#[tokio::test]
async fn an_import_keeps_the_attendance_of_confirmed_appointments_only() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let lines = moved_out(&server, &salon).await;
    let noted = lines.replace("\"attendance\":null", "\"attendance\":\"no_show\"");
    let at = noted.lines().position(|line| line.contains("\"attendance\":\"no_show\"")).unwrap() + 1;
    let cancelled = noted.replace("\"status\":\"confirmed\"", "\"status\":\"cancelled\"");
    let refused = import(&server.operator, "", &cancelled).await;
    refused.invalid_at(&[&format!("line {at}: attendance")]);
    import(&server.operator, "", &noted).await.is(200);
    assert_eq!(salon.operator.all("/appointments").await[0]["attendance"], "no_show");
    let again = String::from_utf8(salon.operator.get("/export").await.bytes.to_vec()).unwrap();
    assert_eq!(body(&again), body(&noted));
}
