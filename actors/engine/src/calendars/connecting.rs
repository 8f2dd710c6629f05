//! Checks a calendar before it is connected or gets a new address or new credentials. The service reads the
//! calendar once. If it cannot be read, the change is refused.

use domain::{
    CalendarError, CalendarFault, CalendarId, CalendarKind, CalendarLogin, Host, ProblemCode, Refusal,
    Timestamp, WebhookUrl,
};

pub use super::reading::DiscoveredCalendar;
use super::reading::{Failure, Of, Readings, check_ics, discover};
use crate::business::BusinessHandle;
use crate::error::{EngineError, Result};

/// Hosts of Google. Google serves CalDAV only to programs that sign in with OAuth, so these hosts are refused.
const GOOGLE: [&str; 3] = ["apidata.googleusercontent.com", "www.google.com", "calendar.google.com"];

/// A calendar that a person wants to connect.
#[derive(Clone, Debug)]
pub struct CalendarInput {
    /// The connected calendar that is changed, or `None` for a new calendar. The check of a connected calendar waits
    /// until other requests to this calendar have ended, because the service sends only one request at a time to a
    /// calendar.
    pub id: Option<CalendarId>,
    pub kind: CalendarKind,
    pub url: String,
    pub login: Option<CalendarLogin>,
    /// The address for which a person entered the password of `login`. `None` means `url`. The password is sent only to
    /// the origin of this address. If `url` has another origin, the person must enter the password again.
    pub password_of: Option<WebhookUrl>,
    /// The address of the calendar on the CalDAV server. Required for [`CalendarKind::Caldav`].
    pub collection: Option<String>,
}

/// A calendar that [`BusinessHandle::check_calendar`] has read.
#[derive(Clone, Debug)]
pub struct CheckedCalendar {
    pub url: WebhookUrl,
    pub collection: Option<WebhookUrl>,
    /// The name of the calendar on the server.
    pub name: String,
    pub server_addresses: Vec<String>,
}

impl BusinessHandle {
    /// Reads a calendar once. If this fails, the error is a [`Refusal::Invalid`] for `url`, `username`, `password` or
    /// `calendar`.
    pub async fn check_calendar(&self, input: CalendarInput) -> Result<CheckedCalendar> {
        let readings = &self.businesses.readings;
        let _permit = readings.checks.take(self.id).ok_or(EngineError::Overloaded)?;
        let url = parsed(readings, input.kind, &input.url)?;
        if input.password_of.is_some_and(|before| !url.has_origin_of(&before)) {
            return Err(Refusal::invalid("password", ProblemCode::Required).into());
        }
        match input.kind {
            CalendarKind::Ics => {
                let zone = self.business().await?.zone;
                let name = ics(readings, ((self.id, input.id), zone), &url, self.now()).await?;
                let name = name.unwrap_or_else(|| url.host().to_string());
                Ok(CheckedCalendar { url, collection: None, name, server_addresses: Vec::new() })
            }
            CalendarKind::Caldav => {
                let (Some(login), Some(collection)) = (&input.login, &input.collection) else {
                    return Err(Refusal::invalid("username", ProblemCode::Required).into());
                };
                let found = discover(&readings.web, (self.id, input.id), &url, login).await;
                let found = found.map_err(failed)?;
                let chosen = found.calendars.into_iter().find(|it| it.url.as_str() == collection);
                let chosen = chosen.ok_or_else(|| Refusal::invalid("calendar", ProblemCode::NoCollection))?;
                let (collection, server_addresses) = (Some(chosen.url), found.addresses);
                Ok(CheckedCalendar { url, collection, name: chosen.name, server_addresses })
            }
        }
    }
}

impl BusinessHandle {
    /// Lists the calendars of an account on a CalDAV server. If this fails, the error is a [`Refusal::Invalid`] for
    /// `url` or `username`.
    pub async fn discover_calendars(
        &self,
        url: &str,
        login: &CalendarLogin,
    ) -> Result<Vec<DiscoveredCalendar>> {
        let readings = &self.businesses.readings;
        let _permit = readings.checks.take(self.id).ok_or(EngineError::Overloaded)?;
        let url = parsed(readings, CalendarKind::Caldav, url)?;
        Ok(discover(&readings.web, (self.id, None), &url, login).await.map_err(failed)?.calendars)
    }
}

/// Returns the error after a failed request to a CalDAV server.
fn failed(failure: Failure) -> EngineError {
    match failure {
        Failure::NotMade => EngineError::Overloaded,
        Failure::Calendar(error) if error.code == CalendarFault::Credentials => refused("username", error),
        Failure::Calendar(error) => refused("url", error),
    }
}

fn parsed(readings: &Readings, kind: CalendarKind, text: &str) -> Result<WebhookUrl> {
    let url = readings.web.parse(text).map_err(|refusal| Refusal::invalid("url", refusal))?;
    let is_google = matches!(url.host(), Host::Name(name) if GOOGLE.contains(&name.as_str()));
    if kind == CalendarKind::Caldav && is_google {
        return Err(Refusal::invalid("url", ProblemCode::GoogleCaldav).into());
    }
    Ok(url)
}

fn refused(path: &str, error: CalendarError) -> EngineError {
    Refusal::invalid(path, ProblemCode::Calendar(error)).into()
}

async fn ics(
    readings: &Readings,
    (of, zone): (Of, chrono_tz::Tz),
    url: &WebhookUrl,
    now: Timestamp,
) -> Result<Option<String>> {
    check_ics(readings, (of, zone), url, now).await.map_err(|failure| match failure {
        Failure::NotMade => EngineError::Overloaded,
        Failure::Calendar(error) => refused("url", error),
    })
}
