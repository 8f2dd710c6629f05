//! Asking for a link to choose another password.
//!
//! What always holds: the answer is the same, after the same work, whether or not there is an account.

use domain::Address;
use engine::mail::Forgotten;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/forgotten.html", config = "src/askama.toml")]
struct Page {
    view: View,
    /// Whether a link was just asked for.
    sent: bool,
    /// Whether the service sends mail at all.
    mails: bool,
    email: Field,
}

impl Page {
    fn new(asked: &Asked) -> Self {
        let view = asked.view();
        let email = Field::new("email", "email", "username", view.t("email"));
        Self { sent: asked.query.get("done") == "sent", mails: asked.people().sends_mail(), email, view }
    }
}

pub(crate) async fn show(asked: Asked) -> Answered {
    page(&Page::new(&asked))
}

/// Has a link mailed, if there is an account.
pub(crate) async fn sent(asked: Asked) -> Answered {
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
        // Where one is on its way already it is good, and nobody learns that there is one.
        Forgotten::Send | Forgotten::Repeated => {}
        Forgotten::TooMany(free) => {
            let left = (free.millis() - asked.desk.engine.now().millis()).max(0).unsigned_abs();
            return Err(Refused::too_many(left.div_ceil(1_000)));
        }
    }
    Ok(see_other("/dashboard/forgotten?done=sent"))
}
