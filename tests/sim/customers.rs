//! Customers: bookings on the booking page, and moves and cancellations through manage links.
//!
//! The audit log does not state which customer has made a change. Each booking has a unique customer name. The
//! appointment keeps this name, so the name identifies the booking. A change through a link is identified by its
//! appointment, its times and the time of the change.
//!
//! Invariants:
//!
//! - An appointment keeps the data that its customer entered, and never gets the data of another request.
//! - A link shows the present state of its appointment. It works only at the business of this appointment.
//! - A listed time can be booked, and an appointment can be moved to it. A time that is not listed is refused.
//! - An appointment is moved through its links at most five times in total.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    Actor, Appointment, AppointmentId, AuditAction, AuditEntry, BookedAs, Locale, ResourceId, Slug, Source,
    Timestamp,
};
use engine::business::commands::appointments::{Cancel, Reschedule};
use engine::business::commands::customers::{BookOnline, CancelByLink, ManageToken, MintLink, MoveByLink};
use engine::business::commands::website::PatchWebsite;
use engine::business::{Answer, Change, Request, SeenByLink};
use engine::{BusinessHandle, EngineError};
use parking_lot::Mutex;
use serde_json::Value;
use store::Weight;
use view::AppointmentView;

use crate::dice::Dice;
use crate::ledger::{Came, Entry, Ledger};
use crate::life::Life;
use crate::model::{Effects, Model, Span};
use crate::ops::{AnyChange, Op};
use crate::rows::Rows;
use crate::rules::instant;
use crate::shop::{Shop, email, phone, text};
use crate::sim::Sim;
use crate::wide::Workload;

const CUSTOMER: Party = Party::Integration { allow_pending: true };
const MOVES_MAX: u8 = 5;
/// The links of an appointment expire this long after its end.
const LINK_KEPT: TimeDelta = TimeDelta::days(30);
/// The maximum number of links of an appointment.
pub(crate) const LINKS_MAX: usize = 32;

/// A change through a manage link, together with the appointment of the link.
#[derive(Clone, Debug)]
pub(crate) struct ByLink<C> {
    pub(crate) appointment: AppointmentId,
    pub(crate) change: C,
}

pub(crate) type MoveOnline = ByLink<MoveByLink>;
pub(crate) type CancelOnline = ByLink<CancelByLink>;

impl<C: Change + 'static> AnyChange for ByLink<C> {
    fn weight(&self) -> Weight {
        Change::weight(&self.change)
    }

    async fn ask(self, of: &BusinessHandle, request: Request) -> Result<Answer<Vec<u8>>, EngineError> {
        AnyChange::ask(self.change, of, request).await
    }
}

/// The customers of a seed.
pub(crate) struct Customers {
    dice: Dice,
    /// The links that were created since the last call of [`Sim::learn`]. Each has the index of its business.
    minted: Arc<Mutex<Vec<(usize, AppointmentId, ManageToken)>>>,
}

impl Customers {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed ^ 0xc057), minted: Arc::default() }
    }
}

/// Returns the appointment as it was after an entry of the audit log. It is computed from the current appointment by
/// undoing all later changes.
fn after(made: &AuditEntry, rows: &Rows) -> Value {
    let mut shown = rows.shown[&made.resource_id].clone();
    shown.as_object_mut().unwrap().remove("notes");
    let later = rows.audit.iter().rev().take_while(|entry| entry.id != made.id);
    for change in later.filter(|entry| entry.resource_id == made.resource_id).flat_map(|entry| &entry.changes)
    {
        if let Some(value) = shown.get_mut(&change.field) {
            *value = serde_json::from_str(&change.from).unwrap();
        }
    }
    shown["id"] = made.resource_id.to_string().into();
    shown["updated_at"] = made.at.to_string().into();
    shown
}

fn check_entered(online: &BookOnline, appointment: &Appointment) {
    let entered = BookedAs {
        name: Some(online.name.as_str().to_owned()),
        phone: online.phone.clone(),
        email: online.email.clone(),
        locale: online.locale,
        texts: online.texts,
    };
    assert_eq!(appointment.booked_as.as_ref(), Some(&entered), "{online:?}");
    assert_eq!(
        appointment.customer_note.as_deref(),
        online.note.as_ref().map(|note| note.as_str()),
        "{online:?}"
    );
    assert_eq!(appointment.source, Source::Website, "{online:?}");
}

