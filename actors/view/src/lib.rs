//! The *views*: resources as the APIs show them. A view is the response to a change, the data of an event,
//! and the response that is stored for an idempotency key. It contains the names of services, staff members
//! and contacts at the time of the change.

mod appointments;
mod audit;
mod budget;
mod business;
mod calendars;
mod catalog;
mod contacts;
mod conversations;
mod diary;
mod event;
mod insights;
mod installation;
mod keys;
mod notice;
mod people;
mod search;
mod talk;
mod webhooks;
mod website;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

pub use self::{
    appointments::*, audit::*, budget::*, business::*, calendars::*, catalog::*, contacts::*,
    conversations::*, diary::*, event::*, insights::*, installation::*, keys::*, notice::*, people::*,
    search::*, talk::*, webhooks::*, website::*,
};

pub trait View: Serialize + DeserializeOwned + Send + 'static {}

impl<V: Serialize + DeserializeOwned + Send + 'static> View for V {}

/// The initial size of the buffer for a rendered view, in bytes. Most views fit into it.
const VIEW_BYTES: usize = 768;

pub fn render<V: Serialize>(view: &V) -> Vec<u8> {
    let mut json = Vec::with_capacity(VIEW_BYTES);
    serde_json::to_writer(&mut json, view).expect("every view can be serialised as JSON");
    json
}

/// Returns the strong entity tag of rendered JSON (RFC 9110 §8.8.3), including the quotes.
pub fn etag(json: &[u8]) -> String {
    format!("\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(json)[..16]))
}
