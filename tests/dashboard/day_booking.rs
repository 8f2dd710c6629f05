//! Tests of the form with which the team books for an existing or a new contact. The form offers available
//! times. A refused form keeps its input.

use serde_json::json;

use crate::day_salon::Salon;
use crate::harness::{Page, Tag};

/// The times that a page offers, in the business's time zone.
fn offered(page: &Page) -> Vec<String> {
    let tags = page.tags();
    let at = |at: usize| tags[at + 1].text.trim().to_owned();
    let is_slot = |tag: &Tag| tag.get("name") == Some("starts_at") && tag.get("value") != Some("other");
    let slots = tags.iter().enumerate().filter(|(_, tag)| is_slot(tag));
    slots.map(|(place, _)| at(place)).collect()
}

/// Whether a field has this value, or a choice with this value is selected.
fn holds(page: &Page, action: &str, name: &str, value: &str) -> bool {
    page.form(action).fields.iter().any(|(field, held)| field == name && held == value)
}

/// The id of the appointment that a form has booked.
fn booked(sent: &Page) -> &str {
    let to = sent.header("location");
    to.split("booked=").nth(1).unwrap_or_else(|| panic!("{to}")).split('&').next().unwrap()
}

#[tokio::test]
async fn the_team_books_an_available_time_for_a_new_contact() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let address = format!("{path}?service={}&staff={}&date=2026-03-02&time=10:00", salon.cut, salon.ines);
    let page =
        salon.member.get(&address).await.is(200).says("Book an appointment").says("Times are in Paris time");
    assert_eq!(offered(&page).first().map(String::as_str), Some("09:00"));
    assert!(
        holds(&page, &path, "starts_at", "2026-03-02T09:00:00.000Z"),
        "the time in the address must be selected"
    );
    let fields = [("who", "new"), ("name", "Zoé <b>B</b>"), ("phone", "06 12 34 56 78")];
    let sent = salon.member.submit(&page, &path, &fields).await.is(303);
    let to = sent.header("location").to_owned();
    let calendar = salon.to("calendar?view=day&date=2026-03-02&booked=");
    let id = to.strip_prefix(&calendar).unwrap_or_else(|| panic!("{to}"));
    let page = salon.member.get(&to).await.is(200).says("Booked. Open the appointment").says("Zoé <b>B</b>");
    let way = salon.to(&format!("appointments/{id}"));
    assert!(page.body.contains(&format!("<a href=\"{way}\">Open the appointment")), "{}", page.body);
    let page = salon.member.get(&way).await.is(200).says("Zoé <b>B</b>").says("Confirmed");
    page.says("Monday 2 March, 10:00").says("Cut").says("Inès").says("Dashboard").says("+33 6 12 34 56 78");
    // If the form is then opened for the same time, it says that the time is taken, and does not offer the time.
    let other = salon.owner.get(&address).await.says("That time is taken.");
    assert!(!offered(&other).contains(&"10:00".to_owned()));
    assert!(offered(&other).contains(&"10:30".to_owned()));
}

#[tokio::test]
async fn a_form_for_a_taken_time_keeps_its_input_and_lists_available_times() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let address = format!("{path}?service={}&staff={}&date=2026-03-02&time=10:00", salon.cut, salon.ines);
    let page = salon.owner.get(&address).await.is(200);
    salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let fields = [("who", "new"), ("name", "Grace"), ("email", "grace@example.com")];
    let page = salon.owner.submit(&page, &path, &fields).await.is(409);
    let page = page.says("That time is taken. Choose one of the open times, or type another one.");
    assert!(!offered(&page).contains(&"10:00".to_owned()) && offered(&page).contains(&"10:30".to_owned()));
    assert!(holds(&page, &path, "name", "Grace") && holds(&page, &path, "email", "grace@example.com"));
    // The same form can be sent again with a different time.
    let again = [("starts_at", "2026-03-02T09:30:00.000Z")];
    salon.owner.submit(&page, &path, &again).await.is(303);
}

