//! Checks the addresses of a server before a request is sent to it. Webhooks are sent only to public addresses.
//! Requests for calendars are sent only to public addresses and to the servers that the operator has listed.
//!
//! # The threat
//!
//! A holder of a business's API key chooses URLs. This service sends requests to them from inside the network of its
//! operator. The holder, the receiver or its name server may try to reach internal hosts, to learn about them, or to
//! exhaust the service:
//!
//! | Attack | Defence |
//! |---|---|
//! | a URL with an internal address in any spelling | [`WebhookUrl`] checks the parsed host and not the text |
//! | an internal name: `localhost`, `metadata.google.internal` | [`WebhookUrl`] refuses it before it is resolved |
//! | a public name with an internal address, alone or among public ones | [`Guard::check`]: **every** address must be public |
//! | a name that gets other addresses after the URL was saved | every attempt resolves and checks the name again |
//! | a name that gets other addresses after the check | an attempt resolves once and uses the checked addresses |
//! | a connection to another address | the peer's address is compared with the checked address |
//! | a pooled connection to a former address of the name | reused only if the new DNS answer has the peer's address |
//! | a name that becomes internal with a search domain of the machine | names are resolved without search domains |
//! | a redirect to an internal host | never followed; it counts as a failure |
//! | a proxy from the environment | never used |
//! | a receiver with a false identity | TLS always; each connection verifies the certificate for the URL's host |
//! | a slow, endless or huge response | one deadline; bounds on the head, its headers and the body ([client](super::client)) |
//! | a response that grows when it is decompressed | never decompressed; no encoding is requested |
//! | slow or silent name servers that delay other lookups | a lookup uses no thread, ends when dropped and does not wait for other lookups; if too many lookups are running, a further lookup fails and counts as a local shortage of resources ([resolver](super::resolver)) |
//! | names whose name servers do not answer, to simulate an outage of this machine's name server (an outage pauses all webhooks) | no outage begins if a query for the DNS root gets an answer ([outage](super::outage)) |
//! | error messages that reveal internal hosts | one phrase, [`NOT_PUBLIC`], for unknown and internal names; the log has the reason |
//!
//! No setting disables the guard. In tests, a name resolves to a public address, and the test's dialer
//! connects this address to the receiver.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use domain::{Host, NOT_PUBLIC, WebhookUrl, is_listed_address, is_public};
use tokio::time::timeout;
use tracing::Level;

use super::log_throttle::LogThrottle;
use super::outage::{Lack, Network};
use super::shortage::is_ours;

pub const RESOLVE_TIME_MAX: Duration = Duration::from_secs(8);

#[derive(Clone)]
pub struct Guard {
    purpose: Purpose,
    network: Network,
    warned: Arc<LogThrottle<Host>>,
}

/// The kind of requests that a guard checks. It appears in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Webhook,
    Calendar,
    Model,
}

impl std::fmt::Display for Purpose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Webhook => "webhook",
            Self::Calendar => "calendar",
            Self::Model => "model's server",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupStage {
    Save,
    Attempt,
}

/// The addresses that a request may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Public,
    /// For a host that the operator has listed in the settings: the addresses that [`is_listed_address`] allows,
    /// including private addresses.
    Listed,
}

impl Reach {
    fn includes(self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::Listed => is_listed_address(address),
        }
    }
}

