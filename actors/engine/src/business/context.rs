//! The input of a decision: state, request, time, ids and random bytes.

use domain::availability::{Concerned, Schedule};
use domain::booking::Party;
use domain::{
    Actor, Amount, BudgetKind, Busy, Conflict, Contact, ContactId, Denied, Editor, EventType, IdMint,
    ProblemCode, Refusal, ResourceId, ServiceId, StaffId, Timestamp,
};
use serde::Serialize;
use store::{Key, Record, StoreError, keys};
use view::AffectedView;

use super::request::{IfMatch, Request};
use super::state::State;

pub struct Context<'a> {
    /// The actor's memory, and its view of the store that includes changes that are not durable yet.
    pub(crate) state: &'a State,
    pub(crate) request: &'a Request,
    pub(crate) now: Timestamp,
    /// The stamp of the change: the current time, or a later time if [`super::stamps`] requires it.
    pub(crate) at: Timestamp,
    pub(super) mint: IdMint,
}

impl<'a> Context<'a> {
    pub(super) fn new(state: &'a State, request: &'a Request, now: Timestamp) -> Self {
        Self { state, request, now, at: state.stamps.at(now), mint: state.mint.clone() }
    }

    pub fn schedule(&self) -> Schedule<'a> {
        self.state.schedule(self.now)
    }

    /// See [`State::schedule_at`].
    pub(super) fn schedule_at<'b>(
        &self,
        starts_at: Timestamp,
        party: Party,
        past: &'b mut Busy,
    ) -> Result<Schedule<'b>, StoreError>
    where
        'a: 'b,
    {
        self.state.schedule_at((self.now, starts_at), party, past)
    }

    pub fn affected<'b>(
        &'b self,
        concerned: &Concerned,
        changed: impl FnOnce(Schedule<'b>) -> Schedule<'b>,
    ) -> AffectedView {
        AffectedView::new(changed(self.schedule()).outside(concerned))
    }

    /// The operator or member who requests the change. A request by anyone else is refused with
    /// [`Refusal::NotAllowed`].
    pub fn editor(&self) -> Result<Editor<'a>, Refusal> {
        match self.request.actor {
            Actor::Operator | Actor::System => Ok(Editor::Operator),
            Actor::Person(id) => match self.state.people.get(&id) {
                Some(membership) => Ok(Editor::Member(membership)),
                None => Err(Refusal::NotAllowed(Denied::NotOfTheBusiness)),
            },
            Actor::ApiKey(_) | Actor::Customer | Actor::Receptionist(_) => {
                Err(Refusal::NotAllowed(Denied::KeyOfNobody))
            }
        }
    }

    pub fn mint<I: ResourceId>(&mut self) -> I {
        self.mint.next(self.at, self.random())
    }

    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.state.ports.random_bytes()
    }

    pub fn has(&self, key: Option<Key>) -> Result<bool, StoreError> {
        key.map_or(Ok(true), |key| Ok(self.state.read_raw(&key)?.is_some()))
    }

    pub fn contact(&self, id: ContactId) -> Result<Option<Contact>, StoreError> {
        self.state.contact(id)
    }

    /// The contact to which an index row refers. An undecodable contact counts as missing, so it blocks no
    /// request.
    pub fn contact_at(&self, row: &Key) -> Result<Option<Contact>, StoreError> {
        let Some(id) = self.state.read_raw(row)? else { return Ok(None) };
        let contact = keys::id_at_end(&id).and_then(|id| self.contact(id));
        Ok(self.state.store.usable(row, contact)?.flatten())
    }

    pub fn check_match<V: Serialize>(&self, resource: &V) -> Result<(), Refusal> {
        match &self.request.if_match {
            None | Some(IfMatch::Any) => Ok(()),
            Some(IfMatch::Tags(tags)) => {
                if tags.contains(&view::etag(&view::render(resource))) {
                    return Ok(());
                }
                Err(Self::changed(resource))
            }
        }
    }

    /// Like [`Self::check_match`], but succeeds if the tag matches any of these variants of the resource.
    pub(super) fn check_match_of_any<V: Serialize>(
        &self,
        resource: &V,
        variants: impl Iterator<Item = V>,
    ) -> Result<(), Refusal> {
        let mut matches = variants.map(|variant| self.check_match(&variant));
        if matches.any(|matched| matched.is_ok()) { Ok(()) } else { Err(Self::changed(resource)) }
    }

    /// The refusal of a change because the resource has changed in the meantime.
    pub fn changed<V: Serialize>(resource: &V) -> Refusal {
        let tag = view::etag(&view::render(resource));
        Refusal::conflict(Conflict::Changed, "If-Match", ProblemCode::EntityTagNow(tag))
    }

    pub fn announces(&self, event: EventType) -> bool {
        self.state.webhooks.values().any(|endpoint| endpoint.events.contains(event))
    }

    pub fn service(&self, id: ServiceId) -> Option<&'a domain::Service> {
        self.state.services.get(&id).map(Box::as_ref)
    }

    pub fn staff(&self, id: StaffId) -> Option<&'a domain::StaffMember> {
        self.state.staff.get(&id).map(Box::as_ref)
    }

    pub fn has_room<R: Record>(&self, kind: BudgetKind, record: &R) -> bool {
        let more = Amount::row(record.encode().len());
        self.state.budget.limits.has_room(kind, self.state.budget.usage.of(kind), more)
    }

    /// Checks that the budget has room for a new record. `path` is the path of the field that a refusal names. The
    /// budget is checked again for the whole batch. A refusal by that second check names only the kind of the record.
    pub fn check_budget<R: Record>(&self, kind: BudgetKind, record: &R, path: &str) -> Result<(), Refusal> {
        let more = Amount::row(record.encode().len());
        self.state.budget.limits.check(kind, self.state.budget.usage.of(kind), more, path)
    }
}
