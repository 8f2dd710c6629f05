//! All changes that can be sent to a business, as one enum.

use domain::{Email, Phone, ServiceId, StaffId};
use engine::business::commands::ForOperator;
use engine::business::commands::appointments::{
    Book, BookingContact, Cancel, Confirm, Decline, PatchAppointment, Reschedule,
};
use engine::business::commands::budget::PatchBudget;
use engine::business::commands::calls::{MarkCall, RecordCall};
use engine::business::commands::catalog::{
    CreateService, CreateStaff, DeleteService, DeleteStaff, PatchService, PatchStaff, SetServiceStaff,
};
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::customers::BookOnline;
use engine::business::commands::diary::{AddTimeOff, DeleteSpecialDay, DeleteTimeOff, SetSpecialDay};
use engine::business::commands::feeds::{CreateFeed, RevokeFeed};
use engine::business::commands::guarded::BookOnce;
use engine::business::commands::keys::{CreateKey, RevokeKey};
use engine::business::commands::knowledge::{AddKnowledge, DeleteKnowledge, PatchKnowledge};
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::webhooks::{CreateWebhook, DeleteWebhook, PatchWebhook, RotateSecret};
use engine::business::{Answer, Change, Gives, Request};
use engine::{BusinessHandle, EngineError};
use store::Weight;

use crate::assistants::{CancelAt, MoveFrom};
use crate::customers::{CancelOnline, MoveOnline};

/// A change to a contact. Its response shows the contact as the team sees it.
pub(crate) type NoteContact = ForOperator<PatchContact>;

/// Deletes a service. The deletion is refused if a record refers to the service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoveService {
    pub(crate) id: ServiceId,
}

/// Deletes a staff member. The deletion is refused if a record refers to the staff member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoveStaff {
    pub(crate) id: StaffId,
}

/// A change that can be sent to a business.
pub(crate) trait AnyChange {
    fn weight(&self) -> Weight;

    async fn ask(self, of: &BusinessHandle, request: Request) -> Result<Answer<Vec<u8>>, EngineError>;
}

impl<C: Change + 'static> AnyChange for C {
    fn weight(&self) -> Weight {
        Change::weight(self)
    }

    async fn ask(self, of: &BusinessHandle, request: Request) -> Result<Answer<Vec<u8>>, EngineError> {
        Ok(of.change(request, self).await?.map(|value| <C::Gives as Gives>::render(&value)))
    }
}

impl AnyChange for RemoveService {
    fn weight(&self) -> Weight {
        Weight::Frees
    }

    async fn ask(self, of: &BusinessHandle, request: Request) -> Result<Answer<Vec<u8>>, EngineError> {
        if let Some(given) = of.remembered::<DeleteService>(&request).await? {
            return Ok(given.map(|()| Vec::new()));
        }
        let watch = of.watch_unused_service(self.id).await?;
        Ok(of.change(request, DeleteService { id: self.id, watch }).await?.map(|()| Vec::new()))
    }
}

impl AnyChange for RemoveStaff {
    fn weight(&self) -> Weight {
        Weight::Frees
    }

    async fn ask(self, of: &BusinessHandle, request: Request) -> Result<Answer<Vec<u8>>, EngineError> {
        if let Some(given) = of.remembered::<DeleteStaff>(&request).await? {
            return Ok(given.map(|()| Vec::new()));
        }
        let watch = of.watch_unused_staff(self.id).await?;
        Ok(of.change(request, DeleteStaff { id: self.id, watch }).await?.map(|()| Vec::new()))
    }
}

macro_rules! ops {
    ($($name:ident),* $(,)?) => {
        /// A requested change.
        #[derive(Clone, Debug)]
        pub(crate) enum Op {
            $($name($name),)*
        }

        $(impl From<$name> for Op {
            fn from(change: $name) -> Self {
                Self::$name(change)
            }
        })*

        impl Op {
            /// Returns the name of the change, as the history shows it.
            pub(crate) fn name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($name),)*
                }
            }

            /// Returns the class of the change. The class decides whether the change is refused when disk space is
            /// low.
            pub(crate) fn weight(&self) -> Weight {
                match self {
                    $(Self::$name(asked) => AnyChange::weight(asked),)*
                }
            }

            /// Sends the change to a business.
            pub(crate) async fn ask(self, of: &BusinessHandle, request: Request) -> Result<Answer<Vec<u8>>, EngineError> {
                match self {
                    $(Self::$name(asked) => AnyChange::ask(asked, of, request).await,)*
                }
            }
        }
    };
}

