//! Tests that carry out complete tasks in a browser: with a mouse, with a keyboard, on a phone, and without
//! scripts.

use super::axe::{axe, violations};
use super::pages::take_over;
use super::salon::Salon;
use super::window::{Looks, Window, window};
use crate::harness::PASSWORD;

/// A part of the name of the contact that is erased.
const HOSTILE_PART: &str = "alert(1)";

/// The size of a window on a phone.
pub(super) const PHONE: Looks = Looks { width: 390, dark: false };

pub(super) struct Desk {
    pub(super) salon: Salon,
    pub(super) window: Window,
}

impl Desk {
    /// Opens a salon and a window without a session. Returns `None` if there is no browser.
    async fn open() -> Option<Self> {
        let salon = Salon::open().await;
        let window = window(&salon.server.origin()).await?;
        Some(Self { salon, window })
    }

    /// Opens a salon and a window with the owner's session. Returns `None` if there is no browser.
    pub(super) async fn of_owner() -> Option<Self> {
        let desk = Self::open().await?;
        take_over(&desk.window, &desk.salon.signed_in(&desk.salon.owner).await).await;
        Some(desk)
    }

    pub(super) async fn goto(&self, page: &str) {
        self.window.goto(&format!("/dashboard/b/{}/{page}", self.salon.id)).await;
    }

    /// Checks the accessibility of the current page with axe, if axe is installed.
    pub(super) async fn meets_wcag(&self) {
        if let Some(axe) = axe() {
            assert_eq!(violations(&self.window, &axe).await, [""; 0]);
        }
    }

    /// Closes the window. Checks that the content security policy has blocked nothing and no script has
    /// failed.
    pub(super) async fn close(self) {
        // The browser also reports each response with an error status. The service refuses some forms with such a
        // response on purpose, so these reports are ignored.
        let told = self.window.complaints().await;
        let told: Vec<_> =
            told.iter().filter(|one| !one.contains("the server responded with a status of 4")).collect();
        assert!(told.is_empty(), "{told:?}");
        self.window.close().await;
    }
}

#[tokio::test]
async fn a_person_opens_a_link_chooses_a_password_and_signs_in_with_it() {
    let Some(desk) = Desk::open().await else { return };
    let (window, salon) = (&desk.window, &desk.salon);
    let member = crate::harness::Person { id: salon.member.clone(), link: String::new() };
    let link = salon.server.link(&salon.id, &member, "reset").await;
    window.goto(&link).await;
    window.press("Continue").await;
    window.fill("password", "short").await;
    window.fill("password_again", "short").await;
    window.press("Save the password").await;
    window.sees("12 to 256 characters").await;
    for name in ["password", "password_again"] {
        window.fill(name, PASSWORD).await;
    }
    window.press("Save the password").await;
    window.sees("Camille Roche").await;
    window.run("document.querySelector('form[action=\"/dashboard/sign-out\"] button').click()").await;
    window.sees("Password").await;
    window.fill("email", "camille@example.com").await;
    window.fill("password", PASSWORD).await;
    // The Enter key sends the form.
    window.keys("\u{e007}").await;
    window.sees("Monday 2 March").await;
    assert!(window.path().await.ends_with("/today"));
    desk.close().await;
}

