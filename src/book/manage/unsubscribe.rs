//! Stops the emails of a business to one address: the address to which the manage link was mailed. The customer uses
//! the page or one-click unsubscribing (RFC 8058). A manage link that was not sent by email has no address, so it stops
//! nothing.

use askama::Template;
use domain::Actor;
use engine::business::Request;
use engine::business::commands::notices::StopNotices;

use super::Managed;
use crate::book::input::PageInput;
use crate::book::refused::Refused;
use crate::book::route::Answered;
use crate::book::view::{View, page};

#[derive(Template)]
#[template(path = "book/manage/unsubscribe.html", config = "src/askama.toml")]
struct Page {
    view: View,
    text: String,
    /// The path of the form. It is empty after a submission: the page then has no form.
    action: String,
}

pub(in crate::book) async fn choose(asked: PageInput) -> Answered {
    let managed = find(asked).await?;
    let action = managed.path("/unsubscribe");
    shown(&managed, "manage-stop-text", action)
}

/// Handles the form. The response is the page and not a redirect, because a mail program that sends a one-click request
/// does not follow redirects.
pub(in crate::book) async fn stopped(asked: PageInput) -> Answered {
    let managed = find(asked).await?;
    let all = managed.asked.form.get("what") == "all";
    let change = StopNotices { token: managed.token.clone(), all };
    managed.shop.business.change(Request::by(Actor::Customer), change).await?;
    shown(&managed, if all { "manage-stopped-all" } else { "manage-stopped-reminders" }, String::new())
}

async fn find(asked: PageInput) -> Result<Managed, Refused> {
    let managed = Managed::find(asked).await?;
    if managed.seen.to.is_none() {
        return Err(Refused::not_found());
    }
    Ok(managed)
}

fn shown(managed: &Managed, text: &str, action: String) -> Answered {
    let view = managed.view_of("/unsubscribe");
    page(&Page { text: view.with(text, "business", &managed.seen.business.name), action, view })
}
