//! Values that have a single form in export lines.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::{ImportProblem, Phone, ProblemCode, WebhookSecret};
use schemars::JsonSchema;

use super::SECRET_TAG;
use crate::http::read::FromText;

/// A phone number in E.164 form, and in no other.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct E164(#[schemars(with = "String")] Phone);

impl E164 {
    pub(super) fn get(self) -> Phone {
        self.0
    }
}

impl FromText for E164 {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        Phone::from_e164(text.to_owned()).map(Self).map_err(|_| ImportProblem::NotE164.into())
    }
}

/// The secret of a webhook endpoint.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(super) struct Secret(#[schemars(with = "String")] WebhookSecret);

impl Secret {
    pub(super) fn get(self) -> WebhookSecret {
        self.0
    }
}

impl FromText for Secret {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        let bytes = text.strip_prefix(SECRET_TAG).and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        bytes.map(|bytes| Self(WebhookSecret::new(bytes))).ok_or(ImportProblem::NotASecret.into())
    }
}
