//! Compares the bookable times with a naive model. The model lists every minute of real time around the requested
//! dates, each with its local time, and applies the documented rules to this list.
//!
//! The model never converts a local time to an instant. Instead, it searches the list for the local time at which a
//! window or break begins or ends. Minutes are exact enough, because in the tested years every UTC offset of the
//! zones in `case` is a whole number of minutes.
//!
//! The variable `MODEL_CASES` sets the number of cases: `MODEL_CASES=30000 cargo test --release -p receptionist-domain
//! --test availability_model`

#![allow(clippy::unwrap_used)]

mod case;
mod model;
mod units;
mod world;

use chrono::TimeDelta;
use domain::availability::{Concerned, Slot};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::FileFailurePersistence;

use crate::case::case;
use crate::model::{Booking, Model};
use crate::units::{MINUTE_MILLIS, appointment_id, minute, staff_id};
use crate::world::{World, hold};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: std::env::var("MODEL_CASES").map_or(512, |cases| cases.parse().unwrap()),
        max_shrink_iters: 2_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/availability_model.regressions",
        ))),
        ..ProptestConfig::default()
    }
}

/// Requests the same time from the code and from the model, and checks that both return the same result.
fn ask(model: &Model<'_>, world: &World, listed: &[Slot], millis: i64) -> Result<(), TestCaseError> {
    let start = minute(model.origin) + TimeDelta::milliseconds(millis);
    let answer = world.assign(model.case, start);
    prop_assert_eq!(answer, model.assign(millis).map(staff_id), "{}", start);
    let date = start.utc().with_timezone(&model.case.zone).date_naive();
    if (model.case.first..=model.case.last).contains(&date) {
        let is_listed = listed.iter().any(|slot| slot.starts_at == start);
        prop_assert_eq!(answer.is_ok(), is_listed, "{}", start);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_time_is_listed_exactly_when_it_can_be_booked(case in case(), picks in vec(any::<Index>(), 3)) {
        let mut model = Model::new(&case);
        let mut world = World::new(&model);
        let mut listed = world.slots(&case);
        prop_assert_eq!(&listed, &model.slots());

        // The test checks every listed time, the times next to it, and random times.
        for slot in &listed {
            let millis = (slot.starts_at - minute(model.origin)).num_milliseconds();
            for off in [0, 1, MINUTE_MILLIS, -MINUTE_MILLIS, 15 * MINUTE_MILLIS, 30 * MINUTE_MILLIS, -30 * MINUTE_MILLIS] {
                ask(&model, &world, &listed, millis + off)?;
            }
        }
        for millis in &case.probes {
            ask(&model, &world, &listed, *millis)?;
        }

        // After a booking, the time is no longer free for the assigned staff member. After the cancellation, it is free
        // again.
        for pick in picks {
            let before = listed;
            if before.is_empty() {
                return Ok(());
            }
            let slot = *pick.get(&before);
            let staff = world.assign(&case, slot.starts_at).unwrap();
            let id = appointment_id(model.bookings.len());
            let number = (0..case.staff.len()).find(|number| staff_id(*number) == staff).unwrap();
            let start = slot.starts_at.millis() / MINUTE_MILLIS;
            let booking = Booking { staff: number, start, end: start + case.duration, buffers: case.buffers };
            world.busy.insert(staff, hold(model.bookings.len(), &booking));
            model.bookings.push(booking);
            listed = world.slots(&case);
            prop_assert_eq!(&listed, &model.slots());
            prop_assert!(listed.iter().all(|slot| before.contains(slot)));
            world.busy.remove(staff, slot.starts_at, id);
            prop_assert_eq!(&world.slots(&case), &before);
            world.busy.insert(staff, hold(model.bookings.len() - 1, &booking));
        }

        // The code and the model must list the same appointments outside bookable time.
        prop_assert_eq!(world.schedule().outside(&Concerned::EVERYONE), model.outside());
    }
}
