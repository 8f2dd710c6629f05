//! The account page, with the forms for name, language, theme and email, and a link to the password page.
//! Another page lists the sessions and ends them.

use axum::http::header;
use chrono_tz::Tz;
use domain::{
    AccountPatch, Address, ClockFormat, Conflict, Locale, PersonName, ProblemCode, Refusal, Session,
    SessionId, WeekStart,
};
use engine::EngineError;

use crate::dashboard::cookies::Cookie;
use crate::dashboard::drafts::Draft;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/account.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a, SessionInput>,
    done: String,
    kept: String,
    name: Field,
    locale: String,
    clock: Field,
    week_start: Field,
    look: String,
    mails: bool,
    email: Field,
    current: Option<Field>,
    sessions: usize,
}

impl<'a> Page<'a> {
    async fn new(visit: &'a SessionInput) -> Result<Self, Refused> {
        let (view, person) = (&visit.view, &visit.signed_in.person);
        let now = visit.desk.engine.now();
        let name = Field::new("name", "text", "name", view.t("name")).optional();
        Ok(Self {
            sheet: visit.own_sheet().await?,
            done: visit.done(&[
                ("saved", "saved"),
                ("email", "email-changed"),
                ("email-sent", "email-sent"),
                ("password", "password-set"),
            ]),
            kept: String::new(),
            name: name.holding(&person.name),
            locale: person.locale.to_string(),
            clock: clocks(view).chosen(person.clock.as_str()),
            week_start: week_starts(view).chosen(person.week_start.as_str()),
            look: view.theme.unwrap_or("device").to_owned(),
            mails: visit.people().sends_mail(),
            email: Field::new("email", "email", "email", view.t("email")).holding(&person.email),
            current: visit.password_field(),
            sessions: person.sessions.iter().filter(|session| session.is_good(now)).count(),
        })
    }

    fn filled(mut self, action: &str, form: &Form) -> Self {
        if action.ends_with("/email") {
            self.email = self.email.holding(form.get("email"));
            return self;
        }
        self.name = self.name.holding(form.get("name"));
        self.clock = self.clock.chosen(form.get("clock"));
        self.week_start = self.week_start.chosen(form.get("week_start"));
        for (field, name) in [(&mut self.locale, "locale"), (&mut self.look, "look")] {
            if let Some(chosen) = form.find(name) {
                chosen.clone_into(field);
            }
        }
        self
    }
}

fn clocks(view: &View) -> Field {
    let choice = |one: &ClockFormat| Choice::new(one.as_str(), view.t(&format!("clock-{one}")));
    Field::select("clock", view.t("clock"), ClockFormat::ALL.iter().map(choice))
}

fn week_starts(view: &View) -> Field {
    let choice = |one: &WeekStart| Choice::new(one.as_str(), view.t(&format!("week-start-{one}")));
    Field::select("week_start", view.t("week-start"), WeekStart::ALL.iter().map(choice))
}

pub(crate) async fn show(visit: SessionInput) -> Answered {
    let mut shown = Page::new(&visit).await?;
    if let Some(Draft { action, form, why, .. }) = visit.kept_form() {
        shown.kept = visit.t(why.message());
        shown = shown.filled(&action, &form);
    }
    page(&shown)
}

pub(crate) async fn sent(visit: SessionInput) -> Answered {
    let form = &visit.form;
    let name = PersonName::new(form.get("name").trim().to_owned());
    let locale = Locale::from_word(form.get("locale")).unwrap_or(visit.signed_in.person.locale);
    let name = match name {
        Ok(name) => name,
        Err(problem) => {
            let mut shown = Page::new(&visit).await?.filled(visit.path(), form);
            shown.name.problem = visit.problem(&problem.into());
            return page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown);
        }
    };
    let account = AccountPatch {
        locale: Some(locale),
        clock: ClockFormat::from_word(form.get("clock")),
        week_start: WeekStart::from_word(form.get("week_start")),
        ..AccountPatch::named(name)
    };
    visit.people().change_own(visit.signed_in.person.id, account).await?;
    let mut response = see_other("/dashboard/account?done=saved");
    let theme = match form.get("look") {
        theme @ ("light" | "dark") => theme,
        _ => "",
    };
    let cookies = visit.desk.cookies;
    let chosen = [cookies.set(Cookie::Theme, theme), cookies.set(Cookie::Language, locale.as_str())];
    response.headers_mut().extend(chosen.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok(response)
}