impl Model {
    /// Replays a change that a customer made.
    pub(crate) fn replay_customer(
        &mut self,
        rows: &Rows,
        requests: &Ledger,
        group: &[AuditEntry],
        span: Span,
    ) -> Effects {
        let made = &group[group.len() - 1];
        let (id, body) = (made.resource_id, after(made, rows));
        let entry = match made.action {
            AuditAction::AppointmentBooked | AuditAction::AppointmentRequested => {
                let appointment = &rows.appointments[&id.into()];
                let name = appointment.booked_as.as_ref().and_then(|entered| entered.name.as_deref());
                let number = name.and_then(|name| name.rsplit(' ').next()?.parse().ok());
                let number = number.unwrap_or_else(|| panic!("no customer booked {appointment:?}"));
                let entry = requests.entry(number);
                let Op::BookOnline(online) = &entry.tried.op else {
                    panic!("the request #{number} is not a booking on the page")
                };
                check_entered(online, appointment);
                entry
            }
            _ => self
                .by_link(requests, made, &body)
                .unwrap_or_else(|| panic!("no request of a customer caused this entry: {made:?}")),
        };
        self.replay_with(&entry, &body, group, span)
    }

    /// Returns the request that caused this entry, if it was made through a manage link.
    fn by_link(&self, requests: &Ledger, made: &AuditEntry, body: &Value) -> Option<Entry> {
        let before = instant(&self.newest[&made.resource_id], "starts_at");
        requests.find(|entry| {
            let is_it = match (&entry.tried.op, made.action) {
                (Op::MoveOnline(MoveOnline { appointment, change }), AuditAction::AppointmentRescheduled) => {
                    appointment.uuid() == made.resource_id
                        && change.expected_starts_at == before
                        && change.starts_at == instant(body, "starts_at")
                }
                (
                    Op::CancelOnline(CancelOnline { appointment, change }),
                    AuditAction::AppointmentCancelled,
                ) => appointment.uuid() == made.resource_id && change.expected_starts_at == before,
                _ => false,
            };
            let is_open = entry.came != Came::Refused && !self.carried_out.contains(&entry.tried.by);
            is_it && is_open && entry.believed.0 <= made.at
        })
    }

    /// Returns the change that a request through a manage link makes. Checks that the settings allow it.
    pub(crate) fn made_by_link(&mut self, op: &Op, before: &Value) -> Op {
        assert_ne!(self.website["change_by_caller"], false, "customers may not change {before}");
        let (op, expected): (Op, _) = match op {
            Op::MoveOnline(MoveOnline { appointment: id, change }) => {
                let moves = self.moves.entry(id.uuid()).or_default();
                *moves += 1;
                assert!(*moves <= MOVES_MAX, "{before} was moved through links too often");
                let request = MoveRequest {
                    starts_at: change.starts_at,
                    staff_id: None,
                    party: CUSTOMER,
                    duration: None,
                };
                (Reschedule { id: *id, request }.into(), change.expected_starts_at)
            }
            Op::CancelOnline(CancelOnline { appointment: id, change }) => {
                (Cancel { id: *id }.into(), change.expected_starts_at)
            }
            other => unreachable!("{other:?} cannot be made through a link"),
        };
        assert_eq!(instant(before, "starts_at"), expected, "the appointment has another start");
        op
    }
}

impl Sim {
    /// Enables the booking page and the notices of each business.
    pub(crate) async fn found_pages(&self, life: &Life) {
        if self.workload != Workload::Wide {
            return;
        }
        for shop in &self.shops {
            let patch = PatchWebsite { enabled: Some(true), ..PatchWebsite::default() };
            let handle = life.engine.business(shop.id);
            handle.patch_website(Request::by(Actor::Operator), patch).await.unwrap();
            self.world.mails.send_notices_of(shop.id);
        }
    }

    /// Records the links that were created.
    pub(crate) fn learn_links(&mut self) {
        for (shop, appointment, token) in self.customers.minted.lock().drain(..) {
            self.shops[shop].links.push((appointment, token));
        }
    }

