//! Reads the busy times in calendar files. All files of one read of a calendar may together use a limited
//! number of steps.

use std::sync::Arc;

use chrono_tz::Tz;
use domain::{
    AllDay, AppointmentId, BusinessId, CalendarFault, CalendarWarning, ConnectedCalendar, Spans, Timestamp,
};
use ical::{BusyTimes, FILE_STEPS_MAX, ReadError, Reading, Warning};
use net::Fetched;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use store::{Store, keys};

use super::web::{Failure, Web};

/// The maximum number of steps for all files of a read. These steps take about 2.5 s.
const READ_STEPS_MAX: u64 = 5 * FILE_STEPS_MAX;

pub(super) struct FileReader {
    store: Store,
    business: BusinessId,
    zone: Tz,
    all_day_busy: bool,
    own: Vec<String>,
    now: Timestamp,
    /// The number of steps that remain for the files that are not read yet.
    steps: Mutex<u64>,
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
            steps: Mutex::new(READ_STEPS_MAX),
        })
    }

    /// Creates the reader for the check before a calendar is connected. The calendar has no settings yet, so all-day
    /// events are busy, and no addresses of the staff member are known.
    pub(super) fn for_check(store: &Store, business: BusinessId, zone: Tz, now: Timestamp) -> Arc<Self> {
        let (store, own, steps) = (store.clone(), Vec::new(), Mutex::new(READ_STEPS_MAX));
        Arc::new(Self { store, business, zone, all_day_busy: true, own, now, steps })
    }

    /// Reads files on a separate thread, which `web` provides. Returns the result of each file.
    pub(super) async fn read(
        self: &Arc<Self>,
        web: &Web,
        texts: Vec<String>,
    ) -> Result<Vec<Result<BusyTimes, CalendarFault>>, Failure> {
        let reader = Arc::clone(self);
        let read = move || texts.iter().map(|text| reader.read_one(text.as_bytes())).collect();
        web.on_thread(self.business, read).await
    }

    /// Reads the file of a response on a separate thread, which `web` provides. Calls the function `then` on the same
    /// thread.
    pub(super) async fn read_with<T: Send + 'static>(
        self: &Arc<Self>,
        web: &Web,
        response: Fetched,
        then: impl FnOnce(&BusyTimes) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let reader = Arc::clone(self);
        let read = move || reader.read_one(&response.body).map(|times| then(&times));
        Ok(web.on_thread(self.business, read).await??)
    }

    /// Whether the business has this appointment.
    pub(super) fn is_appointment(&self, id: AppointmentId) -> bool {
        self.store.contains(&keys::appointment_start(self.business, id)).unwrap_or_default()
    }

    fn read_one(&self, text: &[u8]) -> Result<BusyTimes, CalendarFault> {
        let is_appointment = |id| self.is_appointment(id);
        let reading = Reading {
            window: ical::window(self.now),
            zone: self.zone,
            all_day_busy: self.all_day_busy,
            own_addresses: &self.own,
            is_appointment: &is_appointment,
        };
        ical::read(text, &reading, &mut self.steps.lock()).map_err(|error| match error {
            ReadError::NotACalendar => CalendarFault::NotACalendar,
            ReadError::TooLarge => CalendarFault::TooLarge,
        })
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
