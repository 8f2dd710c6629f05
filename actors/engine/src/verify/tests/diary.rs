//! Tests with damaged special days, blocked times, staff hours, breaks and buffers. A complete diary without
//! damage has no findings.

use chrono::NaiveDate;
use domain::{
    BlockedSource, BlockedTime, Buffers, Day, DayHours, DayWindows, LocalTime, LocalWindow, NoticeSettings,
    Slug, SlugOwner, SpecialDay, StaffHours, StaffId, Website, WeeklyBreaks,
};

use super::*;

fn time(minutes: u16) -> LocalTime {
    LocalTime::from_minutes(minutes).unwrap()
}

fn on_monday(open: u16, close: u16) -> DayHours {
    DayHours { day: Day::Monday, open: time(open), close: time(close) }
}

fn special_day(date: &str) -> SpecialDay {
    let window = |open, close| LocalWindow { open: time(open), close: time(close) };
    let then = Timestamp::from_millis(1_772_442_000_000);
    SpecialDay {
        date: date.parse().unwrap(),
        hours: DayWindows::new(vec![window(540, 720), window(1_320, 120)]).unwrap(),
        note: Some("Eve".into()),
        created_at: then,
        updated_at: then,
    }
}

fn blocked_time(number: u128, staff_id: StaffId, starts_at: Timestamp, minutes: i64) -> BlockedTime {
    BlockedTime {
        id: uuid::Uuid::from_u128(number).into(),
        staff_id,
        starts_at,
        ends_at: starts_at + TimeDelta::minutes(minutes),
        source: BlockedSource::TimeOff,
        note: None,
        created_at: starts_at,
    }
}

/// The start of the first appointment, and its staff member.
fn booked(m: &Map) -> (Timestamp, StaffId) {
    let booked: Appointment = m.record(&m.first(kind::APPOINTMENT));
    (booked.starts_at, booked.staff_id)
}

fn eve() -> NaiveDate {
    special_day("2026-12-24").date
}

/// Adds the rows of a complete diary: every kind of record with every field.
fn plant_diary(m: &mut Map) {
    let (of, (at, staff)) = (m.of(), booked(m));
    for day in
        [special_day("2026-12-24"), SpecialDay { hours: DayWindows::CLOSED, ..special_day("2026-12-25") }]
    {
        m.put(&keys::special_day(of, day.date), day.encode());
    }
    // The blocked times overlap each other and an appointment, and two of the blocked times begin at the same time. All
    // of this is valid.
    for (number, later, minutes) in [(1, -30, 60), (2, 0, 10), (3, 0, 100_000), (4, 20, 15)] {
        let blocked = blocked_time(number, staff, at + TimeDelta::minutes(later), minutes);
        m.put(&keys::blocked_time(of, blocked.key()), blocked.encode());
    }
    let (member, profile) = (m.first(kind::STAFF), m.first(kind::PROFILE));
    m.edit::<StaffMember>(&member, |member| {
        member.hours = Some(StaffHours::new(vec![on_monday(480, 720), on_monday(1_200, 60)]).unwrap());
    });
    m.edit::<Business>(&profile, |business| {
        business.breaks = WeeklyBreaks::new(vec![on_monday(600, 630), on_monday(1_400, 20)]).unwrap();
    });
    for key in m.keys(kind::APPOINTMENT) {
        m.edit::<Appointment>(&key, |a| a.buffers = Buffers::new(240, 240).unwrap());
    }
    plant_website(m);
    m.put(&keys::slug("salon"), owner(of).encode());
    m.put(&keys::notices(of), NoticeSettings::of_new().encode());
}

fn plant_website(m: &mut Map) {
    let website = Website { enabled: true, slug: Slug::new("salon"), ..Website::default() };
    m.put(&keys::website(m.of()), website.encode());
}

fn owner(of: BusinessId) -> SlugOwner {
    SlugOwner { business_id: of, reserved_until: None }
}

fn plant_special_day(m: &mut Map, at: &str, day: &SpecialDay) -> Vec<u8> {
    let key = keys::special_day(m.of(), at.parse().unwrap()).to_vec();
    m.put(&key, day.encode());
    key
}

fn plant_blocked_time(m: &mut Map, at: &BlockedTime, time: &BlockedTime) -> Vec<u8> {
    let key = keys::blocked_time(m.of(), at.key()).to_vec();
    m.put(&key, time.encode());
    key
}

