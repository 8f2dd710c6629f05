//! A problem with one input of a request: a code with parameters. The interfaces render it as text.

use super::{
    AppointmentId, BackupId, BudgetKind, ContactId, Day, MessageId, PasswordHint, PersonId, StaffId,
    TextError, Timestamp,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path in the body (`hours[0].open`) or the name of the query parameter.
    pub path: String,
    pub code: ProblemCode,
}

impl Problem {
    pub fn new(path: impl Into<String>, code: impl Into<ProblemCode>) -> Self {
        Self { path: path.into(), code: code.into() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemCode {
    Required,
    RequiredWith(&'static str),
    OneRequired(&'static [&'static str]),
    /// Either this property or the property of this name is required.
    RequiredOr(&'static str),
    /// The property must not be given together with the properties of these names.
    NotWith(&'static [&'static str]),
    /// Time off needs either two instants or two dates.
    InstantsOrDates,
    UnknownProperty,
    UnknownParameter,
    GivenTwice,
    ListedTwice,
    NotAString,
    NotABoolean,
    NotAnArray,
    NotAnObject,
    BodyNotAnObject,
    /// The endpoint takes no body.
    NoBody,
    EmptyBody,
    InvalidJson(String),
    /// The name of the parameter is not percent-encoded UTF-8.
    EncodedName,
    /// The value of the parameter is not percent-encoded UTF-8.
    EncodedValue,
    /// The header must be `*` or a list of entity tags.
    NotEntityTags,
    /// The header must be given once, with 1 to this number of visible ASCII characters.
    HeaderAscii(usize),
    /// The value must have 1 to this number of visible ASCII characters.
    VisibleAscii(usize),
    NotACursor,
    /// The cursor is not a position of the list.
    MalformedCursor,
    ValuesMax(usize),
    /// The number of further problems, which are not listed.
    Unnamed(usize),
    Items {
        min: usize,
        max: usize,
    },
    WholeNumber {
        min: u64,
        max: u64,
    },
    AtMost(u32),
    Text(TextError),
    OneOf(Vec<&'static str>),
    NotAUuid,
    NotACurrency,
    NotATimeZone,
    NotARegion,
    NotAWebAddress,
    NotADate,
    NotALocalTime,
    NotAnInstant,
    /// The value must be a date with a local time, or an instant.
    NotADateTime,
    NotADateOrTime,
    /// The value must be a name with at most this number of characters, or an id.
    NotANameOrId(usize),
    Years(i32, i32),
    NotLaterThan(&'static str),
    Before(&'static str),
    /// The date must be at most this number of days from the date in the property of this name, counting both
    /// dates.
    DaysFrom(&'static str, i64),
    SkippedDays,
    /// A window must open before `24:00`.
    OpensAtTheEnd,
    /// Both ends are equal. The parameter is the name of the other end.
    SameAs(&'static str),
    DayListed(Day, usize),
    BreaksMax(usize),
    WindowsMax(usize),
    /// A closed day has no windows.
    WindowsOfClosed,
    /// The day is open but has no opening hours.
    NoWindows,
    OverlapsDay(Day),
    /// The index of the overlapping window.
    OverlapsWindow(usize),
    NotOfTheBusiness(Named),
    NoActiveService,
    NoActiveStaff,
    NotOffered,
    NotOffering,
    /// The contact of a booking needs a phone or an e-mail address.
    PhoneOrEmail,
    NamePhoneOrEmail,
    KeepsNamePhoneOrEmail,
    OfContact(ContactId),
    OfPerson(PersonId),
    Now(String),
    StatusNow(&'static str),
    EntityTagNow(String),
    NoRecord,
    UsedBy(UsedBy),
    ContactErased,
    EventWiped,
    /// As many deliveries wait as may.
    WaitingFull,
    MailPending,
    /// The mail contains a link that is valid only in this mail.
    MailHasLink,
    NoRelay,
    /// Too many mails of the business are waiting to be sent.
    MailsWait,
    Taken,
    LastOwner,
    People(usize),
    UseMailedLink,
    OperatorCanAdd,
    /// The account has a password, so a reset link must be created instead.
    MakeReset,
    /// A link must be created first. Its use confirms the account.
    MakeLink,
    Guessable(Vec<PasswordHint>),
    RowsFull {
        kind: BudgetKind,
        /// The limit, and the current number of rows.
        max: u64,
        used: u64,
    },
    BytesFull {
        kind: BudgetKind,
        /// The limit, the current number of bytes, and the bytes of the new row.
        max: u64,
        used: u64,
        more: u64,
    },
    NextIn(Wait),
    /// The next mail can be sent at this instant.
    NextAt(Timestamp),
    AfterBackup(BackupId),
    /// The value must be an absolute path.
    NotAbsolute,
    BackupDir(String, DirFault),
    /// The problem of a parameter with a plus sign, which decodes to a space in a query.
    PlusInQuery(Box<ProblemCode>),
    WebhookUrl(UrlRefusal),
    Endpoints(usize),
    SkippedTime,
    TimeTwice,
    NotTicked,
    /// The person has to enter the password again first.
    PasswordAgain,
    /// The value is not the password of the person.
    PasswordWrong,
    /// An import runs, or an earlier import is not finished yet.
    ImportRuns,
    /// An earlier import is not finished yet.
    ImportUnfinished,
    /// The public address of the service is not set, and the service listens without TLS on an address other
    /// than a loopback address.
    PublicUrlUnset,
    /// The line cannot be imported.
    Import(ImportProblem),
}

/// The references that prevent the deletion of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedBy {
    Appointment(AppointmentId),
    Message(MessageId),
    Staff(StaffId),
    Person(PersonId),
    /// A reference that was created during the check.
    JustNow,
}

/// The time until the action is possible again, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Minutes(i64),
    Hours(i64),
}

/// The reason why no backup can be made in a directory. Texts are errors of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirFault {
    HoldsBackup,
    NotEmpty,
    NotCreated(String),
    Unusable(String),
    NotWritable(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlRefusal {
    TooLong(usize),
    NotHttps,
    Characters,
    Credentials,
    Fragment,
    Host,
    Port,
    Malformed,
    /// The host resolves to a non-public address or does not resolve. One code for all cases prevents the use
    /// of the service as a network scanner.
    NotPublic,
}

/// Why a line cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportProblem {
    LineBytesMax(usize),
    /// The line is not valid JSON from this column on.
    NotJson(usize),
    /// The first line is not the head of an export.
    NoHead,
    /// The line is a head but not the first line.
    NotTheFirst,
    /// The line follows the last line of an export.
    AfterTheLast,
    /// The last line is missing.
    EndsEarly,
    Incomplete,
    /// The number must be this counted number.
    Count(u64),
    /// The line belongs to a business, but no business precedes it.
    NoBusiness,
    BusinessNotEnded,
    BusinessExists,
    /// The business was ended, and its rows are still being deleted.
    BusinessEnding,
    /// The record must precede the records of this kind.
    NotBefore(&'static str),
    /// A business can have at most one line of this kind, directly after the line of the business.
    OncePerBusiness,
    /// The lines of this kind must be sorted by these properties.
    NotSorted(&'static str),
    NotAUuid7,
    /// The instant is in the future according to this machine's clock.
    Future,
    /// The value is later than the instant in the id.
    LaterThanId,
    /// The end must be later than `starts_at`, by at most one day.
    NotWithinADay,
    NotE164,
    NotASecret,
    RequiredIfDisabled,
    NullIfEnabled,
    SpecialDaysMax(usize),
    TimesOffMax {
        per_staff: usize,
        all: usize,
    },
    EndpointsMax(usize),
    /// Another appointment of the staff member ends later.
    Overlaps {
        by: AppointmentId,
        until: Timestamp,
    },
    ErasedHere,
    /// The number of further calls of the business that refer to a missing message.
    MoreCallsOfNoMessage(u64),
}

/// A kind of record or page that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    Alert,
    ApiKey,
    Appointment,
    Backup,
    Business,
    Call,
    Contact,
    Delivery,
    Knowledge,
    Mail,
    Message,
    Page,
    Person,
    Record,
    Service,
    Session,
    SpecialDay,
    Staff,
    Subscription,
    TimeOff,
    Webhook,
}

impl From<ImportProblem> for ProblemCode {
    fn from(problem: ImportProblem) -> Self {
        Self::Import(problem)
    }
}

impl From<UrlRefusal> for ProblemCode {
    fn from(refusal: UrlRefusal) -> Self {
        Self::WebhookUrl(refusal)
    }
}

impl From<TextError> for ProblemCode {
    fn from(error: TextError) -> Self {
        Self::Text(error)
    }
}
