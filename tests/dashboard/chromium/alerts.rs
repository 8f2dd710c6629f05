//! Tests of the list of alerts in a browser. An alert leads to its record.

use serde_json::json;

use super::journeys::Desk;
use super::keyboard::ENTER;

/// The number of seconds after which a failing endpoint has caused an alert. It includes a margin.
const OUTAGE_SECONDS: i64 = 61 * 60;

impl Desk {
    /// Causes the alert that the salon's endpoint is failing.
    async fn fail_an_endpoint(&self) {
        let salon = &self.salon;
        salon.server.receiver.answers(503, "");
        let message = json!({ "body": "Nobody is there", "caller_phone": "+33612345683" });
        salon.server.operator("POST", &format!("/businesses/{}/messages", salon.id), message).await;
        let mut owner = salon.signed_in(&salon.owner).await;
        let page = |path: &str| format!("/dashboard/b/{}/{path}", salon.id);
        owner.until(&page(&format!("settings/webhooks/{}", salon.webhook)), "1 of 9").await;
        salon.server.clock.advance(OUTAGE_SECONDS);
        owner.until(&page("alerts"), "A webhook endpoint is failing").await;
    }
}

#[tokio::test]
async fn an_alert_leads_to_its_record_with_the_mouse_and_with_the_keyboard() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, salon) = (&desk.window, &desk.salon);
    desk.fail_an_endpoint().await;
    for (record, title) in [
        (format!("appointments/{}", salon.waits), "An appointment waits for an answer"),
        (format!("messages/{}", salon.message), "Urgent message"),
        (format!("settings/webhooks/{}", salon.webhook), "A webhook endpoint is failing"),
    ] {
        let link = format!("main .rows a.cover[href$='/{record}']");
        for with in ["mouse", "keyboard"] {
            desk.goto("alerts").await;
            let alert = window.find(&link).await;
            assert_eq!(alert.text().await.unwrap(), title);
            if with == "mouse" {
                // A click on any part of the alert opens the record. The test clicks the line below the title.
                let line = format!("main .rows .what:has(a[href$='/{record}']) .name");
                window.click_middle(&line).await;
            } else {
                desk.tab_to(&link).await;
                window.keys(ENTER).await;
            }
            // The page of a record has a link back to the list of such records.
            window.find("main .crumbs a").await;
            assert!(window.path().await.ends_with(&record), "{with}: {}", window.path().await);
        }
    }
    desk.close().await;
}