/// Changes the email. The change takes effect when the mailed link is used, or immediately if the service
/// sends no mail.
pub(crate) async fn email(mut visit: SessionInput) -> Answered {
    let given = visit.form.get("email").trim();
    let address = match Address::new(given) {
        Err(_) if given.is_empty() => Err("required"),
        Err(_) => Err("not-an-email"),
        Ok(address) if address.as_str() == visit.signed_in.person.email => Err("email-same"),
        Ok(address) => Ok(address),
    };
    let address = match address {
        Ok(address) => address,
        Err(problem) => {
            return refused(&visit, StatusCode::UNPROCESSABLE_ENTITY, visit.t(problem), None).await;
        }
    };
    if let Some(problem) = visit.freshen().await? {
        return refused(&visit, StatusCode::UNPROCESSABLE_ENTITY, String::new(), Some(problem)).await;
    }
    match visit.people().change_email(&visit.token, address).await {
        Ok(Some(_)) => Ok(see_other("/dashboard/account?done=email-sent")),
        Ok(None) => Ok(see_other("/dashboard/account?done=email")),
        Err(EngineError::Refused(refusal @ Refusal::Conflict { .. })) => {
            let problem = match refusal {
                Refusal::Conflict { conflict: Conflict::AddressTaken, .. } => visit.t("email-taken"),
                refusal => visit.refusal(&refusal),
            };
            refused(&visit, StatusCode::CONFLICT, problem, None).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn refused(
    visit: &SessionInput,
    status: StatusCode,
    problem: String,
    password_problem: Option<ProblemCode>,
) -> Answered {
    let mut shown = Page::new(visit).await?.filled(visit.path(), &visit.form);
    shown.email.problem = problem;
    let password_problem = password_problem.map(|problem| visit.problem(&problem));
    shown.current = shown.current.map(|field| field.problem(password_problem));
    page_as(status, &shown)
}

#[derive(Template)]
#[template(path = "dashboard/pages/sessions.html", config = "src/askama.toml")]
struct Sessions<'a> {
    sheet: Sheet<'a, SessionInput>,
    done: String,
    zone: Tz,
    sessions: Vec<&'a Session>,
}

pub(crate) async fn sessions(visit: SessionInput) -> Answered {
    let (now, own) = (visit.desk.engine.now(), visit.signed_in.session.id);
    let mut sessions: Vec<&Session> =
        visit.signed_in.person.sessions.iter().filter(|session| session.is_good(now)).collect();
    sessions.sort_by_key(|session| (session.id != own, std::cmp::Reverse(session.last_used_at)));
    page(&Sessions {
        sheet: visit.own_sheet().await?,
        done: visit.done(&[("ended", "sessions-ended")]),
        zone: zone(&visit).await?,
        sessions,
    })
}

impl Sessions<'_> {
    fn is_own(&self, session: &Session) -> bool {
        session.id == self.sheet.member.signed_in.session.id
    }

    fn browser(&self, session: &Session) -> String {
        browser(&self.sheet.member.view, &session.client.user_agent)
    }

    fn detail(&self, session: &Session) -> String {
        let moment = |at| self.sheet.member.words.short_moment(at, self.zone);
        let address = session.client.address.clone().unwrap_or_else(|| "–".into());
        let values = [
            ("address", address),
            ("since", moment(session.created_at)),
            ("used", moment(session.last_used_at)),
        ];
        self.sheet.member.says(if self.is_own(session) { "session-own" } else { "session-other" }, &values)
    }
}

async fn zone(visit: &SessionInput) -> Result<Tz, Refused> {
    match visit.active().next() {
        Some(one) => Ok(visit.desk.engine.business(one.business_id).business().await?.zone),
        None => Ok(Tz::UTC),
    }
}

/// The browser and the operating system in a user agent. An unknown browser or system is omitted.
fn browser(view: &View, user_agent: &str) -> String {
    // The first match counts, since most user agents also contain names of other browsers.
    const BROWSERS: [(&str, &str); 6] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 6] = [
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ];
    let find = |of: &[(&str, &'static str)]| {
        of.iter().find(|(sign, _)| user_agent.contains(sign)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => view.says("browser-on", &[("browser", browser), ("system", system)]),
        (Some(known), None) | (None, Some(known)) => known.to_owned(),
        (None, None) => view.t("browser-unknown"),
    }
}

pub(crate) async fn end_others(visit: SessionInput) -> Answered {
    visit.people().end_sessions(&visit.token, None).await?;
    Ok(see_other("/dashboard/account/sessions?done=ended"))
}

pub(crate) async fn end(visit: SessionInput) -> Answered {
    let id: SessionId = visit.id("session_id")?;
    visit.people().end_sessions(&visit.token, Some(id)).await?;
    Ok(see_other("/dashboard/account/sessions?done=ended"))
}
