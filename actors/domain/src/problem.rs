//! A problem with one input of a request: a code with parameters. The interfaces (API, pages, command line) turn it
//! into text.

use std::fmt;
use std::path::PathBuf;

use chrono::NaiveDate;

use super::{
    AppointmentId, AppointmentStatus, BackupId, BudgetKind, CalendarError, ContactId, Day, DeliveryStatus,
    MembershipStatus, MessageId, PersonId, StaffId, TextError, Timestamp, WebhookStatus,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path of the property in the body (`hours[0].open`), or the name of the query parameter.
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
    /// The request must contain this property or the property that the parameter names.
    RequiredOr(&'static str),
    NotWith(&'static [&'static str]),
    InstantsOrDates,
    UnknownProperty,
    UnknownParameter,
    GivenTwice,
    ListedTwice,
    NotAString,
    NotABoolean,
    NotNull,
    NotAnArray,
    NotAnObject,
    BodyNotAnObject,
    NoBody,
    EmptyBody,
    InvalidJson(String),
    EncodedName,
    EncodedValue,
    NotEntityTags,
    /// The header must be sent exactly once. Its value must have visible ASCII characters: at least one, and at most as
    /// many as the parameter states.
    HeaderAscii(usize),
    VisibleAscii(usize),
    NotACursor,
    MalformedCursor,
    ValuesMax(usize),
    /// The parameter is the number of further problems that were found but are not listed.
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
    NotAWholeMinute,
    NotADateTime,
    NotADateOrTime,
    /// The value must be a name or an id. The parameter is the maximum number of characters of a name.
    NotANameOrId(usize),
    Years(i32, i32),
    NotLaterThan(&'static str),
    Before(&'static str),
    /// There are too many days from another date to this date. The first parameter names the property with the other
    /// date. The second parameter is the maximum number of days, counting both dates.
    DaysFrom(&'static str, i64),
    SkippedDays,
    OpensAtTheEnd,
    /// The start and the end of the window are equal. The path of the problem names the property with the end. The
    /// parameter names the property with the start.
    SameAs(&'static str),
    DayListed(Day, usize),
    BreaksMax(usize),
    WindowsMax(usize),
    WindowsOfClosed,
    NoWindows,
    OverlapsDay(Day),
    /// The window overlaps the window with this index.
    OverlapsWindow(usize),
    NotOfTheBusiness(Named),
    NoActiveService,
    NoActiveStaff,
    NotOffered,
    NotOffering,
    /// The last response of the conversation did not offer this choice.
    NotAChoice,
    /// The staff member already offers the maximum number of services. The parameter is this maximum.
    OffersMax(usize),
    /// The contact of a booking needs a phone number or an email address.
    PhoneOrEmail,
    NamePhoneOrEmail,
    KeepsNamePhoneOrEmail,
    OfContact(ContactId),
    OfPerson(PersonId),
    Now(CurrentValue),
    EntityTagNow(String),
    NoRecord,
    UsedBy(UsedBy),
    ContactErased,
    ContactMerging,
    SameContact,
    OfNeitherContact,
    EventWiped,
    /// The budget of the business for waiting deliveries is used up.
    WaitingFull,
    MailPending,
    MailHasLink,
    NoRelay,
    NoTexts,
    NotASlug,
    NotAnOrigin,
    NotAColor,
    NotOneLine,
    /// The number must be 0 or in a range, and it is neither. The parameters are the bounds of the range.
    ZeroOrRange(u32, u32),
    NotByText,
    MailsWait,
    Taken,
    LastOwner,
    People(usize),
    UseMailedLink,
    OperatorCanAdd,
    MakeReset,
    MakeLink,
    Guessable(Vec<PasswordHint>),
    RowsFull {
        kind: BudgetKind,
        /// The maximum number of rows, and the current number.
        max: u64,
        used: u64,
    },
    BytesFull {
        kind: BudgetKind,
        /// The maximum number of bytes, the current number, and the number of bytes of the new row.
        max: u64,
        used: u64,
        more: u64,
    },
    NextIn(Wait),
    NextAt(Timestamp),
    AfterBackup(BackupId),
    NotAbsolute,
    BackupDir(PathBuf, DirFault),
    /// A problem of a query parameter that contains a plus sign. The plus sign may be the cause: in a query, it means a
    /// space.
    PlusInQuery(Box<ProblemCode>),
    WebhookUrl(UrlRefusal),
    Endpoints(usize),
    /// The staff member, or the business as a whole, already has the maximum number of feeds. The parameter is the
    /// number of these feeds. Revoked feeds do not count.
    Feeds(usize),
    /// The staff member or the business already has the maximum number of connected calendars. The parameter is the
    /// number of these calendars.
    Calendars(usize),
    /// Google's calendars cannot be connected as `caldav`.
    GoogleCaldav,
    /// The calendar could not be read.
    Calendar(CalendarError),
    /// The account has no collection with this address.
    NoCollection,
    /// `busy` or `write` must be true.
    BusyOrWrite,
    /// Only a calendar on a CalDAV server has this property.
    CaldavOnly,
    SkippedTime,
    TimeTwice,
    NotTicked,
    PasswordAgain,
    PasswordWrong,
    ImportRuns,
    ImportUnfinished,
    /// The service listens without TLS on an address that is not a loopback address, so its public URL must be set.
    PublicUrlUnset,
    Import(ImportProblem),
    Table(TableProblem),
}

macro_rules! current_values {
    ($($name:ident($type:ty),)*) => {
        /// The current value of the property at the problem's path. `Display` writes the value as the API
        /// shows it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CurrentValue {
            $($name($type),)*
        }

        impl fmt::Display for CurrentValue {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name(value) => value.fmt(f),)*
                }
            }
        }

        $(impl From<$type> for CurrentValue {
            fn from(value: $type) -> Self {
                Self::$name(value)
            }
        })*
    };
}

