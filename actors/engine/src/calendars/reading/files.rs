//! The busy times in the calendar files of a read. The limits of [`ical`] hold for all files of the read together.

use std::sync::Arc;

use chrono_tz::Tz;
use domain::{AllDay, BusinessId, CalendarFault, CalendarWarning, ConnectedCalendar, Spans, Timestamp};
use ical::{BusyTimes, ReadError, Reading, Warning};
use sha2::{Digest, Sha256};
use store::{Store, keys};

/// Larger files are read in a separate thread, because they would block other tasks.
const INLINE_BYTES_MAX: usize = 64 << 10;

pub(super) struct FileReader {
    store: Store,
    business: BusinessId,
    zone: Tz,
    all_day_busy: bool,
    own: Vec<String>,
    now: Timestamp,
}

impl FileReader {
    pub(super) fn new(
        store: &Store,
        business: BusinessId,
        (calendar, zone): (&ConnectedCalendar, Tz),
        now: Timestamp,
    ) -> Arc<Self> {
        Arc::new(Self {
            store: store.clone(),
            business,
            zone,
            all_day_busy: calendar.all_day == AllDay::Busy,
            own: calendar.addresses(),
            now,
        })
    }

    /// Reads files for the check before a calendar is connected, so no settings of the calendar apply.
    pub(super) fn for_check(store: &Store, business: BusinessId, zone: Tz, now: Timestamp) -> Arc<Self> {
        let (store, own) = (store.clone(), Vec::new());
        Arc::new(Self { store, business, zone, all_day_busy: true, own, now })
    }

    pub(super) async fn read(self: &Arc<Self>, text: Vec<u8>) -> Result<BusyTimes, CalendarFault> {
        let read = if text.len() <= INLINE_BYTES_MAX {
            self.read_inline(&text)
        } else {
            let reader = Arc::clone(self);
            let read = tokio::task::spawn_blocking(move || reader.read_inline(&text)).await;
            read.map_err(|_| CalendarFault::NotACalendar)?
        };
        read.map_err(|error| match error {
            ReadError::NotACalendar => CalendarFault::NotACalendar,
            ReadError::TooLarge => CalendarFault::TooLarge,
        })
    }

    fn read_inline(&self, text: &[u8]) -> Result<BusyTimes, ReadError> {
        let is_appointment =
            |id| self.store.contains(&keys::appointment_start(self.business, id)).unwrap_or_default();
        let reading = Reading {
            window: ical::window(self.now),
            zone: self.zone,
            all_day_busy: self.all_day_busy,
            own_addresses: &self.own,
            is_appointment: &is_appointment,
        };
        ical::read(text, &reading)
    }
}

/// Returns the first 16 bytes of the SHA-256.
pub(super) fn hash(text: &[u8]) -> [u8; 16] {
    let digest: [u8; 32] = Sha256::digest(text).into();
    digest.first_chunk().copied().unwrap_or_default()
}

pub(super) fn spans(times: &[std::ops::Range<Timestamp>]) -> Spans {
    Spans::merge(times.to_vec())
}

pub(super) fn warnings(times: &BusyTimes) -> impl Iterator<Item = CalendarWarning> + '_ {
    times.warnings.iter().map(|warning| match warning {
        Warning::UnknownZone => CalendarWarning::UnknownZone,
        Warning::TooManyOccurrences => CalendarWarning::TooManyOccurrences,
    })
}
