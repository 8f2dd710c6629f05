//! The English sentences for the engine's codes. The APIs, the command line and MCP use these sentences. Each `match`
//! over codes is exhaustive, so the program does not compile if a code has no sentence.

use std::borrow::Cow;
use std::path::Path;

use domain::{
    Amendment, BudgetKind, Conflict, Denied, DirFault, ImportProblem, Named, PasswordHint, ProblemCode,
    SkipReason, SlotReason, TableProblem, TextError, UnderWay, UrlRefusal, UsedBy, Wait,
};
use engine::backup::BackupFailure;
use net::named::TlsFault;
use store::DiskFull;
use talk::words::capitalised;

use crate::config::variables;
use crate::tables::contacts::COLUMNS;

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
    match conflict {
        Conflict::SpecialDaysFull(most) => {
            format!("a business can have at most {most} special days; delete past ones")
        }
        Conflict::TimesOffFull(most) => {
            format!("there are {most} future periods of time off, which is the maximum")
        }
        Conflict::AppointmentStatus(status, amendment) => {
            format!("an appointment that is {status} cannot be {}", amended(*amendment))
        }
        Conflict::BudgetUsedUp(kind) => format!("the budget for {} is used up", spaced(*kind)),
        Conflict::FeedsFull(most) => format!("a business and each staff member have at most {most} feeds"),
        Conflict::CalendarsFull(most) => {
            format!("the business or the staff member has {most} connected calendars, which is the maximum")
        }
        Conflict::WrittenElsewhere => {
            "the appointments of the staff member are already written to another calendar".into()
        }
        Conflict::CollectionWritten => {
            "another connected calendar already writes appointments to this calendar, or is still deleting the events that it wrote to it"
                .into()
        }
        Conflict::EndpointsFull(most) => format!("a business has at most {most} webhook endpoints"),
        Conflict::PeopleFull(most) => format!("a business has at most {most} people"),
        Conflict::NoRelaySet(setting) => format!("no mail is sent: {setting} is not set"),
        Conflict::Changed => "the resource has changed".into(),
        Conflict::NoSpecialDay => "this date has no special day".into(),
        Conflict::StartsElsewhere(_) => "the appointment starts at another time".into(),
        Conflict::NotConfirmed => "only a confirmed appointment can have an attendance".into(),
        Conflict::AttendanceTooEarly(from) => format!("this attendance can be set from {from} on"),
        Conflict::AppointmentEnded => "the appointment has already ended".into(),
        Conflict::NotChangeableOnline => "this appointment can no longer be changed online".into(),
        Conflict::InUse(_) => {
            "another record refers to this record; make this record inactive instead".into()
        }
        Conflict::EndpointDisabled => "the endpoint is disabled".into(),
        Conflict::DeliveryPending => "the delivery is pending".into(),
        Conflict::DeliveryNotPending(status) => format!("the delivery is {status}, not pending"),
        Conflict::ContactErased => "the contact was erased".into(),
        Conflict::ContactMerging => "records of the contact are still being moved after a merge".into(),
        Conflict::NotesTooLong(max) => {
            format!("the notes of both contacts would have more than {max} characters; shorten them first")
        }
        Conflict::MergesFull(max) => format!("at most {max} contacts can be merged into one"),
        Conflict::EventWiped => "the event contained data of a contact who was erased".into(),
        Conflict::ContactTaken { .. } => "another contact has this phone or email".into(),
        Conflict::BelongsAlready => "the person already belongs to the business".into(),
        Conflict::NotOnOffer => "the membership is no longer offered".into(),
        Conflict::LastOwner => "the business must keep an active owner".into(),
        Conflict::PasswordOfAnother => "somebody else may have set the password of this account".into(),
        Conflict::AccountUnconfirmed => "the account is not confirmed".into(),
        Conflict::AccountHasPassword => "the account has a password".into(),
        Conflict::AddressUnconfirmed => {
            "the account of this address is not confirmed, and no mail can be sent to it".into()
        }
        Conflict::AddressTaken => "another account has this address".into(),
        Conflict::InvitationsUsedUp(_) => "today's limit of mailed invitations has been reached".into(),
        Conflict::AddressChangesUsedUp(_) => {
            "today's limit of mails to new addresses has been reached".into()
        }
        Conflict::TestMailsUsedUp(_) => "the limit of test mails has been reached".into(),
        Conflict::MailPending => "the mail is still waiting to be sent".into(),
        Conflict::MailHasLink => "invitations and mails with a link cannot be sent again".into(),
        Conflict::SlugTaken => "another business has or recently had this slug".into(),
        Conflict::NoTexts => "the business has no connection that sends texts".into(),
        Conflict::ConversationEnded => "the conversation has ended".into(),
        Conflict::ConversationFull => {
            "the conversation has its maximum length and takes no further turn".into()
        }
        Conflict::NotByText => "the team can reply only in conversations by `sms`".into(),
        Conflict::NoRelay => "no mail is sent: the service has no relay".into(),
        Conflict::NoPublicUrl => "the service has no public URL; set RECEPTIONIST_PUBLIC_URL".into(),
        Conflict::MailsWait => "too many mails of the business are waiting to be sent".into(),
    }
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
        UnderWay::Turn => "another turn of the conversation is in progress",
    }
}

