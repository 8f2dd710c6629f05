//! The list of a person's sessions, with buttons to end them.

use chrono_tz::Tz;
use domain::{Session, SessionId};

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/sessions.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a, Visit>,
    done: String,
    zone: Tz,
    sessions: Vec<&'a Session>,
}

pub(crate) async fn show(visit: Visit) -> Answered {
    let (now, own) = (visit.desk.engine.now(), visit.signed_in.session.id);
    let mut sessions: Vec<&Session> =
        visit.signed_in.person.sessions.iter().filter(|session| session.is_good(now)).collect();
    sessions.sort_by_key(|session| (session.id != own, std::cmp::Reverse(session.last_used_at)));
    page(&Page {
        sheet: visit.own_sheet().await?,
        done: visit.done(&[("ended", "sessions-ended")]),
        zone: zone(&visit).await?,
        sessions,
    })
}

impl Page<'_> {
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

/// The time zone of the person's first business, or UTC without one.
async fn zone(visit: &Visit) -> Result<Tz, Refused> {
    match visit.active().next() {
        Some(one) => Ok(visit.desk.engine.business(one.business_id).business().await?.zone),
        None => Ok(Tz::UTC),
    }
}

/// Browser and operating system from a user agent. Unknown ones are omitted.
fn browser(view: &View, user_agent: &str) -> String {
    // The first match counts, since most user agents also name other browsers.
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

pub(crate) async fn end_others(visit: Visit) -> Answered {
    visit.people().end_sessions(&visit.token, None).await?;
    Ok(see_other("/dashboard/account/sessions?done=ended"))
}

pub(crate) async fn end(visit: Visit) -> Answered {
    let id: SessionId = visit.id("session_id")?;
    visit.people().end_sessions(&visit.token, Some(id)).await?;
    Ok(see_other("/dashboard/account/sessions?done=ended"))
}
