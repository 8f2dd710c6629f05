//! Webhooks: the endpoints of a business, an endpoint with its log, a delivery, and the changes to them.

mod delete;
mod delivery;
mod edit;
mod endpoint;
mod fields;
mod list;
mod log;
mod new;
mod one;
mod receivers;
mod resend;
mod rotate;
mod switch;
mod trial;

pub(crate) use delete::{ask as ask_delete, delete};
pub(crate) use delivery::show as delivery;
pub(crate) use edit::{form as edit_form, save};
pub(crate) use list::show as list;
pub(super) use log::day;
pub(crate) use new::{create, form as new_form};
pub(crate) use one::show as one;
pub(crate) use resend::{all as resend_missed, one as resend};
pub(crate) use rotate::{ask as ask_rotate, rotate};
pub(crate) use switch::{off, on};
pub(crate) use trial::{form as test_form, send as test};
