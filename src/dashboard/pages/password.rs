//! The page to choose a password. A restricted session can use only this page and sign out.

use domain::Refusal;
use engine::EngineError;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/password.html", config = "src/askama.toml")]
struct Page {
    view: View,
    email: String,
    restricted: bool,
    /// Whether the person needs a new link: the person has no password and used the last link too long ago.
    needs_link: bool,
    current: Option<Field>,
    password: Field,
    again: Field,
}

impl Page {
    fn new(visit: &SessionInput) -> Self {
        let view = visit.view.clone();
        let restricted = visit.signed_in.session.restricted;
        let asks = !restricted && !visit.signed_in.fresh;
        let password = Field::new("password", "password", "new-password", view.t("new-password"));
        Self {
            email: visit.signed_in.person.email.clone(),
            restricted,
            needs_link: asks && visit.signed_in.person.password.is_none(),
            current: visit.password_field().filter(|_| asks),
            password: password.hint(view.t("new-password-hint")),
            again: Field::new("password_again", "password", "new-password", view.t("password-again")),
            view,
        }
    }
}

pub(crate) async fn show(visit: SessionInput) -> Answered {
    page(&Page::new(&visit))
}

/// Sets the password. All other sessions end; this one continues.
pub(crate) async fn sent(mut visit: SessionInput) -> Answered {
    let mut shown = Page::new(&visit);
    if visit.form.get("password") != visit.form.get("password_again") {
        shown.again.problem = shown.view.t("password-differs");
        return page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown);
    }
    if !shown.restricted
        && let Some(problem) = visit.freshen().await?
    {
        let problem = shown.view.problem(&problem);
        shown.current = shown.current.map(|field| field.problem(Some(problem)));
        return page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown);
    }
    let token = match visit.people().set_password(&visit.token, visit.form.get("password")).await {
        Ok(token) => token,
        Err(EngineError::Refused(Refusal::Invalid(problems))) => {
            let problem = problems.first().map(|problem| shown.view.problem(&problem.code));
            shown.password.problem = problem.unwrap_or_default();
            // The current password was correct, so the form does not ask for it again.
            shown.current = None;
            return page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown);
        }
        Err(EngineError::Refused(Refusal::Expired)) => return Err(Refused::LinkGone),
        Err(error) => return Err(error.into()),
    };
    let next = if shown.restricted { "/dashboard" } else { "/dashboard/account?done=password" };
    visit.begin_session(&token, next).await
}
