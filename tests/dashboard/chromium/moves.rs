//! Tests that move appointments in a browser: with the keyboard alone, with a finger, and with an endpoint that
//! receives the move and its undo.

use std::time::Duration;

use serde_json::{Value, json};

use super::calendar::{CARD, DAY};
use super::journeys::{Desk, PHONE};
use super::keyboard::{CONTROL, DOWN, ENTER, SHIFT, TAB, UP};

/// The time during which a move can be undone.
const UNDO: Duration = Duration::from_secs(10);
/// The maximum number of looks at the requests that an endpoint has received.
const LOOKS_MAX: usize = 10_000;

impl Desk {
    /// Opens the day, moves the focus to the first appointment with Tab, and begins to move the appointment.
    async fn begin_to_move(&self) {
        self.goto(DAY).await;
        self.window.find(&format!("{CARD} .grip")).await;
        self.tab_to(&format!("{CARD} a")).await;
        self.window.keys("m").await;
        self.window.find("#board .ghost").await;
    }

    /// The start and the end of the first appointment.
    async fn first(&self) -> (String, String) {
        let (starts_at, ends_at, _) = self.appointments().await.swap_remove(0);
        (starts_at, ends_at)
    }

    /// Waits until at least `count` events about moves have arrived. Returns the start and the end of the appointment
    /// in each event, in the order of arrival.
    async fn received_moves(&self, count: usize) -> Vec<[String; 2]> {
        for _ in 0..LOOKS_MAX {
            let requests = self.salon.server.receiver.requests();
            let bodies = requests.iter().filter_map(|request| request.split_once("\r\n\r\n"));
            let events = bodies.filter_map(|(_, body)| serde_json::from_str::<Value>(body).ok());
            let moves = events.filter(|event| event["type"] == "appointment.rescheduled");
            let times = moves.map(|event| ["starts_at", "ends_at"].map(|name| event["data"][name].clone()));
            let times: Vec<_> = times.map(|both| both.map(|at| at.as_str().unwrap().to_owned())).collect();
            if times.len() >= count {
                return times;
            }
            // This request gives the service time to send the event.
            self.appointments().await;
        }
        panic!("the endpoint has not received {count} moves");
    }
}

fn times(starts_at: &str, ends_at: &str) -> (String, String) {
    (starts_at.to_owned(), ends_at.to_owned())
}

#[tokio::test]
async fn an_appointment_is_lengthened_and_the_change_is_undone_with_the_keyboard_alone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.begin_to_move().await;
    for _ in 0..3 {
        window.keys_holding(SHIFT, DOWN).await;
    }
    window.keys_holding(SHIFT, UP).await;
    window.sees("09:00 – 10:00, Camille. This time is free.").await;
    window.keys(ENTER).await;
    window.sees("Moved.").await;
    assert_eq!(desk.first().await, times("08:00", "09:00"));
    window.keys_holding(CONTROL, "z").await;
    window.sees("The move was undone.").await;
    assert_eq!(desk.first().await, times("08:00", "08:30"));
    desk.close().await;
}

#[tokio::test]
async fn an_appointment_is_moved_to_a_closed_time_with_the_keyboard_alone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.begin_to_move().await;
    for _ in 0..2 {
        window.keys(UP).await;
    }
    window.sees("outside the opening hours").await;
    window.keys(ENTER).await;
    // The question has the focus, and Tab moves the focus between its two buttons.
    let (anyway, stop) = (".toast button.first:focus", ".toast button:not(.first):focus");
    window.find(anyway).await;
    window.sees("Move anyway").await;
    window.keys(TAB).await;
    window.find(stop).await;
    window.keys(ENTER).await;
    window.sees("The appointment was not moved.").await;
    assert_eq!(desk.first().await, times("08:00", "08:30"));

    window.keys("m").await;
    window.find("#board .ghost").await;
    for _ in 0..2 {
        window.keys(UP).await;
    }
    window.keys(ENTER).await;
    window.find(anyway).await;
    window.keys(TAB).await;
    window.find(stop).await;
    window.keys_holding(SHIFT, TAB).await;
    window.find(anyway).await;
    window.keys(ENTER).await;
    window.sees("Moved.").await;
    assert_eq!(desk.first().await, times("07:30", "08:00"));
    desk.close().await;
}

#[tokio::test]
async fn a_move_can_no_longer_be_undone_after_ten_seconds() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.begin_to_move().await;
    for key in [DOWN, DOWN, ENTER] {
        window.keys(key).await;
    }
    window.sees("Moved.").await;
    window.find(".toast [data-undo]").await;
    window.advance_timers(UNDO).await;
    window.find(".toast[hidden]:not(:has([data-undo]))").await;
    window.keys_holding(CONTROL, "z").await;
    assert_eq!(desk.first().await, times("08:30", "09:00"));
    desk.close().await;
}

