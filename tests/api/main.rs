//! The service as its clients see it: the real server, real connections, a clock that the tests move.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong, and `unwrap` shows where")]

mod assistants;
mod audit;
mod audit_records;
mod availability;
mod backups;
mod bad_input;
mod booking;
mod budget;
mod business;
mod call_list;
mod calls;
mod cancel;
mod catalog;
mod concurrency;
mod contact_change;
mod contact_create;
mod contact_list;
mod contacts;
mod cursors;
mod diary;
mod erasing;
mod etag;
mod foreign;
mod fuzz;
mod gate;
mod harness;
mod idempotency;
mod imports;
mod keys;
mod knowledge;
mod listing;
mod messages;
mod metrics;
mod modes;
mod operator;
mod operator_once;
mod rate_limit;
mod reschedule;
mod routes;
mod short_pages;
mod team;
mod tenancy;
mod walks;
mod webhooks;
