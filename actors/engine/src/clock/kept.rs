//! The stored steady time, which continues after a restart, and the check of the wall clock at the start.
//!
//! If only the service restarts, the machine's steady clock shows how much time has passed since the steady time was
//! stored. This clock also counts the time for which the machine was suspended.
//!
//! If the machine restarts, only the wall clock shows how much time has passed. The service adds this time to the
//! steady time, but at most 24 hours ([`STOPPED_MAX`]). So if the wall clock is wrong, each restart of the machine can
//! make records expire up to 24 hours early. Idempotency keys are stored for only 24 hours, so one restart can expire
//! all of them.
//!
//! The service also stores the believed time. After a restart of the machine, the stored value is only a lower bound.

use chrono::TimeDelta;
use domain::{Business, BusinessId, SteadyTime, Timestamp};
use store::keys::installation_kind;
use store::records::{Boot, ClockRecord};
use store::{Order, Store, StoreError, keys, past_corrupt_pages, unless_business_set_aside};

use super::belief::KeptTime;

const STOPPED_MAX: TimeDelta = TimeDelta::hours(24);
/// A start logs a warning if the wall clock is earlier than the newest stamp by more than this.
const BEHIND_MAX: TimeDelta = TimeDelta::days(1);
/// A start logs a warning if the wall clock is later than the last use of the store by more than this.
const AHEAD_MAX: TimeDelta = TimeDelta::days(31);
const BUSINESSES_PER_TURN: usize = 256;

pub(super) struct Kept {
    pub(super) steady: SteadyTime,
    pub(super) newest: Option<Timestamp>,
    /// The stored believed time. It is `None` if no time is stored, or if no record has a stamp. If it is `None`, the
    /// service starts with the time of the wall clock.
    pub(super) believed: Option<KeptTime>,
    pub(super) warning: Option<String>,
}

pub(super) async fn read(store: &Store, wall: Timestamp, boot: Option<Boot>) -> Result<Kept, StoreError> {
    if let Some(kept) = store.find::<ClockRecord>(&keys::clock())? {
        let passed = passed_since(kept.boot, boot);
        let stopped = passed.unwrap_or_else(|| (wall - kept.wall).clamp(TimeDelta::zero(), STOPPED_MAX));
        let steady = kept.steady + stopped;
        // An empty store has no stamps to compare with the clock.
        let newest = (kept.newest > Timestamp::MIN).then_some(kept.newest);
        let believed = newest.map(|_| KeptTime {
            written: kept.wall.millis(),
            now: (kept.wall + passed.unwrap_or_default()).millis(),
        });
        let warning = newest.and_then(|newest| odd(wall, newest, kept.wall));
        return Ok(Kept { steady, newest, believed, warning });
    }
    // If an early version wrote the store, or if the row is damaged, there is no stored time. The steady time then
    // begins at the earlier of two times: the time of the wall clock, and 24 hours after the newest stamp.
    let newest = newest_stamp(store).await?;
    let begin = newest.map_or(wall, |newest| wall.min(newest + STOPPED_MAX));
    let warning = newest.and_then(|newest| odd(wall, newest, Timestamp::MIN));
    Ok(Kept { steady: SteadyTime::from_millis(begin.millis()), newest, believed: None, warning })
}

/// The time between two readings. It is unknown if the machine has restarted between them.
fn passed_since(kept: Option<Boot>, now: Option<Boot>) -> Option<TimeDelta> {
    let (kept, now) = kept.zip(now).filter(|(kept, now)| kept.id == now.id)?;
    Some(TimeDelta::milliseconds((now.passed - kept.passed).max(0)))
}

