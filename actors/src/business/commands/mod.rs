//! The changes a business can be asked for, one file per group.
//!
//! Each reads what it needs from the context, lets the pure rules of [`crate::domain`] decide, and hands back a
//! [`Decision`](super::Decision) as data. None of them writes anything itself.

pub mod alerts;
pub mod appointments;
pub mod budget;
pub mod calls;
pub mod catalog;
pub mod contacts;
pub mod diary;
pub mod erasure;
pub mod guarded;
pub mod keys;
pub mod knowledge;
pub mod mails;
pub mod messages;
pub mod offers;
pub mod people;
pub mod profile;
pub mod webhooks;
