//! The names that most page files import.

pub(super) use std::future::ready;

pub(super) use askama::Template;
pub(super) use axum::http::StatusCode;
pub(super) use talk::words::capitalised;

pub(super) use crate::dashboard::days;
pub(super) use crate::dashboard::filled::{Body, Filled, FormError, redirected, tag};
pub(super) use crate::dashboard::form::Form;
pub(super) use crate::dashboard::frame::Sheet;
pub(super) use crate::dashboard::input::{Member, PageInput, SessionInput};
pub(super) use crate::dashboard::listing::Pages;
pub(super) use crate::dashboard::parts::{Choice, Crumb, Field, Line, Tab, Versions};
pub(super) use crate::dashboard::refused::Refused;
pub(super) use crate::dashboard::route::Answered;
pub(super) use crate::dashboard::undo::Undo;
pub(super) use crate::dashboard::view::{View, nothing_done, page, page_as, see_other};
pub(super) use crate::http::json::Json;
pub(super) use crate::words::{Value, plain};
