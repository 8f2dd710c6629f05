//! The records that the memory of a business actor contains.
//!
//! Invariant: [`KINDS`] marks a kind of records as `hot` if and only if the number of the kind in its keys is below
//! [`HOT_END`]. So one scan reads the rows of all hot kinds.

use std::fmt;
use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    BlockedTime, Budget, Business, ConnectedCalendar, Membership, NoticeSettings, Receptionist, Retention,
    Service, SpecialDay, StaffMember, WebhookEndpoint, Website,
};
use store::kept::{self, KINDS, Kept};
use store::keys::kind::HOT_END;
use store::{Pair, StoreError, keys};

use super::state::State;

/// Time off that cannot be decoded blocks its staff member for this duration. The duration is limited, so that an old
/// row does not block current times.
const UNREADABLE_OFF: TimeDelta = TimeDelta::days(31);

pub(crate) trait Hot: Kept {
    /// Adds the record to the memory. Replaces an earlier record with the same key.
    fn hold(self, state: &mut State);

    /// Adds the record of a row to the memory, or skips the row if it is undecodable. The starting actor calls this
    /// function for each row of the kind.
    fn load(row: &Pair, state: &mut State) -> Result<(), StoreError> {
        let record = state.store.find_in::<Self>(&row.0, &row.1)?;
        if let Some(record) = record {
            record.hold(state);
        }
        Ok(())
    }
}

/// A record of any kind that the actor keeps in memory. The actor adds the record to its memory when it submits the
/// rows of the record.
#[derive(Clone)]
pub struct Held(Arc<dyn Fn(&mut State) + Send + Sync>);

impl Held {
    pub(super) fn new<R: Hot + Send + Sync + 'static>(record: R) -> Self {
        Self(Arc::new(move |state| record.clone().hold(state)))
    }

    pub(super) fn hold(&self, state: &mut State) {
        (self.0)(state);
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").finish_non_exhaustive()
    }
}

type Load = fn(&Pair, &mut State) -> Result<(), StoreError>;

macro_rules! declare {
    (
        exported { $($_kind:ident($record:ident) $_word:literal $([$($mark:tt)+])* { $($_facts:tt)* })* }
        others { $($other:ident $([$($other_mark:tt)+])* { $($_other_facts:tt)* })* }
    ) => {
        /// For each kind in [`KINDS`], the function that loads a row of this kind.
        const LOADS: &[Option<Load>] = &[
            $(declare!(@kind $record $([$($mark)+])*),)*
            $(declare!(@kind $other $([$($other_mark)+])*),)*
        ];
    };
    (@kind $record:ident [hot] $($_marks:tt)*) => { Some(<$record as Hot>::load) };
    (@kind $record:ident $_mark:tt $($marks:tt)*) => { declare!(@kind $record $($marks)*) };
    (@kind $record:ident) => { None };
}
kept::each_kind!(declare);

const _: () = {
    let mut at = 0;
    while at < KINDS.len() {
        assert!(
            LOADS[at].is_some() == (KINDS[at].rows < HOT_END),
            "a kind is marked as hot, but its number is not, or the other way round"
        );
        at += 1;
    }
};

/// Adds the record of a row to the memory. Sets the row aside if its kind is unknown. The starting actor calls this
/// function for each row of the hot kinds.
pub(super) fn load(row: &Pair, state: &mut State) -> Result<(), StoreError> {
    let number = keys::kind_of(&row.0)?;
    let load = KINDS.iter().zip(LOADS).find(|(kind, _)| kind.rows == number).and_then(|(_, load)| *load);
    match load {
        Some(load) => load(row, state),
        None => {
            let unknown = StoreError::damaged("key", format!("the kind {number:#04x} is not known"));
            state.store.usable(&row.0, Err(unknown)).map(|_: Option<()>| ())
        }
    }
}

macro_rules! hot {
    ($($record:ident: |$it:ident, $state:ident| $hold:expr;)*) => {$(
        impl Hot for $record {
            fn hold(self, $state: &mut State) {
                let $it = self;
                $hold;
            }
        }
    )*};
}
hot! {
    Business: |it, state| state.business = it;
    Budget: |it, state| state.budget.limits = it;
    Service: |it, state| _ = state.services.insert(it.id, Box::new(it));
    StaffMember: |it, state| _ = state.staff.insert(it.id, Box::new(it));
    SpecialDay: |it, state| _ = state.special.insert(it.date, it);
    ConnectedCalendar: |it, state| _ = state.calendars.insert(it.id, it);
    WebhookEndpoint: |it, state| _ = state.webhooks.insert(it.id, it);
    Membership: |it, state| _ = state.people.insert(it.person_id, it);
    Website: |it, state| state.website = it;
    Receptionist: |it, state| state.receptionist = it;
    Retention: |it, state| {
        state.retention = it;
        state.jobs.look_anew();
    };
    NoticeSettings: |it, state| {
        state.notices = it;
        state.jobs.remind_anew();
    };
}

impl Hot for BlockedTime {
    fn hold(self, state: &mut State) {
        state.blocked.insert(self.key(), self.ends_at);
    }

    /// Time off that cannot be decoded blocks its staff member for [`UNREADABLE_OFF`] from the start in its key.
    fn load((key, value): &Pair, state: &mut State) -> Result<(), StoreError> {
        let times = match state.store.find_in::<Self>(key, value)? {
            Some(time) => Some((time.key(), time.ends_at)),
            None => {
                let time = state.store.usable(key, keys::blocked_key(key))?;
                time.map(|time| (time, time.starts_at + UNREADABLE_OFF))
            }
        };
        if let Some((key, ends_at)) = times {
            state.blocked.add(key, ends_at); // `load::load` merges the times after the last row
        }
        Ok(())
    }
}
