//! Blocked times of staff members: time off, and the busy times of connected calendars. A blocked time may overlap
//! other blocked times, and appointments that were booked before it was added.
//!
//! Invariant: the merged spans of a staff member cover exactly their blocked times.

use std::collections::{BTreeMap, HashMap};

use super::spans::Spans;
use super::words::words;
use super::{BlockedTimeId, CalendarId, StaffId, Timestamp};

pub const BLOCKED_PER_STAFF_MAX: usize = 1_000;

pub const BLOCKED_MAX: usize = 10_000;

words! {
    BlockedSource {
        TimeOff = "time_off",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedTime {
    pub id: BlockedTimeId,
    pub staff_id: StaffId,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub source: BlockedSource,
    /// A note of at most 200 characters.
    pub note: Option<String>,
    pub created_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedKey {
    pub staff_id: StaffId,
    pub starts_at: Timestamp,
    pub id: BlockedTimeId,
}

impl BlockedTime {
    pub fn key(&self) -> BlockedKey {
        BlockedKey { staff_id: self.staff_id, starts_at: self.starts_at, id: self.id }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Blocked {
    by_staff: HashMap<StaffId, OfStaff>,
    len: usize,
}

#[derive(Clone, Debug, Default)]
struct OfStaff {
    all: BTreeMap<(Timestamp, BlockedTimeId), Timestamp>,
    calendars: BTreeMap<CalendarId, Spans>,
    times_off: Spans,
    /// The merged spans of the time off and of the busy times of calendars. The field is `None` if the staff member has
    /// no busy times of calendars.
    with_calendars: Option<Spans>,
}

impl OfStaff {
    fn merge(&mut self) {
        self.times_off = Spans::merge(self.all.iter().map(|((start, _), end)| *start..*end).collect());
        self.with_calendars = (!self.calendars.is_empty()).then(|| {
            let busy = self.calendars.values().flat_map(Spans::iter);
            Spans::merge(self.times_off.iter().chain(busy).cloned().collect())
        });
    }

    fn is_empty(&self) -> bool {
        self.all.is_empty() && self.calendars.is_empty()
    }
}

impl Blocked {
    pub fn from_times(times: impl IntoIterator<Item = (BlockedKey, Timestamp)>) -> Self {
        let mut blocked = Self::default();
        for (key, ends_at) in times {
            blocked.add(key, ends_at);
        }
        blocked.merge();
        blocked
    }

    /// Adds a blocked time. Panics if the blocked time is empty or was already added.
    pub fn insert(&mut self, key: BlockedKey, ends_at: Timestamp) {
        self.put(key, ends_at).merge();
    }

    /// Adds a blocked time without merging it, because merging after each of many blocked times would be slow. After
    /// the last blocked time, the caller must call [`Blocked::merge`]. Panics like [`Blocked::insert`].
    pub fn add(&mut self, key: BlockedKey, ends_at: Timestamp) {
        self.put(key, ends_at);
    }

    pub fn merge(&mut self) {
        self.by_staff.values_mut().for_each(OfStaff::merge);
    }

    fn put(&mut self, key: BlockedKey, ends_at: Timestamp) -> &mut OfStaff {
        let BlockedKey { staff_id, starts_at, id } = key;
        assert!(
            starts_at < ends_at,
            "blocked time {id} ends at {ends_at}, which is not after its start {starts_at}"
        );
        let of_staff = self.by_staff.entry(staff_id).or_default();
        let known = of_staff.all.insert((starts_at, id), ends_at);
        assert!(known.is_none(), "blocked time {id} exists already");
        self.len += 1;
        of_staff
    }

    pub fn remove(&mut self, key: BlockedKey) {
        let of_staff = self.by_staff.get_mut(&key.staff_id);
        let removed = of_staff.and_then(|of_staff| {
            let removed = of_staff.all.remove(&(key.starts_at, key.id));
            of_staff.merge();
            removed.map(|_| of_staff.is_empty())
        });
        match removed {
            Some(true) => drop(self.by_staff.remove(&key.staff_id)),
            Some(false) => {}
            None => panic!("blocked time {} does not exist", key.id),
        }
        self.len -= 1;
    }

    /// Replaces the busy times of a calendar of a staff member.
    pub fn set_calendar(&mut self, staff: StaffId, calendar: CalendarId, busy: Spans) {
        let of_staff = self.by_staff.entry(staff).or_default();
        of_staff.calendars.insert(calendar, busy);
        of_staff.merge();
    }

    /// Removes the busy times of a calendar, if there are any.
    pub fn remove_calendar(&mut self, staff: StaffId, calendar: CalendarId) {
        let Some(of_staff) = self.by_staff.get_mut(&staff) else { return };
        if of_staff.calendars.remove(&calendar).is_some() {
            of_staff.merge();
        }
        if of_staff.is_empty() {
            self.by_staff.remove(&staff);
        }
    }

    /// Returns the busy times of each calendar of a staff member.
    pub fn calendars_of(&self, staff: StaffId) -> impl Iterator<Item = &Spans> {
        self.by_staff.get(&staff).into_iter().flat_map(|of_staff| of_staff.calendars.values())
    }

    /// Returns the merged blocked times of a staff member, or `None` if they have none.
    pub fn spans(&self, staff: StaffId) -> Option<&Spans> {
        let of_staff = self.by_staff.get(&staff)?;
        Some(of_staff.with_calendars.as_ref().unwrap_or(&of_staff.times_off))
    }

    /// Returns the merged spans of a staff member's time off, without the busy times of calendars.
    pub fn times_off(&self, staff: StaffId) -> Option<&Spans> {
        self.by_staff.get(&staff).map(|of_staff| &of_staff.times_off)
    }

    pub fn of_staff(&self, staff_id: StaffId) -> impl Iterator<Item = (BlockedKey, Timestamp)> {
        let all = self.by_staff.get(&staff_id).into_iter().flat_map(|of_staff| &of_staff.all);
        all.map(move |((starts_at, id), end)| (BlockedKey { staff_id, starts_at: *starts_at, id: *id }, *end))
    }

    pub fn count(&self, staff: StaffId) -> usize {
        self.by_staff.get(&staff).map_or(0, |of_staff| of_staff.all.len())
    }

    /// Checks the limits before a blocked time is added. If a limit is reached, returns the blocked time that ended
    /// first. The caller must delete it. If no limit is reached, returns `Ok(None)`.
    ///
    /// # Errors
    /// If a limit is reached and no blocked time has ended, returns this limit.
    pub fn making_room(
        &self,
        staff: StaffId,
        now: Timestamp,
    ) -> Result<Option<(BlockedKey, Timestamp)>, usize> {
        let ended = |(_, end): &(BlockedKey, Timestamp)| *end <= now;
        let first = |all: &mut dyn Iterator<Item = (BlockedKey, Timestamp)>| {
            all.filter(ended).min_by_key(|(key, end)| (*end, key.id))
        };
        if self.count(staff) >= BLOCKED_PER_STAFF_MAX {
            return first(&mut self.of_staff(staff)).map(Some).ok_or(BLOCKED_PER_STAFF_MAX);
        }
        if self.len >= BLOCKED_MAX {
            let mut all = self.by_staff.keys().flat_map(|staff| self.of_staff(*staff));
            return first(&mut all).map(Some).ok_or(BLOCKED_MAX);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    impl Blocked {
        pub(crate) fn len(&self) -> usize {
            self.len
        }
    }

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(minutes * 60_000)
    }

    fn id(number: u128) -> CalendarId {
        Uuid::from_u128(number).into()
    }

    fn key(staff: u128, start: i64, id: u128) -> BlockedKey {
        BlockedKey {
            staff_id: Uuid::from_u128(staff).into(),
            starts_at: at(start),
            id: Uuid::from_u128(id).into(),
        }
    }

    fn meets(blocked: &Blocked, staff: u128, start: i64, end: i64) -> bool {
        let spans = blocked.spans(Uuid::from_u128(staff).into());
        spans.is_some_and(|spans| spans.meet(at(start), at(end)))
    }

    #[test]
    fn blocked_times_may_overlap_and_each_is_removed_separately() {
        let mut blocked = Blocked::from_times([(key(1, 0, 1), at(60)), (key(1, 30, 2), at(90))]);
        blocked.insert(key(2, 0, 3), at(10));
        assert_eq!((blocked.len(), blocked.count(key(1, 0, 1).staff_id)), (3, 2));
        assert!(meets(&blocked, 1, 80, 100) && meets(&blocked, 1, -10, 1) && !meets(&blocked, 1, 90, 100));
        assert!(!meets(&blocked, 2, 10, 100) && !meets(&blocked, 3, 0, 100));
        blocked.remove(key(1, 0, 1));
        assert!(!meets(&blocked, 1, 0, 30) && meets(&blocked, 1, 0, 31));
        blocked.remove(key(1, 30, 2));
        blocked.remove(key(2, 0, 3));
        assert!(blocked.len() == 0 && !meets(&blocked, 1, 0, 100));
    }

    #[test]
    fn the_busy_times_of_each_calendar_are_separate() {
        let busy = |start, end| Spans::merge(vec![at(start)..at(end)]);
        let (staff, first, second) = (key(1, 0, 0).staff_id, id(8), id(9));
        let mut blocked = Blocked::from_times([(key(1, 0, 1), at(60))]);
        blocked.set_calendar(staff, first, busy(100, 120));
        blocked.set_calendar(staff, second, busy(110, 130));
        assert!(meets(&blocked, 1, 0, 10) && meets(&blocked, 1, 100, 101) && meets(&blocked, 1, 125, 126));
        assert!(!blocked.times_off(staff).unwrap().meet(at(100), at(130)));
        assert_eq!(blocked.calendars_of(staff).count(), 2);
        blocked.set_calendar(staff, second, busy(200, 201));
        assert!(!meets(&blocked, 1, 125, 126) && meets(&blocked, 1, 200, 201));
        blocked.remove_calendar(staff, first);
        blocked.remove_calendar(staff, first);
        assert!(!meets(&blocked, 1, 100, 120) && meets(&blocked, 1, 0, 10));
        blocked.remove(key(1, 0, 1));
        assert!(!meets(&blocked, 1, 0, 60) && meets(&blocked, 1, 200, 201));
        blocked.remove_calendar(staff, second);
        assert!(blocked.spans(staff).is_none());
    }

    #[test]
    fn at_the_limit_the_blocked_time_that_ended_first_makes_room() {
        let count = i64::try_from(BLOCKED_PER_STAFF_MAX).unwrap();
        let all = (0..count).map(|nth| (key(1, -nth, nth as u128), at(1)));
        let mut blocked = Blocked::from_times(all);
        let staff = key(1, 0, 0).staff_id;
        assert_eq!(blocked.making_room(staff, at(0)), Err(BLOCKED_PER_STAFF_MAX));
        assert_eq!(
            blocked.making_room(staff, at(1)),
            Ok(Some((key(1, 0, 0), at(1)))),
            "of blocked times with the same end, the one with the lowest id must be selected"
        );
        assert_eq!(blocked.making_room(key(2, 0, 0).staff_id, at(0)), Ok(None));
        blocked.remove(key(1, -7, 7));
        assert_eq!(blocked.making_room(staff, at(0)), Ok(None));
        blocked.insert(key(1, -9, 9_999), at(-5));
        assert_eq!(blocked.making_room(staff, at(0)), Ok(Some((key(1, -9, 9_999), at(-5)))));
    }

    #[test]
    fn the_staff_of_a_business_share_a_limit() {
        let staff = BLOCKED_MAX / 100;
        let of_member = |member: usize| (0..100).map(move |nth| (member, nth));
        let all = (0..staff).flat_map(of_member);
        let blocked = Blocked::from_times(
            all.map(|(member, nth)| (key(member as u128, nth, nth as u128), at(nth + 1))),
        );
        assert_eq!(blocked.len(), BLOCKED_MAX);
        let other = key(9_999, 0, 0).staff_id;
        assert_eq!(blocked.making_room(other, at(0)), Err(BLOCKED_MAX));
        let (ended, _) = blocked.making_room(other, at(1)).unwrap().unwrap();
        assert_eq!((ended.starts_at, ended.id), (at(0), key(0, 0, 0).id));
    }

    #[test]
    #[should_panic(expected = "not after its start")]
    fn an_empty_blocked_time_panics() {
        Blocked::default().insert(key(1, 5, 1), at(5));
    }

    #[test]
    #[should_panic(expected = "does not exist")]
    fn removing_a_time_that_is_not_blocked_panics() {
        Blocked::default().remove(key(1, 5, 1));
    }
}
