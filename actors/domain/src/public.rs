//! Decides which addresses are public. A webhook may be sent only to public addresses.
//!
//! All IPv4 addresses are public except the listed ranges. An IPv6 address is public only if it is in the global
//! unicast range and not in a listed range. Therefore an address that contains an IPv4 address (mapped, compatible,
//! translated) is not public, and neither is a unique local, link-local or multicast address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

const REFUSED_V4: [Ipv4Net; 19] = [
    v4(0, 0, 0, 0, 8),        // this network, RFC 791, 1122
    v4(10, 0, 0, 0, 8),       // private, RFC 1918
    v4(100, 64, 0, 0, 10),    // shared space, RFC 6598; contains Alibaba's metadata service
    v4(127, 0, 0, 0, 8),      // loopback, RFC 1122
    v4(168, 63, 129, 16, 32), // Azure's wire server, listed in no registry
    v4(169, 254, 0, 0, 16),   // link-local, RFC 3927; contains the metadata services of most clouds
    v4(172, 16, 0, 0, 12),    // private, RFC 1918
    v4(192, 0, 0, 0, 24),     // IETF protocol assignments, RFC 6890; contains Oracle's metadata service
    v4(192, 0, 2, 0, 24),     // documentation, RFC 5737
    v4(192, 31, 196, 0, 24),  // AS112, RFC 7535
    v4(192, 52, 193, 0, 24),  // AMT, RFC 7450
    v4(192, 88, 99, 0, 24),   // 6to4 relay anycast, RFC 7526
    v4(192, 168, 0, 0, 16),   // private, RFC 1918
    v4(192, 175, 48, 0, 24),  // AS112, RFC 7534
    v4(198, 18, 0, 0, 15),    // benchmarking, RFC 2544
    v4(198, 51, 100, 0, 24),  // documentation, RFC 5737
    v4(203, 0, 113, 0, 24),   // documentation, RFC 5737
    v4(224, 0, 0, 0, 4),      // multicast, RFC 5771
    v4(240, 0, 0, 0, 4),      // reserved and broadcast, RFC 1112, 919
];

const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);

const REFUSED_V6: [Ipv6Net; 6] = [
    v6(0x2001, 0, 0, 23), // IETF protocol assignments, RFC 2928: Teredo, ORCHID, benchmarking, AMT, AS112
    v6(0x2001, 0x0db8, 0, 32), // documentation, RFC 3849
    v6(0x2002, 0, 0, 16), // 6to4, RFC 3056
    v6(0x2620, 0x004f, 0x8000, 48), // AS112, RFC 7534
    v6(0x3ffe, 0, 0, 16), // the former 6bone, RFC 3701
    v6(0x3fff, 0, 0, 20), // documentation, RFC 9637
];

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits)
}

const fn v6(a: u16, b: u16, c: u16, bits: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), bits)
}

pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !REFUSED_V4.iter().any(|range| range.contains(&address)),
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address) && !REFUSED_V6.iter().any(|range| range.contains(&address))
        }
    }
}

