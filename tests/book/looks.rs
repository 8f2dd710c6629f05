//! Tests of the booking page in Chromium. Without Chromium, the tests are skipped.

use serde_json::json;

use crate::checks::Checks;
use crate::site::Site;
use crate::window::{Window, window};

const TIME: &str = "2026-03-02T09:00:00.000Z";
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const DOWN: &str = "\u{e015}";
/// The maximum number of times that a test presses Tab to reach an element.
const STOPS_MAX: usize = 80;

impl Site {
    fn origin(&self) -> String {
        format!("http://{}", self.server.root().address)
    }
}

#[tokio::test]
async fn every_state_of_the_booking_page_fits_the_window_and_meets_wcag() {
    let website = json!({ "phone": "+33142685300", "email": "hello@salon.example", "show_prices": true,
        "address": "1 rue de la Paix, Paris", "origins": ["https://a.example"] });
    let site = Site::with(json!({}), website).await;
    let Some(mut checks) = Checks::open(&site.origin()).await else { return };
    let (path, frame) = (site.path.clone(), format!("{}/frame", site.path));
    let service = format!("service={}", site.salon.massage);
    let details = format!("{service}&staff={}&time={TIME}", site.salon.anna);
    let (times, details) = (format!("{path}?{service}"), format!("{path}?{details}"));
    checks.page("services", &path, 200).await;
    checks.page("times", &times, 200).await;
    checks.page("no-times", &format!("{times}&date=2027-03-07"), 200).await;
    checks.page("details", &details, 200).await;
    for (name, status, change) in [
        ("problems", 422, ""),
        ("service", 422, "fields.service_id.value = 'x'"),
        ("lists", 422, "fields.staff_id.value = fields.starts_at.value = fields.email.value = 'x'"),
        ("trap", 422, "fields.leave_empty.value = 'x'"),
        ("stale", 409, "fields.form_id.value = 'x'"),
        ("taken", 409, "fields.starts_at.value = '2026-03-02T03:00:00Z'"),
        ("taken-all", 409, "fields.starts_at.value = '2026-03-08T09:00:00Z'"),
    ] {
        let entered = if status == 409 {
            "fields.name.value = 'Zoé'; fields.phone.value = '0612345678'; "
        } else {
            ""
        };
        checks.refusal(name, &details, status, &format!("{entered}{change}")).await;
    }
    let framed = |page: &str| page.replace(&path, &frame);
    checks.page("frame-services", &frame, 200).await;
    checks.page("frame-times", &framed(&times), 200).await;
    checks.page("frame-details", &framed(&details), 200).await;
    checks.refusal("frame-problems", &framed(&details), 422, "").await;
    checks.page("frame-404", &format!("{frame}/done/x"), 404).await;
    site.website(json!({ "color": "#ffcc00" })).await;
    checks.page("color-services", &path, 200).await;
    checks.page("color-times", &times, 200).await;
    checks.page("color-details", &details, 200).await;
    site.salon.set(json!({ "booking_mode": "off" })).await;
    checks.page("off", &path, 200).await;
    checks.page("404", "/book/unknown", 404).await;
    site.server.clock.advance(60);
    for _ in 0..240 {
        site.get("/theme.css").await;
    }
    checks.page("429", &path, 429).await;
    checks.close().await;
}

#[tokio::test]
async fn a_customer_books_without_script_and_with_it() {
    let site = Site::open().await;
    let Some(window) = window(&site.origin()).await else { return };
    for (scripted, time, booked) in [(true, "10:00", 1), (false, "10:30", 2)] {
        if !scripted {
            window.without_script().await;
        }
        window.goto(&format!("{}?locale=en", site.path)).await;
        window.press("Cut").await;
        window.sees("Choose a day and a time").await;
        window.press("Ben").await;
        window.press(time).await;
        window.sees("Your details").await;
        window.fill("name", "Zoé Martin").await;
        window.fill("phone", &format!("+3361234567{booked}")).await;
        window.press("Book").await;
        window.sees("Your appointment is booked").await;
        assert!(window.path().await.starts_with("/book/manage/"));
        assert_eq!(site.appointments().await.len(), booked);
    }
    window.close().await;
}

