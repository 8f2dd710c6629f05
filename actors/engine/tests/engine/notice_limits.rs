//! The limits on notices: waiting notices of a business, sent notices of a business, and notices to an
//! address.

use domain::{Actor, AppointmentStatus, BudgetKind, DropReason, NoticeKind, NoticeScope, NoticeStatus};
use engine::BusinessHandle;
use engine::business::commands::notices::SendNoticeAgain;
use engine::business::commands::website::PatchNotices;
use engine::business::{NoticeFilter, Request};
use engine::moving::{ImportOptions, Moved};

use crate::budget::{rows_max, usage};
use crate::harness::{Shop, World, at, by_operator, pass};
use crate::imports::import;
use crate::moving::leaving;
use crate::notices::{EMAIL, book, book_by, booking_by, kinds, log, log_of, move_to, world};
use crate::post::Post;

use DropReason::Limit;
use NoticeKind::{Confirmed, Reminder};
use NoticeStatus::{Dropped, Sent, Waiting};

/// The number of waiting notices in the usage of a business.
async fn waiting(handle: &BusinessHandle) -> u64 {
    usage(handle).await["waiting_notices"].0
}

async fn remind(handle: &BusinessHandle, hours: Vec<u8>) {
    let patch = PatchNotices { reminder_hours: Some(hours), ..PatchNotices::default() };
    handle.change(by_operator(), patch).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn notices_beyond_the_budget_are_dropped_and_the_change_succeeds() {
    let (mut world, shop, post) = world().await;
    let handle = world.at(&shop);
    post.dies(true);
    handle.change(by_operator(), rows_max(BudgetKind::WaitingNotices, 3)).await.unwrap();
    for number in 1..4 {
        book_by(&handle, &shop, at(5, number.into()), number, &format!("{number}@example.com")).await;
    }
    let (waits, dropped) = (|kind| (kind, Waiting, None), |kind| (kind, Dropped, Some(Limit)));
    let expected = [
        waits(Confirmed),
        waits(Reminder),
        waits(Confirmed),
        dropped(Reminder),
        dropped(Confirmed),
        dropped(Reminder),
    ];
    assert_eq!(log(&handle).await, expected);
    assert_eq!(waiting(&handle).await, 3);
    // A notice that is sent again counts towards the same budget, so it is dropped too.
    let last = log_of(&handle, &NoticeFilter::default()).await[0].id;
    let again = handle.change(by_operator(), SendNoticeAgain { id: last }).await.unwrap().value;
    assert_eq!((again.status, again.reason), (Dropped, Some(Limit)));
    world.restart().await;
    post.begin(&world.engine);
    let handle = world.at(&shop);
    assert_eq!(waiting(&handle).await, 3);
    // After two of the three waiting notices are sent, the notices of another booking are within the limit.
    post.dies(false);
    pass(2).await;
    assert_eq!((kinds(&post.take()), waiting(&handle).await), (vec![Confirmed, Confirmed], 1));
    book_by(&handle, &shop, at(5, 9), 9, "9@example.com").await;
    pass(1).await;
    assert_eq!((kinds(&post.take()), waiting(&handle).await), (vec![Confirmed], 2));
}

#[tokio::test(start_paused = true)]
async fn a_business_sends_2000_notices_in_24_hours() {
    let mut world = World::new(31).await;
    let (shop, other) = (world.shop(40).await, world.shop(1).await);
    let post = Post::of(&world.engine);
    remind(&world.at(&shop), Vec::new()).await;
    let book = async |world: &World, shop: &Shop, number: u32, hour: i64| {
        let mut booking = booking_by(shop, at(2, hour), number, &format!("{number}@example.com"));
        booking.request.staff_id = None;
        world.at(shop).change(Request::by(Actor::Customer), booking).await.unwrap();
    };
    for number in 0..2_001 {
        book(&world, &shop, number, (number / 40).into()).await;
        if number % 100 == 0 {
            pass(1).await; // the notices take longer than ten minutes, the interval that one count covers
        }
    }
    pass(1).await;
    assert_eq!(post.take().len(), 2_000);
    assert_eq!(log(&world.at(&shop)).await.last(), Some(&(Confirmed, Dropped, Some(Limit))));
    world.restart().await;
    post.begin(&world.engine);
    book(&world, &shop, 3_000, 60).await;
    book(&world, &other, 3_001, 60).await;
    pass(1).await;
    let letters = post.take();
    assert_eq!(letters.iter().map(|it| it.to.address.as_str()).collect::<Vec<_>>(), ["3001@example.com"]);
    pass(24 * 60 + 10).await;
    book(&world, &shop, 3_002, 60).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
}

#[tokio::test(start_paused = true)]
async fn an_address_gets_twenty_notices_a_day_across_businesses_restarts_and_crashes() {
    let (mut world, shop, post) = world().await;
    let shops = [shop, world.shop(1).await, world.shop(1).await];
    let mut ids = Vec::new();
    for shop in &shops {
        remind(&world.at(shop), Vec::new()).await;
        // The comparison of addresses ignores case.
        ids.push(book_by(&world.at(shop), shop, at(9, 0), 1, "ADA@example.com").await);
    }
    pass(1).await;
    let mut sent = post.take().len();
    for number in 1..24 {
        let (shop, id) = (&shops[number % 3], ids[number % 3]);
        move_to(&world.at(shop), id, at(10, number.try_into().unwrap())).await;
        pass(1).await;
        sent += post.take().len();
        match number {
            7 => world.restart().await,
            11 => world.crash(usize::MAX).await,
            15 => world.crash(0).await,
            _ => continue,
        }
        post.begin(&world.engine);
    }
    assert_eq!(sent, 20);
    let mut last = log(&world.at(&shops[2])).await;
    assert_eq!(last.pop().map(|it| it.2), Some(Some(Limit)));
    book_by(&world.at(&shops[0]), &shops[0], at(11, 0), 2, "other@example.com").await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
    pass(24 * 60).await;
    book_by(&world.at(&shops[1]), &shops[1], at(11, 0), 1, EMAIL).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
}

/// Returns a shop with past and future appointments, some of them cancelled or pending, and the exported records of the
/// shop.
async fn exported() -> (Shop, Vec<Moved>) {
    let (world, shop, _) = world().await;
    let handle = world.at(&shop);
    remind(&handle, vec![24, 2]).await;
    for (number, start) in [at(0, 9), at(3, 9), at(4, 9), at(5, 9), at(9, 9)].into_iter().enumerate() {
        let number = u32::try_from(number).unwrap();
        book_by(&handle, &shop, start, number, &format!("{number}@example.com")).await;
    }
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let mut moved = leaving(&store);
    store.close().await.unwrap();
    let statuses = [AppointmentStatus::Cancelled, AppointmentStatus::Pending];
    let later = moved.iter_mut().filter_map(|moved| match moved {
        Moved::Appointment(appointment) if appointment.starts_at > at(3, 10) => Some(appointment),
        _ => None,
    });
    later.zip(statuses).for_each(|(appointment, status)| appointment.status = status);
    (shop, moved)
}

#[tokio::test(start_paused = true)]
async fn an_import_makes_the_reminders_of_coming_appointments_and_no_other_notice() {
    let (shop, moved) = exported().await;
    let here = World::new(32).await;
    let post = Post::of(&here.engine);
    pass(2 * 24 * 60 + 120).await; // 10:00 on the third day
    import(&here, &moved, ImportOptions::default()).await;
    let handle = here.at(&shop);
    // The 24-hour reminder of the appointment at 9:00 on the next day was due before the import, so it is not
    // sent.
    assert_eq!(log(&handle).await, [(Reminder, Waiting, None); 3]);
    assert_eq!(waiting(&handle).await, 3);
    pass(22 * 60).await;
    let letters = post.take();
    assert_eq!(kinds(&letters), [Reminder]);
    assert_eq!(letters[0].to.address, "1@example.com");
    pass(7 * 24 * 60).await;
    assert_eq!(kinds(&post.take()), [Reminder, Reminder]);
    assert_eq!(log(&handle).await, [(Reminder, Sent, None); 3]);
}

#[tokio::test(start_paused = true)]
async fn late_notices_of_a_business_are_sent_soon_after_its_suspension_ends() {
    use engine::business::commands::profile::PatchBusiness;
    let (mut world, shop, post) = world().await;
    let all = PatchNotices { email: Some(NoticeScope::All), ..PatchNotices::default() };
    world.at(&shop).change(by_operator(), all).await.unwrap();
    for (number, start) in [at(1, 10), at(1, 16), at(2, 10)].into_iter().enumerate() {
        let number = u32::try_from(number).unwrap();
        book_by(&world.at(&shop), &shop, start, number, &format!("{number}@example.com")).await;
    }
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed; 3]);
    let suspend = async |world: &World, suspended| {
        world.at(&shop).change(by_operator(), PatchBusiness::suspending(suspended)).await.unwrap();
    };
    suspend(&world, true).await;
    pass(26 * 60 - 1).await; // 10:00 on the next day
    world.restart().await;
    post.begin(&world.engine);
    pass(60).await;
    assert_eq!(post.take().len(), 0);
    suspend(&world, false).await;
    pass(11).await;
    let letters = post.take();
    assert_eq!(kinds(&letters), [Reminder, Reminder]);
    assert!(letters.iter().all(|letter| letter.to.address != "0@example.com"));
    let dropped: Vec<_> = log(&world.at(&shop)).await.into_iter().filter(|it| it.1 == Dropped).collect();
    assert_eq!(dropped, [(Reminder, Dropped, Some(DropReason::Ended))]);
}

#[tokio::test(start_paused = true)]
async fn an_appointment_that_is_moved_without_end_keeps_its_newest_notices() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let id = book(&world, &shop, at(5, 8)).await;
    pass(1).await;
    for day in 0..40 {
        move_to(&handle, id, at(6 + day % 2, 9)).await;
        pass(20).await;
    }
    let sent = post.take().len();
    assert!(sent > 15, "{sent} were sent before the limit on mails to an address");
    let notices = log_of(&handle, &NoticeFilter::default()).await;
    let finished = notices.iter().filter(|notice| notice.status != Waiting).count();
    assert!((33..=36).contains(&finished), "{finished}");
    assert_eq!(
        notices.iter().filter(|notice| notice.kind == Reminder && notice.status == Waiting).count(),
        1
    );
}
