//! Tests of booking forms while a budget of the business is used up, and while the disk is nearly full.

use serde_json::json;
use store::DiskReserve;

use crate::harness::Answer;
use crate::site::{Site, hidden, text};

const TIME: &str = "2026-03-02T09:00:00.000Z";
const LATER: &str = "2026-03-02T15:00:00.000Z";
/// A disk reserve that is larger than any disk.
const ALL: u64 = 1 << 62;

impl Site {
    /// Books a cut, and returns the path of its manage link.
    async fn booked(&self, time: &str, phone: &str) -> String {
        self.book(time, &[("phone", phone)]).await.is(303).header("location").to_owned()
    }

    async fn moved(&self, manage: &str) -> Answer {
        let path = format!("{manage}/move");
        let mut fields = hidden(&self.server.root().get(&path).await);
        fields.push(("starts_at".into(), LATER.into()));
        self.send_to(&path, &fields, &[]).await
    }

    /// The form that cancels the appointment of a manage link.
    async fn cancelling(&self, manage: &str) -> Vec<(String, String)> {
        hidden(&self.server.root().get(manage).await)
    }

    async fn cancel(&self, manage: &str, form: &[(String, String)]) -> Answer {
        self.send_to(&format!("{manage}/cancel"), form, &[]).await
    }

    /// Sets the disk reserve of the service to `bytes` bytes.
    fn reserve(&self, bytes: u64) {
        self.server.engine().set_disk_reserve(DiskReserve::Bytes(bytes));
    }
}

/// Asserts that the response is the page of an unavailable service.
fn is_unavailable(answer: &Answer) {
    assert!(text(answer.is(503)).contains("Try again"), "{answer}");
}

#[tokio::test]
async fn used_up_budgets_refuse_bookings_and_no_changes_by_link() {
    let site =
        Site::with(json!({}), json!({ "phone": "+33142685300", "email": "hello@salon.example" })).await;
    let manage = site.booked(TIME, "+33612345678").await;
    for kind in ["appointments", "contacts"] {
        for limit in [json!({ "rows_max": 1 }), json!({ "rows_max": null, "bytes_max": 1 })] {
            site.salon.operator.patch("/budget", &json!({ (kind): limit })).await.is(200);
            let refused = site.book("2026-03-02T10:00:00.000Z", &[("phone", "+33612345679")]).await;
            let page = text(refused.is(409));
            for shown in
                ["This appointment cannot be booked online", "+33 1 42 68 53 00", "hello@salon.example"]
            {
                assert!(page.contains(shown), "{kind} {limit}: {refused}");
            }
        }
        site.salon.operator.patch("/budget", &json!({ (kind): { "bytes_max": null } })).await.is(200);
    }
    let kinds = ["appointments", "contacts", "waiting_notices", "waiting_deliveries"];
    let nothing = json!({ "rows_max": 0, "bytes_max": 0 });
    let patch: serde_json::Value = kinds.iter().map(|kind| ((*kind).to_owned(), nothing.clone())).collect();
    site.salon.operator.patch("/budget", &patch).await.is(200);
    site.moved(&manage).await.is(303);
    site.cancel(&manage, &site.cancelling(&manage).await).await.is(303);
    let appointments = site.appointments().await;
    assert_eq!(appointments.len(), 1);
    assert_eq!(
        (&appointments[0]["status"], &appointments[0]["starts_at"]),
        (&json!("cancelled"), &json!(LATER))
    );
}

#[tokio::test]
async fn below_the_disk_reserve_customers_only_cancel() {
    let site = Site::open().await;
    let links = [
        site.booked(TIME, "+33612345678").await,
        site.booked("2026-03-02T10:00:00.000Z", "+33612345679").await,
    ];
    let free = site.server.engine().room().1.unwrap().free;
    // The first link is used while half of the reserve is free, and the second link while an eighth is free.
    for (manage, reserve) in links.iter().zip([free * 2, free * 8]) {
        site.reserve(0);
        let [form, other] = [site.cancelling(manage).await, site.cancelling(manage).await];
        site.reserve(reserve);
        is_unavailable(&site.book("2026-03-02T11:00:00.000Z", &[]).await);
        is_unavailable(&site.moved(manage).await);
        site.cancel(manage, &form).await.is(303);
        site.cancel(manage, &form).await.is(303);
        // The appointment is already cancelled, so a second form changes nothing and succeeds.
        site.cancel(manage, &other).await.is(303);
        assert!(text(&site.server.root().get(manage).await).contains("cancelled"));
    }
    let statuses: Vec<_> = site.appointments().await.iter().map(|it| it["status"].clone()).collect();
    assert_eq!(statuses, ["cancelled", "cancelled"]);
    site.reserve(0);
    let manage = site.booked("2026-03-02T11:00:00.000Z", "+33612345680").await;
    let form = site.cancelling(&manage).await;
    // If the reserve is larger than the disk, the service writes nothing.
    site.reserve(ALL);
    is_unavailable(&site.cancel(&manage, &form).await);
    site.server.root().get(&manage).await.is(200);
    site.reserve(0);
    site.cancel(&manage, &form).await.is(303);
}
