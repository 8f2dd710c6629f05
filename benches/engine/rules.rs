//! Measures two rules: the computation of bookable times, and the decision about a booking.

use std::hint::black_box;

use chrono::TimeDelta;
use criterion::{BenchmarkId, Criterion};
use domain::booking::{self, BookRequest, Party};
use domain::{Buffers, Source, Timestamp};

use crate::world::{STAFF, World, diary_buffers, first_day, id, now, worlds};

pub(crate) fn availability(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("availability");
    for (name, world) in worlds() {
        for days in [1, 7] {
            let days_asked = (first_day(), first_day() + TimeDelta::days(days - 1));
            group.bench_function(BenchmarkId::new(format!("days {days}"), &name), |bencher| {
                bencher.iter(|| world.slots(black_box(id(2)), days_asked));
            });
        }
    }
    group.finish();
}

/// Measures the computation of the bookable times of a week for two businesses. One business has a whole diary (see
/// [`World::with_diary`]), and the other has only opening hours. Both are measured without appointments, and then with
/// appointments at the same times.
pub(crate) fn diary(criterion: &mut Criterion) {
    let week = (first_day(), first_day() + TimeDelta::days(6));
    let mut group = criterion.benchmark_group("availability of a week");
    for staff in STAFF {
        let free = || World::new(staff, 0);
        let booked = |world: World, buffers| world.with_appointments(buffers);
        for (name, plain, whole) in [
            ("nothing booked", free(), free().with_diary()),
            (
                "with appointments",
                booked(free(), Buffers::default()),
                booked(free().with_diary(), diary_buffers()),
            ),
        ] {
            for (what, world) in [("hours alone", &plain), ("whole diary", &whole)] {
                group.bench_function(
                    BenchmarkId::new(format!("{what}, {name}"), format!("{staff} staff")),
                    |bencher| bencher.iter(|| world.slots(black_box(id(2)), week)),
                );
            }
            print_ratio(
                &format!("{staff} staff, {name}"),
                &[&plain, &whole].map(|world| move || world.slots(id(2), week)),
            );
        }
    }
    group.finish();
}

/// The number of rounds. Each round gives a ratio, and the median of the ratios is printed. `TIMES` is the number of
/// repetitions per round.
const ROUNDS: usize = 201;
const TIMES: u32 = 20;

/// Prints the duration of the second operation divided by the duration of the first. The two are measured
/// alternately, so that other load on the machine affects both alike.
#[allow(clippy::print_stdout, reason = "a benchmark prints its results, as criterion does")]
fn print_ratio<T>(name: &str, both: &[impl Fn() -> T; 2]) {
    let time = |what: &dyn Fn() -> T| {
        let begun = std::time::Instant::now();
        (0..TIMES).for_each(|_| _ = black_box(what()));
        begun.elapsed().as_secs_f64()
    };
    let [first, second] = both;
    let mut ratios: Vec<f64> = (0..ROUNDS).map(|_| 1.0 / (time(first) / time(second))).collect();
    ratios.sort_by(f64::total_cmp);
    println!("{name}: the whole diary takes {:.2} times as long as opening hours alone", ratios[ROUNDS / 2]);
}

pub(crate) fn decision(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("booking decision");
    for (name, world) in worlds() {
        let starts_at = Timestamp::parse("2026-03-25T09:30:00Z").unwrap();
        let request = BookRequest {
            service_id: id(2),
            starts_at,
            staff_id: None,
            source: Source::Api,
            party: Party::Integration { allow_pending: false },
            duration: None,
        };
        group.bench_function(&name, |bencher| {
            bencher
                .iter(|| booking::book(&world.schedule(), black_box(&request), id(3), id(4), now()).unwrap());
        });
    }
    group.finish();
}
