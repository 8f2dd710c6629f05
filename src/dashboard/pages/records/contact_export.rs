//! The export of a contact's data as a file, for a person who requests their data.
//!
//! Invariants:
//! - Appointments, calls, conversations and messages have the JSON of the operator API. Records of other kinds have the
//!   JSON of their line in an export of the business.
//! - The file is read and sent in parts, so memory use does not depend on the number of records.

use std::collections::VecDeque;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use domain::{ContactId, ResourceId};
use engine::business::{Page, PageRequest};
use engine::moving::MovedKind;
use engine::{BusinessHandle, EngineError};
use futures_util::stream::{Stream, StreamExt, once, try_unfold};
use serde::Serialize;
use view::{OperatorAppointmentView, OperatorCallView, OperatorMessageView, render};

use super::contact::{Filters, found};
use crate::dashboard::pages::prelude::*;
use crate::moving::exported_line;
use crate::rest::error::ApiError;

const READ: usize = 100;

pub(crate) async fn show(member: Member) -> Answered {
    let contact = found(&member).await?;
    let name = format!("attachment; filename=\"contact-{}.json\"", contact.contact.id.uuid());
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(ApiError::internal)?),
    ];
    // The stream sends this beginning, then the lists, and then the closing brace.
    let head = format!(
        "{{\"exported_at\":{},\"business\":{{\"id\":{},\"name\":{}}},\"contact\":{}",
        text(&member.business.now()),
        text(&member.business.id()),
        text(&member.profile.name),
        text(&contact),
    );
    let (business, contact) = (member.business.clone(), contact.contact.id);
    let of = Filters::of(contact);
    let left = MovedKind::ALL.iter().copied().filter(|kind| kind.is_of_contact()).collect();
    let lists = stream(Sending { business, contact, of, left, after: None, records: 0 });
    let parts = once(ready(Ok(Bytes::from(head)))).chain(lists);
    Ok((headers, Body::from_stream(parts)).into_response())
}

struct Sending {
    business: BusinessHandle,
    contact: ContactId,
    of: Filters,
    /// The kinds that are not sent completely. Records of the first kind are sent next.
    left: VecDeque<MovedKind>,
    after: Option<Vec<u8>>,
    /// The number of records of the current kind that were sent.
    records: usize,
}

/// The parts of the lists. An error ends the response early, and the received file is then not valid JSON.
fn stream(sending: Sending) -> impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static {
    try_unfold(sending, |mut sending| async move {
        let part = sending.part().await.inspect_err(|error| {
            tracing::warn!(error = error as &dyn std::error::Error, "an export of a contact was interrupted");
        })?;
        Ok(part.map(|part| (Bytes::from(part), sending)))
    })
}

impl Sending {
    async fn part(&mut self) -> Result<Option<String>, EngineError> {
        let page = PageRequest { limit: READ, after: self.after.take() };
        let (business, Filters { appointments, calls, conversations, messages }) = (&self.business, &self.of);
        let Some(kind) = self.left.front() else { return Ok(None) };
        let mut part = String::new();
        if page.after.is_none() {
            part.push_str(&format!(",\n\"{kind}s\":[", kind = kind.word()));
        }
        let (records, next) = match kind {
            MovedKind::Appointment => {
                texts(business.appointments_as::<OperatorAppointmentView>(appointments, &page).await?)
            }
            MovedKind::Call => texts(business.calls_as::<OperatorCallView>(calls, &page).await?),
            MovedKind::Conversation => {
                let found = business.conversations(conversations, &page).await?;
                let mut items = Vec::new();
                for it in found.items {
                    items.extend(business.conversation(it.id).await?);
                }
                texts(Page { items, next: found.next })
            }
            MovedKind::Message => texts(business.messages_as::<OperatorMessageView>(messages, &page).await?),
            other => {
                let found = other.of_contact(business, self.contact, &page).await?;
                (found.items.iter().map(|it| exported_line(it).trim_end().to_owned()).collect(), found.next)
            }
        };
        for record in records {
            part.push_str(if self.records == 0 { "\n" } else { ",\n" });
            part.push_str(&record);
            self.records += 1;
        }
        self.after = next;
        if self.after.is_none() {
            self.left.pop_front();
            self.records = 0;
            part.push_str(if self.left.is_empty() { "\n]}\n" } else { "\n]" });
        }
        Ok(Some(part))
    }
}

fn texts<T: Serialize>(found: Page<T>) -> (Vec<String>, Option<Vec<u8>>) {
    (found.items.iter().map(text).collect(), found.next)
}

fn text(shown: &impl Serialize) -> String {
    String::from_utf8_lossy(&render(shown)).into_owned()
}
