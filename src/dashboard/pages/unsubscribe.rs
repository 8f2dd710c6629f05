//! The link in a mail that ends mails like it: a page with a button, and one click for mail programs (RFC 8058).
//!
//! What always holds: looking at it ends nothing; ending what has ended already is the same answer.

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
    /// Whether it is done.
    done: bool,
    email: String,
    /// What no mail is sent of any more.
    what: String,
    business: String,
}

/// What it would end, and the button.
pub(crate) async fn show(asked: Asked) -> Answered {
    let what = asked.desk.engine.read_unsubscribe_token(&token(&asked)?).ok_or(Refused::LinkGone)?;
    shown(&asked, what, false).await
}

/// Ends it. The answer is the page itself: a mail program's one click follows no redirect.
pub(crate) async fn sent(asked: Asked) -> Answered {
    match asked.desk.engine.unsubscribe(&token(&asked)?).await {
        Ok(what) => shown(&asked, what, true).await,
        Err(EngineError::Refused(Refusal::NotFound(_))) => Err(Refused::LinkGone),
        Err(error) => Err(error.into()),
    }
}

fn token(asked: &Asked) -> Result<String, Refused> {
    asked.param("token").ok_or(Refused::LinkGone)
}

/// What the link ends, and of whom, as they are spoken to.
async fn shown(asked: &Asked, what: Unsubscribe, done: bool) -> Answered {
    let person = asked.people().person(what.person_id).await?.ok_or(Refused::LinkGone)?;
    let belongs = asked.people().belongs(person.id).await?;
    let of = belongs.into_iter().find(|one| one.business_id == what.business_id);
    let view = View { words: words(person.locale), ..asked.view() };
    let shown = Page {
        path: asked.path().to_owned(),
        done,
        email: person.email,
        what: match what.from {
            Subscription::Kind(kind) => view.t(&format!("alert-{kind}")),
            Subscription::EveryNow => view.t("alert-every-now"),
            Subscription::EveryDaily => view.t("alert-every-daily"),
        },
        // Nobody mails whoever belongs no more; to end that is to have it as it is.
        business: of.map(|of| of.business_name).unwrap_or_default(),
        view,
    };
    page(&shown)
}
