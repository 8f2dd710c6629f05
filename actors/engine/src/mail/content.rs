//! The content of a mail. It is read when the mail is composed, so that no mail contains erased data.

use domain::{
    About, Actor, AlertKind, Appointment, AppointmentId, AuditAction, AuditEntry, Business, BusinessId,
    CallId, CallRecord, ConnectedCalendar, Contact, ContactId, Mail, MailKind, Membership, MessageId, Notice,
    Person, ResourceId, Role, Service, StaffMember, Subscription, TakenMessage, WebhookEndpoint, WebhookId,
};
use store::{Order, Record, Store, StoreError, keys, unless_set_aside};
use uuid::Uuid;

use super::letter::{AlertItem, Content, Letter, Link, Recipient, Sender, What};
use super::notice;
use super::unsubscribe::Unsubscribe;

/// The search for the audit entry about an invitation begins at the time of the invitation. It reads at most this many
/// entries.
const OFFER_ENTRIES_MAX: usize = 64;

pub(super) fn letter(
    store: &Store,
    secret: &[u8; 32],
    mail: &Mail,
    to: Recipient,
) -> Result<Option<Letter>, StoreError> {
    let business = match mail.business_id {
        None => None,
        Some(id) => {
            let Some(profile) = store.get::<Business>(&keys::profile(id))? else { return Ok(None) };
            Some(Sender { id, name: profile.name, zone: profile.zone })
        }
    };
    let content = match (&mail.notice, mail.business_id) {
        (Some(notice), Some(of)) => notice::content(store, of, notice, &to)?.map(|content| (content, None)),
        _ => content(store, mail, &to)?,
    };
    let Some((content, from)) = content else { return Ok(None) };
    // A reminder is created with the booking, days before it is due.
    let reminds_at = mail.notice.as_ref().and_then(Notice::reminds_at);
    let token = |from| {
        let unsubscribe = Unsubscribe { person_id: mail.person_id, business_id: mail.business_id?, from };
        Some(unsubscribe.token(secret))
    };
    Ok(Some(Letter {
        message_id: mail.message_id.clone(),
        written_at: reminds_at.map_or(mail.created_at, |at| at.max(mail.created_at)),
        to: Recipient { link: None, ..to },
        business,
        invited_by: invited_by(store, mail)?,
        content,
        unsubscribe: from.and_then(token),
    }))
}

/// Returns the name of the person who invited the recipient to the business. The name comes from the audit entry about
/// the invitation. This entry is kept for at least 90 days, and the link in an invitation is valid for only 7 days.
/// Returns `None` if the mail is of another kind, if the operator invited the recipient, if the inviter has no name, or
/// if the entry is not found.
fn invited_by(store: &Store, mail: &Mail) -> Result<Option<String>, StoreError> {
    let is_offer = matches!(mail.kind, MailKind::Invitation | MailKind::Offer | MailKind::Reset);
    let Some(of) = mail.business_id.filter(|_| is_offer) else { return Ok(None) };
    let membership = store.find::<Membership>(&keys::membership(of, mail.person_id))?;
    let Some(at) = membership.map(|membership| membership.created_at) else { return Ok(None) };
    let range = keys::audit_within(of, Some(at), None);
    for row in store.scan(&range, Order::Ascending).take(OFFER_ENTRIES_MAX) {
        let entry = AuditEntry::decode(&row?.1)?;
        let is_of_offer =
            entry.action == AuditAction::PersonAdded && entry.resource_id == mail.person_id.uuid();
        if let Actor::Person(by) = entry.actor
            && is_of_offer
        {
            let name = store.find::<Person>(&keys::person(by))?.map(|person| person.name);
            return Ok(name.filter(|name| !name.trim().is_empty()));
        }
    }
    Ok(None)
}

fn content(
    store: &Store,
    mail: &Mail,
    to: &Recipient,
) -> Result<Option<(Content, Option<Subscription>)>, StoreError> {
    let with_link = |content: fn(Link) -> Content| to.link.clone().map(|link| (content(link), None));
    Ok(match mail.kind {
        MailKind::Invitation => with_link(Content::Invitation),
        MailKind::Offer => Some((Content::Offer, None)),
        MailKind::Reset => with_link(Content::Reset),
        MailKind::EmailChange => with_link(Content::EmailChange),
        MailKind::EmailChanged => Some((Content::EmailChanged, None)),
        MailKind::Notice => None, // a notice has its own content
        MailKind::Alert | MailKind::Gathered | MailKind::Daily => {
            let mut items = alert_items(store, mail, to.role)?;
            let Some(first) = items.first().map(|item| item.kind) else { return Ok(None) };
            let is_of_one_kind = items.iter().all(|item| item.kind == first) && mail.more == 0;
            let from = if is_of_one_kind { Subscription::Kind(first) } else { Subscription::EveryNow };
            Some(match mail.kind {
                MailKind::Alert => (Content::Alert(items.remove(0)), Some(Subscription::Kind(first))),
                MailKind::Gathered => (Content::Gathered(items, mail.more), Some(from)),
                _ => (Content::Daily(items, mail.more), Some(Subscription::EveryDaily)),
            })
        }
    })
}

