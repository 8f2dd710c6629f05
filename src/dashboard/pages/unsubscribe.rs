//! The unsubscribe link of a mail leads to a page with a button. One-click unsubscribing (RFC 8058) works
//! too.
//!
//! Invariants: GET changes nothing. A repeated request has the same response.

use domain::{Refusal, Subscription};
use engine::EngineError;
use engine::mail::unsubscribe::Unsubscribe;

use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::words;

#[derive(Template)]
#[template(path = "dashboard/pages/unsubscribe.html", config = "src/askama.toml")]
struct Page {
    view: View,
    path: String,
    done: bool,
    email: String,
    what: String,
    business: String,
}

pub(crate) async fn show(asked: PageInput) -> Answered {
    let token: String = asked.param("token").ok_or(Refused::LinkGone)?;
    let what = asked.desk.engine.read_unsubscribe_token(&token).ok_or(Refused::LinkGone)?;
    shown(&asked, what, false).await
}

/// Unsubscribes. The response is the page itself, since one-click requests do not follow redirects.
pub(crate) async fn sent(asked: PageInput) -> Answered {
    let token: String = asked.param("token").ok_or(Refused::LinkGone)?;
    match asked.desk.engine.unsubscribe(&token).await {
        Ok(what) => shown(&asked, what, true).await,
        Err(EngineError::Refused(Refusal::NotFound(_))) => Err(Refused::LinkGone),
        Err(error) => Err(error.into()),
    }
}

async fn shown(asked: &PageInput, what: Unsubscribe, done: bool) -> Answered {
    let person = asked.people().person(what.person_id).await?.ok_or(Refused::LinkGone)?;
    let belongs = asked.people().belongs(person.id).await?;
    let of = belongs.into_iter().find(|one| one.business_id == what.business_id);
    let view = View { words: words(person.locale), ..asked.view.clone() };
    let shown = Page {
        path: asked.path().to_owned(),
        done,
        email: person.email,
        what: match what.from {
            Subscription::Kind(kind) => view.t(&format!("alert-{kind}")),
            Subscription::EveryNow => view.t("alert-every-now"),
            Subscription::EveryDaily => view.t("alert-every-daily"),
        },
        // The name of the business is empty if the person is no longer a member.
        business: of.map(|of| of.business_name).unwrap_or_default(),
        view,
    };
    page(&shown)
}
