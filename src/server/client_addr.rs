//! The client's address, for limits and logs.
//!
//! Invariant: only the part of `X-Forwarded-For` that trusted proxies wrote is used. Each proxy appends the
//! address of its peer, so the service reads the header from its end. The last address that is not a
//! trusted proxy is the client's. The addresses before the client's may be forged.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use axum::http::{Extensions, HeaderMap, HeaderName};
use ipnet::{IpNet, Ipv4Net};

pub(super) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

pub const PROXY_NETWORKS_MAX: usize = 256;

/// The number of leading bits of an IPv6 address that identify a client. A host can choose the other bits.
const V6_CLIENT_BITS: u32 = 64;

/// The number of bits before the IPv4 address in an IPv4-mapped IPv6 address.
const V4_MAPPED_BITS: u8 = 96;

/// The client's address, which is stored in the extensions of a request. It is the peer's address or, if the peer is a
/// trusted proxy, the address that the proxies report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddr(pub IpAddr);

impl ClientAddr {
    /// The address in a request's extensions, or the unspecified address for a request without a connection.
    pub fn of(extensions: &Extensions) -> IpAddr {
        extensions.get::<Self>().map_or(Ipv4Addr::UNSPECIFIED.into(), |client| client.0)
    }
}

/// The network that counts as one client: an IPv4 address, or an IPv6 /64.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let rest = u128::BITS - V6_CLIENT_BITS;
            IpAddr::V6((v6.to_bits() >> rest << rest).into())
        }
        v4 => v4,
    }
}

/// The networks of proxies whose `X-Forwarded-For` is trusted. The value is cheap to clone. By default there
/// are no networks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Arc<[IpNet]>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be at most {PROXY_NETWORKS_MAX} networks or addresses, separated by commas, such as 10.0.0.0/8,2001:db8::1"
)]
pub struct ProxiesError;

impl FromStr for TrustedProxies {
    type Err = ProxiesError;

    fn from_str(text: &str) -> Result<Self, ProxiesError> {
        let networks: Option<Vec<_>> = text.split(',').map(|part| trusted_network(part.trim())).collect();
        let networks = networks.filter(|networks| networks.len() <= PROXY_NETWORKS_MAX);
        networks.map(|networks| Self(networks.into())).ok_or(ProxiesError)
    }
}

/// Parses a network or an address. An IPv4-mapped IPv6 address becomes IPv4.
fn trusted_network(text: &str) -> Option<IpNet> {
    let network = match text.parse::<IpAddr>() {
        Ok(address) => IpNet::from(address),
        Err(_) => text.parse::<IpNet>().ok()?,
    };
    let mapped = match network {
        IpNet::V6(v6) => v6.addr().to_ipv4_mapped().zip(v6.prefix_len().checked_sub(V4_MAPPED_BITS)),
        IpNet::V4(_) => None,
    };
    let mapped = mapped.and_then(|(address, bits)| Ipv4Net::new(address, bits).ok());
    Some(mapped.map_or(network, IpNet::V4).trunc())
}

impl TrustedProxies {
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The address of the client that sent a request with these headers through this peer.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if self.0.is_empty() {
            return client;
        }
        // Several header lines form one list (RFC 9110 §5.3), and empty items are ignored (§5.6.1).
        let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
        let items = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        let mut items = items.map(<[u8]>::trim_ascii).filter(|item| !item.is_empty());
        while self.contains(client) {
            match items.next().and_then(forwarded) {
                Some(address) => client = address,
                None => break,
            }
        }
        client
    }
}

