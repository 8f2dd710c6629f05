//! The list of appointments in the order of their last change, compared with a model.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::booking::{MoveRequest, Party};
use domain::{AppointmentId, AppointmentStatus, ContactId, Timestamp};
use engine::business::AppointmentFilter;
use engine::business::commands::appointments::{Cancel, Reschedule};

use crate::harness::{Seeded, World, at, by_operator, id_of, json, walk};

/// The model of an appointment.
struct Known {
    updated_at: Timestamp,
    contact: ContactId,
    cancelled: bool,
}

#[tokio::test(start_paused = true)]
async fn the_list_by_change_shows_each_appointment_once_at_its_last_change() {
    let mut world = World::new(7).await;
    let shop = world.shop(1).await;
    let dice = Seeded::new(11);
    let mut known: BTreeMap<AppointmentId, Known> = BTreeMap::new();
    for step in 0..90 {
        let any = known.keys().nth(usize::try_from(dice.next()).unwrap_or(0) % known.len().max(1)).copied();
        let handle = world.at(&shop);
        let moved = at(100 + step, 9);
        let answer = match (dice.next() % 5, any) {
            (0, Some(id)) => handle.change(by_operator(), Cancel { id }).await,
            (1, Some(id)) => {
                let request =
                    MoveRequest { starts_at: moved, staff_id: None, party: Party::TEAM, duration: None };
                handle.change(by_operator(), Reschedule { id, request }).await
            }
            _ => {
                let contact = usize::try_from(dice.next() % 3).unwrap();
                handle.change(by_operator(), shop.booking(at(step, 9), contact)).await
            }
        };
        // Cancelled appointments cannot be moved, so some of these changes fail.
        if let Ok(answer) = answer {
            let shown = json(&answer);
            let known_now = Known {
                updated_at: Timestamp::parse(shown["updated_at"].as_str().unwrap()).unwrap(),
                contact: shown["contact_id"].as_str().unwrap().parse().unwrap(),
                cancelled: shown["status"] == "cancelled",
            };
            known.insert(id_of(&answer), known_now);
        }
        match dice.next() % 4 {
            0 => world.clock.jump(TimeDelta::milliseconds(3)),
            1 => world.clock.jump(TimeDelta::milliseconds(-2)),
            2 if step % 9 == 0 => world.restart().await,
            _ => {}
        }
    }
    let stamps: Vec<Timestamp> = known.values().map(|known| known.updated_at).collect();
    let handle = world.at(&shop);
    for since in [Timestamp::MIN, stamps[3], stamps[40], *stamps.iter().max().unwrap(), Timestamp::MAX] {
        for (cancelled_only, contact) in
            [(false, None), (true, None), (false, Some(known.values().next().unwrap().contact))]
        {
            let mut expected: Vec<_> = known
                .iter()
                .filter(|(_, known)| {
                    known.updated_at >= since
                        && (known.cancelled || !cancelled_only)
                        && contact.is_none_or(|contact| contact == known.contact)
                })
                .map(|(id, known)| (known.updated_at, *id))
                .collect();
            expected.sort_unstable();
            let status = if cancelled_only { vec![AppointmentStatus::Cancelled] } else { Vec::new() };
            let filter = AppointmentFilter {
                updated_since: Some(since),
                contact_id: contact,
                status,
                ..AppointmentFilter::default()
            };
            for limit in [1, 3, 100] {
                let shown = walk(limit, async |page| handle.appointments(&filter, &page).await).await;
                let shown: Vec<_> = shown.iter().map(|item| (item.updated_at, item.id)).collect();
                assert_eq!(shown, expected, "since {since}, {limit} items per page");
            }
        }
    }
    assert!(known.len() > 30, "too few appointments to list");
}