/// An error of the guard. All errors that concern a host have the same text. Only the log contains the reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuardError {
    #[error("{NOT_PUBLIC}")]
    Unresolved(#[source] io::Error),
    #[error("{NOT_PUBLIC}")]
    NoAddress,
    #[error("{NOT_PUBLIC}")]
    TooSlow,
    #[error("{NOT_PUBLIC}")]
    Internal(IpAddr),
    /// The check failed because of a shortage on this machine. The host may be public.
    #[error("this service is short of resources")]
    Short(#[source] io::Error),
    /// The check failed because this machine has no working network. The host may be public.
    #[error("this service has no working network")]
    Out(Lack),
}

impl Guard {
    pub fn new(purpose: Purpose, network: Network) -> Self {
        Self { purpose, network, warned: Arc::default() }
    }

    /// Resolves the host of a URL and checks its addresses. The service calls this function when the URL is saved and
    /// before every attempt. Nothing is cached.
    ///
    /// # Errors
    /// Returns an error if the host does not resolve, or if one of its addresses is not public.
    pub async fn check(&self, url: &WebhookUrl, asker: LookupStage) -> Result<Vec<SocketAddr>, GuardError> {
        self.check_within(url, asker, Reach::Public).await
    }

    /// Like [`Self::check`], but the allowed addresses are those within `reach`.
    pub async fn check_within(
        &self,
        url: &WebhookUrl,
        asker: LookupStage,
        reach: Reach,
    ) -> Result<Vec<SocketAddr>, GuardError> {
        self.check_host((url.host(), url.port()), asker, reach).await
    }

    /// Like [`Self::check_within`], but for a host and a port instead of a URL.
    pub async fn check_host(
        &self,
        (host, port): (&Host, u16),
        asker: LookupStage,
        reach: Reach,
    ) -> Result<Vec<SocketAddr>, GuardError> {
        let checked = self.resolve(host, asker).await;
        let checked = checked.and_then(|addresses| all_within(&addresses, port, reach));
        if let Err(refused) = &checked {
            let level = level(refused, asker, || self.warned.is_due(host));
            log(level, self.purpose, host, refused);
        }
        checked
    }

    async fn resolve(&self, host: &Host, asker: LookupStage) -> Result<Vec<IpAddr>, GuardError> {
        let name = match host {
            Host::Ip(address) => return Ok(vec![*address]),
            Host::Name(name) => name,
        };
        let answer = timeout(RESOLVE_TIME_MAX, self.network.resolver().resolve(name)).await;
        let lack = match &answer {
            Ok(Err(error)) if is_ours(error) => None,
            answer => self.network.judge_lookup(name, answer.as_ref().ok()),
        };
        match (lack, answer) {
            // When a URL is being saved, a failed lookup is reported as an outage only if a name server has ever
            // returned an address. If no name server has ever returned an address, this machine may have no name server
            // at all. The URL is then refused because its host cannot be resolved.
            (Some(lack), _) if asker == LookupStage::Attempt || self.network.had_names() => {
                Err(GuardError::Out(lack))
            }
            (_, Ok(Ok(addresses))) => Ok(addresses),
            (_, Ok(Err(error))) if is_ours(&error) => Err(GuardError::Short(error)),
            (_, Ok(Err(error))) => Err(GuardError::Unresolved(error)),
            (_, Err(_)) => Err(GuardError::TooSlow),
        }
    }
}

/// Returns the addresses with this port, without duplicates.
///
/// # Errors
/// Returns an error if there is no address, or if one of them is not within `reach`.
fn all_within(addresses: &[IpAddr], port: u16, reach: Reach) -> Result<Vec<SocketAddr>, GuardError> {
    if let Some(internal) = addresses.iter().find(|address| !reach.includes(**address)) {
        return Err(GuardError::Internal(*internal));
    }
    let mut targets = Vec::with_capacity(addresses.len());
    for address in addresses {
        let target = SocketAddr::new(*address, port);
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    if targets.is_empty() { Err(GuardError::NoAddress) } else { Ok(targets) }
}

/// Returns the level at which a refusal is logged:
///
/// - The refusal of an internal address is a warning, at most once a minute for each host. Further refusals in the same
///   minute are logged at the debug level.
/// - Any other refusal is logged at the info level when a URL is saved, and at the debug level before an attempt. The
///   info level would repeat the refusal for each waiting event, and the delivery log already contains the refusal.
fn level(refused: &GuardError, asker: LookupStage, is_due: impl Fn() -> bool) -> Level {
    match (refused, asker) {
        (GuardError::Internal(_), _) if is_due() => Level::WARN,
        (GuardError::Internal(_), _) | (_, LookupStage::Attempt) => Level::DEBUG,
        (_, LookupStage::Save) => Level::INFO,
    }
}

fn log(level: Level, purpose: Purpose, host: &Host, refused: &GuardError) {
    let (why, address, error) = match refused {
        GuardError::Internal(address) => {
            ("resolves to an address that is not public, and is refused", Some(address), None)
        }
        GuardError::Unresolved(error) => ("does not resolve", None, Some(error)),
        GuardError::NoAddress => ("has no address", None, None),
        GuardError::TooSlow => ("does not resolve in time", None, None),
        GuardError::Short(error) => ("is not resolved: this service lacks resources", None, Some(error)),
        GuardError::Out(_) => ("is not resolved: this service has no network", None, None),
    };
    let address = address.map(tracing::field::display);
    let error = error.map(tracing::field::display);
    macro_rules! say {
        ($level:ident) => {
            tracing::$level!(server.host = %host, server.address = address, error, "the host of a {purpose} {why}")
        };
    }
    match level {
        Level::WARN => say!(warn),
        Level::INFO => say!(info),
        _ => say!(debug),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FakeDns, FakeNet};
    use super::*;

    fn guard(dns: FakeDns) -> Guard {
        Guard::new(Purpose::Webhook, Network::new(Arc::new(dns), Arc::new(FakeNet::default())))
    }

    async fn check(answer: &[&str], url: &str) -> Result<Vec<SocketAddr>, GuardError> {
        let dns = FakeDns::default();
        dns.set("hook.example.com", answer);
        guard(dns).check(&WebhookUrl::parse(url).unwrap(), LookupStage::Save).await
    }

    #[tokio::test]
    async fn a_host_with_public_addresses_only_passes_with_all_of_them() {
        let answer = ["93.184.216.34", "2606:4700::1111", "93.184.216.34"];
        let targets = check(&answer, "https://hook.example.com:8443/").await.unwrap();
        assert_eq!(targets, ["93.184.216.34:8443", "[2606:4700::1111]:8443"].map(|a| a.parse().unwrap()));
        let literal = check(&[], "https://[2606:4700::1111]/").await.unwrap();
        assert_eq!(literal, ["[2606:4700::1111]:443".parse().unwrap()]);
    }

    #[tokio::test]
    async fn one_address_that_is_not_public_refuses_the_host() {
        for internal in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:8.8.8.8", "fd00::1"] {
            for answer in [vec![internal], vec!["93.184.216.34", internal], vec![internal, "93.184.216.34"]] {
                let refused = check(&answer, "https://hook.example.com/").await.unwrap_err();
                assert!(matches!(refused, GuardError::Internal(_)), "{answer:?}");
                assert_eq!(refused.to_string(), NOT_PUBLIC);
            }
        }
    }

    #[tokio::test]
    async fn a_listed_server_may_have_a_private_address_but_no_metadata_address() {
        let dns = FakeDns::default();
        let guard = guard(dns);
        for (url, is_allowed) in [
            ("https://10.0.0.1/", true),
            ("https://[fd00::1]/", true),
            ("https://127.0.0.1/", true),
            ("https://93.184.216.34/", true),
            ("https://169.254.169.254/", false),
            ("https://100.100.100.200/", false),
            ("https://[fd00:ec2::254]/", false),
            ("https://[fe80::1]/", false),
            ("https://0.0.0.0/", false),
        ] {
            let url = WebhookUrl::from_stored(url).unwrap();
            assert_eq!(
                guard.check_within(&url, LookupStage::Save, Reach::Listed).await.is_ok(),
                is_allowed,
                "{url:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_host_that_does_not_resolve_is_refused_in_the_same_words() {
        for url in ["https://hook.example.com/", "https://unknown.example.com/"] {
            assert_eq!(check(&[], url).await.unwrap_err().to_string(), NOT_PUBLIC);
        }
    }

    #[tokio::test]
    async fn a_local_shortage_is_not_a_fault_of_the_host() {
        let dns = FakeDns::default();
        dns.fail("hook.example.com", 24);
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        let refused = guard(dns).check(&url, LookupStage::Attempt).await.unwrap_err();
        assert!(matches!(refused, GuardError::Short(_)));
        assert_ne!(refused.to_string(), NOT_PUBLIC);
    }

    #[tokio::test(start_paused = true)]
    async fn a_local_outage_is_not_a_fault_of_the_host() {
        let (dns, net) = (Arc::new(FakeDns::default()), Arc::new(FakeNet::default()));
        let guard = Guard::new(Purpose::Webhook, Network::new(dns.clone(), net.clone()));
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        dns.set_silent(true);
        // No name server has answered so far, so the machine may have none.
        let refused = guard.check(&url, LookupStage::Save).await.unwrap_err();
        assert!(
            matches!(&refused, GuardError::Unresolved(_)) && refused.to_string() == NOT_PUBLIC,
            "{refused:?}"
        );
        let refused = guard.check(&url, LookupStage::Attempt).await.unwrap_err();
        assert!(matches!(refused, GuardError::Out(Lack::NameServer)), "{refused:?}");
        dns.set_silent(false);
        dns.set("hook.example.com", &["93.184.216.34"]);
        guard.check(&url, LookupStage::Save).await.unwrap();
        dns.set_silent(true);
        let refused = guard.check(&url, LookupStage::Save).await.unwrap_err();
        assert!(matches!(refused, GuardError::Out(Lack::NameServer)), "{refused:?}");
        assert_ne!(refused.to_string(), NOT_PUBLIC);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_does_not_resolve_in_time_is_refused() {
        let dns = FakeDns::default();
        dns.hang("hook.example.com");
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        let start = tokio::time::Instant::now();
        let refused = guard(dns).check(&url, LookupStage::Attempt).await.unwrap_err();
        assert!(matches!(refused, GuardError::TooSlow));
        assert_eq!(start.elapsed(), RESOLVE_TIME_MAX);
    }

    #[test]
    fn unresolved_and_internal_names_do_not_fill_the_log() {
        use LookupStage::{Attempt, Save};
        let unresolved = GuardError::Unresolved(io::ErrorKind::NotFound.into());
        let short = GuardError::Short(io::Error::from_raw_os_error(24));
        for refused in
            [unresolved, GuardError::NoAddress, GuardError::TooSlow, short, GuardError::Out(Lack::Route)]
        {
            assert_eq!(level(&refused, Save, || true), Level::INFO, "{refused:?}");
            assert_eq!(level(&refused, Attempt, || true), Level::DEBUG, "{refused:?}");
        }
        let internal = GuardError::Internal([10, 0, 0, 1].into());
        for asker in [Save, Attempt] {
            assert_eq!(level(&internal, asker, || true), Level::WARN);
            assert_eq!(level(&internal, asker, || false), Level::DEBUG);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_internal_address_is_logged_as_a_warning_once_a_minute() {
        let dns = FakeDns::default();
        dns.set("hook.example.com", &["10.0.0.1"]);
        let guard = guard(dns);
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        assert!(guard.check(&url, LookupStage::Attempt).await.is_err());
        assert!(!guard.warned.is_due(url.host()), "the host was logged a moment ago");
    }
}
