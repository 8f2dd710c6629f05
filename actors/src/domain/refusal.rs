//! Why a request is not carried out. A refused request changes nothing.

use super::{
    AppointmentId, AppointmentStatus, BudgetKind, ContactId, MessageId, PersonId, Problem, ProblemCode,
    StaffId, Timestamp, Wait,
};

/// Why a time cannot be booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotReason {
    /// It is not later than now.
    Past,
    /// It lies on a day on which the business does not open.
    ClosedThatDay,
    /// It does not lie, whole, within opening hours.
    OutsideHours,
    /// It lies across a break.
    Break,
    /// It does not lie on the grid of 30 minutes from the opening time.
    OffGrid,
    /// It begins before the notice that the service asks for is over.
    TooShortNotice,
    /// It lies further ahead than the service can be booked.
    TooFarAhead,
    /// Whoever could take it (or the one asked for) has time off then, or does not work at that time.
    StaffOff,
    /// The same, for whoever is not told when staff are away.
    NobodyAvailable,
    /// Whoever could take it and is there (or the one asked for) has another appointment then.
    Taken,
    /// Somebody is free then, and not for as long as appointments keep free around them.
    Buffer,
    /// No active staff member offers the service.
    NobodyOffersIt,
    /// The service is no longer active.
    ServiceInactive,
    /// The staff member who holds the appointment is no longer active or no longer offers the service.
    StaffUnavailable,
}

/// What stands in the way of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The record has changed since whoever asks has read it.
    Changed,
    /// A special day is to be replaced that is not there.
    NoSpecialDay,
    /// The business keeps this many special days, and no more.
    SpecialDaysFull(usize),
    /// This many times off are to come, and there are no more.
    TimesOffFull(usize),
    /// The appointment does not start when whoever asks believes.
    StartsElsewhere(Timestamp),
    /// An appointment with this status cannot be amended so.
    AppointmentStatus(AppointmentStatus, Amendment),
    /// The appointment has already ended.
    AppointmentEnded,
    /// Something refers to the record.
    InUse(UsedBy),
    /// As much of this kind is kept as may be.
    BudgetUsedUp(BudgetKind),
    /// The business has this many webhook endpoints, and no more.
    EndpointsFull(usize),
    /// The endpoint gets nothing.
    EndpointDisabled,
    /// The delivery waits for an attempt already.
    DeliveryPending,
    /// The contact of the appointment was erased, so nothing is noted of it.
    ContactErased,
    /// The event told of somebody who was erased.
    EventWiped,
    /// Other contacts have the phone or the email.
    ContactTaken {
        /// Who has the phone.
        phone: Option<ContactId>,
        /// Who has the email.
        email: Option<ContactId>,
    },
    /// The person belongs to the business already.
    BelongsAlready,
    /// The business has this many people, and no more.
    PeopleFull(usize),
    /// The membership was accepted, declined or taken back.
    NotOnOffer,
    /// The business would be left without an owner.
    LastOwner,
    /// Somebody else may have set the password of the account.
    PasswordOfAnother,
    /// The account is not confirmed.
    AccountUnconfirmed,
    /// The account has a password, so it needs no invitation.
    AccountHasPassword,
    /// The account is not confirmed, and no mail can be sent to its address.
    AddressUnconfirmed,
    /// Another account has the address.
    AddressTaken,
    /// As many invitations were mailed as may be.
    InvitationsUsedUp(Wait),
    /// As many mails to new addresses were sent as may be.
    AddressChangesUsedUp(Wait),
    /// As many test mails were sent as may be; the next one may be at this instant.
    TestMailsUsedUp(Timestamp),
    /// The mail is still to be sent.
    MailPending,
    /// The mail has a link that is made for it alone.
    MailHasLink,
    /// The service has no mail relay.
    NoRelay,
    /// No mail is sent, since this setting is not set.
    NoRelaySet(&'static str),
    /// Too many mails of the business wait to be sent.
    MailsWait,
    /// People reach the service at no address.
    NoPublicUrl,
}

/// What an appointment cannot be any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Amendment {
    /// Moved.
    Rescheduled,
    /// Confirmed.
    Confirmed,
    /// Declined.
    Declined,
}

/// What refers to a record that is to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedBy {
    /// An appointment.
    Appointment(AppointmentId),
    /// A message.
    Message(MessageId),
    /// A staff member, who offers it.
    Staff(StaffId),
    /// A person, who is this staff member.
    Person(PersonId),
    /// Something that has come to refer to it just now.
    JustNow,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnderWay {
    /// A backup.
    Backup,
    /// An import.
    Import,
}

/// Why somebody may see something and not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Denied {
    /// They do not belong to the business.
    NotOfTheBusiness,
    /// An API key asks to change a membership.
    KeyOfNobody,
    /// It is for owners and admins.
    OwnersAndAdmins,
    /// The role sees it alone.
    ReadOnly,
    /// Who the people are is for owners and admins.
    PeopleOfTheBusiness,
    /// An owner is neither made nor changed by an admin.
    OwnerByAdmin,
    /// The alert is another person's.
    AlertOfAnother,
    /// How a person is alerted is theirs to say.
    NotificationsOfAnother,
    /// A person's name is theirs to change.
    NameOfAnother,
    /// The time off is another person's.
    TimeOffOfAnother,
    /// The membership was offered to another address.
    OfferedElsewhere,
    /// The membership was offered to another person.
    OfferOfAnother,
    /// The account is not confirmed.
    AccountUnconfirmed,
    /// Links are made by the operator.
    LinksByOperator,
    /// A link of this kind is not made this way.
    KindOfLink,
    /// The link is used in a session of the account that asked for it.
    OwnSession,
    /// The password has to be given again.
    PasswordAgain,
    /// The session may only set a password.
    RestrictedSession,
}

/// Why a request is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It names things that are not usable.
    Invalid(Vec<Problem>),
    /// The business has no such record; the word says which kind.
    NotFound(&'static str),
    /// It does not fit the state of the record; the details name the field or the record in the way.
    Conflict {
        /// What is in the way.
        conflict: Conflict,
        /// Where.
        details: Vec<Problem>,
    },
    /// Something else is under way that ends by itself; the same may be asked again soon.
    UnderWay {
        /// What.
        what: UnderWay,
        /// Where, and why it is in the way.
        details: Vec<Problem>,
    },
    /// Whoever asks may see it and not change it.
    NotAllowed(Denied),
    /// The link was used or has expired, or the session has ended.
    Expired,
    /// The business takes no bookings.
    BookingDisabled,
    /// The business confirms bookings, and the request did not allow for that.
    BookingRequiresConfirmation,
    /// The time is not one that availability lists.
    SlotUnavailable(SlotReason),
    /// The first request with this idempotency key is still being carried out.
    IdempotencyInProgress,
    /// The idempotency key was used with another request.
    IdempotencyKeyReused,
}

impl Refusal {
    /// A single problem at a place of the request.
    pub fn invalid(path: impl Into<String>, code: impl Into<ProblemCode>) -> Self {
        Self::Invalid(vec![Problem::new(path, code)])
    }

    /// Something that is under way at a place.
    pub fn under_way(what: UnderWay, path: impl Into<String>, detail: impl Into<ProblemCode>) -> Self {
        Self::UnderWay { what, details: vec![Problem::new(path, detail)] }
    }

    /// A conflict over one field.
    pub fn conflict(conflict: Conflict, path: impl Into<String>, detail: impl Into<ProblemCode>) -> Self {
        Self::Conflict { conflict, details: vec![Problem::new(path, detail)] }
    }
}
