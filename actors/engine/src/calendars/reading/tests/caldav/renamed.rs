//! Tests of writes to an event that a person has moved to another path, when no read has found the new path yet.

use super::writing::{FAILED, PENDING, SYNCED, path, start};
use super::*;
use crate::business::commands::appointments::Cancel;

impl Server {
    fn rename(&mut self, from: &str, to: &str) {
        let (_, text) = self.events[from].clone();
        assert!(self.remove(from));
        self.store(to, text);
    }

    fn paths(&self) -> Vec<&str> {
        self.events.keys().map(String::as_str).collect()
    }
}

fn renamed() -> String {
    format!("{COLLECTION}renamed.ics")
}

#[tokio::test(start_paused = true)]
async fn an_event_at_another_path_is_replaced_there_and_deleted_there() {
    let coded = ["403 Forbidden", "409 Conflict", "412 Precondition Failed"].map(|status| (status, true));
    for status in coded.into_iter().chain(["400 Bad Request", "409 Conflict"].map(|status| (status, false))) {
        let world = World::new().await;
        let (server, _, _) = world.written(Server::default()).await;
        server.lock().refuses_twins = Some(status);
        let booked = world.booked(10, world.staff).await.id;
        settle().await;
        server.lock().rename(&path(booked), &renamed());
        assert_eq!(world.moved(booked, 12, world.staff).await.calendar_sync_status, PENDING);
        settle().await;
        assert_eq!(world.status(booked).await, SYNCED, "{status:?}");
        let text = server.lock().events[&renamed()].1.clone();
        assert!(text.contains("DTSTART:20260102T120000Z"), "{text}");
        assert_eq!(server.lock().paths(), [renamed()], "{status:?}");
        minutes(20).await;
        assert_eq!((world.status(booked).await, world.shown(booked).await.starts_at), (SYNCED, start(12)));
        // The person moves the event back.
        server.lock().rename(&renamed(), &path(booked));
        world.moved(booked, 13, world.staff).await;
        settle().await;
        assert_eq!(
            (world.status(booked).await, server.lock().paths()),
            (SYNCED, vec![path(booked).as_str()])
        );
        server.lock().rename(&path(booked), &renamed());
        world.business.change(by_operator(), Cancel { id: booked }).await.unwrap();
        settle().await;
        assert_eq!(world.status(booked).await, SYNCED, "{status:?}");
        assert!(server.lock().events.is_empty(), "{status:?}: {:?}", server.lock().paths());
    }
}

#[tokio::test(start_paused = true)]
async fn a_search_deletes_no_other_event() {
    let world = World::new().await;
    let (server, _, _) = world.written(Server { search: Search::Everything, ..Server::default() }).await;
    server.lock().put("a", 15, 16);
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    server.lock().rename(&path(booked), &renamed());
    world.business.change(by_operator(), Cancel { id: booked }).await.unwrap();
    settle().await;
    assert_eq!(world.status(booked).await, SYNCED);
    assert_eq!(server.lock().paths(), [format!("{COLLECTION}a.ics")]);
}

const NOT_IMPLEMENTED: Search =
    Search::Fails("HTTP/1.1 501 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");