#[tokio::test]
async fn a_day_is_booked_moved_cancelled_and_confirmed() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("calendar?view=day&date=2026-03-04").await;
    // A click on a free time of the first staff member opens the booking form beside the calendar.
    window.find("main a.free").await.click().await.unwrap();
    let search = window.find("dialog.beside[open] [name=q]").await;
    search.send_keys("Nora Haddad").await.unwrap();
    window.sees("No contact found for “Nora Haddad”").await;
    let carried = window.run("return document.querySelector('dialog [name=name]').value").await;
    assert_eq!(carried, "Nora Haddad", "the searched name must be that of the new contact");
    // The person selects a longer service. The time and the contact stay the same.
    let choose = "const field = document.querySelector('dialog [name=service]');
        field.value = [...field.options].find(one => one.text.startsWith('Couleur')).value;
        field.dispatchEvent(new Event('input', { bubbles: true }));";
    window.run(choose).await;
    window.sees("09:00 – 10:30").await;
    assert!(window.path().await.contains("/calendar?"), "the panel must not leave the page");
    // A click on another free time changes only the time of the form.
    window.run("document.querySelectorAll('main a.free')[2].click()").await;
    window.sees("10:00 – 11:30").await;
    let name = window.run("return document.querySelector('dialog [name=name]').value").await;
    assert_eq!(name, "Nora Haddad");
    window.find("dialog [data-does]").await.click().await.unwrap();
    window.sees("Booked.").await;
    window.sees("Nora Haddad").await;
    assert!(window.path().await.contains("/calendar?view=day&date=2026-03-04&booked="));
    window.press("Open the appointment").await;
    window.press("Move").await;
    window.run("document.querySelectorAll('.slots input[name=starts_at]')[3].click()").await;
    window.press("Move").await;
    window.sees("Moved.").await;
    window.sees("Wednesday 4 March").await;
    window.press("Cancel").await;
    window.run("document.querySelector('main form button.danger').click()").await;
    window.sees("Cancelled").await;
    // The owner confirms a pending appointment on the Today page.
    desk.goto("today").await;
    window.press("Confirm").await;
    desk.goto(&format!("appointments/{}", desk.salon.waits)).await;
    window.sees("Confirmed").await;
    desk.close().await;
}

#[tokio::test]
async fn a_known_contact_is_booked_and_found_with_the_keyboard_alone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    let path = format!("/businesses/{}/contacts", desk.salon.id);
    let contact = serde_json::json!({ "name": "Siobhán O’Brien", "phone": "+33661020304" });
    desk.salon.server.operator("POST", &path, contact).await;
    desk.goto("calendar?view=day&date=2026-03-04").await;
    let is_free = "return document.activeElement.matches('a.free')";
    while window.run(is_free).await != true {
        window.keys("\u{e004}").await;
    }
    window.keys("\u{e007}").await;
    window.find("dialog.beside[open] [name=q]:focus").await;
    window.keys("obrien sio").await;
    window.sees("Siobhán O’Brien").await;
    // The Enter key first moves the focus to the contacts, then selects the contact, and then sends the form.
    for (key, css) in [
        ("\u{e007}", "dialog [name=who]:focus:not(:checked)"),
        ("\u{e007}", "dialog [name=who]:focus:checked"),
    ] {
        window.keys(key).await;
        window.find(css).await;
    }
    window.keys("\u{e007}").await;
    window.sees("Booked.").await;
    window.sees("Siobhán O’Brien").await;
    // The Escape key closes the panel and returns the focus to the link.
    while window.run(is_free).await != true {
        window.keys("\u{e004}").await;
    }
    window.keys("\u{e007}").await;
    window.find("dialog.beside[open] [name=q]:focus").await;
    // After the panel is closed, the browser sends the event `close` only when the next frame begins. If the person
    // presses `/` before this event, the focus moves to the search field. The event must not return the focus to the
    // link.
    let at_once = "const done = arguments[arguments.length - 1];
        const press = key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        ['Escape', '/'].forEach(press);
        requestAnimationFrame(() => requestAnimationFrame(() => done(document.activeElement.id)));";
    assert_eq!(window.run_async(at_once).await, "find");
    window.run("document.querySelector('a.free').focus()").await;
    window.keys("\u{e007}").await;
    window.find("dialog.beside[open] [name=q]:focus").await;
    window.keys("\u{e00c}").await;
    window.find("a.free:focus").await;
    // The key `/` moves the focus to the search field.
    window.keys("/").await;
    window.find("#find:focus").await;
    window.keys("brien 0661").await;
    window.find("#find-found a").await;
    desk.meets_wcag().await;
    window.keys("\u{e015}").await;
    window.find("#find-found a:focus").await;
    window.keys("\u{e007}").await;
    window.find("main a[href*='?contact=']").await;
    assert!(window.path().await.contains("/contacts/"), "{}", window.path().await);
    desk.close().await;
}

#[tokio::test]
async fn a_time_that_is_not_open_is_booked_on_a_phone_without_script() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    window.look(PHONE).await;
    window.without_script().await;
    let address = format!("appointments/new?staff={}&date=2026-03-04&time=20:05", desk.salon.staff);
    desk.goto(&address).await;
    window.sees("It is outside the opening hours.").await;
    window.fill("q", "Walk-in").await;
    window.press("Search contacts").await;
    window.sees("No contact found for “Walk-in”").await;
    window.press("Book anyway").await;
    window.sees("Booked.").await;
    window.press("Open the appointment").await;
    window.sees("Walk-in").await;
    window.sees("20:05").await;
    desk.goto("search").await;
    window.fill("q", "walk").await;
    window.press("Search").await;
    window.sees("Walk-in").await;
    desk.close().await;
}