#[tokio::test]
async fn an_invalid_booking_form_shows_each_problem_at_its_field() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let address = format!("{path}?service={}&date=2026-03-02", salon.cut);
    let page = salon.owner.get(&address).await.is(200);
    let fields =
        [("who", "new"), ("name", "Zoé"), ("phone", "12"), ("starts_at", "2026-03-02T09:00:00.000Z")];
    let page = salon.owner.submit(&page, &path, &fields).await.is(422);
    assert!(page.body.contains("id=\"phone-problem\""), "{}", page.body);
    assert!(holds(&page, &path, "name", "Zoé") && holds(&page, &path, "phone", "12"));
    assert!(holds(&page, &path, "starts_at", "2026-03-02T09:00:00.000Z"), "the time must stay selected");
    let fields = [("who", "new"), ("phone", ""), ("name", " ")];
    let page = salon.owner.submit(&page, &path, &fields).await.is(422);
    let page = page.says("A name, a phone number or an email is needed");
    assert!(page.body.contains("id=\"who-problem\""));
    // If no time is selected, the page states that the time is missing.
    let page = salon.owner.submit(&page, &path, &[("starts_at", ""), ("phone", "+33612345678")]).await;
    assert!(page.is(422).body.contains("id=\"starts_at-problem\""));
}

#[tokio::test]
async fn a_customer_without_an_appointment_is_booked_without_a_name() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let form = format!("{path}?service={}&date=2026-03-02", salon.cut);
    let booked = async |salon: &mut Salon, time: &str, fields: &[(&str, &str)]| {
        let page = salon.owner.get(&form).await.is(200);
        assert!(page.body.contains("name=\"walk_in\" value=\"\""));
        let starts_at = format!("2026-03-02T{time}:00.000Z");
        let chosen: Vec<_> =
            fields.iter().copied().chain([("starts_at", &*starts_at), ("walk_in", "")]).collect();
        let mut form = page.form(&path).fields;
        form.retain(|(name, _)| chosen.iter().all(|(field, _)| field != name));
        let form = form.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let form: Vec<_> = form.chain(chosen).collect();
        salon.owner.post(&path, &form).await.is(303);
        let all = salon.operator("GET", "/appointments", serde_json::Value::Null).await;
        all.as_array().unwrap().last().unwrap()["contact_name"].clone()
    };
    assert_eq!(booked(&mut salon, "09:00", &[]).await, "Walk-in");
    // If the team enters a name or selects a contact, the appointment has that name.
    assert_eq!(booked(&mut salon, "10:00", &[("name", "Zoé")]).await, "Zoé");
    let contact = salon.operator("POST", "/contacts", json!({ "name": "Emma Petit" })).await;
    let contact = crate::day_salon::key(&contact);
    assert_eq!(booked(&mut salon, "11:00", &[("who", &contact)]).await, "Emma Petit");
}

#[tokio::test]
async fn a_contact_is_found_by_name_number_or_email_and_booked_for() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let contact = json!({ "name": "Emma Petit", "phone": "+33612345611", "email": "emma@example.com" });
    let contact = crate::day_salon::key(&salon.operator("POST", "/contacts", contact).await);
    for (wanted, is_exact) in [
        ("EMMA PETIT", true),
        ("06 12 34 56 11", true),
        ("emma@example.com", true),
        ("petit", false),
        ("561", false),
        ("emma@", false),
    ] {
        let wanted: String = url::form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
        let page = salon.owner.get(&format!("{path}?q={wanted}")).await.is(200).says("Emma Petit");
        assert_eq!(holds(&page, &path, "who", &contact), is_exact, "{wanted}");
        assert!(
            !holds(&page, &path, "who", "new"),
            "{wanted}: a search that finds contacts selects no new one"
        );
    }
    salon.owner.get(&format!("{path}?q=nobody")).await.says("No contact found for “nobody”");
    let address = format!("{path}?q=Petit&service={}&date=2026-03-03&time=11:00", salon.cut);
    let page = salon.owner.get(&address).await;
    let page =
        salon.owner.submit(&page, &path, &[]).await.is(422).says("Choose an existing or a new contact.");
    let sent = salon.owner.submit(&page, &path, &[("who", &contact)]).await.is(303);
    let page =
        salon.owner.get(&salon.to(&format!("appointments/{}", booked(&sent)))).await.says("Emma Petit");
    assert!(page.body.contains("href=\"tel:+33612345611\"") && page.body.contains("mailto:emma@example.com"));
}

