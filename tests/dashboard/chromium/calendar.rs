//! Tests of the calendar in a browser: moves by mouse, touch and keyboard, clicks on empty times, the date
//! picker, and keyboard shortcuts. The salon has appointments with Camille on Monday at 09:00, 11:30 and
//! 16:00.

use serde_json::{Value, json};

use super::axe::{axe, violations};
use super::journeys::{Desk, PHONE};
use super::keyboard::{DOWN, ENTER, ESCAPE, PAGE_DOWN, RIGHT, UP};
use super::window::Looks;

pub(super) const DAY: &str = "calendar?view=day&date=2026-03-02";
pub(super) const CARD: &str = "#board .visit[data-minute='540']";

impl Desk {
    /// The times and staff members of the appointments of the salon's first contact, in order.
    pub(super) async fn appointments(&self) -> Vec<(String, String, String)> {
        let path = format!(
            "/businesses/{}/appointments?from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z",
            self.salon.id
        );
        let all = self.salon.server.operator("GET", &path, Value::Null).await;
        let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
        let all = all.as_array().unwrap().iter().filter(|one| one["contact_id"] == *self.salon.contact);
        let time = |at: String| at[11..16].to_owned();
        all.map(|one| (time(text(one, "starts_at")), time(text(one, "ends_at")), text(one, "staff_id")))
            .collect()
    }

    /// The height of an hour of the board, in pixels.
    pub(super) async fn hour(&self) -> f64 {
        let script = "const board = document.querySelector('#board');
            return board.querySelector('.lane .track').clientHeight * 60 / (board.dataset.last - board.dataset.first)";
        self.window.run(script).await.as_f64().unwrap()
    }
}

#[tokio::test]
async fn an_appointment_is_dragged_with_the_mouse_and_the_move_is_undone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(DAY).await;
    window.find(&format!("{CARD} .grip")).await;
    let ((x, y), hour) = (window.middle(CARD).await, desk.hour().await);
    let (other, _) = window.middle("#board .lane:nth-of-type(2) .track").await;
    window.mouse("mousePressed", (x, y)).await;
    for step in 1..=4 {
        window.mouse("mouseMoved", (x, y + hour * 1.25 * f64::from(step) / 4.0)).await;
    }
    // While the appointment is being dragged over another one, the page says that the time is taken.
    window.mouse("mouseMoved", (x, y + hour * 2.5)).await;
    window.sees("That time is taken.").await;
    window.mouse("mouseMoved", (other, y + hour * 1.25)).await;
    window.sees("This time is free.").await;
    window.mouse("mouseReleased", (other, y + hour * 1.25)).await;
    window.sees("Moved.").await;
    desk.meets_wcag().await;
    let moved = desk.appointments().await;
    assert_eq!((&*moved[0].0, &*moved[0].1), ("09:15", "09:45"), "{moved:?}");
    assert_ne!(moved[0].2, desk.salon.staff);
    window.run("document.querySelector('.toast button').click()").await;
    window.sees("The move was undone.").await;
    let undone = desk.appointments().await;
    assert_eq!(undone[0], ("08:00".into(), "08:30".into(), desk.salon.staff.clone()));
    // Dragging the lower edge changes the duration.
    window.find(&format!("{CARD} .grip")).await;
    let (x, y) = window.middle(&format!("{CARD} .grip")).await;
    window.mouse("mousePressed", (x, y)).await;
    window.mouse("mouseMoved", (x, y + hour / 4.0)).await;
    window.mouse("mouseMoved", (x, y + hour / 2.0)).await;
    window.sees("This time is free.").await;
    window.mouse("mouseReleased", (x, y + hour / 2.0)).await;
    window.sees("Moved.").await;
    assert_eq!(desk.appointments().await[0].1, "09:00");
    assert!(window.path().await.ends_with(DAY), "the click at the end must not open the appointment");
    desk.close().await;
}

