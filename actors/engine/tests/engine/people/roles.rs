//! The rights of each role, in one table with a row for every change. The test requests each change as a
//! person of each role, and as a person who is not a member.

use std::collections::BTreeSet;

use domain::booking::{MoveRequest, Party};
use domain::{
    AuditAction, BlockedTimeId, Channel, ContactDetails, ContactPatch, DayWindows, Denied, DisabledReason,
    EndedBy, EventTypes, FeedDetail, KnowledgeDetails, KnowledgePatch, LinkKind, MembershipPatch, PersonId,
    Refusal, Role, Scopes, StaffId, Text, Timestamp, WebhookSecret, WebhookUrl,
};
use engine::business::commands::appointments::{
    BookNoted, Cancel, Confirm, Decline, PatchAppointment, Reschedule,
};
use engine::business::commands::budget::PatchBudget;
use engine::business::commands::calendars::{
    DisconnectCalendar, PatchCalendar, ReadCalendar, RemoveCalendar,
};
use engine::business::commands::calls::MarkCall;
use engine::business::commands::catalog::{
    CreateFirstServices, CreateService, CreateStaff, DeleteService, DeleteStaff, PatchService, PatchStaff,
    SetServiceStaff,
};
use engine::business::commands::contacts::{CreateContact, MergeContacts, NoteExport, PatchContact};
use engine::business::commands::conversations::{
    DeleteConversation, DeleteGap, EndConversation, ReplyByTeam,
};
use engine::business::commands::diary::{
    AddTimeOff, CloseDays, DeleteSpecialDay, DeleteTimeOff, OffSpan, SetSpecialDay,
};
use engine::business::commands::erasure::{EndBusiness, EraseContact, PatchRetention};
use engine::business::commands::feeds::{CreateFeed, RevokeFeed};
use engine::business::commands::guarded::{BookOnce, StartingAt};
use engine::business::commands::keys::{CreateKey, RevokeKey};
use engine::business::commands::knowledge::{AddKnowledge, DeleteKnowledge, PatchKnowledge};
use engine::business::commands::mails::ResendMail;
use engine::business::commands::messages::PatchMessage;
use engine::business::commands::notices::{SendNoticeAgain, SetConsent};
use engine::business::commands::offers::{AcceptMembership, DeclineMembership};
use engine::business::commands::people::{
    AddMember, NoteLink, PatchMember, PatchNotifications, RemoveMember,
};
use engine::business::commands::profile::{PatchBusiness, PatchProfile};
use engine::business::commands::receptionist::PatchReceptionist;
use engine::business::commands::webhooks::{
    CreateWebhook, DeleteWebhook, OperatorCreateWebhook, PatchWebhook, RotateSecret,
};
use engine::business::commands::website::{PatchNotices, PatchWebsite};
use engine::business::commands::writing::WriteAppointment;
use engine::business::{CHANGES, Change, Request};
use engine::{BusinessHandle, EngineError};
use uuid::Uuid;

use super::{by, invitation, invite, member, refusal, world};
use crate::erasing::{call, message};
use crate::harness::{Shop, World, at, by_operator, calendar_of, offer_to, text};
use crate::receptionist;

/// A change, and the right of each role (owner, admin and member) to make it.
struct Row {
    change: &'static str,
    may: &'static str,
}

