//! The guard: no webhook goes anywhere but to the public internet.
//!
//! # The threat
//!
//! Whoever holds a key of a business names the URLs that this service posts to, and the service runs inside somebody's
//! network. So such a caller, or whoever runs the receiver or its name server, may try to make the service reach what
//! only it can reach, to learn what is there, or to use it up. How each way is met:
//!
//! | The way | What meets it |
//! |---|---|
//! | a URL that names an internal address, in whatever spelling | [`WebhookUrl`] judges what the parser made of it, never the text |
//! | a name of the inside: `localhost`, `metadata.google.internal` | refused by [`WebhookUrl`] before resolving |
//! | a public name with an internal address, alone or among public ones | [`Guard::check`]: **every** address must be public |
//! | a name that changes after it was saved | checked afresh on every delivery |
//! | a name that changes between the check and the dialling | resolved once an attempt; what was checked is dialled, by address |
//! | a connection that ends up elsewhere | the peer's address is compared with the checked one after connecting |
//! | an open connection of the time before the name changed | used again only if the fresh answer still holds its peer |
//! | search domains of the machine | names are resolved as absolute |
//! | a redirect to the inside | never followed; a failure |
//! | a proxy from the environment | none is ever used |
//! | a receiver that poses as another | TLS always, the certificate always verified for the URL's host, each time anew |
//! | an answer that is slow, endless or huge | one deadline; bounds on the head, its headers and the body ([client](super::client)) |
//! | an answer that grows when it is unpacked | never unpacked; no encoding is asked for |
//! | slow or silent name servers that hold up the look-ups of others | a look-up takes no thread, ends when it is dropped, and waits for no other; beyond a bound it is no failure of the host ([resolver](super::resolver)) |
//! | names that nobody answers, to make the service think itself cut off and hold all webhooks back | whether it is, only names tell that nobody owns ([outage](super::outage)) |
//! | error messages that tell what is inside | one phrase, [`NOT_PUBLIC`], whether the name is unknown or leads inside; the log says more |
//!
//! No switch turns this off. Tests reach a receiver of their own through the ports: the name resolves to a public
//! address, which is checked as always, and the test's dialer connects it to the receiver.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tracing::Level;

use super::address::is_public;
use super::log_throttle::LogThrottle;
use super::outage::{Lack, Network};
use super::shortage::is_ours;
use super::url::{Host, NOT_PUBLIC, WebhookUrl};

/// So long may a host take to resolve.
pub const RESOLVE_TIME_MAX: Duration = Duration::from_secs(8);

/// Decides where a webhook may go. Cheap to clone.
#[derive(Clone)]
pub struct Guard {
    network: Network,
    warned: Arc<LogThrottle<Host>>,
}

/// For what a host is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A URL that somebody wants to save.
    Save,
    /// An attempt to deliver, or a test.
    Attempt,
}

/// Why nothing goes to a host. It displays as what callers are told, which is the same for everything that is about the
/// host; the log has the reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuardError {
    /// The host could not be resolved.
    #[error("{NOT_PUBLIC}")]
    Unresolved(#[source] io::Error),
    /// The name has no address.
    #[error("{NOT_PUBLIC}")]
    NoAddress,
    /// The name server did not answer in time.
    #[error("{NOT_PUBLIC}")]
    TooSlow,
    /// An address of it is not public.
    #[error("{NOT_PUBLIC}")]
    Internal(IpAddr),
    /// Nothing is known of the host: this service lacked what it takes to look it up.
    #[error("this service is short of resources")]
    Short(#[source] io::Error),
    /// Nothing is known of the host: this service has no network.
    #[error("this service is cut off")]
    Out(Lack),
}

impl Guard {
    /// A guard that resolves names in this network.
    pub fn new(network: Network) -> Self {
        Self { network, warned: Arc::default() }
    }

    /// Resolves the host of a URL and gives its addresses, all of them public. To be asked when a URL is saved and
    /// before every delivery; an answer is never kept.
    ///
    /// # Errors
    /// When it does not resolve, or any of its addresses is not public. The reason is in the log already.
    pub async fn check(&self, url: &WebhookUrl, asker: Asker) -> Result<Vec<SocketAddr>, GuardError> {
        let checked =
            self.resolve(url.host(), asker).await.and_then(|addresses| all_public(&addresses, url.port()));
        if let Err(refused) = &checked {
            log(level(refused, asker, || self.warned.is_due(url.host())), url.host(), refused);
        }
        checked
    }

    async fn resolve(&self, host: &Host, asker: Asker) -> Result<Vec<IpAddr>, GuardError> {
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
            // On a machine that may have no name server at all, a name that it does not know is no name.
            (Some(lack), _) if asker == Asker::Attempt || self.network.had_names() => {
                Err(GuardError::Out(lack))
            }
            (_, Ok(Ok(addresses))) => Ok(addresses),
            (_, Ok(Err(error))) if is_ours(&error) => Err(GuardError::Short(error)),
            (_, Ok(Err(error))) => Err(GuardError::Unresolved(error)),
            (_, Err(_)) => Err(GuardError::TooSlow),
        }
    }
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Guard")
    }
}

