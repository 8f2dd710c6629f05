//! What is wrong with one thing that a request names: a code with its values. The edges tell it in words.

use super::{
    AppointmentId, BackupId, BudgetKind, Conflict, ContactId, Day, MembershipStatus, PasswordHint, PersonId,
    TextError, Timestamp, UsedBy,
};

/// One thing that is wrong with a request, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place in the body (`hours[0].open`) or the query parameter's name.
    pub path: String,
    /// What is wrong there.
    pub code: ProblemCode,
}

impl Problem {
    /// A problem at a place.
    pub fn new(path: impl Into<String>, code: impl Into<ProblemCode>) -> Self {
        Self { path: path.into(), code: code.into() }
    }
}

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemCode {
    /// It has to be there.
    Required,
    /// It has to be there beside the property of this name.
    RequiredWith(&'static str),
    /// One of these properties has to be there.
    OneRequired(&'static [&'static str]),
    /// Either it or the property of this name has to be there.
    RequiredOr(&'static str),
    /// It must not be there beside the properties of these names.
    NotWith(&'static [&'static str]),
    /// Time off is from one instant to another, or from one date to another.
    InstantsOrDates,
    /// It is no property of the object.
    UnknownProperty,
    /// It is no parameter of the path.
    UnknownParameter,
    /// The object or the query has it twice.
    GivenTwice,
    /// The list has it twice.
    ListedTwice,
    /// It has to be a JSON string.
    NotAString,
    /// It has to be true or false.
    NotABoolean,
    /// It has to be a JSON array.
    NotAnArray,
    /// It has to be a JSON object.
    NotAnObject,
    /// The body has to be a JSON object.
    BodyNotAnObject,
    /// The endpoint takes no body.
    NoBody,
    /// The body is empty, and has to be a JSON object.
    EmptyBody,
    /// The body is not valid JSON, as the parser says.
    InvalidJson(String),
    /// The name of the parameter is not percent-encoded UTF-8.
    EncodedName,
    /// The value of the parameter is not percent-encoded UTF-8.
    EncodedValue,
    /// It has to be `*` or a list of entity tags.
    NotEntityTags,
    /// The header has to be there once, with 1 to so many visible ASCII characters.
    HeaderAscii(usize),
    /// It has to have 1 to so many visible ASCII characters.
    VisibleAscii(usize),
    /// It has to be the cursor of the next page of the same list.
    NotACursor,
    /// The cursor names no position of the list.
    MalformedCursor,
    /// The list has more values than this.
    ValuesMax(usize),
    /// So many more problems were found and are not named.
    Unnamed(usize),
    /// The array has too few or too many items.
    Items {
        /// The least number of items.
        min: usize,
        /// The greatest number of items.
        max: usize,
    },
    /// It has to be a whole number within these bounds, both included.
    WholeNumber {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// The number must not be greater than this.
    AtMost(u32),
    /// The text is none of its kind.
    Text(TextError),
    /// It has to be one of these words.
    OneOf(Vec<&'static str>),
    /// It has to be a UUID.
    NotAUuid,
    /// It has to be the code of a currency (ISO 4217).
    NotACurrency,
    /// It has to be the name of a time zone (IANA).
    NotATimeZone,
    /// It has to be the code of a region (ISO 3166).
    NotARegion,
    /// It has to be an address of the web.
    NotAWebAddress,
    /// It has to be a date.
    NotADate,
    /// It has to be a time of day.
    NotALocalTime,
    /// It has to be an instant (RFC 3339).
    NotAnInstant,
    /// It has to be a local time of a date, or an instant.
    NotADateTime,
    /// It has to be a date, a local time of a date, or an instant.
    NotADateOrTime,
    /// It has to be a name with at most so many characters, or an id.
    NotANameOrId(usize),
    /// It has to lie within these years.
    Years(i32, i32),
    /// It has to be later than the property of this name.
    NotLaterThan(&'static str),
    /// It must not be before the property of this name.
    Before(&'static str),
    /// It must be at most so many days from the property of this name, both counted.
    DaysFrom(&'static str, i64),
    /// The clocks of the business skipped these days.
    SkippedDays,
    /// A window opens before the day ends.
    OpensAtTheEnd,
    /// Both ends are the same; the other one has this name.
    SameAs(&'static str),
    /// The day has more windows than this.
    DayListed(Day, usize),
    /// The week has more breaks than this.
    BreaksMax(usize),
    /// The date has more windows than this.
    WindowsMax(usize),
    /// A closed day has no windows.
    WindowsOfClosed,
    /// A day that is not closed has a window.
    NoWindows,
    /// The window overlaps one of this day.
    OverlapsDay(Day),
    /// The window overlaps the one at this place.
    OverlapsWindow(usize),
    /// The business has no such record of this kind.
    NotOfTheBusiness(Named),
    /// No active service has this id.
    NoActiveService,
    /// No active staff member has this id.
    NoActiveStaff,
    /// The staff member does not offer the service.
    NotOffered,
    /// It has to be an active staff member who offers the service.
    NotOffering,
    /// A contact needs a phone or an email here.
    PhoneOrEmail,
    /// A contact needs a name, a phone or an email.
    NamePhoneOrEmail,
    /// A contact keeps a name, a phone or an email.
    KeepsNamePhoneOrEmail,
    /// This contact has it.
    OfContact(ContactId),
    /// This person has it.
    OfPerson(PersonId),
    /// It has this value now.
    Now(String),
    /// The membership has this status now.
    StatusNow(MembershipStatus),
    /// The resource has this entity tag now.
    EntityTagNow(String),
    /// There is no such record.
    NoRecord,
    /// This refers to the record.
    UsedBy(UsedBy),
    /// The contact of the record was erased.
    ContactErased,
    /// The event was wiped.
    EventWiped,
    /// As many deliveries wait as may.
    WaitingFull,
    /// This is in the way.
    InTheWay(Conflict),
    /// Another record has it.
    Taken,
    /// It is the role of the last active owner.
    LastOwner,
    /// So many people belong to the business.
    People(usize),
    /// The link has to be used first that was mailed to the present address.
    UseMailedLink,
    /// The operator can add the person.
    OperatorCanAdd,
    /// The account has a password: a reset has to be made.
    MakeReset,
    /// A link, which confirms the account, has to be made first.
    MakeLink,
    /// The password is too easy to guess.
    Guessable(Vec<PasswordHint>),
    /// As many rows of this kind are kept as may be.
    RowsFull {
        /// The kind.
        kind: BudgetKind,
        /// How many may be kept.
        max: u64,
        /// How many are.
        used: u64,
    },
    /// With one more row of this kind, more bytes would be kept than may be.
    BytesFull {
        /// The kind.
        kind: BudgetKind,
        /// How many bytes may be kept.
        max: u64,
        /// How many are.
        used: u64,
        /// How many the row has.
        more: u64,
    },
    /// The next one can be sent after this time.
    NextIn(Wait),
    /// The next one can be sent at this instant.
    NextAt(Timestamp),
    /// This backup has to end first.
    AfterBackup(BackupId),
    /// It has to be an absolute path.
    NotAbsolute,
    /// No backup can be made in this directory.
    BackupDir(String, DirFault),
    /// The same, of a parameter with a plus sign, which is a space in a query.
    PlusInQuery(Box<ProblemCode>),
    /// Webhooks cannot be sent to this URL.
    WebhookUrl(UrlRefusal),
    /// So many webhook endpoints exist.
    Endpoints(usize),
    /// The clocks of the business skip this time on that day.
    SkippedTime,
    /// The clocks of the business show this time twice on that day.
    TimeTwice,
    /// The box has to be ticked.
    NotTicked,
    /// The line cannot be imported.
    Import(ImportProblem),
    /// In words of its own.
    Said(String),
}

/// How long it takes until something may be done once more, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Minutes, at least 1.
    Minutes(i64),
    /// Hours.
    Hours(i64),
}

/// Why no backup can be made in a directory. Texts are errors of the operating system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirFault {
    /// It holds a backup.
    HoldsBackup,
    /// It is not empty.
    NotEmpty,
    /// It cannot be created.
    NotCreated(String),
    /// It cannot be read.
    Unusable(String),
    /// No file can be written in it.
    NotWritable(String),
}

/// Why webhooks cannot be sent to a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlRefusal {
    /// It has more characters than this.
    TooLong(usize),
    /// It has another scheme than https, or none.
    NotHttps,
    /// It has characters on which parsers disagree.
    Characters,
    /// It has a user or a password.
    Credentials,
    /// It has a fragment, be it empty.
    Fragment,
    /// It has no host, or one that is no name.
    Host,
    /// Its port is 0.
    Port,
    /// It is no URL for another reason.
    Malformed,
    /// Its host does not lead to public addresses only. No answer tells more, so that the service is no scanner.
    NotPublic,
}

/// Why a line cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportProblem {
    /// The line is longer than this number of bytes.
    LineBytesMax(usize),
    /// The line is not valid JSON from this column on.
    NotJson(usize),
    /// The first line is not the head of an export.
    NoHead,
    /// The line is a head, and not the first line.
    NotTheFirst,
    /// The line comes after the last line of an export.
    AfterTheLast,
    /// The last line is missing.
    EndsEarly,
    /// The export lacks recorded rows.
    Incomplete,
    /// It has to be this number, which was counted.
    Count(u64),
    /// The line belongs to a business, and no business came before it.
    NoBusiness,
    /// The business before the line has no end.
    BusinessNotEnded,
    /// The business exists.
    BusinessExists,
    /// The business was ended, and its rows are still being deleted.
    BusinessEnding,
    /// It has to come before the records of this kind.
    NotBefore(&'static str),
    /// A business has one line of this kind at most, directly after its own.
    OncePerBusiness,
    /// The lines of this kind have to be sorted by these properties.
    NotSorted(&'static str),
    /// It has to be a UUID of version 7.
    NotAUuid7,
    /// It is in the future of this machine's clock.
    Future,
    /// It is later than the instant in the id.
    LaterThanId,
    /// It has to be later than `starts_at`, by one day at most.
    NotWithinADay,
    /// It has to be a phone number in E.164 form.
    NotE164,
    /// It has to be the secret of a webhook endpoint.
    NotASecret,
    /// A disabled endpoint has to have it.
    RequiredIfDisabled,
    /// An enabled endpoint must not have it.
    NullIfEnabled,
    /// A business has at most this number of special days.
    SpecialDaysMax(usize),
    /// There are too many times off.
    TimesOffMax {
        /// The most of one staff member.
        per_staff: usize,
        /// The most of a business.
        all: usize,
    },
    /// A business has at most this number of webhook endpoints.
    EndpointsMax(usize),
    /// Another appointment of the staff member ends later.
    Overlaps {
        /// The other appointment.
        by: AppointmentId,
        /// Its end.
        until: Timestamp,
    },
    /// The contact was erased here.
    ErasedHere,
    /// So many more calls of the business name a message that the business does not have.
    MoreCallsOfNoMessage(u64),
}

/// What a request may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// An appointment.
    Appointment,
    /// A call.
    Call,
    /// A contact.
    Contact,
    /// A message.
    Message,
    /// A service.
    Service,
    /// A staff member.
    Staff,
}

impl From<&str> for ProblemCode {
    fn from(words: &str) -> Self {
        Self::Said(words.to_owned())
    }
}

impl From<String> for ProblemCode {
    fn from(words: String) -> Self {
        Self::Said(words)
    }
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
