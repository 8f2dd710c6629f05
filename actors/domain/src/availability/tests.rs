use chrono_tz::Europe::Paris;
use uuid::Uuid;

use super::*;
use crate::{
    BlockedKey, BusinessId, Day, DayHours, DayWindows, Hold, LocalTime, Locale, SpecialDay, StaffHours,
    WeeklyBreaks, WeeklyHours,
};

const CUT: u128 = 1;
const SHAVE: u128 = 2;

/// A business in Paris, open on Mondays from 09:00 to 12:00.
struct World {
    business: Business,
    services: BTreeMap<ServiceId, Box<Service>>,
    staff: BTreeMap<StaffId, Box<StaffMember>>,
    special: SpecialDays,
    busy: Busy,
    blocked: Blocked,
    now: Timestamp,
    terms: Terms,
}

fn service(number: u128) -> ServiceId {
    Uuid::from_u128(number).into()
}

fn member(number: u128) -> StaffId {
    Uuid::from_u128(number).into()
}

/// A time on Monday, 2 March 2026.
fn monday(time: &str) -> Timestamp {
    Timestamp::parse(&format!("2026-03-02T{time}:00+01:00")).unwrap()
}

impl World {
    fn new() -> Self {
        let time = |text| LocalTime::parse(text).unwrap();
        let hours = DayHours { day: Day::Monday, open: time("09:00"), close: time("12:00") };
        let then = monday("00:00");
        let services = [(CUT, 60), (SHAVE, 30)].map(|(number, duration_minutes)| Service {
            id: service(number),
            name: format!("Service {number}"),
            description: String::new(),
            duration_minutes,
            active: true,
            buffers: Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            category: None,
            position: 0,
            color: None,
            created_at: then,
            updated_at: then,
        });
        let staff =
            [(1, vec![CUT, SHAVE]), (2, vec![CUT]), (3, vec![CUT])].map(|(number, offers)| StaffMember {
                id: member(number),
                name: format!("Member {number}"),
                active: number != 3,
                zone: Paris,
                service_ids: offers.into_iter().map(service).collect(),
                hours: None,
                position: 0,
                color: None,
                created_at: then,
                updated_at: then,
            });
        let business = Business {
            id: BusinessId::from(Uuid::from_u128(9)),
            name: "Barber".into(),
            zone: Paris,
            locale: Locale::Fr,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::new(vec![hours]).unwrap(),
            breaks: WeeklyBreaks::default(),
            phone_region: "FR".into(),
            suspended: false,
            customer_word: crate::CustomerWord::Client,
            grid_minutes: crate::GRID_MINUTES_DEFAULT,
            created_at: then,
            updated_at: then,
        };
        Self {
            business,
            services: services.into_iter().map(|service| (service.id, Box::new(service))).collect(),
            staff: staff.into_iter().map(|member| (member.id, Box::new(member))).collect(),
            special: SpecialDays::new(),
            busy: Busy::default(),
            blocked: Blocked::default(),
            now: then,
            terms: Terms::Integration,
        }
    }

