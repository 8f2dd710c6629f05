//! Tests of the calendar: moving appointments, moving them back, and blocking time.

use serde_json::json;

use crate::day_salon::Salon;
use crate::harness::Page;

fn trial(page: &Page) -> String {
    let form = page.tags().into_iter().find(|tag| tag.get("id") == Some("shift"));
    form.expect("the page has a form").get("data-trial").unwrap().to_owned()
}

impl Salon {
    /// Requests the page with which a member of the team moves an appointment to a given time on Monday. `to` is
    /// the rest of the query.
    async fn shift(&mut self, id: &str, to: &str) -> Page {
        let page = self.to(&format!("appointments/{id}/shift?date=2026-03-02&{to}"));
        self.member.get(&page).await.is(200)
    }

    /// Sends the form of a page that [`Self::shift`] has returned.
    async fn send(&mut self, id: &str, page: &Page) -> Page {
        let way = self.to(&format!("appointments/{id}/shift"));
        let fields = page.form(&way).fields;
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.member.post(&way, &fields).await
    }
}

#[tokio::test]
async fn the_page_of_a_move_says_what_the_move_would_break() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    salon.booked("2026-03-02T13:00:00Z", "Grace").await;
    salon
        .operator("PATCH", "", json!({ "breaks": [{ "day": "monday", "from": "12:00", "to": "13:00" }] }))
        .await;
    let hugo = salon.hugo.clone();
    for (to, expected, said) in [
        ("minute=660".to_owned(), "open", "11:00 – 11:30, Inès"),
        (format!("minute=660&staff={hugo}"), "open", "11:00 – 11:30, Hugo"),
        // The calendar has lines between the bookable start times, and the team can move an appointment to
        // any line.
        ("minute=675".to_owned(), "open", "11:15 – 11:45"),
        ("minute=600&minutes=60".to_owned(), "open", "60 minutes"),
        ("minute=720".to_owned(), "anyway", "It overlaps a break."),
        ("minute=1200".to_owned(), "anyway", "It is outside the opening hours."),
        ("minute=390".to_owned(), "anyway", "It is in the past."),
        ("minute=840".to_owned(), "refused", "That time is taken."),
        (format!("minute=660&staff={}", salon.cut), "refused", ""),
    ] {
        let page = salon.shift(&id, &to).await.says(said);
        assert_eq!(trial(&page), expected, "{to}: {}", page.text());
        let buttons = page.tags().into_iter().filter(|tag| tag.name == "button");
        let has_button = buttons.into_iter().any(|tag| ["Move", "Move anyway"].contains(&tag.text.trim()));
        assert_eq!(has_button, expected != "refused", "{to}");
    }
    // This time does not exist, because daylight saving time begins, so the move is refused.
    let skipped = salon.to(&format!("appointments/{id}/shift?date=2026-03-29&minute=150"));
    assert_eq!(trial(&salon.member.get(&skipped).await.is(200)), "refused");
}

#[tokio::test]
async fn an_appointment_is_moved_lengthened_and_moved_back() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let day = salon.to("calendar?view=day&date=2026-03-02");
    let to = format!("minute=675&staff={}&minutes=45", salon.hugo);
    let page = salon.shift(&id, &to).await;
    salon.send(&id, &page).await.leads_to(&day);
    let moved = salon.appointment(&id).await;
    assert_eq!(moved["staff_id"], salon.hugo);
    assert_eq!(
        (&moved["starts_at"], &moved["ends_at"]),
        (&json!("2026-03-02T10:15:00.000Z"), &json!("2026-03-02T11:00:00.000Z"))
    );
    // If the appointment was moved after a form was loaded, the form is refused.
    let back = format!("minute=600&staff={}&minutes=30&back=view%3Dweek%26date%3D2026-03-02", salon.ines);
    let undo = salon.shift(&id, &back).await;
    let other = salon.shift(&id, "minute=900").await;
    salon.send(&id, &other).await.leads_to(&day);
    salon.send(&id, &undo).await.is(409).says("Somebody has changed this appointment");
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-02T14:00:00.000Z");
    // A form that is loaded after the move is accepted. The response redirects to the view in the form's
    // field `back`.
    let undo = salon.shift(&id, &back).await;
    salon.send(&id, &undo).await.leads_to(&salon.to("calendar?view=week&date=2026-03-02"));
    let undone = salon.appointment(&id).await;
    assert_eq!(
        (&undone["starts_at"], &undone["ends_at"]),
        (&moved_from(), &json!("2026-03-02T09:30:00.000Z"))
    );
    assert_eq!(undone["staff_id"], salon.ines);
    // For a time that is not bookable, the page has a form that overrides the rules.
    let page = salon.shift(&id, "minute=1200").await.says("Move anyway");
    salon.send(&id, &page).await.leads_to(&day);
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-02T19:00:00.000Z");
}

#[tokio::test]
async fn a_move_does_not_override_a_rule_that_its_page_has_not_shown() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let open = salon.shift(&id, "minute=660").await;
    let late = salon.shift(&id, "minute=1200").await.says("Move anyway");
    // Somebody adds time off after the pages were loaded.
    let off = json!({ "starts_at": "2026-03-02T10:00:00Z", "ends_at": "2026-03-02T22:00:00Z" });
    salon.operator("POST", &format!("/staff/{}/time-off", salon.ines), off).await;
    for page in [open, late] {
        let page = salon.send(&id, &page).await.is(409).says("This person has time off then.");
        assert_eq!(trial(&page), "anyway");
        assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-02T09:00:00.000Z");
    }
    let page = salon.shift(&id, "minute=1200").await.says("This person has time off then.");
    salon.send(&id, &page).await.is(303);
    assert_eq!(salon.appointment(&id).await["starts_at"], "2026-03-02T19:00:00.000Z");
}

