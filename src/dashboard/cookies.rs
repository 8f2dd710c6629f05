//! The cookies of the dashboard.
//!
//! - Session and draft cookies are hidden from scripts and are not sent with forms of other sites. With
//!   https, their prefix `__Host-` binds them to this host (RFC 6265bis §4.1.3.2).
//! - The other cookies contain only the language, the theme, the choices about the calendar, and the businesses for
//!   which the person has hidden the list of first steps.

use axum::http::{HeaderMap, HeaderValue, header};

/// The maximum age of a session cookie, in seconds. The engine ends a session after this time or earlier.
const SESSION_SECONDS: u32 = 30 * 24 * 60 * 60;
const CHOICE_SECONDS: u32 = 365 * 24 * 60 * 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cookie {
    Session,
    Draft,
    /// The language for people without a session.
    Language,
    /// `light` or `dark`. The theme script also writes this cookie.
    Theme,
    /// The density of the calendar, and the staff members that it does not show.
    Calendar,
    /// The ids of the businesses for which the person has hidden the list of first steps, separated by dots.
    Steps,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Cookies {
    pub(super) secure: bool,
}

impl Cookies {
    fn name(self, cookie: Cookie) -> &'static str {
        match (cookie, self.secure) {
            (Cookie::Session, true) => "__Host-receptionist",
            (Cookie::Session, false) => "receptionist",
            (Cookie::Draft, true) => "__Host-receptionist-form",
            (Cookie::Draft, false) => "receptionist-form",
            (Cookie::Language, _) => "language",
            (Cookie::Theme, _) => "theme",
            (Cookie::Calendar, _) => "calendar",
            (Cookie::Steps, _) => "steps",
        }
    }

    pub(super) fn get(self, headers: &HeaderMap, cookie: Cookie) -> Option<&str> {
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == self.name(cookie)).map(|(_, value)| value).next()
    }

    pub(super) fn lets_in(self, set_cookie: &HeaderValue) -> bool {
        let name = set_cookie.as_bytes().split(|byte| *byte == b'=').next().unwrap_or_default();
        [Cookie::Session, Cookie::Draft].iter().any(|cookie| self.name(*cookie).as_bytes() == name)
    }

    /// The `Set-Cookie` header. An empty value removes the cookie.
    pub(super) fn set(self, cookie: Cookie, value: &str) -> HeaderValue {
        let name = self.name(cookie);
        let lasts = match cookie {
            _ if value.is_empty() => 0,
            Cookie::Session | Cookie::Draft => SESSION_SECONDS,
            Cookie::Language | Cookie::Theme | Cookie::Calendar | Cookie::Steps => CHOICE_SECONDS,
        };
        let marks = match (cookie, self.secure) {
            (Cookie::Session | Cookie::Draft, true) => "Path=/; Secure; HttpOnly",
            (Cookie::Session | Cookie::Draft, false) => "Path=/; HttpOnly",
            (_, true) => "Path=/dashboard; Secure",
            (_, false) => "Path=/dashboard",
        };
        let text = format!("{name}={value}; {marks}; SameSite=Lax; Max-Age={lasts}");
        // The values are tokens and known words, so they are valid in a header.
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_bound_to_the_host_if_the_origin_is_https() {
        let set = |secure| Cookies { secure }.set(Cookie::Session, "abc");
        assert_eq!(
            set(true),
            "__Host-receptionist=abc; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000"
        );
        assert_eq!(set(false), "receptionist=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000");
        let gone = Cookies { secure: true }.set(Cookie::Session, "");
        assert!(gone.to_str().unwrap().ends_with("Max-Age=0"), "{gone:?}");
    }

    #[test]
    fn only_the_cookie_with_the_exact_name_counts() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "x=1; receptionist-form=f".parse().unwrap());
        headers.append(header::COOKIE, "__Host-receptionist=a;receptionist=b".parse().unwrap());
        assert_eq!(Cookies { secure: true }.get(&headers, Cookie::Session), Some("a"));
        assert_eq!(Cookies { secure: false }.get(&headers, Cookie::Session), Some("b"));
        assert_eq!(Cookies { secure: false }.get(&headers, Cookie::Draft), Some("f"));
        assert_eq!(Cookies { secure: true }.get(&headers, Cookie::Draft), None);
    }
}