pub(crate) fn named(named: Named) -> &'static str {
    match named {
        Named::Alert => "alert",
        Named::ApiKey => "API key",
        Named::Appointment => "appointment",
        Named::Backup => "backup",
        Named::Business => "business",
        Named::Calendar => "calendar",
        Named::Call => "call",
        Named::Contact => "contact",
        Named::Conversation => "conversation",
        Named::Delivery => "delivery",
        Named::Feed => "feed",
        Named::Gap => "question",
        Named::Knowledge => "knowledge entry",
        Named::Mail => "mail",
        Named::Message => "message",
        Named::Notice => "notice",
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

/// The problem as the end of a sentence: `must be a UUID`.
pub(crate) fn problem(code: &ProblemCode) -> String {
    use ProblemCode as P;
    match code {
        P::PlusInQuery(code) => format!("{} (in a query, + is a space; write it as %2B)", problem(code)),
        P::Text(error) => text(*error),
        P::RequiredWith(other) => format!("is required with {other}"),
        P::RequiredOr(other) => format!("is required, or {other}"),
        P::NotWith(others) => format!("must not be given together with {}", others.join(" or ")),
        P::InvalidJson(error) => format!("the body is not valid JSON: {error}"),
        P::HeaderAscii(max) => format!("must be one value of 1 to {max} visible ASCII characters"),
        P::VisibleAscii(max) => format!("must have 1 to {max} visible ASCII characters"),
        P::ValuesMax(max) => format!("must list at most {max} values"),
        P::Unnamed(count) => format!("{count} more problems are not listed"),
        P::AtMost(max) => format!("must be at most {max}"),
        P::NotANameOrId(max) => format!("must be a name of 1 to {max} characters, or an id"),
        P::DaysFrom(other, max) => format!("must be at most {max} days from {other}, counting both days"),
        P::OfPerson(id) => format!("is already used by person {id}"),
        P::Now(value) => value.to_string(),
        P::EntityTagNow(tag) => format!("the entity tag is now {tag}"),
        P::UsedBy(UsedBy::Appointment(id)) => format!("appointment {id} refers to it"),
        P::UsedBy(UsedBy::Message(id)) => format!("message {id} refers to it"),
        P::UsedBy(UsedBy::Staff(id)) => format!("staff member {id} offers it"),
        P::UsedBy(UsedBy::Person(id)) => format!("person {id} is linked to this staff member"),
        P::MailPending => conflict(&Conflict::MailPending),
        P::MailHasLink => conflict(&Conflict::MailHasLink),
        P::NoRelay => conflict(&Conflict::NoRelay),
        P::NoTexts => conflict(&Conflict::NoTexts),
        P::NotASlug => {
            "must be 3 to 60 characters from a-z, 0-9 and -, not begin or end with -, and not be manage or assets"
                .into()
        }
        P::NotAnOrigin => "must be https://host[:port], or http for a loopback host, without a path".into(),
        P::NotAColor => "must be a colour such as #1a2b3c".into(),
        P::NotOneLine => "must be one line".into(),
        P::ZeroOrRange(min, max) => format!("must be 0, or a whole number from {min} to {max}"),
        P::NotByText => conflict(&Conflict::NotByText),
        P::MailsWait => conflict(&Conflict::MailsWait),
        P::Guessable(hints) => guessable(hints),
        P::NextAt(at) => format!("the next one can be sent at {at}"),
        P::AfterBackup(id) => format!("wait for the end of backup {id}"),
        P::BackupDir(dir, fault) => backup_dir(dir, fault),
        P::OneRequired(names) => format!("must have at least one of {}", names.join(", ")),
        P::Items { min: 0, max } => format!("must have at most {max} items"),
        P::Items { min, max } => format!("must have {min} to {max} items"),
        P::WholeNumber { min, max } => format!("must be a whole number from {min} to {max}"),
        P::OffersMax(max) => format!("already offers {max} services, which is the maximum"),
        P::OneOf(words) => format!("must be one of {}", words.join(", ")),
        P::Years(first, last) => format!("must be in the years {first} to {last}"),
        P::NotLaterThan(other) => format!("must be later than {other}"),
        P::Before(other) => format!("must not be before {other}"),
        P::SameAs(other) => format!("must differ from {other}; the whole day is 00:00 to 24:00"),
        P::DayListed(day, 1) => format!("{day} is listed twice"),
        P::DayListed(day, most) => format!("{day} is listed more than {most} times"),
        P::BreaksMax(most) => format!("a week has at most {most} breaks"),
        P::WindowsMax(most) => format!("a date has at most {most} windows"),
        P::OverlapsDay(day) => format!("the window overlaps a window of {day}"),
        P::OverlapsWindow(index) => format!("the window overlaps windows[{index}]"),
        P::NotOfTheBusiness(of) => {
            let article = if named(*of).starts_with(['a', 'A']) { "an" } else { "a" };
            format!("is not {article} {} of the business", named(*of))
        }
        P::PublicUrlUnset => {
            let setting = variables::PUBLIC_URL;
            format!(
                "{setting} must be set if the service listens without TLS on an address other than loopback"
            )
        }
        P::OfContact(id) => format!("is already used by contact {id}"),
        P::People(count) => format!("{count} people belong to it"),
        P::WebhookUrl(refusal) => webhook_url(*refusal),
        P::Import(problem) => import(problem),
        P::Table(problem) => table(*problem),
        P::Endpoints(count) => format!("{count} endpoints exist"),
        P::Feeds(count) => format!("{count} feeds exist"),
        P::Calendars(count) => format!("{count} calendars are connected"),
        P::Calendar(error) => error.to_string(),
        P::GoogleCaldav => "Google calendars are connected by their secret iCal address in this version".into(),
        P::NoCollection => "the account has no calendar with this address".into(),
        P::BusyOrWrite => "`busy` or `write` must be true".into(),
        P::CaldavOnly => "only calendars of the kind `caldav` have this property".into(),
        P::RowsFull { kind, max, used } => {
            format!("the business may keep at most {max} {}; it has {used}", spaced(*kind))
        }
        P::BytesFull { kind, max, used, more } => {
            let kept = format!("the business may keep at most {max} bytes of {}", spaced(*kind));
            format!("{kept}; it has {used}, and this one takes {more}")
        }
        P::NextIn(Wait::Minutes(minutes)) => format!("the next one can be sent in {minutes} minutes"),
        P::NextIn(Wait::Hours(hours)) => format!("the next one can be sent in {hours} hours"),
        P::Required => "is required".into(),
        P::InstantsOrDates => "is required together with ends_at, unless from and to are given".into(),
        P::NoBody => "this endpoint takes no body".into(),
        P::EmptyBody => "a JSON object is required".into(),
        P::EncodedName => "is not a valid percent-encoded name".into(),
        P::EncodedValue => "is not valid percent-encoded UTF-8".into(),
        P::NotEntityTags => "must be * or a list of entity tags such as \"abc\"".into(),
        P::NotACursor => "must be a next_cursor of this list with the same filters".into(),
        P::MalformedCursor => "is malformed".into(),
        P::NotAWholeMinute => "must be a whole minute".into(),
        P::NotAnInstant => {
            "must be an RFC 3339 date-time with an offset or Z, such as 2026-03-02T09:00:00Z".into()
        }
        P::NotADateTime => {
            "must be a time on the business's clock such as 2026-11-24T10:00, or one with an offset such as \
             2026-11-24T10:00:00+01:00"
                .into()
        }
        P::NotADateOrTime => {
            "must be a date such as 2026-11-24, a time on the business's clock such as 2026-11-24T10:00, or \
             one with an offset"
                .into()
        }
        P::WindowsOfClosed => "must be empty if closed is true".into(),
        P::NoWindows => "must have at least one window unless closed is true".into(),
        P::NoRecord => "the record does not exist".into(),
        P::UsedBy(UsedBy::JustNow) => "another record has just started to refer to this record".into(),
        P::ContactErased => "the contact was erased".into(),
        P::ContactMerging => "the records of this contact are still being moved; try again in a few seconds".into(),
        P::SameContact => "is the same contact".into(),
        P::OfNeitherContact => "must be null or a value of one of the two contacts".into(),
        P::EventWiped => "the data of the event was erased".into(),
        P::WaitingFull => "the maximum number of deliveries is waiting".into(),
        P::MakeReset => "an invitation is only for an account without a password; create a reset link".into(),
        P::MakeLink => "create a link for the person first; its use confirms the account".into(),
        P::NotAbsolute => "must be an absolute path".into(),
        P::UnknownProperty => "is not a known property".into(),
        P::UnknownParameter => "is not a known parameter".into(),
        P::GivenTwice => "is given twice".into(),
        P::ListedTwice => "is listed twice".into(),
        P::NotAString => "must be a string".into(),
        P::NotNull => "must be null".into(),
        P::NotABoolean => "must be true or false".into(),
        P::NotAnArray => "must be an array".into(),
        P::NotAnObject => "must be an object".into(),
        P::BodyNotAnObject => "the body must be a JSON object".into(),
        P::NotAUuid => "must be a UUID".into(),
        P::NotACurrency => "must be an ISO 4217 code of three upper-case letters, such as EUR".into(),
        P::NotATimeZone => "must be an IANA time zone name such as Europe/Paris".into(),
        P::NotARegion => "must be an ISO 3166 region in capitals such as US".into(),
        P::NotAWebAddress => "must be an absolute http or https URL".into(),
        P::NotADate => "must be a date as YYYY-MM-DD".into(),
        P::NotALocalTime => "must be a local time from 00:00 to 24:00, as HH:MM".into(),
        P::SkippedDays => "these days do not exist in the time zone of the business".into(),
        P::OpensAtTheEnd => "must be 00:00 to 23:59".into(),
        P::NoActiveService => "names no active service".into(),
        P::NoActiveStaff => "names no active staff member".into(),
        P::NotOffered => "names a staff member who does not offer the service".into(),
        P::NotOffering => "must be an active staff member who offers the service".into(),
        P::NotAChoice => "must be the id of one of the choices in the last response".into(),
        P::PhoneOrEmail => "must have a phone or an email".into(),
        P::NamePhoneOrEmail => "must have one of name, phone, email".into(),
        P::KeepsNamePhoneOrEmail => "must keep one of name, phone, email".into(),
        P::SkippedTime => "this time does not exist on that day because of a clock change".into(),
        P::TimeTwice => "this time occurs twice on that day because of a clock change".into(),
        P::PasswordAgain => denied(Denied::PasswordAgain).into(),
        P::PasswordWrong => "is not the password".into(),
        P::NotTicked => "must be ticked".into(),
        P::ImportRuns => {
            "only one import can run at a time, and an interrupted import is completed or undone first".into()
        }
        P::ImportUnfinished => "an interrupted import is completed or undone first".into(),
        P::Taken => "is taken".into(),
        P::LastOwner => "belongs to the last active owner".into(),
        P::UseMailedLink => "first use the link that was mailed to the current address of the account".into(),
        P::OperatorCanAdd => "the operator can add this person".into(),
    }
}

/// The reason why the import of contacts skips a row of the file.
pub(crate) fn skipped(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::PhoneExists => "a contact has this phone number",
        SkipReason::EmailExists => "a contact has this email address",
        SkipReason::PhoneRepeated => "an earlier row has this phone number",
        SkipReason::EmailRepeated => "an earlier row has this email address",
    }
}