    /// With a probability of 1 in 4, performs one random action of a customer. Only the workload [`Workload::Wide`] has
    /// such actions.
    pub(crate) async fn some_customer(&mut self, life: &mut Life) {
        if self.workload != Workload::Wide || !self.customers.dice.once_in(4) {
            return;
        }
        let dice = &self.customers.dice;
        let shop = dice.below(self.shops.len());
        let link = dice.any(&(0..self.shops[shop].links.len()).collect::<Vec<_>>());
        let link = link.map(|at| self.shops[shop].links[at].clone());
        let foreign = dice.once_in(20);
        let at = if foreign { (shop + 1) % self.shops.len() } else { shop };
        let op: Op = match (dice.below(20), link) {
            (0..=2, Some((appointment, _))) => return self.mint(life, shop, appointment),
            (3..=11, Some((appointment, token))) => {
                let Some(starts_at) = self.start_of(life, shop, appointment).await else { return };
                let dice = &self.customers.dice;
                let expected_starts_at =
                    if dice.once_in(8) { starts_at + TimeDelta::minutes(30) } else { starts_at };
                if dice.once_in(4) {
                    let change = CancelByLink { token, expected_starts_at };
                    CancelOnline { appointment, change }.into()
                } else {
                    let starts_at = Shop::some_time(dice, self.world.time.truth());
                    let change = MoveByLink { token, starts_at, expected_starts_at };
                    MoveOnline { appointment, change }.into()
                }
            }
            (12 | 13, Some(link)) => return self.probe_link(life, shop, link).await,
            (14 | 15, _) => return self.change_page(life, shop),
            _ => self.book_online(shop, None).into(),
        };
        let tried = self.ask(life, at, op, foreign);
        if self.customers.dice.once_in(4) {
            self.ask_again(life, &tried, true);
        }
    }

    /// Returns the current start of an appointment, as a client reads it.
    async fn start_of(&self, life: &Life, shop: usize, id: AppointmentId) -> Option<Timestamp> {
        let shown = life.engine.business(self.shops[shop].id).appointment(id).await;
        shown.ok().flatten().map(|shown: AppointmentView| shown.starts_at)
    }

    /// Returns a booking on the page. `wanted` contains the service, the staff member and the time. If
    /// `wanted` is `None`, they are random.
    pub(crate) fn book_online(&self, shop: usize, wanted: Option<BookRequest>) -> BookOnline {
        let (dice, of) = (&self.customers.dice, &self.shops[shop]);
        let number = dice.below(18);
        let has_phone = !dice.once_in(3);
        let request = wanted.unwrap_or_else(|| BookRequest {
            service_id: *dice.pick(&of.services),
            starts_at: Shop::some_time(dice, self.world.time.truth()),
            staff_id: dice.maybe(2, || *dice.pick(&of.staff)),
            source: Source::Website,
            party: CUSTOMER,
            duration: None,
        });
        BookOnline {
            request,
            name: text(&format!("Customer {}", self.ledger.len())),
            phone: has_phone.then(|| phone(number)),
            email: (!has_phone || dice.once_in(2)).then(|| email(number)),
            note: dice.maybe(2, || text("Please ring twice.")),
            locale: *dice.pick(&[Locale::En, Locale::Fr]),
            texts: dice.once_in(2),
        }
    }

    /// Creates links for an appointment: either one, or so many that the oldest ones expire.
    fn mint(&self, life: &mut Life, shop: usize, appointment_id: AppointmentId) {
        let count = if self.customers.dice.once_in(10) { LINKS_MAX } else { 1 };
        self.world.say(format_args!("{count} links of {appointment_id} are created"));
        let (handle, minted) =
            (life.engine.business(self.shops[shop].id), Arc::clone(&self.customers.minted));
        life.spawn(async move {
            for _ in 0..count {
                let mint = MintLink { appointment_id, to: None };
                let Ok(answer) = handle.change(Request::by(Actor::Customer), mint).await else { return };
                let token = ManageToken::parse(&answer.value.token).unwrap();
                minted.lock().push((shop, appointment_id, token));
            }
        });
    }

    /// Changes the settings of a booking page. Two businesses may choose the same slug.
    fn change_page(&self, life: &mut Life, shop: usize) {
        let dice = &self.customers.dice;
        let patch = PatchWebsite {
            slug: dice.maybe(3, || Slug::new(&format!("page-{}", dice.below(4)))),
            change_by_caller: Some(!dice.once_in(4)),
            change_notice_minutes: Some(dice.maybe(2, || *dice.pick(&[0, 60, 2_000]))),
            ..PatchWebsite::default()
        };
        self.world.say(format_args!("the booking page of {shop} is changed: {patch:?}"));
        let handle = life.engine.business(self.shops[shop].id);
        life.spawn(async move { _ = handle.patch_website(Request::by(Actor::Operator), patch).await });
    }