#[tokio::test]
async fn a_form_sent_twice_books_once_and_one_sent_while_signed_out_keeps_its_input() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let address = format!("{path}?service={}&date=2026-03-02&time=10:00", salon.cut);
    let page = salon.owner.get(&address).await;
    let fields = [("who", "new"), ("phone", "+33612345678")];
    let first = salon.owner.submit(&page, &path, &fields).await.is(303);
    let second = salon.owner.submit(&page, &path, &fields).await.is(303);
    assert_eq!(first.header("location"), second.header("location"));
    let listed = salon.operator("GET", "/appointments", serde_json::Value::Null).await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let page = salon.owner.get(&format!("{address}&staff={}", salon.hugo)).await;
    salon.owner.post("/dashboard/sign-out", &[]).await;
    let fields = [("who", "new"), ("name", "Kept"), ("phone", "+33612345679")];
    let sent = salon.owner.submit(&page, &path, &fields).await.is(303);
    assert!(sent.header("location").starts_with("/dashboard/sign-in?next="));
    let person = salon.server.invited(&salon.id, "later@example.com", "owner").await;
    salon.operator("PATCH", &format!("/people/{}", person.id), json!({ "status": "active" })).await;
    let link = salon.server.link(&salon.id, &person, "enter").await;
    let page = salon.owner.get(&link).await;
    salon.owner.submit(&page, &link, &[]).await;
    let page = salon.owner.get(&path).await.is(200).says("You were signed out when you sent this");
    assert!(
        holds(&page, &path, "name", "Kept") && holds(&page, &path, "starts_at", "2026-03-02T09:00:00.000Z")
    );
}

#[tokio::test]
async fn a_time_that_cannot_be_booked_has_a_reason() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let sunday = format!("{path}?service={}&date=2026-03-08", salon.cut);
    salon.owner.get(&sunday).await.is(200).says("There is no open time on this day").says("closed");
    // Hugo does not offer the colouring service.
    let address = format!("{path}?service={}&staff={}&date=2026-03-03", salon.colour, salon.hugo);
    let page = salon.owner.get(&address).await.is(200).says("There is no open time on this day");
    assert_eq!(offered(&page), [""; 0]);
    salon.operator("PATCH", "", json!({ "booking_mode": "off" })).await;
    let page = salon.owner.get(&format!("{path}?service={}&date=2026-03-03", salon.cut)).await;
    assert!(!offered(&page).is_empty(), "the team must see available times in every mode");
    salon.operator("PATCH", "", json!({ "suspended": true })).await;
    salon.owner.get(&path).await.is(200).says("This business is suspended.");
    let empty = salon.server.business("Neu").await;
    let person = salon.server.person(&empty, "neu@example.com", "owner").await;
    let mut browser = salon.server.signed_in(&empty, &person).await;
    let page = browser.get(&format!("/dashboard/b/{empty}/appointments/new")).await;
    let page = page.is(200).says("No service can be booked yet.");
    let leads = |page: &Page, way: &str| {
        page.tags().iter().any(|tag| tag.get("class") == Some("button first") && tag.get("href") == Some(way))
    };
    let way = |place: &str| format!("/dashboard/b/{empty}/settings/{place}");
    assert!(leads(&page, &way("services")), "{}", page.body);
    let base = format!("/businesses/{empty}");
    salon
        .server
        .operator("POST", &format!("{base}/services"), json!({ "name": "Cut", "duration_minutes": 30 }))
        .await;
    let page = browser.get(&format!("/dashboard/b/{empty}/appointments/new")).await;
    assert!(leads(&page.says("No staff member offers a service yet."), &way("staff")));
    salon.server.operator("PATCH", &base, json!({ "hours": [] })).await;
    let page = browser.get(&format!("/dashboard/b/{empty}/appointments/new")).await;
    assert!(leads(&page.says("There are no opening hours yet."), &way("hours")));
    // A member cannot change the opening hours, so a member sees the message without the link. When a special day gets
    // opening hours, the message disappears, although the business still has no weekly hours.
    let member = salon.server.person(&empty, "member@neu.example", "member").await;
    let mut member = salon.server.signed_in(&empty, &member).await;
    let page = member.get(&format!("/dashboard/b/{empty}/appointments/new")).await;
    assert!(!leads(&page.says("There are no opening hours yet."), &way("hours")));
    let day = json!({ "windows": [{ "open": "09:00", "close": "12:00" }] });
    salon.server.operator("PUT", &format!("{base}/special-days/2026-05-04"), day).await;
    let page = browser.get(&format!("/dashboard/b/{empty}/appointments/new")).await;
    assert!(!page.text().contains("There are no opening hours yet."), "{}", page.text());
}

