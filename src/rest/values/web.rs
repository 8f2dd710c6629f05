//! Parsing of web addresses.

use domain::{ProblemCode, TextError};
use schemars::JsonSchema;
use url::Url;

use crate::http::read::FromText;

/// The maximum length of a web address, in characters.
const URL_CHARS_MAX: usize = 2000;

/// An absolute `http` or `https` address of at most [`URL_CHARS_MAX`] characters. It is stored as given.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub(crate) struct WebsiteUrl(
    #[schemars(url, length(max = URL_CHARS_MAX), regex(pattern = "^[Hh][Tt][Tt][Pp][Ss]?://"))]
    String,
);

impl WebsiteUrl {
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl FromText for WebsiteUrl {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        if text.chars().count() > URL_CHARS_MAX {
            return Err(TextError::Length { min: 0, max: URL_CHARS_MAX }.into());
        }
        // The parser corrects some texts (white space, a missing slash), but the text is stored as given.
        // So a text that needs a correction is refused.
        let scheme = text.get(..8).unwrap_or(text).to_ascii_lowercase();
        let absolute = scheme.starts_with("http://") || scheme.starts_with("https://");
        let clean = !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
        match Url::parse(text) {
            Ok(url) if absolute && clean && url.has_host() => Ok(Self(text.to_owned())),
            _ => Err(ProblemCode::NotAWebAddress),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T: FromText>(text: &str) -> Result<T, ProblemCode> {
        T::from_text(text)
    }

    #[test]
    fn a_website_is_an_absolute_address_and_stored_as_given() {
        for good in ["https://example.com", "HTTP://example.com/a?b#c", "https://münchen.example/é"] {
            assert_eq!(text::<WebsiteUrl>(good).unwrap().into_string(), good);
        }
        for bad in [
            "",
            "example.com",
            "/a",
            "ftp://example.com",
            "javascript:alert(1)",
            "https://",
            "https:example.com",
            "https://a b/",
            " https://example.com",
            "https:\\\\example.com",
            "http://[::1",
        ] {
            assert!(text::<WebsiteUrl>(bad).is_err(), "{bad}");
        }
        let long = |chars: usize| format!("{:a<chars$}", "https://example.com/");
        assert!(text::<WebsiteUrl>(&long(URL_CHARS_MAX)).is_ok());
        assert!(text::<WebsiteUrl>(&long(URL_CHARS_MAX + 1)).is_err());
    }
}