#[tokio::test]
async fn an_appointment_is_lengthened_and_moved_to_another_staff_member_with_a_finger() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, salon) = (&desk.window, &desk.salon);
    let staff = json!({ "name": "Maëlle", "service_ids": [salon.service] });
    let staff = salon.server.operator("POST", &format!("/businesses/{}/staff", salon.id), staff).await;
    window.look(PHONE).await;
    desk.goto(DAY).await;
    window.find(&format!("{CARD} .grip")).await;
    window.run("document.querySelector('#board').scrollTop = 0").await;
    let ((x, y), hour) = (window.middle(&format!("{CARD} .grip")).await, desk.hour().await);
    window.touch("touchStart", Some((x, y))).await;
    window.find("#board[data-busy=size] .ghost").await;
    window.touch("touchMove", Some((x, y + hour / 4.0))).await;
    window.touch("touchMove", Some((x, y + hour / 2.0))).await;
    window.sees("This time is free.").await;
    window.touch("touchEnd", None).await;
    window.sees("Moved.").await;
    assert_eq!(desk.first().await, times("08:00", "09:00"));
    assert!(window.path().await.ends_with(DAY), "the end of the touch must not open the appointment");

    // The third staff member is not in view. The board scrolls while the finger is at its edge.
    window.find(&format!("{CARD} .grip")).await;
    let (x, y) = window.middle(CARD).await;
    let edge = window.run("return Math.min(innerWidth, board.getBoundingClientRect().right) - 10").await;
    window.touch("touchStart", Some((x, y))).await;
    window.find("#board[data-busy=drag] .ghost").await;
    window.touch("touchMove", Some((x, y + 10.0))).await;
    window.touch("touchMove", Some((edge.as_f64().unwrap(), y))).await;
    window.find("#board .lane:nth-of-type(3) .visit.ghost").await;
    window.sees("Maëlle. This time is free.").await;
    window.touch("touchEnd", None).await;
    window.sees("Moved.").await;
    let moved = desk.appointments().await.swap_remove(0);
    assert_eq!(moved, ("08:00".into(), "09:00".into(), staff["id"].as_str().unwrap().into()));
    desk.close().await;
}

#[tokio::test]
async fn a_live_update_while_a_finger_rests_on_an_appointment_does_not_stop_its_move() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    window.look(PHONE).await;
    desk.goto(DAY).await;
    window.find(&format!("{CARD} .grip")).await;
    window.run("document.querySelector('#board').scrollTop = 0").await;
    // When the finger touches the appointment, the test replaces the board, as a live update does.
    let update =
        "addEventListener('pointerdown', () => board.replaceWith(board.cloneNode(true)), { once: true })";
    window.run(update).await;
    let ((x, y), hour) = (window.middle(CARD).await, desk.hour().await);
    window.touch("touchStart", Some((x, y))).await;
    window.find("#board .ghost").await;
    for quarters in 1..=4 {
        window.touch("touchMove", Some((x, y + hour * f64::from(quarters) / 4.0))).await;
    }
    window.sees("10:00 – 10:30, Camille. This time is free.").await;
    window.touch("touchEnd", None).await;
    window.sees("Moved.").await;
    assert_eq!(desk.first().await, times("09:00", "09:30"));
    desk.close().await;
}

#[tokio::test]
async fn an_endpoint_receives_the_move_and_its_undo_as_two_events() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, salon) = (&desk.window, &desk.salon);
    let endpoint = json!({ "url": "https://moves.example.com/in", "events": ["appointment.rescheduled"] });
    salon.server.operator("POST", &format!("/businesses/{}/webhooks", salon.id), endpoint).await;
    desk.goto(DAY).await;
    window.find(&format!("{CARD} .grip")).await;
    let ((x, y), hour) = (window.middle(CARD).await, desk.hour().await);
    window.mouse("mousePressed", (x, y)).await;
    window.mouse("mouseMoved", (x, y + hour / 2.0)).await;
    window.mouse("mouseMoved", (x, y + hour)).await;
    window.mouse("mouseReleased", (x, y + hour)).await;
    window.sees("Moved.").await;
    let moved = ["2026-03-02T09:00:00.000Z", "2026-03-02T09:30:00.000Z"];
    assert_eq!(desk.received_moves(1).await, [moved]);
    window.click(".toast [data-undo]").await;
    window.sees("The move was undone.").await;
    let undone = ["2026-03-02T08:00:00.000Z", "2026-03-02T08:30:00.000Z"];
    assert_eq!(desk.received_moves(2).await, [moved, undone]);
    desk.close().await;
}