/// The IPv4 ranges of private networks, shared address space and loopback. A calendar server that the
/// operator has listed may have such an address.
const LISTED_V4: [Ipv4Net; 5] = [
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(172, 16, 0, 0, 12),
    v4(192, 168, 0, 0, 16),
];
const UNIQUE_LOCAL_V6: Ipv6Net = v6(0xfc00, 0, 0, 7);
/// The addresses of the metadata services of Alibaba and Amazon. Both are in private ranges. [`is_listed_address`]
/// allows all other addresses of these ranges.
const METADATA: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// True if a calendar server that the operator has listed may have this address. Link-local addresses and the addresses
/// of metadata services are never allowed.
pub fn is_listed_address(address: IpAddr) -> bool {
    let is_private = match address {
        IpAddr::V4(address) => LISTED_V4.iter().any(|range| range.contains(&address)),
        IpAddr::V6(address) => UNIQUE_LOCAL_V6.contains(&address) || address == Ipv6Addr::LOCALHOST,
    };
    is_public(address) || (is_private && !METADATA.contains(&address))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A second implementation of [`is_public`]. It compares octets, segments and bits.
    fn is_public_in_bits(address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => match address.octets() {
                [0 | 10 | 127 | 224..=255, ..] => false,
                [100, b, ..] => b & 0xc0 != 64,
                [168, 63, 129, 16] => false,
                [169, 254, ..] => false,
                [172, b, ..] => b & 0xf0 != 16,
                [192, 168, ..] => false,
                [192, 0, 0 | 2, _] | [192, 31, 196, _] | [192, 52, 193, _] => false,
                [192, 88, 99, _] | [192, 175, 48, _] => false,
                [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => false,
                _ => true,
            },
            IpAddr::V6(address) => match address.segments() {
                [0x2001, b, ..] => b >= 0x0200 && b != 0x0db8,
                [0x2002 | 0x3ffe, ..] => false,
                [0x3fff, b, ..] => b & 0xf000 != 0,
                [0x2620, 0x4f, 0x8000, ..] => false,
                [a, ..] => a >> 13 == 1,
            },
        }
    }

    /// Checks that the first and the last address of a range are refused. The addresses directly before and after the
    /// range must be accepted if no other refused range contains them.
    fn refused(range: &str) {
        let range: ipnet::IpNet = range.parse().unwrap();
        let (first, last) = (range.network(), range.broadcast());
        assert!(!is_public(first) && !is_public(last), "{range}");
        let (before, after) = match (first, last) {
            (IpAddr::V4(first), IpAddr::V4(last)) => (
                first.to_bits().checked_sub(1).map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
                last.to_bits().checked_add(1).map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
            ),
            (IpAddr::V6(first), IpAddr::V6(last)) => (
                first.to_bits().checked_sub(1).map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
                last.to_bits().checked_add(1).map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
            ),
            _ => unreachable!("both ends of a range have the same family"),
        };
        for neighbour in [before, after].into_iter().flatten() {
            // The addresses directly before and after a range must be public. The addresses in `next_door` are
            // exceptions, because they may be in another refused range. For them, `is_public_in_bits` returns the
            // expected result.
            let next_door = [
                "223.255.255.255",
                "240.0.0.0",
                "239.255.255.255",
                "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "2003::",
                "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "4000::",
                "3ffd:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "3fff::",
                "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            ];
            if next_door.contains(&neighbour.to_string().as_str()) {
                assert_eq!(is_public(neighbour), is_public_in_bits(neighbour), "{neighbour} next to {range}");
            } else {
                assert!(is_public(neighbour), "{neighbour} next to {range}");
            }
        }
    }

    #[test]
    fn every_listed_range_is_refused_from_its_first_to_its_last_address() {
        for range in [
            "0.0.0.0/8",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "192.31.196.0/24",
            "192.175.48.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "224.0.0.0/4",
            "240.0.0.0/4",
            "168.63.129.16/32",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
            "2002::/16",
            "2620:4f:8000::/48",
            "3ffe::/16",
        ] {
            refused(range);
        }
    }

    #[test]
    fn addresses_with_a_special_purpose_are_refused() {
        for address in [
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:20::1",
            "2002:7f00:1::",
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "192.0.0.192",
            "255.255.255.255",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_accepted() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "223.255.255.255",
            "172.15.0.1",
            "172.32.0.1",
            "100.128.0.0",
            "2000::",
            "2001:200::",
            "2606:4700::1111",
            "2a00:1450::1",
            "3ffd::1",
            "3fff:1000::",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn only_one_eighth_of_ipv6_is_public() {
        for (address, public) in [
            ("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
            ("2000::", true),
            ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("4000::", false),
        ] {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }

    /// Generates any address, or one near an end of a listed range.
    fn address() -> impl Strategy<Value = IpAddr> {
        let near_v4 = (0..REFUSED_V4.len(), any::<bool>(), -3_i64..=3).prop_map(|(index, first, by)| {
            let range = REFUSED_V4[index];
            let end = if first { range.network() } else { range.broadcast() };
            IpAddr::V4(Ipv4Addr::from_bits(end.to_bits().wrapping_add_signed(i32::try_from(by).unwrap())))
        });
        let near_v6 = (0..=REFUSED_V6.len(), any::<bool>(), -3_i128..=3).prop_map(|(index, first, by)| {
            let range = REFUSED_V6.get(index).copied().unwrap_or(GLOBAL_V6);
            let end = if first { range.network() } else { range.broadcast() };
            IpAddr::V6(Ipv6Addr::from_bits(end.to_bits().wrapping_add_signed(by)))
        });
        prop_oneof![
            any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
            any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits))),
            any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits >> 3 | 1 << 125))),
            near_v4,
            near_v6,
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn the_table_agrees_with_the_rule_in_bits(address in address()) {
            prop_assert_eq!(is_public(address), is_public_in_bits(address));
        }
    }
}
