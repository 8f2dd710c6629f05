//! The engine's codes in English for the APIs, the CLI and MCP. Each match is exhaustive, so a new code
//! needs a sentence.

use std::borrow::Cow;

use domain::{
    Amendment, BudgetKind, Conflict, Denied, DirFault, ImportProblem, Named, PasswordHint, ProblemCode,
    SlotReason, TextError, UnderWay, UrlRefusal, UsedBy, Wait,
};
use engine::backup::BackupFailure;
use net::named::TlsFault;
use store::DiskFull;

use crate::config::variables;
use crate::moving::{COLUMNS, Flaw};

pub(crate) fn slot(reason: SlotReason) -> &'static str {
    match reason {
        SlotReason::Past => "the time is in the past",
        SlotReason::ClosedThatDay => "the business is closed that day",
        SlotReason::Break => "the time overlaps a break",
        SlotReason::TooShortNotice => "the time is too soon: the service must be booked further in advance",
        SlotReason::TooFarAhead => "the time is too far ahead for this service",
        SlotReason::StaffOff => "the staff members for this service are off at that time",
        SlotReason::NobodyAvailable => "no staff member is available at that time",
        SlotReason::Buffer => "the time is too close to another appointment or to time off",
        SlotReason::OutsideHours => "the time is outside opening hours",
        SlotReason::OffGrid => "the time is not on the 30-minute grid of start times",
        SlotReason::Taken => "the time is taken",
        SlotReason::NobodyOffersIt => "no active staff member offers this service",
        SlotReason::ServiceInactive => "the service can no longer be booked",
        SlotReason::StaffUnavailable => "the staff member no longer takes appointments for this service",
    }
}

pub(crate) fn conflict(conflict: &Conflict) -> String {
    let sentence = match conflict {
        Conflict::SpecialDaysFull(most) => {
            return format!("a business can have at most {most} special days; delete past ones");
        }
        Conflict::TimesOffFull(most) => {
            return format!("there are {most} future times off, which is the maximum");
        }
        Conflict::AppointmentStatus(status, amendment) => {
            return format!("an appointment that is {status} cannot be {}", amended(*amendment));
        }
        Conflict::BudgetUsedUp(kind) => {
            return format!("the budget for {} is used up", spaced(*kind));
        }
        Conflict::EndpointsFull(most) => return format!("a business has at most {most} webhook endpoints"),
        Conflict::PeopleFull(most) => return format!("a business has at most {most} people"),
        Conflict::NoRelaySet(setting) => return format!("no mail is sent: {setting} is not set"),
        Conflict::Changed => "the resource has changed",
        Conflict::NoSpecialDay => "this date has no special day",
        Conflict::StartsElsewhere(_) => "the appointment starts at another time",
        Conflict::AppointmentEnded => "the appointment has already ended",
        Conflict::InUse(_) => "another record refers to it; make it inactive instead",
        Conflict::EndpointDisabled => "the endpoint is disabled",
        Conflict::DeliveryPending => "the delivery is pending",
        Conflict::ContactErased => "the contact of the appointment was erased",
        Conflict::EventWiped => "the event contained data of a contact who was erased",
        Conflict::ContactTaken { .. } => "another contact has this phone or email",
        Conflict::BelongsAlready => "the person already belongs to the business",
        Conflict::NotOnOffer => "the membership is no longer offered",
        Conflict::LastOwner => "the business must keep an active owner",
        Conflict::PasswordOfAnother => "somebody else may have set the password of this account",
        Conflict::AccountUnconfirmed => "the account is not confirmed",
        Conflict::AccountHasPassword => "the account has a password",
        Conflict::AddressUnconfirmed => {
            "the account of this address is not confirmed, and no mail can be sent to it"
        }
        Conflict::AddressTaken => "another account has this address",
        Conflict::InvitationsUsedUp(_) => "today's limit of mailed invitations is reached",
        Conflict::AddressChangesUsedUp(_) => "today's limit of mails to new addresses is reached",
        Conflict::TestMailsUsedUp(_) => "the limit of test mails is reached",
        Conflict::MailPending => "the mail is still waiting to be sent",
        Conflict::MailHasLink => "invitations and mails with a link cannot be sent again",
        Conflict::NoRelay => "no mail is sent: the service has no relay",
        Conflict::NoPublicUrl => "the service has no public URL; set RECEPTIONIST_PUBLIC_URL",
        Conflict::MailsWait => "too many mails of the business are waiting to be sent",
    };
    sentence.into()
}