/// Reads a mail's alerts. Omits alerts about deleted records and alerts that the person may not see.
fn alert_items(store: &Store, mail: &Mail, role: Option<Role>) -> Result<Vec<AlertItem>, StoreError> {
    let Some(of) = mail.business_id else { return Ok(Vec::new()) };
    let shown = mail.about.iter().filter(|about| role.is_none_or(|role| about.kind.is_shown_to(role)));
    let membership = store.find::<Membership>(&keys::membership(of, mail.person_id))?;
    let mut items = Vec::new();
    for about in shown {
        let what = read(store, of, about)?;
        let what = what.filter(|what| membership.as_ref().is_none_or(|person| what.is_seen_by(person)));
        items.extend(what.map(|what| AlertItem { kind: about.kind, at: about.at, what }));
    }
    Ok(items)
}

/// Returns the current content of the record that an alert is about, or `None` if the record was deleted.
pub(crate) fn read(store: &Store, of: BusinessId, about: &About) -> Result<Option<What>, StoreError> {
    match about.kind {
        AlertKind::WebhookDisabled | AlertKind::WebhookFailing => {
            let endpoint = store.find::<WebhookEndpoint>(&keys::webhook(of, WebhookId::from(about.id)))?;
            Ok(endpoint
                .map(|endpoint| What::Webhook { id: endpoint.id, url: endpoint.url.as_str().to_owned() }))
        }
        AlertKind::CalendarFailed => {
            let calendar = store.find::<ConnectedCalendar>(&keys::calendar(of, about.id.into()))?;
            Ok(calendar.map(|calendar| What::Calendar {
                id: calendar.id,
                staff: calendar.staff_id,
                name: calendar.name,
            }))
        }
        AlertKind::UrgentMessage | AlertKind::MessageTaken => {
            let message = store.find::<TakenMessage>(&keys::message(of, MessageId::from(about.id)))?;
            let Some(message) = message else { return Ok(None) };
            let (contact, is_erased) = contact_of(store, of, message.contact_id)?;
            let message = if is_erased { message.erased() } else { message };
            Ok(Some(What::Message {
                id: message.id,
                caller: message.caller_name.or_else(|| called(contact)),
                phone: message.caller_phone.as_deref().map(str::to_owned),
                body: message.body,
            }))
        }
        AlertKind::CallMissed => {
            let call = store.find::<CallRecord>(&keys::call(of, CallId::from(about.id)))?;
            let Some(call) = call else { return Ok(None) };
            let (contact, is_erased) = contact_of(store, of, call.contact_id)?;
            let call = if is_erased { call.erased() } else { call };
            let caller = called(contact).or_else(|| call.number_of_caller().map(str::to_owned));
            Ok(Some(What::Call { id: call.id, status: call.status, caller, started_at: call.started_at }))
        }
        AlertKind::AppointmentRequested
        | AlertKind::AppointmentBooked
        | AlertKind::AppointmentRescheduled
        | AlertKind::AppointmentCancelled
        | AlertKind::CalendarEventChanged => appointment(store, of, about.id),
    }
}

fn appointment(store: &Store, of: BusinessId, id: Uuid) -> Result<Option<What>, StoreError> {
    let id = AppointmentId::from(id);
    let start = store.find_as(&keys::appointment_start(of, id), keys::millis_from_value)?;
    let Some(start) = start else { return Ok(None) };
    let key = keys::appointment(of, start, id);
    let Some(appointment) = store.find::<Appointment>(&key)? else { return Ok(None) };
    let service = store.find::<Service>(&keys::service(of, appointment.service_id))?;
    let staff = store.find::<StaffMember>(&keys::staff(of, appointment.staff_id))?;
    Ok(Some(What::Appointment {
        id,
        status: appointment.status,
        contact: called(contact_of(store, of, appointment.contact_id)?.0),
        service: service.map(|service| service.name),
        staff: staff.map(|staff| staff.name),
        starts_at: appointment.starts_at,
    }))
}

/// The contact of a record, and whether the contact was erased.
fn contact_of(
    store: &Store,
    of: BusinessId,
    id: Option<ContactId>,
) -> Result<(Option<Contact>, bool), StoreError> {
    let Some(id) = id else { return Ok((None, false)) };
    let found = unless_set_aside(crate::business::contact(store, of, id))?;
    let is_erased = matches!(found, Some(None));
    Ok((found.flatten(), is_erased))
}

/// Returns the contact's name. If there is no name, returns the phone number; if there is no phone number, the email
/// address.
fn called(contact: Option<Contact>) -> Option<String> {
    let Contact { name, phone, email, .. } = contact?;
    name.or(phone.as_deref().map(str::to_owned)).or(email.as_deref().map(str::to_owned))
}
