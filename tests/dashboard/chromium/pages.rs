//! Tests every page in the table of routes, on a wide screen and on a phone, in light and dark mode.

use receptionist::service;

use super::axe::{axe, violations};
use super::salon::Salon;
use super::window::{Looks, Window, window};
use crate::harness::Browser;

/// The four widths. Each page is checked once at each width, every time in another of the four [`MODES`]. Different
/// pages have different modes at the same width, so all 16 pairs of width and mode occur.
const WIDTHS: [u32; 4] = [1920, 1280, 768, 360];
/// The modes: whether the colours are dark, and the language.
const MODES: [(bool, &str); 4] = [(false, "en"), (true, "fr"), (false, "fr"), (true, "en")];
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

/// The paths of pages that a new business has before its first records.
const OF_EMPTY: [&str; 14] = [
    "today",
    "calendar",
    "calendar?view=week",
    "calendar?view=month",
    "calendar?view=list",
    "appointments/new",
    "messages",
    "calls",
    "contacts",
    "knowledge",
    "insights",
    "alerts",
    "settings/services",
    "settings/staff",
];

#[tokio::test]
async fn pages_follow_their_security_policy_fit_wide_windows_and_meet_wcag() {
    check_all_pages(0..2).await;
}

#[tokio::test]
async fn pages_follow_their_security_policy_fit_narrow_windows_and_meet_wcag() {
    check_all_pages(2..4).await;
}

/// Checks every page at the widths with these indexes in `WIDTHS`.
async fn check_all_pages(widths: std::ops::Range<usize>) {
    let salon = Salon::open().await;
    let Some(window) = window(&salon.server.origin()).await else { return };
    let axe = axe();
    let french = salon.add_french_owner().await;
    let (pages, mut wrong) = (pages(&salon), Vec::new());
    for (mode, (dark, language)) in MODES.into_iter().enumerate() {
        let person = if language == "fr" { &french } else { &salon.owner };
        take_over(&window, &salon.signed_in(person).await).await;
        for place in widths.clone() {
            let looks = Looks { width: WIDTHS[place], dark };
            let of_mode =
                pages.iter().enumerate().filter(|(number, _)| (number + place) % MODES.len() == mode);
            wrong.extend(check(&window, of_mode.map(|(_, page)| &**page), looks, axe.as_deref()).await);
        }
        if language == "fr" && dark && widths.end == WIDTHS.len() {
            wrong.extend(check(&window, pages.iter().map(|page| &**page), NARROW, None).await);
        }
    }
    window.close().await;
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

#[tokio::test]
async fn pages_of_a_member_and_of_an_empty_business_fit_the_window_and_meet_wcag() {
    let salon = Salon::open().await;
    let Some(window) = window(&salon.server.origin()).await else { return };
    let axe = axe();
    let mut member = salon.signed_in(&salon.member).await;
    take_over(&window, &member).await;
    let mut wrong = Vec::new();
    let in_turn = |place: usize| Looks { width: WIDTHS[place % 4], dark: MODES[place / 4 % 4].0 };
    for (place, page) in pages(&salon).into_iter().enumerate() {
        // Some pages are hidden from members, or redirect them.
        if member.get(&page).await.status == 200 {
            wrong.extend(check(&window, [&*page], in_turn(place), axe.as_deref()).await);
        }
    }
    let empty = salon.server.business("Nouveau").await;
    let owner = salon.server.person(&empty, "nouveau@example.com", "owner").await;
    take_over(&window, &salon.server.signed_in(&empty, &owner).await).await;
    for (place, page) in OF_EMPTY.into_iter().enumerate() {
        let page = format!("/dashboard/b/{empty}/{page}");
        for looks in [in_turn(place), in_turn(place + 6)] {
            wrong.extend(check(&window, [&*page], looks, axe.as_deref()).await);
        }
    }
    window.close().await;
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

/// Opens and checks the pages. Returns the problems.
async fn check(
    window: &Window,
    pages: impl IntoIterator<Item = &str>,
    looks: Looks,
    axe: Option<&str>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    window.look(looks).await;
    let _ = window.complaints().await;
    for page in pages {
        window.goto(page).await;
        assert_eq!(window.path().await, page, "the browser must show the page");
        let over =
            window.run("const d = document.documentElement; return d.scrollWidth - d.clientWidth").await;
        if over.as_i64() > Some(0) {
            wrong.push(format!("{page} {looks:?}: {over} px wider than the screen"));
        }
        for complaint in window.complaints().await {
            wrong.push(format!("{page} {looks:?}: {complaint}"));
        }
        if let Some(axe) = axe {
            window.run("document.querySelectorAll('main details').forEach(one => one.open = true)").await;
            let found = violations(window, axe).await;
            wrong.extend(found.into_iter().map(|one| format!("{page} {looks:?}: {one}")));
        }
    }
    wrong
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

/// The elements that can be used but never got the focus. In a group of radio buttons, and among the days in the
/// sidebar, one element with the focus is enough, because the arrow keys reach the others.
const MISSED: &str = "\
    const usable = [...document.querySelectorAll('a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex=\"0\"]')]; \
    const shown = usable.filter(e => !e.disabled && e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length); \
    const group = e => e.type === 'radio' && usable.some(o => o.type === 'radio' && o.name === e.name && window.focused.has(o)); \
    const moves = e => e.tabIndex < 0 && [...window.focused].some(o => o.closest('.weeks') && o.closest('.weeks') === e.closest('.weeks')); \
    return shown.filter(e => !window.focused.has(e) && !group(e) && !moves(e)).map(e => e.outerHTML.slice(0, 160));";

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