    fn schedule(&self) -> Schedule<'_> {
        let Self { business, services, staff, special, busy, blocked, now, .. } = self;
        Schedule { business, special, services, staff, busy, blocked, now: *now }
    }

    /// Returns the start times that are listed for Monday, 2 March 2026.
    fn listed(&self, number: u128, staff: Option<u128>) -> Vec<String> {
        let day = "2026-03-02".parse().unwrap();
        let slots =
            self.schedule().slots(service(number), staff.map(member), (day, day), self.terms).unwrap();
        let shown = |slot: Slot| slot.starts_at.utc().with_timezone(&Paris).format("%H:%M").to_string();
        slots.into_iter().map(shown).collect()
    }

    fn assign(&self, number: u128, staff: Option<u128>, time: &str) -> Result<StaffId, SlotReason> {
        let service = service(number);
        let duration =
            self.services.get(&service).map_or(TimeDelta::minutes(30), |service| service.duration());
        let staff = staff.map(member);
        let buffers = self.services.get(&service).map(|service| service.buffers).unwrap_or_default();
        let (start, terms) = (monday(time), self.terms);
        self.schedule().assign(&SlotRequest { service, staff, start, duration, buffers, except: None, terms })
    }

    fn book(&mut self, staff: u128, start: &str, end: &str) -> AppointmentId {
        self.hold(staff, (start, end), Buffers::default())
    }

    fn hold(&mut self, staff: u128, (start, end): (&str, &str), buffers: Buffers) -> AppointmentId {
        let id = Uuid::from_u128(1_000 + self.busy.len() as u128).into();
        let (start, end) = (monday(start), monday(end));
        self.busy.insert(member(staff), Hold { id, start, end, service: service(CUT), buffers });
        id
    }

    fn block(&mut self, staff: u128, start: &str, end: &str) {
        let id = Uuid::from_u128(2_000 + self.blocked.len() as u128).into();
        let key = BlockedKey { staff_id: member(staff), starts_at: monday(start), id };
        self.blocked.insert(key, monday(end));
    }

    fn staff(&mut self, number: u128) -> &mut StaffMember {
        self.staff.get_mut(&member(number)).unwrap()
    }

    fn service(&mut self, number: u128) -> &mut Service {
        self.services.get_mut(&service(number)).unwrap()
    }
}

/// Requests the times of a service and a staff member. Returns the request fields that the refusal names.
fn refused(world: &World, number: u128, staff: Option<u128>) -> Vec<String> {
    let day = "2026-03-02".parse().unwrap();
    let schedule = world.schedule();
    match schedule.slots(service(number), staff.map(member), (day, day), world.terms) {
        Err(Refusal::Invalid(problems)) => problems.into_iter().map(|problem| problem.path).collect(),
        other => panic!("the request was not refused: {other:?}"),
    }
}

#[test]
fn a_time_is_listed_while_a_requested_staff_member_is_free() {
    let mut world = World::new();
    assert_eq!(world.listed(CUT, None), ["09:00", "09:30", "10:00", "10:30", "11:00"]);
    world.book(1, "09:00", "10:00");
    assert_eq!(world.listed(CUT, None), ["09:00", "09:30", "10:00", "10:30", "11:00"]);
    assert_eq!(world.listed(CUT, Some(1)), ["10:00", "10:30", "11:00"]);
    world.book(2, "09:30", "10:30");
    assert_eq!(world.listed(CUT, None), ["10:00", "10:30", "11:00"]);
    assert_eq!(world.listed(CUT, Some(2)), ["10:30", "11:00"]);
}

#[test]
fn only_a_time_later_than_now_is_listed() {
    let mut world = World::new();
    world.now = monday("10:30");
    assert_eq!(world.listed(CUT, None), ["11:00"]);
    assert_eq!(world.assign(CUT, None, "10:30"), Err(SlotReason::Past));
    world.now = monday("10:30") - TimeDelta::milliseconds(1);
    assert_eq!(world.listed(CUT, None), ["10:30", "11:00"]);
    assert_eq!(world.assign(CUT, None, "10:30"), Ok(member(1)));
}

#[test]
fn the_free_staff_member_with_the_fewest_booked_minutes_of_the_day_is_assigned() {
    let mut world = World::new();
    assert_eq!(world.assign(CUT, None, "11:00"), Ok(member(1)));
    world.book(1, "09:00", "09:30");
    assert_eq!(world.assign(CUT, None, "11:00"), Ok(member(2)));
    world.book(2, "09:00", "09:30");
    assert_eq!(world.assign(CUT, None, "11:00"), Ok(member(1)));
    world.book(2, "11:30", "11:45");
    world.book(1, "09:30", "10:30");
    assert_eq!(world.assign(CUT, None, "11:00"), Ok(member(1)));
    assert_eq!(world.assign(CUT, None, "10:30"), Ok(member(2)));
    assert_eq!(world.assign(CUT, Some(2), "11:00"), Err(SlotReason::Taken));
}

