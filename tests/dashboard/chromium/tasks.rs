//! Counts the steps and the page loads of the most frequent tasks of a team. A step is a click, a drag, or a
//! text that is typed.

use serde_json::json;

use super::journeys::Desk;

const TODAY: &str = "calendar?view=day&date=2026-03-02";
const LATER: &str = "calendar?view=day&date=2026-03-04";
const FREE: &str = "main a.free";
const CUSTOMER: &str = "dialog.beside[open] [name=q]";
const BOOK: &str = "dialog.beside [data-does]";
/// The number of documents that the window has loaded since the start of the task.
const LOADS: &str = "return Number(sessionStorage.getItem('loads'))";

/// A task that begins on a page, and the number of its steps so far.
struct Task<'a> {
    desk: &'a Desk,
    steps: u32,
}

/// The cost of a task: its steps and its page loads in the dashboard, and the fewest steps that it takes in a known
/// product (`best`).
struct Cost {
    steps: u32,
    loads: u32,
    best: u32,
}

const fn cost(steps: u32, loads: u32, best: u32) -> Cost {
    Cost { steps, loads, best }
}

impl<'a> Task<'a> {
    async fn from(desk: &'a Desk, page: &str) -> Self {
        desk.goto(page).await;
        desk.window.ready().await;
        desk.window.run("sessionStorage.setItem('loads', 0)").await;
        Self { desk, steps: 0 }
    }

    async fn click(mut self, css: &str) -> Self {
        self.desk.window.click(css).await;
        self.steps += 1;
        self
    }

    async fn types(mut self, css: &str, text: &str) -> Self {
        self.desk.window.find(css).await.send_keys(text).await.unwrap();
        self.steps += 1;
        self
    }

    /// Drags the middle of an element downwards by half an hour, in the same lane or in another one.
    async fn drag(mut self, css: &str, lane: Option<&str>) -> Self {
        let window = &self.desk.window;
        window.find(&format!("{css} .grip")).await;
        let ((x, y), half) = (window.middle(css).await, self.desk.hour().await / 2.0);
        let to = match lane {
            Some(lane) => window.middle(lane).await.0,
            None => x,
        };
        window.mouse("mousePressed", (x, y)).await;
        window.mouse("mouseMoved", (f64::midpoint(x, to), y + half / 2.0)).await;
        window.mouse("mouseMoved", (to, y + half)).await;
        window.sees("This time is free.").await;
        window.mouse("mouseReleased", (to, y + half)).await;
        self.steps += 1;
        self
    }

    /// Presses the mouse on the free time that `css` selects, and drags it down by one hour. The whole hour is free.
    async fn drag_over_an_hour(mut self, css: &str) -> Self {
        let window = &self.desk.window;
        let ((x, middle), hour) = (window.middle(css).await, self.desk.hour().await);
        let top = middle - hour / 5.0;
        window.mouse("mousePressed", (x, top)).await;
        window.mouse("mouseMoved", (x, middle + hour / 2.0)).await;
        window.mouse("mouseMoved", (x, top + hour)).await;
        window.mouse("mouseReleased", (x, top + hour)).await;
        self.steps += 1;
        self
    }

    async fn sees(self, text: &str) -> Self {
        self.desk.window.sees(text).await;
        self
    }

    /// Waits for the text that shows that the task is done, and checks its cost.
    async fn done(self, text: &str, cost: Cost) {
        self.desk.window.sees(text).await;
        let loads = self.desk.window.run(LOADS).await;
        assert_eq!(
            (json!(self.steps), loads),
            (json!(cost.steps), json!(cost.loads)),
            "steps and page loads until {text:?}"
        );
        assert!(cost.steps <= cost.best, "the task until {text:?} takes more steps than elsewhere");
    }
}

#[tokio::test]
async fn the_ten_most_frequent_tasks_take_at_most_the_steps_of_the_best_known_product() {
    let Some(desk) = Desk::of_owner().await else { return };
    desk.window.count_loads().await;
    desk.salon.server.clock.set("2026-03-02T08:10:00Z");
    let contact = json!({ "name": "Siobhán O’Brien", "phone": "+33661020304" });
    desk.salon.server.operator("POST", &format!("/businesses/{}/contacts", desk.salon.id), contact).await;
    let from = async |page: &str| Task::from(&desk, page).await;

    // The team confirms a pending appointment, and resolves a message.
    let task = from("today").await.click("#needs-you form[action$='/confirm'] button").await;
    task.done("Confirmed.", cost(1, 1, 2)).await;
    let task = from("today").await.click("#needs-you form[action$='/status'] button").await;
    task.done("The message is resolved.", cost(1, 1, 2)).await;
    // The team books for a known contact. The page selects the contact, because no other name matches
    // exactly.
    let task = from(LATER).await.click(FREE).await.types(CUSTOMER, "siobhan o'brien").await;
    task.sees("Siobhán O’Brien").await.click(BOOK).await.done("Booked.", cost(3, 0, 4)).await;
    // The team books for a customer who arrives without an appointment and gives no name.
    let task = from(TODAY).await.click(FREE).await.click("dialog.beside [data-does=walk-in]").await;
    task.done("Booked.", cost(2, 0, 3)).await;
    // The team moves an appointment to another time, then to another time and another staff member, and then cancels
    // it.
    let card = |minute: u32| format!("#board .visit[data-minute='{minute}']");
    from(TODAY).await.drag(&card(690), None).await.done("Moved.", cost(1, 0, 1)).await;
    let other = "#board .lane:nth-of-type(2) .track";
    from(TODAY).await.drag(&card(720), Some(other)).await.done("Moved.", cost(1, 0, 1)).await;
    let task = from(TODAY).await.click(&format!("{} a", card(750))).await;
    let task = task.click("main a.danger[href$='/cancel']").await.click("main form button.danger").await;
    task.done("Cancelled. The time is open again.", cost(3, 3, 3)).await;
    // The team finds the next appointment of a contact.
    let task = from("today").await.click("#find").await.types("#find", "sio").await;
    desk.window.find("#find-found a[href*='/appointments/']").await;
    task.done("Siobhán O’Brien", cost(2, 0, 2)).await;
    // The team opens the day that is three weeks ahead.
    let task = from(TODAY).await.click(".weeks time[datetime='2026-03-23']").await;
    task.done("Monday 23 March", cost(1, 1, 2)).await;
    // The team blocks an hour.
    let free = "#board .lane li[data-minute='660'] .free";
    let task = from(LATER).await.drag_over_an_hour(free).await.sees("11:00 – 12:00").await;
    let task = task.click("dialog.beside > header [data-block]").await;
    let task = task.click("dialog.beside .does-form button.first").await;
    task.done("The time is blocked.", cost(3, 0, 3)).await;
    // The team records that a customer did not come, and that another customer has arrived.
    let task = from(TODAY).await.click(&format!("{} [value=no_show]", card(540))).await;
    desk.window.find(&format!("{}:not(:has(.tick)) .chip", card(540))).await;
    task.done("No-show", cost(1, 0, 1)).await;
    let task = from("today").await.click("button[name=attendance][value=arrived]").await;
    task.done("Saved.", cost(1, 1, 1)).await;
    desk.close().await;
}
