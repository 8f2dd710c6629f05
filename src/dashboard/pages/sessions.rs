//! The list of a person's sessions, with buttons to end them.

use chrono_tz::Tz;
use domain::{Session, SessionId};

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/sessions.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    done: String,
    zone: String,
    sessions: Vec<Row>,
}

struct Row {
    id: SessionId,
    /// Browser and operating system, if the user agent names them.
    browser: String,
    detail: String,
    /// Whether this is the session of the request.
    own: bool,
}

/// Shows the sessions, the current one first.
pub(crate) async fn show(visit: Visit) -> Answered {
    let (view, zone) = (visit.view(), zone(&visit).await?);
    let now = visit.desk.engine.now();
    let own = visit.signed_in.session.id;
    let mut sessions: Vec<&Session> =
        visit.signed_in.person.sessions.iter().filter(|session| session.is_good(now)).collect();
    sessions.sort_by_key(|session| (session.id != own, std::cmp::Reverse(session.last_used_at)));
    let shown = Page {
        sheet: visit.own_sheet().await?,
        done: visit.done(&[("ended", "sessions-ended")]),
        zone: zone.name().to_owned(),
        sessions: sessions.into_iter().map(|session| row(&view, zone, session, own)).collect(),
    };
    page(&shown)
}

fn row(view: &View, zone: Tz, session: &Session, own: SessionId) -> Row {
    let since = view.words.short_moment(session.created_at, zone);
    let used = view.words.short_moment(session.last_used_at, zone);
    let address = session.client.address.as_deref().unwrap_or("–");
    let values = [("address", address), ("since", &since), ("used", &used)];
    let values = values.map(|(name, text)| (name, Value::Text(text)));
    let detail = view.words.say(if session.id == own { "session-own" } else { "session-other" }, &values);
    Row { id: session.id, browser: browser(view, &session.client.user_agent), detail, own: session.id == own }
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
        (Some(browser), Some(system)) => {
            let values = [("browser", Value::Text(browser)), ("system", Value::Text(system))];
            view.words.say("browser-on", &values)
        }
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
