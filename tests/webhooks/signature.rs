//! Checks a signature as a receiver does. The code follows the Standard Webhooks specification and uses no code
//! of the service.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Whether the header contains a valid signature with this secret.
pub(crate) fn holds(secret: &str, id: &str, timestamp: &str, body: &[u8], header: &str) -> bool {
    let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).unwrap();
    header.split(' ').filter_map(|one| one.strip_prefix("v1,")).any(|signature| {
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        BASE64_STANDARD.decode(signature).is_ok_and(|signature| mac.verify_slice(&signature).is_ok())
    })
}

#[test]
fn the_check_accepts_the_reference_signature_and_no_other() {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let (id, at, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", br#"{"test": 2432232314}"#);
    let header = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    assert!(holds(secret, id, at, body, header));
    assert!(holds(secret, id, at, body, &format!("v1,AAAA v1a,AAAA {header}")));
    assert!(!holds(secret, id, at, br#"{"test": 2432232315}"#, header));
    assert!(!holds(secret, id, "1614265331", body, header));
    assert!(!holds("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", id, at, body, header));
}
