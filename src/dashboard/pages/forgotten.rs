//! The request for a link to choose another password.
//!
//! Invariants: the response, and the time that it takes, are the same whether or not the account exists.

use domain::Address;
use engine::mail::Forgotten;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/forgotten.html", config = "src/askama.toml")]
struct Page {
    view: View,
    sent: bool,
    mails: bool,
    email: Field,
}

impl Page {
    fn new(asked: &PageInput) -> Self {
        let view = asked.view.clone();
        let email = Field::new("email", "email", "username", view.t("email"));
        Self { sent: asked.query.get("done") == "sent", mails: asked.people().sends_mail(), email, view }
    }
}

pub(crate) async fn show(asked: PageInput) -> Answered {
    page(&Page::new(&asked))
}

pub(crate) async fn sent(asked: PageInput) -> Answered {
    let mut shown = Page::new(&asked);
    let given = asked.form.get("email").trim();
    let Ok(address) = Address::new(given) else {
        let problem = shown.view.t(if given.is_empty() { "required" } else { "not-an-email" });
        shown.email = shown.email.holding(given).problem(Some(problem));
        return page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown);
    };
    if !shown.mails {
        return Ok(see_other("/dashboard/forgotten"));
    }
    match asked.people().mail_forgotten(&address, asked.network()).await? {
        // A repeated request gets the same response, since the first link is still valid. The response does
        // not reveal whether an account exists.
        Forgotten::Send | Forgotten::Repeated => {}
        Forgotten::TooMany(free) => {
            let left = (free.millis() - asked.desk.engine.now().millis()).max(0).unsigned_abs();
            return Err(Refused::too_many(left.div_ceil(1_000)));
        }
    }
    Ok(see_other("/dashboard/forgotten?done=sent"))
}