#[tokio::test]
async fn an_appointment_is_moved_with_the_keyboard() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(DAY).await;
    window.find(&format!("{CARD} .grip")).await;
    let focus = format!("document.querySelector(\"{CARD} a\").focus()");
    window.run(&focus).await;
    for key in ["m", DOWN, DOWN] {
        window.keys(key).await;
    }
    window.keys(ESCAPE).await;
    window.sees("The appointment was not moved.").await;
    assert_eq!(desk.appointments().await[0].0, "08:00");
    for key in ["m", DOWN, DOWN, RIGHT, DOWN, UP] {
        window.keys(key).await;
    }
    window.sees("This time is free.").await;
    window.keys(ENTER).await;
    window.sees("Moved.").await;
    let moved = desk.appointments().await;
    assert_eq!(moved[0].0, "08:30");
    assert_ne!(moved[0].2, desk.salon.staff);
    // The move is undone with the keyboard, and made again.
    let undo = "document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, cancelable: true }))";
    window.run(undo).await;
    window.sees("The move was undone.").await;
    assert_eq!(desk.appointments().await[0].0, "08:00");
    window.run(&focus).await;
    for key in ["m", DOWN, DOWN, RIGHT] {
        window.keys(key).await;
    }
    window.sees("This time is free.").await;
    window.keys(ENTER).await;
    window.sees("Moved.").await;
    // At a time that is not bookable, the page asks whether to move the appointment anyway.
    let focused = "return document.activeElement.closest('.visit')?.dataset.minute";
    assert_eq!(window.run(focused).await, "570", "the moved appointment keeps the focus");
    for key in ["m", UP, UP, UP, UP] {
        window.keys(key).await;
    }
    window.sees("outside the opening hours").await;
    window.keys(ENTER).await;
    window.sees("Move anyway").await;
    window.run("document.querySelector('.toast button').click()").await;
    window.sees("Moved.").await;
    assert_eq!(desk.appointments().await[0].0, "07:30");
    desk.close().await;
}

#[tokio::test]
async fn a_change_during_a_move_is_shown_after_the_move() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(DAY).await;
    window.find(&format!("{CARD} .grip")).await;
    window.run(&format!("document.querySelector(\"{CARD} a\").focus()")).await;
    window.keys("m").await;
    window.find("#board .ghost").await;
    let cancel = format!("/businesses/{}/appointments/{}/cancel", desk.salon.id, desk.salon.appointment);
    desk.salon.server.operator("POST", &cancel, Value::Null).await;
    window.find("#board[data-stale] .ghost").await;
    window.keys(ESCAPE).await;
    window.find("#board:not(:has(.visit[data-minute='960']))").await;
    desk.close().await;
}

#[tokio::test]
async fn the_calendar_shows_time_off_that_a_colleague_adds() {
    let Some(desk) = Desk::of_owner().await else { return };
    desk.goto(DAY).await;
    desk.window.find("#board .grip").await;
    let path = format!("/businesses/{}/staff/{}/time-off", desk.salon.id, desk.salon.staff);
    let off =
        json!({ "starts_at": "2026-03-02T13:00:00Z", "ends_at": "2026-03-02T14:00:00Z", "note": "Dentist" });
    desk.salon.server.operator("POST", &path, off).await;
    desk.window.sees("Time off: Dentist").await;
    desk.close().await;
}

#[tokio::test]
async fn an_appointment_is_dragged_with_a_finger_after_a_rest() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    window.look(PHONE).await;
    desk.goto(DAY).await;
    window.find(&format!("{CARD} .grip")).await;
    window.run("document.querySelector('#board').scrollTop = 0").await;
    let ((x, y), hour) = (window.middle(CARD).await, desk.hour().await);
    window.touch("touchStart", Some((x, y))).await;
    window.find(".visit.ghost").await;
    window.touch("touchMove", Some((x, y + hour / 2.0))).await;
    window.touch("touchMove", Some((x, y + hour))).await;
    window.sees("This time is free.").await;
    window.touch("touchEnd", None).await;
    window.sees("Moved.").await;
    assert_eq!(desk.appointments().await[0].0, "09:00");
    desk.close().await;
}

