//! Tests of the calendar file, the frame page and the page that stops mails, and of the appearance of all
//! pages of a manage link.

use domain::Timestamp;
use serde_json::{Value, json};

use super::{Booked, OTHER_TIME, STARTS_AT};
use crate::checks::Checks;
use crate::window::window;

#[tokio::test]
async fn the_calendar_file_has_the_appointment_and_no_data_of_the_contact() {
    let mut booked = Booked::new().await;
    let file = booked.get("/appointment.ics").await.is(200);
    assert_eq!(file.header("content-type"), "text/calendar; charset=utf-8; method=PUBLISH");
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"appointment.ics\"");
    for line in [
        "METHOD:PUBLISH",
        &format!("UID:{}@receptionist", booked.id),
        "DTSTART:20260305T090000Z",
        "DTEND:20260305T093000Z",
        "SEQUENCE:0",
        "STATUS:CONFIRMED",
        "SUMMARY:Coupe · Salon Lumière",
        "LOCATION:1 rue de la Paix\\, Paris",
    ] {
        assert!(file.body.contains(&format!("\r\n{line}\r\n")), "{line}: {}", file.body);
    }
    for secret in ["Zoé", "612345678", "zoe@", &booked.token] {
        assert!(!file.body.contains(secret), "{secret}");
    }
    booked.server.clock.advance(90);
    let form_id = booked.form_id().await;
    booked.move_to(OTHER_TIME, STARTS_AT, &form_id).await.is(303);
    let file = booked.get("/appointment.ics").await.is(200).body;
    let appointment = booked.appointment().await;
    let time = |name: &str| Timestamp::parse(appointment[name].as_str().unwrap()).unwrap();
    let sequence = format!("\r\nSEQUENCE:{}\r\n", (time("updated_at") - time("created_at")).num_seconds());
    assert!(file.contains(&sequence) && file.contains("DTSTART:20260305T140000Z"), "{file}");
}

#[tokio::test]
async fn a_frame_shows_the_appointment_without_forms() {
    let mut booked = Booked::new().await;
    let framed = format!("/book/salon-lumiere/frame/done/{}", booked.token);
    let page = booked.browser.get(&framed).await.is(200).says("Coupe");
    assert_eq!(page.forms().len(), 0);
    let link = page.tags().into_iter().find(|tag| tag.get("target") == Some("_blank")).unwrap();
    assert_eq!(link.get("href"), Some(&*booked.path("")));
    let policy = page.header("content-security-policy");
    assert!(policy.ends_with("frame-ancestors https://salon.example"), "{policy}");
    assert_eq!(page.header("x-frame-options"), "");
    assert_eq!(page.header("cross-origin-embedder-policy"), "require-corp");
    assert_eq!(page.header("cross-origin-resource-policy"), "cross-origin");
    let other = booked.server.business("Other").await;
    let website = json!({ "enabled": true, "origins": ["https://salon.example"] });
    booked.server.operator("PATCH", &format!("/businesses/{other}/website"), website).await;
    booked.browser.get(&format!("/book/other/frame/done/{}", booked.token)).await.is(404);
    booked.operator("PATCH", "/website", json!({ "origins": [] })).await;
    booked.browser.get(&framed).await.is(404);
}

#[tokio::test]
async fn a_link_of_a_mail_stops_the_mails_to_its_address() {
    let mut booked = Booked::new().await;
    let consent = async |booked: &Booked| {
        let path = format!("/contacts/{}/consent", booked.contact);
        booked.operator("GET", &path, Value::Null).await["email"].clone()
    };
    // A manage link that was not sent by mail has no page for stopping mails.
    booked.get("/unsubscribe").await.is(404);
    booked.send("/unsubscribe", &[("what", "all")]).await.is(404);
    booked.token = booked.link_to(Some("zoe@example.com")).await;
    let path = booked.path("/unsubscribe?locale=en");
    let before = consent(&booked).await;
    let page = booked.browser.get(&path).await.is(200).says("Salon Lumière");
    assert!(!page.body.contains("zoe@"));
    let buttons: Vec<_> = page.tags().into_iter().filter(|tag| tag.get("name") == Some("what")).collect();
    assert_eq!(buttons.len(), 2);
    assert_eq!(consent(&booked).await, before);

    // When a mail program unsubscribes with one click, the request has no cookie, and its `Origin` is not the
    // service's own.
    let one_click = [("List-Unsubscribe", "One-Click")];
    let headers = [("origin", "https://mail.example"), ("sec-fetch-site", "cross-site")];
    let page = booked.browser.post_from(&path, &one_click, &headers).await.is(200);
    page.says("You will get no more reminders from Salon Lumière at this address.");
    assert_eq!(consent(&booked).await, "no_reminders");
    let french = booked.path("/unsubscribe?locale=fr");
    let page = booked.browser.post(&french, &[("what", "all")]).await.is(200);
    page.says("Vous ne recevrez plus d’e-mails de l’établissement Salon Lumière à cette adresse.");
    assert_eq!(consent(&booked).await, "none");
    let page = booked.browser.post(&path, &[("what", "all")]).await.is(200);
    page.says("You will get no more e-mails from Salon Lumière at this address.");
}

