//! The pages of a manage link. They show one appointment and offer it as a calendar file. Their forms move and cancel
//! the appointment.
//!
//! Invariants:
//! - An erased contact, a missing appointment or business, and an expired or unknown token give the same 404 page.
//! - The pages contain no data of the contact.
//! - If a form is sent again with the same id, it takes effect only once. The engine stores the ids.

mod moving;
mod one;
mod unsubscribe;

use std::sync::Arc;

use axum::http::StatusCode;
use domain::{Actor, Conflict, Locale, Refusal, Timestamp};
use engine::EngineError;
use engine::business::commands::customers::ManageToken;
use engine::business::{Change, Request, SeenByLink};

pub(super) use self::moving::{moved, times};
pub(super) use self::one::{calendar, cancelled, framed, show};
pub(super) use self::unsubscribe::{choose, stopped};
use super::form_id;
use super::input::{PageInput, Shop};
use super::refused::Refused;
use super::route::Answered;
use super::view::{View, see_other};
use super::words::words;
use crate::words::accepted;

/// A request with a valid manage link.
struct Managed {
    asked: PageInput,
    view: View,
    shop: Arc<Shop>,
    token: ManageToken,
    seen: SeenByLink,
    /// The language in the query of the request. The links and forms of the page keep it.
    locale: Option<Locale>,
}

impl Managed {
    async fn find(asked: PageInput) -> Result<Self, Refused> {
        let token = asked.param::<String>("token").and_then(|text| ManageToken::parse(&text));
        let token = token.ok_or_else(Refused::not_found)?;
        let business = asked.front.engine.business_for_visitor(token.business_id());
        let seen = business.seen_by_link(&token).await?.ok_or_else(Refused::not_found)?;
        let locale = Locale::from_word(asked.query.get("locale"));
        let booked = seen.appointment.booked_as.as_ref().map(|booked| booked.locale);
        let shown = locale.or(booked).or_else(|| accepted(&asked.head.headers));
        let shown = shown.unwrap_or(seen.business.locale);
        let (profile, mut website) = (seen.business.clone(), seen.website.clone());
        if !website.enabled || profile.suspended {
            // While the booking page is not available, the stylesheet with the business's colour is not available
            // either. So the pages of a manage link have the default colour.
            website.color = None;
        }
        let shop = Arc::new(Shop { business, profile, website, chats: false });
        let view = View { words: words(shown), shop: Some(Arc::clone(&shop)), ..asked.view.clone() };
        Ok(Self { view, shop, token, seen, locale, asked })
    }

    /// The path of a page of this link, in the language that the visitor chose.
    fn path(&self, page: &str) -> String {
        self.path_in(page, self.locale.map(Locale::as_str))
    }

    fn path_in(&self, page: &str, locale: Option<&str>) -> String {
        in_language(format!("/book/manage/{}{page}", self.token.text()), locale)
    }

    /// The view of `page`, with links to the same page in the other languages.
    fn view_of(&self, page: &str) -> View {
        self.view.clone().with_languages(|locale| self.path_in(page, Some(locale)))
    }

    fn form_id(&self) -> String {
        form_id::issue(&self.asked.front, &self.token.text())
    }

    fn is_over(&self) -> bool {
        self.seen.appointment.ends_at <= self.seen.now
    }

    /// The text of an instant, such as `Tuesday 24 November 2026 at 14:30`.
    fn when(&self, at: Timestamp) -> String {
        self.view.words.when(at, self.shop.profile.zone, &self.shop.profile.phone_region)
    }

    /// Makes the change that the form requests. `change` is `None` if a field is invalid.
    async fn change<C: Change + 'static>(&self, change: Option<C>) -> Result<(), FormError> {
        let change = change.ok_or(FormError::Invalid)?;
        let PageInput { front, form, .. } = &self.asked;
        let issued_at = form_id::issued_at(front, &self.token.text(), form.get(form_id::FORM_ID));
        let issued_at = issued_at.ok_or(FormError::FormEnded)?;
        let once = form_id::once(form, self.shop.business.id());
        let _turn = front.turn(&once).await;
        let request = Request { idempotency: Some(once), ..Request::by(Actor::Customer) };
        if self.shop.business.remembered::<C>(&request).await?.is_some() {
            return Ok(());
        }
        if !form_id::is_fresh(front, issued_at) {
            return Err(FormError::FormEnded);
        }
        self.shop.business.change(request, change).await?;
        Ok(())
    }

    /// Returns the response to a form. If the change was made, the response redirects to the page of the appointment.
    /// If the change was refused, `refused` shows the current state of the appointment.
    async fn answer<F>(self, done: Result<(), FormError>, refused: fn(Self, FormError) -> F) -> Answered
    where
        F: Future<Output = Answered>,
    {
        match done {
            Ok(()) => see_other(&self.path("")),
            Err(FormError::Failed(error)) => Err(error.into()),
            // The appointment may have changed since the first read, so it is read again.
            Err(undone) => refused(Self::find(self.asked).await?, undone).await,
        }
    }
}

/// A path with the language that the visitor chose.
fn in_language(path: String, locale: Option<&str>) -> String {
    let join = if path.contains('?') { '&' } else { '?' };
    locale.map(|locale| format!("{path}{join}locale={locale}")).unwrap_or(path)
}

/// The reason why a form changed nothing.
enum FormError {
    Invalid,
    /// The id of the form was not issued for this link, has expired, or was used with other content.
    FormEnded,
    Moved(Timestamp),
    NotChangeable,
    /// The appointment has ended or is no longer active. The page shows its state.
    Over,
    NotOpen,
    /// The business takes no online bookings.
    Closed,
    Failed(EngineError),
}

impl From<EngineError> for FormError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Refused(refusal) => match refusal {
                Refusal::Invalid(_) => Self::Invalid,
                Refusal::IdempotencyKeyReused | Refusal::IdempotencyInProgress => Self::FormEnded,
                Refusal::SlotUnavailable(_) => Self::NotOpen,
                Refusal::BookingDisabled => Self::Closed,
                Refusal::Conflict { conflict: Conflict::StartsElsewhere(now), .. } => Self::Moved(now),
                Refusal::Conflict { conflict: Conflict::NotChangeableOnline, .. } => Self::NotChangeable,
                Refusal::Conflict {
                    conflict: Conflict::AppointmentEnded | Conflict::AppointmentStatus(..),
                    ..
                } => Self::Over,
                refusal => Self::Failed(refusal.into()),
            },
            error => Self::Failed(error),
        }
    }
}

impl FormError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid | Self::NotChangeable => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::CONFLICT,
        }
    }

    /// The message on the page; empty if the page itself shows the reason.
    fn message(&self, managed: &Managed) -> String {
        let view = &managed.view;
        match self {
            Self::Invalid => view.t("error-422-text"),
            Self::FormEnded => view.t("notice-stale"),
            Self::Moved(now) => view.with("manage-moved-meanwhile", "when", &managed.when(*now)),
            Self::NotOpen => view.t("notice-taken"),
            Self::Closed => view.t("off"),
            Self::NotChangeable | Self::Over | Self::Failed(_) => String::new(),
        }
    }
}
