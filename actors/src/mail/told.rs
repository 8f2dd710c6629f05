//! What a mail tells, read from the store when it is made: as things are then, so that what was erased meanwhile is in
//! no mail.

use uuid::Uuid;

use super::letter::{Content, Letter, Link, Recipient, Sender, Told, What};
use super::unsubscribe::{Subscription, Unsubscribe};
use crate::domain::{
    About, AlertKind, Appointment, AppointmentId, Business, BusinessId, CallId, CallRecord, Contact,
    ContactId, Mail, MailKind, MessageId, Service, StaffMember, TakenMessage, WebhookEndpoint, WebhookId,
};
use crate::store::{Key, Record, Store, StoreError, keys, unless_set_aside};

/// The letter of a mail; `None` when what it tells of is gone, or its business is.
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
    let Some((content, from)) = content(store, mail, to.link.clone())? else { return Ok(None) };
    let token = |from| {
        let unsubscribe = Unsubscribe { person_id: mail.person_id, business_id: mail.business_id?, from };
        Some(unsubscribe.token(secret))
    };
    Ok(Some(Letter {
        message_id: mail.message_id.clone(),
        written_at: mail.created_at,
        to: Recipient { link: None, ..to },
        business,
        content,
        unsubscribe: from.and_then(token),
    }))
}

/// What a mail tells, and what its link ends.
fn content(
    store: &Store,
    mail: &Mail,
    link: Option<Link>,
) -> Result<Option<(Content, Option<Subscription>)>, StoreError> {
    let with_link = |content: fn(Link) -> Content| link.map(|link| (content(link), None));
    Ok(match mail.kind {
        MailKind::Invitation => with_link(Content::Invitation),
        MailKind::Reset => with_link(Content::Reset),
        MailKind::EmailChange => with_link(Content::EmailChange),
        MailKind::EmailChanged => Some((Content::EmailChanged, None)),
        MailKind::Alert | MailKind::Gathered | MailKind::Daily => {
            let mut told = told(store, mail)?;
            let Some(first) = told.first().map(|told| told.kind) else { return Ok(None) };
            let is_of_one_kind = told.iter().all(|told| told.kind == first) && mail.more == 0;
            let from = if is_of_one_kind { Subscription::Kind(first) } else { Subscription::EveryNow };
            Some(match mail.kind {
                MailKind::Alert => (Content::Alert(told.remove(0)), Some(Subscription::Kind(first))),
                MailKind::Gathered => (Content::Gathered(told, mail.more), Some(from)),
                _ => (Content::Daily(told, mail.more), Some(Subscription::EveryDaily)),
            })
        }
    })
}

/// The things that a mail tells of which are still there.
fn told(store: &Store, mail: &Mail) -> Result<Vec<Told>, StoreError> {
    let Some(of) = mail.business_id else { return Ok(Vec::new()) };
    let told = mail.about.iter().filter_map(|about| {
        let what = read(store, of, about).transpose()?;
        Some(what.map(|what| Told { kind: about.kind, at: about.at, what }))
    });
    told.collect()
}

fn read(store: &Store, of: BusinessId, about: &About) -> Result<Option<What>, StoreError> {
    match about.kind {
        AlertKind::WebhookDisabled => {
            let endpoint = there::<WebhookEndpoint>(store, &keys::webhook(of, WebhookId::from(about.id)))?;
            Ok(endpoint.map(|endpoint| What::Webhook { id: endpoint.id, url: endpoint.url }))
        }
        AlertKind::UrgentMessage | AlertKind::MessageTaken => {
            let message = there::<TakenMessage>(store, &keys::message(of, MessageId::from(about.id)))?;
            let Some(message) = message else { return Ok(None) };
            let contact = contact(store, of, message.contact_id)?;
            Ok(Some(What::Message {
                id: message.id,
                caller: message.caller_name.or(contact),
                phone: message.caller_phone,
                body: message.body,
            }))
        }
        AlertKind::CallMissed => {
            let call = there::<CallRecord>(store, &keys::call(of, CallId::from(about.id)))?;
            let Some(call) = call else { return Ok(None) };
            let caller = contact(store, of, call.contact_id)?.or(call.from_number);
            Ok(Some(What::Call { id: call.id, status: call.status, caller, started_at: call.started_at }))
        }
        AlertKind::AppointmentRequested
        | AlertKind::AppointmentBooked
        | AlertKind::AppointmentRescheduled
        | AlertKind::AppointmentCancelled => appointment(store, of, about.id),
    }
}

fn appointment(store: &Store, of: BusinessId, id: Uuid) -> Result<Option<What>, StoreError> {
    let id = AppointmentId::from(id);
    let row = keys::appointment_start(of, id);
    let Some(start) = store.get_raw(&row)? else { return Ok(None) };
    let Some(start) = store.usable(&row, keys::millis_from_value(&start))? else { return Ok(None) };
    let key = keys::appointment(of, start, id);
    let Some(appointment) = there::<Appointment>(store, &key)? else { return Ok(None) };
    let service = there::<Service>(store, &keys::service(of, appointment.service_id))?;
    let staff = there::<StaffMember>(store, &keys::staff(of, appointment.staff_id))?;
    Ok(Some(What::Appointment {
        id,
        status: appointment.status,
        contact: contact(store, of, appointment.contact_id)?,
        service: service.map(|service| service.name),
        staff: staff.map(|staff| staff.name),
        starts_at: appointment.starts_at,
    }))
}

/// What a contact is called, or else the phone number or the email.
fn contact(store: &Store, of: BusinessId, id: Option<ContactId>) -> Result<Option<String>, StoreError> {
    let Some(id) = id else { return Ok(None) };
    let contact = there::<Contact>(store, &keys::contact(of, id))?;
    Ok(contact.and_then(|contact| contact.name.or(contact.phone).or(contact.email)))
}

/// A record that a mail tells of, if it is there and decodes.
fn there<R: Record>(store: &Store, key: &Key) -> Result<Option<R>, StoreError> {
    Ok(unless_set_aside(store.get::<R>(key))?.flatten())
}