/// One letter each for owner, admin and member: `c` for change, `r` for read, `-` for hidden.
const TABLE: &[Row] = &[
    row("Book", "ccc"),
    row("BookOnce", "ccc"),
    row("BookNoted", "ccc"),
    row("Reschedule", "ccc"),
    row("StartingAt<Reschedule>", "ccc"),
    row("Confirm", "ccc"),
    row("Decline", "ccc"),
    row("Cancel", "ccc"),
    row("StartingAt<Cancel>", "ccc"),
    row("TakeMessage", "ccc"),
    row("MarkCall", "ccc"),
    row("PatchMessage", "ccc"),
    row("StartConversation", "ccc"),
    row("TakeTurn", "ccc"),
    row("EndConversation", "ccc"),
    row("ReplyByTeam", "ccc"),
    row("DeleteConversation", "cc-"),
    row("RecordCall", "ccc"),
    row("CreateContact", "ccc"),
    row("PatchAppointment", "ccc"),
    row("PatchContact", "ccc"),
    row("SetConsent", "ccc"),
    row("PatchBusiness", "ccr"),
    row("PatchProfile", "ccr"),
    row("SetWebsite", "ccr"),
    row("PatchNotices", "ccr"),
    row("PatchReceptionist", "ccr"),
    row("PatchReceptionist with tokens", "---"),
    row("DeleteGap", "ccr"),
    row("CreateService", "ccr"),
    row("CreateFirstServices", "ccr"),
    row("PatchService", "ccr"),
    row("SetServiceStaff", "ccr"),
    row("DeleteService", "ccr"),
    row("CreateStaff", "ccr"),
    row("PatchStaff", "ccr"),
    row("DeleteStaff", "ccr"),
    row("SetSpecialDay", "ccr"),
    row("CloseDays", "ccr"),
    row("DeleteSpecialDay", "ccr"),
    // These rows are about another staff member. A person can always change their own time off.
    row("AddTimeOff", "ccr"),
    row("DeleteTimeOff", "ccr"),
    row("AddKnowledge", "ccr"),
    row("PatchKnowledge", "ccr"),
    row("DeleteKnowledge", "ccr"),
    row("NoteExport", "cc-"),
    row("EraseContact", "cc-"),
    row("MergeContacts", "cc-"),
    row("PatchRetention", "cc-"),
    row("PatchRetention of the audit log", "cr-"),
    // This row is about a feed of the whole business. A member can have feeds of the staff member to whom the member
    // is linked: see `feeds.rs`.
    row("CreateFeed", "ccr"),
    row("RevokeFeed", "ccc"),
    // These changes name a staff member or a calendar that does not exist. So every role gets the refusal `NotFound`,
    // and `verdict` returns `c` for this refusal. These rows therefore do not test the rule that a member may manage
    // only the calendars of the staff member to whom the member is linked.
    row("ConnectCalendar", "ccc"),
    row("PatchCalendar", "ccc"),
    row("DisconnectCalendar", "ccc"),
    row("ReadCalendar", "ccc"),
    row("RemoveCalendar", "ccc"),
    row("WriteAppointment", "ccc"),
    row("CreateKey", "cc-"),
    row("RevokeKey", "cc-"),
    row("CreateWebhook", "cc-"),
    row("ResendMail", "cc-"),
    row("SendNoticeAgain", "cc-"),
    row("OperatorCreateWebhook", "cc-"),
    row("PatchWebhook", "cc-"),
    row("DeleteWebhook", "cc-"),
    row("RotateSecret", "cc-"),
    row("AddMember", "cc-"),
    row("AddMember as an owner", "cr-"),
    row("PatchMember", "cc-"),
    row("RemoveMember", "cc-"),
    row("PatchBusiness that suspends", "---"),
    row("PatchProfile that suspends", "---"),
    row("PatchBudget", "---"),
    row("NoteLink", "---"),
    row("EndBusiness", "---"),
];

/// The changes that have no row in the table, each with the reason.
const WITHOUT: &[(&str, &str)] = &[
    ("EndOverdue", "only the service makes this change"),
    ("FinishTurn", "the last step of TakeTurn, with its right"),
    ("TurnOff", "only the service makes this change"),
    ("StoreEvents", "only the service makes this change"),
    ("RecordRead", "only the service makes this change"),
    ("CompleteConversation", "only the service makes this change"),
    ("EndRemoval", "only the service makes this change"),
    ("ForgetWrites", "only the service makes this change"),
    ("RecordSeen", "only the service makes this change"),
    ("RecordWrite", "only the service makes this change"),
    ("StepTask", "only the service makes this change"),
    ("StopWrites", "only the service makes this change"),
    ("AlertOfFailing", "only the service makes this change"),
    ("AcceptMembership", "a person makes it only for themselves: see below"),
    ("DeclineMembership", "a person makes it only for themselves: see below"),
    ("PatchNotifications", "a person changes only their own settings: see `people.rs`"),
    ("ReadAlerts", "a person reads only their own alerts: see `alerts.rs`"),
    ("Unsubscribe", "the link in a mail requests it: see `alerts/mailed.rs`"),
    ("StopNotices", "the link in a mail requests it: see `notices.rs`"),
    ("BookOnline", "a visitor of the booking page requests it: see `customers.rs`"),
    ("MintLink", "only the service makes this change"),
    ("MoveByLink", "the manage link requests it: see `customers.rs`"),
    ("CancelByLink", "the manage link requests it: see `customers.rs`"),
];