#[test]
fn a_moved_appointment_does_not_conflict_with_itself() {
    let mut world = World::new();
    world.book(1, "09:00", "10:00");
    let mut request = SlotRequest {
        service: service(CUT),
        staff: Some(member(1)),
        start: monday("09:30"),
        duration: TimeDelta::minutes(60),
        buffers: Buffers::default(),
        except: None,
        terms: Terms::Integration,
    };
    assert_eq!(world.schedule().assign(&request), Err(SlotReason::Taken));
    request.except = Some(Uuid::from_u128(1_000).into());
    assert_eq!(world.schedule().assign(&request), Ok(member(1)));
}

#[test]
fn a_refusal_has_the_first_reason_that_applies() {
    let mut world = World::new();
    world.book(1, "09:00", "12:00");
    assert_eq!(world.assign(SHAVE, None, "12:00"), Err(SlotReason::OutsideHours));
    assert_eq!(world.assign(SHAVE, None, "09:10"), Err(SlotReason::OffGrid));
    assert_eq!(world.assign(SHAVE, None, "09:00"), Err(SlotReason::Taken));
    assert_eq!(world.assign(SHAVE, Some(2), "09:00"), Err(SlotReason::StaffUnavailable));
    assert_eq!(world.assign(CUT, Some(3), "09:00"), Err(SlotReason::StaffUnavailable));
    assert_eq!(world.assign(CUT, Some(7), "09:00"), Err(SlotReason::StaffUnavailable));
    assert_eq!(world.assign(7, None, "09:00"), Err(SlotReason::ServiceInactive));
    world.service(SHAVE).active = false;
    assert_eq!(world.assign(SHAVE, Some(2), "09:00"), Err(SlotReason::ServiceInactive));
    assert_eq!(world.assign(SHAVE, Some(2), "09:10"), Err(SlotReason::OffGrid));
    world.now = monday("09:00");
    assert_eq!(world.assign(SHAVE, Some(2), "09:00"), Err(SlotReason::Past));
}

#[test]
fn the_team_can_start_an_appointment_at_any_whole_minute_of_open_time() {
    let mut world = World::new();
    world.book(1, "10:00", "10:30");
    world.terms = Terms::Team { ignore_buffers: false, ignore_calendars: false, any_minute: true };
    let listed = world.listed(SHAVE, None);
    assert_eq!(world.assign(SHAVE, None, "09:10"), Ok(member(1)));
    assert!(!listed.contains(&"09:10".to_owned()), "{listed:?}");
    assert_eq!(world.assign(SHAVE, None, "09:40"), Err(SlotReason::Taken));
    assert_eq!(world.assign(SHAVE, None, "11:50"), Err(SlotReason::OutsideHours));
    let request = SlotRequest {
        service: service(SHAVE),
        staff: None,
        start: monday("09:10") + TimeDelta::seconds(1),
        duration: TimeDelta::minutes(30),
        buffers: Buffers::default(),
        except: None,
        terms: world.terms,
    };
    assert_eq!(world.schedule().assign(&request), Err(SlotReason::OffGrid));
    let start = monday("09:10");
    let offered = world.schedule().services_at(start, None, world.terms);
    assert!(offered.contains(&service(SHAVE)), "{offered:?}");
}

#[test]
fn a_service_without_staff_has_no_times() {
    let mut world = World::new();
    world.staff.remove(&member(1));
    assert_eq!(world.listed(SHAVE, None), [""; 0]);
    assert_eq!(world.assign(SHAVE, None, "09:00"), Err(SlotReason::NobodyOffersIt));
}