    /// Checks a link while no other changes are made. It must show its appointment. The appointment can be moved to a
    /// listed time, and to no other time.
    async fn probe_link(&mut self, life: &mut Life, shop: usize, link: (AppointmentId, ManageToken)) {
        life.quiet().await;
        self.learn();
        if !self.world.has_room() {
            return;
        }
        self.rested(life, shop).await;
        let ((id, token), handle) = (link, life.engine.business(self.shops[shop].id));
        let (seen, shown) = (handle.seen_by_link(&token).await, handle.appointment(id).await);
        let (Ok(seen), Ok(Some(shown))) = (&seen, &shown) else {
            assert!(self.world.failed(), "a link could not be looked up: {seen:?}, {shown:?}");
            return;
        };
        let shown: &AppointmentView = shown;
        let links = self.shops[shop].links.iter().filter(|(of, _)| *of == id).count();
        let has_ended = shown.ends_at + LINK_KEPT <= handle.now();
        let Some(seen) = seen else {
            // The outcome of some requests that create links is unknown, so the test does not know exactly how many
            // links exist.
            assert!(has_ended || links > LINKS_MAX - 8, "a link of {id} has ended early");
            return;
        };
        assert!(!has_ended, "a link of {id} has not ended");
        let SeenByLink { appointment, .. } = seen;
        assert_eq!(
            (appointment.id, appointment.starts_at, appointment.ends_at, appointment.status),
            (id, shown.starts_at, shown.ends_at, shown.status),
        );
        assert_eq!((appointment.staff_id, appointment.updated_at), (shown.staff_id, shown.updated_at));
        let other = life.engine.business(self.shops[(shop + 1) % self.shops.len()].id);
        let elsewhere = other.seen_by_link(&token).await;
        assert!(!matches!(elsewhere, Ok(Some(_))), "another business shows a link of {id}");
        let today = handle.now().utc().with_timezone(&self.shops[shop].zone).date_naive();
        let day = today + TimeDelta::days(i64::try_from(self.customers.dice.below(3)).unwrap());
        let listed = match handle.times_to_move(&token, (day, day)).await {
            Ok(listed) => listed.unwrap(),
            Err(_) if self.world.failed() => return,
            Err(error) => panic!("the times to move {id} could not be listed: {error}"),
        };
        self.world.say(format_args!("{id} can be moved to {} times on {day}", listed.len()));
        let (expected_starts_at, unlisted) = (appointment.starts_at, self.time_of(shop, day));
        let move_to = |starts_at| {
            let change = MoveByLink { token: token.clone(), starts_at, expected_starts_at };
            MoveOnline { appointment: id, change }
        };
        if unlisted != expected_starts_at && !listed.iter().any(|slot| slot.starts_at == unlisted) {
            let came = self.came(life, shop, move_to(unlisted).into()).await;
            assert!(!matches!(came, Came::Done(_)), "{id} was moved to {unlisted}, which is not listed");
        }
        let Some(slot) = (!listed.is_empty()).then(|| *self.customers.dice.pick(&listed)) else {
            return;
        };
        let came = self.came(life, shop, move_to(slot.starts_at).into()).await;
        let may_move = seen.may_move();
        assert!(
            may_move || !matches!(came, Came::Done(_)),
            "{id} was moved, although it must not be moved any more"
        );
        let still = matches!(handle.seen_by_link(&token).await, Ok(Some(seen)) if seen.may_move());
        let passed = slot.starts_at <= handle.now();
        assert!(
            !still || passed || came != Came::Refused,
            "{id} can be moved to {}, but this was refused",
            slot.starts_at
        );
    }

    /// Sends a request while no other changes are made, and returns its outcome.
    pub(crate) async fn came(&mut self, life: &mut Life, shop: usize, op: Op) -> Came {
        let tried = self.ask(life, shop, op, false);
        life.quiet().await;
        self.learn();
        self.ledger.entry(tried.number).came
    }
}