#[tokio::test]
async fn a_visitor_books_in_the_chat_and_says_goodbye() {
    let site = Site::open().await;
    let on = json!({ "channels": { "website": true } });
    site.salon.operator.patch("/receptionist", &on).await.is(200);
    let Some(mut checks) = Checks::open(&site.origin()).await else { return };
    // The test opens the chat. After a reload, the script of the page has already opened the chat and hidden
    // the button.
    let begin = "const open = document.querySelector('#chat .open'); if (!open.hidden) open.click()";
    checks.after("chat", &site.path, 200, (begin, ".choices button")).await;

    let window = &checks.window;
    // `Window::press` finds only buttons in the main part of the page. The chat is outside of the main part,
    // so this function clicks the buttons of the chat.
    let press = async |name: &str| {
        let script = format!(
            "[...document.querySelectorAll('#chat button')].find(one => one.innerText === '{name}').click()"
        );
        window.run(&script).await;
    };
    let say = async |text: &str| {
        window.run("document.getElementById('chat-text').focus()").await;
        window.keys(&format!("{text}{ENTER}")).await;
    };
    // If the visitor has not said anything yet, a page in another language begins a new conversation in this
    // language.
    window.goto(&format!("{}?locale=fr", site.path)).await;
    window.sees("Bonjour, ici l'assistant automatique").await;
    window.goto(&format!("{}?locale=en", site.path)).await;
    window.sees("Hello, this is the automated assistant").await;
    // A chat that the page resumes moves neither the focus nor the page.
    let place = "return [document.activeElement.tagName, Math.round(scrollY)]";
    assert_eq!(window.run(place).await, json!(["BODY", 0]));
    say("a cut with Ben tomorrow at 10:30").await;
    window.sees("What is your name?").await;
    say("Zoé Martin").await;
    window.sees("What is your phone number?").await;
    say("+33612345678").await;
    window.sees("Cut with Ben tomorrow, Tuesday 3 March at 10:30, for Zoé Martin. Shall I book it?").await;
    assert_eq!(site.appointments().await.len(), 0);
    press("Yes").await;
    window.sees("Booked: Cut with Ben tomorrow, Tuesday 3 March at 10:30.").await;
    assert_eq!(window.run("return document.activeElement.getAttribute('role')").await, "log");
    assert_eq!(site.appointments().await[0]["starts_at"], "2026-03-03T09:30:00.000Z");
    say("thanks").await;
    window.sees("Thank you, goodbye.").await;
    window.sees("The conversation has ended.").await;
    window.find("#chat a[href*='/book/manage/']").await;
    assert_eq!(window.run("return document.activeElement.getAttribute('role')").await, "log");
    press("Ask the assistant").await;
    window.find(".choices button").await;
    checks.close().await;
}

/// Presses Tab until the element with this name has the focus.
async fn tab_to(window: &Window, name: &str) {
    let focused = "const e = document.activeElement; return (e.labels?.[0] ?? e).innerText ?? ''";
    for _ in 0..STOPS_MAX {
        window.keys(TAB).await;
        if window.run(focused).await.as_str().is_some_and(|text| text.trim().starts_with(name)) {
            let is_visible = "return document.activeElement.matches(':focus-visible')";
            assert_eq!(window.run(is_visible).await, true, "the focus on {name} is not visible");
            return;
        }
    }
    panic!("Tab does not reach {name:?}: {}", window.text().await);
}