#[tokio::test(start_paused = true)]
async fn a_write_whose_search_fails_stays_pending_and_is_repeated() {
    let searches = [
        // The connection is closed without a response.
        Search::Fails(""),
        Search::Fails("HTTP/1.1 401 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
        Search::Fails("HTTP/1.1 403 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
        Search::Fails("HTTP/1.1 404 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
        Search::Fails("HTTP/1.1 500 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
        NOT_IMPLEMENTED,
        Search::Fails("HTTP/1.1 503 No\r\nconnection: close\r\nretry-after: 60\r\ncontent-length: 0\r\n\r\n"),
        // The body ends early.
        Search::Fails(
            "HTTP/1.1 207 Multi-Status\r\nconnection: close\r\ncontent-length: 90\r\n\r\n<d:multistatus",
        ),
        Search::Fails(
            "HTTP/1.1 207 Multi-Status\r\nconnection: close\r\n\r\n<d:multistatus xmlns:d=\"DAV:\">",
        ),
        Search::Fails("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<html>Sign in</html>"),
        Search::WithoutData,
    ];
    for search in searches {
        let world = World::new().await;
        let (server, _, id) = world.written(Server::default()).await;
        let [moved, cancelled] =
            [world.booked(10, world.staff).await.id, world.booked(14, world.staff).await.id];
        settle().await;
        let other = format!("{COLLECTION}other.ics");
        {
            let mut server = server.lock();
            server.rename(&path(moved), &renamed());
            server.rename(&path(cancelled), &other);
            (server.refuses_twins, server.search) = (Some(("409 Conflict", true)), search);
        }
        world.moved(moved, 12, world.staff).await;
        world.business.change(by_operator(), Cancel { id: cancelled }).await.unwrap();
        sleep(Duration::from_secs(70)).await;
        for booked in [moved, cancelled] {
            assert_eq!(world.status(booked).await, PENDING, "{search:?}");
            assert!((1..=2).contains(&world.write(id, booked).await.attempts), "{search:?}");
        }
        assert_eq!(server.lock().paths(), [other, renamed()], "{search:?}");
        server.lock().search = Search::ByUid;
        minutes(4).await;
        assert_eq!(
            (world.status(moved).await, world.status(cancelled).await),
            (SYNCED, SYNCED),
            "{search:?}"
        );
        assert_eq!(server.lock().paths(), [renamed()], "{search:?}");
        assert!(server.lock().events[&renamed()].1.contains("DTSTART:20260102T120000Z"), "{search:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_search_delays_only_its_write_and_ends_with_the_last_attempt() {
    for search in [NOT_IMPLEMENTED, Search::WithoutData] {
        let world = World::new().await;
        let (server, _, _) = world.written(Server { search, ..Server::default() }).await;
        let booked = world.booked(10, world.staff).await.id;
        settle().await;
        server.lock().rename(&path(booked), &renamed());
        world.business.change(by_operator(), Cancel { id: booked }).await.unwrap();
        let other = world.booked(12, world.staff).await.id;
        settle().await;
        assert_eq!((world.status(booked).await, world.status(other).await), (PENDING, SYNCED), "{search:?}");
        minutes(24 * 60).await;
        assert_eq!(world.status(booked).await, FAILED);
        assert!(server.lock().paths().contains(&renamed().as_str()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_is_acknowledged_only_when_no_path_has_the_event() {
    let world = World::new().await;
    let (server, _, id) = world.written(Server::default()).await;
    // The server creates the event and does not acknowledge it, and then a person moves the event.
    let failing = Some((500, None));
    server.lock().write_status = failing;
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    let text = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:{booked}@receptionist\r\n\
         DTSTART:20260102T100000Z\r\nDTEND:20260102T110000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    server.lock().store(&renamed(), text);
    // The server claims that it does not have the event, although it does.
    server.lock().write_status = Some((404, None));
    world.business.change(by_operator(), Cancel { id: booked }).await.unwrap();
    settle().await;
    assert_eq!((world.status(booked).await, world.write(id, booked).await.attempts), (PENDING, 1));
    server.lock().write_status = None;
    minutes(1).await;
    assert_eq!((world.status(booked).await, server.lock().paths().len()), (SYNCED, 0));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_moved_or_deleted_after_a_refusal_is_written_once() {
    type Change = fn(&mut Server);
    let moves: Change = |server| server.rename(&renamed(), &format!("{COLLECTION}again.ics"));
    let deletes: Change = |server| assert!(server.remove(&renamed()));
    for (change, names_twins, after) in
        [(moves, true, PENDING), (moves, false, SYNCED), (deletes, false, SYNCED)]
    {
        let world = World::new().await;
        let (server, _, _) = world.written(Server::default()).await;
        let booked = world.booked(10, world.staff).await.id;
        settle().await;
        {
            let mut server = server.lock();
            server.rename(&path(booked), &renamed());
            (server.refuses_twins, server.names_twins) = (Some(("409 Conflict", true)), names_twins);
            server.after_refusal = Some(change);
        }
        world.moved(booked, 12, world.staff).await;
        settle().await;
        assert_eq!(world.status(booked).await, after);
        minutes(1).await;
        assert_eq!(world.status(booked).await, SYNCED);
        let server = server.lock();
        let [(_, (_, text))] = &server.events.iter().collect::<Vec<_>>()[..] else {
            panic!("{:?}", server.paths())
        };
        assert!(text.contains("DTSTART:20260102T120000Z"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_that_the_server_stores_at_a_path_of_its_own_is_written_and_deleted_there() {
    let world = World::new().await;
    let refuses_twins = Some(("403 Forbidden", true));
    let (server, _, _) = world.written(Server { relocates: true, refuses_twins, ..Server::default() }).await;
    let booked = world.booked(10, world.staff).await.id;
    settle().await;
    assert_ne!(server.lock().paths(), [path(booked)]);
    world.moved(booked, 12, world.staff).await;
    settle().await;
    assert_eq!((world.status(booked).await, server.lock().events.len()), (SYNCED, 1));
    minutes(20).await;
    assert_eq!(world.status(booked).await, SYNCED);
    world.business.change(by_operator(), Cancel { id: booked }).await.unwrap();
    settle().await;
    assert_eq!((world.status(booked).await, server.lock().events.len()), (SYNCED, 0));
}
