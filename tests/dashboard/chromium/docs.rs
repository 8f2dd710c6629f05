//! Tests of the documentation pages in a browser.

use receptionist::docs;

use super::axe::{axe, violations};
use super::window::{Looks, window};
use crate::harness::Server;

/// The widths at which every page is checked, in light and dark mode.
const WIDTHS: [u32; 3] = [390, 820, 1280];

fn pages() -> Vec<String> {
    let others = ["", "/reference", "/search", "/search?q=retries", "/search?q=zzz", "/no-such-topic"];
    let topics = docs::topics().map(|topic| format!("/docs/{}", topic.name));
    others.map(|page| format!("/docs{page}")).into_iter().chain(topics).collect()
}

#[tokio::test]
async fn documentation_pages_follow_their_security_policy_fit_the_window_and_meet_wcag() {
    let server = Server::open().await;
    let Some(window) = window(&server.origin()).await else { return };
    let (axe, pictures) = (axe(), std::env::var_os("DOCS_PICTURES").map(std::path::PathBuf::from));
    let mut wrong = Vec::new();
    for looks in WIDTHS.into_iter().flat_map(|width| [false, true].map(|dark| Looks { width, dark })) {
        window.look(looks).await;
        for page in pages() {
            window.goto(&page).await;
            let over =
                window.run("const d = document.documentElement; return d.scrollWidth - d.clientWidth").await;
            if over.as_i64() > Some(0) {
                wrong.push(format!("{page} {looks:?}: {over} px wider than the screen"));
            }
            let complaints = window.complaints().await.into_iter();
            // The browser also reports the 404 response, which is expected here.
            let complaints = complaints.filter(|one| !one.contains("/no-such-topic"));
            wrong.extend(complaints.map(|one| format!("{page} {looks:?}: {one}")));
            if let Some(to) = &pictures {
                let name = page.replace(['/', '?', '='], "-");
                let name = format!("{}{name}-{}.png", looks.width, if looks.dark { "dark" } else { "light" });
                std::fs::write(to.join(name), window.picture().await).unwrap();
            }
            // axe checks each width only in dark or only in light colours, because its check takes most of the
            // time.
            if let (Some(axe), true) = (&axe, looks.dark == (looks.width == WIDTHS[1])) {
                window.run("document.querySelectorAll('main details').forEach(one => one.open = true)").await;
                let found = violations(&window, axe).await;
                wrong.extend(found.into_iter().map(|one| format!("{page} {looks:?}: {one}")));
            }
        }
    }
    window.close().await;
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

#[tokio::test]
async fn the_search_works_while_typing_and_without_script() {
    let server = Server::open().await;
    let Some(window) = window(&server.origin()).await else { return };
    window.goto("/docs/search").await;
    window.fill("q", "signature").await;
    window.sees("results for signature").await;
    assert_eq!(window.path().await, "/docs/search?q=signature");
    window.without_script().await;
    window.goto("/docs").await;
    window.fill("q", "reschedule").await;
    window.press("Search").await;
    window.press("POST /v1/appointments/{appointment_id}/reschedule").await;
    assert_eq!(window.path().await, "/docs/reference#rescheduleAppointment");
    window.close().await;
}
