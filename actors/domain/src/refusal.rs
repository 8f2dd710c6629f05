//! The reasons for refusing a request. A refused request changes nothing.

use super::{
    AppointmentStatus, BudgetKind, ContactId, DeliveryStatus, Named, Problem, ProblemCode, Timestamp, UsedBy,
    Wait,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotReason {
    Past,
    ClosedThatDay,
    OutsideHours,
    Break,
    /// The time from the opening time to the start is not a multiple of 30 minutes.
    OffGrid,
    TooShortNotice,
    TooFarAhead,
    /// Every candidate is absent or does not work at that time. If the request names a staff member, only this staff
    /// member is a candidate.
    StaffOff,
    /// This reason replaces `StaffOff` for integrations, which must not see absences.
    NobodyAvailable,
    /// Every candidate who is present has another appointment. If the request names a staff member, only this staff
    /// member is a candidate.
    Taken,
    /// A staff member is free at that time, but the buffers overlap another appointment or an absence.
    Buffer,
    NobodyOffersIt,
    ServiceInactive,
    StaffUnavailable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    Changed,
    NoSpecialDay,
    SpecialDaysFull(usize),
    TimesOffFull(usize),
    StartsElsewhere(Timestamp),
    AppointmentStatus(AppointmentStatus, Amendment),
    AppointmentEnded,
    /// Only a confirmed appointment can have an attendance, and this one is not confirmed.
    NotConfirmed,
    /// The attendance can be set only from this instant on.
    AttendanceTooEarly(Timestamp),
    /// It is too late for the customer to change the appointment through a manage link.
    NotChangeableOnline,
    InUse(UsedBy),
    BudgetUsedUp(BudgetKind),
    EndpointsFull(usize),
    EndpointDisabled,
    DeliveryPending,
    DeliveryNotPending(DeliveryStatus),
    ContactErased,
    /// An earlier merge is still moving records of the contact.
    ContactMerging,
    /// The notes of both contacts together are too long. The parameter is the maximum number of characters.
    NotesTooLong(usize),
    /// With this merge, the number of contacts that have been merged into the remaining contact would exceed the limit.
    /// The parameter is the limit.
    MergesFull(usize),
    EventWiped,
    ContactTaken {
        phone: Option<ContactId>,
        email: Option<ContactId>,
    },
    BelongsAlready,
    PeopleFull(usize),
    NotOnOffer,
    LastOwner,
    PasswordOfAnother,
    AccountUnconfirmed,
    AccountHasPassword,
    /// The account is unconfirmed, and the service cannot send a mail to its address.
    AddressUnconfirmed,
    AddressTaken,
    InvitationsUsedUp(Wait),
    AddressChangesUsedUp(Wait),
    TestMailsUsedUp(Timestamp),
    MailPending,
    MailHasLink,
    NoRelay,
    NoRelaySet(&'static str),
    MailsWait,
    NoPublicUrl,
    /// The business or the staff member has the maximum number of feeds. The parameter is this maximum.
    FeedsFull(usize),
    /// The business or the staff member has the maximum number of connected calendars. The parameter is this maximum.
    CalendarsFull(usize),
    /// The appointments of the staff member are already written to another calendar.
    WrittenElsewhere,
    /// Another calendar of the business writes to the same collection, or still deletes its events there.
    CollectionWritten,
    SlugTaken,
    /// The business has no connection that can send text messages.
    NoTexts,
    ConversationEnded,
    /// The conversation has the maximum length.
    ConversationFull,
    /// The team can reply only in conversations by text message.
    NotByText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Amendment {
    Rescheduled,
    Confirmed,
    Declined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnderWay {
    Backup,
    Import,
    /// A turn of the same conversation.
    Turn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Denied {
    NotOfTheBusiness,
    /// An API key tried to change a membership. Only people may do this, and a key belongs to no person.
    KeyOfNobody,
    OwnersAndAdmins,
    ReadOnly,
    PeopleOfTheBusiness,
    OwnerByAdmin,
    AlertOfAnother,
    NotificationsOfAnother,
    NameOfAnother,
    TimeOffOfAnother,
    OfferedElsewhere,
    OfferOfAnother,
    AccountUnconfirmed,
    LinksByOperator,
    KindOfLink,
    /// The link works only in a session of the account that has requested it.
    OwnSession,
    PasswordAgain,
    RestrictedSession,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Invalid(Vec<Problem>),
    NotFound(Named),
    /// The state of the record does not allow the request. `details` names the fields or the records that cause the
    /// conflict.
    Conflict {
        conflict: Conflict,
        details: Vec<Problem>,
    },
    /// A temporary conflict with a job or a turn that is in progress. The caller can try again soon.
    UnderWay {
        what: UnderWay,
        details: Vec<Problem>,
    },
    NotAllowed(Denied),
    Expired,
    BookingDisabled,
    BookingRequiresConfirmation,
    SlotUnavailable(SlotReason),
    IdempotencyInProgress,
    IdempotencyKeyReused,
}

impl Refusal {
    pub fn check(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::Invalid(problems)) }
    }

    pub fn invalid(path: impl Into<String>, code: impl Into<ProblemCode>) -> Self {
        Self::Invalid(vec![Problem::new(path, code)])
    }

    pub fn under_way(what: UnderWay, path: impl Into<String>, detail: impl Into<ProblemCode>) -> Self {
        Self::UnderWay { what, details: vec![Problem::new(path, detail)] }
    }

    pub fn conflict(conflict: Conflict, path: impl Into<String>, detail: impl Into<ProblemCode>) -> Self {
        Self::Conflict { conflict, details: vec![Problem::new(path, detail)] }
    }
}
