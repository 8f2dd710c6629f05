//! Tests of the page of an appointment: the forms to confirm, decline, move and cancel it, and the history
//! with the person who made each change. Two people can change the same appointment at the same time.

use serde_json::json;

use crate::day_salon::Salon;

const LATER: &str = "2026-03-03T09:00:00Z";

#[tokio::test]
async fn the_history_of_an_appointment_names_actors_as_far_as_the_role_may_see_them() {
    let mut salon = Salon::open().await;
    let id = salon.requested(LATER, "Nora Haddad").await;
    let path = salon.to(&format!("appointments/{id}"));
    let page =
        salon.member.get(&path).await.is(200).says("To confirm").says("Nora Haddad requested this time");
    let page = page.says("90 minutes · 15 min buffer after").says("Requested").says("An integration");
    assert!(!page.text().contains("website”"), "a member must not see names of API keys");
    salon.owner.get(&path).await.says("The key “website”");
    let confirm = format!("{path}/confirm");
    salon.member.submit(&page, &confirm, &[]).await.leads_to(&format!("{path}?done=confirmed"));
    let page = salon.owner.get(&format!("{path}?done=confirmed")).await.says("Confirmed.");
    assert!(
        !page.forms().iter().any(|form| form.action == confirm),
        "an appointment that is confirmed must have no button to confirm it"
    );
    assert_eq!(salon.appointment(&id).await["status"], "confirmed");
    let text = page.text();
    assert!(
        text.find("Confirmed Monday").unwrap() < text.find("Requested Monday").unwrap(),
        "the newest entry must come first: {text}"
    );
    page.says("member@example.com");
}

#[tokio::test]
async fn declining_and_cancelling_ask_first_and_free_the_time() {
    let mut salon = Salon::open().await;
    let asked = salon.requested(LATER, "Nora").await;
    let booked = salon.booked("2026-03-03T13:00:00Z", "Ada").await;
    for (id, deed, says, status) in [
        (&asked, "decline", "Decline the request", "declined"),
        (&booked, "cancel", "Cancel the appointment", "cancelled"),
    ] {
        let path = salon.to(&format!("appointments/{id}"));
        let page = salon.member.get(&path).await;
        let way = format!("{path}/{deed}");
        assert!(page.body.contains(&format!("href=\"{way}\"")), "the page must offer {deed}");
        let page = salon.member.get(&way).await.is(200).says(says).says("cannot be undone");
        salon.member.submit(&page, &way, &[]).await.leads_to(&format!("{path}?done={status}"));
        let page = salon.member.get(&format!("{path}?done={status}")).await.says("The time is open again.");
        assert_eq!(salon.appointment(id).await["status"], *status);
        assert!(
            !page.body.contains(&format!("href=\"{way}\"")),
            "the page must not offer this action any more"
        );
        // The second person's form redirects to the page with the current state.
        salon.owner.get(&way).await.leads_to(&path);
    }
}

#[tokio::test]
async fn an_appointment_is_moved_to_an_open_time_and_a_conflicting_move_shows_both_versions() {
    let mut salon = Salon::open().await;
    let id = salon.booked(LATER, "Ada").await;
    let path = salon.to(&format!("appointments/{id}"));
    let way = format!("{path}/move");
    let mine = salon
        .owner
        .get(&way)
        .await
        .is(200)
        .says("Move the appointment of Ada")
        .says("now Tuesday 3 March, 10:00 with Inès");
    let theirs = salon.member.get(&format!("{way}?staff={}&date=2026-03-04", salon.hugo)).await.is(200);
    let to_hugo = [("starts_at", "2026-03-04T10:30:00.000Z")];
    salon.member.submit(&theirs, &way, &to_hugo).await.leads_to(&format!("{path}?done=moved"));
    let late = [("starts_at", "2026-03-03T13:00:00.000Z")];
    let page = salon.owner.submit(&mine, &way, &late).await.is(409).says("Your version");
    let page = page.says("Tuesday 3 March at 14:00").says("Wednesday 4 March at 11:30").says("Hugo");
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-04T10:30:00.000Z");
    // The person has now seen both versions and can send the form.
    salon.owner.submit(&page, &way, &late).await.leads_to(&format!("{path}?done=moved"));
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-03T13:00:00.000Z");
    let page = salon
        .owner
        .get(&path)
        .await
        .says("Moved from Wednesday 4 March at 11:30 to Tuesday 3 March at 14:00");
    assert_eq!(page.text().matches("Moved from").count(), 2);
    let page = salon.member.get(&path).await.says("Moved");
    assert!(
        !page.text().contains("Moved from"),
        "a member must see only the action, the time and the person"
    );
}

