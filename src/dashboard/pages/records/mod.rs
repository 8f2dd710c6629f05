//! The pages about messages, calls, contacts and knowledge. Each page has a template next to its file.

pub(in crate::dashboard) mod by_hand;
pub(in crate::dashboard) mod calls;
pub(in crate::dashboard) mod contact;
pub(in crate::dashboard) mod contact_edit;
pub(in crate::dashboard) mod contact_export;
pub(in crate::dashboard) mod contact_import;
pub(in crate::dashboard) mod contact_merge;
pub(in crate::dashboard) mod conversations;
pub(in crate::dashboard) mod gaps;
pub(in crate::dashboard) mod insights;
pub(in crate::dashboard) mod knowledge;
pub(in crate::dashboard) mod message;
pub(in crate::dashboard) mod messages;
mod rows;
pub(in crate::dashboard) mod search;
