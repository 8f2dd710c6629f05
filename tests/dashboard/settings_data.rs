//! Tests of the page for retention periods and the export of a business.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

async fn open() -> (Server, String, String, Browser) {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let path = format!("/dashboard/b/{salon}/settings/data");
    (server, salon, path, browser)
}

async fn retention(server: &Server, salon: &str) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/retention"), Value::Null).await
}

#[tokio::test]
async fn a_shorter_retention_deletes_only_after_a_confirmation() {
    let (server, salon, path, mut browser) = open().await;
    let page = browser.get(&path).await.is(200).says("No limit").says("Erasing deletes a contact");
    let fields = [("calls_days", "365"), ("audit_days", "180")];
    let asked = browser.submit(&page, &path, &fields).await.is(200).says("Keep data for a shorter time?");
    let asked = asked.says("Calls: everything from before").says("Audit log: everything from before");
    assert!(!asked.text().contains("Messages: everything"));
    assert_eq!(
        retention(&server, &salon).await["calls_days"],
        Value::Null,
        "nothing may be changed before the confirmation"
    );
    browser.submit(&asked, &path, &[]).await.leads_to(&format!("{path}?done=saved"));
    let expected =
        json!({ "calls_days": 365, "messages_days": null, "audit_days": 180, "appointments_days": null });
    assert_eq!(retention(&server, &salon).await, expected);
    // A longer period deletes no data, so no confirmation is needed.
    let page = browser.get(&path).await;
    assert_eq!(page.field(&path, "calls_days"), "365");
    browser.submit(&page, &path, &[("calls_days", "730")]).await.leads_to(&format!("{path}?done=saved"));
    assert_eq!(retention(&server, &salon).await["calls_days"], 730);
    // The page also offers an unusual value that the operator has set.
    server.operator("PATCH", &format!("/businesses/{salon}/retention"), json!({ "messages_days": 77 })).await;
    assert_eq!(browser.get(&path).await.field(&path, "messages_days"), "77");
}

#[tokio::test]
async fn refused_retention_keeps_its_input_and_a_conflict_shows_both_versions() {
    let (server, salon, path, mut browser) = open().await;
    let page = browser.get(&path).await;
    let fields = [("calls_days", "0"), ("audit_days", "30")];
    let refused = browser.submit(&page, &path, &fields).await.is(422);
    refused
        .says("It must be a whole number from 1 to 36,500.")
        .says("It must be a whole number from 90 to 36,500.");
    server.operator("PATCH", &format!("/businesses/{salon}/retention"), json!({ "calls_days": 30 })).await;
    let fields = [("messages_days", "90")];
    let asked = browser.submit(&page, &path, &fields).await.is(200);
    let page = browser
        .submit(&asked, &path, &[])
        .await
        .is(409)
        .says("Saved version")
        .says("30 days")
        .says("90 days");
    assert_eq!(retention(&server, &salon).await["messages_days"], Value::Null);
    // The form lengthens the period for calls from 30 days to unlimited, and shortens the period for messages to 90
    // days. Only a shorter period needs a confirmation, so the page asks only about the messages.
    let asked = browser.submit(&page, &path, &[]).await.is(200).says("Messages: everything");
    browser.submit(&asked, &path, &[]).await.is(303);
    assert_eq!(retention(&server, &salon).await["messages_days"], 90);
}

#[tokio::test]
async fn only_owners_change_the_retention_of_the_audit_log_and_members_see_no_settings() {
    let (server, salon, path, _) = open().await;
    let bob = server.person(&salon, "bob@example.com", "admin").await;
    let mia = server.person(&salon, "mia@example.com", "member").await;
    let mut admin = server.signed_in(&salon, &bob).await;
    let page = admin
        .get(&path)
        .await
        .is(200)
        .says("The audit log is kept for: No limit. Only an owner can change this.");
    assert!(!page.form(&path).controls.contains(&"audit_days".to_owned()));
    let mut fields = page.form(&path).fields;
    fields.push(("audit_days".into(), "90".into()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    admin.post(&path, &fields).await.is(303);
    assert_eq!(
        retention(&server, &salon).await["audit_days"],
        Value::Null,
        "a field that the page does not contain must have no effect"
    );
    let mut member = server.signed_in(&salon, &mia).await;
    member.get(&path).await.is(404);
    member.get(&format!("{path}/export")).await.is(404);
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let page = admin.get(&path).await.is(200).says("No limit").says("Download all data");
    assert!(!page.forms().iter().any(|form| form.action == path));
}

#[tokio::test]
async fn the_download_equals_the_export_by_the_operator_without_secrets() {
    let (server, salon, path, mut browser) = open().await;
    crate::settings_hours::booked(&server, &salon, "2026-03-02T09:00:00Z").await;
    server.business("Another").await;
    let page = browser.get(&format!("{path}/export")).await.is(200);
    assert_eq!(page.header("content-type"), "application/x-ndjson");
    assert_eq!(page.header("content-disposition"), "attachment; filename=\"business-2026-03-02.jsonl\"");
    let lines: Vec<Value> = page.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        page.body.contains("Salon Zoé") && page.body.contains("<b>Nora</b>") && page.body.contains("Inès")
    );
    assert!(!page.body.contains("Another") && !page.body.contains("ada@example.com"));
    assert!(lines.len() > 5, "{}", page.body);
    let log = server.operator("GET", "/audit", Value::Null).await;
    let exported = log.as_array().unwrap().iter().filter(|entry| entry["action"] == "business.exported");
    let actors: Vec<_> = exported.map(|entry| entry["actor"]["type"].clone()).collect();
    assert_eq!(actors, ["person"], "the export must be audited once, with the person");
    // A HEAD request is not counted as an export.
    browser.ask("HEAD", &format!("{path}/export"), &[], String::new()).await.is(200);
    let log = server.operator("GET", "/audit", Value::Null).await;
    assert_eq!(log.to_string().matches("business.exported").count(), 1);
}