const fn row(change: &'static str, may: &'static str) -> Row {
    Row { change, may }
}

/// The requester, and the targets of changes.
struct Asking<'a> {
    of: &'a BusinessHandle,
    shop: &'a Shop,
    who: PersonId,
    /// The member to whom the changes `PatchMember` and `NoteLink` apply. This member requests no change.
    other: PersonId,
    number: u8,
    /// The time at which the person last entered the password.
    password_at: Option<Timestamp>,
}

type Outcome = Result<(), EngineError>;

impl Asking<'_> {
    async fn ask(&self, change: impl Change + 'static) -> Outcome {
        self.of.change(Request { password_at: self.password_at, ..by(self.who) }, change).await.map(drop)
    }

    /// Requests the change that a row of the table names. The target does not have to exist, because rights are checked
    /// first.
    #[allow(clippy::too_many_lines, reason = "one line per change")]
    async fn row(&self, change: &str) -> Outcome {
        let nothing = Uuid::from_u128(7);
        let to = || MoveRequest { starts_at: at(2, 3), staff_id: None, party: TEAM, duration: None };
        let webhook = || {
            let url = WebhookUrl::parse("https://hooks.example.com/").unwrap();
            CreateWebhook { url, events: EventTypes::all(), description: Text::default() }
        };
        let id = nothing.into();
        let patch = MembershipPatch { role: Some(Role::Member), ..MembershipPatch::default() };
        let contact = ContactDetails { name: Some(text("Bo")), ..ContactDetails::default() };
        let person = || {
            let id: PersonId = Uuid::from_u128(100 + u128::from(self.number)).into();
            domain::Person { id, ..some_person() }
        };
        let span = || OffSpan::Instants { starts_at: at(3, 1), ends_at: at(3, 2) };
        let date = chrono::NaiveDate::from_ymd_opt(2026, 3, 9).unwrap();
        match change {
            "Book" => self.ask(self.shop.booking(at(1, i64::from(self.number)), 1)).await,
            "BookNoted" => {
                let book = self.shop.booking(at(3, i64::from(self.number)), 3);
                self.ask(BookNoted { book, notes: None }).await
            }
            "BookOnce" => self.ask(BookOnce(self.shop.booking(at(2, i64::from(self.number)), 2))).await,
            "Reschedule" => self.ask(Reschedule { id: nothing.into(), request: to() }).await,
            "StartingAt<Reschedule>" => {
                let change = Reschedule { id: nothing.into(), request: to() };
                self.ask(StartingAt { expected: vec![at(1, 1)], change }).await
            }
            "Confirm" => self.ask(Confirm { id: nothing.into() }).await,
            "Decline" => self.ask(Decline { id: nothing.into() }).await,
            "Cancel" => self.ask(Cancel { id: nothing.into() }).await,
            "StartingAt<Cancel>" => {
                self.ask(StartingAt { expected: vec![at(1, 1)], change: Cancel { id: nothing.into() } }).await
            }
            "ResendMail" => self.ask(ResendMail { id: nothing.into() }).await,
            "SendNoticeAgain" => self.ask(SendNoticeAgain { id: nothing.into() }).await,
            "SetConsent" => self.ask(SetConsent { id: nothing.into(), email: None, texts: None }).await,
            "SetWebsite" => {
                let request = Request { password_at: self.password_at, ..by(self.who) };
                self.of.patch_website(request, PatchWebsite::default()).await.map(drop)
            }
            "PatchNotices" => self.ask(PatchNotices::default()).await,
            "PatchReceptionist" => self.ask(PatchReceptionist::default()).await,
            "PatchReceptionist with tokens" => {
                let tokens_per_day = Some(1);
                self.ask(PatchReceptionist { tokens_per_day, ..PatchReceptionist::default() }).await
            }
            "DeleteGap" => self.ask(DeleteGap { id: nothing.into() }).await,
            "StartConversation" => self.ask(receptionist::start(Channel::Sms)).await,
            "TakeTurn" => self.ask(receptionist::say(nothing.into(), "Hello")).await,
            "EndConversation" => self.ask(EndConversation { id: nothing.into(), by: EndedBy::Team }).await,
            "ReplyByTeam" => self.ask(ReplyByTeam { id: nothing.into(), text: text("Hello") }).await,
            "DeleteConversation" => self.ask(DeleteConversation { id: nothing.into() }).await,
            "TakeMessage" => self.ask(message(None, None)).await,
            "PatchMessage" => self.ask(PatchMessage::of(nothing.into())).await,
            "RecordCall" => self.ask(call("+14155550123", None)).await,
            "MarkCall" => self.ask(MarkCall { id: nothing.into(), handled: true }).await,
            "CreateContact" => self.ask(CreateContact { details: contact }).await,
            "PatchAppointment" => self.ask(PatchAppointment::of(nothing.into())).await,
            "PatchContact" => {
                self.ask(PatchContact { id: nothing.into(), patch: ContactPatch::default() }).await
            }
            "PatchBusiness" => self.ask(renamed()).await,
            "PatchProfile" => self.ask(PatchProfile(renamed())).await,
            "PatchBusiness that suspends" => self.ask(PatchBusiness::suspending(false)).await,
            "PatchProfile that suspends" => self.ask(PatchProfile(PatchBusiness::suspending(false))).await,
            "CreateService" => self.ask(service()).await,
            "CreateFirstServices" => {
                self.ask(CreateFirstServices { profile: renamed(), services: Vec::new() }).await
            }
            "SetServiceStaff" => {
                self.ask(SetServiceStaff { id: nothing.into(), staff_ids: Vec::new() }).await
            }
            "PatchService" => self.ask(PatchService::of(nothing.into())).await,
            "DeleteService" => {
                let id = nothing.into();
                let watch = self.of.watch_unused_service(nothing.into()).await?;
                self.ask(DeleteService { id, watch }).await
            }
            "CreateStaff" => self.ask(CreateStaff::offering(text("Bo"), Vec::new())).await,
            "PatchStaff" => self.ask(PatchStaff::of(nothing.into())).await,
            "DeleteStaff" => {
                let watch = self.of.watch_unused_staff(nothing.into()).await?;
                self.ask(DeleteStaff { id: nothing.into(), watch }).await
            }
            "SetSpecialDay" => self.ask(SetSpecialDay { date, hours: DayWindows::CLOSED, note: None }).await,
            "CloseDays" => self.ask(CloseDays { dates: [(date, None)].into() }).await,
            "DeleteSpecialDay" => self.ask(DeleteSpecialDay { date }).await,
            "AddTimeOff" => {
                let staff_id = self.shop.staff[1];
                self.ask(AddTimeOff { staff_id, span: span(), note: None }).await
            }
            "DeleteTimeOff" => {
                let staff_id = self.shop.staff[1];
                self.ask(DeleteTimeOff { staff_id, id: nothing.into() }).await
            }
            "AddKnowledge" => {
                let (title, content) = (text("Parking"), Text::new("In the yard".into()).unwrap());
                let details = KnowledgeDetails { title, content, source_url: None, locale: None };
                self.ask(AddKnowledge { details }).await
            }
            "PatchKnowledge" => {
                self.ask(PatchKnowledge { id: nothing.into(), patch: KnowledgePatch::default() }).await
            }
            "DeleteKnowledge" => self.ask(DeleteKnowledge { id: nothing.into() }).await,
            "NoteExport" => self.ask(NoteExport(AuditAction::ContactsExported)).await,
            "MergeContacts" => {
                let (id, from) = (nothing.into(), nothing.into());
                self.ask(MergeContacts { id, from, phone: None, email: None }).await
            }
            "EraseContact" => self.ask(EraseContact { id: nothing.into() }).await,
            "PatchRetention" => {
                self.ask(PatchRetention { calls_days: Some(Some(30)), ..PatchRetention::default() }).await
            }
            "PatchRetention of the audit log" => {
                self.ask(PatchRetention { audit_days: Some(Some(90)), ..PatchRetention::default() }).await
            }
            "CreateFeed" => {
                let (detail, origin) = (FeedDetail::Times, String::new());
                self.ask(CreateFeed { staff_id: None, detail, origin }).await
            }
            "RevokeFeed" => self.ask(RevokeFeed { id: nothing.into() }).await,
            "ConnectCalendar" => self.ask(calendar_of(nothing.into(), "c")).await,
            "PatchCalendar" => {
                let patch = PatchCalendar {
                    id: nothing.into(),
                    name: Some("d".into()),
                    url: None,
                    login: None,
                    checked_for: None,
                    server_addresses: None,
                    busy: None,
                    write: None,
                    detail: None,
                    all_day: None,
                    own_addresses: None,
                };
                self.ask(patch).await
            }
            "DisconnectCalendar" => self.ask(DisconnectCalendar { id: nothing.into() }).await,
            "ReadCalendar" => self.ask(ReadCalendar { id: nothing.into() }).await,
            "RemoveCalendar" => self.ask(RemoveCalendar { id: nothing.into() }).await,
            "WriteAppointment" => {
                let (id, appointment_id) = (nothing.into(), nothing.into());
                self.ask(WriteAppointment { id, appointment_id }).await
            }
            "CreateKey" => self.ask(CreateKey { name: text("k"), scopes: Scopes::all() }).await,
            "RevokeKey" => self.ask(RevokeKey { id: nothing.into() }).await,
            "CreateWebhook" => self.ask(webhook()).await,
            "OperatorCreateWebhook" => self.ask(OperatorCreateWebhook(webhook())).await,
            "PatchWebhook" => {
                let (url, events, description, status) = (None, None, None, None);
                let reason = DisabledReason::Api;
                self.ask(PatchWebhook { id, url, events, description, status, reason }).await
            }
            "DeleteWebhook" => self.ask(DeleteWebhook { id }).await,
            "RotateSecret" => self.ask(RotateSecret { id, secret: WebhookSecret::new([1; 32]) }).await,
            "AddMember" => {
                let (person, role) = (person(), Role::Member);
                let offer = offer_to(&person);
                self.ask(AddMember { person, offer, role, staff_id: None, mail: None }).await
            }
            "AddMember as an owner" => {
                let id: PersonId = Uuid::from_u128(200 + u128::from(self.number)).into();
                let person = domain::Person { id, ..person() };
                let offer = offer_to(&person);
                self.ask(AddMember { person, offer, role: Role::Owner, staff_id: None, mail: None }).await
            }
            "PatchMember" => {
                let person = domain::Person { id: self.other, ..some_person() };
                self.ask(PatchMember { before: person.clone(), person, patch }).await
            }
            "RemoveMember" => self.ask(RemoveMember { id: nothing.into() }).await,
            "PatchBudget" => self.ask(PatchBudget { limits: Vec::new() }).await,
            "NoteLink" => {
                let (kind, expires_at) = (LinkKind::Enter, at(1, 1));
                self.ask(NoteLink { id: self.other, kind, expires_at }).await
            }
            "EndBusiness" => self.ask(EndBusiness { once: None }).await,
            other => panic!("the test has no request for {other}"),
        }
    }
}

