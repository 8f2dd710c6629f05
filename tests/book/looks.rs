//! The booking page in a real Chromium, if it is installed.

use serde_json::json;

use crate::axe::{axe, violations};
use crate::site::Site;
use crate::window::{Looks, Window, window};

const WIDTHS: [u32; 3] = [320, 768, 1280];
const LOCALES: [&str; 2] = ["en", "fr"];

async fn opened(site: &Site) -> Option<Window> {
    window(&format!("http://{}", site.server.root().address)).await
}

#[tokio::test]
async fn the_steps_fit_the_window_and_meet_wcag() {
    let website = json!({ "phone": "+33142685300", "email": "hello@salon.example", "show_prices": true,
        "address": "1 rue de la Paix, Paris", "origins": ["https://a.example"] });
    let site = Site::with(json!({}), website).await;
    let Some(window) = opened(&site).await else { return };
    let (axe, pictures) = (axe(), std::env::var_os("BOOK_PICTURES").map(std::path::PathBuf::from));
    let service = format!("service={}", site.salon.massage);
    let (empty, details) =
        (format!("{service}&date=2027-03-07"), format!("{service}&time=2026-03-02T09:00:00Z"));
    let steps = [("service", "", ""), ("time", "", &service), ("empty", "", &empty), ("form", "", &details)];
    let steps = steps.into_iter().chain([("frame", "/frame", &*service), ("refused", "", &details)]);
    let steps: Vec<_> = steps.collect();
    let mut wrong = Vec::new();
    for looks in WIDTHS.into_iter().flat_map(|width| [false, true].map(|dark| Looks { width, dark })) {
        window.look(looks).await;
        let color = (looks.width == 768).then_some("#ffcc00");
        site.website(json!({ "color": color })).await;
        // The limit of requests counts by calendar minute.
        site.server.clock.advance(60);
        for ((name, path, query), locale) in
            steps.iter().flat_map(|step| LOCALES.map(|locale| (step, locale)))
        {
            window.goto(&format!("{}{path}?locale={locale}&{query}", site.path)).await;
            let page = format!("{name}-{locale}-{}-{}", looks.width, looks.dark);
            wrong.extend(window.complaints().await.into_iter().map(|one| format!("{page}: {one}")));
            if *name == "refused" {
                window
                    .run("const form = document.forms[0]; form.noValidate = true; form.requestSubmit()")
                    .await;
                window.find(".notice:focus").await;
                window.complaints().await;
            }
            window.run("document.querySelectorAll('details').forEach(one => one.name = '')").await;
            window.run("document.querySelectorAll('details').forEach(one => one.open = true)").await;
            let over = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
            if window.run(over).await.as_i64() > Some(0) {
                wrong.push(format!("{page} is wider than the window"));
            }
            if let Some(to) = &pictures {
                std::fs::write(to.join(format!("{page}.png")), window.picture().await).unwrap();
            }
            if let Some(axe) = &axe {
                let found = violations(&window, axe).await;
                wrong.extend(found.into_iter().map(|one| format!("{page}: {one}")));
            }
        }
    }
    window.close().await;
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_customer_books_without_script_and_with_it() {
    let site = Site::open().await;
    let Some(window) = opened(&site).await else { return };
    for (scripted, time, booked) in [(true, "10:00", 1), (false, "10:30", 2)] {
        if !scripted {
            window.without_script().await;
        }
        window.goto(&format!("{}?locale=en", site.path)).await;
        window.press("Cut").await;
        window.sees("Choose a day and a time").await;
        window.press("Ben").await;
        window.press(time).await;
        window.sees("Your details").await;
        window.fill("name", "Zoé Martin").await;
        window.fill("phone", &format!("+3361234567{booked}")).await;
        window.press("Book").await;
        window.sees("Your appointment is booked").await;
        assert!(window.path().await.starts_with("/book/manage/"));
        assert_eq!(site.appointments().await.len(), booked);
    }
    window.close().await;
}
