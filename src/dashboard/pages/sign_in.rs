//! The page that signs a person in with email and password, and the form that signs out.
//!
//! Invariants:
//! - After signing in, the redirect goes only to a path of the dashboard.
//! - An unknown email and a wrong password have the same response.

use axum::http::header;
use engine::people::SignIn;
use url::Url;

use crate::dashboard::cookies::Cookie;
use crate::dashboard::pages::prelude::*;

const HOME: &str = "/dashboard";
/// The maximum length of the path to which a sign-in redirects, in bytes.
const NEXT_BYTES_MAX: usize = 2_000;

#[derive(Template)]
#[template(path = "dashboard/pages/sign_in.html", config = "src/askama.toml")]
struct Page {
    view: View,
    next: String,
    done: String,
    /// Whether the browser has a draft of a form that was submitted after the session had ended.
    kept: bool,
    wrong: bool,
    email: Field,
    password: Field,
    other: String,
}

impl Page {
    fn new(asked: &PageInput, next: &str) -> Self {
        let view = asked.view.clone();
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("lang", &view.t("other-language"))
            .append_pair("next", next)
            .finish();
        Self {
            done: asked.done(&[("password", "password-set")]),
            email: Field::new("email", "email", "username", view.t("email")),
            password: Field::new("password", "password", "current-password", view.t("password")),
            other: format!("/dashboard/sign-in?{query}"),
            kept: asked.keeps_form(next.split('?').next().unwrap_or_default()),
            next: next.to_owned(),
            wrong: false,
            view,
        }
    }
}

pub(crate) async fn show(asked: PageInput) -> Answered {
    let next = next(asked.query.get("next"));
    if asked.signed_in().await?.is_some() {
        return Ok(see_other(&next));
    }
    page(&Page::new(&asked, &next))
}

pub(crate) async fn sent(asked: PageInput) -> Answered {
    let next = next(asked.form.get("next"));
    let (email, password) = (asked.form.get("email").trim(), asked.form.get("password"));
    let mut shown = Page::new(&asked, &next);
    shown.email = shown.email.holding(email);
    if email.is_empty() || password.is_empty() {
        let required = |empty: bool| empty.then(|| shown.view.t("required"));
        let (no_email, no_password) = (required(email.is_empty()), required(password.is_empty()));
        shown.email = shown.email.problem(no_email);
        shown.password = shown.password.problem(no_password);
        return page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown);
    }
    match asked.people().sign_in(email, password, asked.comes_from()).await? {
        SignIn::In(token) => asked.begin_session(&token, &next).await,
        SignIn::TooMany(left) => Err(Refused::too_many(left.as_secs())),
        SignIn::Wrong | SignIn::Known => {
            shown.wrong = true;
            page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
    }
}

pub(crate) async fn sign_out(asked: PageInput) -> Answered {
    if let Some(token) = asked.session_token() {
        asked.people().sign_out(&token).await?;
    }
    let mut response = see_other("/dashboard/sign-in");
    response.headers_mut().append(header::SET_COOKIE, asked.desk.cookies.set(Cookie::Session, ""));
    Ok(response)
}

/// The path after signing in, parsed as browsers parse it, or [`HOME`] if it is not a path of the
/// dashboard.
fn next(asked: &str) -> String {
    const ORIGIN: &str = "http://dashboard.invalid";
    let origin = || Url::parse(ORIGIN).ok();
    let within = |url: &Url| {
        let path = url.path();
        Some(url.origin()) == origin().map(|origin| origin.origin())
            && (path == HOME || path.starts_with("/dashboard/"))
            && !path.starts_with("/dashboard/sign-")
    };
    let url = origin().and_then(|origin| origin.join(asked).ok());
    let url = url.filter(|url| asked.starts_with('/') && asked.len() <= NEXT_BYTES_MAX && within(url));
    let Some(url) = url else { return HOME.into() };
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_redirects_only_to_a_path_of_the_dashboard() {
        for good in ["/dashboard", "/dashboard/account?a=b&c", "/dashboard/b/x/today"] {
            assert_eq!(next(good), good);
        }
        let long = format!("/dashboard/{}", "x".repeat(NEXT_BYTES_MAX));
        for bad in [
            "",
            "/",
            "/v1/me",
            "//evil.example/dashboard/",
            "/\\evil.example/dashboard/",
            "https://evil.example/dashboard/",
            "javascript:alert(1)//dashboard/",
            "dashboard/account",
            "/dashboard/../v1",
            "/dashboard/%2e%2e/v1",
            "/dashboards",
            "/dashboard/sign-in?next=/dashboard/sign-in",
            "/dashboard/sign-out",
            &long,
        ] {
            assert_eq!(next(bad), HOME, "{bad}");
        }
        assert_eq!(next("/dashboard/a\r\nSet-Cookie: x"), "/dashboard/aSet-Cookie:%20x");
    }
}
