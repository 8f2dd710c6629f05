//! `GET /calendar/{token}.ics`: the appointments of a staff member or a business, for calendar services.
//!
//! Invariants:
//!
//! - The content depends only on the appointments and the names in them. So the entity tag changes only if an
//!   appointment or a name changes.
//! - A request without the token of a feed counts only towards the rate limit of its client address.
//! - A token is never logged, and is not in the labels of the metrics.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{BusinessId, FeedDetail, FeedId, Locale, Named, Refusal};
use engine::Engine;
use engine::calendars::feeds::{FeedToken, LiveFeed};
use view::AppointmentView;

use super::ics::{self, Event};
use crate::api::KeyGate;
use crate::http::etag;
use crate::http::router::{self, Noted, caught};
use crate::rate_limit::{Limit, Verdict};
use crate::rest::error::ApiError;

/// The path of the feeds in logs and metrics.
pub(crate) const PATH: &str = "/calendar/{token}.ics";
const FOLDER: &str = "/calendar/";
const SUFFIX: &str = ".ics";
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("text/calendar; charset=utf-8");
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("private, no-cache");
/// The maximum number of requests for a feed in one calendar minute.
const REQUESTS: u32 = 60;

struct Feeds {
    engine: Engine,
    /// Counts a request with a wrong token towards the rate limit of its client address.
    keys: Arc<KeyGate>,
    requests: Limit<FeedId>,
}

pub(crate) fn router(engine: Engine, keys: Arc<KeyGate>) -> Router {
    let feeds = Arc::new(Feeds { engine, keys, requests: Limit::new(REQUESTS) });
    router::named("/calendar/{file}", PATH, move |request| serve(Arc::clone(&feeds), request))
}

async fn serve(feeds: Arc<Feeds>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::MethodNotAllowed("GET, HEAD", "").into_response();
    }
    let file = request.uri().path().strip_prefix(FOLDER);
    let token = file.and_then(|file| file.strip_suffix(SUFFIX)).and_then(FeedToken::parse);
    let found = match token {
        Some(token) => caught(async { Ok(feeds.engine.live_feed(&token).await?) }).await,
        None => Ok(None),
    };
    let live = match found {
        Ok(Some(live)) => live,
        Ok(None) => {
            let unknown = Refusal::NotFound(Named::Feed).into();
            return feeds.keys.anonymous(&request, feeds.engine.now(), unknown);
        }
        Err(error) => return ApiError::into_response(error),
    };
    let answer = caught(feeds.answer(&live, request.headers())).await;
    let mut response = answer.unwrap_or_else(ApiError::into_response);
    let business = Some(live.business.id);
    response.extensions_mut().insert(Noted { business, ..Noted::default() });
    response
}

impl Feeds {
    async fn answer(&self, live: &LiveFeed, headers: &HeaderMap) -> Result<Response, ApiError> {
        match self.requests.count(live.feed.id, self.engine.now()) {
            Verdict::Within(_) => {}
            Verdict::Over(allowance) | Verdict::Unavailable(allowance) => {
                return Err(ApiError::RateLimited(allowance.seconds_left.unsigned_abs()));
            }
        }
        if live.business.suspended {
            return Err(ApiError::Forbidden);
        }
        let (staff, appointments) = self.engine.fetch_feed(live).await?;
        let content = content(live, staff, &appointments, self.engine.people().public_url().as_deref());
        let tag = view::etag(content.as_bytes());
        let tagged = [(header::ETAG, etag::header(&tag)), (header::CACHE_CONTROL, CACHE_CONTROL)];
        // A malformed `If-None-Match` is ignored, since calendar services would not show the error to a
        // person.
        if etag::is_known(headers, &tag).unwrap_or_default() {
            return Ok((StatusCode::NOT_MODIFIED, tagged).into_response());
        }
        Ok((tagged, [(header::CONTENT_TYPE, MEDIA_TYPE)], content).into_response())
    }
}

fn content(
    LiveFeed { feed, business }: &LiveFeed,
    staff: Option<String>,
    appointments: &[AppointmentView],
    public_url: Option<&str>,
) -> String {
    let name = match staff {
        Some(staff) => format!("{staff} · {}", business.name),
        None => business.name.clone(),
    };
    let pages = public_url.map(|url| pages(url, business.id));
    let event = |it| event(it, feed.detail, business.locale, pages.as_deref());
    ics::feed(&name, appointments.iter().map(event))
}

/// The common prefix of the dashboard URLs of a business's appointments.
pub(super) fn pages(public_url: &str, of: BusinessId) -> String {
    format!("{public_url}/dashboard/b/{of}/appointments")
}