fn amended(amendment: Amendment) -> &'static str {
    match amendment {
        Amendment::Rescheduled => "rescheduled",
        Amendment::Confirmed => "confirmed",
        Amendment::Declined => "declined",
    }
}

pub(crate) fn under_way(what: UnderWay) -> &'static str {
    match what {
        UnderWay::Backup => "a backup is being made",
        UnderWay::Import => "an import is under way",
    }
}

pub(crate) fn named(named: Named) -> &'static str {
    match named {
        Named::Alert => "alert",
        Named::ApiKey => "API key",
        Named::Appointment => "appointment",
        Named::Backup => "backup",
        Named::Business => "business",
        Named::Call => "call",
        Named::Contact => "contact",
        Named::Delivery => "delivery",
        Named::Knowledge => "knowledge",
        Named::Mail => "mail",
        Named::Message => "message",
        Named::Page => "page",
        Named::Person => "person",
        Named::Record => "record",
        Named::Service => "service",
        Named::Session => "session",
        Named::SpecialDay => "special day",
        Named::Staff => "staff member",
        Named::Subscription => "subscription",
        Named::TimeOff => "time off",
        Named::Webhook => "webhook endpoint",
    }
}

pub(crate) fn denied(denied: Denied) -> &'static str {
    match denied {
        Denied::NotOfTheBusiness => "the person does not belong to the business",
        Denied::KeyOfNobody => "an API key cannot change a membership",
        Denied::OwnersAndAdmins => "only owners and admins can change this",
        Denied::ReadOnly => "your role can see this but cannot change it",
        Denied::PeopleOfTheBusiness => "only owners and admins can change the people of a business",
        Denied::OwnerByAdmin => "an admin cannot create or change an owner",
        Denied::AlertOfAnother => "only the recipient of an alert can mark it as read",
        Denied::NotificationsOfAnother => "a person can change only their own notification settings",
        Denied::NameOfAnother => "a person can change only their own name",
        Denied::TimeOffOfAnother => "only owners and admins can change the time off of other staff members",
        Denied::OfferedElsewhere => "the membership was offered to another address: ask for a new invitation",
        Denied::OfferOfAnother => "only the invited person can accept or decline a membership",
        Denied::AccountUnconfirmed => "the account is not confirmed: use a link that was sent to its address",
        Denied::LinksByOperator => "only the operator can create links",
        Denied::KindOfLink => "this request cannot create a link of this kind",
        Denied::OwnSession => {
            "sign in first: the link works only in a session of the account that requested this address"
        }
        Denied::PasswordAgain => "the password must be entered again first",
        Denied::RestrictedSession => "this session can only set a password",
    }
}

