//! The input of a decision: state, request, time, ids and random bytes.

use domain::availability::{Concerned, Schedule};
use domain::{
    Actor, Amount, Appointment, AppointmentId, Blocked, Budget, BudgetKind, Business, Conflict, Contact,
    ContactId, Denied, Editor, EventType, IdMint, Named, PersonId, Problem, ProblemCode, Refusal, ResourceId,
    Retention, ServiceId, SpecialDays, StaffId, SteadyTime, TakenMessage, Team, Timestamp, Usage,
    WebhookEndpoint, WebhookId,
};
use serde::Serialize;
use store::{Key, Record, StoreError, keys};
use view::{AffectedView, MessageView, SomeAppointmentView};

use super::alerts::last_alert;
use super::references::Watch;
use super::request::{IfMatch, Request};
use super::state::State;

pub struct Context<'a> {
    state: &'a State,
    mint: IdMint,
    request: &'a Request,
    now: Timestamp,
    at: Timestamp,
}

impl<'a> Context<'a> {
    pub(super) fn new(state: &'a State, request: &'a Request, now: Timestamp) -> Self {
        Self { state, mint: state.mint.clone(), request, now, at: state.stamps.at(now) }
    }

    /// The stamp of the change: the present, or a later instant if an earlier stamp requires it.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn steady(&self) -> SteadyTime {
        self.state.clocks.steady()
    }

    pub fn retention(&self) -> Retention {
        self.state.retention
    }

    pub fn business(&self) -> &'a Business {
        &self.state.business
    }

    pub fn schedule(&self) -> Schedule<'a> {
        self.state.schedule(self.now)
    }

    /// The appointments of `concerned` that cannot be booked in the schedule as the change leaves it.
    pub fn affected<'b>(
        &'b self,
        concerned: &Concerned,
        changed: impl FnOnce(Schedule<'b>) -> Schedule<'b>,
    ) -> AffectedView {
        AffectedView::new(changed(self.schedule()).outside(concerned))
    }

    pub fn special_days(&self) -> &'a SpecialDays {
        &self.state.special
    }

    pub fn blocked(&self) -> &'a Blocked {
        &self.state.blocked
    }

    pub fn actor(&self) -> Actor {
        self.request.actor
    }

    pub fn team(&self) -> &'a Team {
        &self.state.people
    }

    pub fn sends_mail(&self) -> bool {
        self.state.outbox.transport().is_some()
    }

    pub fn has_room_for_mail(&self) -> bool {
        self.state.outbox.room(self.state.budget.waiting.mails()) > 0
    }

    /// The number of the newest alert that the person ever had, or 0.
    pub fn last_alert(&self, person: PersonId) -> Result<u64, StoreError> {
        last_alert(self.state, person)
    }

    /// The member who requests the change, with the member's rights over other members. Returns
    /// [`Refusal::NotAllowed`] for a key and for a person without a membership.
    pub fn editor(&self) -> Result<Editor<'a>, Refusal> {
        match self.request.actor {
            Actor::Operator | Actor::System => Ok(Editor::Operator),
            Actor::Person(id) => match self.state.people.get(&id) {
                Some(membership) => Ok(Editor::Member(membership)),
                None => Err(Refusal::NotAllowed(Denied::NotOfTheBusiness)),
            },
            Actor::ApiKey(_) => Err(Refusal::NotAllowed(Denied::KeyOfNobody)),
        }
    }

    pub fn mint<I: ResourceId>(&mut self) -> I {
        self.mint.next(self.at, self.random())
    }

    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.state.ports.random_bytes()
    }

    pub(super) fn into_mint(self) -> IdMint {
        self.mint
    }

    pub fn read<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.state.read(key)
    }

    /// The bytes of a row after the newest decision.
    pub fn read_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        self.state.read_raw(key)
    }

    /// Whether the row exists. True without a key.
    pub fn has(&self, key: Option<Key>) -> Result<bool, StoreError> {
        key.map_or(Ok(true), |key| Ok(self.read_raw(&key)?.is_some()))
    }

    pub fn appointment(&self, id: AppointmentId) -> Result<Option<Appointment>, StoreError> {
        self.state.appointment(id)
    }

    pub fn contact(&self, id: ContactId) -> Result<Option<Contact>, StoreError> {
        self.read(&keys::contact(self.state.id, id))
    }

    /// The contact to which this index row of a phone number or an email address refers. An undecodable
    /// contact counts as missing, so it never blocks other requests with that phone or email.
    pub fn contact_at(&self, row: &Key) -> Result<Option<Contact>, StoreError> {
        let Some(id) = self.read_raw(row)? else { return Ok(None) };
        let contact = keys::id_at_end(&id).and_then(|id| self.contact(id));
        Ok(self.state.store.usable(row, contact)?.flatten())
    }

    /// A record after the newest decision. `None` if the record cannot be decoded.
    pub fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.state.find(key)
    }

    /// The value of a read. `None` if the row cannot be decoded; other errors are returned.
    pub fn usable<T>(&self, row: &Key, read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        self.state.store.usable(row, read)
    }

    pub fn has_condition(&self) -> bool {
        self.request.if_match.is_some()
    }

    /// Returns [`Refusal::Conflict`] with the path `If-Match` when the request's `If-Match` does not match
    /// the resource.
    pub fn check_match<V: Serialize>(&self, resource: &V) -> Result<(), Refusal> {
        match &self.request.if_match {
            None | Some(IfMatch::Any) => Ok(()),
            Some(IfMatch::Tags(tags)) => {
                let tag = view::etag(&view::render(resource));
                if tags.contains(&tag) {
                    return Ok(());
                }
                Err(Refusal::conflict(Conflict::Changed, "If-Match", ProblemCode::EntityTagNow(tag)))
            }
        }
    }

    /// The contact of a record. `None` for an erased contact whose records are not cleaned yet.
    pub fn contact_of(&self, id: Option<ContactId>) -> Result<Option<Contact>, StoreError> {
        self.state.contact_of(id)
    }

    pub fn show_message(&self, message: &TakenMessage) -> Result<MessageView, StoreError> {
        self.state.show_message(message)
    }

    /// Whether an endpoint subscribes to the event. Without a subscribed endpoint, no event is written.
    pub fn announces(&self, event: EventType) -> bool {
        self.state.webhooks.values().any(|endpoint| endpoint.events.contains(event))
    }

    pub fn show<V: SomeAppointmentView>(&self, appointment: &Appointment, contact: Option<&Contact>) -> V {
        self.state.show(appointment, contact)
    }

    pub fn unknown_services(&self, ids: &[ServiceId]) -> Vec<Problem> {
        let unknown = ids.iter().enumerate().filter(|(_, id)| !self.state.services.contains_key(id));
        unknown
            .map(|(at, _)| {
                Problem::new(format!("service_ids[{at}]"), ProblemCode::NotOfTheBusiness(Named::Service))
            })
            .collect()
    }

    pub fn service(&self, id: ServiceId) -> Option<&'a domain::Service> {
        self.state.services.get(&id).map(Box::as_ref)
    }

    pub fn staff(&self, id: StaffId) -> Option<&'a domain::StaffMember> {
        self.state.staff.get(&id).map(Box::as_ref)
    }

    pub fn staff_members(&self) -> impl Iterator<Item = &'a domain::StaffMember> {
        self.state.staff.values().map(Box::as_ref)
    }

    /// Whether a new reference exists since the watch began. `None` when the watch is unknown.
    pub fn referred_to(&self, id: uuid::Uuid, watch: &Watch) -> Option<bool> {
        self.state.references.referred_to(id, watch)
    }

    pub fn webhook(&self, id: WebhookId) -> Option<&'a WebhookEndpoint> {
        self.state.webhooks.get(&id)
    }

    pub fn webhooks(&self) -> impl Iterator<Item = &'a WebhookEndpoint> {
        self.state.webhooks.values()
    }

    pub fn budget(&self) -> &'a Budget {
        &self.state.budget.limits
    }

    pub fn used(&self) -> Usage {
        self.state.budget.used()
    }

    pub fn has_room<R: Record>(&self, kind: BudgetKind, record: &R) -> bool {
        let more = Amount::row(record.encode().len());
        self.budget().has_room(kind, self.state.budget.usage.of(kind), more)
    }

    /// Returns [`Refusal::Conflict`] at `path` when the budget has no room for the record. The write of a new
    /// record repeats the check, with the name of the kind as its path.
    pub fn check_budget<R: Record>(&self, kind: BudgetKind, record: &R, path: &str) -> Result<(), Refusal> {
        let more = Amount::row(record.encode().len());
        self.budget().check(kind, self.state.budget.usage.of(kind), more, path)
    }

    pub fn business_id(&self) -> domain::BusinessId {
        self.state.id
    }
}
