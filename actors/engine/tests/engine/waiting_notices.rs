//! Notices that wait while the settings change, and reminders of requests that are confirmed late.

use domain::{BookingMode, DropReason, NoticeKind, NoticeScope, NoticeStatus};
use engine::BusinessHandle;
use engine::business::NoticeFilter;
use engine::business::commands::appointments::Confirm;
use engine::business::commands::notices::SendNoticeAgain;
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::website::PatchNotices;

use crate::harness::{at, by_operator, pass};
use crate::notices::{book, kinds, log, log_of, move_to, world};

use DropReason::Superseded;
use NoticeKind::{Confirmed, Moved, Reminder, Requested};
use NoticeStatus::{Dropped, Sent, Waiting};

async fn set(handle: &BusinessHandle, email: Option<NoticeScope>, reminder_hours: Vec<u8>) {
    let patch = PatchNotices { email, reminder_hours: Some(reminder_hours), ..PatchNotices::default() };
    handle.change(by_operator(), patch).await.unwrap();
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_notice_outside_the_present_settings_is_not_sent() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    set(&handle, None, vec![24, 2]).await;
    let id = book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
    set(&handle, None, vec![2]).await;
    let until = |hour| (at(3, hour) - world.engine.now()).num_minutes() as u64;
    pass(until(7)).await;
    assert_eq!(post.take().len(), 0, "the reminder of 24 hours is not set any more");
    pass(until(9)).await;
    assert_eq!(kinds(&post.take()), [Reminder]);
    let dropped = (Reminder, Dropped, Some(Superseded));
    assert_eq!(log(&handle).await, [(Confirmed, Sent, None), dropped, (Reminder, Sent, None)]);
    move_to(&handle, id, at(6, 10)).await;
    set(&handle, Some(NoticeScope::Off), vec![2]).await;
    pass(60 * 24 * 4).await;
    assert_eq!(post.take().len(), 0, "all notices are turned off");
    assert_eq!(log(&handle).await[3..], [(Moved, Dropped, Some(Superseded)), dropped]);
}

#[tokio::test(start_paused = true)]
async fn a_notice_that_is_sent_again_needs_no_setting() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    post.take();
    set(&handle, Some(NoticeScope::Off), Vec::new()).await;
    let sent = NoticeFilter { status: Some(Sent), ..NoticeFilter::default() };
    let id = log_of(&handle, &sent).await[0].id;
    handle.change(by_operator(), SendNoticeAgain { id }).await.unwrap();
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
    pass(60 * 24 * 4).await;
    assert_eq!(post.take().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_confirmed_late_gets_the_reminders_since_its_booking() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    set(&handle, None, vec![48, 24]).await;
    let mode = PatchBusiness { booking_mode: Some(BookingMode::Request), ..PatchBusiness::default() };
    handle.change(by_operator(), mode).await.unwrap();
    let start = at(1, 20);
    let id = book(&world, &shop, start).await;
    assert!((24..48).contains(&(start - world.engine.now()).num_hours()));
    pass((start - world.engine.now()).num_minutes() as u64 - 20 * 60).await;
    assert_eq!(kinds(&post.take()), [Requested]);
    handle.change(by_operator(), Confirm { id }).await.unwrap();
    seconds(14).await;
    assert_eq!(post.take().len(), 0, "the team may still take the confirmation back");
    seconds(10).await;
    let sent = kinds(&post.take());
    // The 48-hour reminder was due before the booking.
    assert!(sent.len() == 2 && sent.contains(&Confirmed) && sent.contains(&Reminder), "{sent:?}");
    // The reminders of the new time were due before the move, so they are not sent.
    move_to(&handle, id, start - chrono::TimeDelta::hours(1)).await;
    pass(60 * 20).await;
    assert_eq!(kinds(&post.take()), [Moved]);
    assert!(log(&handle).await.iter().all(|(_, status, _)| *status != Waiting));
}
