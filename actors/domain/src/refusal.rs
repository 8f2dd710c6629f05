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
    /// Not on the grid of 30 minutes from the opening time.
    OffGrid,
    TooShortNotice,
    TooFarAhead,
    /// All candidates, or the requested staff member, have time off or do not work at that time.
    StaffOff,
    /// Replaces `StaffOff` for callers that must not see absences.
    NobodyAvailable,
    /// All staff members who are present, or the requested staff member, have another appointment.
    Taken,
    /// A staff member is free at that time, but not during the buffers.
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
    /// Only a confirmed appointment can have an attendance.
    NotConfirmed,
    /// The attendance can be set from this instant on.
    AttendanceTooEarly(Timestamp),
    /// The customer may no longer change the appointment by manage link.
    NotChangeableOnline,
    InUse(UsedBy),
    BudgetUsedUp(BudgetKind),
    EndpointsFull(usize),
    EndpointDisabled,
    DeliveryPending,
    DeliveryNotPending(DeliveryStatus),
    ContactErased,
    /// Records of the contact are moving because of an earlier merge.
    ContactMerging,
    /// The notes of two contacts together are longer than this number of characters.
    NotesTooLong(usize),
    /// This number of contacts is already merged into one.
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
    /// The account is unconfirmed, and the service cannot send mail to its address.
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
    SlugTaken,
    /// The business has no connection that sends texts.
    NoTexts,
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Denied {
    NotOfTheBusiness,
    /// An API key, which has no person, tried to change a membership.
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
    /// The link must be used in a session of the account that requested it.
    OwnSession,
    PasswordAgain,
    RestrictedSession,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Invalid(Vec<Problem>),
    NotFound(Named),
    /// The state of the record does not allow the request. `details` names the fields or records concerned.
    Conflict {
        conflict: Conflict,
        details: Vec<Problem>,
    },
    /// A temporary conflict with a running job. The caller can try again soon.
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
