//! Tests of the views of the calendar in a browser: the days of the sidebar, the month, the choice of what is
//! shown, the week of all staff members, and the head on narrow screens.

use serde_json::{Value, json};

use super::calendar::DAY;
use super::journeys::Desk;
use super::keyboard::{DOWN, ENTER, LEFT, RIGHT, SPACE, UP};
use super::pages::take_over;
use super::window::Looks;

const MONTH: &str = "calendar?view=month&date=2026-03-02";

const fn light(width: u32) -> Looks {
    Looks { width, dark: false }
}

#[tokio::test]
async fn a_day_in_three_weeks_is_opened_from_the_sidebar_with_the_keyboard_alone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    for (page, shown) in [("today", "#today-by-staff"), (DAY, "#board .lane[data-date='2026-03-02']")] {
        desk.goto(page).await;
        window.find(shown).await;
        desk.tab_to(".weeks a").await;
        let focused = "return document.activeElement.querySelector('time').dateTime";
        assert_eq!(window.run(focused).await, "2026-03-02", "{page}: Tab reaches the shown day");
        for key in [DOWN, RIGHT, DOWN, UP, LEFT, DOWN, DOWN] {
            window.keys(key).await;
        }
        assert_eq!(window.run(focused).await, "2026-03-23", "{page}");
        window.keys(ENTER).await;
        window.sees("Monday 23 March").await;
        window.find("#board .lane[data-date='2026-03-23']").await;
        let reached = "return [...document.querySelectorAll('.weeks a')].filter(day => day.tabIndex === 0)
            .map(day => day.querySelector('time').dateTime)";
        assert_eq!(window.run(reached).await, json!(["2026-03-23"]), "{page}");
    }
    desk.close().await;
}

/// A script that returns, for some days of the month, the number of appointments and the width of the bar that shows
/// this number. A bar of full width has the width 8.
const LOAD: &str = "
    return ['2026-03-02', '2026-03-03', '2026-03-04'].map(date => {
        const day = document.querySelector(`.month td:has(time[datetime='${date}']) > a`);
        const bar = getComputedStyle(day, '::after'), left = parseFloat(bar.insetInlineStart);
        const share = parseFloat(bar.inlineSize) / (day.clientWidth - 2 * left);
        return [day.querySelector('.n')?.firstChild.nextSibling.textContent ?? '', Math.round(share * 8)];
    })";

#[tokio::test]
async fn the_month_shows_the_load_of_each_day_and_a_click_opens_the_day() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto(MONTH).await;
    window.find("#month").await;
    assert_eq!(window.run(LOAD).await, json!([["3", 8], ["1", 3], ["", 0]]));
    window.click_middle(".month td:has(time[datetime='2026-03-03'])").await;
    window.sees("Tuesday 3 March").await;
    window.find("#board .lane[data-date='2026-03-03']").await;
    assert!(window.path().await.ends_with("calendar?view=day&date=2026-03-03"), "{}", window.path().await);
    desk.close().await;
}

#[tokio::test]
async fn the_shown_staff_and_the_density_are_chosen_with_the_keyboard_alone_and_kept() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, staff) = (&desk.window, &desk.salon.staff);
    desk.goto(MONTH).await;
    window.find("#month").await;
    desk.tab_to(".drop > summary").await;
    window.keys(ENTER).await;
    window.find(".drop[open]").await;
    let shown = format!(".drop [name=show][value='{staff}']");
    desk.tab_to(&shown).await;
    window.keys(SPACE).await;
    window.find(&format!("{shown}:not(:checked)")).await;
    desk.tab_to(".drop [name=density]").await;
    window.keys(RIGHT).await;
    window.find(".drop [name=density][value=compact]:checked").await;
    desk.tab_to(".drop form button").await;
    desk.meets_wcag().await;
    window.keys(ENTER).await;
    window.find(".drop > summary .dot").await;
    let counted = window.run(LOAD).await;
    assert_eq!(counted[0], json!(["", 0]), "the month counts only the appointments of the shown staff");
    for _ in 0..2 {
        desk.goto(DAY).await;
        window.find("#board.compact").await;
        let lanes = "return [...document.querySelectorAll('#board .lane')].map(lane => lane.dataset.staff)";
        let lanes = window.run(lanes).await;
        assert_eq!(lanes.as_array().map(Vec::len), Some(1), "{lanes}");
        assert_ne!(lanes[0], **staff);
    }
    desk.close().await;
}

