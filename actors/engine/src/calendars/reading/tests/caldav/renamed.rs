//! Tests of writes to an event that a person has moved to another path, when no read has found the new path yet.

use super::writing::{PENDING, SYNCED, path, start};
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
    for status in coded.into_iter().chain([("409 Conflict", false)]) {
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
    for (search, left) in [(Search::Everything, vec!["a"]), (Search::Unknown, vec!["a", "renamed"])] {
        let world = World::new().await;
        let (server, _, _) = world.written(Server { search, ..Server::default() }).await;
        server.lock().put("a", 15, 16);
        let booked = world.booked(10, world.staff).await.id;
        settle().await;
        server.lock().rename(&path(booked), &renamed());
        world.business.change(by_operator(), Cancel { id: booked }).await.unwrap();
        settle().await;
        assert_eq!(world.status(booked).await, SYNCED);
        let left: Vec<_> = left.iter().map(|name| format!("{COLLECTION}{name}.ics")).collect();
        assert_eq!(server.lock().paths(), left, "{search:?}");
    }
}
