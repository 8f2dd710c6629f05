//! Tests of people in the operator API: adding, changing and removing them, their links, their alert
//! settings, and the audit log of accounts.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, id};

async fn add(salon: &Salon, email: &str, role: &str) -> Value {
    salon.operator.post("/people", &json!({ "email": email, "role": role })).await.created()
}

#[tokio::test]
async fn a_person_is_added_changed_and_removed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = json!({ "email": "Ada@Example.com", "name": "Ada", "role": "owner", "staff_id": salon.anna,
        "locale": "fr" });
    let answer = salon.operator.post("/people", &body).await;
    let ada = answer.created();
    let link = ada["link"].as_str().unwrap();
    let (start, token) = link.split_once("/dashboard/enter/").unwrap();
    assert!(start.starts_with("http://127.0.0.1:") && token.len() == 43, "{link}");
    assert!(ada["link_expires_at"].is_string());
    assert_eq!(
        (&ada["email"], &ada["status"], &ada["locale"]),
        (&json!("Ada@Example.com"), &json!("invited"), &json!("fr"))
    );
    let path = format!("/people/{}", id(&ada));
    let shown = salon.operator.get(&path).await;
    assert_eq!(shown.etag(), answer.etag(), "the link must not be part of the person");
    assert_eq!(salon.operator.all("/people").await, [shown.data()]);

    let again = json!({ "email": "ada@example.COM", "role": "member" });
    salon.operator.post("/people", &again).await.fails(409, "conflict");
    let bob = add(&salon, "bob@example.com", "member").await;
    assert_eq!((&bob["name"], &bob["locale"]), (&json!(""), &json!("en")), "the default values must be used");
    let changes = json!({ "role": "admin", "staff_id": null, "name": "Ada L.", "status": "disabled" });
    let changed = salon.operator.patch(&path, &changes).await.data();
    for (name, value) in changes.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    let active = salon.operator.patch(&path, &json!({ "status": "active" })).await.data();
    assert_eq!(active["status"], "active");
    salon.operator.call("DELETE", &path).await.is(204);
    salon.operator.get(&path).await.fails(404, "not_found");
    salon.operator.call("DELETE", &path).await.fails(404, "not_found");
    assert_eq!(salon.operator.all("/people").await.len(), 1);
    // The account belongs to the person, so the removal from the business did not delete it. After the person is added
    // again, the response does not contain the account's name until the person accepts the new membership.
    let back = add(&salon, "ada@example.com", "member").await;
    assert_eq!((id(&back), &back["name"], &back["email"]), (id(&ada), &json!(""), &json!("ada@example.com")));
    let log = salon.operator.all("/audit").await;
    let actions: Vec<_> = log.iter().map(|entry| entry["action"].as_str().unwrap()).take(4).collect();
    assert_eq!(actions, ["person.added", "person.removed", "person.changed", "person.changed"]);
    let accounts = server.operator.all("/audit").await;
    let of_ada = accounts.iter().filter(|entry| entry["resource_id"] == ada["id"]);
    let actions: Vec<_> = of_ada.map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["person.link_made", "person.renamed", "person.link_made", "person.created"]);
}

#[tokio::test]
async fn clock_and_first_weekday_belong_to_the_account() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let ada = add(&salon, "ada@example.com", "owner").await;
    assert_eq!((&ada["clock"], &ada["week_start"]), (&json!("auto"), &json!("auto")));
    let path = format!("/people/{}", id(&ada));
    salon.operator.patch(&path, &json!({ "status": "active" })).await.is(200);
    server.clock.advance(5);
    for (clock, week_start) in [("12", "sunday"), ("24", "saturday"), ("auto", "monday"), ("12", "auto")] {
        let change = json!({ "clock": clock, "week_start": week_start });
        let changed = salon.operator.patch(&path, &change).await.data();
        assert_eq!((&changed["clock"], &changed["week_start"]), (&json!(clock), &json!(week_start)));
        assert_eq!(salon.operator.get(&path).await.data(), changed);
        assert_ne!(changed["updated_at"], ada["updated_at"]);
    }
    // Another business that adds the person sees the settings only after the person has accepted.
    let offered = add(&other, "ada@example.com", "member").await;
    assert_eq!((id(&offered), &offered["clock"]), (id(&ada), &json!("auto")));
    for (bad, at) in [
        (json!({ "clock": "13" }), "clock"),
        (json!({ "clock": 12 }), "clock"),
        (json!({ "clock": null }), "clock"),
        (json!({ "week_start": "tuesday" }), "week_start"),
    ] {
        salon.operator.patch(&path, &bad).await.invalid_at(&[at]);
    }
    let accounts = server.operator.all("/audit").await;
    let changes = accounts.iter().filter(|entry| entry["action"] == "person.changed").count();
    assert_eq!(changes, 4, "{accounts:?}");
}

