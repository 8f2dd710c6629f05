//! Requests to calendar servers.
//!
//! Invariants:
//!
//! - A calendar gets at most one request at a time, and a host at most 4. The requests that check new settings count
//!   too. Further requests wait in the order of their arrival.
//! - Credentials are sent only to the origin that a person entered. Credentials for iCloud are also sent to
//!   the other servers of iCloud, which have the same accounts.
//! - The target of a redirect is checked like an address that a person enters, and must not be private, so no server
//!   can redirect a request to a private address.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use domain::{
    BusinessId, CalendarError, CalendarFault, CalendarId, CalendarLogin, Host, UrlRefusal, WebhookUrl,
};
use net::{Fetch, FetchClient, FetchFailure, Fetched, Ports, Reach, Share, Shares};
use parking_lot::RwLock;
use tokio::sync::Semaphore;
use tokio::time::timeout;

const REDIRECTS_MAX: usize = 3;
const ICLOUD: &str = "caldav.icloud.com";
const ICLOUD_SERVERS: &str = ".icloud.com";
/// The maximum number of threads that parse responses and expand recurrences: in total, and per business.
const THREADS_MAX: usize = 2;
const THREADS_PER_BUSINESS_MAX: usize = 1;
/// The maximum time for which work waits for a thread.
const THREAD_WAIT_MAX: Duration = Duration::from_secs(60);
/// The maximum numbers of simultaneous requests: in total, and to one host.
pub(super) const REQUESTS_MAX: usize = 256;
pub(super) const REQUESTS_PER_HOST_MAX: usize = 4;
/// The maximum duration of each wait of a request: the wait for other requests to the same calendar, and the later wait
/// for other requests to the same host.
const REQUEST_WAIT_MAX: Duration = Duration::from_secs(10);

/// The business that sends a request, and the calendar to which it sends the request. The calendar is `None` before it
/// is connected.
pub(crate) type Of = (BusinessId, Option<CalendarId>);

pub(crate) struct Web {
    client: FetchClient,
    /// The servers whose addresses may be private, as `host:port`.
    listed: RwLock<Arc<BTreeSet<String>>>,
    threads: Shares,
    calendars: Shares<CalendarId>,
    hosts: Shares<Host>,
    /// Whether the engine is simulated. In a simulation, the order of events must not depend on the speed of threads,
    /// so the calling task does the work itself.
    is_simulated: bool,
}

/// A failure of a request or a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Calendar(CalendarError),
    /// This machine lacked a resource or a network. The calendar did not cause the failure.
    NotMade,
}

impl From<CalendarFault> for Failure {
    fn from(code: CalendarFault) -> Self {
        Self::Calendar(code.into())
    }
}

pub(crate) struct WebRequest<'a> {
    pub(crate) of: Of,
    pub(crate) method: &'static str,
    pub(crate) url: &'a WebhookUrl,
    /// The address that a person has entered.
    pub(crate) entered: &'a WebhookUrl,
    /// If a login is given, a redirect to a server that must not get the login is refused. Without a login, redirects
    /// to other servers are followed.
    pub(crate) login: Option<&'a CalendarLogin>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Web {
    pub(crate) fn new(ports: &Ports, is_simulated: bool) -> Self {
        Self {
            client: FetchClient::new(ports, &ports.trust),
            listed: RwLock::default(),
            threads: Shares::new(THREADS_MAX, THREADS_PER_BUSINESS_MAX),
            calendars: Shares::new(Semaphore::MAX_PERMITS, 1),
            hosts: Shares::new(REQUESTS_MAX, REQUESTS_PER_HOST_MAX),
            is_simulated,
        }
    }

    /// Runs `work` on a separate thread, because it would block other tasks for too long. The work cannot be cancelled,
    /// so the caller must limit its duration.
    pub(crate) async fn on_thread<T: Send + 'static>(
        &self,
        of: BusinessId,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let thread = within(THREAD_WAIT_MAX, &self.threads, of).await?;
        let work = move || {
            let _thread = thread;
            work()
        };
        if self.is_simulated {
            tokio::task::yield_now().await;
            return Ok(work());
        }
        tokio::task::spawn_blocking(work).await.map_err(|_| CalendarFault::NotACalendar.into())
    }

    pub(crate) fn list(&self, servers: impl IntoIterator<Item = String>) {
        *self.listed.write() = Arc::new(servers.into_iter().map(|server| server.to_lowercase()).collect());
    }

    /// Parses an address that a person enters. `webcal` means `https`.
    pub(crate) fn parse(&self, text: &str) -> Result<WebhookUrl, UrlRefusal> {
        const WEBCAL: &str = "webcal://";
        let https = match text.get(..WEBCAL.len()) {
            Some(scheme) if scheme.eq_ignore_ascii_case(WEBCAL) => {
                &format!("https://{}", &text[WEBCAL.len()..])
            }
            _ => text,
        };
        let url = WebhookUrl::from_stored(https)?;
        if self.is_listed(&url) { Ok(url) } else { WebhookUrl::parse(https) }
    }

    fn is_listed(&self, url: &WebhookUrl) -> bool {
        self.listed.read().contains(&format!("{}:{}", url.host(), url.port()))
    }

    /// Sends a request and follows redirects. Returns the response and the address that sent it.
    pub(crate) async fn send(&self, request: WebRequest<'_>) -> Result<(WebhookUrl, Fetched), Failure> {
        let WebRequest { of: (of, calendar), method, entered, login, headers, body, .. } = request;
        let _turn = match calendar {
            Some(calendar) => Some(within(REQUEST_WAIT_MAX, &self.calendars, calendar).await?),
            None => None,
        };
        let (mut url, body) = (request.url.clone(), Bytes::from(body));
        let is_entered = url.has_origin_of(entered) && self.is_listed(&url);
        let mut reach = if is_entered { Reach::Listed } else { Reach::Public };
        for _ in 0..=REDIRECTS_MAX {
            let is_trusted = is_trusted(&url, entered);
            let mut headers = headers.clone();
            if let Some(login) = login {
                if !is_trusted {
                    let host = Some(url.host().to_string());
                    return Err(Failure::Calendar(CalendarError { code: CalendarFault::OtherHost, host }));
                }
                let pair = format!("{}:{}", login.username, login.password.reveal());
                headers.push(("authorization", format!("Basic {}", BASE64_STANDARD.encode(pair))));
            }
            let fetch = Fetch { of, method, url: url.clone(), headers, body: body.clone(), reach };
            let _place = within(REQUEST_WAIT_MAX, &self.hosts, url.host().clone()).await?;
            let response = self.client.fetch(fetch).await.map_err(|failure| match failure {
                FetchFailure::Unreachable => CalendarFault::Unreachable.into(),
                FetchFailure::Timeout => CalendarFault::Timeout.into(),
                FetchFailure::Tls => CalendarFault::Tls.into(),
                FetchFailure::TooLarge => CalendarFault::TooLarge.into(),
                FetchFailure::NotMade => Failure::NotMade,
            })?;
            let target = match response.status {
                301 | 302 | 303 | 307 | 308 => response.header("location"),
                _ => return Ok((url, response)),
            };
            url = match target.map(|target| url.join(target)) {
                Some(Ok(target)) => target,
                Some(Err(UrlRefusal::NotPublic)) => return Err(CalendarFault::Unreachable.into()),
                Some(Err(_)) | None => return Err(CalendarFault::ServerError.into()),
            };
            reach = Reach::Public;
        }
        Err(CalendarFault::ServerError.into())
    }
}

