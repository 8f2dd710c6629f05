//! Tests that do tasks in the calendar with only the keyboard, and a test of the part of a page that a phone shows
//! first.

use serde_json::{Value, json};

use super::calendar::DAY;
use super::journeys::{Desk, PHONE};
use super::window::Window;

pub(super) const BACKSPACE: &str = "\u{e003}";
pub(super) const TAB: &str = "\u{e004}";
pub(super) const ENTER: &str = "\u{e007}";
pub(super) const SHIFT: &str = "\u{e008}";
pub(super) const CONTROL: &str = "\u{e009}";
pub(super) const ESCAPE: &str = "\u{e00c}";
pub(super) const SPACE: &str = "\u{e00d}";
pub(super) const PAGE_DOWN: &str = "\u{e00f}";
pub(super) const LEFT: &str = "\u{e012}";
pub(super) const UP: &str = "\u{e013}";
pub(super) const RIGHT: &str = "\u{e014}";
pub(super) const DOWN: &str = "\u{e015}";
/// The maximum number of times that Tab is pressed to reach an element.
const STEPS_MAX: usize = 120;

/// Presses Tab until an element that matches this selector has the focus.
pub(super) async fn tab_to(window: &Window, css: &str) {
    window.find(css).await;
    let is_there = format!("return document.activeElement.matches({})", json!(css));
    for _ in 0..STEPS_MAX {
        if window.run(&is_there).await == true {
            return;
        }
        window.keys(TAB).await;
    }
    panic!("{} has no {css} within {STEPS_MAX} steps", window.path().await);
}

impl Desk {
    pub(super) async fn tab_to(&self, css: &str) {
        tab_to(&self.window, css).await;
    }
}

#[tokio::test]
async fn the_attendance_is_recorded_with_the_keyboard_alone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.salon.server.clock.set("2026-03-02T08:10:00Z");
    desk.goto(DAY).await;
    window.find("#board .grip").await;
    let card = "#board .visit[data-minute='540']";
    desk.tab_to(&format!("{card} [value=no_show]")).await;
    let shown = format!("return getComputedStyle(document.querySelector(\"{card} .tick\")).opacity");
    assert_eq!(window.run(&shown).await, "1", "the focused button must be visible");
    window.keys(ENTER).await;
    window.find(&format!("{card}:not(:has(.tick)) .chip")).await;
    assert!(window.path().await.ends_with(DAY), "the page must not be left");
    desk.close().await;
}

#[tokio::test]
async fn a_day_is_picked_and_time_is_blocked_with_the_keyboard_alone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(DAY).await;
    desk.tab_to("[data-pick]").await;
    window.keys(ENTER).await;
    window.find(".picker .chosen a:focus").await;
    window.keys(RIGHT).await;
    window.keys(ENTER).await;
    window.sees("Tuesday 3 March").await;
    desk.tab_to("#board .lane li[data-minute='840'] .free").await;
    window.keys(ENTER).await;
    window.find("dialog.beside[open] [name=q]:focus").await;
    desk.tab_to("dialog.beside > header [data-block]").await;
    window.keys(ENTER).await;
    window.find("dialog.beside [name=note]:focus").await;
    window.keys("Dentist").await;
    window.keys(ENTER).await;
    window.sees("Time off: Dentist").await;
    desk.close().await;
}

#[tokio::test]
async fn a_time_that_is_not_open_is_booked_with_the_keyboard_alone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(&format!("appointments/new?staff={}&date=2026-03-04&time=20:00", desk.salon.staff)).await;
    window.sees("It is outside the opening hours.").await;
    desk.tab_to("main [name=q]").await;
    window.keys("Walk-in").await;
    window.sees("No contact found for “Walk-in”").await;
    desk.tab_to("main [data-does][name=override]").await;
    window.keys(ENTER).await;
    window.sees("Booked.").await;
    let path = format!("/businesses/{}/appointments?from=2026-03-04T18:30:00Z", desk.salon.id);
    let booked = desk.salon.server.operator("GET", &path, Value::Null).await;
    assert_eq!(booked[0]["starts_at"], "2026-03-04T19:00:00.000Z");
    desk.close().await;
}

#[tokio::test]
async fn a_phone_first_shows_the_next_appointments_and_the_present_time_of_the_calendar() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    window.look(PHONE).await;
    desk.goto("today").await;
    window.find("#next-here").await;
    let next = "const [next, needs] = ['next-here', 'needs-you'].map(id => document.getElementById(id).getBoundingClientRect());
        return [next.height > 0, next.bottom <= innerHeight, next.bottom <= needs.top]";
    assert_eq!(window.run(next).await, json!([true, true, true]), "the next appointments must come first");
    desk.salon.server.clock.set("2026-03-02T16:00:00Z");
    desk.goto(DAY).await;
    window.find("#board .grip").await;
    let now = "const board = document.getElementById('board'), box = board.getBoundingClientRect();
        const { top } = board.querySelector('.gutter .now').getBoundingClientRect();
        return [board.scrollTop > 0, box.top < top && top < Math.min(box.bottom, innerHeight)]";
    assert_eq!(window.run(now).await, json!([true, true]), "the calendar must show the present time");
    desk.close().await;
}
