//! The business actor, the only writer of one business, and its handle.
//!
//! A change passes through [`BusinessHandle`], the actor's mailbox, [`Change::decide`] and the committer.
//!
//! Invariants:
//! - Changes to one business are decided one at a time. Each decision sees all earlier decisions.
//! - One change is one batch: records, index rows, audit entry and idempotency record are durable together or not at
//!   all. The only exception is the import of contacts, which takes several batches ([`contact_import`]).
//! - The actor never waits for the disk. An answer is sent once every change that it depends on is durable.
//! - A reference to a merged contact is read as a reference to the survivor.
//! - A message holds permits until the actor has answered the message. The permits bound the mailbox and the
//!   committer's queue.

mod actor;
mod alerts;
mod budget;
mod change;
mod codes;
pub mod commands;
mod contact_import;
mod context;
mod decide;
mod decision;
mod erased_contacts;
mod handle;
mod hot;
mod knowledge_index;
mod links;
mod listed;
mod load;
mod merged;
mod model_tokens;
mod notices;
mod offline;
mod overlay;
mod queries;
mod references;
mod remembered;
mod request;
mod resource;
mod search_texts;
mod shown;
mod stamps;
mod state;
mod turn_context;
mod usage;
mod write;
mod writes;

pub use change::{AnswerOf, Change};
pub use contact_import::{ContactsImported, ImportContacts};
pub use context::Context;
pub use decision::Decision;
pub use handle::BusinessHandle;
pub use listed::{CHANGES, Listed};
pub use queries::{
    AppointmentFilter, AuditFilter, CallFilter, ContactFilter, ConversationFilter, FOUND_MAX, History,
    KnowledgeFilter, MessageFilter, NoticeFilter, Page, PageRequest, Proposal, SeenByLink,
    UNREAD_COUNTED_MAX,
};
pub use references::Watch;
pub use request::{Answer, Ended, Given, Gives, Idempotency, IfMatch, New, Removed, Request, Shown};
pub use turn_context::{BookingLimit, ReadPhone};

pub(crate) use actor::{BusinessActor, Maintained, Message};
pub(crate) use contact_import::Hidden;
pub(crate) use decide::carry_out;
pub(crate) use erased_contacts::{ErasedContacts, Personal};
pub(crate) use handle::Businesses;
pub(crate) use links::{LINK_KEPT, forget_address};
pub(crate) use merged::{Whose, contact, survivor};
pub(crate) use notices::{minted_notice, notices_of, within_budget};
pub(crate) use offline::OfflineBusiness;
pub(crate) use queries::{collect, read_page};
pub(crate) use remembered::{days, kept, read_kept, remember};
pub(crate) use resource::Resource;
pub(crate) use search_texts::{ROW_RECORDS_MAX, SearchRows, row_key};
pub(crate) use state::State;
pub(crate) use write::Write;