/// The problem as a predicate: `must be a UUID`.
pub(crate) fn problem(code: &ProblemCode) -> Cow<'_, str> {
    use ProblemCode as P;
    let words = match code {
        P::PlusInQuery(code) => {
            return format!("{} (in a query, + is a space; write it as %2B)", problem(code)).into();
        }
        P::Text(error) => return text(*error),
        P::RequiredWith(other) => return format!("is required with {other}").into(),
        P::RequiredOr(other) => return format!("is required, or {other}").into(),
        P::NotWith(others) => {
            return format!("must not be given together with {}", others.join(" or ")).into();
        }
        P::InvalidJson(error) => return format!("the body is not valid JSON: {error}").into(),
        P::HeaderAscii(max) => {
            return format!("must be one value of 1 to {max} visible ASCII characters").into();
        }
        P::VisibleAscii(max) => return format!("must have 1 to {max} visible ASCII characters").into(),
        P::ValuesMax(max) => return format!("must list at most {max} values").into(),
        P::Unnamed(count) => return format!("{count} more problems are not listed").into(),
        P::AtMost(max) => return format!("must be at most {max}").into(),
        P::NotANameOrId(max) => return format!("must be a name of 1 to {max} characters, or an id").into(),
        P::DaysFrom(other, max) => {
            return format!("must be at most {max} days from {other}, counting both days").into();
        }
        P::OfPerson(id) => return format!("is already used by person {id}").into(),
        P::Now(value) => return value.into(),
        P::StatusNow(status) => return format!("is {status}").into(),
        P::EntityTagNow(tag) => return format!("the entity tag is now {tag}").into(),
        P::UsedBy(UsedBy::Appointment(id)) => return format!("appointment {id} refers to it").into(),
        P::UsedBy(UsedBy::Message(id)) => return format!("message {id} refers to it").into(),
        P::UsedBy(UsedBy::Staff(id)) => return format!("staff member {id} offers it").into(),
        P::UsedBy(UsedBy::Person(id)) => return format!("person {id} is this staff member").into(),
        P::MailPending => return conflict(&Conflict::MailPending).into(),
        P::MailHasLink => return conflict(&Conflict::MailHasLink).into(),
        P::NoRelay => return conflict(&Conflict::NoRelay).into(),
        P::MailsWait => return conflict(&Conflict::MailsWait).into(),
        P::Guessable(hints) => return guessable(hints).into(),
        P::NextAt(at) => return format!("the next one can be sent at {at}").into(),
        P::AfterBackup(id) => return format!("wait for the end of backup {id}").into(),
        P::BackupDir(dir, fault) => return backup_dir(dir, fault).into(),
        P::OneRequired(names) => return format!("must have at least one of {}", names.join(", ")).into(),
        P::Items { min: 0, max } => return format!("must have at most {max} items").into(),
        P::Items { min, max } => return format!("must have {min} to {max} items").into(),
        P::WholeNumber { min, max } => {
            return format!("must be a whole number from {min} to {max}").into();
        }
        P::OneOf(words) => return format!("must be one of {}", words.join(", ")).into(),
        P::Years(first, last) => return format!("must be in the years {first} to {last}").into(),
        P::NotLaterThan(other) => return format!("must be later than {other}").into(),
        P::Before(other) => return format!("must not be before {other}").into(),
        P::SameAs(other) => {
            return format!("must differ from {other}; the whole day is 00:00 to 24:00").into();
        }
        P::DayListed(day, 1) => return format!("{day} is listed twice").into(),
        P::DayListed(day, most) => return format!("{day} is listed more than {most} times").into(),
        P::BreaksMax(most) => return format!("a week has at most {most} breaks").into(),
        P::WindowsMax(most) => return format!("a date has at most {most} windows").into(),
        P::OverlapsDay(day) => return format!("the window overlaps a window of {day}").into(),
        P::OverlapsWindow(index) => return format!("the window overlaps windows[{index}]").into(),
        P::NotOfTheBusiness(of) => {
            let article = if named(*of).starts_with(['a', 'A']) { "an" } else { "a" };
            return format!("is not {article} {} of the business", named(*of)).into();
        }
        P::PublicUrlUnset => {
            let setting = variables::PUBLIC_URL;
            return format!(
                "{setting} must be set if the service listens on an address other than loopback without TLS"
            )
            .into();
        }
        P::OfContact(id) => return format!("is already used by contact {id}").into(),
        P::People(count) => return format!("{count} people belong to it").into(),
        P::WebhookUrl(refusal) => return webhook_url(*refusal).into(),
        P::Import(problem) => return import(problem),
        P::Endpoints(count) => return format!("{count} endpoints exist").into(),
        P::RowsFull { kind, max, used } => {
            return format!("the business may keep at most {max} {}; it has {used}", spaced(*kind)).into();
        }
        P::BytesFull { kind, max, used, more } => {
            let kept = format!("the business may keep at most {max} bytes of {}", spaced(*kind));
            return format!("{kept}; it has {used}, and this one takes {more}").into();
        }
        P::NextIn(Wait::Minutes(minutes)) => {
            return format!("the next one can be sent in {minutes} minutes").into();
        }
        P::NextIn(Wait::Hours(hours)) => return format!("the next one can be sent in {hours} hours").into(),
        P::Required => "is required",
        P::InstantsOrDates => "is required together with ends_at, unless from and to are given",
        P::NoBody => "this endpoint takes no body",
        P::EmptyBody => "a JSON object is required",
        P::EncodedName => "is not a valid percent-encoded name",
        P::EncodedValue => "is not valid percent-encoded UTF-8",
        P::NotEntityTags => "must be * or a list of entity tags such as \"abc\"",
        P::NotACursor => "must be a next_cursor of this list with the same filters",
        P::MalformedCursor => "is malformed",
        P::NotAnInstant => "must be an RFC 3339 date-time with an offset or Z, such as 2026-03-02T09:00:00Z",
        P::NotADateTime => {
            "must be a time on the business's clock such as 2026-11-24T10:00, or one with an offset such as \
             2026-11-24T10:00:00+01:00"
        }
        P::NotADateOrTime => {
            "must be a date such as 2026-11-24, a time on the business's clock such as 2026-11-24T10:00, or one with \
             an offset"
        }
        P::WindowsOfClosed => "must be empty if closed is true",
        P::NoWindows => "must have at least one window unless closed is true",
        P::NoRecord => "the record does not exist",
        P::UsedBy(UsedBy::JustNow) => "another record started to refer to it just now",
        P::ContactErased => "the contact was erased",
        P::EventWiped => "the data of the event was erased",
        P::WaitingFull => "the maximum number of deliveries is waiting",
        P::MakeReset => "an invitation is only for an account without a password; create a reset link",
        P::MakeLink => "create a link for the person first; its use confirms the account",
        P::NotAbsolute => "must be an absolute path",
        P::UnknownProperty => "is not a known property",
        P::UnknownParameter => "is not a known parameter",
        P::GivenTwice => "is given twice",
        P::ListedTwice => "is listed twice",
        P::NotAString => "must be a string",
        P::NotABoolean => "must be true or false",
        P::NotAnArray => "must be an array",
        P::NotAnObject => "must be an object",
        P::BodyNotAnObject => "the body must be a JSON object",
        P::NotAUuid => "must be a UUID",
        P::NotACurrency => "must be an ISO 4217 code of three upper-case letters, such as EUR",
        P::NotATimeZone => "must be an IANA time zone name such as Europe/Paris",
        P::NotARegion => "must be an ISO 3166 region in capitals such as US",
        P::NotAWebAddress => "must be an absolute http or https URL",
        P::NotADate => "must be a date as YYYY-MM-DD",
        P::NotALocalTime => "must be a local time from 00:00 to 24:00, as HH:MM",
        P::SkippedDays => "these days do not exist in the time zone of the business",
        P::OpensAtTheEnd => "must be 00:00 to 23:59",
        P::NoActiveService => "names no active service",
        P::NoActiveStaff => "names no active staff member",
        P::NotOffered => "names a staff member who does not offer the service",
        P::NotOffering => "must be an active staff member who offers the service",
        P::PhoneOrEmail => "must have a phone or an email",
        P::NamePhoneOrEmail => "must have one of name, phone, email",
        P::KeepsNamePhoneOrEmail => "must keep one of name, phone, email",
        P::SkippedTime => "this time does not exist on that day because of a clock change",
        P::TimeTwice => "this time occurs twice on that day because of a clock change",
        P::PasswordAgain => denied(Denied::PasswordAgain),
        P::PasswordWrong => "is not the password",
        P::NotTicked => "must be ticked",
        P::ImportRuns => {
            "only one import can run at a time, and an interrupted import is completed or undone first"
        }
        P::ImportUnfinished => "an interrupted import is completed or undone first",
        P::Taken => "is taken",
        P::LastOwner => "belongs to the last active owner",
        P::UseMailedLink => "first use the link that was mailed to the current address of the account",
        P::OperatorCanAdd => "the operator can add this person",
    };
    words.into()
}