/// The addresses to dial, each once, in the order given, if every one is public.
fn all_public(addresses: &[IpAddr], port: u16) -> Result<Vec<SocketAddr>, GuardError> {
    if let Some(internal) = addresses.iter().find(|address| !is_public(**address)) {
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

/// How loudly a refusal is told of. A save is made by somebody who may ask why; a delivery tells its log, and a dead
/// name is refused as often as an event waits for it.
fn level(refused: &GuardError, asker: Asker, is_due: impl FnOnce() -> bool) -> Level {
    match (refused, asker) {
        (GuardError::Internal(_), _) => {
            if is_due() {
                Level::WARN
            } else {
                Level::DEBUG
            }
        }
        (_, Asker::Save) => Level::INFO,
        (_, Asker::Attempt) => Level::DEBUG,
    }
}

fn log(level: Level, host: &Host, refused: &GuardError) {
    let (why, address, error) = match refused {
        GuardError::Internal(address) => {
            ("resolves to an address that is not public, and is refused", Some(address), None)
        }
        GuardError::Unresolved(error) => ("does not resolve", None, Some(error)),
        GuardError::NoAddress => ("has no address", None, None),
        GuardError::TooSlow => ("does not resolve in time", None, None),
        GuardError::Short(error) => ("cannot be looked up for a lack of our own", None, Some(error)),
        GuardError::Out(_) => ("cannot be looked up, for this service is cut off", None, None),
    };
    let address = address.map(tracing::field::display);
    let error = error.map(tracing::field::display);
    macro_rules! say {
        ($level:ident) => {
            tracing::$level!(webhook.host = %host, webhook.address = address, error, "a webhook's host {why}")
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
        Guard::new(Network::new(Arc::new(dns), Arc::new(FakeNet::default())))
    }

    async fn check(answer: &[&str], url: &str) -> Result<Vec<SocketAddr>, GuardError> {
        let dns = FakeDns::default();
        dns.set("hook.example.com", answer);
        guard(dns).check(&WebhookUrl::parse(url).unwrap(), Asker::Save).await
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
    async fn a_host_that_does_not_resolve_is_refused_in_the_same_words() {
        for url in ["https://hook.example.com/", "https://unknown.example.com/"] {
            assert_eq!(check(&[], url).await.unwrap_err().to_string(), NOT_PUBLIC);
        }
    }

    #[tokio::test]
    async fn a_lack_of_our_own_says_nothing_of_the_host() {
        let dns = FakeDns::default();
        dns.fail("hook.example.com", 24);
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        let refused = guard(dns).check(&url, Asker::Attempt).await.unwrap_err();
        assert!(matches!(refused, GuardError::Short(_)));
        assert_ne!(refused.to_string(), NOT_PUBLIC);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_network_nothing_is_said_of_a_host() {
        let (dns, net) = (Arc::new(FakeDns::default()), Arc::new(FakeNet::default()));
        let guard = Guard::new(Network::new(dns.clone(), net.clone()));
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        dns.set_silent(true);
        // A machine on which no name server has ever answered may have none.
        let refused = guard.check(&url, Asker::Save).await.unwrap_err();
        assert!(
            matches!(&refused, GuardError::Unresolved(_)) && refused.to_string() == NOT_PUBLIC,
            "{refused:?}"
        );
        let refused = guard.check(&url, Asker::Attempt).await.unwrap_err();
        assert!(matches!(refused, GuardError::Out(Lack::NameServer)), "{refused:?}");
        dns.set_silent(false);
        dns.set("hook.example.com", &["93.184.216.34"]);
        guard.check(&url, Asker::Save).await.unwrap();
        dns.set_silent(true);
        let refused = guard.check(&url, Asker::Save).await.unwrap_err();
        assert!(matches!(refused, GuardError::Out(Lack::NameServer)), "{refused:?}");
        assert_ne!(refused.to_string(), NOT_PUBLIC);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_does_not_resolve_in_time_is_refused() {
        let dns = FakeDns::default();
        dns.hang("hook.example.com");
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        let start = tokio::time::Instant::now();
        let refused = guard(dns).check(&url, Asker::Attempt).await.unwrap_err();
        assert!(matches!(refused, GuardError::TooSlow));
        assert_eq!(start.elapsed(), RESOLVE_TIME_MAX);
    }

    #[test]
    fn a_name_that_is_dead_or_leads_inside_does_not_fill_the_log() {
        use Asker::{Attempt, Save};
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
    async fn a_host_that_leads_inside_is_warned_of_once_a_minute() {
        let dns = FakeDns::default();
        dns.set("hook.example.com", &["10.0.0.1"]);
        let guard = guard(dns);
        let url = WebhookUrl::parse("https://hook.example.com/").unwrap();
        assert!(guard.check(&url, Asker::Attempt).await.is_err());
        assert!(!guard.warned.is_due(url.host()), "it was warned of just now");
    }
}