/// Waits for a permit (a [`Share`]) for the holder `of`. Fails if there is no permit within `time`.
async fn within<K: Eq + Hash>(time: Duration, shares: &Shares<K>, of: K) -> Result<Share, Failure> {
    timeout(time, shares.take(of, 1)).await.ok().flatten().ok_or(Failure::NotMade)
}

fn is_trusted(url: &WebhookUrl, entered: &WebhookUrl) -> bool {
    let is_icloud = |url: &WebhookUrl, of: fn(&str) -> bool| {
        url.port() == 443 && matches!(url.host(), Host::Name(name) if of(name))
    };
    url.has_origin_of(entered)
        || (is_icloud(entered, |name| name == ICLOUD)
            && is_icloud(url, |name| name.ends_with(ICLOUD_SERVERS)))
}

/// Returns the fault that a status means, or `None` for a status of success.
pub(super) fn fault(status: u16) -> Option<CalendarFault> {
    match status {
        200..=299 => None,
        401 => Some(CalendarFault::Credentials),
        403 => Some(CalendarFault::Forbidden),
        404 | 410 => Some(CalendarFault::NotFound),
        _ => Some(CalendarFault::ServerError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_sent_only_to_the_origin_and_within_icloud() {
        let url = |text: &str| WebhookUrl::parse(text).unwrap();
        for (target, entered, expected) in [
            ("https://dav.example.com/a", "https://dav.example.com/", true),
            ("https://dav.example.com:8443/", "https://dav.example.com/", false),
            ("https://other.example.com/", "https://dav.example.com/", false),
            ("https://p12-caldav.icloud.com/", "https://caldav.icloud.com/", true),
            ("https://p12-caldav.icloud.com:8443/", "https://caldav.icloud.com/", false),
            ("https://evilicloud.com/", "https://caldav.icloud.com/", false),
            ("https://p12-caldav.icloud.com/", "https://www.icloud.com/", false),
        ] {
            assert_eq!(is_trusted(&url(target), &url(entered)), expected, "{target} from {entered}");
        }
    }

    fn web() -> Web {
        let clock = Arc::new(crate::testing::WallClock::new());
        let random = Arc::new(crate::testing::Counting::default());
        Web::new(&Ports::with_clock_and_random(clock, random), false)
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_for_a_thread_ends_without_blaming_the_calendar() {
        let (web, of) = (web(), BusinessId::INSTALLATION);
        let thread = web.threads.take(of, 1).await;
        assert_eq!(web.on_thread(of, || ()).await, Err(Failure::NotMade));
        drop(thread);
        assert_eq!(web.on_thread(of, || ()).await, Ok(()));
    }

    #[test]
    fn webcal_means_https_and_only_listed_servers_may_be_internal() {
        let web = web();
        assert_eq!(web.parse("WebCal://a.example/x.ics").unwrap().as_str(), "https://a.example/x.ics");
        assert_eq!(web.parse("http://a.example/"), Err(UrlRefusal::NotHttps));
        assert_eq!(web.parse("https://radicale.local:5232/"), Err(UrlRefusal::NotPublic));
        web.list(["Radicale.local:5232".into()]);
        assert!(web.parse("https://radicale.local:5232/").is_ok());
        assert_eq!(web.parse("https://radicale.local/"), Err(UrlRefusal::NotPublic), "another port");
    }
}