/// The problem of a table of contacts.
pub(crate) fn flaw(flaw: &Flaw) -> Cow<'_, str> {
    let words = match flaw {
        Flaw::UnknownColumn => {
            return format!("is not a column; the columns are: {}", COLUMNS.join(", ")).into();
        }
        Flaw::RowsMax(max) => return format!("exceeds the limit of {max} rows in a table").into(),
        Flaw::Fields { found, header } => {
            return format!("has {found} fields, and the header {header}").into();
        }
        Flaw::OfLine(first) => return format!("is already used on line {first}").into(),
        Flaw::Value(code) => return problem(code),
        Flaw::NoHeader => "a header line with the names of the columns is required",
        Flaw::ColumnTwice => "occurs twice in the header",
        Flaw::NoKeyColumn => "a column phone or email is required, because it identifies the contacts",
        Flaw::NotUtf8 => "is not UTF-8",
    };
    words.into()
}

pub(crate) fn text(error: TextError) -> Cow<'static, str> {
    let words = match error {
        TextError::Length { min: 0, max } => return format!("must have at most {max} characters").into(),
        TextError::Length { min, max } => return format!("must have {min} to {max} characters").into(),
        TextError::Blank => "must not be blank",
        TextError::Nul => "must not contain the NUL character",
        TextError::Email => "must be an email address such as name@example.com",
        TextError::Phone => "must be a phone number, national or in the form +15551234567",
    };
    words.into()
}