#[tokio::test]
async fn an_invalid_person_is_refused_with_the_path() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (body, paths) in [
        (json!({}), &["email", "role"][..]),
        (json!({ "email": "ada", "role": "boss" }), &["email", "role"]),
        (json!({ "email": "a@b", "role": "owner", "locale": "de", "name": 1 }), &["name", "locale"]),
        (json!({ "email": "a@b", "role": "owner", "name": " \u{3000}\t" }), &["name"]),
        (json!({ "email": "a@b", "role": "owner", "staff_id": salon.cut }), &["staff_id"]),
        (json!({ "email": "a@b", "role": "owner", "status": "active" }), &["status"]),
    ] {
        salon.operator.post("/people", &body).await.invalid_at(paths);
    }
    assert!(salon.operator.all("/people").await.is_empty());
    assert!(server.operator.all("/audit").await.is_empty(), "no account may be created");
    let ada = add(&salon, "ada@example.com", "owner").await;
    let path = format!("/people/{}", id(&ada));
    salon.operator.patch(&path, &json!({ "name": "  " })).await.invalid_at(&["name"]);
    for (body, paths) in [
        (json!({}), &[""][..]),
        (json!({ "status": "invited" }), &["status"]),
        (json!({ "role": null, "email": "b@b" }), &["email", "role"]),
    ] {
        salon.operator.patch(&path, &body).await.invalid_at(paths);
    }
    salon.operator.post(&format!("{path}/link"), &json!({ "kind": "email" })).await.invalid_at(&["kind"]);
    let settings = json!({ "call_missed": { "email": "soon", "scope": "theirs" }, "call_lost": {} });
    let bad = salon.operator.patch(&format!("{path}/notifications"), &settings).await;
    bad.invalid_at(&["call_lost", "call_missed.email", "call_missed.scope"]);
}

#[tokio::test]
async fn changing_a_person_supports_if_match() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/people/{}", id(&add(&salon, "ada@example.com", "owner").await));
    let seen = salon.operator.get(&path).await;
    let change =
        |body: Value| salon.operator.call("PATCH", &path).header("if-match", &seen.etag()).json(&body);
    server.clock.advance(1);
    change(json!({ "name": "Ada", "role": "admin" })).await.is(200);
    change(json!({ "name": "Eve" })).await.fails(409, "conflict");
    assert_eq!(salon.operator.get(&path).await.data()["name"], "Ada", "a refused change must change nothing");
}

#[tokio::test]
async fn a_link_matches_the_account_and_the_requested_kind() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let ada = add(&salon, "ada@example.com", "owner").await;
    let path = format!("/people/{}/link", id(&ada));
    let made = salon.operator.call("POST", &path).await.is(200).data();
    assert_eq!(made["kind"], "invitation");
    assert_ne!(made["link"], ada["link"]);
    for kind in ["enter", "reset", "invitation"] {
        let made = salon.operator.post(&path, &json!({ "kind": kind })).await.is(200).data();
        assert_eq!(made["kind"], kind);
    }
}

#[tokio::test]
async fn a_response_without_a_link_gives_the_reason() {
    let server = Server::open_off_the_loopback().await;
    let salon = server.salon().await;
    let ada = add(&salon, "ada@example.com", "owner").await;
    assert_eq!((&ada["link"], &ada["link_expires_at"]), (&Value::Null, &Value::Null));
    assert_eq!(ada["no_link_reason"], "no_public_url");
    let path = format!("/people/{}/link", id(&ada));
    let refused = salon.operator.post(&path, &json!({})).await;
    refused.fails(409, "conflict").says("the service has no public URL");
}

