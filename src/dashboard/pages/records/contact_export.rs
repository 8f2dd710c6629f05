//! The export of a contact's data as a file, for a person who requests their data.
//!
//! Invariants:
//! - The records have the form of the operator API.
//! - The file is read and sent in parts, so memory use does not depend on the number of records.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use domain::{BusinessId, ResourceId, Timestamp};
use engine::business::{AppointmentFilter, CallFilter, MessageFilter, Page, PageRequest};
use engine::{BusinessHandle, EngineError};
use futures_util::stream::{Stream, try_unfold};
use serde::Serialize;
use view::{OperatorAppointmentView, OperatorContactView, render};

use super::contact::{filters, found};
use crate::dashboard::pages::prelude::*;
use crate::rest::error::ApiError;

const READ: usize = 100;

#[derive(Serialize)]
struct Head<'a> {
    exported_at: Timestamp,
    business: Of<'a>,
    contact: &'a OperatorContactView,
}

#[derive(Serialize)]
struct Of<'a> {
    id: BusinessId,
    name: &'a str,
}

pub(crate) async fn show(member: Member) -> Answered {
    let contact = found(&member).await?;
    let business = Of { id: member.business.id(), name: &member.profile.name };
    let head = Head { exported_at: member.business.now(), business, contact: &contact };
    let name = format!("attachment; filename=\"contact-{}.json\"", contact.contact.id.uuid());
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).map_err(ApiError::internal)?),
    ];
    let sending = Sending {
        business: member.business.clone(),
        of: filters(contact.contact.id),
        next: Next::Head(text(&head)),
        after: None,
        is_first: true,
    };
    Ok((headers, Body::from_stream(stream(sending))).into_response())
}

struct Sending {
    business: BusinessHandle,
    of: (AppointmentFilter, CallFilter, MessageFilter),
    next: Next,
    after: Option<Vec<u8>>,
    is_first: bool,
}

enum Next {
    Head(String),
    Appointments,
    Calls,
    Messages,
    Nothing,
}

/// The parts of the file. An error ends the response early, so the file is not valid JSON.
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
        let (appointments, calls, messages) = &self.of;
        Ok(Some(match &mut self.next {
            Next::Head(head) => {
                let head = std::mem::take(head);
                self.next = Next::Appointments;
                // The closing brace follows after the lists.
                let open = head.strip_suffix('}').unwrap_or(&head);
                format!("{open},\n\"appointments\":[")
            }
            Next::Appointments => {
                let found =
                    self.business.appointments_as::<OperatorAppointmentView>(appointments, &page).await?;
                self.list(found, "\n],\n\"calls\":[", Next::Calls)
            }
            Next::Calls => {
                let found = self.business.calls(calls, &page).await?;
                self.list(found, "\n],\n\"messages\":[", Next::Messages)
            }
            Next::Messages => {
                let found = self.business.messages(messages, &page).await?;
                self.list(found, "\n]}\n", Next::Nothing)
            }
            Next::Nothing => return Ok(None),
        }))
    }

    /// A part of a list. After the last part, `end` and the start of the next list follow.
    fn list<T: Serialize>(&mut self, found: Page<T>, end: &str, then: Next) -> String {
        let mut part = String::new();
        for record in &found.items {
            part.push_str(if self.is_first { "\n" } else { ",\n" });
            part.push_str(&text(record));
            self.is_first = false;
        }
        self.after = found.next;
        if self.after.is_none() {
            part.push_str(end);
            self.next = then;
            self.is_first = true;
        }
        part
    }
}

fn text(shown: &impl Serialize) -> String {
    String::from_utf8_lossy(&render(shown)).into_owned()
}