fn import(problem: &ImportProblem) -> Cow<'static, str> {
    use ImportProblem as I;
    let words = match problem {
        I::LineBytesMax(max) => return format!("is longer than {max} bytes").into(),
        I::NotJson(column) => return format!("is not valid JSON from column {column} on").into(),
        I::Count(count) => return format!("must be {count}: lines are missing or were added").into(),
        I::NotBefore(kind) => return format!("must come before the lines of kind {kind}").into(),
        I::NotSorted(by) => {
            return format!("must be greater than on the line before: lines are sorted by {by}").into();
        }
        I::SpecialDaysMax(max) => {
            return format!("exceeds the limit: a business has at most {max} special days").into();
        }
        I::TimesOffMax { per_staff, all } => {
            let most = format!("a staff member has at most {per_staff} times off, and a business {all}");
            return format!("exceeds the limit: {most}").into();
        }
        I::EndpointsMax(max) => return format!("a business has at most {max} webhook endpoints").into(),
        I::Overlaps { by, until } => {
            return format!("overlaps appointment {by} of the same staff member, which ends at {until}")
                .into();
        }
        I::MoreCallsOfNoMessage(calls) => {
            return format!("{calls} more calls of the business name a message that it does not have").into();
        }
        I::NoHead => "must be the head of an export, with its format and version",
        I::NotTheFirst => "must be on the first line",
        I::AfterTheLast => "comes after the last line",
        I::EndsEarly => "is missing: the file ends too early",
        I::Incomplete => "says that the export is incomplete: records of a business are missing",
        I::NoBusiness => "must come after a business",
        I::BusinessNotEnded => "must come after the end of the previous business",
        I::BusinessExists => "is already used by a business of this service",
        I::BusinessEnding => {
            "belongs to a business that this service is deleting; import again after its rows are deleted"
        }
        I::OncePerBusiness => "must occur at most once, directly after the business",
        I::NotAUuid7 => "must be a UUID of version 7",
        I::Future => "must not be in the future: check the clock of this machine",
        I::LaterThanId => "must not be later than the instant in the id",
        I::NotWithinADay => "must be later than starts_at, by one day at most",
        I::NotE164 => "must be a phone number in the form +15551234567",
        I::NotASecret => "must be whsec_ and the base64 of 32 bytes",
        I::RequiredIfDisabled => "is required if the endpoint is disabled",
        I::NullIfEnabled => "must be null if the endpoint is enabled",
        I::ErasedHere => {
            "belongs to a contact who was erased in this service: erase the contact in the exporting service and export \
             again, or import with erase_again (--erase-again), which leaves the contact's data out"
        }
    };
    words.into()
}

fn guessable(hints: &[PasswordHint]) -> String {
    let hints: Vec<_> = hints.iter().copied().map(hint).collect();
    if hints.is_empty() {
        return "is too easy to guess".into();
    }
    format!("is too easy to guess: {}", hints.join(" "))
}

