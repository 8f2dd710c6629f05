//! Counts of recent events by client address. An attacker with many addresses must not get an allowance for
//! each address.
//!
//! Invariant: an event from an IPv6 address counts towards its /64 network and its /48 network. These are the smallest
//! and the largest network that an internet provider assigns to a customer. The allowance of a /48 network is
//! [`NETWORKS`] times the allowance of a /64 network. When this allowance is used up, further events of the /48 network
//! are refused and not counted. So a single /48 network cannot fill the table of counts with its /64 networks.

use std::net::IpAddr;

use domain::Timestamp;

use crate::window::{KEYS_MAX, Rate, Windows};

pub(crate) const NETWORKS: u32 = 16;
const NETWORK_BITS: u32 = 64;
const SITE_BITS: u32 = 48;

#[derive(Debug)]
pub(crate) struct Sources {
    /// The counts by IPv4 address or /64 network.
    by_address: Windows<IpAddr>,
    sites: Windows<IpAddr>,
}

impl Sources {
    pub(crate) fn new(rate: Rate) -> Self {
        let of_site = Rate { count: rate.count * NETWORKS, ..rate };
        let sites = Windows::sliding(&[of_site]).with_keys_max(KEYS_MAX / NETWORKS as usize);
        Self { by_address: Windows::sliding(&[rate]), sites }
    }

    pub(crate) fn free_at(&self, address: IpAddr, now: Timestamp) -> Option<Timestamp> {
        let (network, site) = networks(address);
        let of_site = site.and_then(|site| self.sites.free_at(&site, now));
        self.by_address.free_at(&network, now).max(of_site)
    }

    pub(crate) fn note(&mut self, address: IpAddr, now: Timestamp) {
        let (network, site) = networks(address);
        self.by_address.note(network, now);
        site.into_iter().for_each(|site| _ = self.sites.note(site, now));
    }

    pub(crate) fn take_back(&mut self, address: IpAddr, at: Timestamp) {
        let (network, site) = networks(address);
        self.by_address.take_back(&network, at);
        site.into_iter().for_each(|site| self.sites.take_back(&site, at));
    }
}

fn networks(address: IpAddr) -> (IpAddr, Option<IpAddr>) {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let cut = |bits: u32| {
                let rest = u128::BITS - bits;
                IpAddr::V6((address.to_bits() >> rest << rest).into())
            };
            (cut(NETWORK_BITS), Some(cut(SITE_BITS)))
        }
        address => (address, None),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use chrono::TimeDelta;

    use super::*;

    const RATE: Rate = Rate { count: 2, within: TimeDelta::hours(1) };

    fn now() -> Timestamp {
        Timestamp::from_millis(0)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn network(site: u16, number: u16) -> IpAddr {
        Ipv6Addr::new(0x2001, 0xdb8, site, number, 0, 0, 0, 1).into()
    }

    #[test]
    fn an_address_counts_alone_or_for_its_network_however_it_is_written() {
        let mut sources = Sources::new(RATE);
        for text in ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::ffff:2"] {
            assert_eq!(sources.free_at(address(text), now()), None, "{text}");
            sources.note(address(text), now());
        }
        for text in ["192.0.2.1", "2001:db8::3"] {
            assert_eq!(sources.free_at(address(text), now()), Some(now() + RATE.within), "{text}");
        }
        for text in ["192.0.2.2", "2001:db8:0:1::1", "2001:db8:1::1"] {
            assert_eq!(sources.free_at(address(text), now()), None, "{text}");
        }
        sources.take_back(address("2001:db8::9"), now());
        assert_eq!(sources.free_at(address("2001:db8::3"), now()), None);
    }

    #[test]
    fn a_site_has_the_allowance_of_sixteen_networks_however_many_it_is_made_of() {
        let mut sources = Sources::new(RATE);
        let mut counted = 0;
        for number in 0..u16::MAX {
            if sources.free_at(network(7, number), now()).is_none() {
                sources.note(network(7, number), now());
                counted += 1;
            }
        }
        assert_eq!(counted, RATE.count * NETWORKS, "one site must have the allowance of {NETWORKS} networks");
        assert_eq!(sources.free_at(network(8, 0), now()), None, "another site is not limited");
        sources.take_back(network(7, 0), now());
        assert_eq!(sources.free_at(network(7, 9), now()), None);
    }

    #[test]
    fn one_site_cannot_fill_the_table() {
        let mut sources = Sources::new(RATE);
        let known = address("192.0.2.1");
        for _ in 0..RATE.count {
            sources.note(known, now());
        }
        for number in 0..u16::MAX {
            if sources.free_at(network(7, number), now()).is_none() {
                sources.note(network(7, number), now());
            }
        }
        assert!(sources.free_at(known, now()).is_some(), "a counted address must stay in the table");
        for number in 0..KEYS_MAX as u32 + 10 {
            let address = IpAddr::from((0x0a00_0000 + number).to_be_bytes());
            assert_eq!(sources.free_at(address, now()), None, "{address}");
            sources.note(address, now());
        }
        assert_eq!(sources.free_at(address("198.51.100.1"), now()), None);
        assert_eq!(sources.free_at(network(9, 9), now()), None);
    }
}
