//! Repeated reads of a calendar: changes that a response omits, large calendars, and a nearly full disk.

use domain::WriteReason;

use super::writing::{SYNCED, patch, path, writes};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_change_that_the_server_lists_and_does_not_send_is_found_by_the_next_read() {
    for has_no_tokens in [false, true] {
        let world = World::new().await;
        let (server, _, id) = world.caldav(Server { has_no_tokens, ..with_two_events() }).await;
        {
            let mut server = server.lock();
            server.put("a", 12, 13);
            server.put("c", 16, 17);
            server.omits = true;
        }
        minutes(17).await;
        assert_eq!(world.calendar(id).await.status, CalendarStatus::Connected);
        assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 15], "the other change counts");
        server.lock().omits = false;
        minutes(17).await;
        assert_eq!(world.hours(INTEGRATION).await, [9, 10, 11, 13, 15], "tokens: {}", !has_no_tokens);
    }
}

#[tokio::test(start_paused = true)]
async fn a_calendar_is_read_and_changed_until_a_quarter_of_the_reserve_is_free() {
    let world = World::new().await;
    let mut many = Server::default();
    for number in 0..500 {
        many.put(&format!("{number:0300}"), 10, 11);
    }
    let (server, _, id) = world.caldav(with_two_events()).await;
    world.disk.set_free(300 << 20);
    minutes(1).await;
    assert_eq!(world.engine.room().0, store::RoomLevel::Scarce);
    server.lock().events = many.events;
    world.business.change(by_operator(), ReadCalendar { id }).await.unwrap();
    minutes(1).await;
    assert_eq!((world.calendar(id).await.events, world.rows(kind::CALENDAR_EVENT)), (500, 500));
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 12, 13, 14, 15, 16]);
    let change = PatchCalendar { login: Some(login("new")), ..patch(id) };
    world.business.change(by_operator(), change).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_complete_read_does_not_request_unchanged_copies_of_appointments_again() {
    let world = World::new().await;
    let (server, receiver, id) = world.written(with_two_events()).await;
    let mut all = Vec::new();
    for hour in [9, 11, 12] {
        all.push(world.booked(hour, world.staff).await.id);
    }
    settle().await;
    minutes(17).await;
    {
        let mut server = server.lock();
        let text = server.events[&path(all[1])].1.replace("T110000Z", "T103000Z");
        server.store(&path(all[1]), text);
        server.remove(&path(all[2]));
    }
    let before = receiver.requests().len();
    world.business.change(by_operator(), ReadCalendar { id }).await.unwrap();
    minutes(1).await;
    let requests = receiver.requests().split_off(before);
    let multigets: String = requests.into_iter().filter(|it| it.contains("calendar-multiget")).collect();
    let is_requested = all.iter().map(|id| multigets.contains(&path(*id))).collect::<Vec<_>>();
    assert_eq!(is_requested, [false, true, false]);
    assert!(multigets.contains("/a.ics") && multigets.contains("/b.ics"));
    assert_eq!(world.status(all[0]).await, SYNCED);
    for (number, reason) in [(1, WriteReason::EventChanged), (2, WriteReason::EventDeleted)] {
        assert_eq!(world.write(id, all[number]).await.reason, Some(reason));
    }
    assert_eq!((world.calendar(id).await.events, writes(&receiver)), (4, (3, 0)));
}

#[tokio::test(start_paused = true)]
async fn changes_are_read_while_complete_reads_time_out() {
    let world = World::new().await;
    let mut many = with_two_events();
    for number in 0..1_800 {
        many.put(&format!("e{number}"), 10, 11);
    }
    let (server, receiver, id) = world.caldav(many).await;
    minutes(23 * 60 + 30).await;
    receiver.set_slow();
    minutes(60).await;
    assert_eq!(world.calendar(id).await.events, 1_802);
    server.lock().put("a", 12, 13);
    minutes(30).await;
    assert_eq!(world.hours(INTEGRATION).await, [9, 11, 13, 15, 16]);
    assert_eq!(world.calendar(id).await.status, CalendarStatus::Connected);
    let lists = receiver.requests().iter().filter(|request| request.contains("depth: 1")).count();
    assert!(lists > 2, "a complete read was tried again: {lists}");
}