const TEAM: Party = Party::TEAM;

fn renamed() -> PatchBusiness {
    PatchBusiness { name: Some(text("New")), ..PatchBusiness::default() }
}

fn service() -> CreateService {
    CreateService::lasting(text("Cut"), 30)
}

fn some_person() -> domain::Person {
    domain::Person {
        id: Uuid::nil().into(),
        email: "some@example.com".into(),
        name: String::new(),
        locale: domain::Locale::En,
        clock: domain::ClockFormat::Auto,
        week_start: domain::WeekStart::Auto,
        confirmed: false,
        password: None,
        created_at: at(0, 1),
        updated_at: at(0, 1),
        last_sign_in_at: None,
        sessions: Vec::new(),
        link: None,
        links_from: at(0, 1),
    }
}

/// The letter for a result: `c` for a permitted change (even if the target is missing), `r` for a refused
/// change, `-` for not found.
fn verdict<V: std::fmt::Debug>(asked: &Result<V, EngineError>) -> char {
    match asked {
        Err(EngineError::NotFound) => '-',
        Err(EngineError::Refused(Refusal::NotAllowed(_))) => 'r',
        Ok(_) | Err(EngineError::Refused(_)) => 'c',
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_change_has_a_row_in_the_table_of_rights() {
    let rows = TABLE.iter().map(|row| row.change.split(' ').next().unwrap());
    let rows: BTreeSet<_> = rows.chain(WITHOUT.iter().map(|(name, _)| *name)).collect();
    assert_eq!(rows, CHANGES.iter().copied().flatten().copied().collect());
}

async fn team(world: &World, shop: &Shop) -> Vec<PersonId> {
    let mut people = Vec::new();
    for (email, role) in [("o@example.com", Role::Owner), ("a@example.com", Role::Admin)] {
        people.push(member(world, shop, email, role).await.0);
    }
    people.push(member(world, shop, "m@example.com", Role::Member).await.0);
    people
}

#[tokio::test(start_paused = true)]
async fn each_role_has_the_rights_of_the_table_and_an_inactive_person_has_none() {
    let world = world().await;
    let (shop, elsewhere) = (world.shop(2).await, world.shop(1).await);
    let of = world.at(&shop);
    let roles = team(&world, &shop).await;
    let (other, _) = member(&world, &shop, "other@example.com", Role::Member).await;
    let invited = invite(&world, &shop, by_operator(), "invited@example.com", Role::Owner).await;
    let (disabled, _) = member(&world, &shop, "disabled@example.com", Role::Owner).await;
    let off = MembershipPatch { active: Some(false), ..MembershipPatch::default() };
    world.engine.people().patch_member(&of, by_operator(), (disabled, off, None)).await.unwrap();
    let (stranger, _) = member(&world, &elsewhere, "stranger@example.com", Role::Owner).await;
    let without_rights = [super::id(&invited), disabled, stranger, Uuid::from_u128(9).into()];
    let password_at = Some(world.engine.now());
    for Row { change, may } in TABLE {
        let mut found = String::new();
        for (number, who) in (1..).zip(&roles) {
            let asking = Asking { of: &of, shop: &shop, who: *who, other, number, password_at };
            found.push(verdict(&asking.row(change).await));
        }
        assert_eq!(found, *may, "{change}");
        for who in without_rights {
            let asking = Asking { of: &of, shop: &shop, who, other, number: 9, password_at };
            assert_eq!(verdict(&asking.row(change).await), '-', "{change} by {who}");
        }
    }
}

/// The engine itself checks that the person has recently entered the password, so no page can omit this check.
#[tokio::test(start_paused = true)]
async fn changing_people_needs_a_fresh_password() {
    let world = world().await;
    let shop = world.shop(2).await;
    let of = world.at(&shop);
    let owner = team(&world, &shop).await[0];
    let (other, _) = member(&world, &shop, "other@example.com", Role::Member).await;
    let ago = |minutes| Some(world.engine.now() - chrono::TimeDelta::minutes(minutes));
    let of_people = ["AddMember", "AddMember as an owner", "PatchMember", "RemoveMember"];
    for Row { change, may } in TABLE.iter().filter(|row| row.may.starts_with('c')) {
        for (password_at, is_lately) in [(None, false), (ago(15), false), (ago(14), true)] {
            let asking = Asking { of: &of, shop: &shop, who: owner, other, number: 8, password_at };
            let asked = asking.row(change).await;
            let expected = if is_lately || !of_people.contains(change) { 'c' } else { 'r' };
            assert_eq!(verdict(&asked), expected, "{change} ({may}), at {password_at:?}: {asked:?}");
        }
    }
    let unseen = |error| {
        matches!(
            refusal::<()>(Err(error)),
            Refusal::NotAllowed(Denied::PasswordAgain | Denied::RestrictedSession)
        )
    };
    let invited =
        world.engine.people().invite(&of, by(owner), invitation("x@example.com", Role::Member)).await;
    assert!(unseen(invited.unwrap_err()));
    assert!(
        world
            .engine
            .people()
            .invite(&of, by_operator(), invitation("x@example.com", Role::Member))
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn people_cannot_change_a_suspended_business() {
    let world = world().await;
    let shop = world.shop(2).await;
    let of = world.at(&shop);
    let owner = team(&world, &shop).await[0];
    let (other, _) = member(&world, &shop, "other@example.com", Role::Member).await;
    of.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    for Row { change, .. } in TABLE {
        let asked = Asking { of: &of, shop: &shop, who: owner, other, number: 1, password_at: None };
        let asked = asked.row(change).await;
        assert!(matches!(asked, Err(EngineError::Suspended)), "{change}: {asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_changes_only_their_own_time_off() {
    let world = world().await;
    let shop = world.shop(2).await;
    let of = world.at(&shop);
    let (hand, _) = member(&world, &shop, "hand@example.com", Role::Member).await;
    let span = || OffSpan::Instants { starts_at: at(3, 1), ends_at: at(3, 2) };
    let add = async |staff_id: StaffId| {
        let asked = of.change(by(hand), AddTimeOff { staff_id, span: span(), note: None }).await;
        (verdict(&asked), asked)
    };
    assert_eq!(add(shop.staff[0]).await.0, 'r', "a person who is not a staff member must not add time off");
    let is = MembershipPatch { staff_id: Some(Some(shop.staff[0])), ..MembershipPatch::default() };
    world.engine.people().patch_member(&of, by_operator(), (hand, is, None)).await.unwrap();
    let added = add(shop.staff[0]).await.1.unwrap();
    let id: BlockedTimeId = super::json(&added)["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(add(shop.staff[1]).await.0, 'r');
    let of_other = AddTimeOff { staff_id: shop.staff[1], span: span(), note: None };
    let of_other = of.change(by_operator(), of_other).await.unwrap();
    let other: BlockedTimeId = super::json(&of_other)["id"].as_str().unwrap().parse().unwrap();
    let take_back = DeleteTimeOff { staff_id: shop.staff[1], id: other };
    assert_eq!(verdict(&of.change(by(hand), take_back).await), 'r');
    of.change(by(hand), DeleteTimeOff { staff_id: shop.staff[0], id }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_the_person_accepts_an_offer_and_chooses_alert_settings() {
    let world = world().await;
    let shop = world.shop(1).await;
    let of = world.at(&shop);
    let roles = team(&world, &shop).await;
    let invited = invite(&world, &shop, by_operator(), "invited@example.com", Role::Member).await;
    let person = world.engine.people().person(super::id(&invited)).await.unwrap().unwrap();
    for who in roles.into_iter().chain([Uuid::from_u128(9).into()]) {
        let by_link = Some(world.engine.now());
        let accept = AcceptMembership { person: person.clone(), by_link };
        assert_ne!(verdict(&of.change(by(who), accept).await), 'c', "{who}");
        let decline = DeclineMembership { person: person.clone(), by_link };
        assert_ne!(verdict(&of.change(by(who), decline).await), 'c', "{who}");
        let choose = PatchNotifications { id: person.id, choices: Vec::new() };
        assert_ne!(verdict(&of.change(by(who), choose).await), 'c', "{who}");
    }
    let status = super::status(&world.engine, &shop, person.id).await;
    assert_eq!(status, domain::MembershipStatus::Invited);
}
