//! Sends a code to the email address of a contact. A caller who enters the code in the same conversation is verified
//! as this contact.
//!
//! Invariants:
//!
//! - The mail is not in the outbox, because the code is valid for minutes only. If the service stops before the mail is
//!   sent, the caller asks for another code.
//! - The address is read at each attempt, so no mail goes to the address of an erased contact.

use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{Business, BusinessId, ContactId, MailError, MailId, MailStatus, ResourceId};
use ports::{MadeMail, MailFailure};
use store::{Store, StoreError, keys};
use tokio::time::sleep;

use super::letter::{Content, Letter, Recipient, Sender};
use super::outbox::Transport;
use super::send::hand_over;
use crate::business::{Businesses, contact};
use crate::shared::Shared;

/// The pause before each attempt. The last attempt is within the time in which a code is valid.
const WAITS: [Duration; 4] =
    [Duration::ZERO, Duration::from_secs(5), Duration::from_secs(30), Duration::from_secs(120)];

pub(crate) struct CodeMail {
    pub(crate) of: BusinessId,
    pub(crate) contact: ContactId,
    pub(crate) code: String,
}

/// Sends the mail in a separate task.
pub(crate) fn send(businesses: &Arc<Businesses>, mail: CodeMail) {
    tokio::spawn(attempts(Arc::downgrade(businesses), mail));
}

async fn attempts(businesses: Weak<Businesses>, mail: CodeMail) {
    for (wait, is_last) in WAITS.into_iter().zip([false, false, false, true]) {
        sleep(wait).await;
        let Some(businesses) = businesses.upgrade() else { return };
        let Some(transport) = businesses.outbox.transport().cloned() else { return };
        if businesses.shared.check_open().is_err() {
            return;
        }
        let result = match made(&businesses.shared, &transport, &mail) {
            Ok(Some(made)) => hand_over(&transport, &made).await,
            Ok(None) => return,
            Err(failure) => Err(failure),
        };
        let is_final = is_last || matches!(result, Err(MailFailure::RefusedForGood(_)));
        transport.note_tried(match (&result, is_final) {
            (Ok(_), _) => MailStatus::Sent,
            (Err(_), true) => MailStatus::Failed,
            (Err(_), false) => MailStatus::Pending,
        });
        match result {
            Ok(_) => return,
            Err(_) if is_final => {
                tracing::warn!(business.id = %mail.of, "the mail with a code could not be sent");
                return;
            }
            Err(_) => {}
        }
    }
}

/// Composes the mail. Returns `None` if the contact has no address any more.
fn made(shared: &Shared, transport: &Transport, mail: &CodeMail) -> Result<Option<MadeMail>, MailFailure> {
    let failed = |error: StoreError| MailFailure::Refused(MailError::Quoted(error.to_string()));
    let Some((sender, to)) = sender_and_recipient(&shared.store, mail).map_err(failed)? else {
        return Ok(None);
    };
    let (now, composer) = (shared.clocks.now(), &transport.ports.composer);
    let id: MailId = shared.mint_id(now);
    let address = to.address.clone();
    let letter = Letter {
        message_id: format!("{}@{}", id.uuid().simple(), composer.domain()),
        written_at: now,
        to,
        business: Some(sender),
        invited_by: None,
        content: Content::Code(mail.code.clone()),
        unsubscribe: None,
    };
    let bytes = composer.compose(&letter);
    let bytes = bytes.map_err(|why| MailFailure::RefusedForGood(MailError::NotMade(why)))?;
    Ok(Some(MadeMail { to: address, bytes }))
}

fn sender_and_recipient(store: &Store, mail: &CodeMail) -> Result<Option<(Sender, Recipient)>, StoreError> {
    let Some(profile) = store.find::<Business>(&keys::profile(mail.of))? else { return Ok(None) };
    let Some(contact) = contact(store, mail.of, mail.contact)? else { return Ok(None) };
    let Some(email) = contact.email else { return Ok(None) };
    let to = Recipient {
        address: email.as_str().to_owned(),
        // The mail contains no text that a customer has entered.
        name: String::new(),
        locale: contact.locale.unwrap_or(profile.locale),
        role: None,
        link: None,
    };
    Ok(Some((Sender { id: mail.of, name: profile.name, zone: profile.zone }, to)))
}
