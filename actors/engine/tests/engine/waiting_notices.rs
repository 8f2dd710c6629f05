//! Notices that wait while the settings change, and reminders of appointments that are confirmed late.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use domain::{BookingMode, DropReason, NoticeKind, NoticeScope, NoticeStatus};
use engine::BusinessHandle;
use engine::business::NoticeFilter;
use engine::business::commands::appointments::Confirm;
use engine::business::commands::notices::SendNoticeAgain;
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::website::PatchNotices;

use crate::harness::{World, at, by_operator, pass, walk};
use crate::notices::{book, book_by, kinds, log, log_of, move_to, notice, world};

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
    assert_eq!(
        post.take().len(),
        0,
        "the 24-hour reminder must not be sent after it was removed from the settings"
    );
    pass(until(9)).await;
    assert_eq!(kinds(&post.take()), [Reminder]);
    let dropped = (Reminder, Dropped, Some(Superseded));
    assert_eq!(log(&handle).await, [(Confirmed, Sent, None), dropped, (Reminder, Sent, None)]);
    move_to(&handle, id, at(6, 10)).await;
    set(&handle, Some(NoticeScope::Off), vec![2]).await;
    pass(60 * 24 * 4).await;
    assert_eq!(post.take().len(), 0, "no notice may be sent while notices are off");
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
    assert_eq!(post.take().len(), 0, "the confirmation must wait, because the team can still revert it");
    seconds(10).await;
    let sent = kinds(&post.take());
    // The 48-hour reminder was due before the booking, so only the 24-hour reminder is sent.
    assert!(sent.len() == 2 && sent.contains(&Confirmed) && sent.contains(&Reminder), "{sent:?}");
    // The reminders for the new time would have been due before the move, so they are not sent.
    move_to(&handle, id, start - chrono::TimeDelta::hours(1)).await;
    pass(60 * 20).await;
    assert_eq!(kinds(&post.take()), [Moved]);
    assert!(log(&handle).await.iter().all(|(_, status, _)| *status != Waiting));
}

#[tokio::test(start_paused = true)]
async fn a_reminder_is_counted_as_waiting_once_it_is_due() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    assert_eq!(log(&handle).await, [(Confirmed, Sent, None), (Reminder, Waiting, None)]);
    assert_eq!(world.engine.mails_waiting().await, Some(0));
    post.dies(true);
    pass((at(2, 10) - world.engine.now()).num_minutes() as u64 + 2).await;
    assert_eq!(log(&handle).await[1], (Reminder, Waiting, None));
    assert_eq!(
        world.engine.mails_waiting().await,
        Some(1),
        "another attempt must be planned for the reminder"
    );
    post.dies(false);
    pass(10).await;
    assert_eq!(world.engine.mails_waiting().await, Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_reminder_has_the_time_at_which_it_was_due_in_every_attempt() {
    let (world, shop, post) = world().await;
    set(&world.at(&shop), None, vec![24]).await;
    let booked_at = world.engine.now();
    book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    let confirmed = post.take();
    assert_eq!(kinds(&confirmed), [Confirmed]);
    assert!(confirmed[0].written_at - booked_at < TimeDelta::minutes(1));
    post.dies(true);
    pass((at(2, 10) - world.engine.now()).num_minutes() as u64 + 2).await;
    let attempted = post.made().into_iter().find(|letter| notice(letter).kind == Reminder).unwrap();
    post.dies(false);
    pass(10).await;
    let sent = post.take();
    assert_eq!(kinds(&sent), [Reminder]);
    for reminder in [&attempted, &sent[0]] {
        assert_eq!((reminder.written_at, &reminder.message_id), (at(2, 10), &attempted.message_id));
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_drops_the_notices_that_were_overtaken_before() {
    let (mut world, shop, post) = world().await;
    let id = book(&world, &shop, at(3, 10)).await;
    let other = book_by(&world.at(&shop), &shop, at(3, 14), 2, "ben@example.com").await;
    pass(1).await;
    post.take();
    // After this restart, the engine has no relay and therefore no outbox. So nothing drops the waiting notice when the
    // appointment is moved. A crash immediately after the move would leave the same rows.
    world.restart().await;
    move_to(&world.at(&shop), id, at(3, 12)).await;
    pass(1).await;
    let of =
        |appointment_id| NoticeFilter { appointment_id: Some(appointment_id), ..NoticeFilter::default() };
    assert_eq!(log_of(&world.at(&shop), &of(id)).await[0].status, Waiting);
    world.restart().await;
    post.begin(&world.engine);
    pass(1).await;
    let overtaken = &log_of(&world.at(&shop), &of(id)).await[0];
    assert_eq!((overtaken.status, overtaken.reason), (Dropped, Some(Superseded)));
    assert_eq!(log_of(&world.at(&shop), &of(other)).await[0].status, Waiting);
}

#[tokio::test(start_paused = true)]
async fn coming_appointments_get_the_reminders_of_changed_settings() {
    let (mut world, shop, post) = world().await;
    set(&world.at(&shop), Some(NoticeScope::Off), vec![24]).await;
    let id = book(&world, &shop, at(4, 10)).await;
    // The reminder of this appointment would be due before the booking, so the appointment gets no reminder.
    book_by(&world.at(&shop), &shop, at(1, 4), 2, "ben@example.com").await;
    pass(2).await;
    assert_eq!(log(&world.at(&shop)).await, []);
    let waiting = async |world: &World| {
        let filter = NoticeFilter { status: Some(Waiting), ..NoticeFilter::default() };
        log_of(&world.at(&shop), &filter).await.iter().map(|notice| notice.appointment_id).collect::<Vec<_>>()
    };
    set(&world.at(&shop), Some(NoticeScope::Online), vec![48, 24]).await;
    world.crash(usize::MAX).await; // the job goes on after the restart
    post.begin(&world.engine);
    pass(3).await;
    assert_eq!(waiting(&world).await, [id; 2]);
    set(&world.at(&shop), None, vec![48, 1]).await;
    set(&world.at(&shop), None, vec![24, 1]).await;
    pass(3).await;
    let present = waiting(&world).await;
    assert_eq!(
        present.iter().filter(|of| **of == id).count(),
        3,
        "one reminder each must wait for 48, 24 and 1 hours before"
    );
    assert_eq!(present.len(), 4, "the other appointment must have its 1-hour reminder");
    pass((at(4, 10) - world.engine.now()).num_minutes() as u64).await;
    let sent = post.take();
    assert_eq!(kinds(&sent), [Reminder; 3], "both 1-hour reminders and one 24-hour reminder must be sent");
}

#[tokio::test(start_paused = true)]
async fn all_coming_appointments_get_reminders_in_steps() {
    let (world, shop, _post) = world().await;
    set(&world.at(&shop), Some(NoticeScope::Off), vec![24]).await;
    for number in 0..140 {
        let start = at(3 + number / 8, 9) + TimeDelta::hours(number % 8);
        let email = format!("{number}@example.com");
        book_by(&world.at(&shop), &shop, start, number as u32, &email).await;
    }
    set(&world.at(&shop), Some(NoticeScope::Online), vec![24]).await;
    pass(3).await;
    let handle = world.at(&shop);
    let filter = NoticeFilter::default();
    let notices = walk(100, async |page| handle.notices(&filter, &page).await).await;
    let reminded: BTreeSet<_> = notices.iter().map(|notice| notice.appointment_id).collect();
    assert_eq!((notices.len(), reminded.len()), (140, 140));
    assert!(notices.iter().all(|notice| (notice.kind, notice.status) == (Reminder, Waiting)));
}
