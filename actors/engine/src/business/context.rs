//! Where a change is decided: what it may look at.

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

/// What a change is decided on: the newest state of the business, the instant, and the ids it may use.
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

    /// The stamp of the change: the present, or the earliest instant that it may bear where that is later.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// What time it is believed to be.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// How far steady time has come.
    pub fn steady(&self) -> SteadyTime {
        self.state.clocks.steady()
    }

    /// For how long things are kept.
    pub fn retention(&self) -> Retention {
        self.state.retention
    }

    /// The profile.
    pub fn business(&self) -> &'a Business {
        &self.state.business
    }

    /// The schedule as of now.
    pub fn schedule(&self) -> Schedule<'a> {
        self.state.schedule(self.now)
    }

    /// Of the appointments that a change concerns, those that lie outside of when bookings can be made, once it has made
    /// this of the schedule.
    pub fn affected<'b>(
        &'b self,
        concerned: &Concerned,
        changed: impl FnOnce(Schedule<'b>) -> Schedule<'b>,
    ) -> AffectedView {
        AffectedView::new(changed(self.schedule()).outside(concerned))
    }

    /// What the business is at on some dates.
    pub fn special_days(&self) -> &'a SpecialDays {
        &self.state.special
    }

    /// When staff members are away.
    pub fn blocked(&self) -> &'a Blocked {
        &self.state.blocked
    }

    /// Who asks.
    pub fn actor(&self) -> Actor {
        self.request.actor
    }

    /// The people of the business.
    pub fn team(&self) -> &'a Team {
        &self.state.people
    }

    /// Whether mail is sent.
    pub fn sends_mail(&self) -> bool {
        self.state.outbox.outside().is_some()
    }

    /// Whether one more mail of the business may wait.
    pub fn has_room_for_mail(&self) -> bool {
        self.state.outbox.room(self.state.accounts.waiting.mails()) > 0
    }

    /// The number of the newest alert that a person ever had; 0 where there was none.
    ///
    /// # Errors
    /// When the store fails.
    pub fn last_alert(&self, person: PersonId) -> Result<u64, StoreError> {
        last_alert(self.state, person)
    }

    /// Who asks, where that decides how far they may go with people.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for a key, and for somebody who does not belong.
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

    /// A new id.
    pub fn mint<I: ResourceId>(&mut self) -> I {
        self.mint.next(self.at, self.random())
    }

    /// So many random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.state.ports.random_bytes()
    }

    /// The ids minted so far, for the state to go on from.
    pub(super) fn into_mint(self) -> IdMint {
        self.mint
    }

    /// A record as the newest change left it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn read<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.state.read(key)
    }

    /// The bytes of a row as the newest change left them.
    ///
    /// # Errors
    /// When the store fails.
    pub fn read_raw(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        self.state.read_raw(key)
    }

    /// Whether there is something under the key, if one is given at all.
    ///
    /// # Errors
    /// When the store fails.
    pub fn has(&self, key: Option<Key>) -> Result<bool, StoreError> {
        key.map_or(Ok(true), |key| Ok(self.read_raw(&key)?.is_some()))
    }

    /// An appointment by id.
    ///
    /// # Errors
    /// When the store fails.
    pub fn appointment(&self, id: AppointmentId) -> Result<Option<Appointment>, StoreError> {
        self.state.appointment(id)
    }

    /// A contact by id.
    ///
    /// # Errors
    /// When the store fails.
    pub fn contact(&self, id: ContactId) -> Result<Option<Contact>, StoreError> {
        self.read(&keys::contact(self.state.id, id))
    }

    /// The contact whose phone or email stands under this index row. One that does not decode is as if it were not
    /// there: whoever has that number or address could do nothing else any more.
    ///
    /// # Errors
    /// When the store fails.
    pub fn contact_at(&self, row: &Key) -> Result<Option<Contact>, StoreError> {
        let Some(id) = self.read_raw(row)? else { return Ok(None) };
        let contact = keys::id_at_end(&id).and_then(|id| self.contact(id));
        Ok(self.state.store.usable(row, contact)?.flatten())
    }

    /// The record of a key as the newest decision left it, or nothing if it is set aside.
    ///
    /// # Errors
    /// When the store fails.
    pub fn find<R: Record>(&self, key: &Key) -> Result<Option<R>, StoreError> {
        self.state.find(key)
    }

    /// What was read of a row, or nothing where it does not decode.
    ///
    /// # Errors
    /// Every other error.
    pub fn usable<T>(&self, row: &Key, read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        self.state.store.usable(row, read)
    }

    /// Whether the request asks for the resource to be in some state.
    pub fn has_condition(&self) -> bool {
        self.request.if_match.is_some()
    }

    /// Refuses the change when the request's `If-Match` does not match the resource as it is.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] with the path `If-Match`.
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

    /// The contact of a record, unless they were erased: what tells of them goes in steps behind that.
    ///
    /// # Errors
    /// When the store fails.
    pub fn contact_of(&self, id: Option<ContactId>) -> Result<Option<Contact>, StoreError> {
        self.state.contact_of(id)
    }

    /// A message as the API shows it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn show_message(&self, message: &TakenMessage) -> Result<MessageView, StoreError> {
        self.state.show_message(message)
    }

    /// Whether an endpoint subscribes to an event. Without one the event need not be made.
    pub fn announces(&self, event: EventType) -> bool {
        self.state.webhooks.values().any(|endpoint| endpoint.events.contains(event))
    }

    /// An appointment as the API shows it.
    pub fn show<V: SomeAppointmentView>(&self, appointment: &Appointment, contact: Option<&Contact>) -> V {
        self.state.show(appointment, contact)
    }

    /// The problems of staff and service ids that a request lists.
    pub fn unknown_services(&self, ids: &[ServiceId]) -> Vec<Problem> {
        let unknown = ids.iter().enumerate().filter(|(_, id)| !self.state.services.contains_key(id));
        unknown
            .map(|(at, _)| {
                Problem::new(format!("service_ids[{at}]"), ProblemCode::NotOfTheBusiness(Named::Service))
            })
            .collect()
    }

    /// A service of the business.
    pub fn service(&self, id: ServiceId) -> Option<&'a domain::Service> {
        self.state.services.get(&id).map(Box::as_ref)
    }

    /// A staff member of the business.
    pub fn staff(&self, id: StaffId) -> Option<&'a domain::StaffMember> {
        self.state.staff.get(&id).map(Box::as_ref)
    }

    /// Every staff member of the business.
    pub fn staff_members(&self) -> impl Iterator<Item = &'a domain::StaffMember> {
        self.state.staff.values().map(Box::as_ref)
    }

    /// Whether anything has come to refer to this since the watch began; `None` when that is not known.
    pub fn referred_to(&self, id: uuid::Uuid, watch: &Watch) -> Option<bool> {
        self.state.references.referred_to(id, watch)
    }

    /// A webhook endpoint of the business.
    pub fn webhook(&self, id: WebhookId) -> Option<&'a WebhookEndpoint> {
        self.state.webhooks.get(&id)
    }

    /// Every webhook endpoint of the business.
    pub fn webhooks(&self) -> impl Iterator<Item = &'a WebhookEndpoint> {
        self.state.webhooks.values()
    }

    /// What the operator allows the business to keep.
    pub fn budget(&self) -> &'a Budget {
        &self.state.accounts.budget
    }

    /// How much of every kind there is.
    pub fn used(&self) -> Usage {
        self.state.accounts.used()
    }

    /// Whether a record finds room in the budget of its kind.
    pub fn has_room<R: Record>(&self, kind: BudgetKind, record: &R) -> bool {
        let more = Amount::row(record.encode().len());
        self.budget().has_room(kind, self.state.accounts.usage.of(kind), more)
    }

    /// Refuses a record that finds no room in the budget of its kind, at the property that asks for it. Whatever is
    /// created is checked again when it is written, at the name of its kind.
    ///
    /// # Errors
    /// [`Refusal::Conflict`].
    pub fn check_budget<R: Record>(&self, kind: BudgetKind, record: &R, path: &str) -> Result<(), Refusal> {
        let more = Amount::row(record.encode().len());
        self.budget().check(kind, self.state.accounts.usage.of(kind), more, path)
    }

    /// The id of the business.
    pub fn business_id(&self) -> domain::BusinessId {
        self.state.id
    }
}
