//! The dashboard as browsers see it: the real server, real connections, cookies, and forms as they stand in the pages.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong, and `unwrap` shows where")]

mod access_audit;
mod access_keys;
mod access_webhook_log;
mod access_webhooks;
mod account;
mod alerts;
mod forms;
mod harness;
mod landing;
mod links;
mod mails;
mod passwords;
mod routes;
mod sessions;
mod signing_in;
mod text;
mod where_it_is;
