//! Reading the businesses of a store as records.
//!
//! What always holds: records come by kind, and of a kind in the order of their keys, so a store that holds the same
//! gives the same; a record is read when it is its turn, and none is kept.

use super::record::Moved;
use super::settle::{check_finished, check_store};
use crate::domain::{
    Appointment, BlockedTime, Business, BusinessId, CallRecord, Contact, Knowledge, Service, SpecialDay,
    StaffMember, TakenMessage, WebhookEndpoint,
};
use crate::store::keys::{installation_kind, kind};
use crate::store::{Order, Record, Store, StoreError, keys};

/// Which businesses are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// The one with this id.
    Id(BusinessId),
    /// Those that are called so, in any case.
    Named(String),
}

impl Which {
    fn is(&self, business: &Business) -> bool {
        match self {
            Self::All => true,
            Self::Id(id) => business.id == *id,
            Self::Named(name) => business.name.to_lowercase() == name.to_lowercase(),
        }
    }
}

/// What was read, and what of it cannot move or was not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many API keys stay behind: of those only hashes are kept, and whoever has one is let in where it is.
    pub keys: u64,
    /// How many webhook endpoints stay behind, since nobody asked for their secrets.
    pub endpoints: u64,
}

/// The businesses that are meant, in the order of their creation.
///
/// # Errors
/// When the store fails, or was left half-way by something else.
pub fn meant(store: &Store, which: &Which) -> Result<Vec<Business>, StoreError> {
    check_store(store)?;
    check_finished(store)?;
    let mut meant = Vec::new();
    let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    for row in store.scan(&all, Order::Ascending) {
        let id = keys::id_at_end(&row?.0)?;
        let business: Option<Business> = store.get(&keys::profile(id))?;
        meant.extend(business.filter(|business| which.is(business)));
    }
    Ok(meant)
}

/// Hands on every record of a business, its end last; of its webhook endpoints only `with_secrets`.
///
/// # Errors
/// When the store fails, or whoever takes the records.
pub fn leave<E: From<StoreError>>(
    store: &Store,
    business: &Business,
    with_secrets: bool,
    out: &mut impl FnMut(Moved) -> Result<(), E>,
) -> Result<LeftOut, E> {
    let of = business.id;
    out(Moved::Business(business.clone()))?;
    let mut records = 1;
    records += each(store, of, kind::SERVICE, |record: Service| out(Moved::Service(record)))?;
    records += each(store, of, kind::STAFF, |record: StaffMember| out(Moved::Staff(record)))?;
    records += each(store, of, kind::SPECIAL_DAY, |record: SpecialDay| out(Moved::SpecialDay(record)))?;
    records += each(store, of, kind::BLOCKED_TIME, |record: BlockedTime| out(Moved::TimeOff(record)))?;
    records += each(store, of, kind::CONTACT, |record: Contact| out(Moved::Contact(record)))?;
    records += each(store, of, kind::APPOINTMENT, |record: Appointment| out(Moved::Appointment(record)))?;
    records += each(store, of, kind::CALL, |record: CallRecord| out(Moved::Call(record)))?;
    records += each(store, of, kind::MESSAGE, |record: TakenMessage| out(Moved::Message(record)))?;
    records += each(store, of, kind::KNOWLEDGE, |record: Knowledge| out(Moved::Knowledge(record)))?;
    let mut left_out = LeftOut::default();
    let endpoints =
        each(
            store,
            of,
            kind::WEBHOOK,
            |record: WebhookEndpoint| {
                if with_secrets { out(Moved::Webhook(record)) } else { Ok(()) }
            },
        )?;
    if with_secrets {
        records += endpoints;
    } else {
        left_out.endpoints = endpoints;
    }
    for row in store.scan(&keys::of_kind(of, kind::KEY), Order::Ascending) {
        row?;
        left_out.keys += 1;
    }
    out(Moved::End { records })?;
    Ok(left_out)
}

/// Hands on every record of a kind, and counts them.
fn each<R: Record, E: From<StoreError>>(
    store: &Store,
    of: BusinessId,
    kind: u8,
    mut out: impl FnMut(R) -> Result<(), E>,
) -> Result<u64, E> {
    let mut count = 0;
    for row in store.scan(&keys::of_kind(of, kind), Order::Ascending) {
        out(R::decode(&row?.1)?)?;
        count += 1;
    }
    Ok(count)
}