#[tokio::test]
async fn a_customer_books_moves_and_cancels_by_keyboard_alone() {
    let site = Site::open().await;
    let Some(window) = window(&site.origin()).await else { return };
    let one = async || site.appointments().await.pop().unwrap();
    window.goto(&format!("{}?locale=en", site.path)).await;
    tab_to(&window, "Skip to the content").await;
    window.keys(ENTER).await;
    tab_to(&window, "Cut").await;
    window.keys(ENTER).await;
    window.sees("Choose a day and a time").await;
    tab_to(&window, "Tuesday 3 March").await;
    window.keys(" ").await;
    tab_to(&window, "10:30").await;
    window.keys(ENTER).await;
    window.sees("Your details").await;
    for (label, text) in [("Name", "Zoé Martin"), ("Phone", "+33612345678"), ("E-mail", "zoe@example.com")] {
        tab_to(&window, label).await;
        window.keys(text).await;
    }
    tab_to(&window, "Book").await;
    window.keys(" ").await;
    window.sees("Your appointment is booked").await;
    assert_eq!(one().await["starts_at"], "2026-03-03T09:30:00.000Z");

    tab_to(&window, "Move to another time").await;
    window.keys(ENTER).await;
    window.sees("Choose another time").await;
    // The arrow keys select a time within the group of times.
    tab_to(&window, "09:00").await;
    window.keys(" ").await;
    window.keys(&DOWN.repeat(2)).await;
    tab_to(&window, "Move to this time").await;
    window.keys(ENTER).await;
    window.sees("Monday 2 March 2026 at 10:00").await;
    assert_eq!(one().await["starts_at"], TIME);

    tab_to(&window, "Cancel this appointment").await;
    window.keys(ENTER).await;
    tab_to(&window, "Yes, cancel").await;
    window.keys(ENTER).await;
    window.sees("This appointment is cancelled").await;
    assert_eq!(one().await["status"], "cancelled");
    window.close().await;
}

/// Returns each time on the page, with the text that shows this time in the visitor's time zone. If the page shows no
/// such text, the text is empty.
async fn visitors_times(window: &Window) -> Vec<(String, String)> {
    let script = "return [...document.querySelectorAll('main time')].map(time => [time.dateTime, \
        time.nextElementSibling?.className === 'yours' ? time.nextElementSibling.textContent : ''])";
    let times: Vec<(String, String)> = serde_json::from_value(window.run(script).await).unwrap();
    times.into_iter().map(|(at, text)| (at, text.replace(['\u{a0}', '\u{202f}'], " "))).collect()
}

#[tokio::test]
async fn the_visitors_time_is_added_where_the_zone_differs() {
    let site = Site::open().await;
    let appointment = site.book(TIME, &[]).await.header("location").to_owned();
    let Some(window) = window(&site.origin()).await else { return };
    let details = format!("{}?service={}&time=", site.path, site.salon.cut);
    for (zone, time, locale, note) in [
        ("America/New_York", TIME, "en", "4:00 AM your time"),
        ("America/New_York", TIME, "fr", "4:00 chez vous"),
        ("Pacific/Auckland", "2026-03-02T16:30:00.000Z", "en", "Tue 5:30 AM your time"),
        ("Europe/Madrid", TIME, "en", ""),
    ] {
        window.in_zone(zone).await;
        let details = format!("{details}{time}&locale={locale}");
        window.goto(&details).await;
        assert_eq!(visitors_times(&window).await, [(time.into(), note.into())], "{zone}");
        window.goto(&format!("{appointment}?locale={locale}")).await;
        let shown = visitors_times(&window).await;
        assert_eq!((shown.len(), &*shown[0].0, shown[0].1.is_empty()), (1, TIME, note.is_empty()), "{zone}");
        // The page that moves the appointment shows the current time of the appointment first, and then the times
        // that can be selected.
        window.goto(&format!("{appointment}/move?date=2026-03-02&locale={locale}")).await;
        let moving = visitors_times(&window).await;
        assert_eq!(moving[0], shown[0], "{zone}");
        window.goto(&details).await;
        let taken = "const form = document.forms[0], fields = form.elements; fields.name.value = 'Zoé'; \
            fields.phone.value = '0612345678'; fields.starts_at.value = '2026-03-02T03:00:00Z'; form.submit()";
        window.run(taken).await;
        window.find("fieldset#starts_at").await;
        for times in [moving, visitors_times(&window).await] {
            let is_noted = |(_, text): &(String, String)| text.is_empty() == note.is_empty();
            assert!(times.len() > 10 && times.iter().all(is_noted), "{zone}: {times:?}");
        }
    }
    window.close().await;
}
