use domain::{AppointmentStatus, CalendarSyncStatus, Source};
use store::{Batch, MemoryBackend, Store};

use super::*;
use crate::business::Write;
use crate::business::queries::pages::read_page;
use crate::scans::Scans;

fn business() -> BusinessId {
    Uuid::from_u128(1).into()
}

/// Returns an appointment whose id contains a time in 1971, although its creation stamp is in 1970. A wrong clock can
/// cause this difference.
fn appointment(number: i64, created: i64, updated: i64) -> Appointment {
    let millis = 365 * 86_400_000 + number;
    let starts_at = Timestamp::from_millis(1_000_000 - number);
    Appointment {
        id: Uuid::from_u128(u128::try_from(millis).unwrap() << 80 | 7).into(),
        status: AppointmentStatus::Confirmed,
        starts_at,
        ends_at: starts_at + chrono::TimeDelta::minutes(30),
        buffers: domain::Buffers::default(),
        service_id: Uuid::from_u128(2).into(),
        staff_id: Uuid::from_u128(3).into(),
        contact_id: Some(Uuid::from_u128(4).into()),
        source: Source::Api,
        calendar_sync_status: CalendarSyncStatus::NotConnected,
        announced: true,
        move_unannounced: false,
        notes: None,
        customer_note: None,
        booked_as: None,
        attendance: None,
        created_at: Timestamp::from_millis(created),
        updated_at: Timestamp::from_millis(updated),
    }
}

async fn walk(store: &Store, since: i64, budget: usize, limit: usize) -> (Vec<Appointment>, usize) {
    let scans = Scans::new(budget);
    let (of, since, until) = (business(), Timestamp::from_millis(since), Timestamp::from_millis(9_000));
    let (mut found, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let changes = Changes { of, since, until };
        let page = PageRequest { limit, after };
        let page = read_page((&scans, store), of, &page, move |reader, page| {
            changes.page(reader, page, |_| true, |appointment| Ok(appointment.clone()))
        });
        let page = page.await.unwrap();
        found.extend(page.items);
        pages += 1;
        assert!(pages < 200, "the list does not end");
        match page.next {
            None => return (found, pages),
            next => after = next,
        }
    }
}

#[tokio::test]
async fn rows_whose_ids_are_much_later_than_their_stamps_are_listed() {
    let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
    // There are sixty appointments. The first forty were created at 100 to 109 ms, the others at 510 to 514 ms. Every
    // third appointment was changed at 2,000 ms or later.
    let made: Vec<_> = (0..60)
        .map(|number| {
            let created = if number < 40 { 100 + number / 4 } else { 500 + number / 4 };
            appointment(number, created, if number % 3 == 0 { 2_000 + number } else { created })
        })
        .collect();
    let mut batch = Batch::new();
    for after in made.clone() {
        Write::Appointment { before: None, after }.encode(business(), &mut batch);
    }
    store.submit(business(), batch, Box::new(|| ()));
    store.wait_durable(business()).await.unwrap();
    for since in [0, 104, 500, 2_010, 5_000] {
        let mut expected: Vec<_> =
            made.iter().filter(|made| made.updated_at.millis() >= since).cloned().collect();
        expected.sort_by_key(|made| (made.updated_at, made.id));
        for (budget, limit) in [(1, 1), (1, 100), (3, 7), (16, 100), (1_000, 5), (1_000, 100)] {
            let (found, pages) = walk(&store, since, budget, limit).await;
            assert_eq!(found, expected, "since {since}, {budget} rows, {limit} items per page");
            assert!(budget < 1_000 || pages <= expected.len() / limit + 1, "{pages} pages");
        }
    }
}

#[tokio::test]
async fn a_cursor_from_before_row_budgets_continues_at_its_position() {
    let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
    let made: Vec<_> = (0..6).map(|number| appointment(number, 500 + number, 500 + number)).collect();
    let mut batch = Batch::new();
    for after in made.clone() {
        Write::Appointment { before: None, after }.encode(business(), &mut batch);
    }
    store.submit(business(), batch, Box::new(|| ()));
    store.wait_durable(business()).await.unwrap();
    let key = keys::appointment_by_update(business(), made[2].updated_at, made[2].id);
    let after = Some(position_of(&key).to_vec());
    let changes = Changes { of: business(), since: Timestamp::MIN, until: Timestamp::from_millis(9_000) };
    let (page, scans) = (PageRequest { limit: 9, after }, Scans::new(99));
    let page = read_page((&scans, &store), business(), &page, move |reader, page| {
        changes.page(reader, page, |_| true, |appointment| Ok(appointment.clone()))
    });
    assert_eq!(page.await.unwrap().items, made[3..]);
}
