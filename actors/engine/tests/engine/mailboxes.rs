//! Tests of mailboxes whose address can be spelled in several ways. All spellings of a mailbox share one limit on
//! notices and one consent.

use domain::{Actor, DropReason, EmailConsent, NoticeStatus};
use engine::BusinessHandle;
use engine::business::commands::notices::StopNotices;
use engine::business::commands::website::PatchNotices;
use engine::business::{NoticeFilter, Request};

use crate::harness::{Shop, at, by_operator, pass};
use crate::notices::{book_by, log_of, token_of, world};

/// The spellings of one mailbox. [`ZOE`] contains the spellings of another mailbox.
const ADA: [&str; 5] = [
    "ada@example.com",
    "\"ada\"@example.com",
    "\"\\ada\"@example.com",
    "\"a\\da\"@Example.com",
    "\"\\a\\d\\a\"@\u{ff45}xample.com",
];
const ZOE: [&str; 4] = [
    "zo\u{e9}@caf\u{e9}.example",
    "zo\u{e9}@xn--caf-dma.example",
    "zoe\u{301}@cafe\u{301}.example",
    "\"zo\u{e9}\"@CAF\u{c9}.example",
];

async fn booked(
    handle: &BusinessHandle,
    shop: &Shop,
    hour: i64,
    email: &str,
) -> (NoticeStatus, Option<DropReason>) {
    let id = book_by(handle, shop, at(5, hour), 1, email).await;
    pass(1).await;
    let of_it = NoticeFilter { appointment_id: Some(id), ..NoticeFilter::default() };
    let [notice] = <[_; 1]>::try_from(log_of(handle, &of_it).await).unwrap();
    (notice.status, notice.reason)
}

#[tokio::test(start_paused = true)]
async fn the_spellings_of_a_mailbox_have_one_limit() {
    for spellings in [&ADA[..], &ZOE[..]] {
        let (world, shop, post) = world().await;
        let handle = world.at(&shop);
        let none = PatchNotices { reminder_hours: Some(Vec::new()), ..PatchNotices::default() };
        handle.change(by_operator(), none).await.unwrap();
        let mut emails = spellings.iter().cycle();
        for hour in 0..6 {
            let sent = (NoticeStatus::Sent, None);
            assert_eq!(booked(&handle, &shop, hour, emails.next().unwrap()).await, sent);
        }
        assert_eq!(post.take().len(), 6);
        for (hour, email) in (6..).zip(spellings) {
            let dropped = (NoticeStatus::Dropped, Some(DropReason::Limit));
            assert_eq!(booked(&handle, &shop, hour, email).await, dropped, "{email}");
        }
        assert_eq!(booked(&handle, &shop, 12, "ad.a@example.com").await.0, NoticeStatus::Sent);
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_stops_all_spellings_of_its_address() {
    for (number, spellings) in [&ADA[..], &ZOE[..]].into_iter().enumerate() {
        let (world, shop, post) = world().await;
        let handle = world.at(&shop);
        let none = PatchNotices { reminder_hours: Some(Vec::new()), ..PatchNotices::default() };
        handle.change(by_operator(), none).await.unwrap();
        assert_eq!(booked(&handle, &shop, 0, spellings[number]).await, (NoticeStatus::Sent, None));
        let stop = StopNotices { token: token_of(&post.take()[0]), all: true };
        let stopped = handle.change(Request::by(Actor::Customer), stop).await.unwrap().value;
        assert_eq!(stopped.email, EmailConsent::None);
        for (hour, email) in (1..).zip(spellings) {
            let dropped = (NoticeStatus::Dropped, Some(DropReason::OptedOut));
            assert_eq!(booked(&handle, &shop, hour, email).await, dropped, "{email}");
        }
    }
}