fn table(problem: TableProblem) -> String {
    match problem {
        TableProblem::NoHeader => "a header row with the names of the columns is required".into(),
        TableProblem::NotUtf8 => "is not valid UTF-8; save the file as UTF-8 (CSV UTF-8)".into(),
        TableProblem::UnknownColumn => {
            format!("is not a column; remove it, or rename it to one of: {}", COLUMNS.join(", "))
        }
        TableProblem::ColumnTwice => "occurs twice in the header".into(),
        TableProblem::NoContactColumn => "a column name, phone or email is required".into(),
        TableProblem::RowsMax(max) => format!("exceeds the limit of {max} rows in a file"),
        TableProblem::Fields { found, header } => format!("has {found} fields, but the header has {header}"),
        TableProblem::Quote => {
            "has a field with a missing or misplaced quote; end the field with a quote, and double each quote inside it"
                .into()
        }
    }
}

pub(crate) fn text(error: TextError) -> String {
    match error {
        TextError::Length { min: 0, max } => format!("must have at most {max} characters"),
        TextError::Length { min, max } => format!("must have {min} to {max} characters"),
        TextError::Blank => "must not be blank".into(),
        TextError::Nul => "must not contain the NUL character".into(),
        TextError::Email => "must be an email address such as name@example.com".into(),
        TextError::Phone => "must be a phone number, national or in the form +15551234567".into(),
    }
}