fn odd(wall: Timestamp, newest: Timestamp, kept: Timestamp) -> Option<String> {
    if wall < kept {
        return Some(format!(
            "the clock shows {wall}, but the service's time is already {kept}; time stamps continue from the \
             service's time until the clock reaches it. If the clock is wrong, set it. If the service's time is \
             wrong, stop the service and run `receptionist repair-stamps`"
        ));
    }
    let ran_until = newest.max(kept);
    if wall < newest - BEHIND_MAX {
        return Some(format!(
            "the clock shows {wall}, but the newest time stamp in the store is {newest}. If the clock is wrong, stop \
             the service and set it. If the stamps are wrong, stop the service and run `receptionist repair-stamps`"
        ));
    }
    (wall > ran_until + AHEAD_MAX).then(|| {
        format!(
            "the clock shows {wall}, but the store was last used at {ran_until}. If the clock is wrong, stop the \
             service, set the clock, and run `receptionist repair-stamps` to correct the stamps after that time"
        )
    })
}

async fn newest_stamp(store: &Store) -> Result<Option<Timestamp>, StoreError> {
    let mut newest = None;
    let mut range = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    loop {
        let rows = store.scan(&range, Order::Ascending).take(BUSINESSES_PER_TURN);
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let Some((last, _)) = rows.last() else { return Ok(newest) };
        range = range.after(store::Key::new(last));
        for (key, _) in &rows {
            let stamp =
                keys::listed_business(key).and_then(|of| past_corrupt_pages(|| newest_stamp_of(store, of)));
            newest = newest.max(store.usable(key, unless_business_set_aside(stamp))?.flatten().flatten());
        }
        tokio::task::yield_now().await;
    }
}

fn newest_stamp_of(store: &Store, of: BusinessId) -> Result<Option<Timestamp>, StoreError> {
    if store.is_business_set_aside(of) {
        return Ok(None);
    }
    if let Some(newest) = store.newest_entry(of)? {
        return Ok(Some(newest.at));
    }
    Ok(store.get::<Business>(&keys::profile(of))?.map(|business| business.updated_at))
}

#[cfg(test)]
mod tests {
    use store::{Batch, MemoryBackend, Record};

    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn boot(id: u8, passed: i64) -> Option<Boot> {
        Some(Boot { id: uuid::Uuid::from_bytes([id; 16]), passed })
    }

    async fn read_with(kept: Option<ClockRecord>, wall: Timestamp) -> Kept {
        read_after(kept, wall, None).await
    }

    async fn read_after(kept: Option<ClockRecord>, wall: Timestamp, boot: Option<Boot>) -> Kept {
        let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
        if let Some(kept) = kept {
            let mut batch = Batch::default();
            batch.put(keys::clock(), kept.encode());
            store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
            store.wait_durable(BusinessId::INSTALLATION).await.unwrap();
        }
        read(&store, wall, boot).await.unwrap()
    }

    #[tokio::test]
    async fn the_time_while_the_service_was_stopped_counts_up_to_24_hours() {
        let wall = at("2026-03-02T12:00:00Z");
        let kept = ClockRecord { steady: SteadyTime::from_millis(1_000), wall, newest: wall, boot: None };
        for (stopped, counts) in [
            (TimeDelta::zero(), 0),
            (TimeDelta::milliseconds(-1), 0),
            (TimeDelta::days(-3_000), 0),
            (TimeDelta::milliseconds(7), 7),
            (TimeDelta::hours(24), 86_400_000),
            (TimeDelta::milliseconds(86_400_001), 86_400_000),
            (TimeDelta::days(1_000), 86_400_000),
        ] {
            let found = read_with(Some(kept.clone()), wall + stopped).await;
            assert_eq!(found.steady.millis(), 1_000 + counts, "{stopped}");
        }
        let first = read_with(None, wall).await;
        assert_eq!((first.steady.millis(), first.newest, first.warning), (wall.millis(), None, None));
    }