#[tokio::test]
async fn a_click_on_an_empty_time_opens_the_booking_panel_which_offers_time_off() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(DAY).await;
    window.find("#board .grip").await;
    let free = "#board .lane li[data-minute='630'] .free";
    let (x, y) = window.middle(free).await;
    window.mouse("mousePressed", (x, y)).await;
    window.mouse("mouseReleased", (x, y)).await;
    window.find("dialog.beside[open] [name=q]").await;
    window.sees("10:30 – ").await;
    desk.meets_wcag().await;
    let block = window.find("dialog.beside > header [data-block]").await.attr("href").await.unwrap().unwrap();
    assert!(block.contains("minute=630") && block.contains(&desk.salon.staff), "{block}");
    // A click on another time changes the time in the form, and in the link at the top of the panel.
    window.run("document.querySelector(\"#board .lane li[data-minute='660'] .free\").click()").await;
    window.find("dialog.beside > header [data-block][href*='minute=660']").await;
    window.keys(ESCAPE).await;
    // A click in the second half of a free half hour selects the start of this second half.
    window.mouse("mousePressed", (x, y + desk.hour().await / 8.0)).await;
    window.mouse("mouseReleased", (x, y + desk.hour().await / 8.0)).await;
    window.find("dialog.beside > header [data-block][href*='minute=645']").await;
    window.keys(ESCAPE).await;
    // Dragging over empty times selects the start and the end.
    let hour = desk.hour().await;
    window.mouse("mousePressed", (x, y)).await;
    window.mouse("mouseMoved", (x, y + hour / 8.0)).await;
    window.mouse("mouseMoved", (x, y + hour / 2.0)).await;
    window.mouse("mouseReleased", (x, y + hour / 2.0)).await;
    window.sees("10:30 – 11:15").await;
    window.find("dialog.beside > header [data-block]").await.click().await.unwrap();
    window.find("dialog.beside [name=note]:focus").await.send_keys("Dentist").await.unwrap();
    desk.meets_wcag().await;
    // A wrong time is reported in the panel.
    let end = window.find("dialog.beside [name=to_time]").await;
    let until = end.attr("value").await.unwrap().unwrap();
    assert_eq!(until, "11:15");
    end.clear().await.unwrap();
    end.send_keys("noon").await.unwrap();
    window.find("dialog.beside .does-form button.first").await.click().await.unwrap();
    let end = window.find("dialog.beside [name=to_time][aria-invalid]").await;
    end.clear().await.unwrap();
    end.send_keys(&until).await.unwrap();
    window.find("dialog.beside .does-form button.first").await.click().await.unwrap();
    window.sees("Time off: Dentist").await;
    assert!(window.path().await.ends_with(&format!("{DAY}&blocked=1")), "{}", window.path().await);
    window.find("#board .grip").await;
    desk.close().await;
}

#[tokio::test]
async fn one_click_on_a_short_appointment_of_the_calendar_records_a_no_show() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, salon) = (&desk.window, &desk.salon);
    let path = format!("/businesses/{}/appointments", salon.id);
    let visit = json!({ "service_id": salon.service, "staff_id": salon.staff, "contact_id": salon.contact,
        "starts_at": "2026-03-02T10:00:00+01:00", "duration_minutes": 15 });
    let visit = salon.server.operator("POST", &path, visit).await;
    salon.server.clock.set("2026-03-02T09:20:00Z");
    desk.goto(DAY).await;
    window.find("#board .grip").await;
    let card = "#board .visit.short[data-minute='600']";
    let button = format!("{card} .tick [value=no_show]");
    window.find(&button).await;
    let at = window.middle(&button).await;
    window.mouse("mouseMoved", at).await;
    desk.meets_wcag().await;
    window.mouse("mousePressed", at).await;
    window.mouse("mouseReleased", at).await;
    window.find(&format!("{card}:not(:has(.tick)) .chip")).await;
    let path = format!("{path}/{}", visit["id"].as_str().unwrap());
    let visit = salon.server.operator("GET", &path, Value::Null).await;
    assert_eq!(visit["attendance"], "no_show");
    assert!(window.path().await.ends_with(DAY), "the page must not be left");
    desk.close().await;
}

