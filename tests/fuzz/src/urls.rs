//! A fuzz target that compares the service's rules on webhook URLs and addresses with a second implementation.
//!
//! To decide whether an address is public, the second implementation compares it with the first and the last address of
//! each range in the registries. The service compares the prefix of the address instead.

use std::future::{Future, ready};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use domain::{Host, WebhookUrl, is_public};
use net::{Guard, LookupStage, Network, Purpose};
use ports::{BoxFuture, Resolver};

use super::requests::Unreachable;

/// The first and the last address of each range that is not public.
const NOT_PUBLIC_V4: [([u8; 4], [u8; 4]); 19] = [
    ([0, 0, 0, 0], [0, 255, 255, 255]),
    ([10, 0, 0, 0], [10, 255, 255, 255]),
    ([100, 64, 0, 0], [100, 127, 255, 255]),
    ([127, 0, 0, 0], [127, 255, 255, 255]),
    ([168, 63, 129, 16], [168, 63, 129, 16]),
    ([169, 254, 0, 0], [169, 254, 255, 255]),
    ([172, 16, 0, 0], [172, 31, 255, 255]),
    ([192, 0, 0, 0], [192, 0, 0, 255]),
    ([192, 0, 2, 0], [192, 0, 2, 255]),
    ([192, 31, 196, 0], [192, 31, 196, 255]),
    ([192, 52, 193, 0], [192, 52, 193, 255]),
    ([192, 88, 99, 0], [192, 88, 99, 255]),
    ([192, 168, 0, 0], [192, 168, 255, 255]),
    ([192, 175, 48, 0], [192, 175, 48, 255]),
    ([198, 18, 0, 0], [198, 19, 255, 255]),
    ([198, 51, 100, 0], [198, 51, 100, 255]),
    ([203, 0, 113, 0], [203, 0, 113, 255]),
    ([224, 0, 0, 0], [239, 255, 255, 255]),
    ([240, 0, 0, 0], [255, 255, 255, 255]),
];

/// The first and the last address of each range in `2000::/3` that is not public, as their first 48 bits.
/// No IPv6 address outside of `2000::/3` is public.
const NOT_PUBLIC_V6: [(u64, u64); 6] = [
    (0x2001_0000_0000, 0x2001_01ff_ffff),
    (0x2001_0db8_0000, 0x2001_0db8_ffff),
    (0x2002_0000_0000, 0x2002_ffff_ffff),
    (0x2620_004f_8000, 0x2620_004f_8000),
    (0x3ffe_0000_0000, 0x3ffe_ffff_ffff),
    (0x3fff_0000_0000, 0x3fff_0fff_ffff),
];

const INTERNAL_NAMES: [&[&str]; 8] = [
    &["localhost"],
    &["local"],
    &["internal"],
    &["home", "arpa"],
    &["onion"],
    &["test"],
    &["invalid"],
    &["cluster", "local"],
];

fn is_public_again(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let octets = address.octets();
            !NOT_PUBLIC_V4.iter().any(|(first, last)| *first <= octets && octets <= *last)
        }
        IpAddr::V6(address) => {
            let start = (address.to_bits() >> 80) as u64;
            (0x2000_0000_0000..=0x3fff_ffff_ffff).contains(&start)
                && !NOT_PUBLIC_V6.iter().any(|(first, last)| (*first..=*last).contains(&start))
        }
    }
}

fn is_public_name(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    labels.len() > 1 && !INTERNAL_NAMES.iter().any(|internal| labels.ends_with(internal))
}

/// Whether the service must accept a URL.
fn is_accepted(text: &str) -> bool {
    let Ok(url) = url::Url::parse(text) else { return false };
    let after_scheme = text.get(8..).unwrap_or_default();
    let in_form = text.chars().count() <= 2000
        && text.get(..8).is_some_and(|start| start.to_lowercase() == "https://")
        && !text.contains(|c: char| c == '\\' || c == '#' || c.is_whitespace() || c.is_control())
        && !after_scheme.split(['/', '?']).next().is_none_or(|host| host.is_empty() || host.contains('@'));
    in_form
        && url.port() != Some(0)
        && match url.host() {
            Some(url::Host::Ipv4(address)) => is_public_again(address.into()),
            Some(url::Host::Ipv6(address)) => is_public_again(address.into()),
            Some(url::Host::Domain(name)) => {
                let name = name.to_lowercase();
                let name = name.strip_suffix('.').unwrap_or(&name);
                let is_good = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_');
                name.len() <= 253
                    && name
                        .split('.')
                        .all(|label| (1..=63).contains(&label.len()) && label.chars().all(is_good))
                    && is_public_name(name)
            }
            None => false,
        }
}

/// A resolver that returns these addresses for every name.
struct Leads(Vec<IpAddr>);

impl Resolver for Leads {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(ready(Ok(self.0.clone())))
    }
}

/// The result of a future that is ready at the first poll.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("the future must be ready at the first poll"),
    }
}

/// Splits the bytes into addresses. IPv4 addresses of 4 bytes and IPv6 addresses of 16 bytes alternate.
fn addresses(mut bytes: &[u8]) -> Vec<IpAddr> {
    let mut addresses = Vec::new();
    while let Some((first, rest)) = bytes.split_first_chunk::<4>() {
        addresses.push(IpAddr::V4(Ipv4Addr::from(*first)));
        bytes = rest;
        if let Some((second, rest)) = bytes.split_first_chunk::<16>() {
            addresses.push(IpAddr::V6(Ipv6Addr::from(*second)));
            bytes = rest;
        }
    }
    addresses
}

/// The first line of the input is a URL. The other bytes are the addresses of its host.
pub fn check(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (text, rest) = (String::from_utf8_lossy(&data[..end]), data.get(end + 1..).unwrap_or_default());
    let leads_to = addresses(rest);
    for address in &leads_to {
        assert_eq!(is_public(*address), is_public_again(*address), "{address}");
    }
    let parsed = WebhookUrl::parse(&text);
    assert_eq!(parsed.is_ok(), is_accepted(&text), "{text:?}: {parsed:?}");
    let Ok(url) = parsed else { return };
    assert_eq!(url.as_str(), text);
    // The test parses the accepted URL with the `url` crate and writes it again. The host must not change.
    let written = url::Url::parse(&text).unwrap();
    if let Ok(again) = WebhookUrl::parse(written.as_str()) {
        assert_eq!((again.host(), again.port()), (url.host(), url.port()), "{text:?} {written}");
        assert_eq!(again.path_and_query(), url.path_and_query(), "{text:?} {written}");
    } else {
        assert!(
            written.as_str().chars().count() > 2000,
            "the accepted URL {text:?} was refused as {written}"
        );
    }
    let (expected, targets): (bool, Vec<IpAddr>) = match url.host() {
        Host::Ip(address) => (true, vec![*address]),
        Host::Name(_) => {
            (!leads_to.is_empty() && leads_to.iter().all(|one| is_public_again(*one)), leads_to.clone())
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _entered = runtime.enter();
    match at_once(
        Guard::new(Purpose::Webhook, Network::new(Arc::new(Leads(leads_to)), Arc::new(Unreachable)))
            .check(&url, LookupStage::Attempt),
    ) {
        Ok(dialled) => {
            assert!(expected, "{url:?} led to an internal address: {dialled:?}");
            assert!(!dialled.is_empty() && dialled.iter().all(|one| one.port() == url.port()));
            assert!(
                dialled.iter().all(|one| targets.contains(&one.ip())),
                "{dialled:?} is not among {targets:?}"
            );
        }
        Err(refused) => assert!(!expected, "{url:?}: {refused:?}"),
    }
}
