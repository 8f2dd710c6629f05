//! Checks of the `Host` of a request (RFC 9112 §3.2). A request with no `Host`, two `Host` headers or an
//! invalid `Host` is refused. A request whose target names another host is refused too.

use axum::http::{HeaderMap, Uri, Version, header};

/// Returns the problem with the `Host` of a request. An HTTP/1.0 request may have no `Host`.
pub(super) fn problem(version: Version, target: &Uri, headers: &HeaderMap) -> Option<&'static str> {
    let named = target.authority().map(|authority| authority.as_str().as_bytes());
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version == Version::HTTP_10 => None,
        (None, _) => Some("the request has no Host header"),
        (Some(_), Some(_)) => Some("the request has more than one Host header"),
        (Some(host), None) if named.is_some_and(|named| !named.eq_ignore_ascii_case(host.as_bytes())) => {
            Some("the target and the Host header of the request name different hosts")
        }
        (Some(host), None) if is_host(host.as_bytes()) => None,
        (Some(_), None) => Some("the Host header of the request is not a valid host"),
    }
}

/// Whether the value is empty or a host (RFC 3986 §3.2.2) with an optional port.
fn is_host(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let (is_good, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((v6, port)) => (v6.parse::<std::net::Ipv6Addr>().is_ok(), port),
        None => {
            let (name, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            (is_name(name.as_bytes()), port)
        }
    };
    let port_is_good = match port.strip_prefix(':') {
        Some(digits) => {
            digits.bytes().all(|byte| byte.is_ascii_digit())
                && (digits.is_empty() || digits.parse::<u16>().is_ok())
        }
        None => port.is_empty(),
    };
    is_good && port_is_good
}

fn is_name(mut name: &[u8]) -> bool {
    while let [first, rest @ ..] = name {
        name = match (first, rest) {
            (b'%', [high, low, rest @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            (b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')', _) => rest,
            (b'*' | b'+' | b',' | b';' | b'=', _) => rest,
            (byte, _) if byte.is_ascii_alphanumeric() => rest,
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn problem_of(version: Version, hosts: &[&[u8]]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_bytes(host).unwrap());
        }
        problem(version, &Uri::from_static("/"), &headers)
    }

    #[test]
    fn a_target_with_a_host_must_match_the_host_header() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("desk.example:80"));
        for (target, is_good) in
            [("/v1/me", true), ("http://Desk.example:80/v1/me", true), ("http://evil.example/v1/me", false)]
        {
            let problem = problem(Version::HTTP_11, &Uri::from_static(target), &headers);
            assert_eq!(problem.is_none(), is_good, "{target}");
        }
        assert!(
            problem(Version::HTTP_10, &Uri::from_static("http://evil.example/"), &HeaderMap::new()).is_none()
        );
    }

    #[test]
    fn a_request_has_one_host() {
        assert_eq!(problem_of(Version::HTTP_11, &[b"x"]), None);
        assert_eq!(problem_of(Version::HTTP_11, &[]), Some("the request has no Host header"));
        assert_eq!(problem_of(Version::HTTP_10, &[]), None);
        for version in [Version::HTTP_10, Version::HTTP_11] {
            assert_eq!(problem_of(version, &[b"x", b"x"]), Some("the request has more than one Host header"));
            assert_eq!(
                problem_of(version, &[b"x y"]),
                Some("the Host header of the request is not a valid host")
            );
        }
    }

    #[test]
    fn a_host_must_be_valid_in_a_uri() {
        for good in [
            "",
            "localhost",
            "a.example.com:443",
            "127.0.0.1:8080",
            "[::1]",
            "[::1]:80",
            "a_b",
            "x:",
            "%C3%A9.example",
            "a,b",
            ":80",
        ] {
            assert_eq!(problem_of(Version::HTTP_11, &[good.as_bytes()]), None, "{good}");
        }
        let bad: [&[u8]; 17] = [
            b"a b",
            b"a/b",
            b"a@b",
            b"user:word@b",
            b"a:b",
            b"a:80:80",
            b"a:65536",
            b"[::1",
            b"[::1]x",
            b"[::1]80",
            b"[x]",
            b"::1",
            b"a%zz",
            b"a%4",
            b"http://a",
            b"a?b",
            b"\xc3\xa9",
        ];
        for bad in bad {
            assert!(problem_of(Version::HTTP_11, &[bad]).is_some(), "{}", String::from_utf8_lossy(bad));
        }
    }
}
