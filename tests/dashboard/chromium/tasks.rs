//! Tests how many steps the most frequent tasks of a team need. A step is a click, a drag, or a text that is
//! typed.

use serde_json::json;

use super::journeys::Desk;

const TODAY: &str = "calendar?view=day&date=2026-03-02";
const LATER: &str = "calendar?view=day&date=2026-03-04";
const FREE: &str = "main a.free";
const CUSTOMER: &str = "dialog.beside[open] [name=q]";
const BOOK: &str = "dialog.beside [data-does]";

/// A task that begins on a page, and the number of its steps so far.
struct Task<'a> {
    desk: &'a Desk,
    steps: u32,
}

impl<'a> Task<'a> {
    async fn from(desk: &'a Desk, page: &str) -> Self {
        desk.goto(page).await;
        Self { desk, steps: 0 }
    }

    async fn click(mut self, css: &str) -> Self {
        let element = self.desk.window.find(css).await;
        let shown = format!("document.querySelector({}).scrollIntoView({{ block: 'center' }})", json!(css));
        self.desk.window.run(&shown).await;
        element.click().await.unwrap();
        self.steps += 1;
        self
    }

    async fn types(mut self, css: &str, text: &str) -> Self {
        self.desk.window.find(css).await.send_keys(text).await.unwrap();
        self.steps += 1;
        self
    }

    /// Drags the middle of an element downwards by half an hour.
    async fn drag(mut self, css: &str) -> Self {
        let window = &self.desk.window;
        window.find(&format!("{css} .grip")).await;
        let ((x, y), half) = (window.middle(css).await, self.desk.hour().await / 2.0);
        window.mouse("mousePressed", (x, y)).await;
        window.mouse("mouseMoved", (x, y + half / 2.0)).await;
        window.mouse("mouseMoved", (x, y + half)).await;
        window.sees("This time is free.").await;
        window.mouse("mouseReleased", (x, y + half)).await;
        self.steps += 1;
        self
    }

    async fn sees(self, text: &str) -> Self {
        self.desk.window.sees(text).await;
        self
    }

    /// Waits for the text that shows that the task is done, and checks the number of steps.
    async fn done(self, text: &str, steps: u32) {
        self.desk.window.sees(text).await;
        assert_eq!(self.steps, steps, "the task took another number of steps until {text:?}");
    }
}

#[tokio::test]
async fn the_ten_most_frequent_tasks_take_few_steps() {
    let Some(desk) = Desk::of_owner().await else { return };
    let contact = json!({ "name": "Siobhán O’Brien", "phone": "+33661020304" });
    desk.salon.server.operator("POST", &format!("/businesses/{}/contacts", desk.salon.id), contact).await;
    let from = async |page: &str| Task::from(&desk, page).await;

    // The team confirms a pending appointment, and resolves a message.
    from("today").await.click("#needs-you form[action$='/confirm'] button").await.done("Confirmed.", 1).await;
    from("today")
        .await
        .click("#needs-you form[action$='/status'] button")
        .await
        .done("The message is resolved.", 1)
        .await;
    // The team books for a known contact. The page selects the contact, because no other name matches
    // exactly.
    let task = from(LATER).await.click(FREE).await.types(CUSTOMER, "siobhan o'brien").await;
    task.sees("Siobhán O’Brien").await.click(BOOK).await.done("Booked.", 3).await;
    // The team books for a customer who arrives without an appointment, and types only the name.
    let task = from(TODAY).await.click(FREE).await.types(CUSTOMER, "Walk-in").await;
    task.sees("No contact found for “Walk-in”").await.click(BOOK).await.done("Booked.", 3).await;
    // The team moves an appointment, and cancels another one.
    let card = "#board .visit[data-minute='690']";
    from(TODAY).await.drag(card).await.done("Moved.", 1).await;
    let task = from(TODAY).await.click("#board .visit[data-minute='720'] a").await;
    let task = task.click("main a.danger[href$='/cancel']").await.click("main form button.danger").await;
    task.done("Cancelled. The time is open again.", 3).await;
    // The team finds the next appointment of a contact.
    let task = from("today").await.types("#find", "sio").await;
    task.desk.window.find("#find-found a[href*='/appointments/']").await;
    task.done("Siobhán O’Brien", 1).await;
    // The team opens a day in three weeks.
    let task = from(TODAY).await.click("[data-pick]").await;
    task.click(".picker td time[datetime='2026-03-23']").await.done("Monday 23 March", 2).await;
    // The team blocks a time.
    let task = from(LATER).await.click(FREE).await.click("dialog.beside > header [data-block]").await;
    task.click("#block button.first").await.done("Time off", 3).await;
    // The team records that a customer has arrived.
    let arrived = "button[name=attendance][value=arrived]";
    from("today").await.click(arrived).await.done("Arrived", 1).await;
    desk.close().await;
}
