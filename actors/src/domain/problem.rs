//! What is wrong with one thing that a request names: a code with its values. The edges tell it in words.

use super::{BudgetKind, ContactId, Day, TextError};

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
        min: u32,
        /// The greatest.
        max: u32,
    },
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
    /// It has to lie within these years.
    Years(i32, i32),
    /// It has to be later than the property of this name.
    NotLaterThan(&'static str),
    /// It must not be before the property of this name.
    Before(&'static str),
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