#[tokio::test]
async fn a_message_is_resolved_on_a_phone_without_script_in_french() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    window.goto("/dashboard/account").await;
    window.tick("locale", "fr").await;
    window.press("Save").await;
    window.sees("Langue").await;
    window.look(PHONE).await;
    window.without_script().await;
    desk.goto("messages").await;
    window.sees("Messages").await;
    desk.goto(&format!("messages/{}", desk.salon.message)).await;
    window.sees("Ce qui a été dit").await;
    window.press("Marquer comme traité").await;
    window.sees("Traité.").await;
    desk.close().await;
}

#[tokio::test]
async fn keys_and_endpoints_are_created_tested_and_removed() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("settings/keys/new").await;
    window.fill("name", "The website").await;
    window.run("document.querySelector('main input[name=scopes]').click()").await;
    window.press("Create the key").await;
    window.sees("curl").await;
    assert!(
        window.text().await.contains("rcp_") || window.text().await.contains("Bearer"),
        "the key must be shown"
    );
    desk.goto("settings/keys").await;
    assert!(!window.text().await.contains("Bearer"), "the key may be shown only once");
    window.press("Revoke").await;
    window.press("Revoke the key").await;
    window.sees("The key is revoked.").await;
    desk.goto("settings/webhooks/new").await;
    window.fill("url", "https://agenda.example.com/in").await;
    window
        .run("document.querySelectorAll('main input[name=events]:not(:checked)').forEach(one => one.click())")
        .await;
    window.press("Add and show its secret").await;
    window.sees("whsec_").await;
    desk.goto(&format!("settings/webhooks/{}", desk.salon.webhook)).await;
    window.sees("Delivered").await;
    desk.goto(&format!("settings/webhooks/{}/deliveries/{}", desk.salon.webhook, desk.salon.delivery)).await;
    window.press("Resend").await;
    window.sees("The event is being resent.").await;
    desk.goto(&format!("settings/webhooks/{}/rotate", desk.salon.webhook)).await;
    window.press("Rotate now").await;
    window.sees("whsec_").await;
    desk.close().await;
}

/// An event cannot be resent while its delivery is pending. When the owner disables the endpoint, the pending delivery
/// becomes missed. The owner then enables the endpoint again, and resends the missed event.
#[tokio::test]
async fn an_event_missed_by_a_receiver_is_sent_again() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, receiver) = (&desk.window, &desk.salon.server.receiver);
    let (endpoint, path) = (
        format!("settings/webhooks/{}", desk.salon.webhook),
        format!("/businesses/{}/messages", desk.salon.id),
    );
    receiver.is_away();
    let said = serde_json::json!({ "body": "Nobody is there", "caller_phone": "+33612345683" });
    desk.salon.server.operator("POST", &path, said).await;
    desk.goto(&endpoint).await;
    window.sees("Retrying").await;
    let newest = "return document.querySelector('main a[href*=\"/deliveries/\"]').getAttribute('href')";
    let delivery = window.run(newest).await.as_str().unwrap().to_owned();
    assert!(!delivery.ends_with(&desk.salon.delivery), "the newest delivery must come first");

    window.goto(&delivery).await;
    window.sees("The connection was refused").await;
    window.sees("The event can be resent once it is delivered, or once all its attempts have failed.").await;
    let facts = "return [...document.querySelectorAll('#facts div')].slice(1, 3)
        .map(one => one.querySelector('dt').innerText + ' ' + one.querySelector('time').dateTime)";
    let facts = window.run(facts).await;
    let [last, next] = [0, 1].map(|at| facts[at].as_str().unwrap().split_once(" 2026-").unwrap());
    assert_eq!((last.0, next.0), ("Last response", "Next attempt"));
    assert!(last.1 < next.1, "the next attempt must be later than the last: {facts}");

    desk.goto(&endpoint).await;
    let open =
        "[...document.querySelectorAll('main summary')].find(one => one.innerText.includes('off…')).click()";
    window.run(open).await;
    window.press("Turn it off").await;
    window.sees("The endpoint is off.").await;
    receiver.answers(200, "thanks");
    window.press("Turn on again").await;
    window.sees("The endpoint is on again.").await;

    window.goto(&delivery).await;
    window.sees("Missed").await;
    let before = receiver.requests().len();
    window.press("Resend").await;
    window.sees("The event is being resent.").await;
    // The service stores the outcome after the receiver has responded. Then the open page shows the outcome.
    window.sees("thanks").await;
    window.sees("Delivered").await;
    let came = receiver.requests();
    assert_eq!(came.len(), before + 1);
    assert!(came[before].contains("message.taken"), "{}", came[before]);
    desk.close().await;
}

