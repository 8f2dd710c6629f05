//! The list of all changes that a request can make, with which a test compares the table of rights.
//!
//! Invariant: a change that is not listed does not compile, because [`super::Change`] requires [`Listed`].

use super::commands::appointments::{Cancel, Reschedule};
use super::commands::{self, ForOperator};

pub trait Listed {}

impl<C: Listed> Listed for ForOperator<C> {}

macro_rules! listed {
    ($($module:ident: $($change:ident $(<$of:ident>)?),+;)*) => {
        $($(impl Listed for commands::$module::$change $(<$of>)? {})+)*

        /// The names of the changes.
        pub const CHANGES: &[&str] =
            &[$($(concat!(stringify!($change) $(, "<", stringify!($of), ">")?)),+),*];
    };
}

listed! {
    alerts: ReadAlerts, Unsubscribe;
    appointments: Book, BookNoted, Cancel, Confirm, Decline, PatchAppointment, Reschedule;
    budget: PatchBudget;
    calendars: ConnectCalendar, DisconnectCalendar, PatchCalendar, ReadCalendar, RecordRead, RemoveCalendar,
        StoreEvents;
    calls: MarkCall, RecordCall;
    catalog: CreateFirstServices, CreateService, CreateStaff, DeleteService, DeleteStaff, PatchService,
        PatchStaff, SetServiceStaff;
    contacts: CreateContact, MergeContacts, NoteExport, PatchContact;
    conversations: DeleteConversation, DeleteGap, FinishTurn, ReplyByTeam,
        StartConversation, TakeTurn;
    customers: BookOnline, CancelByLink, MintLink, MoveByLink;
    diary: AddTimeOff, CloseDays, DeleteSpecialDay, DeleteTimeOff, SetSpecialDay;
    endings: CompleteConversation, EndConversation, EndOverdue;
    erasure: EndBusiness, EraseContact, PatchRetention;
    feeds: CreateFeed, RevokeFeed;
    guarded: BookOnce, StartingAt<Cancel>, StartingAt<Reschedule>;
    keys: CreateKey, RevokeKey;
    knowledge: AddKnowledge, DeleteKnowledge, PatchKnowledge;
    mails: ResendMail;
    messages: PatchMessage, TakeMessage;
    notices: SendNoticeAgain, SetConsent, StopNotices;
    offers: AcceptMembership, DeclineMembership;
    people: AddMember, NoteLink, PatchMember, PatchNotifications, RemoveMember;
    profile: PatchBusiness, PatchProfile;
    receptionist: PatchReceptionist;
    webhooks: AlertOfFailing, CreateWebhook, DeleteWebhook, OperatorCreateWebhook, PatchWebhook,
        RotateSecret, TurnOff;
    website: PatchNotices, SetWebsite;
    writing: EndRemoval, ForgetWrites, RecordSeen, RecordWrite, StepTask, StopWrites, WriteAppointment;
}
