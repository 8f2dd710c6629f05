//! Tokens of links and sessions: 256 random bits as 43 characters for URLs and cookies.
//!
//! A token appears only in the response or mail that delivers it, and in the requests that use it. The
//! store contains its SHA-256.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{MailId, ResourceId};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// Distinguishes the MACs of links in mails from other MACs under the same secret.
const OF_MAIL: &[u8] = b"link of mail 1\0";

/// A well-formed token. It is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    pub(crate) fn new(random: [u8; 32]) -> Self {
        Self(random)
    }

    /// The token of the link in a mail. The token is derived from the id of the mail and is not stored. It is the same
    /// in each attempt to send the mail, so the link works in every copy of the mail that arrives.
    pub(crate) fn of_mail(secret: &[u8; 32], id: MailId) -> Self {
        let mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes a key of any length");
        Self(mac.chain_update(OF_MAIL).chain_update(id.uuid().as_bytes()).finalize().into_bytes().into())
    }

    /// Parses a token in a request. Returns `None` if the text is not a well-formed token.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// The hash that the store contains. A look-up of the hash needs no constant-time comparison, because the duration
    /// of the look-up reveals nothing about the token.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.reveal()).into()
    }

    pub fn reveal(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0)
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_a_mail_depends_on_the_mail_and_the_secret() {
        let id = |number: u128| MailId::from(uuid::Uuid::from_u128(number));
        let token = Token::of_mail(&[1; 32], id(1));
        assert_eq!(token, Token::of_mail(&[1; 32], id(1)));
        assert_ne!(token, Token::of_mail(&[1; 32], id(2)));
        assert_ne!(token, Token::of_mail(&[2; 32], id(1)));
    }

    #[test]
    fn a_token_can_be_parsed_and_other_text_cannot() {
        let token = Token::new([0xf7; 32]);
        let text = token.reveal();
        assert_eq!(text.len(), 43);
        assert_eq!(Token::parse(&text), Some(token.clone()));
        assert!(!format!("{token:?}").contains(&text[..4]));
        for bad in ["", "x", &text[1..], &format!("{text}="), &format!("{text}A"), &text.replace('9', "+")] {
            assert!(Token::parse(bad).is_none(), "{bad}");
        }
        assert_ne!(token.hash(), Token::new([0xf6; 32]).hash());
    }
}
