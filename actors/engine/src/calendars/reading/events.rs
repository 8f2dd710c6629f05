//! Compares the events that were just read from a calendar with the stored events.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AppointmentId, BusinessId, CalendarEvent, CalendarFault, CalendarId, CalendarWarning, ReadPosition,
    ReadSuccess, SeenEvent, Spans, is_mass_deletion,
};
use store::{Batch, Order, Record, Store, StoreError, kept, keys};

use super::sizes::{CALENDAR_BYTES_MAX, bytes};

/// The maximum size of a batch that is written before the commit of the busy times.
const BATCH_BYTES_MAX: usize = 128 << 10;

pub(super) type Hash = [u8; 16];
pub(super) type Stored = BTreeMap<Hash, CalendarEvent>;

/// The events that were read from the calendar, before they are compared with the stored events.
pub(super) struct Found {
    /// If the read is complete, all events of the calendar. If it is not complete, only the events that have changed.
    pub(super) events: Vec<CalendarEvent>,
    /// The events of `events` that are copies of appointments.
    pub(super) seen: Vec<(AppointmentId, SeenEvent)>,
    pub(super) is_complete: bool,
    /// The deleted events, if the read is not complete. A complete read does not use this set: it deletes the stored
    /// events that are not in `events`.
    pub(super) deleted: BTreeSet<Hash>,
    /// For a calendar file, the number of its events, including the events that are not stored. For a CalDAV calendar,
    /// `None`, because all its events are stored.
    pub(super) count: Option<u32>,
    pub(super) unreadable: u32,
    pub(super) warnings: Vec<CalendarWarning>,
    pub(super) position: ReadPosition,
}

/// The changes to the stored rows.
pub(super) struct Applied {
    /// The rows of the events, in batches. The last batch is committed together with `busy`.
    pub(super) rows: Vec<Batch>,
    pub(super) busy: Spans,
    /// For each appointment whose event this read has found, the event. For each appointment whose event was deleted,
    /// `None`.
    pub(super) seen: Vec<(AppointmentId, Option<SeenEvent>)>,
    pub(super) success: ReadSuccess,
    /// The sizes of the stored events before and after the read.
    pub(super) bytes: (usize, usize),
}

#[allow(clippy::large_enum_variant, reason = "a read has one comparison")]
pub(super) enum Comparison {
    Applied(Applied),
    /// Most stored events would be deleted, and no complete read has confirmed this.
    MassDeletion,
}

pub(super) fn stored(store: &Store, of: BusinessId, calendar: CalendarId) -> Result<Stored, StoreError> {
    let rows = store.records::<CalendarEvent>(&keys::calendar_events(of, calendar), Order::Ascending);
    rows.map(|row| row.map(|(_, event)| (event.hash, event))).collect()
}

/// Compares the events that were read with the stored events.
///
/// # Errors
/// [`CalendarFault::TooLarge`] if the calendar would have too many events or busy times, or if they would be too large.
pub(super) fn compare(
    of: BusinessId,
    mut stored: Stored,
    found: Found,
    is_confirmed: bool,
) -> Result<Comparison, CalendarFault> {
    let Found { events, seen, is_complete, mut deleted, count, unreadable, mut warnings, position } = found;
    let (before, bytes_before) = (stored.len(), bytes(stored.values()));
    if is_complete {
        let new: BTreeSet<_> = events.iter().map(|event| event.hash).collect();
        deleted = stored.keys().copied().filter(|hash| !new.contains(hash)).collect();
    }
    let mut rows = Rows { of, all: vec![Batch::default()] };
    let mut gone = 0;
    let mut seen = one_of_each(seen);
    for hash in deleted {
        if let Some(event) = stored.remove(&hash) {
            gone += 1;
            if let Some(appointment) = event.appointment_id {
                seen.entry(appointment).or_insert(None);
            }
            rows.delete(&event);
        }
    }
    if is_mass_deletion(before, gone) && !is_confirmed {
        return Ok(Comparison::MassDeletion);
    }
    for event in events {
        let before = stored.get(&event.hash);
        if before != Some(&event) {
            rows.put(before, &event);
            stored.insert(event.hash, event);
        }
    }
    // If an event of the appointment still exists at another path, the event was moved and not deleted.
    for event in stored.values().filter_map(|event| event.appointment_id) {
        if seen.get(&event).is_some_and(Option::is_none) {
            seen.remove(&event);
        }
    }
    let busy = stored.values().map(|event| event.busy.len()).sum::<usize>();
    let foreign = stored.values().filter(|event| event.appointment_id.is_none()).count();
    if foreign > ical::EVENTS_MAX || busy > ical::INTERVALS_MAX {
        return Err(CalendarFault::TooLarge);
    }
    let bytes = (bytes_before, bytes(stored.values()));
    if bytes.1 > CALENDAR_BYTES_MAX {
        return Err(CalendarFault::TooLarge);
    }
    warnings.sort_unstable();
    warnings.dedup();
    let unread = stored.values().filter(|event| !event.is_readable).count();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let success = ReadSuccess {
        is_complete,
        events: count.unwrap_or(number(stored.len())),
        unreadable: unreadable + number(unread),
        warnings,
        position,
    };
    let busy = Spans::merge(stored.values().flat_map(|event| event.busy.iter()).cloned().collect());
    Ok(Comparison::Applied(Applied {
        rows: rows.all,
        busy,
        seen: seen.into_iter().collect(),
        success,
        bytes,
    }))
}