#[tokio::test]
async fn the_date_picker_and_the_shortcuts_open_days() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("calendar?view=week&date=2026-03-02").await;
    window.find("[data-pick]").await.click().await.unwrap();
    window.find(".picker td time[datetime='2026-03-26']").await.click().await.unwrap();
    window.sees("23 to 29 March 2026").await;
    assert!(window.path().await.contains("view=week&date=2026-03-26"));
    // The date picker also shows the days of the next month. It shows each day only once, in order.
    desk.goto("calendar?view=day&date=2026-03-23").await;
    window.find("[data-pick]").await.click().await.unwrap();
    window.find(".picker td time[datetime='2026-04-18']").await;
    let days = "const days = [...document.querySelectorAll('.picker td time')].map(day => day.dateTime);
        return [days.length, new Set(days).size, days.toSorted().every((day, at) => day === days[at])]";
    let days = window.run(days).await;
    assert!(days[0] == days[1] && days[2] == true, "{days}");
    desk.meets_wcag().await;
    // With the arrow keys, the focus moves from one month to the next.
    for _ in 0..9 {
        window.keys(RIGHT).await;
    }
    let focused = "return document.activeElement.querySelector('time').dateTime";
    assert_eq!(window.run(focused).await, "2026-04-01");
    window.find(".picker td time[datetime='2026-04-18']").await.click().await.unwrap();
    window.sees("Saturday 18 April").await;
    // All days of a week are in one row, including days of another month.
    desk.goto("calendar?view=month&date=2026-03-26").await;
    window.find(".month td.other").await;
    let rows = "return [...document.querySelectorAll('.month tbody tr')].every(row =>
        new Set([...row.querySelectorAll('td')].map(day => day.getBoundingClientRect().top)).size === 1)";
    assert_eq!(window.run(rows).await, true);
    desk.goto(DAY).await;
    window.run("document.activeElement.blur()").await;
    window.keys(RIGHT).await;
    window.sees("Tuesday 3 March").await;
    window.keys("?").await;
    window.sees("Keyboard shortcuts").await;
    desk.meets_wcag().await;
    window.run("document.querySelector('dialog [data-keys-switch]').click()").await;
    window.sees("Turn shortcuts on").await;
    window.keys(ESCAPE).await;
    window.keys("t").await;
    assert!(window.path().await.contains("calendar"), "the shortcuts are off");
    // The account page also has the button that turns the shortcuts on and off.
    window.goto("/dashboard/account").await;
    window.sees("Turn shortcuts on").await;
    window.run("document.querySelector('main [data-keys-switch]').click()").await;
    window.sees("Turn shortcuts off").await;
    window.run("document.activeElement.blur()").await;
    window.keys("t").await;
    window.sees("Needs you").await;
    // The key `/` moves the focus to the search field, or opens the search page if the field is not visible.
    window.keys("/").await;
    let field = window.run("return document.activeElement.id").await;
    assert_eq!(field, "find");
    window.look(PHONE).await;
    desk.goto("today").await;
    window.run("document.activeElement.blur()").await;
    window.keys("/").await;
    window.sees("Search").await;
    assert!(window.path().await.ends_with("/search"), "{}", window.path().await);
    desk.close().await;
}