ops! {
    Book, Cancel, Reschedule, Confirm, Decline, CreateContact, PatchContact, NoteContact, PatchAppointment, RecordCall, MarkCall, TakeMessage,
    PatchMessage, AddKnowledge, CreateService, PatchService, SetServiceStaff, CreateStaff, PatchStaff, PatchBusiness, CreateKey,
    RevokeKey, CreateFeed, RevokeFeed, CreateWebhook, PatchWebhook, DeleteWebhook, RotateSecret, PatchBudget,
    PatchKnowledge, DeleteKnowledge, RemoveService, RemoveStaff, BookOnce, MoveFrom, CancelAt,
    SetSpecialDay, DeleteSpecialDay, AddTimeOff, DeleteTimeOff, BookOnline, MoveOnline,
    CancelOnline,
}

impl Op {
    /// True if a customer makes the change. The audit log does not state which customer.
    pub(crate) fn is_by_customer(&self) -> bool {
        matches!(self, Self::BookOnline(_) | Self::MoveOnline(_) | Self::CancelOnline(_))
    }

    /// True if the change names a resource of its business.
    pub(crate) fn names_its_own(&self) -> bool {
        !matches!(
            self,
            Self::CreateContact(_)
                | Self::RecordCall(_)
                | Self::TakeMessage(_)
                | Self::AddKnowledge(_)
                | Self::CreateService(_)
                | Self::PatchBusiness(_)
                | Self::PatchBudget(_)
                | Self::CreateKey(_)
                | Self::CreateFeed(_)
                | Self::CreateWebhook(_)
                | Self::SetSpecialDay(_)
                | Self::DeleteSpecialDay(_)
        )
    }

    /// Returns the response in the form in which the service stores it. The stored response contains no secret, such as
    /// a new API key. It also contains no content of a knowledge entry, because the service can take this content from
    /// the body of a repeated request.
    pub(crate) fn remembered(&self, body: &[u8]) -> Vec<u8> {
        match self {
            Self::AddKnowledge(add) => {
                let content = serde_json::to_string(add.details.content.as_str()).unwrap();
                String::from_utf8_lossy(body).replacen(&content, "\"\"", 1).into_bytes()
            }
            Self::CreateKey(_) => {
                let key = crate::ledger::json(body)["key"].to_string();
                String::from_utf8_lossy(body).replacen(&key, "null", 1).into_bytes()
            }
            Self::CreateFeed(_) => {
                let url = crate::ledger::json(body)["url"].to_string();
                String::from_utf8_lossy(body).replacen(&url, "null", 1).into_bytes()
            }
            Self::BookOnline(_) => {
                let token = crate::ledger::json(body)["token"].to_string();
                String::from_utf8_lossy(body).replacen(&token, "null", 1).into_bytes()
            }
            _ => body.to_vec(),
        }
    }

    /// Returns the expected response to a repeated request. It is the first response, without secrets such as a new
    /// API key.
    pub(crate) fn again(&self, first: &[u8]) -> Vec<u8> {
        if let Self::CreateKey(_) | Self::CreateFeed(_) | Self::BookOnline(_) = self {
            self.remembered(first)
        } else {
            first.to_vec()
        }
    }

    /// Returns the phone number and the email address by which the service looks up the contact of this change. If the
    /// service finds no contact, it creates one. Returns `None` for changes without such a lookup.
    pub(crate) fn newcomer(&self) -> Option<(Option<&Phone>, Option<&Email>)> {
        match self {
            Self::Book(Book { contact: BookingContact::Described(details), .. })
            | Self::BookOnce(BookOnce(Book { contact: BookingContact::Described(details), .. })) => {
                Some((details.phone.as_ref(), details.email.as_ref()))
            }
            Self::RecordCall(RecordCall { details, .. }) if details.contact_id.is_none() => {
                details.caller().map(|phone| (Some(phone), None))
            }
            Self::BookOnline(book) => Some((book.phone.as_ref(), book.email.as_ref())),
            _ => None,
        }
    }
}