#[tokio::test]
async fn an_appointment_that_has_ended_is_moved_to_a_bookable_time_without_a_question() {
    let mut salon = Salon::open().await;
    let mut past = Vec::new();
    for hour in ["09", "10"] {
        let body = json!({ "service_id": salon.cut, "staff_id": salon.ines, "override": true,
            "starts_at": format!("2026-02-27T{hour}:00:00Z"), "contact": { "name": "Ada" } });
        past.push(crate::day_salon::key(&salon.operator("POST", "/appointments", body).await));
    }
    // The first appointment is moved in the calendar.
    let page = salon.shift(&past[0], "minute=660").await;
    assert_eq!(trial(&page), "open", "{}", page.text());
    salon.send(&past[0], &page).await.is(303);
    assert_eq!(salon.appointment(&past[0]).await["starts_at"], "2026-03-02T10:00:00.000Z");
    // The second appointment is moved on the page with the free times.
    let path = salon.to(&format!("appointments/{}", past[1]));
    let way = format!("{path}/move");
    let page = salon.member.get(&format!("{way}?date=2026-03-02")).await.is(200);
    let to = [("starts_at", "2026-03-02T13:00:00.000Z")];
    salon.member.submit(&page, &way, &to).await.leads_to(&format!("{path}?done=moved"));
    assert_eq!(salon.appointment(&past[1]).await["starts_at"], "2026-03-02T13:00:00.000Z");
}

fn moved_from() -> serde_json::Value {
    json!("2026-03-02T09:00:00.000Z")
}

#[tokio::test]
async fn a_move_confirms_a_request_and_says_so() {
    let mut salon = Salon::open().await;
    let id = salon.requested("2026-03-02T13:00:00Z", "Nora").await;
    let page = salon.shift(&id, "minute=600").await.says("The move also confirms it.");
    salon.send(&id, &page).await.is(303);
    assert_eq!(salon.appointment(&id).await["status"], "confirmed");
    salon.operator("POST", &format!("/appointments/{id}/cancel"), json!({})).await;
    let page = salon.to(&format!("appointments/{id}/shift"));
    salon.member.get(&page).await.leads_to(&salon.to(&format!("appointments/{id}")));
}

#[tokio::test]
async fn time_is_blocked_from_the_calendar() {
    let mut salon = Salon::open().await;
    let block = salon.to("calendar/block");
    let day = salon.to("calendar?view=day&date=2026-03-03");
    let asked = format!("{block}?staff={}&date=2026-03-03&minute=600&until=690", salon.hugo);
    let page = salon.owner.get(&asked).await.is(200);
    for (name, value) in
        [("staff", &*salon.hugo), ("from", "2026-03-03"), ("from_time", "10:00"), ("to_time", "11:30")]
    {
        assert_eq!(page.field(&block, name), value);
    }
    salon.owner.submit(&page, &block, &[("note", "Dentist")]).await.leads_to(&format!("{day}&blocked=1"));
    let page = salon.owner.get(&day).await.is(200);
    assert!(page.body.contains("at h10 for-1h for-30 away") && page.text().contains("Time off: Dentist"));
    let page = salon.owner.get(&asked).await.is(200);
    salon.owner.submit(&page, &block, &[("to_time", "9:00")]).await.is(422);
    // A member cannot block the time of another staff member.
    salon.member.get(&asked).await.leads_to(&day);
    let form = |staff: &str| salon.to(&format!("appointments/new?staff={staff}&date=2026-03-04&time=10:00"));
    let [of_hugo, of_ines] = [form(&salon.hugo), form(&salon.ines)];
    assert!(salon.owner.get(&of_hugo).await.is(200).body.contains("data-block>"));
    assert!(!salon.member.get(&of_ines).await.is(200).body.contains("data-block>"));
    let members = salon.operator("GET", "/people", serde_json::Value::Null).await;
    let member = members.as_array().unwrap().iter().find(|one| one["role"] == "member").unwrap();
    let path = format!("/people/{}", member["id"].as_str().unwrap());
    salon.operator("PATCH", &path, json!({ "staff_id": salon.ines })).await;
    assert!(salon.member.get(&of_ines).await.is(200).body.contains("data-block>"));
    assert!(!salon.member.get(&of_hugo).await.is(200).body.contains("data-block>"));
    let page = salon.member.get(&asked).await.is(200);
    assert_eq!(page.field(&block, "staff"), salon.ines, "Hugo is not offered");
    let id = page.field(&block, "form");
    let of_hugo = [("form", &*id), ("staff", &salon.hugo), ("from", "2026-03-04")];
    salon.member.post(&block, &of_hugo).await.is(200);
    let off = format!("/staff/{}/time-off", salon.hugo);
    let off = salon.operator("GET", &off, serde_json::Value::Null).await;
    assert_eq!(off.as_array().unwrap().len(), 1, "the time of Hugo was not blocked");
}

#[tokio::test]
async fn the_keyboard_shortcuts_are_listed() {
    let mut salon = Salon::open().await;
    salon.member.get(&salon.to("shortcuts")).await.is(200).says("Keyboard shortcuts").says("Previous day");
}