/// Selects one event for each appointment, because some servers store several events with the same UID. The event at
/// the path that this service chooses has priority.
fn one_of_each(seen: Vec<(AppointmentId, SeenEvent)>) -> BTreeMap<AppointmentId, Option<SeenEvent>> {
    let mut one = BTreeMap::new();
    for (id, event) in seen {
        if event.href.is_none() || !one.contains_key(&id) {
            one.insert(id, Some(event));
        }
    }
    one
}

struct Rows {
    of: BusinessId,
    all: Vec<Batch>,
}

impl Rows {
    fn batch(&mut self, more: usize) -> &mut Batch {
        if self.all.last().is_none_or(|batch| batch.bytes() + more > BATCH_BYTES_MAX && !batch.is_empty()) {
            self.all.push(Batch::default());
        }
        let last = self.all.len() - 1;
        &mut self.all[last]
    }

    fn put(&mut self, before: Option<&CalendarEvent>, after: &CalendarEvent) {
        let of = self.of;
        kept::put(of, before, after, self.batch(after.encode().len()));
    }

    fn delete(&mut self, event: &CalendarEvent) {
        let of = self.of;
        kept::delete(of, event, self.batch(0));
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn event(number: u8, minutes: i64) -> CalendarEvent {
        let at = |minutes: i64| Timestamp::from_millis(minutes * 60_000);
        CalendarEvent {
            calendar_id: Uuid::nil().into(),
            hash: [number; 16],
            href: format!("/{number}"),
            etag: None,
            uid: None,
            appointment_id: None,
            is_readable: true,
            busy: Spans::merge(vec![at(minutes)..at(minutes + 30)]),
        }
    }

    fn all(events: Vec<CalendarEvent>) -> Found {
        Found {
            events,
            seen: Vec::new(),
            is_complete: true,
            deleted: BTreeSet::new(),
            count: None,
            unreadable: 0,
            warnings: Vec::new(),
            position: ReadPosition::default(),
        }
    }

    fn stored(numbers: std::ops::Range<u8>) -> Stored {
        numbers.map(|number| ([number; 16], event(number, i64::from(number) * 60))).collect()
    }

    fn applied(stored: Stored, found: Found, is_confirmed: bool) -> Option<Applied> {
        match compare(Uuid::nil().into(), stored, found, is_confirmed).unwrap() {
            Comparison::Applied(applied) => Some(applied),
            Comparison::MassDeletion => None,
        }
    }

    #[test]
    fn only_changed_events_are_written_and_missing_ones_are_deleted() {
        let found = all(vec![event(1, 60), event(2, 0), event(9, 600)]);
        let applied = applied(stored(0..4), found, false).unwrap();
        let rows: Vec<_> = applied.rows[0].writes().map(|(key, value)| (key[48], value.is_some())).collect();
        assert_eq!(rows, [(0, false), (3, false), (2, true), (9, true)]);
        assert_eq!((applied.busy.len(), applied.success.events), (3, 3));
    }

    #[test]
    fn a_partial_read_keeps_the_other_events() {
        let part =
            Found { is_complete: false, deleted: [[1; 16], [77; 16]].into(), ..all(vec![event(0, 5)]) };
        let applied = applied(stored(0..4), part, false).unwrap();
        assert_eq!((applied.rows[0].len(), applied.success.events, applied.busy.len()), (2, 3, 3));
    }

    #[test]
    fn a_mass_deletion_needs_a_confirmation() {
        assert!(applied(stored(0..30), all(vec![event(1, 60)]), false).is_none());
        let applied = applied(stored(0..30), all(vec![event(1, 60)]), true).unwrap();
        assert_eq!((applied.success.events, applied.rows[0].len()), (1, 29));
    }

    #[test]
    fn the_copies_of_appointments_do_not_count_as_events_of_a_calendar() {
        let events = |count: u32, appointment_id: Option<AppointmentId>| {
            let number = move |number: u32| {
                let mut hash = [0; 16];
                hash[..4].copy_from_slice(&number.to_be_bytes());
                CalendarEvent { hash, appointment_id, busy: Spans::default(), ..event(0, 0) }
            };
            compare(Uuid::nil().into(), Stored::new(), all((0..count).map(number).collect()), false)
        };
        let most = u32::try_from(ical::EVENTS_MAX).unwrap();
        assert!(events(most, None).is_ok());
        assert_eq!(events(most + 1, None).err(), Some(CalendarFault::TooLarge));
        assert!(events(most + 1, Some(Uuid::nil().into())).is_ok());
    }

    #[test]
    fn events_that_are_too_large_are_refused_and_copies_of_appointments_are_not_counted() {
        let events = |count: u32, appointment: fn(u32) -> Option<AppointmentId>| {
            let event = |number: u32| {
                let mut hash = [0; 16];
                hash[..4].copy_from_slice(&number.to_be_bytes());
                let (href, appointment_id) = ("x".repeat(928), appointment(number));
                CalendarEvent { hash, href, appointment_id, ..event(0, 0) } // 1,024 bytes
            };
            let found = all((0..count).map(event).collect());
            match compare(Uuid::nil().into(), Stored::new(), found, false) {
                Ok(Comparison::Applied(applied)) => Ok(applied.bytes),
                Ok(Comparison::MassDeletion) => panic!("nothing was deleted"),
                Err(fault) => Err(fault),
            }
        };
        assert_eq!(events(8_192, |_| None), Ok((0, CALENDAR_BYTES_MAX)));
        assert_eq!(events(8_193, |_| None), Err(CalendarFault::TooLarge));
        let copy = |number: u32| Some(Uuid::from_u128(number.into()).into());
        assert_eq!(events(9_000, copy), Ok((0, 0)));
        let one = |_| Some(Uuid::from_u128(1).into());
        assert_eq!(events(9_000, one), Err(CalendarFault::TooLarge), "each appointment has one copy");
    }

    #[test]
    fn of_several_events_of_an_appointment_the_one_at_the_chosen_path_counts() {
        let id: AppointmentId = Uuid::from_u128(7).into();
        let at = |href: Option<&str>| {
            let href = href.map(ToOwned::to_owned);
            (id, SeenEvent { href, times: None, is_cancelled: false, recurs: false })
        };
        for order in [[None, Some("/a"), Some("/b")], [Some("/a"), None, Some("/b")]] {
            let found = Found { seen: order.map(at).to_vec(), ..all(Vec::new()) };
            let applied = applied(Stored::new(), found, false).unwrap();
            assert_eq!(applied.seen, [(id, Some(at(None).1))], "{order:?}");
        }
        let found = Found { seen: vec![at(Some("/a")), at(Some("/b"))], ..all(Vec::new()) };
        assert_eq!(applied(Stored::new(), found, false).unwrap().seen, [(id, Some(at(Some("/a")).1))]);
    }

    #[test]
    fn many_rows_are_split_into_batches() {
        let events = (0..=255).flat_map(|first| (0..20).map(move |second| (first, second)));
        let events = events.map(|(first, second)| {
            let mut hash = [first; 16];
            hash[0] = second;
            CalendarEvent { hash, href: "x".repeat(100), ..event(first, 0) }
        });
        let applied = applied(Stored::new(), all(events.collect()), false).unwrap();
        assert!(applied.rows.len() > 5, "{}", applied.rows.len());
        assert!(applied.rows.iter().all(|batch| batch.bytes() <= BATCH_BYTES_MAX));
        assert_eq!(applied.rows.iter().map(Batch::len).sum::<usize>(), 256 * 20);
    }
}