const CALLER: [(&str, &str); 4] =
    [("who", "new"), ("name", "Nora Haddad"), ("phone", "06 61 02 03 04"), ("email", "nora@example.com")];

#[tokio::test]
async fn showing_other_times_keeps_the_contact_and_does_not_book() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let page = salon.owner.get(&format!("{path}?service={}&date=2026-03-02", salon.cut)).await.is(200);
    let search = salon.to("search");
    let others = page.forms().into_iter().filter(|form| form.action != search);
    assert!(others.into_iter().all(|form| form.method == "post"), "input must not appear in an address");
    let fields = [&CALLER[..], &[("show", "times"), ("service", &salon.colour)]].concat();
    let other = salon.owner.submit(&page, &path, &fields).await.is(200);
    let keeps = |page: &Page| {
        for (name, value) in CALLER {
            assert!(holds(page, &path, name, value), "{name}: {:?}", page.form(&path));
        }
    };
    keeps(&other);
    assert!(holds(&other, &path, "service", &salon.colour));
    assert_eq!(offered(&other).last().map(String::as_str), Some("16:30"), "{:?}", offered(&other));
    // The form has buttons that show another day or another week.
    let other = salon.owner.submit(&other, &path, &[("day", "2026-03-04")]).await.is(200);
    keeps(&other);
    assert!(holds(&other, &path, "date", "2026-03-04"));
    let day = other.says("Wednesday 4 March");
    let later = salon.owner.submit(&day, &path, &[("day", "2026-03-11")]).await.is(200);
    keeps(&later);
    assert!(holds(&later, &path, "date", "2026-03-11"));
    // The person goes back to the first page and submits its form again. No appointment has been booked with this form
    // yet, so the form can still show another day and then book.
    let fields = [&CALLER[..], &[("day", "2026-03-03")]].concat();
    let again = salon.owner.submit(&page, &path, &fields).await.is(200);
    assert!(holds(&again, &path, "date", "2026-03-03") && holds(&again, &path, "service", &salon.cut));
    let listed = salon.operator("GET", "/appointments", serde_json::Value::Null).await;
    assert_eq!(listed.as_array().unwrap().len(), 0, "showing other times must not book");
    salon.owner.submit(&again, &path, &[("starts_at", "2026-03-03T09:00:00.000Z")]).await.is(303);
}

#[tokio::test]
async fn a_changed_choice_shows_its_times_before_it_books() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let page = salon.owner.get(&format!("{path}?service={}&date=2026-03-02", salon.cut)).await.is(200);
    let chosen = [("starts_at", "2026-03-02T09:00:00.000Z"), ("service", &salon.colour)];
    let page = salon.owner.submit(&page, &path, &[&CALLER[..], &chosen[..]].concat()).await.is(422);
    let page = page.says("Nothing is booked yet. These are the open times for your new choice");
    assert!(holds(&page, &path, "service", &salon.colour) && holds(&page, &path, "name", "Nora Haddad"));
    assert!(
        holds(&page, &path, "starts_at", "2026-03-02T09:00:00.000Z"),
        "the time must be available for this service too"
    );
    let sent = salon.owner.submit(&page, &path, &[]).await.is(303);
    assert_eq!(salon.appointment(booked(&sent)).await["service_name"], "Colour");
}

