//! The services and the staff of the sample business.

use chrono::{Datelike, NaiveDate, Weekday};

/// The indexes of the staff members in [`STAFF`].
pub(super) const CAMILLE: usize = 0;
pub(super) const DOMINIQUE: usize = 1;
pub(super) const SACHA: usize = 2;

pub(super) struct Offer {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) category: &'static str,
    pub(super) minutes: i64,
    pub(super) buffer_after: i64,
    pub(super) cents: u32,
    pub(super) color: u32,
}

const fn offer(
    (name, description, category): (&'static str, &'static str, &'static str),
    (minutes, buffer_after, cents, color): (i64, i64, u32, u32),
) -> Offer {
    Offer { name, description, category, minutes, buffer_after, cents, color }
}

pub(super) static SERVICES: [Offer; 8] = [
    offer(("Coupe", "Shampooing, coupe, coiffage", "Coupes"), (45, 0, 5_200, 1)),
    offer(("Coupe homme", "Shampooing et coupe", "Coupes"), (30, 0, 2_900, 2)),
    offer(("Coupe enfant", "Jusqu’à 12 ans", "Coupes"), (30, 0, 2_200, 3)),
    offer(("Couleur", "Couleur et soin", "Couleur"), (90, 15, 7_450, 5)),
    offer(("Balayage", "Balayage, patine et soin", "Couleur"), (120, 15, 11_800, 6)),
    offer(("Brushing", "", "Coiffage"), (30, 0, 3_200, 8)),
    offer(("Chignon", "Mariages et soirées", "Coiffage"), (60, 0, 7_500, 9)),
    offer(("Barbe", "Taille et rasage", "Barbe"), (20, 0, 1_950, 11)),
];

pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) color: u32,
    /// The indexes of the offered services in [`SERVICES`].
    pub(super) offers: &'static [usize],
    pub(super) days: [Weekday; 5],
    /// The working hours of each day, in minutes after midnight.
    pub(super) windows: [(i64, i64); 2],
}

pub(super) static STAFF: [Member; 4] = [
    Member {
        name: "Camille",
        color: 1,
        offers: &[0, 3, 4, 5, 6],
        days: [Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat],
        windows: [(540, 780), (840, 1080)],
    },
    Member {
        name: "Dominique",
        color: 4,
        offers: &[0, 1, 2, 5],
        days: [Weekday::Mon, Weekday::Tue, Weekday::Thu, Weekday::Fri, Weekday::Sat],
        windows: [(600, 840), (900, 1140)],
    },
    Member {
        name: "Sacha",
        color: 7,
        offers: &[0, 1, 2, 7],
        days: [Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun],
        windows: [(600, 840), (870, 1140)],
    },
    Member {
        name: "Yasmine",
        color: 10,
        offers: &[0, 2, 3, 5],
        days: [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Fri, Weekday::Sun],
        windows: [(540, 750), (810, 1050)],
    },
];

/// The opening hours of a day, in minutes after midnight.
pub(super) fn hours(day: Weekday) -> (i64, i64) {
    if day == Weekday::Sun { (600, 1020) } else { (540, 1140) }
}

/// The working hours of a staff member on a date, cut to the opening hours.
pub(super) fn windows(member: &Member, date: NaiveDate) -> Vec<(i64, i64)> {
    let day = date.weekday();
    let (open, close) = hours(day);
    let works = member.days.contains(&day);
    let within = member.windows.iter().map(|(from, to)| ((*from).max(open), (*to).min(close)));
    within.filter(|_| works).collect()
}