#[tokio::test]
async fn a_contact_is_erased_and_a_person_is_invited() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(&format!("contacts/{}/erase", desk.salon.contact)).await;
    window.run("document.querySelector('main input[type=checkbox]').click()").await;
    window.press("Erase permanently").await;
    desk.goto("contacts").await;
    let shown = window.text().await;
    assert!(!shown.contains(HOSTILE_PART), "{shown}");
    desk.goto("settings/people/invite").await;
    window.fill("email", "new@example.com").await;
    window.choose("staff_id", &desk.salon.staff).await;
    window.press("Invite").await;
    window.sees("/dashboard/enter/").await;
    desk.goto("settings/notifications").await;
    window.press("Save").await;
    window.sees("Saved").await;
    desk.close().await;
}

#[tokio::test]
async fn an_open_page_shows_what_changes() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("contacts").await;
    window.sees("Contacts").await;
    let path = format!("/businesses/{}/contacts", desk.salon.id);
    for number in 0..3 {
        let contact = serde_json::json!({ "name": format!("Live {number}") });
        desk.salon.server.operator("POST", &path, contact).await;
    }
    window.sees("Live 2").await;
    desk.close().await;
}

#[tokio::test]
async fn a_visible_page_with_a_silent_stream_polls_for_changes() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("contacts").await;
    window.sees("Contacts").await;
    // From now on, the script of the page gets no events. The test loads a second copy of the script. The
    // stream of the copy stays open and sends nothing. The interval timer of the copy runs only when the
    // test calls `pass`.
    window
        .run_async(
            "const done = arguments[arguments.length - 1];
             window.isHidden = true;
             Object.defineProperty(document, 'hidden', { get: () => window.isHidden });
             document.dispatchEvent(new Event('visibilitychange'));
             window.EventSource = class { static OPEN = 1; readyState = 1; addEventListener() {} close() {} };
             window.setInterval = pass => { window.pass = pass; };
             window.isHidden = false;
             const script = document.querySelector('script[src$=\"receptionist.js\"]').src;
             import(script.replace('receptionist.js', 'live.js?again')).then(() => done());",
        )
        .await;
    let add = async |name: &str| {
        let path = format!("/businesses/{}/contacts", desk.salon.id);
        desk.salon.server.operator("POST", &path, serde_json::json!({ "name": name })).await;
    };
    add("Polled 1").await;
    window.run("pass()").await;
    window.sees("Polled 1").await;
    // A hidden page must not start a poll. A form with input must not be replaced.
    let begun = window
        .run(
            "const later = window.setTimeout;
             let begun = 0;
             window.setTimeout = () => { begun += 1; };
             window.isHidden = true;
             pass();
             window.isHidden = false;
             window.setTimeout = later;
             const part = document.querySelector('#contacts');
             part.insertAdjacentHTML('beforeend', '<form><textarea name=\"note\"></textarea></form>');
             part.querySelector('textarea').value = 'not saved yet';
             return begun;",
        )
        .await;
    assert_eq!(begun, 0);
    add("Polled 2").await;
    // The test adds `old` to the navigation, and waits until the poll has removed it. A poll updates all parts of the
    // page in one step. So if `old` is gone, the poll has also handled the part with the form.
    window.run("document.querySelector('#nav-side').append('old'); pass()").await;
    window
        .run_async(
            "const done = arguments[arguments.length - 1];
             const look = () => document.querySelector('#nav-side').innerText.endsWith('old')
               ? requestAnimationFrame(look) : done();
             look();",
        )
        .await;
    let text = window.run("return document.querySelector('#contacts textarea').value").await;
    assert_eq!(text, "not saved yet");
    desk.close().await;
}
