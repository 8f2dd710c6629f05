//! Tests that carry out the tasks around records in a browser: messages and calls that the team writes down,
//! contacts that are merged or imported, figures, and public holidays.

use serde_json::json;

use super::journeys::Desk;
use super::window::Window;

/// Chooses a file with this name and content in the page's form.
async fn choose(window: &Window, name: &str, content: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    window.find("main [type=file]").await.send_keys(path.to_str().unwrap()).await.unwrap();
    dir
}

#[tokio::test]
async fn a_message_is_written_down_snoozed_and_resolved_and_the_resolution_is_undone() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("messages/new").await;
    window.fill("caller_name", "Nora Haddad").await;
    window.fill("body", "Do you sell vouchers?").await;
    window.press("Save the message").await;
    window.sees("The message is saved.").await;
    window.press("Mark as read").await;
    window.sees("Marked as read.").await;
    window.press("Until tomorrow, 08:00").await;
    window.sees("Snoozed until Tuesday 3 March at 08:00").await;
    desk.goto("today").await;
    window.sees("Needs you").await;
    assert!(!window.text().await.contains("Do you sell vouchers?"), "a snoozed message is no task");
    desk.salon.server.clock.set("2026-03-03T07:00:00Z");
    desk.goto("today").await;
    window.sees("Do you sell vouchers?").await;
    // A button in the row of the message marks it as resolved. The page confirms this, and offers to undo it.
    let resolve =
        "[...document.querySelectorAll('#needs-you li')].find(one => one.innerText.includes('vouchers'))
        .querySelector(\"form[action$='/status'] button\").click()";
    window.run(resolve).await;
    window.sees("The message is resolved.").await;
    assert!(!window.text().await.contains("Do you sell vouchers?"));
    window.press("Undo").await;
    window.sees("Do you sell vouchers?").await;
    desk.close().await;
}

#[tokio::test]
async fn a_call_is_logged_and_a_missed_call_is_handled_and_opened_again() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("calls/new").await;
    window.fill("number", "06 61 02 03 04").await;
    window.fill("minutes", "3").await;
    window.fill("summary", "Asked for a voucher").await;
    window.press("Save the call").await;
    window.sees("The call is recorded.").await;
    window.sees("Asked for a voucher").await;
    desk.goto("calls?status=unhandled").await;
    window.sees("+33 6 12 34 56 80").await;
    assert!(
        !window.text().await.contains("Asked for a voucher"),
        "the list has only calls that are not handled"
    );
    desk.goto("today").await;
    let handle = "document.querySelector(\"#needs-you form[action$='/handled'] button\").click()";
    window.run(handle).await;
    window.sees("Marked as handled.").await;
    assert!(!window.text().await.contains("+33 6 12 34 56 80"));
    window.press("Undo").await;
    window.sees("+33 6 12 34 56 80").await;
    desk.close().await;
}

#[tokio::test]
async fn contacts_are_imported_with_a_preview_and_merged() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("contacts/import").await;
    let file = "name,phone,email\nNora Haddad,0661020304,\nNora H.,,nora@example.com\n";
    let _file = choose(window, "contacts.csv", file).await;
    window.press("Show a preview").await;
    window.sees("2 contacts will be created.").await;
    window.sees("+33 6 61 02 03 04").await;
    window.run("document.querySelector('main form button.first').click()").await;
    window.sees("The contacts were imported.").await;
    window.press("Nora Haddad").await;
    window.press("Merge…").await;
    window.fill("q", "nora h").await;
    window.press("Search").await;
    window.sees("Choose the other contact").await;
    window.press("Nora H.").await;
    window.sees("A merge cannot be undone.").await;
    window.run("document.querySelector('main form button.danger').click()").await;
    window.sees("Merged.").await;
    window.sees("nora@example.com").await;
    desk.goto("contacts").await;
    window.sees("Nora Haddad").await;
    assert!(!window.text().await.contains("Nora H."), "a merged contact is not listed");
    desk.close().await;
}

#[tokio::test]
async fn figures_are_shown_by_month_and_public_holidays_are_imported() {
    let Some(desk) = Desk::of_owner().await else { return };
    let window = &desk.window;
    desk.goto("insights").await;
    window.find("main svg.chart").await;
    window.choose("by", "month").await;
    window.press("Show").await;
    window.find("main select[name=by] option[value=month][selected]").await;
    let total = "return document.querySelector('main table.figures-table tfoot td').innerText";
    assert_ne!(window.run(total).await, json!("0"), "the salon has appointments");

    desk.goto("settings/hours/holidays").await;
    let ics = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n\
        DTSTART;VALUE=DATE:20260406\r\nSUMMARY:Lundi de Pâques\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let _file = choose(window, "holidays.ics", ics).await;
    window.press("Show a preview").await;
    window.sees("Lundi de Pâques").await;
    window.run("document.querySelector('main form button.first').click()").await;
    window.sees("The days are closed.").await;
    desk.goto("calendar?view=day&date=2026-04-06").await;
    window.sees("Lundi de Pâques").await;
    desk.close().await;
}