#[tokio::test]
async fn a_stored_response_does_not_contain_the_link() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let body = json!({ "email": "ada@example.com", "role": "owner" });
    let send = async || salon.operator.call("POST", "/people").json(&body).once("k").await;
    let first = send().await;
    let again = send().await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let mut without = first.created();
    (without["link"], without["link_expires_at"]) = (Value::Null, Value::Null);
    assert_eq!(without["no_link_reason"].take(), Value::Null);
    without["no_link_reason"] = json!("given_again");
    assert_eq!((again.created(), again.etag()), (without, first.etag()));
    let path = format!("/people/{}/link", id(&first.created()));
    let made = salon.operator.call("POST", &path).once("l").await;
    let again = salon.operator.call("POST", &path).once("l").await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    let mut without = made.data();
    let token = without["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    without["link"] = Value::Null;
    assert_eq!(again.data(), without);
    server.restart().await;
    let kept =
        std::process::Command::new("grep").args(["-rlF", &token]).arg(server.data_dir()).output().unwrap();
    assert!(kept.stdout.is_empty(), "only the hash of a link may be stored");
}

#[tokio::test]
async fn alert_settings_begin_with_the_role_and_stay_as_they_were_chosen() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let owner = add(&salon, "owner@example.com", "owner").await;
    let hand = json!({ "email": "hand@example.com", "role": "member", "staff_id": salon.anna });
    let hand = salon.operator.post("/people", &hand).await.created();
    let of = async |person: &Value| {
        salon.operator.get(&format!("/people/{}/notifications", id(person))).await.data()
    };
    let (owners, hands) = (of(&owner).await, of(&hand).await);
    let now = |all: &Value| {
        let all = all.as_object().unwrap().iter();
        all.filter(|(_, set)| set["email"] == "now").map(|(kind, _)| kind.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        now(&owners),
        [
            "appointment_requested",
            "calendar_failed",
            "call_missed",
            "message_taken",
            "urgent_message",
            "webhook_disabled",
            "webhook_failing"
        ]
    );
    assert_eq!(now(&hands).len(), 7);
    assert_eq!(hands["appointment_booked"]["scope"], "mine");
    let path = format!("/people/{}/notifications", id(&hand));
    let chosen = json!({ "urgent_message": { "email": "daily" }, "call_missed": { "in_app": false } });
    let set = salon.operator.patch(&path, &chosen).await.data();
    assert_eq!(
        (&set["urgent_message"]["email"], &set["call_missed"]["in_app"]),
        (&json!("daily"), &json!(false))
    );
    salon.operator.patch(&format!("/people/{}", id(&hand)), &json!({ "role": "owner" })).await.is(200);
    let set = of(&hand).await;
    assert_eq!(
        (&set["urgent_message"]["email"], &set["call_missed"]["email"]),
        (&json!("daily"), &json!("now"))
    );
}

#[tokio::test]
async fn a_staff_member_who_is_linked_to_a_person_cannot_be_deleted() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let without_services =
        salon.operator.post("/staff", &json!({ "name": "Nobody", "service_ids": [] })).await.created();
    let person = json!({ "email": "ada@example.com", "role": "member", "staff_id": without_services["id"] });
    let person = salon.operator.post("/people", &person).await.created();
    let path = format!("/staff/{}", id(&without_services));
    salon.operator.call("DELETE", &path).await.fails(409, "conflict");
    salon.operator.patch(&format!("/people/{}", id(&person)), &json!({ "staff_id": null })).await.is(200);
    salon.operator.call("DELETE", &path).await.is(204);
}

#[tokio::test]
async fn a_key_says_who_created_it() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let operator = json!({ "type": "operator", "id": null, "name": null });
    let made =
        salon.operator.post("/keys", &json!({ "name": "till", "scopes": ["calls:read"] })).await.created();
    assert_eq!(made["created_by"], operator);
    assert!(salon.operator.all("/keys").await.iter().all(|key| key["created_by"] == operator));
}
