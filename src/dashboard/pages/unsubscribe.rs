//! The link in a mail that ends mails like it: a page with a button, and one click for mail programs (RFC 8058).
//!
//! What always holds: looking at it ends nothing; ending what has ended already is the same answer.

use actors::business::Request;
use actors::business::commands::people::PatchNotifications;
use actors::domain::{Actor, AlertChoice, AlertEmail, AlertKind, Person};
use actors::mail::unsubscribe::{Subscription, Unsubscribe};
use askama::Template;
use axum::http::StatusCode;

use crate::dashboard::asked::Asked;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};
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

/// What the link ends, and of whom.
async fn read(asked: &Asked) -> Result<(Unsubscribe, Person, String), Refused> {
    let token: String = asked.param("token").ok_or(Refused::LinkGone)?;
    let what = asked.desk.engine.read_unsubscribe_token(&token).ok_or(Refused::LinkGone)?;
    let person = asked.people().person(what.person_id).await?.ok_or(Refused::LinkGone)?;
    let belongs = asked.people().belongs(person.id).await?;
    let of = belongs.into_iter().find(|one| one.business_id == what.business_id).ok_or(Refused::LinkGone)?;
    Ok((what, person, of.business_name))
}

fn shown(asked: &Asked, of: (Unsubscribe, Person, String), done: bool) -> Answered {
    let (what, person, business) = of;
    let view = View { words: words(person.locale), ..asked.view() };
    let what = match what.from {
        Subscription::Kind(kind) => view.t(&format!("alert-{kind}")),
        Subscription::EveryNow => view.t("alert-every-now"),
        Subscription::EveryDaily => view.t("alert-every-daily"),
    };
    let path = asked.path().to_owned();
    Ok(page(StatusCode::OK, &Page { view, path, done, email: person.email, what, business })?)
}

/// What it would end, and the button.
pub(crate) async fn show(asked: Asked) -> Answered {
    let of = read(&asked).await?;
    shown(&asked, of, false)
}

/// Ends it. The answer is the page itself: a mail program's one click follows no redirect.
pub(crate) async fn sent(asked: Asked) -> Answered {
    let of = read(&asked).await?;
    let (what, business) = (&of.0, asked.desk.engine.business(of.0.business_id));
    let (_, membership) = asked.people().member(&business, what.person_id).await?;
    let ends = |kind: &AlertKind| match what.from {
        Subscription::Kind(one) => one == *kind,
        Subscription::EveryNow => membership.alert(*kind).email == AlertEmail::Now,
        Subscription::EveryDaily => membership.alert(*kind).email == AlertEmail::Daily,
    };
    let off = AlertChoice { email: Some(AlertEmail::Off), ..AlertChoice::default() };
    let choices = AlertKind::ALL.iter().copied().filter(ends).map(|kind| (kind, off)).collect();
    let change = PatchNotifications { id: what.person_id, choices };
    business.change(Request::by(Actor::Person(what.person_id)), change).await?;
    shown(&asked, of, true)
}
