//! Tests of the email addresses that customers enter in the form of the booking page.

use crate::site::{Site, text};

fn time(number: usize) -> String {
    format!("2026-03-02T{:02}:00:00.000Z", 9 + number)
}

#[tokio::test]
async fn an_address_with_an_unusual_local_part_is_refused() {
    let site = Site::open().await;
    for email in [
        "\"zoe\"@example.com",
        "\"\\zoe\"@example.com",
        "zoe,martin@example.com",
        "zoe..martin@example.com",
        "zoe@[192.0.2.1]",
    ] {
        let sent = site.book(&time(0), &[("email", email)]).await;
        sent.is(422);
        assert_eq!(text(&sent).matches("Enter a valid e-mail address").count(), 2, "{email}: {sent}");
    }
    assert!(site.appointments().await.is_empty());
    site.book(&time(0), &[("email", "zoé.o'neil+salon@café.example")]).await.is(303);
}

#[tokio::test]
async fn a_person_is_one_person_in_all_spellings_of_the_domain() {
    let site = Site::open().await;
    let spellings =
        ["zoe@café.example", "zoe@xn--caf-dma.example", "Zoe@CAFÉ.example", "zoe@\u{ff43}afé.example"];
    for (number, email) in spellings.into_iter().enumerate() {
        let sent = site.book(&time(number), &[("phone", ""), ("email", email)]).await;
        assert_eq!(sent.status, if number < 3 { 303 } else { 429 }, "{email}: {sent}");
    }
}
