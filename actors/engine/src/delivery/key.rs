use std::fmt;

use domain::{BusinessId, WebhookId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EndpointKey {
    pub(crate) business: BusinessId,
    pub(crate) endpoint: WebhookId,
}

impl fmt::Display for EndpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.business, self.endpoint)
    }
}
