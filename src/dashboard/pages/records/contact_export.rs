//! The export of a contact's data as a file, for a person who requests their data.
//!
//! Invariants:
//! - The records have the form of the operator API.
//! - The file is read and sent in parts, so memory use does not depend on the number of records.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use domain::ResourceId;
use engine::business::{AppointmentFilter, CallFilter, MessageFilter, Page, PageRequest};
use engine::{BusinessHandle, EngineError};
use futures_util::stream::{Stream, StreamExt, once, try_unfold};
use serde::Serialize;
use view::{OperatorAppointmentView, OperatorCallView, OperatorMessageView, render};

use super::contact::{filters, found};
use crate::dashboard::pages::prelude::*;
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
        "{{\"exported_at\":{},\"business\":{{\"id\":{},\"name\":{}}},\"contact\":{},\n\"appointments\":[",
        text(&member.business.now()),
        text(&member.business.id()),
        text(&member.profile.name),
        text(&contact),
    );
    let (business, of) = (member.business.clone(), filters(contact.contact.id));
    let lists = stream(Sending { business, of, list: 0, after: None, is_first: true });
    let parts = once(ready(Ok(Bytes::from(head)))).chain(lists);
    Ok((headers, Body::from_stream(parts)).into_response())
}

struct Sending {
    business: BusinessHandle,
    of: (AppointmentFilter, CallFilter, MessageFilter),
    /// The number of the list that is being sent.
    list: usize,
    after: Option<Vec<u8>>,
    is_first: bool,
}

const ENDS: [&str; 3] = ["\n],\n\"calls\":[", "\n],\n\"messages\":[", "\n]}\n"];

/// The parts of the lists. An error ends the response early, so the file is not valid JSON.
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
        let (business, (appointments, calls, messages)) = (&self.business, &self.of);
        let (records, next) = match self.list {
            0 => texts(business.appointments_as::<OperatorAppointmentView>(appointments, &page).await?),
            1 => texts(business.calls_as::<OperatorCallView>(calls, &page).await?),
            2 => texts(business.messages_as::<OperatorMessageView>(messages, &page).await?),
            _ => return Ok(None),
        };
        let mut part = String::new();
        for record in records {
            part.push_str(if std::mem::take(&mut self.is_first) { "\n" } else { ",\n" });
            part.push_str(&record);
        }
        self.after = next;
        if self.after.is_none() {
            part.push_str(ENDS[self.list]);
            (self.list, self.is_first) = (self.list + 1, true);
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