current_values! {
    Instant(Timestamp),
    Date(NaiveDate),
    Count(usize),
    Staff(StaffId),
    AppointmentStatus(AppointmentStatus),
    DeliveryStatus(DeliveryStatus),
    WebhookStatus(WebhookStatus),
    MembershipStatus(MembershipStatus),
}

/// A reference that prevents the deletion of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedBy {
    Appointment(AppointmentId),
    Message(MessageId),
    Staff(StaffId),
    Person(PersonId),
    /// The reference was created while the deletion was being checked.
    JustNow,
}

/// The time after which the action is possible again, rounded up to whole minutes or hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Minutes(i64),
    Hours(i64),
}

/// The reason why no backup can be made in a directory. The texts are error messages of the operating system.
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
    /// The host is not public. All such hosts get the same code, so that the service cannot be used to scan its
    /// network.
    NotPublic,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportProblem {
    LineBytesMax(usize),
    /// The line is not valid JSON. The error begins in this column.
    NotJson(usize),
    NoHead,
    NotTheFirst,
    AfterTheLast,
    EndsEarly,
    Incomplete,
    /// The number in the line differs from the number that the import has counted. The parameter is the counted number.
    Count(u64),
    NoBusiness,
    BusinessNotEnded,
    BusinessExists,
    BusinessEnding,
    NotBefore(&'static str),
    /// The file contains a second line of this kind for a business. Only one is permitted, directly after the line that
    /// contains the business itself.
    OncePerBusiness,
    NotSorted(&'static str),
    NotAUuid7,
    Future,
    LaterThanId,
    /// The end must be later than `starts_at`, by at most one day.
    NotWithinADay,
    NotE164,
    NotASecret,
    RequiredIfDisabled,
    NullIfEnabled,
    NullUnlessConfirmed,
    SpecialDaysMax(usize),
    TimesOffMax {
        per_staff: usize,
        all: usize,
    },
    EndpointsMax(usize),
    Overlaps {
        by: AppointmentId,
        until: Timestamp,
    },
    ErasedHere,
    /// The number of further calls that refer to missing messages but are not reported one by one.
    MoreCallsOfNoMessage(u64),
}

/// A problem with a CSV file or one of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableProblem {
    NoHeader,
    /// The line is not valid UTF-8, although characters in other lines show that the file is UTF-8.
    NotUtf8,
    UnknownColumn,
    ColumnTwice,
    /// The file has none of the columns `name`, `phone` and `email`.
    NoContactColumn,
    RowsMax(usize),
    Fields {
        found: usize,
        header: usize,
    },
    /// A field begins with a quote, but has no closing quote, or has text after it.
    Quote,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    Alert,
    ApiKey,
    Appointment,
    Backup,
    Business,
    Calendar,
    Call,
    Contact,
    Conversation,
    Delivery,
    Feed,
    Gap,
    Knowledge,
    Mail,
    Message,
    Notice,
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

/// A weakness of a password, or a recommendation for a stronger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordHint {
    RowOfKeys,
    ShortKeyPattern,
    RepeatedCharacter,
    RepeatedPart,
    Top10,
    Top100,
    Common,
    SimilarToCommon,
    Sequence,
    RecentYear,
    SingleWord,
    Date,
    NameAlone,
    CommonName,
    UseFewWords,
    NoNeedForSymbols,
    AddWords,
    Capitalization,
    AllUppercase,
    ReversedWord,
    PredictableSubstitution,
    LongerKeyPattern,
    AvoidRepeats,
    AvoidSequences,
    AvoidRecentYears,
    AvoidOwnYears,
    AvoidOwnDates,
}

impl ProblemCode {
    pub fn now(value: impl Into<CurrentValue>) -> Self {
        Self::Now(value.into())
    }
}

impl From<ImportProblem> for ProblemCode {
    fn from(problem: ImportProblem) -> Self {
        Self::Import(problem)
    }
}

impl From<TableProblem> for ProblemCode {
    fn from(problem: TableProblem) -> Self {
        Self::Table(problem)
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[track_caller]
    fn check(value: impl Into<CurrentValue>, shown: &str) {
        assert_eq!(value.into().to_string(), shown);
    }

    #[test]
    fn a_current_value_is_written_as_the_api_shows_it() {
        let id = "01920000-0000-7000-8000-000000000001";
        check(Timestamp::from_millis(1_700_000_000_000), "2023-11-14T22:13:20.000Z");
        check(NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(), "2026-11-03");
        check(12_usize, "12");
        check(StaffId::from(id.parse::<Uuid>().unwrap()), id);
        check(AppointmentStatus::Confirmed, "confirmed");
        check(DeliveryStatus::Pending, "pending");
        check(WebhookStatus::Disabled, "disabled");
        check(MembershipStatus::Disabled, "disabled");
    }
}
