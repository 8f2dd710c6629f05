//! Tests of the dashboard over real connections, with simulated browsers that keep cookies and send the forms
//! of pages.

#![allow(clippy::unwrap_used, reason = "a test may panic, and `unwrap` shows the line")]

mod access_audit;
mod access_inviting;
mod access_keys;
mod access_mail;
mod access_notifications;
mod access_people;
mod access_webhook_log;
mod access_webhooks;
mod account;
mod alerts;
mod chromium;
mod day_appointments;
mod day_attendance;
mod day_booking;
mod day_calendar;
mod day_moves;
mod day_notices;
mod day_salon;
mod day_today;
mod day_without_scripts;
mod forms;
mod harness;
mod landing;
mod links;
mod mails;
mod passwords;
mod proxies;
mod records_calls;
mod records_cards;
mod records_contacts;
mod records_data;
mod records_files;
mod records_knowledge;
mod records_messages;
mod records_search;
mod records_spreadsheet;
mod routes;
mod sessions;
mod settings_business;
mod settings_calendars;
mod settings_data;
mod settings_hours;
mod settings_services;
mod settings_staff;
mod settings_website;
mod signing_in;
mod streams;
mod text;
mod where_it_is;