#[tokio::test]
async fn a_search_carries_its_text_into_the_new_contact_and_selects_nobody_of_several() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let mut ids = Vec::new();
    for (name, phone) in
        [("Emma Petit", "+33612345611"), ("Emma Petit", "+33612345612"), ("Louis Grand", "+33612345613")]
    {
        let contact = json!({ "name": name, "phone": phone });
        ids.push(crate::day_salon::key(&salon.operator("POST", "/contacts", contact).await));
    }
    let page = salon.owner.get(&path).await.is(200);
    let is_nobody = |page: &Page| page.form(&path).fields.iter().all(|(field, _)| field != "who");
    let page = salon.owner.submit(&page, &path, &[("show", "contacts"), ("q", "emma petit")]).await.is(200);
    assert!(is_nobody(&page) && holds(&page, &path, "name", "emma petit"), "{:?}", page.form(&path));
    // The selected contact stays selected when the form shows another day. A search for another contact ends
    // the selection.
    let page = salon.owner.submit(&page, &path, &[("who", &ids[1]), ("day", "2026-03-04")]).await.is(200);
    assert!(holds(&page, &path, "who", &ids[1]));
    let page = salon.owner.submit(&page, &path, &[("show", "contacts"), ("q", "gra")]).await.is(200);
    assert!(is_nobody(&page) && holds(&page, &path, "name", "gra"));
    // If a search finds no contact, the form for a new contact contains the searched text. A phone number that the
    // person has typed into this form is kept.
    let page = salon.owner.submit(&page, &path, &[("show", "contacts"), ("q", "0612345699")]).await.is(200);
    let page = page.says("No contact found for “0612345699”");
    assert!(holds(&page, &path, "who", "new") && holds(&page, &path, "phone", "0612345699"));
    assert!(holds(&page, &path, "name", ""));
    // A search without a result also deselects the contact that an earlier search has selected.
    let page = salon.owner.submit(&page, &path, &[("show", "contacts"), ("q", "louis grand")]).await.is(200);
    assert!(holds(&page, &path, "who", &ids[2]), "the only exact match is selected");
    let page = salon.owner.submit(&page, &path, &[("show", "contacts"), ("q", "Nora")]).await.is(200);
    assert!(holds(&page, &path, "who", "new") && holds(&page, &path, "name", "Nora"));
    let fields = [("show", "contacts"), ("q", "Nora Haddad"), ("phone", "06 12 34 56 98")];
    let page = salon.owner.submit(&page, &path, &fields).await.is(200);
    assert!(holds(&page, &path, "name", "Nora Haddad") && holds(&page, &path, "phone", "06 12 34 56 98"));
    // A new contact needs only a name.
    let fields = [("phone", ""), ("starts_at", "2026-03-04T09:00:00.000Z")];
    let sent = salon.owner.submit(&page, &path, &fields).await.is(303);
    assert_eq!(salon.appointment(booked(&sent)).await["contact_name"], "Nora Haddad");
}

#[tokio::test]
async fn the_clicked_time_stays_and_services_that_fit_come_first() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    salon.operator("PATCH", &format!("/services/{}", salon.cut), json!({ "position": 2 })).await;
    let price = json!({ "position": 1, "price_cents": 5_050, "currency": "EUR" });
    salon.operator("PATCH", &format!("/services/{}", salon.colour), price).await;
    salon.booked("2026-03-02T09:30:00Z", "Ada").await;
    let address = format!("{path}?staff={}&date=2026-03-02&time=10:00", salon.ines);
    let page = salon.owner.get(&address).await.is(200).says("Monday 2 March, 10:00 – 10:30");
    assert!(holds(&page, &path, "service", &salon.cut), "the first service is longer than the gap");
    assert!(holds(&page, &path, "starts_at", "2026-03-02T09:00:00.000Z"));
    let groups: Vec<_> = page.tags().iter().filter_map(|tag| tag.get("label").map(str::to_owned)).collect();
    assert_eq!(groups, ["Fit at 10:00", "Do not fit at 10:00"]);
    page.says("Colour · 90 min · €50.50");
    // If the person selects a service that does not fit at the selected time, the form keeps the time.
    let page =
        salon.owner.get(&format!("{address}&service={}", salon.colour)).await.says("That time is taken.");
    assert!(holds(&page, &path, "time", "10:00") && holds(&page, &path, "starts_at", "other"));
}