/// Parses an item of the list: an address, which some proxies write with a port or in brackets.
fn forwarded(item: &[u8]) -> Option<IpAddr> {
    let item = std::str::from_utf8(item).ok()?;
    let bare = item.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let address = match bare {
        Some(v6) => IpAddr::V6(v6.parse().ok()?),
        None => item.parse().ok().or_else(|| Some(item.parse::<SocketAddr>().ok()?.ip()))?,
    };
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn headers(lines: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_bytes(line).unwrap());
        }
        headers
    }

    fn client(proxies: &str, peer: &str, lines: &[&str]) -> IpAddr {
        let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
        proxies.parse::<TrustedProxies>().unwrap().client(ip(peer), &headers(&lines))
    }

    #[test]
    fn an_ipv6_64_is_one_client_and_a_mapped_address_counts_as_ipv4() {
        let network = |text: &str| network(ip(text));
        assert_eq!(network("2001:db8:1:2:3::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
    }

    #[test]
    fn without_trusted_proxies_the_header_is_ignored() {
        let none = TrustedProxies::default();
        assert_eq!(none.client(ip("192.0.2.1"), &headers(&[b"198.51.100.7"])), ip("192.0.2.1"));
        assert_eq!(none.client(ip("::ffff:192.0.2.1"), &headers(&[])), ip("192.0.2.1"));
        assert!(!none.contains(ip("127.0.0.1")));
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_a_trusted_proxy() {
        const PROXIES: &str = "10.0.0.0/8, 192.0.2.1 ,2001:db8::/32";
        for (peer, lines, expected) in [
            // If the peer is not a trusted proxy, the peer is the client, and the header is ignored.
            ("198.51.100.9", &["198.51.100.7"][..], "198.51.100.9"),
            ("192.0.2.2", &["198.51.100.7"], "192.0.2.2"),
            ("10.1.2.3", &["198.51.100.7"], "198.51.100.7"),
            ("192.0.2.1", &["198.51.100.7"], "198.51.100.7"),
            ("2001:db8::1", &["198.51.100.7"], "198.51.100.7"),
            ("::ffff:10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            // A forged address is before the address that the proxy wrote.
            ("10.0.0.1", &["127.0.0.1, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["10.0.0.5, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7", "10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.5", "198.51.100.7"], "198.51.100.7"),
            // If every address is a trusted proxy, the first address in the header is the client's.
            ("10.0.0.1", &["10.0.0.3,10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["", " , ,"], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7,,"], "198.51.100.7"),
            // An address before an invalid item is not trusted.
            ("10.0.0.1", &["198.51.100.7, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7, _hidden, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["198.51.100.7 10.0.0.2"], "10.0.0.1"),
            ("10.0.0.1", &["fe80::1%eth0"], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7:x"], "10.0.0.1"),
            ("10.0.0.1", &["[198.51.100.7]"], "10.0.0.1"),
            ("10.0.0.1", &["[2a00::7"], "10.0.0.1"),
            // An address may be written in several forms.
            ("10.0.0.1", &["\t198.51.100.7 "], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.0.0.1", &["2a00::7"], "2a00::7"),
            ("10.0.0.1", &["[2a00::7]"], "2a00::7"),
            ("10.0.0.1", &["[2a00::7]:4711"], "2a00::7"),
            ("10.0.0.1", &["::ffff:198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["[::ffff:198.51.100.7]:4711, ::ffff:10.0.0.2"], "198.51.100.7"),
        ] {
            assert_eq!(client(PROXIES, peer, lines), ip(expected), "{peer} {lines:?}");
        }
    }

    #[test]
    fn a_header_that_is_not_text_is_ignored() {
        let proxies: TrustedProxies = "10.0.0.1".parse().unwrap();
        let client = proxies.client(ip("10.0.0.1"), &headers(&[b"198.51.100.7", b"\xff"]));
        assert_eq!(client, ip("10.0.0.1"));
    }

    #[test]
    fn networks_are_separated_by_commas() {
        let many = |count: usize| vec!["10.0.0.1"; count].join(",");
        for good in
            ["10.0.0.0/8", "::1", "10.9.9.9/8", "0.0.0.0/0", "::/0, 10.0.0.1", &many(PROXY_NETWORKS_MAX)]
        {
            assert!(good.parse::<TrustedProxies>().is_ok(), "{good}");
        }
        for bad in [
            "",
            ",",
            "10.0.0.0/33",
            "10.0.0",
            "localhost",
            "10.0.0.1;10.0.0.2",
            &many(PROXY_NETWORKS_MAX + 1),
        ] {
            assert_eq!(bad.parse::<TrustedProxies>(), Err(ProxiesError), "{bad}");
        }
        assert!("10.9.9.9/8".parse::<TrustedProxies>().unwrap().contains(ip("10.0.0.1")));
        let mapped: TrustedProxies = "::ffff:10.0.0.0/104".parse().unwrap();
        assert!(mapped.contains(ip("10.1.2.3")) && mapped.contains(ip("::ffff:10.1.2.3")));
        assert!(!mapped.contains(ip("11.0.0.1")));
    }

    proptest! {
        #[test]
        fn every_header_gives_some_client(
            lines in proptest::collection::vec(proptest::collection::vec(prop_oneof![
                Just(b','), Just(b'.'), Just(b':'), Just(b'['), Just(b']'), Just(b'1'), Just(b' '), 0x80..=0xffu8, 0x20..0x7fu8
            ], 0..40), 0..4),
            all in any::<bool>(),
        ) {
            let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            let proxies: TrustedProxies = if all { "0.0.0.0/0,::/0" } else { "10.0.0.1" }.parse().unwrap();
            let client = proxies.client(ip("10.0.0.1"), &headers(&lines));
            prop_assert_eq!(client, client.to_canonical());
        }

        #[test]
        fn text_before_the_proxys_address_changes_nothing(made_up in "[ -~]{0,40}", real in any::<u32>()) {
            let real = IpAddr::V4(real.into());
            prop_assume!(real != ip("10.0.0.1"));
            let line = format!("{made_up},{real}");
            prop_assert_eq!(client("10.0.0.1", "10.0.0.1", &[&line]), real);
        }
    }
}
