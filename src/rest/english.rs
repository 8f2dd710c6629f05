//! The engine's refusals in English, as the APIs and MCP tell them. The compiler finds a code without a sentence.

use actors::domain::{Amendment, Conflict, Denied, SlotReason, UnderWay};

/// Why a time cannot be booked.
pub(crate) fn slot(reason: SlotReason) -> &'static str {
    match reason {
        SlotReason::Past => "the time is in the past",
        SlotReason::ClosedThatDay => "the business is closed that day",
        SlotReason::Break => "the time lies across a break",
        SlotReason::TooShortNotice => "the time is too soon: the service has to be booked earlier",
        SlotReason::TooFarAhead => "the time is too far ahead for this service",
        SlotReason::StaffOff => "the staff who could take it are off at that time",
        SlotReason::NobodyAvailable => "nobody who could take it is available at that time",
        SlotReason::Buffer => "the time is too close to another appointment or to time off",
        SlotReason::OutsideHours => "the time is outside opening hours",
        SlotReason::OffGrid => "the time is not on the 30-minute grid of start times",
        SlotReason::Taken => "the time is taken",
        SlotReason::NobodyOffersIt => "no active staff member offers this service",
        SlotReason::ServiceInactive => "the service can no longer be booked",
        SlotReason::StaffUnavailable => "the staff member no longer takes appointments for this service",
    }
}

/// What stands in the way of a request.
pub(crate) fn conflict(conflict: &Conflict) -> String {
    let sentence = match conflict {
        Conflict::SpecialDaysFull(most) => {
            return format!("a business keeps at most {most} special days; delete past ones");
        }
        Conflict::TimesOffFull(most) => {
            return format!("there are {most} times off to come, which is as many as there may be");
        }
        Conflict::AppointmentStatus(status, amendment) => {
            return format!("an appointment that is {status} cannot be {}", amended(*amendment));
        }
        Conflict::BudgetUsedUp(kind) => {
            return format!("the budget for {} is used up", kind.as_str().replace('_', " "));
        }
        Conflict::EndpointsFull(most) => return format!("a business has at most {most} webhook endpoints"),
        Conflict::PeopleFull(most) => return format!("a business has at most {most} people"),
        Conflict::NoRelaySet(setting) => return format!("no mail is sent: {setting} is not set"),
        Conflict::Changed => "the resource has changed",
        Conflict::NoSpecialDay => "there is no such special day yet",
        Conflict::StartsElsewhere(_) => "the appointment starts at another time",
        Conflict::AppointmentEnded => "the appointment has already ended",
        Conflict::InUse(_) => "something refers to it; it can be made inactive instead",
        Conflict::EndpointDisabled => "the endpoint is disabled",
        Conflict::DeliveryPending => "the delivery is pending",
        Conflict::EventWiped => "the event told of somebody who was erased",
        Conflict::ContactTaken { .. } => "another contact has this phone or email",
        Conflict::BelongsAlready => "the person belongs already",
        Conflict::NotOnOffer => "the membership is not on offer any more",
        Conflict::LastOwner => "the business would be left without an owner",
        Conflict::PasswordOfAnother => "somebody else may have set the password of this account",
        Conflict::AccountUnconfirmed => "the account is not confirmed",
        Conflict::AccountHasPassword => "the account has a password",
        Conflict::AddressUnconfirmed => {
            "the account of this address is not confirmed, and no mail can be sent to it"
        }
        Conflict::AddressTaken => "another account has this address",
        Conflict::InvitationsUsedUp(_) => "as many invitations were mailed today as may be",
        Conflict::AddressChangesUsedUp(_) => "as many mails of new addresses were sent today as may be",
        Conflict::TestMailsUsedUp(_) => "as many test mails were sent as may be",
        Conflict::MailPending => "the mail is still to be sent",
        Conflict::MailHasLink => "an invitation, or a mail with a link, is not sent again",
        Conflict::NoRelay => "no mail is sent: the service has no relay",
        Conflict::NoPublicUrl => "people reach this service nowhere",
        Conflict::MailsWait => "too many mails of the business wait to be sent",
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

/// What is under way.
pub(crate) fn under_way(what: UnderWay) -> &'static str {
    match what {
        UnderWay::Backup => "a backup is being made",
        UnderWay::Import => "an import is under way",
    }
}

/// Why somebody may see something and not change it.
pub(crate) fn denied(denied: Denied) -> &'static str {
    match denied {
        Denied::NotOfTheBusiness => "the person does not belong to the business",
        Denied::KeyOfNobody => "an API key changes nobody's membership",
        Denied::OwnersAndAdmins => "this is for owners and admins to change",
        Denied::ReadOnly => "your role may see this and not change it",
        Denied::PeopleOfTheBusiness => "only owners and admins change who the people of a business are",
        Denied::OwnerByAdmin => "an admin can neither make nor change an owner",
        Denied::AlertOfAnother => "alerts are read by the person whose they are",
        Denied::NotificationsOfAnother => "how a person is alerted is their own to say",
        Denied::NameOfAnother => "a person's name is their own to change",
        Denied::TimeOffOfAnother => "whoever is no owner or admin changes only their own time off",
        Denied::OfferedElsewhere => "the membership was offered to another address: ask to be invited again",
        Denied::OfferOfAnother => "a membership is accepted or declined by its person",
        Denied::AccountUnconfirmed => "the account is not confirmed: use a link that was sent to its address",
        Denied::LinksByOperator => "links are made by the operator",
        Denied::KindOfLink => "a link of this kind is not made this way",
        Denied::OwnSession => {
            "sign in first: the link is used in a session of the account that asked for this address"
        }
        Denied::PasswordAgain => "the password has to be given again first",
        Denied::RestrictedSession => "this session may only set a password",
    }
}