#[test]
fn every_unusable_input_is_refused_with_its_path() {
    let mut world = World::new();
    assert_eq!(refused(&world, 7, None), ["service_id"]);
    assert_eq!(refused(&world, 7, Some(1)), ["service_id"]);
    assert_eq!(refused(&world, 7, Some(7)), ["service_id", "staff_id"]);
    assert_eq!(refused(&world, CUT, Some(7)), ["staff_id"]);
    assert_eq!(refused(&world, CUT, Some(3)), ["staff_id"]);
    assert_eq!(refused(&world, SHAVE, Some(2)), ["staff_id"]);
    world.service(SHAVE).active = false;
    assert_eq!(refused(&world, SHAVE, None), ["service_id"]);
    assert_eq!(refused(&world, SHAVE, Some(2)), ["service_id", "staff_id"]);
    world.business.booking_mode = BookingMode::Off;
    assert_eq!(refused(&world, CUT, Some(3)), ["staff_id"]);
}

#[test]
fn a_business_without_online_bookings_lists_no_times_and_its_team_can_still_book() {
    let mut world = World::new();
    world.business.booking_mode = BookingMode::Off;
    assert_eq!(world.listed(CUT, None), [""; 0]);
    assert_eq!(world.assign(CUT, None, "09:00"), Ok(member(1)));
    world.terms = Terms::Team { ignore_buffers: false, ignore_calendars: false, any_minute: false };
    assert_eq!(world.listed(CUT, None).len(), 5, "the team must see every time that it can book");
    world.terms = Terms::Integration;
    world.business.booking_mode = BookingMode::Request;
    assert_eq!(world.listed(CUT, None).len(), 5);
}

/// Returns working hours on Mondays only.
fn mondays(windows: &[(&str, &str)]) -> StaffHours {
    let time = |text: &str| LocalTime::parse(text).unwrap();
    let window =
        |&(open, close): &(&str, &str)| DayHours { day: Day::Monday, open: time(open), close: time(close) };
    StaffHours::new(windows.iter().map(window).collect()).unwrap()
}

#[test]
fn a_staff_member_can_be_booked_within_their_hours_and_outside_their_time_off() {
    let mut world = World::new();
    world.staff(1).hours = Some(mondays(&[("08:00", "09:30"), ("09:30", "10:30"), ("11:00", "20:00")]));
    assert_eq!(world.listed(SHAVE, None), ["09:00", "09:30", "10:00", "11:00", "11:30"]);
    assert_eq!(world.assign(SHAVE, None, "10:30"), Err(SlotReason::StaffOff));
    assert_eq!(world.listed(CUT, Some(1)), ["09:00", "09:30", "11:00"], "adjacent windows must count as one");
    world.block(1, "09:45", "10:00");
    assert_eq!(world.listed(SHAVE, Some(1)), ["09:00", "10:00", "11:00", "11:30"]);
    world.staff(1).hours = Some(mondays(&[]));
    assert_eq!(
        world.listed(SHAVE, Some(1)),
        [""; 0],
        "a staff member with empty hours must have no bookable time"
    );
}

#[test]
fn staff_members_with_the_same_hours_are_checked_separately() {
    let mut world = World::new();
    for number in [1, 2] {
        world.staff(number).hours = Some(mondays(&[("09:00", "11:00")]));
    }
    world.book(1, "09:00", "10:00");
    assert_eq!(world.listed(CUT, None), ["09:00", "09:30", "10:00"]);
    world.book(2, "10:00", "11:00");
    assert_eq!(world.listed(CUT, None), ["09:00", "10:00"]);
    // Staff member 1 now works only in the afternoon, so only the free times of staff member 2 remain.
    world.staff(1).hours = Some(mondays(&[("14:00", "15:00")]));
    assert_eq!(world.listed(CUT, None), ["09:00"]);
}

#[test]
fn the_reason_is_that_of_the_closest_staff_member() {
    let mut world = World::new();
    world.block(1, "09:00", "12:00");
    world.block(2, "09:00", "10:00");
    assert_eq!(world.assign(CUT, None, "09:00"), Err(SlotReason::StaffOff));
    world.book(2, "10:00", "10:30");
    assert_eq!(world.assign(CUT, None, "10:00"), Err(SlotReason::Taken));
    assert_eq!(world.assign(CUT, Some(1), "10:00"), Err(SlotReason::StaffOff));
    world.service(CUT).buffers = Buffers::new(15, 0).unwrap();
    assert_eq!(world.assign(CUT, None, "10:30"), Err(SlotReason::Buffer));
    assert_eq!(world.assign(CUT, None, "11:00"), Ok(member(2)));
}