/// Removes the last byte of a value.
fn cut(m: &mut Map, key: &[u8]) {
    m.0.get_mut(key).unwrap().pop();
}

pub(super) const DAMAGES: &[Damage] = &[
    (
        "a special day whose date differs from the date in its key",
        |m| _ = plant_special_day(m, "2026-12-26", &special_day("2026-12-24")),
        "its record belongs to the key",
    ),
    (
        "a truncated special day",
        |m| {
            let key = plant_special_day(m, "2026-12-24", &special_day("2026-12-24"));
            cut(m, &key);
        },
        "kind special_day",
    ),
    (
        "a special day whose windows overlap",
        |m| {
            let key = plant_special_day(m, "2026-12-24", &special_day("2026-12-24"));
            let bytes = m.0.get_mut(&key).unwrap();
            // The second window now begins at 11:40, before the first window ends.
            let at = bytes.windows(2).position(|pair| *pair == 1_320_u16.to_le_bytes()).unwrap();
            bytes[at..at + 2].copy_from_slice(&700_u16.to_le_bytes());
        },
        "its windows contradict each other",
    ),
    (
        "a special day whose key is too long",
        |m| {
            let key = keys::special_day(m.of(), eve()).with(&[0]).to_vec();
            m.put(&key, special_day("2026-12-24").encode());
        },
        "its key has the wrong length",
    ),
    (
        "a blocked time whose start differs from the start in its key",
        |m| {
            let (at, staff) = booked(m);
            let [right, wrong] =
                [0, 1].map(|later| blocked_time(1, staff, at + TimeDelta::minutes(later), 9));
            plant_blocked_time(m, &wrong, &right);
        },
        "its record belongs to the key",
    ),
    (
        "a blocked time whose staff member differs from its key",
        |m| {
            let (at, staff) = booked(m);
            plant_blocked_time(m, &blocked_time(1, staff, at, 9), &blocked_time(1, other(), at, 9));
        },
        "its record belongs to the key",
    ),
    (
        "a blocked time of a missing staff member",
        |m| {
            let time = blocked_time(1, other(), booked(m).0, 9);
            plant_blocked_time(m, &time, &time);
        },
        "the staff member that it names is missing",
    ),
    (
        "a truncated blocked time",
        |m| {
            let (at, staff) = booked(m);
            let time = blocked_time(1, staff, at, 9);
            let key = plant_blocked_time(m, &time, &time);
            cut(m, &key);
        },
        "kind blocked_time",
    ),
    (
        "a blocked time that ends at its start",
        |m| {
            let (at, staff) = booked(m);
            let time = blocked_time(1, staff, at, 0);
            plant_blocked_time(m, &time, &time);
        },
        "it ends before it starts",
    ),
    (
        "truncated hours of a staff member",
        |m| {
            plant_diary(m);
            let key = m.first(kind::STAFF);
            cut(m, &key);
        },
        "kind staff",
    ),
    (
        "truncated breaks",
        |m| {
            plant_diary(m);
            let key = m.first(kind::PROFILE);
            cut(m, &key);
        },
        "kind business",
    ),
    (
        "an appointment with buffers above the maximum",
        |m| {
            plant_diary(m);
            let key = m.first(kind::APPOINTMENT);
            let bytes = m.0.get_mut(&key).unwrap();
            let at = bytes.windows(2).rposition(|pair| pair == [240, 240]).unwrap();
            bytes[at] = 241;
        },
        "its buffers are too long",
    ),
    (
        "a booking page whose slug has no owner",
        plant_website,
        "its index row in the list of slugs is missing",
    ),
    (
        "a slug that the page of its business does not have",
        |m| m.put(&keys::slug("salon"), owner(m.of()).encode()),
        "its business has another slug",
    ),
];

#[tokio::test]
async fn a_complete_diary_has_no_findings() {
    let mut whole = good().await;
    let rows = whole.0.len();
    plant_diary(&mut whole);
    assert_eq!(
        whole.0.len(),
        rows + 9,
        "two special days, four blocked times, a page, its slug and notices must be added"
    );
    let mut report = check(&whole).unwrap();
    // These rows were added without an audit entry, so the check correctly finds that the recorded usage
    // differs.
    report.findings.retain(|finding| !finding.contains("differs from the rows found"));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