#[tokio::test]
async fn a_time_that_is_not_open_is_booked_once_its_rules_are_accepted() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let address = format!("{path}?service={}&staff={}&date=2026-03-02", salon.cut, salon.ines);
    let page = salon.owner.get(&address).await.is(200);
    let contact = [("who", "new"), ("name", "Walk-in"), ("notes", " Allergic to latex ")];
    let early = [&contact[..], &[("starts_at", "other"), ("time", "06:40"), ("minutes", "20")]].concat();
    let page = salon.owner.submit(&page, &path, &early).await.is(409).says("Nothing is booked yet");
    let page = page.says("It is in the past.").says("It is outside the opening hours.").says("Book anyway");
    assert_eq!(page.field(&path, "minutes"), "20");
    // The button overrides only the rules that the page has listed. A time that breaks another rule needs a
    // new page.
    let late = [("override", "past"), ("time", "20:10")];
    let page = salon.owner.submit(&page, &path, &late).await.is(409).says("It is outside the opening hours.");
    assert!(!page.text().contains("It is in the past."));
    assert_eq!(salon.operator("GET", "/appointments", json!(null)).await, json!([]));
    let fields = [("override", "past,opening_hours"), ("time", "06:40")];
    let sent = salon.owner.submit(&page, &path, &fields).await.is(303);
    let visit = salon.appointment(booked(&sent)).await;
    assert_eq!(
        (&visit["starts_at"], &visit["ends_at"]),
        (&json!("2026-03-02T05:40:00.000Z"), &json!("2026-03-02T06:00:00.000Z"))
    );
    assert_eq!(visit["notes"], "Allergic to latex");
    // The page offers no override if the staff member has another appointment at that time, or if no staff member is
    // selected.
    let page = salon.owner.get(&format!("{address}&time=06:50")).await.says("That time is taken.");
    assert!(!page.text().contains("Book anyway"));
    let anybody = format!("{path}?service={}&date=2026-03-02&time=06:50", salon.cut);
    salon.owner.get(&anybody).await.says("Choose a person to book a time that is not open.");
    let wrong = salon.owner.get(&format!("{address}&time=25:00")).await.says("This time does not exist.");
    assert!(holds(&wrong, &path, "time", "25:00"));
    let wrong = salon.owner.submit(&page, &path, &[("minutes", "4")]).await.is(422);
    assert!(wrong.body.contains("id=\"minutes-problem\""), "{}", wrong.body);
}

#[tokio::test]
async fn a_time_between_the_regular_start_times_is_booked_like_any_open_time() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    salon.booked("2026-03-02T16:00:00Z", "Ada").await;
    // A haircut at 16:15 ends before the closing time, but a colouring does not.
    let page = salon.owner.get(&format!("{path}?date=2026-03-02&time=16:15")).await.is(200);
    let groups: Vec<_> = page.tags().iter().filter_map(|tag| tag.get("label").map(str::to_owned)).collect();
    assert_eq!(groups, ["Fit at 16:15", "Do not fit at 16:15"]);
    assert!(holds(&page, &path, "service", &salon.cut) && holds(&page, &path, "staff", ""));
    for text in ["do not allow this time", "Choose a person", "Book anyway"] {
        assert!(!page.text().contains(text), "{text}: {}", page.text());
    }
    let fields = [("who", "new"), ("name", "Walk-in")];
    let sent = salon.owner.submit(&page, &path, &fields).await.is(303);
    let visit = salon.appointment(booked(&sent)).await;
    assert_eq!(visit["starts_at"], "2026-03-02T15:15:00.000Z");
    // A haircut at 17:50 ends after the closing time, so the team needs an override for the opening hours. It needs no
    // override for the start time, although 17:50 is not one of the regular start times.
    let address = format!("{path}?service={}&staff={}&date=2026-03-02&time=17:50", salon.cut, salon.hugo);
    let page = salon.owner.get(&address).await.says("It is outside the opening hours.").says("Book anyway");
    assert_eq!(page.button_value("override"), "opening_hours");
}

#[tokio::test]
async fn the_strip_of_a_later_week_begins_on_the_first_weekday_of_the_person() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let strip = |page: &Page| {
        let tags = page.tags().into_iter().skip_while(|tag| tag.get("class") != Some("strip"));
        let first = tags.into_iter().find(|tag| tag.name == "b");
        first.expect("the page has a strip of days").text.trim().to_owned()
    };
    for (start, expected) in [("monday", "9"), ("sunday", "8"), ("saturday", "7")] {
        let account = salon.owner.get("/dashboard/account").await;
        salon.owner.submit(&account, "/dashboard/account", &[("week_start", start)]).await.is(303);
        for page in
            ["appointments/new?date=2026-03-11".to_owned(), format!("appointments/{id}/move?date=2026-03-11")]
        {
            let shown = salon.owner.get(&salon.to(&page)).await.is(200);
            assert_eq!(strip(&shown), expected, "{start} {page}");
        }
    }
}

