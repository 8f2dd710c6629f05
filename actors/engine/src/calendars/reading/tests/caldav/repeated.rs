//! Repeated reads of a calendar: changes that a response omits, large calendars, and a nearly full disk.

use super::writing::patch;
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