fn import(problem: &ImportProblem) -> String {
    use ImportProblem as I;
    match problem {
        I::LineBytesMax(max) => format!("is longer than {max} bytes"),
        I::NotJson(column) => format!("is not valid JSON from column {column} on"),
        I::Count(count) => format!("must be {count}: lines are missing or were added"),
        I::NotBefore(kind) => format!("must come before the lines of kind {kind}"),
        I::NotSorted(by) => format!("must be greater than on the line before: lines are sorted by {by}"),
        I::SpecialDaysMax(max) => format!("exceeds the limit: a business has at most {max} special days"),
        I::TimesOffMax { per_staff, all } => {
            let most =
                format!("a staff member has at most {per_staff} periods of time off, and a business {all}");
            format!("exceeds the limit: {most}")
        }
        I::EndpointsMax(max) => format!("a business has at most {max} webhook endpoints"),
        I::Overlaps { by, until } => {
            format!("overlaps appointment {by} of the same staff member, which ends at {until}")
        }
        I::MoreCallsOfNoMessage(calls) => {
            format!("{calls} more calls of the business refer to a message that does not exist")
        }
        I::NoHead => "must be the head line of an export, which states the format and its version".into(),
        I::NotTheFirst => "must be on the first line".into(),
        I::AfterTheLast => "comes after the last line".into(),
        I::EndsEarly => "is missing: the file ends too early".into(),
        I::Incomplete => "says that the export is incomplete: records of a business are missing".into(),
        I::NoBusiness => "must come after a business".into(),
        I::BusinessNotEnded => "must come after the end of the previous business".into(),
        I::BusinessExists => "is already used by a business of this service".into(),
        I::BusinessEnding => {
            "belongs to a business that this service is deleting; import again after its rows are deleted"
                .into()
        }
        I::OncePerBusiness => "must occur at most once, directly after the business".into(),
        I::NotAUuid7 => "must be a UUID of version 7".into(),
        I::Future => "must not be in the future: check the clock of this machine".into(),
        I::LaterThanId => "must not be later than the instant in the id".into(),
        I::NotWithinADay => "must be later than starts_at, by one day at most".into(),
        I::NotE164 => "must be a phone number in the form +15551234567".into(),
        I::NotASecret => "must be whsec_ and the base64 of 32 bytes".into(),
        I::RequiredIfDisabled => "is required if the endpoint is disabled".into(),
        I::NullUnlessConfirmed => "must be null unless the appointment is confirmed".into(),
        I::NullIfEnabled => "must be null if the endpoint is enabled".into(),
        I::ErasedHere => {
            "belongs to a contact who was erased in this service: erase the contact in the exporting service \
             and export again, or import with erase_again (--erase-again), which leaves the contact's data \
             out"
            .into()
        }
    }
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

fn backup_dir(dir: &Path, fault: &DirFault) -> String {
    let dir = dir.display();
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
    match refusal {
        UrlRefusal::TooLong(max) => format!("must have at most {max} characters"),
        UrlRefusal::NotHttps => "must start with https://".into(),
        UrlRefusal::Characters => "must not contain spaces, control characters or backslashes".into(),
        UrlRefusal::Credentials => "must not contain a user name or a password".into(),
        UrlRefusal::Fragment => "must not contain a fragment".into(),
        UrlRefusal::Host => "must have a valid host".into(),
        UrlRefusal::Port => "must not have port 0".into(),
        UrlRefusal::Malformed => "must be a valid URL".into(),
        UrlRefusal::NotPublic => "does not resolve to a public address".into(),
    }
}

/// Describes the records that the budget of this kind limits. The operator API shows the description. If no special
/// description exists, the description is the name of the kind.
pub(crate) fn budget_kind(kind: BudgetKind) -> Cow<'static, str> {
    Cow::Borrowed(match kind {
        BudgetKind::Staff => "Staff members.",
        BudgetKind::Keys => "API keys that are not revoked.",
        BudgetKind::Knowledge => "Knowledge entries.",
        BudgetKind::WaitingDeliveries => {
            "Webhook deliveries that wait for an attempt. The size of a delivery is the size of its event."
        }
        BudgetKind::WaitingNotices => {
            "Notices to customers that have not been sent yet. Their bytes are not counted."
        }
        BudgetKind::Conversations => {
            "Conversations of the receptionist. At the limit, a new conversation replaces an ended one."
        }
        other => return Cow::Owned(format!("{}.", capitalised(&spaced(other)))),
    })
}

/// The name of the kind with spaces: `waiting deliveries`.
fn spaced(kind: BudgetKind) -> String {
    kind.as_str().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_is_easy_to_guess_is_refused_with_each_hint() {
        assert_eq!(problem(&ProblemCode::Guessable(Vec::new())), "is too easy to guess");
        assert_eq!(
            problem(&ProblemCode::Guessable(vec![PasswordHint::Common, PasswordHint::AddWords])),
            "is too easy to guess: This is a very common password. Add another word or two. Uncommon words are better."
        );
    }
}
