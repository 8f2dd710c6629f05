//! The one-use id of a form: the time when the form was rendered, and 128 random bits. An HMAC seals the id
//! together with the slug of the booking page, or with the token of the manage link. So only this service can
//! make an id, and each id is valid for one page. The key of the HMAC is in the store, so ids stay valid
//! after a restart.

use chrono::TimeDelta;
use domain::{BusinessId, ResourceId, Timestamp};
use engine::business::Idempotency;
use sha2::{Digest, Sha256};

use super::front::Front;
use crate::http::cursor::Binding;
use crate::http::form::Form;

/// The name of the form field that contains the id.
pub(super) const FORM_ID: &str = "form_id";
const VALID: TimeDelta = TimeDelta::hours(24);

pub(super) fn issue(front: &Front, page: &str) -> String {
    let chance: [u8; 16] = front.engine.ports().random_bytes();
    let made = front.engine.now().millis().to_be_bytes();
    front.cursors.seal(&binding(page), &[&made[..], &chance].concat())
}

/// The time at which this service issued the id for the page, or `None` if it did not issue the id.
pub(super) fn issued_at(front: &Front, page: &str, id: &str) -> Option<Timestamp> {
    let opened = front.cursors.open(&binding(page), id)?;
    Some(Timestamp::from_millis(i64::from_be_bytes(*opened.first_chunk()?)))
}

/// Whether an id that was issued at this time can still be used. This is checked only for a form that was not handled
/// yet. If a form was already handled, its response is repeated, even if the id is too old.
pub(super) fn is_fresh(front: &Front, issued_at: Timestamp) -> bool {
    front.engine.now() < issued_at + VALID
}

fn binding(page: &str) -> Binding {
    Binding::list("book form").with(page.as_bytes())
}

/// Returns the idempotency key of a form, which is derived from the form's id, and the fingerprint of all other fields.
/// The fields are trimmed and sorted, and empty fields are left out. The engine stores the response for 24 hours.
pub(super) fn once(form: &Form, business: BusinessId) -> Idempotency {
    let key = Sha256::new().chain_update(business.uuid().as_bytes()).chain_update(form.get(FORM_ID));
    let fields = form.fields().map(|(name, value)| (name, value.trim()));
    let mut fields: Vec<_> = fields.filter(|(name, value)| *name != FORM_ID && !value.is_empty()).collect();
    fields.sort_unstable();
    Idempotency { key: key.finalize().into(), fingerprint: Form::of(fields).digest() }
}