#[tokio::test]
async fn a_booking_returns_to_the_page_from_which_it_was_opened() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let week = format!("view%3Dweek%26date%3D2026-03-05%26staff%3D{}", salon.ines);
    let to_week = format!("calendar?view=week&date=2026-03-03&staff={}&", salon.ines);
    for (time, back, to) in [
        ("09:00", "today", "today?".to_owned()),
        ("10:00", &*week, to_week),
        ("11:00", "https://example.com", "calendar?view=day&date=2026-03-03&".to_owned()),
    ] {
        let address = format!("{path}?service={}&date=2026-03-03&time={time}&back={back}", salon.cut);
        let page = salon.owner.get(&address).await.is(200);
        let sent = salon.owner.submit(&page, &path, &[("who", "new"), ("name", "Ada")]).await.is(303);
        let expected = salon.to(&format!("{to}booked={}", booked(&sent)));
        assert_eq!(sent.header("location"), expected);
        salon.owner.get(&expected).await.is(200).says("Booked.");
    }
}

#[tokio::test]
async fn an_alert_is_beside_the_name_of_its_contact() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let contact = salon.appointment(&id).await["contact_id"].as_str().unwrap().to_owned();
    let alert = json!({ "alert": "Allergic to <latex>" });
    salon.operator("PATCH", &format!("/contacts/{contact}"), alert).await;
    let booking = format!("appointments/new?contact={contact}");
    for page in [&*booking, "appointments/new?q=ada", &format!("appointments/{id}")] {
        salon.member.get(&salon.to(page)).await.says("Ada Alert: Allergic to <latex>");
    }
}

#[tokio::test]
async fn booking_an_existing_contact_under_another_name_is_reported() {
    let mut salon = Salon::open().await;
    let path = salon.to("appointments/new");
    let contact = json!({ "name": "Emma Petit", "phone": "+33612345611" });
    salon.operator("POST", "/contacts", contact).await;
    for (name, time, is_other) in
        [("Nora", "09:00", true), ("emma petit ", "10:00", false), ("", "11:00", false)]
    {
        let at = format!("2026-03-03T{time}:00.000Z");
        let page = salon.owner.get(&format!("{path}?service={}&date=2026-03-03", salon.cut)).await;
        let fields = [("who", "new"), ("name", name), ("phone", "06 12 34 56 11"), ("starts_at", &*at)];
        let sent = salon.owner.submit(&page, &path, &fields).await.is(303);
        let page = salon.owner.get(sent.header("location")).await;
        let is_told = page
            .text()
            .contains("Booked for the contact who already has this phone number or email address.");
        assert_eq!(is_told, is_other, "{name}: {}", page.text());
    }
}

#[tokio::test]
async fn pages_use_the_word_for_customers_that_the_business_has_chosen() {
    let mut salon = Salon::open().await;
    salon.operator("PATCH", "", json!({ "customer_word": "patient" })).await;
    let block = format!("calendar/block?staff={}&date=2026-03-02&minute=600", salon.ines);
    let mut said = Vec::new();
    for (page, english, french) in [
        ("appointments/new", "Patient: name, phone or email", "Patient : nom, téléphone ou e-mail"),
        (&*block, "Patients cannot book it.", "Personne ne peut réserver ce créneau."),
        ("insights", "Patients", "Patients"),
        ("settings/receptionist", "a text message from a patient", "le SMS d’un patient"),
    ] {
        let page = salon.to(page);
        let seen = salon.owner.get(&page).await.is(200).says(english);
        assert!(!seen.text().to_lowercase().contains("customer"), "{}", seen.text());
        said.push((page, french));
    }
    let account = salon.owner.get("/dashboard/account").await;
    salon.owner.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    for (page, french) in said {
        let seen = salon.owner.get(&page).await.is(200).says(french);
        assert!(!seen.text().to_lowercase().contains("client"), "{}", seen.text());
    }
}
