//! Tests of `PATCH /contacts/{contact_id}`.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, id, merged};

fn whole() -> Value {
    json!({ "name": "Zoé", "phone": "+33612345678", "email": "zoe@example.com", "locale": "fr",
        "timezone": "Europe/Paris" })
}

fn path(contact: &Value) -> String {
    format!("/contacts/{}", id(contact))
}

async fn shown(salon: &Salon, contact: &Value) -> Value {
    salon.get(&path(contact)).await.data()
}

#[tokio::test]
async fn absent_properties_stay_unchanged_and_null_clears_a_property() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut expected = salon.contact(whole()).await;
    for patch in [
        json!({ "name": "Zoë" }),
        json!({ "locale": "en", "timezone": "America/New_York" }),
        json!({ "email": "ZOE@Example.org" }),
        json!({ "phone": "+33 6 99 99 99 99" }),
        json!({ "phone": null }),
        json!({ "locale": null, "timezone": null }),
        json!({ "name": null }),
        json!({ "name": "A", "email": null }),
    ] {
        server.clock.advance(1);
        let after = salon.patch_contact(&expected, patch.clone()).await;
        expected = merged(expected, patch);
        for (name, kept) in [("email", "zoe@example.org"), ("phone", "+33699999999")] {
            if expected[name].is_string() && after[name] == kept {
                expected[name] = json!(kept);
            }
        }
        assert!(after["updated_at"].as_str().unwrap() > expected["updated_at"].as_str().unwrap());
        expected["updated_at"] = after["updated_at"].clone();
        assert_eq!(after, expected);
        assert_eq!(shown(&salon, &expected).await, expected);
    }
}

#[tokio::test]
async fn one_of_name_phone_and_email_must_remain() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let all = json!({ "name": null, "phone": null, "email": null });
    for kept in ["name", "phone", "email"] {
        let made = salon.contact(whole()).await;
        salon.try_patch_contact(&made, all.clone()).await.fails(400, "invalid_request");
        assert_eq!(shown(&salon, &made).await, made);
        let mut others = all.clone();
        others.as_object_mut().unwrap().remove(kept);
        let bare = salon.patch_contact(&made, others).await;
        assert_eq!(bare[kept], made[kept]);
        salon.try_patch_contact(&bare, json!({ kept: null })).await.fails(400, "invalid_request");
        assert_eq!(shown(&salon, &made).await, bare);
        let freed = salon
            .patch_contact(&bare, merged(json!({ "name": "B" }), json!({ "phone": null, "email": null })));
        freed.await;
    }
}

#[tokio::test]
async fn an_invalid_patch_names_the_property_and_changes_nothing() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.contact(whole()).await;
    for (patch, paths) in [
        (json!({ "name": "" }), &["name"][..]),
        (json!({ "name": "x".repeat(201) }), &["name"]),
        (json!({ "phone": "" }), &["phone"]),
        (json!({ "email": "a" }), &["email"]),
        (json!({ "locale": "es" }), &["locale"]),
        (json!({ "timezone": "Mars" }), &["timezone"]),
        (json!({ "name": "B", "created_at": "2026-03-02T06:00:00Z" }), &["created_at"]),
        (json!({ "name": 1, "phone": [], "email": {} }), &["name", "phone", "email"]),
    ] {
        salon.try_patch_contact(&made, patch).await.invalid_at(paths);
    }
    salon.try_patch_contact(&made, json!({})).await.fails(400, "invalid_request");
    salon.api.call("PATCH", &path(&made)).bytes("[]").await.fails(400, "invalid_request");
    salon.api.call("PATCH", &path(&made)).await.fails(400, "invalid_request");
    assert_eq!(shown(&salon, &made).await, made);
}

#[tokio::test]
async fn a_patch_without_effect_keeps_updated_at() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "phone_region": "FR" })).await;
    let made = salon.contact(whole()).await;
    server.clock.advance(60);
    let same = json!({ "name": "Zoé", "phone": "06 12 34 56 78", "email": "ZOE@EXAMPLE.COM" });
    assert_eq!(salon.patch_contact(&made, same).await, made);
}

#[tokio::test]
async fn another_contacts_phone_or_email_is_a_conflict() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.contact(whole()).await;
    let second =
        salon.contact(json!({ "name": "B", "phone": "+33611111111", "email": "b@example.com" })).await;
    for (patch, at) in [
        (json!({ "phone": "+33 6 12 34 56 78" }), "phone"),
        (json!({ "email": "Zoe@example.com", "name": "C" }), "email"),
    ] {
        let refused = salon.try_patch_contact(&second, patch).await;
        refused.fails(409, "conflict");
        let detail = &refused.body["error"]["details"][0];
        assert_eq!(detail["path"], at);
        assert!(detail["message"].as_str().unwrap().contains(id(&first)), "{refused}");
    }
    assert_eq!(shown(&salon, &second).await, second);
    salon.patch_contact(&first, json!({ "phone": null, "email": "z@example.com" })).await;
    let taken = json!({ "phone": "+33612345678", "email": "zoe@example.com" });
    salon.patch_contact(&second, taken).await;
    let freed = json!({ "phone": "+33611111111", "email": "b@example.com" });
    salon.contact(freed).await;
}

#[tokio::test]
async fn if_match_allows_a_change_only_of_the_version_that_was_read() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.try_contact(whole()).await;
    let made = first.created();
    let patch = async |name: &str, tag: &str| {
        let call = salon.api.call("PATCH", &path(&made)).json(&json!({ "name": name }));
        call.header("if-match", tag).await
    };
    let second = patch("B", &first.etag()).await;
    assert_ne!(second.is(200).etag(), first.etag());
    for stale in [first.etag(), "\"x\"".into(), format!("W/{}", second.etag())] {
        patch("C", &stale).await.fails(409, "conflict");
    }
    assert_eq!(shown(&salon, &made).await["name"], "B");
    patch("C", &format!("\"x\", {}", second.etag())).await.is(200);
    patch("D", "*").await.is(200);
    assert_eq!(salon.get(&path(&made)).await.data()["name"], "D");
}

#[tokio::test]
async fn a_patch_under_an_idempotency_key_is_carried_out_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.contact(whole()).await;
    let send = async |name: &str| {
        salon.api.call("PATCH", &path(&made)).json(&json!({ "name": name })).once("k").await
    };
    let first = send("B").await;
    first.is(200);
    salon.patch_contact(&made, json!({ "name": "C" })).await;
    let again = send("B").await;
    assert_eq!((again.is(200).header("idempotent-replayed"), &again.bytes), ("true", &first.bytes));
    assert_eq!(shown(&salon, &made).await["name"], "C");
    send("D").await.fails(422, "idempotency_key_reused");
}

#[tokio::test]
async fn a_new_name_and_number_show_in_the_appointments_of_the_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let contact = salon.get(&format!("/contacts/{}", booked["contact_id"].as_str().unwrap())).await.data();
    salon.patch_contact(&contact, json!({ "name": "New", "phone": "+33699999999" })).await;
    let now = salon.show(&booked).await;
    assert_eq!((&now["contact_name"], &now["contact_phone"]), (&json!("New"), &json!("+33699999999")));
    assert_eq!(salon.api.all("/appointments").await, [now]);
}