    #[test]
    fn a_warning_about_the_clock_names_both_instants() {
        let newest = at("2026-03-02T12:00:00Z");
        let tick = TimeDelta::milliseconds(1);
        let warning = |wall, ran_until| odd(wall, newest, ran_until);
        let none = Timestamp::MIN;
        for fits in [newest - BEHIND_MAX, newest, newest + AHEAD_MAX] {
            assert_eq!(warning(fits, none), None);
        }
        let behind = warning(newest - BEHIND_MAX - tick, none).unwrap();
        assert!(behind.contains("2026-03-01T11:59:59.999Z") && behind.contains("2026-03-02T12:00:00.000Z"));
        assert!(behind.contains("repair-stamps") && !behind.contains('\n'), "{behind}");
        let ahead = warning(newest + AHEAD_MAX + tick, none).unwrap();
        assert!(ahead.contains("2026-04-02T12:00:00.001Z") && ahead.contains("2026-03-02T12:00:00.000Z"));
        // The clock is too far ahead of the newest stamp, but not of the stored time. The later of these two times
        // counts as the last use of the store, so there is no warning.
        assert_eq!(warning(newest + AHEAD_MAX + tick, newest + tick), None);
    }

    #[test]
    fn any_clock_before_the_stored_time_is_reported() {
        let kept = at("2026-03-02T12:00:00Z");
        assert_eq!(odd(kept, kept, kept), None);
        for behind in [TimeDelta::milliseconds(1), TimeDelta::days(3_000)] {
            let warning = odd(kept - behind, Timestamp::MIN, kept).unwrap();
            let clock = (kept - behind).to_string();
            assert!(warning.contains("2026-03-02T12:00:00.000Z") && warning.contains(&clock));
            assert!(warning.contains("repair-stamps"), "{warning}");
        }
    }

    #[test]
    fn the_time_since_a_reading_is_known_only_until_the_machine_restarts() {
        let passed = |millis| Some(TimeDelta::milliseconds(millis));
        assert_eq!(passed_since(boot(1, 5), boot(1, 70)), passed(65));
        assert_eq!(
            passed_since(boot(1, 70), boot(1, 5)),
            passed(0),
            "a decrease must count as no elapsed time"
        );
        assert_eq!(passed_since(boot(1, 5), boot(2, 70)), None);
        assert_eq!(passed_since(None, boot(1, 70)), None);
        assert_eq!(passed_since(boot(1, 5), None), None);
    }

    /// The elapsed time is right even if the wall clock is wrong or the machine was suspended during the restart.
    #[tokio::test]
    async fn the_steady_clock_of_the_machine_measures_a_restart_of_the_service() {
        let wall = at("2026-03-02T12:00:00Z");
        let steady = SteadyTime::from_millis(1_000);
        let kept = ClockRecord { steady, wall, newest: wall, boot: boot(1, 5) };
        for shown in [wall, wall - TimeDelta::days(3), wall + TimeDelta::days(3)] {
            for hours in [0, 19, 72] {
                let passed = TimeDelta::hours(hours);
                let found =
                    read_after(Some(kept.clone()), shown, boot(1, 5 + passed.num_milliseconds())).await;
                assert_eq!(found.steady, steady + passed, "{hours} hours until {shown}");
                assert_eq!(found.believed.unwrap().now, (wall + passed).millis());
            }
        }
        let restarted = read_after(Some(kept), wall + TimeDelta::hours(1), boot(2, 7)).await;
        assert_eq!(restarted.steady, steady + TimeDelta::hours(1));
    }

    #[tokio::test]
    async fn a_store_without_stamps_has_no_believed_time() {
        let wall = at("2026-03-02T12:00:00Z");
        let steady = SteadyTime::from_millis(1_000);
        let kept = ClockRecord { steady, wall, newest: Timestamp::MIN, boot: None };
        assert!(read_with(Some(kept.clone()), wall).await.believed.is_none());
        let stamped = read_with(Some(ClockRecord { newest: wall, ..kept }), wall).await.believed.unwrap();
        assert_eq!((stamped.written, stamped.now), (wall.millis(), wall.millis()));
    }
}
