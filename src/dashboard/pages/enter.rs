//! The page to which a link in a mail, or a link from the operator, leads.
//!
//! Invariants: GET changes nothing, since mail scanners open links. Only the button on the page uses up the
//! link.

use domain::{LinkKind, Refusal};
use engine::EngineError;
use engine::people::{LinkSeen, Token};

use crate::dashboard::input::sign_in_path;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::words;

#[derive(Template)]
#[template(path = "dashboard/pages/enter.html", config = "src/askama.toml")]
struct Page {
    view: View,
    path: String,
    title: String,
    text: String,
    button: String,
    until: String,
}

pub(crate) async fn show(asked: PageInput) -> Answered {
    let token = asked.link_token().ok_or(Refused::LinkGone)?;
    let LinkSeen { person, kind } = asked.people().open_link(&token).await.map_err(gone)?;
    let view = View { words: words(person.locale), ..asked.view.clone() };
    let link = person.link.as_ref();
    let of = link.and_then(|link| link.business_id);
    let belongs = asked.people().belongs(person.id).await?;
    let business = belongs.into_iter().find(|one| Some(one.business_id) == of);
    let (title, text, lasts) = match kind {
        LinkKind::Invitation => ("enter-account-title", "enter-account-text", "enter-until-days"),
        LinkKind::Reset => ("enter-reset-title", "enter-reset-text", "enter-until-hour"),
        LinkKind::Enter => ("enter-enter-title", "enter-enter-text", "enter-until-minutes"),
        LinkKind::Email => ("enter-email-title", "enter-email-text", "enter-until-hour"),
    };
    let email = match kind {
        LinkKind::Email => link.and_then(|link| link.email.as_deref()).unwrap_or_default(),
        _ => person.email.as_str(),
    };
    let (title, text) = match (kind, &business) {
        (LinkKind::Invitation, Some(business)) => (
            view.with("enter-invitation-title", "business", &business.business_name),
            view.with(&format!("enter-invitation-{}", business.membership.role), "email", email),
        ),
        _ => (view.t(title), view.with(text, "email", email)),
    };
    let shown = Page {
        button: view.t(if kind == LinkKind::Enter { "sign-in" } else { "go-on" }),
        until: view.t(lasts),
        path: asked.path().to_owned(),
        title,
        text,
        view,
    };
    page(&shown)
}

pub(crate) async fn sent(asked: PageInput) -> Answered {
    let token = asked.link_token().ok_or(Refused::LinkGone)?;
    if asked.people().open_link(&token).await.map_err(gone)?.kind == LinkKind::Email {
        return prove_email(&asked, &token).await;
    }
    let opened = asked.people().use_link(&token, asked.comes_from().client).await.map_err(gone)?;
    let session = opened.session.ok_or(Refused::LinkGone)?;
    let next = if opened.kind == LinkKind::Enter { "/dashboard" } else { "/dashboard/password" };
    asked.begin_session(&session, next).await
}

/// Confirms a new email. The person who requested it must be signed in.
async fn prove_email(asked: &PageInput, token: &Token) -> Answered {
    match asked.people().prove_email(token, asked.session_token().as_ref()).await {
        Ok(_) => Ok(see_other("/dashboard/account?done=email")),
        // Without a session, the person signs in first. With another person's session, the link is refused.
        Err(EngineError::Refused(Refusal::NotAllowed(_))) if asked.signed_in().await?.is_none() => {
            Ok(see_other(&sign_in_path(asked.path())))
        }
        Err(error) => Err(gone(error)),
    }
}

fn gone(error: EngineError) -> Refused {
    match error {
        EngineError::Refused(Refusal::Expired) | EngineError::NotFound => Refused::LinkGone,
        error => error.into(),
    }
}
