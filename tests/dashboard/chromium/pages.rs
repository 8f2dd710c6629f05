//! Tests every page in the table of routes, on a wide screen and on a phone, in light and dark mode.

use receptionist::service;

use super::axe::{axe, violations};
use super::salon::Salon;
use super::window::{Looks, Window, window};
use crate::harness::Browser;

/// The widths, colour modes and languages in which every page is checked.
const ON_DESKS: &[(Looks, &str)] =
    &[(Looks { width: 1920, dark: false }, "en"), (Looks { width: 1280, dark: true }, "fr")];
const IN_HANDS: &[(Looks, &str)] =
    &[(Looks { width: 768, dark: false }, "fr"), (Looks { width: 360, dark: true }, "en"), (NARROW, "fr")];
/// The widths at which pages are checked with axe, which takes most of the time.
const CHECKED_WITH_AXE: [u32; 3] = [1920, 1280, 360];
/// The narrowest screen that WCAG 1.4.10 requires, in CSS pixels.
const NARROW: Looks = Looks { width: 320, dark: false };

/// Copies the session cookie of a simulated browser to a window.
pub(super) async fn take_over(window: &Window, browser: &Browser) {
    window.goto("/dashboard/sign-in").await;
    for (name, value) in &browser.cookies {
        window.set_cookie(name, value).await;
    }
}

/// The paths of the pages that a signed-in person can open.
fn pages(salon: &Salon) -> Vec<String> {
    let all =
        service::pages().into_iter().filter(|(method, _, access)| method == "GET" && access != "anybody");
    let mut pages: Vec<_> = all.filter_map(|(_, path, _)| salon.address(path)).collect();
    pages.retain(|path| path != "/dashboard"); // this path redirects
    let merge = format!("/dashboard/b/{}/contacts/{}/merge", salon.id, salon.contact);
    pages.extend([format!("{merge}?q=long"), format!("{merge}?from={}", salon.other_contact)]);
    pages
}

#[tokio::test]
async fn pages_follow_their_security_policy_fit_wide_windows_and_meet_wcag() {
    check_pages(ON_DESKS).await;
}

#[tokio::test]
async fn pages_follow_their_security_policy_fit_narrow_windows_and_meet_wcag() {
    check_pages(IN_HANDS).await;
}

async fn check_pages(all: &[(Looks, &str)]) {
    let salon = Salon::open().await;
    let Some(window) = window(&salon.server.origin()).await else { return };
    let axe = axe();
    let french = salon.add_french_owner().await;
    let mut wrong = Vec::new();
    for (looks, language) in all.iter().copied() {
        let person = if language == "fr" { &french } else { &salon.owner };
        take_over(&window, &salon.signed_in(person).await).await;
        window.look(looks).await;
        let _ = window.complaints().await;
        for page in pages(&salon) {
            window.goto(&page).await;
            assert_eq!(window.path().await, page, "the browser must show the page");
            let over =
                window.run("const d = document.documentElement; return d.scrollWidth - d.clientWidth").await;
            if over.as_i64() > Some(0) {
                wrong.push(format!("{page} {looks:?}: {over} px wider than the screen"));
            }
            for complaint in window.complaints().await {
                wrong.push(format!("{page} {looks:?}: {complaint}"));
            }
            if let (Some(axe), true) = (&axe, CHECKED_WITH_AXE.contains(&looks.width)) {
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
async fn no_page_runs_customer_input_as_script() {
    let salon = Salon::open().await;
    let Some(window) = window(&salon.server.origin()).await else { return };
    take_over(&window, &salon.signed_in(&salon.owner).await).await;
    for page in pages(&salon) {
        window.goto(&page).await;
        // If injected markup had opened a dialog with `alert`, the browser would refuse the following
        // commands, and the test would fail.
        let scripts = window.run("return [...document.scripts].filter(one => !one.src).length").await;
        let handlers = window
            .run("return [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length")
            .await;
        assert_eq!((scripts.as_i64(), handlers.as_i64()), (Some(0), Some(0)), "{page}");
    }
    window.close().await;
}

/// Records which elements get the focus. The script runs in the page.
const LISTEN: &str = "window.focused = new Set(); \
    document.addEventListener('focusin', event => window.focused.add(event.target)); document.activeElement?.blur();";

/// The elements that can be used but never got the focus. In a group of radio buttons, one button with the
/// focus is enough, because the arrow keys reach the others.
const MISSED: &str = "\
    const usable = [...document.querySelectorAll('a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex=\"0\"]')]; \
    const shown = usable.filter(e => !e.disabled && e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length); \
    const group = e => e.type === 'radio' && usable.some(o => o.type === 'radio' && o.name === e.name && window.focused.has(o)); \
    return shown.filter(e => !window.focused.has(e) && !group(e)).map(e => e.outerHTML.slice(0, 160));";

#[tokio::test]
async fn every_element_on_every_page_can_be_reached_by_keyboard() {
    let salon = Salon::open().await;
    let Some(window) = window(&salon.server.origin()).await else { return };
    take_over(&window, &salon.signed_in(&salon.owner).await).await;
    let mut missed = Vec::new();
    for page in pages(&salon) {
        window.goto(&page).await;
        window.run(LISTEN).await;
        // Tab is pressed three times for each element, because a date or time field has several parts.
        let stops = window.run("return document.querySelectorAll('a,button,input,select,textarea,summary,[tabindex]').length").await;
        let stops = usize::try_from(stops.as_u64().unwrap()).unwrap() * 3 + 20;
        window.keys(&"\u{e004}".repeat(stops)).await;
        let left = window.run(MISSED).await;
        missed.extend(left.as_array().unwrap().iter().map(|one| format!("{page}: {one}")));
    }
    window.close().await;
    assert_eq!(missed, [""; 0], "{}", missed.join("\n"));
}
