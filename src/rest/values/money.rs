//! Currencies.

use actors::domain::Currency;

use crate::http::read::FromText;

impl FromText for Currency {
    fn from_text(text: &str) -> Result<Self, String> {
        Self::parse(text)
            .ok_or_else(|| "must be an ISO 4217 code of three upper-case letters, such as EUR".into())
    }
}