#[tokio::test]
async fn each_day_of_the_next_twelve_months_needs_two_clicks() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    let picker = async |page: &str| {
        desk.goto(page).await;
        window.find("[data-pick]").await.click().await.unwrap();
        window.find(".picker .chosen a:focus").await;
    };
    let days = (3..=14).map(|month| format!("{}-{:02}-28", 2026 + month / 13, (month - 1) % 12 + 1));
    let looks = [(1280, false), (768, true), (390, false)].map(|(width, dark)| Looks { width, dark });
    for (place, day) in days.enumerate() {
        window.look(looks[place % looks.len()]).await;
        // The picker opens at the month of the page. This month is the first or the last of the tested months. As a
        // result, the test also scrolls to days in distant months, forwards and back.
        picker(if place % 2 == 0 { DAY } else { "calendar?view=day&date=2027-02-10" }).await;
        if place < looks.len() {
            desk.meets_wcag().await;
        }
        // Scrolls to the month of the day, as a person scrolls the list of months.
        let scroll = format!(
            "const months = [...document.querySelectorAll('.picker .months a')];
             const place = months.findIndex(month => month.href.includes('date={}'));
             document.querySelectorAll('.picker .month-slot')[place].scrollIntoView()",
            &day[..7]
        );
        window.run(&scroll).await;
        window.find(&format!(".picker td time[datetime='{day}']")).await.click().await.unwrap();
        window.find(&format!("#board .lane[data-date='{day}']")).await;
    }
    // A click on the name of a month shows that month. The keyboard can then select any day.
    window.look(looks[0]).await;
    picker(DAY).await;
    window.run("document.querySelectorAll('.picker .months a')[9].click()").await;
    window.find(".picker td:has(time[datetime='2026-10-01']) a:focus").await;
    for key in [PAGE_DOWN, PAGE_DOWN, PAGE_DOWN, DOWN, RIGHT] {
        window.keys(key).await;
    }
    window.find(".picker td:has(time[datetime='2027-01-09']) a:focus").await;
    window.keys(ENTER).await;
    window.sees("Saturday 9 January").await;
    // The list of months begins with January 2026. The view of January 2026 has a link to December 2025.
    picker(DAY).await;
    window.run("document.querySelector('.picker .months a').click()").await;
    window.find(".picker .month-slot a:focus").await;
    window.run("document.querySelector('.picker .month-head a:not([rel])').click()").await;
    window.find(".picker td time[datetime='2025-12-31']").await.click().await.unwrap();
    window.sees("Wednesday 31 December 2025").await;
    desk.close().await;
}

/// A script that returns a list and a number. The list contains the size of each appointment link that is too small to
/// click. The number counts the appointments that share their lane with five other appointments.
const LINKS: &str = "
    const links = [...document.querySelectorAll('#board .visit .cover')].map(one => one.getBoundingClientRect());
    const small = links.filter(one => one.width < 24 || one.height < 24).map(one => [one.width, one.height]);
    return [small, document.querySelectorAll('#board .visit.of-6').length]";

#[tokio::test]
async fn the_week_of_six_staff_members_has_links_that_are_large_enough() {
    let Some(desk) = Desk::of_owner().await else { return };
    let of = |path: &str| format!("/businesses/{}/{path}", desk.salon.id);
    for number in 1..=6 {
        let staff = json!({ "name": format!("Maëlle {number}"), "service_ids": [desk.salon.service] });
        let staff = desk.salon.server.operator("POST", &of("staff"), staff).await;
        let visit = json!({ "service_id": desk.salon.service, "staff_id": staff["id"],
            "starts_at": "2026-03-03T14:00:00+01:00", "contact": { "name": "Zoé Lefèvre" } });
        desk.salon.server.operator("POST", &of("appointments"), visit).await;
    }
    for width in [768, 1280] {
        desk.window.look(Looks { width, dark: false }).await;
        desk.goto("calendar?view=week&date=2026-03-02").await;
        assert_eq!(desk.window.run(LINKS).await, json!([[], 6]), "{width} px");
        if let Some(axe) = axe() {
            assert_eq!(violations(&desk.window, &axe).await, [""; 0], "{width} px");
        }
    }
    desk.close().await;
}