#[test]
fn buffers_reach_past_closing_and_into_breaks_and_not_into_time_off() {
    let mut world = World::new();
    world.service(CUT).buffers = Buffers::new(30, 30).unwrap();
    world.business.breaks = WeeklyBreaks::new(mondays(&[("10:00", "10:30")]).days().to_vec()).unwrap();
    assert_eq!(world.listed(CUT, Some(1)), ["09:00", "10:30", "11:00"]);
    world.staff(1).hours = Some(mondays(&[("09:00", "12:00")]));
    assert_eq!(
        world.listed(CUT, Some(1)),
        ["09:00", "10:30", "11:00"],
        "buffers may extend past the staff member's own hours"
    );
    world.block(1, "12:00", "13:00");
    world.block(1, "08:00", "08:30");
    assert_eq!(world.listed(CUT, Some(1)), ["09:00", "10:30"]);
    assert_eq!(world.assign(CUT, Some(1), "11:00"), Err(SlotReason::Buffer));
    world.terms = Terms::Team { ignore_buffers: true, ignore_calendars: false, any_minute: false };
    assert_eq!(world.listed(CUT, Some(1)), ["09:00", "10:30", "11:00"]);
    world.block(1, "11:59", "12:00");
    assert_eq!(world.assign(CUT, Some(1), "11:00"), Err(SlotReason::StaffOff));
}

#[test]
fn notice_and_advance_hold_to_the_minute_and_the_day() {
    let mut world = World::new();
    world.now = monday("08:00");
    world.service(CUT).min_notice_minutes = 120;
    assert_eq!(world.listed(CUT, None), ["10:00", "10:30", "11:00"]);
    world.now = monday("08:00") + TimeDelta::milliseconds(1);
    assert_eq!(world.listed(CUT, None), ["10:30", "11:00"]);
    assert_eq!(world.assign(CUT, None, "10:00"), Err(SlotReason::TooShortNotice));
    assert_eq!(world.assign(CUT, None, "09:15"), Err(SlotReason::OffGrid));
    world.service(CUT).min_notice_minutes = 0;
    world.service(CUT).max_advance_days = Some(1);
    world.now = monday("00:00") - TimeDelta::days(1);
    assert_eq!(world.listed(CUT, None).len(), 5);
    world.now = monday("00:00") - TimeDelta::days(1) - TimeDelta::milliseconds(1);
    assert_eq!(world.listed(CUT, None), [""; 0]);
    assert_eq!(world.assign(CUT, None, "09:00"), Err(SlotReason::TooFarAhead));
    world.terms = Terms::Team { ignore_buffers: false, ignore_calendars: false, any_minute: false };
    assert_eq!(world.listed(CUT, None).len(), 5);
    assert_eq!(world.assign(CUT, None, "09:00"), Ok(member(1)));
}

#[test]
fn closed_special_days_and_breaks_have_their_own_reasons() {
    let mut world = World::new();
    world.business.breaks = WeeklyBreaks::new(mondays(&[("10:15", "10:20")]).days().to_vec()).unwrap();
    assert_eq!(world.listed(SHAVE, None), ["09:00", "09:30", "10:30", "11:00", "11:30"]);
    assert_eq!(world.assign(SHAVE, None, "10:00"), Err(SlotReason::Break));
    let then = world.now;
    let date: NaiveDate = "2026-03-02".parse().unwrap();
    let closed =
        SpecialDay { date, hours: DayWindows::CLOSED, note: None, created_at: then, updated_at: then };
    world.special.insert(date, closed);
    assert_eq!(world.listed(SHAVE, None), [""; 0]);
    assert_eq!(world.assign(SHAVE, None, "10:00"), Err(SlotReason::ClosedThatDay));
}

