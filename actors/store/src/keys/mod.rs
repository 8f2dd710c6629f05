//! The layout of the keys: `[business 16][kind 1][rest]`. All keys of a kind have the same length.
//!
//! Invariants: integers are big-endian and instants have their sign bit flipped, so the order of keys is the order of
//! the values. An index key ends with the id of its record, so no two records share one. Rows that belong to no
//! business, or are looked up before the business is known, have the nil UUID: the installation.

mod alerts;
mod api_keys;
mod appointments;
mod business;
mod calls;
mod contacts;
mod ending;
mod form;
pub mod format_1;
pub mod installation_kind;
pub mod kind;
mod mail;
mod messages;
mod parts;
mod people;
mod retention;
mod service;
#[cfg(test)]
mod tests;
mod webhooks;

pub use alerts::{alert, alert_at, alerts, alerts_read};
pub use api_keys::{api_key, api_key_prefix, key, key_used, prefix_from_value};
pub use appointments::{
    appointment, appointment_by_contact, appointment_by_update, appointment_start, appointments_minted_from,
    appointments_of_contact, appointments_starting,
};
pub use business::{
    audit, audit_within, blocked_key, blocked_time, blocked_times, budget, business_index, hot, knowledge,
    lets_in, listed_business, of_date, profile, retention, service, special_day, special_days, staff,
};
pub use calls::{call, call_by_contact, call_by_start, call_by_update, calls_of_contact, calls_started};
pub use contacts::{
    contact, contact_by_email, contact_by_phone, contact_by_update, contact_names, contact_names_up_to,
};
pub use ending::{ending, erasing, erasure, unfinished, wipe};
pub use form::is_well_formed;
pub use mail::{mail, mail_due, mail_gathered, mails, mails_and_alerts, mails_due, mails_gathered};
pub use messages::{MessagesOf, message, message_by_update, message_in, messages};
pub use parts::{
    all, business_of, changed, has_width, id_at_end, instant_and_id, kind_of, millis_from_value,
    millis_value, of_id, of_kind, phone_digest,
};
pub use people::{lane_of, member_of, membership, memberships_of, person, person_by_email, person_by_token};
pub use retention::{
    age, age_at, ages_until, day_and_hash, idempotency, idempotency_before, idempotency_from,
};
pub use service::{clock, meta, moving, repair, repair_part, round, upgrade};
pub use webhooks::{
    business_and_endpoint, deliveries, deliveries_due, deliveries_within, delivery, delivery_due,
    delivery_reached, endpoint_index, endpoints_of, event, is_of_outcome, webhook,
};