#[tokio::test]
async fn an_appointment_is_not_moved_to_a_taken_time() {
    let mut salon = Salon::open().await;
    let id = salon.booked(LATER, "Ada").await;
    let path = salon.to(&format!("appointments/{id}"));
    let way = format!("{path}/move");
    let page = salon.owner.get(&way).await;
    salon.booked("2026-03-03T13:00:00Z", "Grace").await;
    let page = salon.owner.submit(&page, &way, &[("starts_at", "2026-03-03T13:00:00.000Z")]).await.is(409);
    page.says("That time is taken. Choose one of the open times, or type another one.");
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-03T09:00:00.000Z");
}

#[tokio::test]
async fn confirming_an_appointment_that_was_changed_meanwhile_shows_its_state() {
    let mut salon = Salon::open().await;
    let id = salon.requested(LATER, "Nora").await;
    let path = salon.to(&format!("appointments/{id}"));
    let page = salon.owner.get(&path).await;
    salon.operator("POST", &format!("/appointments/{id}/cancel"), serde_json::Value::Null).await;
    let page = salon.owner.submit(&page, &format!("{path}/confirm"), &[]).await.is(409);
    page.says("Somebody has changed this appointment since you opened this page").says("Cancelled");
}

#[tokio::test]
async fn appointments_of_a_suspended_business_can_only_be_read_and_those_of_another_are_not_found() {
    let mut salon = Salon::open().await;
    let id = salon.booked(LATER, "Ada").await;
    let path = salon.to(&format!("appointments/{id}"));
    let open = salon.owner.get(&format!("{path}/cancel")).await;
    salon.operator("PATCH", "", json!({ "suspended": true })).await;
    let page = salon.owner.get(&path).await.is(200).says("Ada");
    assert!(
        !page.body.contains("/move\"") && !page.body.contains("/cancel\""),
        "the page must offer no action"
    );
    salon.owner.get(&format!("{path}/move")).await.leads_to(&path);
    salon.owner.submit(&open, &format!("{path}/cancel"), &[]).await.is(403);
    let other = salon.server.business("Barbier").await;
    let person = salon.server.person(&other, "other@example.com", "owner").await;
    let mut browser = salon.server.signed_in(&other, &person).await;
    browser.get(&format!("/dashboard/b/{other}/appointments/{id}")).await.is(404);
}

#[tokio::test]
async fn text_from_customers_is_shown_without_markup_or_links() {
    let mut salon = Salon::open().await;
    let name = format!("<script>alert(1)</script>{}", "x".repeat(170));
    let body = salon
        .server
        .operator(
            "POST",
            &format!("/businesses/{}/contacts", salon.id),
            json!({ "name": name, "email": "a?bcc=b@example.com" }),
        )
        .await;
    let booking = json!({ "service_id": salon.cut, "starts_at": LATER, "contact_id": body["id"] });
    let id = crate::day_salon::key(&salon.operator("POST", "/appointments", booking).await);
    let page =
        salon.owner.get(&salon.to(&format!("appointments/{id}"))).await.says("<script>alert(1)</script>");
    page.says("a?bcc=b@example.com");
    for page in ["today", "calendar?date=2026-03-03", "calendar?view=week", "calendar?view=list"] {
        let page = salon.owner.get(&salon.to(page)).await.is(200);
        assert!(!page.body.contains("<script>alert") && !page.body.contains("mailto:"));
    }
}

#[tokio::test]
async fn an_appointment_is_moved_against_rules_and_made_longer() {
    let mut salon = Salon::open().await;
    let id = salon.booked(LATER, "Ada").await;
    let path = salon.to(&format!("appointments/{id}"));
    let way = format!("{path}/move");
    // The form opens with the appointment's own time, so a longer duration can be submitted without a new
    // start.
    let page = salon.owner.get(&way).await.is(200).says("Tuesday 3 March, 10:00 – 10:30");
    salon.owner.submit(&page, &way, &[("minutes", "60")]).await.leads_to(&format!("{path}?done=moved"));
    assert_eq!(salon.appointment(&id).await["ends_at"], "2026-03-03T10:00:00.000Z");
    let page = salon.owner.get(&way).await.says("10:00 – 11:00");
    let page = salon
        .owner
        .submit(&page, &way, &[("show", "times"), ("time", "20:05"), ("date", "2026-03-02")])
        .await;
    let page = page.is(200).says("Monday 2 March, 20:05 – 21:05").says("It is outside the opening hours.");
    let page = salon.owner.submit(&page, &way, &[("override", "grid")]).await.is(409).says("Move anyway");
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-03T09:00:00.000Z");
    let accepted = [("override", page.button_value("override"))];
    let accepted = accepted.each_ref().map(|(name, value)| (*name, value.as_str()));
    salon.owner.submit(&page, &way, &accepted).await.leads_to(&format!("{path}?done=moved"));
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-02T19:05:00.000Z");
}
