//! If `PICTURES` names a directory, the tests in this module make the screenshots of the README, and screenshots of
//! the sample business for the documentation:
//!
//! ```console
//! $ PICTURES=$PWD/tests/dashboard/pictures cargo test --test dashboard pictures_of_the_readme
//! $ mogrify -strip +dither -colors 256 -define png:color-type=3 tests/dashboard/pictures/*.png
//! $ PICTURES=/tmp cargo test --test dashboard pictures_of_the_documentation
//! $ for name in today calendar booking client insights; do
//! >   convert /tmp/docs-$name.png -quality 80 src/docs/topics/pictures/$name.webp; done
//! ```

use std::path::Path;

use serde_json::{Value, json};

use super::pages::take_over;
use super::window::{Looks, window};
use crate::harness::{Person, Server};

fn id(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

/// A salon on a Monday morning. Returns its id, its owner, and the id of an endpoint.
async fn salon(server: &Server) -> (String, Person, String) {
    server.clock.set("2026-03-02T06:30:00Z");
    let salon = server.business("Salon Lumière").await;
    let of = |path: &str| format!("/businesses/{salon}/{path}");
    let add = async |path: &str, what: Value| id(&server.operator("POST", &of(path), what).await);
    let owner = server.person(&salon, "lucie@salon-lumiere.example", "owner").await;
    server.operator("PATCH", &of(&format!("people/{}", owner.id)), json!({ "name": "Lucie Moreau" })).await;
    let mut services = Vec::new();
    for (name, minutes) in [("Coupe", 30), ("Couleur", 90), ("Brushing", 45)] {
        services.push(add("services", json!({ "name": name, "duration_minutes": minutes })).await);
    }
    let mut staff = Vec::new();
    for name in ["Camille", "Hugo", "Océane"] {
        staff.push(add("staff", json!({ "name": name, "service_ids": services })).await);
    }
    let breaks = json!([{ "day": "monday", "from": "12:30", "to": "13:30" }]);
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "breaks": breaks })).await;
    let webhook =
        json!({ "url": "https://agenda.example.com/in", "events": ["appointment.booked", "message.taken"] });
    let webhook = add("webhooks", webhook).await;
    for (at, who, what, name) in [
        ("09:00", 0, 1, "Nora Haddad"),
        ("11:00", 0, 0, "Jean-François Moreau"),
        ("14:00", 0, 2, "Élodie N’Guessan"),
        ("09:30", 1, 0, "Awa Diallo"),
        ("10:30", 1, 1, "Paul Girard"),
        ("15:00", 1, 0, "محمد الأمين"),
        ("09:00", 2, 2, "Þórdís Björnsdóttir"),
        ("10:00", 2, 0, "Zoé Brault"),
        ("11:00", 2, 1, "Agnès de la Rochefoucauld"),
        ("16:30", 2, 0, "Emma Petit"),
    ] {
        let number = format!("+336120000{:02}", at[..2].parse::<u32>().unwrap() + 10 * who as u32);
        let appointment = json!({ "service_id": services[what], "staff_id": staff[who],
            "starts_at": format!("2026-03-02T{at}:00+01:00"), "contact": { "name": name, "phone": number } });
        add("appointments", appointment).await;
    }
    server.clock.set("2026-03-02T09:35:00Z");
    let urgent = "My scalp has been burning since my colour yesterday. Please ring me back before noon.";
    for (name, phone, body, urgency) in [
        ("Adélaïde Lefèvre", "+33612345670", urgent, "urgent"),
        ("Hugo Martin", "+33612345671", "Do you have gift vouchers?", "normal"),
    ] {
        let message = json!({ "caller_name": name, "caller_phone": phone, "body": body, "urgency": urgency });
        add("messages", message).await;
    }
    let call = json!({ "direction": "inbound", "status": "missed", "outcome": "hangup", "from_number": "+33755010203",
        "started_at": "2026-03-02T09:10:00Z", "ended_at": "2026-03-02T09:10:20Z" });
    add("calls", call).await;
    add("keys", json!({ "name": "The website", "scopes": ["appointments:write"] })).await;
    let path = of(&format!("webhooks/{webhook}/deliveries"));
    while server.operator("GET", &path, Value::Null).await.as_array().is_none_or(|all| all.len() < 12) {
        tokio::task::yield_now().await;
    }
    (salon, owner, webhook)
}

#[tokio::test]
async fn pictures_of_the_readme() {
    let Some(to) = std::env::var_os("PICTURES") else { return };
    let server = Server::open().await;
    let Some(window) = window(&server.origin()).await else { return };
    let (salon, owner, webhook) = salon(&server).await;
    take_over(&window, &server.signed_in(&salon, &owner).await).await;
    let wide = |dark| Looks { width: 1200, dark };
    let phone = Looks { width: 390, dark: false };
    let webhook = format!("settings/webhooks/{webhook}");
    for (name, page, looks) in [
        ("today", "today", wide(false)),
        ("calendar", "calendar?view=day", wide(false)),
        ("webhook", webhook.as_str(), wide(true)),
        ("phone", "calendar?view=day", phone),
    ] {
        window.look(looks).await;
        window.goto(&format!("/dashboard/b/{salon}/{page}")).await;
        std::fs::write(Path::new(&to).join(format!("{name}.png")), window.picture().await).unwrap();
    }
    window.close().await;
}

#[tokio::test]
async fn pictures_of_the_documentation() {
    let Some(to) = std::env::var_os("PICTURES") else { return };
    let server = Server::open().await;
    let Some(window) = window(&server.origin()).await else { return };
    server.clock.set("2026-03-05T10:10:00Z");
    let sample = receptionist::cli::demo::make(server.service(), domain::Locale::En).await.unwrap();
    let salon = sample.business_id.to_string();
    let list = async |path: &str| {
        let all = server.operator("GET", &format!("/businesses/{salon}/{path}"), Value::Null).await;
        all.as_array().unwrap().clone()
    };
    let people = list("people").await;
    let owner = people.iter().find(|one| one["role"] == "owner").unwrap();
    let owner = Person { id: id(owner), link: String::new() };
    let awa = list("contacts?phone=%2B33612345678").await;
    take_over(&window, &server.signed_in(&salon, &owner).await).await;
    window.look(Looks { width: 1280, dark: false }).await;
    let client = format!("contacts/{}", id(&awa[0]));
    let free = "[...document.querySelectorAll('main a.free')].at(-1).click()";
    for (name, page, act) in [
        ("today", "today", ""),
        ("calendar", "calendar?view=day&date=2026-03-06", ""),
        ("booking", "calendar?view=day&date=2026-03-06", free),
        ("client", client.as_str(), ""),
        ("insights", "insights", ""),
    ] {
        window.goto(&format!("/dashboard/b/{salon}/{page}")).await;
        if !act.is_empty() {
            window.run(act).await;
            window.find("dialog.beside[open] [data-does]").await;
        }
        std::fs::write(Path::new(&to).join(format!("docs-{name}.png")), window.picture().await).unwrap();
    }
    window.close().await;
}