fn hint(hint: PasswordHint) -> &'static str {
    match hint {
        PasswordHint::RowOfKeys => "Straight rows of keys are easy to guess.",
        PasswordHint::ShortKeyPattern => "Short keyboard patterns are easy to guess.",
        PasswordHint::RepeatedCharacter => "Repeats like \"aaa\" are easy to guess.",
        PasswordHint::RepeatedPart => {
            "Repeats like \"abcabcabc\" are only slightly harder to guess than \"abc\"."
        }
        PasswordHint::Top10 => "This is a top-10 common password.",
        PasswordHint::Top100 => "This is a top-100 common password.",
        PasswordHint::Common => "This is a very common password.",
        PasswordHint::SimilarToCommon => "This is similar to a commonly used password.",
        PasswordHint::Sequence => "Sequences like abc or 6543 are easy to guess.",
        PasswordHint::RecentYear => "Recent years are easy to guess.",
        PasswordHint::SingleWord => "A word by itself is easy to guess.",
        PasswordHint::Date => "Dates are often easy to guess.",
        PasswordHint::NameAlone => "Names and surnames by themselves are easy to guess.",
        PasswordHint::CommonName => "Common names and surnames are easy to guess.",
        PasswordHint::UseFewWords => "Use a few words, avoid common phrases.",
        PasswordHint::NoNeedForSymbols => "No need for symbols, digits, or uppercase letters.",
        PasswordHint::AddWords => "Add another word or two. Uncommon words are better.",
        PasswordHint::Capitalization => "Capitalization doesn't help very much.",
        PasswordHint::AllUppercase => "All-uppercase is almost as easy to guess as all-lowercase.",
        PasswordHint::ReversedWord => "Reversed words aren't much harder to guess.",
        PasswordHint::PredictableSubstitution => {
            "Predictable substitutions like '@' instead of 'a' don't help very much."
        }
        PasswordHint::LongerKeyPattern => "Use a longer keyboard pattern with more turns.",
        PasswordHint::AvoidRepeats => "Avoid repeated words and characters.",
        PasswordHint::AvoidSequences => "Avoid sequences.",
        PasswordHint::AvoidRecentYears => "Avoid recent years.",
        PasswordHint::AvoidOwnYears => "Avoid years that are associated with you.",
        PasswordHint::AvoidOwnDates => "Avoid dates and years that are associated with you.",
    }
}

fn backup_dir(dir: &str, fault: &DirFault) -> String {
    match fault {
        DirFault::HoldsBackup => format!("{dir} holds a backup already; choose another directory"),
        DirFault::NotEmpty => format!("{dir} is not empty; choose an empty or new directory"),
        DirFault::NotCreated(error) => format!("{dir} cannot be created: {error}"),
        DirFault::Unusable(error) => format!("{dir} cannot be used: {error}"),
        DirFault::NotWritable(error) => format!("{dir} is not writable: {error}"),
    }
}

pub(crate) fn backup_failure(failure: BackupFailure) -> String {
    match failure {
        BackupFailure::ServiceStopped => "the service stopped".into(),
        BackupFailure::Panicked => "the backup thread panicked".into(),
        BackupFailure::DiskFull => DiskFull.to_string(),
        BackupFailure::Store(error) | BackupFailure::NotWritten(error) => error,
    }
}

pub(crate) fn tls(fault: TlsFault) -> &'static str {
    match fault {
        TlsFault::Expired => "the certificate has expired",
        TlsFault::NotYetValid => "the certificate is not valid yet",
        TlsFault::OtherName => "the certificate is for another name",
        TlsFault::UnknownIssuer => "the certificate's issuer is not trusted",
        TlsFault::Certificate => "the certificate is not valid",
        TlsFault::Refused => "the other end refused the TLS handshake",
        TlsFault::NotTls => "the other end does not speak TLS",
        TlsFault::Handshake => "the TLS handshake failed",
    }
}

fn webhook_url(refusal: UrlRefusal) -> String {
    let words = match refusal {
        UrlRefusal::TooLong(max) => return format!("must have at most {max} characters"),
        UrlRefusal::NotHttps => "must start with https://",
        UrlRefusal::Characters => "must not contain spaces, control characters or backslashes",
        UrlRefusal::Credentials => "must not contain a user name or a password",
        UrlRefusal::Fragment => "must not contain a fragment",
        UrlRefusal::Host => "must have a valid host",
        UrlRefusal::Port => "must not have port 0",
        UrlRefusal::Malformed => "must be a valid URL",
        UrlRefusal::NotPublic => "does not resolve to a public address",
    };
    words.to_owned()
}

/// The kind in words: `waiting deliveries`.
fn spaced(kind: BudgetKind) -> String {
    kind.as_str().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_password_is_too_easy_to_guess_is_told_hint_by_hint() {
        assert_eq!(problem(&ProblemCode::Guessable(Vec::new())), "is too easy to guess");
        assert_eq!(
            problem(&ProblemCode::Guessable(vec![PasswordHint::Common, PasswordHint::AddWords])),
            "is too easy to guess: This is a very common password. Add another word or two. Uncommon words are better."
        );
    }
}