#[tokio::test]
async fn the_week_of_all_staff_shows_seven_days_without_scrolling_sideways() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, salon) = (&desk.window, &desk.salon);
    let of = |path: &str| format!("/businesses/{}/{path}", salon.id);
    // From Tuesday to Saturday, two staff members have an appointment at the same time.
    let staff = salon.server.operator("GET", &of("staff"), Value::Null).await;
    for day in 3..=7 {
        for one in staff.as_array().unwrap() {
            let visit = json!({ "service_id": salon.service, "staff_id": one["id"],
                "starts_at": format!("2026-03-{day:02}T14:00:00+01:00"), "contact": { "name": "Zoé Lefèvre" } });
            salon.server.operator("POST", &of("appointments"), visit).await;
        }
    }
    window.look(light(1280)).await;
    desk.goto("calendar?view=week&date=2026-03-02").await;
    window.find("#board .visit").await;
    let days = "
        const board = document.getElementById('board'), box = board.getBoundingClientRect();
        const lanes = [...board.querySelectorAll('.lane')], seen = lanes.filter(lane => {
            const { left, right } = lane.getBoundingClientRect();
            return box.left <= left && right <= Math.min(box.right, innerWidth);
        });
        return [lanes.length, seen.length, board.scrollWidth - board.clientWidth,
            document.documentElement.scrollWidth - innerWidth]";
    assert_eq!(window.run(days).await, json!([7, 7, 0, 0]));
    desk.close().await;
}

/// A script that returns the faults of the page's head:
///
/// - the parts that are outside the head, or whose content is wider than the part;
/// - the controls that overlap;
/// - on a phone, all controls if they are on more than one line. The booking button is not included, because a phone
///   shows it at a fixed position.
const WRONG_CONTROLS: &str = "
    const head = document.querySelector('main .head'), box = head.getBoundingClientRect();
    const isShown = one => one.checkVisibility({ contentVisibilityAuto: true }) && !one.closest('.drop-panel');
    const isFixed = one => getComputedStyle(one).position === 'fixed';
    const of = one => one.getBoundingClientRect();
    const controls = [...head.querySelectorAll('a, button, summary')].filter(one => isShown(one) && !isFixed(one));
    const parts = [...head.querySelectorAll('*')].filter(one => isShown(one)
        && !one.closest('.vh, svg') && !isFixed(one.closest('.button') ?? one));
    const name = one => `${one.tagName} ${one.className} ${one.getAttribute('aria-label') ?? one.textContent}`.slice(0, 80);
    const beside = controls.toSorted((one, other) => of(one).left - of(other).left);
    return [
        ...new Set(controls.map(one => Math.round(of(one).top))).size > 1 && innerWidth < 600
            ? ['two lines', ...controls.map(one => `${Math.round(of(one).top)} ${name(one)}`)] : [],
        ...parts.filter(one => of(one).left < box.left - 1 || of(one).right > box.right + 1).map(one => `outside: ${name(one)}`),
        ...parts.filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
            .map(one => `wider than its place: ${name(one)}`),
        ...beside.filter((one, at) => beside.slice(at + 1).some(other => of(other).left < of(one).right - 1
            && of(other).top < of(one).bottom - 1 && of(one).top < of(other).bottom - 1)).map(one => `covered: ${name(one)}`),
        ...box.left < 0 || box.right > document.documentElement.clientWidth ? ['the head is outside the window'] : [],
    ];";

/// A script that scrolls the page and the board to their ends, and returns whether the booking button is visible and
/// not covered.
const BOOK_STAYS: &str = "
    const board = document.getElementById('board');
    board?.scrollTo(board.scrollWidth, board.scrollHeight);
    scrollTo(0, document.documentElement.scrollHeight);
    const book = document.querySelector('main .head :is(.book, .stay)'), { left, right, top, bottom } = book.getBoundingClientRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight && book.contains(at)";

#[tokio::test]
async fn the_head_fits_narrow_screens_and_the_booking_button_stays_on_a_phone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let (window, salon) = (&desk.window, &desk.salon);
    let french = salon.add_french_owner().await;
    let mut wrong = Vec::new();
    for person in [&salon.owner, &french] {
        take_over(window, &salon.signed_in(person).await).await;
        for width in [768, 360] {
            window.look(light(width)).await;
            for page in [
                "today",
                DAY,
                "calendar?view=week&date=2026-03-02",
                "calendar?view=month&date=2026-09-02",
                "calendar?view=list&date=2026-03-02",
            ] {
                desk.goto(page).await;
                window.ready().await;
                let found = window.run(WRONG_CONTROLS).await;
                wrong.extend(found.as_array().unwrap().iter().map(|one| format!("{page} {width} px: {one}")));
                if width < 600 && window.run(BOOK_STAYS).await != true {
                    wrong.push(format!("{page}: the booking button must stay visible"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
    desk.close().await;
}