/// The event of an appointment. `pages` is the common prefix of the dashboard URLs of the
/// appointments.
pub(super) fn event<'a>(
    appointment: &AppointmentView,
    detail: FeedDetail,
    locale: Locale,
    pages: Option<&str>,
) -> Event<'a> {
    let AppointmentView { id, service_name, staff_name, contact_name, contact_phone, .. } = appointment;
    let named = format!("{service_name} · {staff_name}");
    match detail {
        FeedDetail::Times => {
            let busy = match locale {
                Locale::En => "Busy",
                Locale::Fr => "Occupé",
            };
            Event::of(appointment, busy.into())
        }
        FeedDetail::Services => Event::of(appointment, named),
        FeedDetail::Contacts => {
            let summary = contact_name.iter().fold(named, |named, contact| format!("{named} · {contact}"));
            let url = pages.map(|pages| format!("{pages}/{id}"));
            let description = [contact_name, contact_phone, &url].into_iter().flatten().cloned().collect();
            let mut event = Event::of(appointment, summary);
            (event.description, event.url) = (description, url);
            event
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::AppointmentStatus;
    use view::{AppointmentParties, SomeAppointmentView};

    use super::super::ics::tests::appointment;
    use super::*;
    use crate::holidays::ics::{Event as Parsed, events};

    const PAGES: &str = "https://desk.example.com/dashboard/b/1/appointments";

    fn shown(status: AppointmentStatus) -> AppointmentView {
        let parties = AppointmentParties {
            timezone: "Europe/Paris",
            service_name: "Coupe, brushing; \\ 50 €",
            staff_name: "Camille",
            contact: None,
        };
        let mut shown = AppointmentView::new(&appointment(status), parties);
        shown.contact_name = Some("Zoé “Z”; Martin\r\nEND:VEVENT".into());
        shown.contact_phone = Some("+33612345678".into());
        shown
    }

    /// The content of a feed with one appointment, and the event that the service's own calendar parser reads from it.
    fn parsed(detail: FeedDetail, locale: Locale, status: AppointmentStatus) -> (String, Parsed) {
        let content = ics::feed("Camille · Salon", [event(&shown(status), detail, locale, Some(PAGES))]);
        let mut found = events(content.as_bytes()).unwrap();
        assert_eq!(found.len(), 1, "{content}");
        (content, found.remove(0))
    }

    fn text(event: &Parsed, name: &str) -> String {
        event.find(name).map(|property| property.text()).unwrap_or_default()
    }

    #[test]
    fn a_feed_is_a_calendar_without_method_people_and_alarms() {
        let (content, event) = parsed(FeedDetail::Contacts, Locale::Fr, AppointmentStatus::Confirmed);
        for line in [
            "BEGIN:VCALENDAR\r\n",
            "X-WR-CALNAME:Camille · Salon\r\n",
            "REFRESH-INTERVAL;VALUE=DURATION:PT15M\r\n",
        ] {
            assert!(content.contains(line), "{content}");
        }
        for name in ["METHOD", "ORGANIZER", "ATTENDEE", "VALARM"] {
            assert!(!content.contains(name), "{content}");
        }
        for (name, value) in [
            ("UID", "00000000-0000-0000-0000-000000000007@receptionist"),
            ("DTSTART", "20261124T133000Z"),
            ("DTEND", "20261124T141500Z"),
            ("DTSTAMP", "20261120T080004Z"),
            ("LAST-MODIFIED", "20261120T080004Z"),
            ("SEQUENCE", "3"),
            ("STATUS", "CONFIRMED"),
        ] {
            assert_eq!(event.word(name), value, "{name}");
        }
        let (_, event) = parsed(FeedDetail::Times, Locale::Fr, AppointmentStatus::Pending);
        assert_eq!(event.word("STATUS"), "TENTATIVE");
    }

    #[test]
    fn the_detail_of_a_feed_decides_what_its_events_contain() {
        let of = |detail, locale| parsed(detail, locale, AppointmentStatus::Confirmed).1;
        for (locale, busy) in [(Locale::En, "Busy"), (Locale::Fr, "Occupé")] {
            let event = of(FeedDetail::Times, locale);
            assert_eq!(text(&event, "SUMMARY"), busy);
            assert!(event.find("DESCRIPTION").is_none() && event.find("URL").is_none());
        }
        let event = of(FeedDetail::Services, Locale::Fr);
        assert_eq!(text(&event, "SUMMARY"), "Coupe, brushing; \\ 50 € · Camille");
        assert!(event.find("DESCRIPTION").is_none() && event.find("URL").is_none());
        let event = of(FeedDetail::Contacts, Locale::Fr);
        let contact = "Zoé “Z”; Martin END:VEVENT";
        assert_eq!(text(&event, "SUMMARY"), format!("Coupe, brushing; \\ 50 € · Camille · {contact}"));
        let link = format!("{PAGES}/00000000-0000-0000-0000-000000000007");
        assert_eq!(text(&event, "DESCRIPTION"), format!("{contact}\n+33612345678\n{link}"));
        assert_eq!(event.word("URL"), link);
    }

    #[test]
    fn an_empty_feed_is_a_calendar_without_events() {
        let content = ics::feed("Salon", []);
        assert!(events(content.as_bytes()).unwrap().is_empty(), "{content}");
    }
}