#[tokio::test]
async fn every_state_of_a_link_fits_the_window_and_meets_wcag() {
    let mut booked = Booked::new().await;
    let Some(mut checks) = Checks::open(&booked.server.origin()).await else { return };
    let framed = |booked: &Booked| format!("/book/salon-lumiere/frame/done/{}", booked.token);
    booked.operator("PATCH", "/website", json!({ "color": "#ffcc00" })).await;
    checks.page("coming", &booked.path(""), 200).await;
    checks.page("move", &booked.path("/move"), 200).await;
    checks.page("framed", &framed(&booked), 200).await;
    booked.operator("PATCH", "/website", json!({ "color": null })).await;
    checks.page("coming-plain", &booked.path(""), 200).await;
    let closed = "document.querySelector('[name=starts_at]').value = '2026-03-05T03:00:00Z'; \
        document.querySelector('[name=starts_at]').checked = true";
    checks.refusal("move-taken", &booked.path("/move"), 409, closed).await;
    let stale = "fields.form_id.value = 'x'";
    checks.refusal("cancel-stale", &booked.path(""), 409, stale).await;
    let elsewhere = "fields.expected_starts_at.value = '2026-03-05T03:00:00Z'";
    checks.refusal("moved-meanwhile", &booked.path(""), 409, elsewhere).await;

    let token = booked.link_to(Some("zoe@example.com")).await;
    let token = std::mem::replace(&mut booked.token, token);
    checks.page("unsubscribe", &booked.path("/unsubscribe"), 200).await;
    for what in ["reminders", "all"] {
        let press = format!("document.querySelector('button[value={what}]').click()");
        let name = format!("unsubscribed-{what}");
        checks.after(&name, &booked.path("/unsubscribe"), 200, (&press, "[role=status]")).await;
    }
    booked.token = token;

    booked.operator("PATCH", "/website", json!({ "change_by_caller": false })).await;
    checks.page("fixed", &booked.path(""), 200).await;
    checks.page("fixed-framed", &framed(&booked), 200).await;
    booked.operator("PATCH", "/website", json!({ "change_by_caller": true })).await;
    booked.operator("PATCH", "", json!({ "booking_mode": "off" })).await;
    checks.page("move-none", &booked.path("/move"), 200).await;
    booked.operator("PATCH", "", json!({ "booking_mode": "request" })).await;
    let form_id = booked.form_id().await;
    booked.move_to(OTHER_TIME, STARTS_AT, &form_id).await.is(303);
    checks.page("pending", &booked.path(""), 200).await;
    booked.operator("POST", &format!("/appointments/{}/decline", booked.id), json!({})).await;
    checks.page("declined", &booked.path(""), 200).await;
    booked.another(STARTS_AT).await;
    booked.operator("POST", &format!("/appointments/{}/cancel", booked.id), json!({})).await;
    checks.page("cancelled", &booked.path(""), 200).await;
    checks.page("cancelled-framed", &framed(&booked), 200).await;
    booked.another(STARTS_AT).await;
    booked.server.clock.set("2026-03-05T09:30:00Z");
    checks.page("over", &booked.path(""), 200).await;
    checks.page("404", "/book/manage/x", 404).await;
    checks.close().await;
}

#[tokio::test]
async fn an_appointment_is_moved_and_cancelled_without_script_and_with_it() {
    let booked = Booked::new().await;
    let Some(window) = window(&booked.server.origin()).await else { return };
    window.goto(&booked.path("?locale=en")).await;
    window.press("Move to another time").await;
    window.tick("starts_at", "2026-03-02T10:00:00.000Z").await;
    window.press("Move to this time").await;
    window.sees("Monday 2 March 2026 at 11:00").await;
    window.without_script().await;
    window.goto(&booked.path("?locale=fr")).await;
    window.find("summary").await.click().await.unwrap();
    window.press("Oui, annuler").await;
    window.sees("Ce rendez-vous est annulé").await;
    window.close().await;
}
