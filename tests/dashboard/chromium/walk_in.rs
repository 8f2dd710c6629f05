//! Tests of bookings for a customer who gives no name, in a browser.

use serde_json::{Value, json};

use super::journeys::{Desk, PHONE};
use super::keyboard::{BACKSPACE, CONTROL, DOWN, ENTER, SHIFT, TAB};
use super::pages::take_over;

const WALK_IN: &str = ".booking [data-does='walk-in']";

impl Desk {
    /// Checks the button for a booking without a name. The page always contains the button. It must be visible if
    /// `is_offered` is true, and hidden if `is_offered` is false.
    async fn offers_walk_in(&self, is_offered: bool, when: &str) {
        self.window.find(WALK_IN).await;
        let shown = format!("return document.querySelector({}).checkVisibility()", json!(WALK_IN));
        assert_eq!(self.window.run(&shown).await, is_offered, "{when}");
    }

    /// Opens the page of the booking form for a time on Wednesday with the first staff member.
    async fn book_at(&self, time: &str) {
        let staff = &self.salon.staff;
        self.goto(&format!("appointments/new?staff={staff}&date=2026-03-04&time={time}")).await;
    }

    /// The start and the customer of each appointment on Wednesday, in order.
    async fn booked_on_wednesday(&self) -> Vec<[String; 2]> {
        let path = format!("/businesses/{}/appointments?from=2026-03-04T00:00:00Z", self.salon.id);
        let all = self.salon.server.operator("GET", &path, Value::Null).await;
        let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
        let all = all.as_array().unwrap().iter();
        all.map(|one| ["starts_at", "contact_name"].map(|name| text(one, name))).collect()
    }
}

#[tokio::test]
async fn a_walk_in_is_booked_with_the_keyboard_alone_at_free_and_closed_times() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    let contact = json!({ "name": "Siobhán O’Brien", "phone": "+33661020304" });
    desk.salon.server.operator("POST", &format!("/businesses/{}/contacts", desk.salon.id), contact).await;
    desk.goto("calendar?view=day&date=2026-03-04").await;
    window.find("#board .lane .free").await;
    desk.tab_to("#board .lane li[data-minute='630'] .free").await;
    window.keys(ENTER).await;
    window.find("dialog.beside[open] [name=q]:focus").await;
    desk.offers_walk_in(true, "no customer is typed or chosen").await;
    window.keys("brien").await;
    desk.offers_walk_in(false, "a customer is typed").await;
    window.sees("Siobhán O’Brien").await;
    // The first press of Enter moves the focus to the contacts. The second press selects the contact.
    for css in ["dialog [name=who]:focus:not(:checked)", "dialog [name=who]:focus:checked"] {
        window.keys(ENTER).await;
        window.find(css).await;
    }
    window.keys_holding(SHIFT, TAB).await;
    window.find("dialog [name=q]:focus").await;
    window.keys_holding(CONTROL, "a").await;
    window.keys(BACKSPACE).await;
    window.find("dialog [name=q]:placeholder-shown").await;
    window.find("dialog [name=found_for][value='']").await;
    desk.offers_walk_in(false, "a customer is chosen").await;
    window.keys(TAB).await;
    window.find("dialog [name=who]:focus:checked").await;
    window.keys(DOWN).await;
    window.find("dialog [name=who][value=new]:focus:checked").await;
    desk.offers_walk_in(true, "the customer is new again").await;
    desk.tab_to(WALK_IN).await;
    window.keys(ENTER).await;
    window.sees("Booked.").await;
    window.sees("Walk-in").await;
    let first = ["2026-03-04T09:30:00.000Z", "Walk-in"];
    assert_eq!(desk.booked_on_wednesday().await, [first]);

    desk.book_at("20:00").await;
    window.sees("It is outside the opening hours.").await;
    desk.tab_to(WALK_IN).await;
    desk.meets_wcag().await;
    window.keys(ENTER).await;
    window.sees("Booked.").await;
    assert_eq!(desk.booked_on_wednesday().await, [first, ["2026-03-04T19:00:00.000Z", "Walk-in"]]);
    desk.close().await;
}

#[tokio::test]
async fn a_walk_in_is_booked_on_a_phone_without_script_in_french_at_free_and_closed_times() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    let french = desk.salon.add_french_owner().await;
    take_over(window, &desk.salon.signed_in(&french).await).await;
    window.look(PHONE).await;
    window.without_script().await;
    desk.book_at("10:30").await;
    desk.offers_walk_in(true, "no customer is typed or chosen").await;
    window.fill("q", "Nora").await;
    desk.offers_walk_in(false, "a customer is typed").await;
    window.find("main [name=q]").await.clear().await.unwrap();
    window.press("Réserver sans nom").await;
    window.sees("Réservé.").await;
    let first = ["2026-03-04T09:30:00.000Z", "De passage"];
    assert_eq!(desk.booked_on_wednesday().await, [first]);

    desk.book_at("20:05").await;
    window.sees("Il est hors des horaires d’ouverture").await;
    window.press("Réserver sans nom").await;
    window.sees("Réservé.").await;
    assert_eq!(desk.booked_on_wednesday().await, [first, ["2026-03-04T19:05:00.000Z", "De passage"]]);
    desk.close().await;
}