#[test]
fn all_affected_future_appointments_outside_bookable_time_are_listed() {
    let mut world = World::new();
    let (early, late) = (world.book(1, "09:00", "10:00"), world.book(1, "11:00", "12:00"));
    let (of_two, over) = (world.book(2, "10:00", "11:00"), world.book(2, "11:30", "12:30"));
    let outside = |world: &World, concerned: &Concerned| world.schedule().outside(concerned);
    let everyone = Concerned::EVERYONE;
    assert_eq!(
        outside(&world, &everyone),
        [over],
        "an appointment that ends after closing time must be listed"
    );
    world.block(1, "09:30", "11:00");
    assert_eq!(outside(&world, &everyone), [early, over], "{late} must not be listed");
    assert_eq!(outside(&world, &Concerned::staff(member(2))), [over]);
    world.business.breaks = WeeklyBreaks::new(mondays(&[("10:30", "11:30")]).days().to_vec()).unwrap();
    assert_eq!(outside(&world, &everyone), [early, of_two, late, over]);
    let during = |from, to| Concerned::EVERYONE.during(monday(from)..monday(to));
    assert_eq!(outside(&world, &during("10:00", "11:30")), [of_two, late]);
    assert_eq!(outside(&world, &during("10:59", "11:31")), [of_two, late, over]);
    let of_one = Concerned::staff(member(1)).during(monday("09:59")..monday("11:00"));
    assert_eq!(outside(&world, &of_one), [early]);
    world.now = monday("09:00");
    assert_eq!(
        outside(&world, &everyone),
        [of_two, late, over],
        "an appointment in progress must not be listed"
    );
    world.business.breaks = WeeklyBreaks::default();
    world.business.zone = chrono_tz::Europe::Athens;
    assert_eq!(
        outside(&world, &everyone),
        [late, over],
        "Athens is one hour ahead, so other appointments are outside the hours"
    );
    world.business.zone = Paris;
    world.service(CUT).active = false;
    assert_eq!(outside(&world, &Concerned::service(service(CUT))), [of_two, late, over]);
    assert_eq!(outside(&world, &Concerned::service(service(SHAVE))), []);
    world.service(CUT).active = true;
    world.staff(1).service_ids.clear();
    assert_eq!(outside(&world, &everyone), [late, over]);
}

#[test]
fn the_diary_extends_to_the_end_of_the_last_window() {
    let mut world = World::new();
    let time = |text| LocalTime::parse(text).unwrap();
    let window = |open, close| DayHours { day: Day::Monday, open: time(open), close: time(close) };
    world.business.hours = WeeklyHours::new(vec![window("18:00", "02:00")]).unwrap();
    world.business.breaks = WeeklyBreaks::new(vec![window("20:00", "21:00")]).unwrap();
    let own = StaffHours::new(vec![window("19:00", "23:00")]).unwrap();
    world.staff.get_mut(&member(1)).unwrap().hours = Some(own);
    let away = |hours: i64| {
        let starts_at = monday("00:00") + TimeDelta::hours(hours);
        let id = Uuid::from_u128(100 + hours.unsigned_abs() as u128).into();
        (BlockedKey { staff_id: member(2), starts_at, id }, starts_at + TimeDelta::hours(2))
    };
    world.blocked = Blocked::from_times([away(-2), away(-1), away(25), away(26)]);
    let date: NaiveDate = "2026-03-02".parse().unwrap();
    let diary = world.schedule().diary(date..=date);
    let at = |hours: i64| monday("00:00") + TimeDelta::hours(hours);
    assert_eq!(diary.during, at(0)..at(26));
    assert_eq!((diary.open, diary.breaks), (vec![at(18)..at(26)], vec![at(20)..at(21)]));
    assert_eq!(diary.staff.len(), 3, "staff members who take no appointments must be included");
    assert_eq!(diary.staff[0].hours, Some(vec![at(19)..at(23)]));
    assert_eq!((&diary.staff[1].hours, diary.staff[1].away.as_slice()), (&None, &[away(-1), away(25)][..]));
    assert_eq!(diary.services.len(), 2);
}
