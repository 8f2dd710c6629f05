//! Signatures and signed requests by the Standard Webhooks scheme.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{Timestamp, WebhookEndpoint, WebhookSecret};
use hmac::{Hmac, Mac};
use net::Post;
use sha2::Sha256;

use crate::shared::Shared;

const TAG: &str = "whsec_";

/// The secret as the receiver stores it: `whsec_` and the base64 of the key.
pub(crate) fn reveal(secret: &WebhookSecret) -> String {
    format!("{TAG}{}", BASE64_STANDARD.encode(secret.bytes()))
}

/// The `webhook-signature` of an attempt: `v1,` and the base64 of the HMAC-SHA256 over `id.timestamp.body`.
pub fn sign(key: &[u8], id: &str, timestamp: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

pub(crate) fn signed(
    shared: &Shared,
    endpoint: &WebhookEndpoint,
    id: &str,
    body: Vec<u8>,
    test: bool,
) -> (Post, Timestamp) {
    // Receivers compare the timestamp with their own clocks, so it is read from the wall clock.
    let seconds = shared.clocks.raw().millis().div_euclid(1_000);
    let mut headers = vec![
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", sign(endpoint.secret.bytes(), id, seconds, &body)),
        ("content-type", "application/json".to_owned()),
    ];
    if test {
        headers.push(("webhook-test", "true".to_owned()));
    }
    (Post { url: endpoint.url.clone(), headers, body: body.into() }, shared.clocks.now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(secret: &str, id: &str, timestamp: i64, body: &str, signature: &str) {
        let key = BASE64_STANDARD.decode(secret.strip_prefix(TAG).unwrap()).unwrap();
        assert_eq!(sign(&key, id, timestamp, body.as_bytes()), signature);
    }

    #[test]
    fn the_reference_vectors_of_standard_webhooks_hold() {
        check(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        );
        check(
            "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
            "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
            1_649_367_553,
            r#"{"email":"test@example.com","username":"test_user"}"#,
            "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
        );
    }

    #[test]
    fn a_secret_is_the_tag_and_the_base64_of_32_bytes() {
        let text = reveal(&WebhookSecret::new([7; 32]));
        assert_eq!(BASE64_STANDARD.decode(text.strip_prefix(TAG).unwrap()).unwrap(), [7; 32]);
    }
}
